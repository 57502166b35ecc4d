"""python3 jobs suite SET|FILE [ENTRANTS] [options]: who solves which problems, and how fast.

SET is small (20 problems of 12,000 tetrahedra, without slow entrants), medium (60, and 30 of 100,000), large (12 of
800,000 and 12 of 6,300,000, for clusters) or contact (24 with contact, of 1,600 to 11,000). ENTRANTS is a list such as
newton,qn; those that are missing in the results are added.
Results are in out/suite; the same command goes on where it was stopped. LAUNCH, or LAUNCH_1e7 for a size, starts a
comparison: LAUNCH="mpiexec -n 4", or "sbatch --wait -N 1 --wrap" for a job of Slurm each.

FILE has problems and entrants of your own, in YAML or JSON; their results are in out/suite/NAME:

    problems:                            # or small, medium, large, contact: those of a set
      bar:  {deck: bar.yaml}             # relative to FILE
      rod:  {deck: rod.yaml, size: 1e5, keys: {material_young: 1e6}}
    entrants:                            # without it, those of the suite
      newton: {}                         # of the suite, or a type of wring
      long:   {type: qn, history: 20}    # the keys of a variant

size is about the number of tetrahedra, 1e4 (the default), 1e5, 1e6 or 1e7, which gives budget and reference.
"""
import os
import re
import signal
import sys

import program
from program import Failure, say
from suite import claims, contacts, decks, design, entrants, own, page, runs, weights

OUT = "out/suite"
OPTIONS = {
    "decks": "only write decks, meshes and starts below out/suite/inputs",
    "page": "run nothing: tables, and with --docs pages, from the results that are there",
    "weights": "only write jobs/suite/weights.json, by runs of their own; not of contact",
    "table": "only write inputs/suite/problems.csv",
}


def seed_of_commit():
    """A seed that nobody could have fitted a method to, since the commit that it is made of has the method."""
    commit = re.search(r" \(([0-9a-f]{8})[0-9a-f]*\)", program.output("version"))
    if not commit:
        raise Failure("--hidden needs a program that is built of a commit, without changes")
    return 1 + int(commit[1], 16) % 1000000


def arguments_of(arguments):
    parser = program.parser("suite", __doc__)
    parser.add_argument("set", metavar="SET|FILE")
    parser.add_argument("entrants", nargs="?", metavar="ENTRANTS", type=lambda text: text.split(","))
    for name, text in OPTIONS.items():
        parser.add_argument(f"--{name}", action="store_true", help=text)
    parser.add_argument("--out", metavar="FOLDER", help="of inputs and results, instead of out/suite")
    parser.add_argument("--docs", metavar="FOLDER", help="write benchmark.md, claims.md and their pictures there")
    parser.add_argument("--claim", metavar="N", type=int, help="only what a row of the claims in inputs/suite compares")
    parser.add_argument("--only", metavar="PROBLEMS", type=lambda text: text.split(","), help="names of problems")
    parser.add_argument("--seed", type=int, default=0, help="problems of another table, as balanced, by a seed above 0")
    parser.add_argument("--hidden", action="store_true", help="the same, by a seed that is the commit of the program")
    parser.add_argument("--seconds", type=float, help="budget of each entrant, default: 1 for size 1e4, 6 for 1e5")
    parser.add_argument("--threads", type=int, help="of each comparison, default: all cores, 1 with LAUNCH")
    given = parser.parse_args(arguments)
    given.threads = given.threads or (1 if "LAUNCH" in os.environ else program.CORES)
    given.own = given.set not in decks.SETS
    for name in ("docs", "claim", "weights", "table"):
        if given.own and getattr(given, name):
            raise Failure(f"--{name} needs one of {', '.join(decks.SETS)}, found {given.set}")
    if given.weights and given.set == contacts.SET:
        raise Failure(f"--weights needs one of {', '.join(design.SETS)}, found {given.set}")
    if given.seed < 0:
        raise Failure(f"--seed {given.seed}, expected a number above 0")
    if given.hidden:
        given.seed = seed_of_commit()
    given.out = given.out or (f"{OUT}/{os.path.splitext(os.path.basename(given.set))[0]}" if given.own else OUT)
    return given


def problems_of(given):
    """Those of the set or file, and those that are wanted."""
    path = os.path.join(program.STARTED_IN, given.set)
    if given.own and not os.path.isfile(path):
        raise Failure(f"no set or file {given.set}, expected {', '.join(decks.SETS)} or a FILE as --help describes")
    every = own.read(path, given.seed) if given.own else decks.of_set(given.set, given.seed)
    program.check_names(given.only or (), [problem.name for problem in every], "problem")
    wanted = [problem for problem in every if not given.only or problem.name in given.only]
    if given.claim is not None:
        claim = claims.numbered(given.set, given.claim)
        given.entrants = [claim["better"], claim["worse"], *(given.entrants or ())]
        wanted = [problem for problem in wanted if claims.is_in(problem, claim["problems"])]
        if not wanted:
            raise Failure(f"claim {given.claim} is about {claim['problems']}, none of these problems")
    return every, wanted


def measure(given, every, problems):
    """All runs that are missing. The exit status."""
    names = entrants.chosen(given.entrants, given.own, given.set != "small")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(runs.STOPPED))  # the comparison ends with this process
    if given.own:
        own.check(given.out, problems, names, given.seconds)
        own.keep(given.out, every)
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
    every, problems = problems_of(given)
    if given.decks:
        for problem in problems:
            say(decks.write(problem, f"{given.out}/inputs"))
        return 0
    if given.weights:
        weights.write(given.out, problems)
        return 0
    status = 0 if given.page else measure(given, every, problems)
    if status:
        return status
    results = page.read(given.set, given.out, problems)
    say(page.text(given.out, results) if given.claim is None else claims.text(given.set, results, given.claim))
    if given.docs:
        write = page.write_hidden if given.hidden else page.write
        write(given.set, given.out, results, given.docs)
    return 0
