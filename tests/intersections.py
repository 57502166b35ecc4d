"""
Surface triangles of frames that intersect, in exact arithmetic: python3 intersections.py FRAME.vtu ... prints how many
triangles each frame has and fails if two of them meet, also in a point, apart from the corners that they share.

Faces of tetrahedra that belong to one of them and triangles are the surface; lines between vertices of no other cell
take part as well. Two triangles meet if an edge of one meets the other. Not seen are triangles with a common edge that
lie on each other. Signs of determinants are taken from doubles where an error bound permits it, otherwise from
integers. This program shares no code with wring. Frames must have doubles.
"""
import sys
from itertools import combinations

try:
    import numpy as np
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-vtk9 python3-numpy)")
    sys.exit(77)

LINE, TRIANGLE, TETRA, QUADRATIC_TETRA = 3, 5, 10, 24
FACES = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))
BOUND = 8 * 2.0 ** -53  # of |a| |b| |c| summed as the determinant is: above Shewchuk's (7 + 56 u) u


# ---- signs ----------------------------------------------------------------------------------------------------------


def integers(*points):
    """Coordinates multiplied by one power of 2 that makes them integers: differences and products are exact."""
    ratios = [[float(u).as_integer_ratio() for u in x] for x in points]
    scale = max(below for x in ratios for _, below in x)
    return [[above * (scale // below) for above, below in x] for x in ratios]


def exact_sign(rows):
    (a, b, c), (d, e, f), (g, h, i) = rows
    value = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return (value > 0) - (value < 0)


def orientations(a, b, c, d):
    """Signs of det(a - d, b - d, c - d) of rows of points [n][3]."""
    m = np.stack([a - d, b - d, c - d], axis=1)
    minors = np.cross(m[:, 1], m[:, 2])
    sizes = (np.abs(m[:, 1][:, [1, 2, 0]] * m[:, 2][:, [2, 0, 1]]) +
             np.abs(m[:, 1][:, [2, 0, 1]] * m[:, 2][:, [1, 2, 0]]))
    value = (m[:, 0] * minors).sum(1)
    sign = np.sign(value).astype(int)
    for i in np.flatnonzero(np.abs(value) <= BOUND * (np.abs(m[:, 0]) * sizes).sum(1)):
        p, q, r, s = integers(a[i], b[i], c[i], d[i])
        sign[i] = exact_sign([[u - v for u, v in zip(x, s)] for x in (p, q, r)])
    return sign


# ---- an edge and a triangle in one plane ----------------------------------------------------------------------------


def turn(a, b, c):
    value = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (value > 0) - (value < 0)


def on_segment(a, b, p):
    return turn(a, b, p) == 0 and all(min(u, v) <= w <= max(u, v) for u, v, w in zip(a, b, p))


def segments_meet(a, b, c, d):
    if turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0:
        return True
    return on_segment(a, b, c) or on_segment(a, b, d) or on_segment(c, d, a) or on_segment(c, d, b)


def normal(corners):
    a, b, c = corners
    u, v = [y - x for x, y in zip(a, b)], [y - x for x, y in zip(a, c)]
    return [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]


def coplanar_meet(edge, triangle):
    """Of exact points in one plane. A triangle without area is its edges."""
    points = integers(*edge, *triangle)
    edge, triangle = points[:2], points[2:]
    n = normal(triangle)
    keep = [k for k in range(3) if k != max(range(3), key=lambda k: abs(n[k]))]
    if not any(n):  # project along an axis that does not flatten the edge and the triangle to one line, if there is one
        return all(flat_meet(edge, triangle, axes) for axes in combinations(range(3), 2))
    return flat_meet(edge, triangle, keep)


def flat_meet(edge, triangle, axes):
    (p, q), (a, b, c) = ([[x[k] for k in axes] for x in points] for points in (edge, triangle))
    if any(segments_meet(p, q, *side) for side in ((a, b), (b, c), (c, a))):
        return True
    turns = {turn(a, b, p), turn(b, c, p), turn(c, a, p)}
    return turns in ({1}, {-1})


def edges_meet(p, q, a, b, c):
    """Of rows of points: the edge p q and the triangle a b c have a common point."""
    above, below = orientations(a, b, c, p), orientations(a, b, c, q)
    meet = np.zeros(len(p), dtype=bool)
    cross = np.flatnonzero((above * below <= 0) & ((above != 0) | (below != 0)))
    sides = np.stack([orientations(p[cross], q[cross], u[cross], v[cross]) for u, v in ((a, b), (b, c), (c, a))])
    meet[cross] = (sides >= 0).all(0) | (sides <= 0).all(0)
    for i in np.flatnonzero((above == 0) & (below == 0)):
        meet[i] = coplanar_meet((p[i], q[i]), (a[i], b[i], c[i]))
    return meet


# ---- frames ---------------------------------------------------------------------------------------------------------


def read(frame):
    """Points [n][3], surface triangles and lines as rows of points' numbers."""
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(frame)
    reader.Update()
    grid = reader.GetOutput()
    if not grid.GetNumberOfCells() or grid.GetPoints().GetDataType() != vtk.VTK_DOUBLE:
        sys.exit(f"{frame}: no cells, or points that are not doubles")
    number = vtk_to_numpy(grid.GetPointData().GetArray("vertex"))
    points = np.zeros((number.max() + 1, 3))
    points[number] = vtk_to_numpy(grid.GetPoints().GetData())
    offset = vtk_to_numpy(grid.GetCells().GetOffsetsArray())
    corner = number[vtk_to_numpy(grid.GetCells().GetConnectivityArray())]
    cells = {kind: [] for kind in (LINE, TRIANGLE, TETRA, QUADRATIC_TETRA)}
    for kind, begin, end in zip(vtk_to_numpy(grid.GetCellTypesArray()), offset[:-1], offset[1:]):
        if kind in cells:
            cells[kind].append(corner[begin:end])
    if cells[QUADRATIC_TETRA]:
        sys.exit(f"{frame}: second-order tetrahedra are not read")
    triangles = surface(cells[TETRA], cells[TRIANGLE])
    lines = np.array(cells[LINE], dtype=int).reshape(-1, 2)
    return points, triangles, lines[~np.isin(lines, triangles).any(1)]


def surface(tets, triangles):
    if not tets:
        return np.array(triangles, dtype=int).reshape(-1, 3)
    faces = np.array(tets)[:, FACES].reshape(-1, 3)
    _, index, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return np.concatenate([faces[index[count == 1]], np.array(triangles, dtype=int).reshape(-1, 3)])


def near_pairs(low, high, other_low, other_high):
    """Numbers of boxes of both lists that overlap or touch."""
    order = np.argsort(other_low[:, 0], kind="stable")
    reach = np.maximum.accumulate(other_high[order, 0])
    first = np.searchsorted(reach, low[:, 0])
    last = np.searchsorted(other_low[order, 0], high[:, 0], side="right")
    counts = np.maximum(last - first, 0)
    found = [np.zeros((2, 0), dtype=int)]
    for at in range(0, len(low), 512):  # 512 at a time, to bound memory
        count = counts[at:at + 512]
        i = at + np.repeat(np.arange(len(count)), count)
        j = order[np.arange(len(i)) + np.repeat(first[at:at + 512] - (np.cumsum(count) - count), count)]
        found.append(np.stack([i, j])[:, ((other_low[j] <= high[i]) & (other_high[j] >= low[i])).all(1)])
    return np.concatenate(found, axis=1)


def boxes(points, rows):
    return points[rows].min(1), points[rows].max(1)


def unique_edges(triangles, lines):
    sides = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]], lines])
    return np.unique(np.sort(sides, axis=1), axis=0)


def intersections(points, triangles, lines):
    """Pairs (edge, triangle) that meet and share no corner."""
    edges = unique_edges(triangles, lines)
    if not len(triangles):
        return []
    e, t = near_pairs(*boxes(points, edges), *boxes(points, triangles))
    apart = (edges[e][:, :, None] != triangles[t][:, None, :]).all((1, 2))
    e, t = e[apart], t[apart]
    corner = [points[x] for x in (edges[e, 0], edges[e, 1], triangles[t, 0], triangles[t, 1], triangles[t, 2])]
    return [(edges[e[i]], triangles[t[i]]) for i in np.flatnonzero(edges_meet(*corner))]


def check(frame):
    points, triangles, lines = read(frame)
    met = intersections(points, triangles, lines)
    print(f"{frame}: {len(triangles)} triangles, {len(lines)} lines, {len(met)} intersections")
    for edge, triangle in met[:3]:
        print(f"  edge {edge.tolist()} meets triangle {triangle.tolist()}")
    return bool(met)


if __name__ == "__main__":
    sys.exit(any([check(frame) for frame in sys.argv[1:]]))
