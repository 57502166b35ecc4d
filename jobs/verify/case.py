"""What a case of verification is: rows of numbers, runs that give them, and the verdict."""
import math
import os
from dataclasses import dataclass

import outputs
import program

INPUTS = "inputs/verification"
OUT = os.environ.get("VERIFY_OUT", "out/verify")  # of all runs and their numbers
RANKS = (1, 2, 4)
SAME = 1e-9  # numbers of 1, 2 and 4 ranks agree to this part of the row's scale
ROUND_OFF = 1e-8  # relative difference of an identity
ORDER = 0.1  # difference of an observed order from the expected one
LIMIT = 0.02  # relative uncertainty up to which a limit decides
ROUNDED = 2e-3  # relative, of a value of three digits, and of a theory's model
NEAR, SAFE, UNSAFE = 0.1, 1.25, 3.0  # of an observed order to that of theory; factors of safety with and without
LEAST = 0.5  # order that is assumed where none is observed


@dataclass
class Row:
    """
    A quantity; `ours` are numbers by level, differences are relative to scale, |exact| if it is 0. kinds:
      identity  one number, which equals `exact`
      order     errors, which fall with `order`
      limit     values, which tend to `exact`; the order of theory is `order`, 2 if it is 0
      bound     one number, at most `exact`
      shown     values near `exact`, without a claim, for the `reason`
      listed    values without an exact one, for the `reason`
    """

    quantity: str
    kind: str
    ours: list
    exact: float = 0.0
    source: str = ""
    order: float = 0.0
    scale: float = 0.0
    unit: str = ""
    reason: str = ""
    ratio: float = 2.0  # of the sizes of consecutive levels

    def size(self):
        return self.scale or abs(self.exact) or (abs(self.ours[-1]) if self.kind == "listed" else 0) or 1.0

    def observed(self):
        """The order of the finest pair of errors; from three values for a limit. NaN where it is not defined."""
        if len(self.ours) < (2 if self.kind == "order" else 3):
            return math.nan
        if self.kind == "order":
            a, b = self.ours[-2:]
        else:
            a, b = (self.ours[-1 - i] - self.ours[-2 - i] for i in (1, 0))
        return math.log(a / b, self.ratio) if b and a / b > 0 else math.nan

    def uncertainty(self):
        """
        Of the finest value of a limit, relative: the grid convergence index of Roache [1998] with the factors of
        Oberkampf and Roy [2010, chapter 8], where an observed order is not that of theory.
        """
        (a, b), (order, near) = self.ours[-2:], self.taken()
        return (SAFE if near else UNSAFE) * abs(b - a) / (self.ratio**order - 1) / self.size()

    def taken(self):
        """The order by which a limit is extrapolated, and whether it is that of theory."""
        theory, observed = self.order or 2, self.observed()
        if abs(observed - theory) <= NEAR * theory:
            return theory, True
        return LEAST if math.isnan(observed) else min(max(observed, LEAST), theory), False

    def extrapolated(self):
        """Richardson's value of a limit."""
        a, b = self.ours[-2:]
        return b + (b - a) / (self.ratio ** self.taken()[0] - 1)

    def decides(self):
        """Whether the finest value of a limit is certain enough for a verdict."""
        return self.kind != "limit" or self.uncertainty() <= LIMIT

    def difference(self):
        """Of the finest level from the exact value, relative; of an order from the expected one."""
        if self.kind == "order":
            return self.observed() - self.order
        return (self.ours[-1] - self.exact) / (self.exact or self.size())

    def met(self):
        if self.kind == "identity":
            return abs(self.difference()) <= ROUND_OFF
        if self.kind == "bound":
            return self.ours[0] <= self.exact
        if self.kind == "order":
            return abs(self.observed() - self.order) <= ORDER
        return abs(self.ours[-1] - self.exact) <= (self.uncertainty() + ROUNDED) * self.size()


@dataclass
class Result:
    """Rows of a case on the first number of ranks, and the largest difference on the others."""

    rows: list
    spread: float = 0.0
    ranks: tuple = RANKS


class Bench:
    """Runs of one case on a number of ranks, in a folder of their own."""

    def __init__(self, name, ranks, quick):
        self.name, self.ranks, self.quick = name, ranks, quick
        self.folder = os.path.join(OUT, name, f"{ranks}")
        os.makedirs(self.folder, exist_ok=True)

    def file(self, name):
        """An absolute path, since decks read tables relative to themselves."""
        return os.path.abspath(os.path.join(self.folder, name))

    def run(self, deck, name, options=None, ends=()):
        """Runs a deck of inputs/verification; every step must have converged, or have one of the ends. Gives a Run."""
        folder = os.path.join(self.folder, name)
        how = {"output_every": 0, "output_state_csv": "true", **(options or {})}
        program.run("run", f"{INPUTS}/{deck}.yaml", folder, how, ranks=self.ranks)
        run = Run(folder)
        bad = {row["reason"] for row in run.steps} - {"converged", "at round-off", *ends}
        if bad:
            raise program.Failure(f"{folder}: steps ended by {', '.join(sorted(bad))}")
        return run


class Run:
    """steps.csv and probes.csv by column, state.csv by vertex."""

    def __init__(self, folder):
        self.folder = folder
        self.steps = outputs.rows(folder, "steps.csv")

    def last(self, column, name="steps.csv"):
        return self.column(column, name)[-1]

    def column(self, column, name="steps.csv"):
        return [float(row[column]) for row in outputs.rows(self.folder, name)]

    def probe(self, column):
        return self.last(column, "probes.csv")

    def positions(self):
        """[(x, y, z)] by vertex."""
        return [tuple(float(row[c]) for c in "xyz") for row in outputs.rows(self.folder, "state.csv")]


def measure(name, function, ranks, quick):
    """A case on each number of ranks: rows of the first, and how far the others are away; they may have fewer rows."""
    found = [function(Bench(name, n, quick)) for n in ranks]
    away = [0.0]
    for rows in found[1:]:
        for one, other in zip(found[0], rows):
            away += [abs(a - b) / one.size() for a, b in zip(one.ours, other.ours)]
    return Result(found[0], math.inf if any(map(math.isnan, away)) else max(away), tuple(ranks))


def verdict(row, result):
    """One phrase: what the rule says of a row."""
    if result.spread > SAME:
        return f"not met: ranks differ by {result.spread:.1e}"
    if row.kind in ("shown", "listed"):
        return row.reason
    why = f": {row.reason}" if row.reason else ""
    if not row.met():
        return f"not met{why}"
    return "met" if row.decides() else f"not decided{why}"
