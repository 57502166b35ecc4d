"""
How accurate the solves of qn with A should be: one step of a twisted box by qn with operator.type multigrid, for one
V-cycle a solve, which is the default, and operator.rtol from 0.5 to 1e-8, and h^2 k/(density dx^2) from 1 to 1e6;
iterations, cycles and seconds to two relative errors. One rank, one thread.
"""
import program
from outputs import rows
from studies.study import make_state

OUT = "out/performance/inner_tolerance"
CYCLE = "cycle"  # no tolerance is given
RTOLS = (CYCLE, "0.5", "0.1", "1e-2", "1e-4")
RATIOS = ("1", "1e2", "1e4", "1e6")
ERRORS = ("1e-4", "1e-8")
YOUNG = 687  # Pa of ratio 1: k = 2.71 E, dx = 1/22 m, h = 1/30 s
HEAD = ("ratio", "error", "rtol", "iterations", "cycles", "seconds")


def solve(ratio, rtol, folder, options=None):
    """The step, into a folder."""
    keys = {"material_young": YOUNG * float(ratio), **({} if rtol == CYCLE else {"operator_rtol": rtol})}
    program.run("run", "inputs/bench/inner_tolerance.yaml", folder, {**keys, **(options or {})}, busy=True)


def reached(ratio, histories, reference):
    """
    Rows of the table: of every rtol the first iteration with an error relative to g(x_0) - g* below each of ERRORS. g*
    is the least g of all histories, that of the reference among them.
    """
    value = lambda row: float(row["objective"])
    least = min(value(row) for history in [reference, *histories.values()] for row in history)
    for error in ERRORS:
        for rtol, history in histories.items():
            bound = float(error) * (value(history[0]) - least)
            row = next((row for row in history if value(row) - least <= bound), None)
            if row:
                yield ratio, error, rtol, row["iteration"], row["linear_iterations"], f"{float(row['seconds']):.3f}"


def measure(ratio):
    solve(ratio, 1e-6, f"{OUT}/{ratio}/reference", {"solver_rtol": 1e-10, "solver_max_it": 300})
    for rtol in RTOLS:
        solve(ratio, rtol, f"{OUT}/{ratio}/{rtol}")


def lines():
    for ratio in RATIOS:
        measure(ratio)
        histories = {rtol: rows(f"{OUT}/{ratio}/{rtol}") for rtol in RTOLS}
        yield from reached(ratio, histories, rows(f"{OUT}/{ratio}/reference"))


def table(_):
    make_state("out/bench/inner_state", "inputs/bench/inner_state.yaml")
    return 3, HEAD, lines()
