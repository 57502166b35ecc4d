"""Meshes of mapped boxes: six tetrahedra per cell, sides as surfaces, written as Gmsh 2.2."""
import itertools
import random

SIDES = ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")


# The corners of the edges that have middles, in Gmsh's order.
EDGES = {3: ((0, 1), (1, 2), (2, 0)), 4: ((0, 1), (1, 2), (2, 0), (0, 3), (2, 3), (1, 3))}


class Mesh:
    """
    points: [(x, y, z)] at rest, corners, then of a mesh of second order the middles of edges in wring's order; tets:
    [(a, b, c, d)] of positive volume; sides: {name: [(a, b, c)]}; middle: {(a, b): vertex} of edges a < b.
    """

    def __init__(self, points, tets, sides):
        self.points, self.tets, self.sides, self.middle = points, tets, sides, {}

    def raise_order(self, at=None):
        """To second order; at(a, b): the position of the middle of an edge, by default that between its ends."""
        half = lambda a, b: tuple((p + q) / 2 for p, q in zip(self.points[a], self.points[b]))
        edges = sorted({tuple(sorted((tet[i], tet[j]))) for tet in self.tets for i, j in EDGES[4]})
        self.middle = {edge: len(self.points) + i for i, edge in enumerate(edges)}
        self.points = [*self.points, *((at or half)(*edge) for edge in edges)]

    def nodes(self, corners):
        """Those of a tetrahedron or triangle with these corners."""
        middles = [self.middle[tuple(sorted((corners[i], corners[j])))] for i, j in EDGES[len(corners)] if self.middle]
        return (*corners, *middles)

    def vertices(self, *names):
        """Numbers of the vertices of some sides, sorted."""
        return sorted({v for name in names for triangle in self.sides[name] for v in self.nodes(triangle)})

    def write(self, path):
        """As Gmsh 2.2; the region is "body"."""
        tet, triangle = (11, 9) if self.middle else (4, 2)
        cells = [(tet, 1, self.nodes(cell)) for cell in self.tets]
        cells += [(triangle, i + 2, self.nodes(cell)) for i, side in enumerate(self.sides.values()) for cell in side]
        write_gmsh(path, self.points, [(3, "body"), *((2, name) for name in self.sides)], cells)


def write_gmsh(path, points, names, cells):
    """Gmsh 2.2 as text. names: [(dimension, name)], whose tags count from 1; cells: [(type, tag, nodes)]."""
    with open(path, "w", encoding="utf-8") as out:
        out.write(f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n{len(names)}\n")
        out.writelines(f'{dimension} {i + 1} "{name}"\n' for i, (dimension, name) in enumerate(names))
        out.write(f"$EndPhysicalNames\n$Nodes\n{len(points)}\n")
        out.writelines(f"{i + 1} {x!r} {y!r} {z!r}\n" for i, (x, y, z) in enumerate(points))
        out.write(f"$EndNodes\n$Elements\n{len(cells)}\n")
        for i, (kind, tag, nodes) in enumerate(cells):
            out.write(f"{i + 1} {kind} 2 {tag} {tag} " + " ".join(str(v + 1) for v in nodes) + "\n")
        out.write("$EndElements\n")


def box(cells, size=(1.0, 1.0, 1.0), origin=(0.0, 0.0, 0.0), jitter=0.0, mapping=None):
    """
    A box of (nx, ny, nz) cells. jitter moves each free coordinate of a vertex by up to half of this part of a cell,
    always in the same way; mapping(x, y, z) of the points comes last, and must keep the orientation.
    """
    number = lambda i, j, k: (k * (cells[1] + 1) + j) * (cells[0] + 1) + i
    rng, points = random.Random(13), []
    for k, j, i in itertools.product(*(range(n + 1) for n in reversed(cells))):
        at = []
        for index, n, length, start in zip((i, j, k), cells, size, origin):
            move = jitter * (rng.random() - 0.5)
            at.append(start + length * (index + (move if 0 < index < n else 0)) / n)
        points.append(mapping(*at) if mapping else tuple(at))
    tets, sides = [], {name: [] for name in SIDES}
    for k, j, i in itertools.product(*(range(n) for n in reversed(cells))):
        for order in itertools.permutations(range(3)):
            corner, path = [i, j, k], [(i, j, k)]
            for axis in order:
                corner[axis] += 1
                path.append(tuple(corner))
            odd = order in ((0, 2, 1), (1, 0, 2), (2, 1, 0))
            path = [path[0], path[2], path[1], path[3]] if odd else path
            tets.append(tuple(number(*c) for c in path))
            for triangle in itertools.combinations(path, 3):
                for name, axis, at in zip(SIDES, (0, 0, 1, 1, 2, 2), (0, cells[0], 0, cells[1], 0, cells[2])):
                    if all(c[axis] == at for c in triangle):
                        sides[name].append(tuple(number(*c) for c in triangle))
    return Mesh(points, tets, sides)


def area(a, b, c):
    """Of the triangle between three points."""
    u, v = ([q - p for p, q in zip(a, other)] for other in (b, c))
    normal = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    return sum(x * x for x in normal) ** 0.5 / 2


def table(path, rows):
    """vertex,x,y,z of {vertex: (x, y, z)}."""
    with open(path, "w", encoding="utf-8") as out:
        out.write("vertex,x,y,z\n")
        out.writelines(f"{v},{x!r},{y!r},{z!r}\n" for v, (x, y, z) in sorted(rows.items()))
    return path


def join(parts):
    """
    One mesh of several, [(mesh, {side: its name in the whole})], whose equal points (to 1e-9) become one vertex. Sides
    that are not named are inside, or free.
    """
    number, points, tets, sides = {}, [], [], {}
    for mesh, names in parts:
        local = []
        for point in mesh.points:
            key = tuple(round(c * 1e9) for c in point)
            if key not in number:
                number[key] = len(points)
                points.append(point)
            local.append(number[key])
        tets += [tuple(local[v] for v in tet) for tet in mesh.tets]
        for side, name in names.items():
            sides.setdefault(name, []).extend(tuple(local[v] for v in triangle) for triangle in mesh.sides[side])
    return Mesh(points, tets, sides)
