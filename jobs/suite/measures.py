"""
Numbers of the suite: for each entrant of each problem what it took to a relative error, in iterations, work and
seconds, and why it failed.
"""
import json
import math
import os
from dataclasses import dataclass

import outputs
from suite import entrants, runs

TARGETS = (1e-3, 1e-6)
STEPS = 100  # of a simulation
WEIGHTS = os.path.join(os.path.dirname(__file__), "weights.json")
ENDS = ("converged", "max_it", "at round-off", "converged to target", "budget")  # others are failures, as they say
STALL = 0.99  # an entrant has stalled if its error falls by less than this factor in the last half of its time
FLAT = 1e-6  # |grad g|/|grad g(x_0)| of an entrant that has found a minimum


@dataclass
class Result:
    """One entrant of one problem. rows have floats, with the error relative to g* of the problem."""

    problem: object
    entrant: str
    ended: str
    repeats: list  # s of each solve
    rows: list
    commit: str = ""  # of the program

    def first(self, target):
        """The first row with this error or less, None where there is none."""
        return next((row for row in self.rows if row["error"] <= target), None)

    def work(self, target):
        row = self.first(target)
        return math.inf if row is None else row["work"]

    def seconds(self, target, setup=True):
        row = self.first(target)
        return math.inf if row is None else row["seconds"] + (row["setup_seconds"] if setup else 0.0)

    def setup(self, target):
        """s of set-up until then, which may include a Hessian that auto has built on the way."""
        row = self.first(target)
        return math.inf if row is None else row["setup_seconds"]

    def simulation(self, target):
        """s of a simulation of many steps such as this one, with set-up once."""
        return self.setup(target) + STEPS * self.seconds(target, setup=False)

    def iterations(self, target):
        row = self.first(target)
        return math.inf if row is None else row["iteration"]

    def failure(self, target):
        """Why a target was not reached, "" if it was."""
        if self.first(target):
            return ""
        if self.ended == "left out":
            return "refused"
        if self.ended in ("diverged", "not finite") or not self.rows:
            return "diverged"
        if self.ended == "short of target":  # it met the target of a g* that was not the least
            return "other minimum"
        if self.ended not in ENDS:
            return self.ended
        last = self.rows[-1]
        start = self.rows[0]["gradient_norm"]
        if self.ended != "budget" and last["gradient_norm"] <= FLAT * start:
            return "other minimum"
        return "stalled" if self.ended not in ("budget", "max_it") or self.has_stalled() else "budget"

    def has_stalled(self):
        last = self.rows[-1]
        half = [row["error"] for row in self.rows if row["seconds"] <= last["seconds"] / 2]
        return bool(half) and min(row["error"] for row in self.rows) > STALL * min(half)


# ---- work ------------------------------------------------------------------------------------------------------------


def load_weights():
    """Of each size and element; larger sizes than these have the weights of the largest one."""
    with open(WEIGHTS, encoding="utf-8") as file:
        return json.load(file)


def matrix_of(kind, counts):
    """
    Which matrix a type factorises: H, 3n x 3n, or A, n x n for three right-hand sides. auto, which may use both, counts
    as H where it has assembled any.
    """
    return "H" if kind in entrants.NEWTON or (kind == "auto" and counts["hessians"] > 0) else "A"


def passes(kind, counts, weights):
    """Passes over the elements. Those that give forces without g are projections, proximal steps or sweeps."""
    local = max(counts["gradients"] - counts["evaluations"], 0)
    return counts["evaluations"] + weights["local"].get(kind, 1) * local


def work_of(entrant, counts, weights):
    """
    In units of one pass over the elements for g and its gradient. A solve by conjugate gradients counts by its
    products. Preconditioned types multiply by H, pncg by elements, and solve with A; sweeps contain their Hessians.
    """
    kind = entrants.type_of(entrant)
    total, matrix = passes(kind, counts, weights), weights[matrix_of(kind, counts)]
    if kind in entrants.SWEEPS:
        return total
    total += matrix["factorisations"] * counts["factorisations"]
    if kind in entrants.PRECONDITIONED:
        h = weights["elements"] if kind == "pncg" else weights["H"]
        total += h["hessians"] * counts["hessians"] + h["products"] * counts["products"]
        return total + matrix["linear_solves"] * counts["linear_solves"]
    total += matrix["hessians"] * counts["hessians"]
    solves = "products" if counts["products"] > 0 else "linear_solves"
    return total + matrix[solves] * counts[solves]


def weights_of(problem, all_weights):
    """Problems of one's own have those of linear tetrahedra."""
    of_size = all_weights.get(problem.size) or all_weights[max(all_weights)]
    return of_size[problem.level("element") or "linear"]


# ---- results ---------------------------------------------------------------------------------------------------------


def read_call(call):
    """compare.json, and {solver: [rows of floats]}."""
    solvers = {}
    for row in outputs.rows(call, "curves.csv"):
        name = row.pop("solver")
        solvers.setdefault(name, []).append({key: outputs.number_of(text) for key, text in row.items()})
    return outputs.load(call, "compare.json"), solvers


def of_problem(out, problem, all_weights):
    """Results of the finished calls of a problem, {entrant: Result}."""
    finished = [read_call(call) for call in runs.calls(out, problem) if runs.has_finished(call)]
    if not finished:
        return {}
    least = min(summary["g_star"] for summary, _ in finished)
    weights, found = weights_of(problem, all_weights), {}
    for summary, solvers in finished:
        span = summary["g_start"] - least
        for name, told in summary["solvers"].items():
            rows = solvers.get(name, [])
            for row in rows:
                row["error"] = (row["objective"] - least) / span if math.isfinite(row["objective"]) else math.inf
                row["work"] = work_of(name, row, weights)
            repeats = [one["seconds"] for one in told.get("repeats", ())]
            found[name] = Result(problem, name, told["ended"], repeats, rows, summary["provenance"]["commit"])
    return found


def read(out, problems):
    """[{entrant: Result}] of the problems that have any."""
    weights = load_weights()
    return [found for found in (of_problem(out, problem, weights) for problem in problems) if found]


def names(results):
    """Entrants in the order of their list."""
    return [name for name in entrants.ENTRANTS if any(name in found for found in results)]


def problem_of(found):
    return next(iter(found.values())).problem


def with_entrant(results, name):
    """The problems in which an entrant takes part; it may refuse some of them."""
    return [found for found in results if name in found]


def ratios(results, name, cost):
    """Cost of an entrant over that of the best one, for each problem; inf where it failed, nothing if all did."""
    found = []
    for problem in with_entrant(results, name):
        best = min(cost(result) for result in problem.values())
        if math.isfinite(best):
            found.append(cost(problem[name]) / best if best > 0 else math.inf)
    return found


def to_other(results, name, other, cost):
    """Cost of an entrant over that of another one, where both solve."""
    pairs = [(cost(found[name]), cost(found[other])) for found in results if name in found and other in found]
    return [mine / its for mine, its in pairs if math.isfinite(mine) and 0 < its < math.inf]


def work_budgets(results):
    """{size: the work that nineteen of twenty runs that ended by their seconds had done}"""
    ended = {}
    for found in results:
        for result in found.values():
            if result.ended == "budget":
                ended.setdefault(result.problem.size, []).append(result.rows[-1]["work"])
    return {size: sorted(works)[len(works) // 20] for size, works in ended.items()}


def works(results, name, target):
    """Work to a target over the budget of work of the size, inf where it was not reached."""
    most = work_budgets(results)
    of = lambda found: found[name].work(target)
    return [of(found) / most.get(problem_of(found).size, 1e300) for found in with_entrant(results, name)]


def share(values, most):
    return sum(value <= most for value in values) / len(values) if values else math.nan


def quartiles(values):
    """Of sorted values, by linear interpolation; NaN of none."""
    values = sorted(values)
    if not values:
        return (math.nan,) * 3
    at = lambda q: q * (len(values) - 1)
    return tuple(between(values[int(at(q))], values[-int(-at(q) // 1)], at(q) % 1) for q in (0.25, 0.5, 0.75))


def between(a, b, part):
    """Linear from a to b; infinite if either is, unless only a counts."""
    return a if part == 0 or a == b else a + part * (b - a)
