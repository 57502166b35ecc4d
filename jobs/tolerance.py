"""python3 jobs tolerance [-m FOLDER] [-r RANKS] [-t THREADS] [--limit S] [--repeat N] [name...]: time to the tolerance.

Seconds and iterations a step of two scenes of Li et al. 2019 (DOT): bar and rabbit of inputs/bench, whose meshes are
our own. The table is Markdown, on the screen and in out/bench/time_to_tolerance.md. A line is the median of the steps;
"-" where a run took more than the limit or did not reach the tolerance in 1000 iterations of some step. Names are those
of the lines; without one, all.
"""
import os
import re
import statistics

import program
import tables
from outputs import rows
from program import say

OUT = "out/bench"
QN = {"solver_type": "qn", "solver_qn_history": 10, "solver_qn_keep": "true", "solver_qn_refresh": 30}
PLAIN = {**QN, "solver_qn_keep": "false", "solver_qn_refresh": 0}  # every step by itself: nothing from the last one
HESSIAN = {**PLAIN, "solver_qn_history": 5}
LINES = {
    "decks": {},
    "qn_30": QN,
    "history_20": {**QN, "solver_qn_history": 20},
    "qn": {**PLAIN, "solver_qn_history": 5},
    "qn_10": PLAIN,
    "qn_20": {**PLAIN, "solver_qn_history": 20},
    "keep": {**QN, "solver_qn_refresh": 0},
    "keep_20": {**QN, "solver_qn_refresh": 0, "solver_qn_history": 20},
    "refresh": {**QN, "solver_qn_keep": "false", "solver_qn_history": 5},
    "refresh_10": {**QN, "solver_qn_refresh": 10},
    "refresh_100": {**QN, "solver_qn_refresh": 100},
    "wolfe": {**HESSIAN, "solver_qn_line_search": "wolfe"},
    "frame_hessian": {**HESSIAN, "solver_qn_initial_hessian": "frame_hessian"},
    "frame_hessian_cg": {
        **HESSIAN,
        "solver_qn_initial_hessian": "frame_hessian",
        "solver_qn_inner": "cg",
        "solver_qn_inner_preconditioner": "icholesky",
    },
    "warped_rest_hessian": {**HESSIAN, "solver_qn_initial_hessian": "warped_rest_hessian"},
    "rest_hessian": {**HESSIAN, "solver_qn_initial_hessian": "rest_hessian"},
    "newton": {"solver_type": "newton"},
    "admm": {"solver_type": "admm"},
    "anderson_admm": {"solver_type": "anderson", "solver_anderson_inner": "admm"},
    "chebyshev": {"solver_type": "chebyshev", "solver_chebyshev_line_search": "armijo"},
    "gradient_descent": {"solver_type": "gradient_descent"},
}


def cells(folder, expected):
    """Median of seconds, means of iterations and of evaluations over the steps; None unless all of them converged."""
    done = rows(folder, "steps.csv")
    if len(done) < max(expected, 1) or any(row["reason"] != "converged" for row in done):
        return None
    evaluations = {row["step"]: int(row["evaluations"]) for row in rows(folder)}
    return (
        statistics.median(float(row["seconds"]) for row in done),
        statistics.mean(int(row["iterations"]) for row in done),
        statistics.mean(evaluations.values()),
    )


def steps_of(deck):
    with open(deck, encoding="utf-8") as file:
        return int(re.search(r"^time:.*steps: (\d+)", file.read(), re.M)[1])


def measure(name, scene, given):
    """A run of a line of the table: its cells."""
    deck, folder = f"inputs/bench/{scene}.yaml", f"{OUT}/{scene}-{name}"
    mesh = {"mesh_file": os.path.abspath(f"{given.m}/{scene}.mesh")} if given.m else {}
    options = {**mesh, **LINES[name], "time_limit": given.limit, "output_every": 1000000}
    how = {"ranks": given.r, "threads": given.t, "busy": True, "accepted": (0, 2, 3)}
    program.run("run", deck, folder, options, **how)
    return cells(folder, steps_of(deck))


def best(name, scene, given):
    """The cells of the fastest of the repeats, as text."""
    found = [c for c in (measure(name, scene, given) for _ in range(given.repeat)) if c]
    return [f"{min(found)[0]:.4f}", f"{min(found)[1]:.1f}", f"{min(found)[2]:.1f}"] if found else ["-"] * 3


def main(arguments):
    parser = program.parser("tolerance", __doc__)
    parser.add_argument("-m", metavar="FOLDER", help="has bar17K.mesh and bunny5K.mesh, which replace bar and rabbit")
    parser.add_argument("-r", metavar="RANKS", type=program.count, default=1)
    parser.add_argument("-t", metavar="THREADS", type=program.count, default=1)
    parser.add_argument("--limit", type=float, default=15, help="seconds of a run")
    parser.add_argument("--repeat", type=program.count, default=1, help="of so many runs the fastest counts")
    given = program.parse_names(parser, arguments, LINES, "line")
    scenes = ("bar17K", "bunny5K") if given.m else ("bar", "rabbit")
    head = [""] + [text for scene in scenes for text in (f"{scene}: s/step", "iterations", "evaluations")]
    lines = [(name, *(cell for scene in scenes for cell in best(name, scene, given))) for name in given.name]
    table = tables.markdown(head, lines)
    with open(f"{OUT}/time_to_tolerance.md", "w", encoding="utf-8") as file:
        file.write(table)
    say(table)
    return 0
