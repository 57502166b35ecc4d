"""
The design of the suite: problems as combinations of levels of six factors, a fraction of all of them.

A table is nearly orthogonal: each level of a factor has its share of the rows, and each pair of levels of two factors
the product of their shares, as far as whole numbers allow. It is found by exchanges: the level of a factor in a row is
replaced, or swapped between two rows, while that lowers the sum over all single levels and pairs of the squared
difference of their count from the share, the best of many starts by a generator that is the same on every machine.
"""
import itertools
import math
from dataclasses import dataclass

FACTORS = {
    "motion": ("twist", "stretch", "compression", "buckling", "shake", "fall", "random"),
    "material": ("stable_neohookean", "neohookean", "corotated", "strain"),
    "stiffness": (*(10**k for k in range(8)), math.inf),  # h^2 E/(rho dx^2); infinite: statics
    "poisson": (0.3, 0.45, 0.49, 0.4995),
    "contrast": (1, 1000, 1000000),
    "mesh": ("box", "gmsh", "slivers"),
    "element": ("linear", "mean", "quadratic"),  # mean: linear, with mean volumes
    "start": ("far", "moving"),
}
SHARES = {  # of the levels; alike where not named
    "material": (0.35, 0.2, 0.15, 0.3),
    "element": (0.6, 0.2, 0.2),
    "start": (0.7, 0.3),
}
APART = (  # levels that do not go together
    ({"stiffness": (math.inf,)}, {"motion": ("fall", "random"), "start": ("moving",)}),  # a free body; no motion
    ({"element": ("mean",)}, {"material": ("corotated", "strain")}),  # they have no term in the volume alone
    ({"element": ("linear",)}, {"poisson": (0.4995,)}),  # it locks
)
SINGLE = 4  # weight of a single level against a pair
BARRED = 1000  # of two levels that do not go together
SIZES = {"1e4": 0, "1e5": 1, "1e6": 2, "1e7": 3}  # refinements of a mesh of about 12,000 tetrahedra
SETS = {"small": {"1e4": 20}, "medium": {"1e4": 60, "1e5": 30}, "large": {"1e6": 12, "1e7": 12}}
SEEDS = {"1e4": 1, "1e5": 2, "1e6": 3, "1e7": 4}
STARTS = 20


@dataclass(frozen=True)
class Problem:
    """A row of the table. stiffness is that of the geometric mean of Young's moduli of the two regions."""

    name: str
    size: str
    motion: str
    material: str
    stiffness: float
    poisson: float
    contrast: float
    mesh: str
    element: str
    start: str
    deck, budget, keys = None, None, {}  # as of one's own problems and those with contact; not in the table

    def refinements(self):
        return SIZES[self.size]

    def level(self, factor):
        """Of a factor; None where the problem has none: strain has no Poisson's ratio."""
        return None if factor == "poisson" and self.material == "strain" else getattr(self, factor)


class Random:
    """The generator of Park and Miller: the same numbers on every machine."""

    def __init__(self, seed):
        self.state = 1 + 1000 * seed
        for _ in range(10):
            self.below(2)

    def uniform(self):
        self.state = 48271 * self.state % 2147483647
        return self.state / 2147483647

    def below(self, n):
        return min(int(n * self.uniform()), n - 1)


def shares(factor):
    return SHARES.get(factor) or (1 / len(FACTORS[factor]),) * len(FACTORS[factor])


def barred():
    """Pairs of levels that do not go together, {(factor, level, factor, level)} by numbers, the first factor first."""
    names, found = list(FACTORS), set()
    number = lambda factor, level: (names.index(factor), FACTORS[factor].index(level))
    for one, others in APART:
        for (factor, levels), (other, against) in itertools.product(one.items(), others.items()):
            for a, b in itertools.product(levels, against):
                first, second = sorted((number(factor, a), number(other, b)))
                found.add((*first, *second))
    return found


class Table:
    """Rows of numbers of levels, the counts of levels and pairs, and the sum of squares that exchanges lower."""

    def __init__(self, rows):
        self.rows = rows
        self.factors = list(FACTORS)
        self.pairs = list(itertools.combinations(range(len(self.factors)), 2))
        self.share = [shares(factor) for factor in self.factors]
        self.barred = barred()
        self.single = [[0] * len(share) for share in self.share]
        self.pair = {(a, b): [[0] * len(self.share[b]) for _ in self.share[a]] for a, b in self.pairs}
        for row in rows:
            self.count(row, 1)

    def count(self, row, sign):
        for a, level in enumerate(row):
            self.single[a][level] += sign
        for a, b in self.pairs:
            self.pair[a, b][row[a]][row[b]] += sign

    def cost(self):
        n, total = len(self.rows), 0.0
        total += BARRED * sum(self.pair[a, b][i][j] for a, i, b, j in self.barred)
        for share, counts in zip(self.share, self.single):
            total += SINGLE * sum((c - n * s) ** 2 for s, c in zip(share, counts))
        for a, b in self.pairs:
            for s, line in zip(self.share[a], self.pair[a, b]):
                total += sum((c - n * s * t) ** 2 for t, c in zip(self.share[b], line))
        return total

    def change(self, number, factor, level):
        """The rise of the cost when a row gets another level; the table is as before."""
        row, n, old = self.rows[number], len(self.rows), self.rows[number][factor]
        rise = lambda count, expected, step: 2 * step * (count - expected) + 1
        total = SINGLE * rise(self.single[factor][old], n * self.share[factor][old], -1)
        total += SINGLE * rise(self.single[factor][level], n * self.share[factor][level], 1)
        for other in range(len(row)):
            if other == factor:
                continue
            for at, step in ((old, -1), (level, 1)):
                a, b = min(factor, other), max(factor, other)
                i, j = (at, row[other]) if factor < other else (row[other], at)
                total += rise(self.pair[a, b][i][j], n * self.share[a][i] * self.share[b][j], step)
                total += step * BARRED * ((a, i, b, j) in self.barred)
        return total

    def set(self, number, factor, level):
        self.count(self.rows[number], -1)
        self.rows[number][factor] = level
        self.count(self.rows[number], 1)

    def improve(self, first):
        """Exchanges in rows from `first` on, until none lowers the cost."""
        better = True
        while better:
            better = False
            for number, factor in itertools.product(range(first, len(self.rows)), range(len(self.factors))):
                levels = [k for k in range(len(self.share[factor])) if k != self.rows[number][factor]]
                rises = [(self.change(number, factor, level), level) for level in levels]
                if min(rises)[0] < -1e-9:
                    self.set(number, factor, min(rises)[1])
                    better = True
                better = self.swap(number, factor, first) or better
        return self.cost()

    def swap(self, number, factor, first):
        """Gives a row the level of another one and the other way round, if that lowers the cost."""
        for other in range(first, number):
            mine, yours = self.rows[number][factor], self.rows[other][factor]
            if mine == yours:
                continue
            rise = self.change(number, factor, yours)
            self.set(number, factor, yours)
            rise += self.change(other, factor, mine)
            if rise < -1e-9:
                self.set(other, factor, mine)
                return True
            self.set(number, factor, mine)
        return False


def extend(fixed, n, seed):
    """Rows that begin with those given, up to n."""
    random, best, least = Random(seed), None, None
    for _ in range(STARTS):
        new = [[random.below(len(shares(factor))) for factor in FACTORS] for _ in range(n - len(fixed))]
        table = Table([list(row) for row in fixed] + new)
        cost = table.improve(len(fixed))
        if least is None or cost < least - 1e-9:
            best, least = table.rows, cost
    return best


def problem(size, number, row, seed):
    levels = {factor: FACTORS[factor][level] for factor, level in zip(FACTORS, row)}
    other = f"seed{seed}_" if seed else ""
    return Problem(f"{other}{size}_{number:02d}_{levels['motion']}", size, **levels)


def rows(size, seed):
    """Those of a size, such that small is the first part of medium and balanced too."""
    counts = sorted({sizes[size] for sizes in SETS.values() if size in sizes})
    found = []
    for n in counts:
        found = extend(found, n, SEEDS[size] + len(SEEDS) * seed)
    return found


def build(sizes=SIZES, seed=0):
    """All problems of some sizes; with another seed than 0 those of another table, which is as balanced."""
    return [problem(size, number + 1, row, seed) for size in sizes for number, row in enumerate(rows(size, seed))]


def take(problems, name):
    """Those of small, medium or large."""
    return [p for size, n in SETS[name].items() for p in [q for q in problems if q.size == size][:n]]
