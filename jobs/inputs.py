"""python3 jobs inputs [-o FOLDER]: writes tables of inputs/materials and lattices of inputs/meshes.

The materials are neo-Hookean of Young's modulus 1e5 Pa and Poisson's ratio 0.3, which resist compression more (a'(s) =
mu s - 10 mu (1 - s)^2 for s < 1) or tension more (mu s + 10 mu (s - 1)^2 for s > 1), as in [Liu, Bouaziz, Kavan 2017,
figure 6]; c'(J) = (lambda log J - mu)/J. A lattice has unit masses 1 m apart, joined along edges and diagonals of
cells; those that attachments hold have 10^6 kg.
"""
import math
import os

import program
from program import say

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
    return 0
