"""
Iterations of solvers on Cook's membrane of inputs/verification, both faces held, from nu = 0.3 to 0.4999, for each
element: two load steps to 1e-8. Counts, on one rank: nothing is timed. docs/theory.md 3.12.
"""
from verify.benchmarks import BOTH, ELEMENTS, membrane
from verify.case import Bench

RATIOS = (0.3, 0.49, 0.499, 0.4999)
SOLVERS = ("newton", "trust_region", "auto", "qn")
MOST = 1000  # iterations of a step
ENDS = {"converged": "", "at round-off": "*", "max_it": "!"}


def iterations(bench, element, solver, ratio):
    """Of both load steps; *: ended at round-off of g, !: at the limit of iterations."""
    keys = {"solver_type": solver, "solver_rtol": 1e-8, "solver_max_it": MOST, "solver_accept": True}
    name, cells = f"{solver}-{element}-{ratio}", ELEMENTS[element][-1]
    done = membrane(bench, name, BOTH, element, cells, ratio, keys)
    return " + ".join(row["iterations"] + ENDS[row["reason"]] for row in done.steps)


def table(_):
    bench = Bench("elements", 1, False)
    line = lambda element, solver: [element, solver, *(iterations(bench, element, solver, r) for r in RATIOS)]
    lines = [line(element, solver) for solver in SOLVERS for element in ELEMENTS]
    return 2, ["element", "solver", *(f"nu = {ratio}" for ratio in RATIOS)], lines
