"""python3 jobs suite SET [ENTRANTS] [options]: who solves which problems, and how fast.

SET is small (20 problems of 12,000 tetrahedra), medium (60, and 12 of 100,000) or large (12 of 800,000 and 12 of
6,300,000, for clusters). ENTRANTS is a list such as newton,qn; those that are missing in the results are added.
Results are in out/suite; the same command goes on where it was stopped. LAUNCH, or LAUNCH_1e7 for a size, starts a
comparison: LAUNCH="mpiexec -n 4", or "sbatch --wait -N 1 --wrap" for a job of Slurm each.
"""
import os
import signal
import sys

import program
from program import say
from suite import decks, design, entrants, page, runs, weights

OUT = "out/suite"
OPTIONS = {
    "decks": "only write decks, meshes and starts below out/suite/inputs",
    "page": "only write docs/benchmark.md, docs/claims.md and their pictures from results",
    "weights": "only write jobs/suite/weights.json, by runs of their own",
    "table": "only write inputs/suite/problems.csv",
    "no-page": "write no pages",
}


def arguments_of(arguments):
    parser = program.parser("suite", __doc__)
    parser.add_argument("set", choices=tuple(design.SETS), metavar="SET")
    parser.add_argument("entrants", nargs="?", metavar="ENTRANTS", type=lambda text: text.split(","))
    for name, text in OPTIONS.items():
        parser.add_argument(f"--{name}", action="store_true", help=text)
    parser.add_argument("--out", metavar="FOLDER", default=OUT, help="of inputs and results, instead of out/suite")
    parser.add_argument("--docs", metavar="FOLDER", default="docs", help="of the pages, instead of docs")
    parser.add_argument("--only", metavar="PROBLEMS", type=lambda text: text.split(","), help="names of problems")
    parser.add_argument("--seed", type=int, default=0, help="problems of another table, as balanced, by a seed above 0")
    parser.add_argument("--seconds", type=float, help="budget of each entrant, default: 1 for size 1e4, in proportion")
    parser.add_argument("--threads", type=int, help="of each comparison, default: all cores, 1 with LAUNCH")
    given = parser.parse_args(arguments)
    given.threads = given.threads or (1 if "LAUNCH" in os.environ else program.CORES)
    return given


def problems_of(given):
    problems = decks.of_set(given.set, given.seed)
    return [problem for problem in problems if not given.only or problem.name in given.only]


def measure(given, problems):
    """All runs that are missing. The exit status."""
    names = entrants.chosen(given.entrants)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(runs.STOPPED))  # the comparison ends with this process
    files = [decks.write(problem, f"{given.out}/inputs") for problem in problems]
    try:
        runs.run(given.out, problems, files, names, given.threads, given.seconds)
    except runs.Stopped:
        say("stopped: the same command goes on")
        return runs.STOPPED
    return 0


def main(arguments):
    given = arguments_of(arguments)
    if given.table:
        decks.write_table(design.build())
        return 0
    problems = problems_of(given)
    if given.decks:
        for problem in problems:
            say(decks.write(problem, f"{given.out}/inputs"))
        return 0
    if given.weights:
        weights.write(given.out, problems, given.threads)
        return 0
    status = 0 if given.page else measure(given, problems)
    if not given.no_page and not status:
        page.write(given.set, given.out, problems, given.docs)
    return status
