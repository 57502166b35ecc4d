"""python3 jobs inner_tolerance [ratio...]: how accurate the solves of qn with A should be.

One step of a twisted box by qn with operator.type multigrid, for one V-cycle a solve, which is the default, and
operator.rtol from 0.5 to 1e-8, and h^2 k/(density dx^2) from 1 to 1e6 (or the ratios given). Writes
out/bench/inner_tolerance/table.csv, and prints iterations/cycles/seconds to two relative errors. One rank;
OMP_NUM_THREADS threads.
"""
import csv
import os

import outputs
import program
import tables
from outputs import rows
from program import say
from studies.study import make_state

OUT = "out/bench/inner_tolerance"
CYCLE = "cycle"  # no tolerance is given
RTOLS = (CYCLE, "0.5", "0.3", "0.2", "1e-1", "1e-2", "1e-3", "1e-4", "1e-8")
RATIOS = ("1", "10", "1e2", "1e3", "1e4", "1e5", "1e6")
ERRORS = ("1e-4", "1e-8")
YOUNG = 687  # Pa of ratio 1: k = 2.71 E, dx = 1/22 m, h = 1/30 s
COLUMNS = ("ratio", "rtol", "error", "iterations", "linear_iterations", "seconds")


def solve(ratio, rtol, folder, options=None):
    """The step, into a folder."""
    keys = {"material_young": YOUNG * float(ratio), **({} if rtol == CYCLE else {"operator_rtol": rtol})}
    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
    deck = "inputs/bench/inner_tolerance.yaml"
    program.run("run", deck, folder, {**keys, **(options or {})}, threads=threads, busy=True)


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
                found = (row["iteration"], row["linear_iterations"], f"{float(row['seconds']):.4f}")
                yield dict(zip(COLUMNS, (ratio, rtol, error, *found)))


def measure(ratio):
    solve(ratio, 1e-6, f"{OUT}/{ratio}/reference", {"solver_rtol": 1e-10, "solver_max_it": 300})
    for rtol in RTOLS:
        solve(ratio, rtol, f"{OUT}/{ratio}/{rtol}")


def collect(ratio):
    histories = {rtol: rows(f"{OUT}/{ratio}/{rtol}") for rtol in RTOLS}
    return list(reached(ratio, histories, rows(f"{OUT}/{ratio}/reference")))


def text(found):
    """Two Markdown tables, ratios down, rtol across."""
    told = lambda row: f"{row['iterations']}/{row['linear_iterations']}/{float(row['seconds']):.2f}"
    cell = {(row["error"], row["ratio"], row["rtol"]): told(row) for row in found}
    ratios = list(dict.fromkeys(row["ratio"] for row in found))
    return "\n".join(
        tables.markdown(
            (f"to {error}", *RTOLS),
            [(ratio, *(cell.get((error, ratio, rtol), "-") for rtol in RTOLS)) for ratio in ratios],
        )
        for error in ERRORS
    )


def main(arguments):
    parser = program.parser("inner_tolerance", __doc__)
    parser.add_argument("ratio", nargs="*", help=f"without one: {' '.join(RATIOS)}")
    given = parser.parse_args(arguments)
    program.numbers(",".join(given.ratio or RATIOS))
    make_state("out/bench/inner_state", "inputs/bench/inner_state.yaml")
    for ratio in given.ratio or RATIOS:
        measure(ratio)
    done = [ratio for ratio in RATIOS if os.path.exists(f"{OUT}/{ratio}/{RTOLS[-1]}/history.csv")]
    found = [row for ratio in done for row in collect(ratio)]
    outputs.write(f"{OUT}/table.csv", COLUMNS, found)
    with open(f"{OUT}/table.md", "w", encoding="utf-8") as file:
        file.write(text(found))
    say(text(found))
    return 0
