"""python3 jobs inputs [-o FOLDER]: writes tables of inputs/materials, lattices and meshes of inputs/meshes.

The materials are neo-Hookean of Young's modulus 1e5 Pa and Poisson's ratio 0.3, which resist compression more (a'(s) =
mu s - 10 mu (1 - s)^2 for s < 1) or tension more (mu s + 10 mu (s - 1)^2 for s > 1), as in [Liu, Bouaziz, Kavan 2017,
figure 6]; c'(J) = (lambda log J - mu)/J. A lattice has unit masses 1 m apart, joined along edges and diagonals of
cells; those that attachments hold have 10^6 kg. The meshes are knives, pins, an arch of blocks and a knot.
"""
import math
import os

import program
from program import say
from verify import meshes

YOUNG, POISSON = 1e5, 0.3  # Pa, -
MU, LAMBDA = YOUNG / (2 * (1 + POISSON)), YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
J_VALUES = [
    float(x)
    for x in "0.05 0.075 0.1 0.15 0.2 0.25 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.1 1.2 1.35 1.5 1.75 2 2.5 3 4".split()
]
HEAVY = 1e6  # kg


def spline_table(compression, tension):
    """Lines of a spline material; the arguments are the factors of mu (s - 1)^2 on either side of rest."""
    yield "function,x,value,slope"
    for i in range(13):
        s = i / 4
        e, k = s - 1, MU * (-compression if s < 1 else tension)
        yield f"a,{s:g},{MU * s + k * e * e:.15g},{MU + 2 * k * e:.15g}"
    for j in J_VALUES:
        yield f"c,{j:g},{(LAMBDA * math.log(j) - MU) / j:.15g},{(LAMBDA * (1 - math.log(j)) + MU) / (j * j):.15g}"


class Lattice:
    """nx x ny x nz masses 1 m apart. The side x = 0 is heavy, or only its ends (corners)."""

    def __init__(self, size, stiffness, corners=False):
        self.size, self.stiffness, self.corners = size, stiffness, corners

    def number(self, i, j, k):
        return (k * self.size[1] + j) * self.size[0] + i

    def places(self):
        nx, ny, nz = self.size
        return [(i, j, k) for k in range(nz) for j in range(ny) for i in range(nx)]

    def is_held(self, i, j):
        return i == 0 and (not self.corners or j in (0, self.size[1] - 1))

    def neighbours(self, i, j, k):
        """Of the 13 directions that come after (0, 0, 0), those that stay inside."""
        for c in (0, 1):
            for b in (-1, 0, 1):
                for a in (-1, 0, 1):
                    inside = all(0 <= x < n for x, n in zip((i + a, j + b, k + c), self.size))
                    if 9 * c + 3 * b + a > 0 and inside:
                        yield a, b, c

    def points(self):
        return ["vertex,x,y,z"] + [f"{self.number(*p)},{p[0]:g},{p[1]:g},{p[2]:g}" for p in self.places()]

    def masses(self):
        mass = lambda p: HEAVY if self.is_held(*p[:2]) else 1
        return ["vertex,mass"] + [f"{self.number(*p)},{mass(p):.10g}" for p in self.places()]

    def springs(self):
        row = lambda p, d: (
            f"{self.number(*p)},{self.number(*(x + y for x, y in zip(p, d)))},"
            f"{math.sqrt(d[0] ** 2 + d[1] ** 2 + d[2] ** 2):.17g},{self.stiffness:.10g}"
        )
        return ["a,b,length,stiffness"] + [row(p, d) for p in self.places() for d in self.neighbours(*p)]


def tables():
    """{path: lines}"""
    result = {
        "materials/stiff_in_compression.csv": spline_table(10, 0),
        "materials/stiff_in_tension.csv": spline_table(0, 10),
    }
    for name, lattice in (("truss", Lattice((9, 2, 2), 1e5)), ("cloth", Lattice((11, 11, 1), 1e5, corners=True))):
        for part in ("points", "masses", "springs"):
            result[f"meshes/{name}_{part}.csv"] = getattr(lattice, part)()
    return result


# ---- meshes of scenes of contact ------------------------------------------------------------------------------------


def knives(path):
    """Nine triangles 0.1 m apart, which stand upright and point upwards from either side in turn."""
    points = []
    for i in range(9):
        x, side = 0.1 * (i - 4), 1 if i % 2 else -1
        points += [(x, 0.6 * side, -0.5), (x, 0.0, -0.5), (x, 0.1 * side, 0.0)]
    cells = [(2, 1, (3 * i, 3 * i + 1, 3 * i + 2)) for i in range(9)]
    meshes.write_gmsh(path, points, [(2, "knives")], cells)


def pins(path):
    """9 x 9 upright lines 0.4 m apart."""
    places = [(0.4 * (i - 4), 0.4 * (j - 4)) for j in range(9) for i in range(9)]
    points = [(x, y, z) for x, y in places for z in (-0.8, 0.0)]
    cells = [(1, 1, (2 * i, 2 * i + 1)) for i in range(len(places))]
    meshes.write_gmsh(path, points, [(1, "pins")], cells)


def arch(path, blocks=25, radius=8.0, width=4.0, thick=2.0, apart=2e-5):
    """A half circle of blocks, and two blocks on which they stand; their faces are a little apart."""
    points, cells, each = [], [], math.pi / blocks

    def add(tag, mapping):
        block, first = meshes.box((1, 1, 1), mapping=mapping), len(points)
        points.extend(block.points)
        cells.extend((4, tag, tuple(first + v for v in tet)) for tet in block.tets)

    def wedge(a, b, c):
        """At the angle a from the right, beyond the middle of the wall by b, along the arch by c."""
        at = radius + thick * (b - 0.5)
        return at * math.cos(a), width * (c - 0.5), at * math.sin(a)

    for i in range(blocks):
        add(1, lambda a, b, c, i=i: wedge((i + 1 - a) * each + (a - 0.5) * apart / radius, b, 1 - c))
    for x in (-radius, radius):
        box = lambda a, b, c, x=x: (x + 1.5 * thick * (a - 0.5), 1.5 * width * (b - 0.5), thick * (c - 1) - apart)
        add(2, box)
    meshes.write_gmsh(path, points, [(3, "blocks"), (3, "feet")], cells)


def knot(path, cells=(110, 2, 2), end=2.1, width=0.02, fine=20):
    """
    A rod of square section along the overhand knot (t^3 - 3 t, t^4 - 4 t^2, 1.3 (t^5/5 - 2 t)) of -end < t < end, 10 cm
    each; its sections do not turn about its axis.
    """
    add = lambda p, q, f=1.0: tuple(a + f * b for a, b in zip(p, q))
    dot = lambda p, q: sum(a * b for a, b in zip(p, q))
    unit = lambda p: tuple(a / math.sqrt(dot(p, p)) for a in p)
    cross = lambda p, q: (p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0])

    def curve(t):
        return tuple(0.1 * c for c in (t**3 - 3 * t, t**4 - 4 * t * t, 1.3 * (t**5 / 5 - 2 * t)))

    count = fine * cells[0]
    line = [curve(end * (2 * i / count - 1)) for i in range(count + 1)]
    lengths = [0.0]
    for p, q in zip(line, line[1:]):
        lengths.append(lengths[-1] + math.dist(p, q))
    frames, first, at = [], (1.0, 0.0, 0.0), 0
    for i, p in enumerate(line):
        along = unit(add(line[min(i + 1, count)], line[max(i - 1, 0)], -1.0))
        first = unit(add(first, along, -dot(first, along)))
        if at <= cells[0] and lengths[i] >= lengths[-1] * at / cells[0] * (1 - 1e-9):
            frames.append((p, first, cross(along, first)))
            at += 1

    def mapping(s, u, v):
        p, first, second = frames[round(s * cells[0])]
        return tuple(round(c, 6) for c in add(add(p, first, width * (u - 0.5)), second, width * (v - 0.5)))

    meshes.join([(meshes.box(cells, mapping=mapping), {"xmin": "begin", "xmax": "end"})]).write(path)


MESHES = {"knives": knives, "pins": pins, "arch": arch, "knot": knot}


def main(arguments):
    parser = program.parser("inputs", __doc__)
    parser.add_argument("-o", metavar="FOLDER", default="inputs", help="where to write, instead of inputs")
    folder = parser.parse_args(arguments).o
    for path, lines in tables().items():
        target = os.path.join(folder, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        say(target)
    for name, write in MESHES.items():
        target = os.path.join(folder, f"meshes/{name}.msh")
        write(target)
        say(target)
    return 0
