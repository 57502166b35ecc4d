"""
Meshes of the suite: a bar and a slender rod, of box cells, by Gmsh, and with slivers, with a soft and a hard region.
The meshes of Gmsh are in inputs/suite; the others are made here. Larger sizes are refinements by wring.
"""
import array
import functools
import mmap
import os
import struct

import program
from program import Failure
from suite.design import Random
from verify import meshes

INPUTS = "inputs/suite"
EDGE = 1 / 32  # m, of a cell of the unrefined boxes
CELLS = {"bar": (32, 8, 8), "rod": (128, 4, 4)}
JITTER = {"box": 0.05, "slivers": 0.3}
CORE = ((0.1, 0.45), (0.55, 0.9))  # parts of the length that have a hard core, half as wide as the body
SLIVER_SHARE, SLIVER_VOLUME = 0.2, 0.03  # of inner vertices that move; least volume that this leaves of a tetrahedron


def size(body):
    """Lengths in m."""
    return tuple(EDGE * n for n in CELLS[body])


# ---- points and tetrahedra -------------------------------------------------------------------------------------------


def volume(points, tet):
    """Six times it."""
    a, b, c, d = (points[v] for v in tet)
    e, f, g = ([q[i] - a[i] for i in range(3)] for q in (b, c, d))
    return e[0] * (f[1] * g[2] - f[2] * g[1]) + e[1] * (f[2] * g[0] - f[0] * g[2]) + e[2] * (f[0] * g[1] - f[1] * g[0])


def around(points, tets):
    """Numbers of the tetrahedra of each vertex."""
    found = [[] for _ in points]
    for number, tet in enumerate(tets):
        for vertex in tet:
            found[vertex].append(number)
    return found


def is_inside(point, body):
    return all(1e-9 < x < length - 1e-9 for x, length in zip(point, size(body)))


def flatten(points, tets, body):
    """
    Moves a share of the inner vertices towards the opposite face of one of their tetrahedra, so far that no tetrahedron
    loses more than nearly all of its volume.
    """
    random, near = Random(7), around(points, tets)
    rest = [volume(points, tet) for tet in tets]
    for vertex, old in enumerate(points):
        if not is_inside(old, body) or random.uniform() > SLIVER_SHARE:
            continue
        chosen = tets[near[vertex][random.below(len(near[vertex]))]]
        middle = [sum(points[v][i] for v in chosen if v != vertex) / 3 for i in range(3)]
        for step in (0.95, 0.8, 0.6, 0.4):
            points[vertex] = tuple(x + step * (m - x) for x, m in zip(old, middle))
            if all(volume(points, tets[t]) > SLIVER_VOLUME * rest[t] for t in near[vertex]):
                break
            points[vertex] = old


def read_gmsh(path):
    """Points and tetrahedra of a file of Gmsh 2.2."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    at = lines.index("$Nodes") + 1
    points = [tuple(map(float, line.split()[1:])) for line in lines[at + 1 : at + 1 + int(lines[at])]]
    at = lines.index("$Elements") + 1
    cells = (list(map(int, line.split())) for line in lines[at + 1 : at + 1 + int(lines[at])])
    return points, [tuple(v - 1 for v in cell[-4:]) for cell in cells if cell[1] == 4]


def make(body, kind, coarse):
    """Points and tetrahedra of a body by its kind of mesh; coarse: with edges twice as long."""
    if kind == "gmsh":
        return read_gmsh(f"{INPUTS}/{body}{'_coarse' if coarse else ''}.msh")
    box = meshes.box([n // (2 if coarse else 1) for n in CELLS[body]], size(body), jitter=JITTER[kind])
    if kind == "slivers":
        flatten(box.points, box.tets, body)
    return box.points, box.tets


# ---- files -----------------------------------------------------------------------------------------------------------


def is_hard(points, tet, body):
    """Whether the centre of a tetrahedron lies in the core."""
    at = [sum(points[v][i] for v in tet) / 4 / length for i, length in enumerate(size(body))]
    return any(a < at[0] < b for a, b in CORE) and all(abs(x - 0.5) < 0.25 for x in at[1:])


def is_near_core(point, body):
    """Whether a point lies in the core or within an edge of it."""
    t = point[0] / size(body)[0]
    margin = EDGE / size(body)[0]
    beside = all(abs(x / length - 0.5) < 0.25 + EDGE / length for x, length in zip(point[1:], size(body)[1:]))
    return beside and any(a - margin < t < b + margin for a, b in CORE)


def write(path, points, tets, body):
    """With the regions soft and hard."""
    cells = [(4, 2 if is_hard(points, tet, body) else 1, tet) for tet in tets]
    meshes.write_gmsh(path, points, [(3, "soft"), (3, "hard")], cells)


def read_refined(path, with_tets):
    """Points and, if wanted, tetrahedra of a binary file of Gmsh 4.1, as `wring mesh refine -binary` writes it."""
    points, tets = [], []
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(b"$Nodes\n") + len(b"$Nodes\n")
        blocks, at = struct.unpack_from("=Q", data, at)[0], at + 32
        for _ in range(blocks):
            (n,) = struct.unpack_from("=Q", data, at + 12)
            x = array.array("d", data[at + 20 + 8 * n : at + 20 + 32 * n])
            points += zip(x[0::3], x[1::3], x[2::3])
            at += 20 + 32 * n
        if not with_tets:
            return points, None
        at = data.find(b"$Elements\n", at) + len(b"$Elements\n")
        blocks, at = struct.unpack_from("=Q", data, at)[0], at + 32
        for _ in range(blocks):
            kind, n = struct.unpack_from("=iQ", data, at + 8)
            if kind != 4:
                raise Failure(f"{path} has elements of type {kind}, expected 4")
            cells = array.array("Q", data[at + 20 : at + 20 + 40 * n])
            tets += zip(*([v - 1 for v in cells[k::5]] for k in range(1, 5)))
            at += 20 + 40 * n
    return points, tets


def with_middles(points, tets):
    """Points, then the middles of all edges in the order of wring's second order."""
    mesh = meshes.Mesh(points, tets, {})
    mesh.raise_order()
    return mesh.points


@functools.lru_cache(maxsize=4)
def prepare(folder, body, kind, refinements, coarse, with_tets):
    """Writes the mesh of a body, unless it is there. Gives its path, and points and, if wanted, tetrahedra refined."""
    name = os.path.join(folder, f"{body}_{kind}{'_coarse' if coarse else ''}")
    path = f"{name}.msh"
    points, tets = make(body, kind, coarse)
    if not os.path.exists(path):
        write(path + ".part", points, tets, body)
        os.rename(path + ".part", path)
    if not refinements:
        return path, points, tets
    fine = f"{name}_{refinements}.msh"
    if not os.path.exists(fine):
        if program.call("mesh", "refine", path, fine + ".part.msh", "-levels", str(refinements), "-binary", "true"):
            raise Failure(f"{path} cannot be refined")
        os.rename(fine + ".part.msh", fine)
    return (path, *read_refined(fine, with_tets))
