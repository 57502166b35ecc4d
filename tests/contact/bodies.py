"""Meshes of boxes, rings, wedges and pyramids in MEDIT's format, for scenes of contact."""
import itertools
import math


class Mesh:
    """Vertices, tetrahedra and triangles with tags from 1 on; positions are those at rest and at the start."""

    def __init__(self):
        self.vertices, self.tets, self.triangles = [], [], []

    def add_grid(self, cells, tag, place, periodic=False):
        """
        cells: numbers along i, j, k, Kuhn's six tetrahedra each; place(i, j, k) in [0, 1]^3 returns a position. Of a
        periodic grid the last layer in i is the first one.
        """
        layers = cells[0] if periodic else cells[0] + 1
        first = len(self.vertices)
        number = {}
        for i, j, k in itertools.product(range(layers), range(cells[1] + 1), range(cells[2] + 1)):
            number[i, j, k] = first + len(number)
            self.vertices.append(place(i / cells[0], j / cells[1], k / cells[2]))
        for cell in itertools.product(*map(range, cells)):
            for axes in itertools.permutations(range(3)):
                corner, corners = list(cell), []
                for axis in (None, *axes):
                    if axis is not None:
                        corner[axis] += 1
                    corners.append(number[corner[0] % layers, corner[1], corner[2]])
                if odd(axes):
                    corners[2], corners[3] = corners[3], corners[2]
                self.tets.append((*corners, tag))

    def add_box(self, low, high, cells, tag, move=lambda p: p):
        self.add_grid(cells, tag, lambda *s: move(tuple(a + t * (b - a) for a, b, t in zip(low, high, s))))

    def add_ring(self, radius, width, cells, tag, move=lambda p: p):
        """A ring of square section about the axis z, with cells[0] sections."""

        def place(i, j, k):
            a, r = 2 * math.pi * i, radius + width * (k - 0.5)
            return move((r * math.cos(a), r * math.sin(a), width * (j - 0.5)))

        self.add_grid(cells, tag, place, periodic=True)

    def add_wedge(self, width, height, length, tag, move=lambda p: p):
        """A prism on the plane z = 0 with its ridge along y above it; of length 0: a pyramid."""
        first, x, y = len(self.vertices), width / 2, max(length, width) / 2
        ridge = [(0, -length / 2, height), (0, length / 2, height)][: 2 if length else 1]
        corners = [(-x, -y, 0), (x, -y, 0), (x, y, 0), (-x, y, 0), *ridge]
        self.vertices += [move(tuple(map(float, p))) for p in corners]
        tets = [(0, 1, 2, 4), (0, 2, 3, 4)] + ([(3, 2, 5, 4)] if length else [])
        self.tets += [(*(first + v for v in tet), tag) for tet in tets]

    def add_sheet(self, low, high, cells, tag, move=lambda p: p):
        """Triangles in the plane z = 0, from low to high (x, y), with alternating diagonals."""
        first, rows = len(self.vertices), cells[1] + 1
        for i, j in itertools.product(range(cells[0] + 1), range(rows)):
            s, t = i / cells[0], j / cells[1]
            self.vertices.append(move((low[0] + s * (high[0] - low[0]), low[1] + t * (high[1] - low[1]), 0.0)))
        for i, j in itertools.product(range(cells[0]), range(cells[1])):
            a, b, c, d = (first + (i + p) * rows + j + q for p, q in ((0, 0), (1, 0), (1, 1), (0, 1)))
            self.triangles += [(a, b, c, tag), (a, c, d, tag)] if (i + j) % 2 else [(a, b, d, tag), (b, c, d, tag)]

    def write(self, path):
        with open(path, "w", encoding="utf-8") as f:
            print("MeshVersionFormatted 2\nDimension 3\nVertices", len(self.vertices), sep="\n", file=f)
            print(*("%.17g %.17g %.17g 0" % v for v in self.vertices), sep="\n", file=f)
            for name, rows in (("Triangles", self.triangles), ("Tetrahedra", self.tets)):
                if rows:
                    print(name, len(rows), sep="\n", file=f)
                    print(*(" ".join(str(v + 1) for v in row[:-1]) + f" {row[-1]}" for row in rows), sep="\n", file=f)
            print("End", file=f)


def odd(axes):
    return sum(axes[i] > axes[j] for i in range(3) for j in range(i + 1, 3)) % 2


def shift(x, y, z):
    return lambda p: (p[0] + x, p[1] + y, p[2] + z)


def turn(axes, degrees, then=lambda p: p):
    """A rotation from the first of two axes to the second one, before `then`."""
    a, b = axes
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

    def move(p):
        q = list(p)
        q[a], q[b] = c * p[a] - s * p[b], s * p[a] + c * p[b]
        return then(tuple(q))

    return move
