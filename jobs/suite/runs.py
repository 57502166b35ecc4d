"""
Runs of the suite: for each problem folders of calls of `wring compare`, each with some entrants. A call that has
finished has a file curves.csv; others start again where they were. Later calls add entrants.
"""
import math
import os
import shlex
import subprocess

import outputs
import program
from program import Failure, note, say
from suite import entrants

BUDGET = {"1e4": 1, "1e5": 6, "1e6": 60, "1e7": 600}  # s of each entrant, without its set-up
REPEATS, LEAST = 5, 3  # solves of an entrant that does not use its budget; at least, of those that take long
ENOUGH = 5  # s of them together after which no more are
SMALL = ("1e3", "1e4")  # sizes whose g* Newton's method finds first
ITERATIONS = 10000
TARGET = 1e-7  # relative error at which an entrant ends, where Newton's method has found g* before
TOLERANCE = 1e-8  # |grad g|/|grad g(x_0)| at which it ends on larger sizes
STEPS = 20  # rows of curves.csv for each factor of 10 of the error
DONE, STOPPED = (0, 2), 3  # exit status: 2 if an entrant has diverged
COLUMNS = ("solver", "iteration", "seconds", "setup_seconds", "objective", "gradient_norm", "relative_error")
WORK = ("evaluations", "gradients", "hessians", "factorisations", "linear_solves", "products")
WORK += ("exchanges", "reductions")


class Stopped(Exception):
    """A signal or a limit of time has ended a call; the same command goes on."""


def folder_of(out, problem):
    return os.path.join(out, "runs", problem.name)


def calls(out, problem):
    """Folders of the calls of a problem, in the order in which they were made."""
    folder = folder_of(out, problem)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    made = [os.path.join(folder, name) for name in sorted(names, key=int)]
    return [call for call in made if os.path.exists(os.path.join(call, "entrants"))]


def has_finished(call):
    return os.path.exists(os.path.join(call, "curves.csv"))


def wanted_by(call):
    with open(os.path.join(call, "entrants"), encoding="utf-8") as file:
        return file.read().split()


# ---- curves ----------------------------------------------------------------------------------------------------------


def is_lower(error, least):
    """Whether an error is below the least so far by enough to be seen, or below another power of 10."""
    if least is None or not 0 < least < math.inf or not 0 < error < math.inf:
        return least is None or error < least
    return error < least * 10 ** (-1 / STEPS) or math.ceil(math.log10(error)) < math.ceil(math.log10(least))


def thin(rows):
    """The rows of one solver by which the least error so far has fallen, the first and the last."""
    kept, least, previous = [], None, None
    for row in rows:
        if previous and row["iteration"] != previous["iteration"] and row["seconds"] == previous["seconds"]:
            break  # the last values, held until the end of the table
        previous, text = row, row["relative_error"]
        error = float(text) if text else math.nan
        if is_lower(error, least):
            least = None if math.isnan(error) else error
            kept.append(row)
    return kept if not kept or kept[-1] is previous else kept + [previous]


def keep_curves(call):
    """curves.csv in the place of compare.csv, which has a row for each iteration."""
    solvers = {}
    for row in outputs.rows(call, "compare.csv"):
        solvers.setdefault(row["solver"], []).append(row)
    path = os.path.join(call, "curves.csv")
    outputs.write(path, COLUMNS + WORK, [row for rows in solvers.values() for row in thin(rows)])
    os.remove(os.path.join(call, "compare.csv"))


# ---- calls -----------------------------------------------------------------------------------------------------------


def options(problem, names, seconds):
    """Keys of a call, the same for every problem of a size; seconds: another budget than that of the size."""
    budget = seconds or problem.budget or BUDGET[problem.size]
    reference = {"compare_reference": "least", "compare_tolerance": TOLERANCE}
    if problem.size in SMALL:
        reference = {"compare_reference": "newton", "compare_target": TARGET}
    return {
        "compare_solvers": ",".join(sorted(names, key=lambda name: name != entrants.FIRST)),
        "compare_seconds": budget,
        "compare_iterations": ITERATIONS,
        "compare_repeat": REPEATS,
        "compare_repeat_seconds": max(ENOUGH, (LEAST - 0.9) * budget),  # more than two solves of a whole budget
        "output_plots": "false",
        **reference,
        **entrants.options(names),
        **problem.keys,
    }


def words(deck, call, problem, seconds):
    keys = options(problem, wanted_by(call), seconds)
    return ["compare", deck, "-output_directory", call] + program.arguments(keys)


def launcher_of(problem):
    return os.environ.get(f"LAUNCH_{problem.size}", os.environ.get("LAUNCH", ""))


def queue(launcher, line):
    """A job of a launcher that ends with --wrap, which takes a command as one text that begins with srun."""
    text = " ".join(["srun", shlex.quote(program.path()), *map(shlex.quote, line)])
    return subprocess.Popen(shlex.split(launcher) + [text])


def finish(call, status):
    """What a call that has ended leaves. True if it is complete."""
    if status == STOPPED:
        raise Stopped()
    if status not in DONE:
        note(f"{call}: {program.reason(call) if os.path.exists(os.path.join(call, 'log')) else f'status {status}'}")
        return False
    keep_curves(call)
    return True


def make_call(out, problem, names):
    """The folder of a call of some entrants, or of one that has not finished; None where nothing is missing."""
    made = calls(out, problem)
    for call in made:
        if not has_finished(call):
            return call
    done = {name for call in made for name in wanted_by(call)}
    missing = [name for name in entrants.of_problem(names, problem) if name not in done]
    if not missing:
        return None
    call = os.path.join(folder_of(out, problem), str(len(made) + 1))
    os.makedirs(call, exist_ok=True)  # it may be left from a job that was killed here
    outputs.replace(os.path.join(call, "entrants"), " ".join(missing) + "\n")
    return call


def attempt(call, problem, deck, threads, seconds):
    """One call, which goes on where it was stopped, or starts anew if wring or the deck has changed. Exit status."""
    how = {"threads": threads, "busy": True, "launch": shlex.split(launcher_of(problem))}
    keys = {"operator_blas_threads": threads, **options(problem, wanted_by(call), seconds)}
    return program.attempt("compare", deck, call, keys, **how)


def measure(out, problem, deck, names, threads, seconds):
    """Calls of a problem until no entrant is missing. True if all are complete."""
    while True:
        call = make_call(out, problem, names)
        if call is None:
            return True
        say(f"{problem.name}: {', '.join(wanted_by(call))}")
        if not finish(call, attempt(call, problem, deck, threads, seconds)):
            return False


def submit(out, problem, deck, names, seconds):
    """The same as a job; (call, process), or None where nothing is missing."""
    call = make_call(out, problem, names)
    if call is None:
        return None
    say(f"{problem.name}: {', '.join(wanted_by(call))} (queued)")
    return call, queue(launcher_of(problem), words(deck, call, problem, seconds))


def run(out, problems, decks, names, threads, seconds=None):
    """All calls that are missing. True if every problem is complete."""
    queued, complete = [], True
    for problem, deck in zip(problems, decks):
        if launcher_of(problem).endswith("--wrap"):
            queued.append(submit(out, problem, deck, names, seconds))
        else:
            complete = measure(out, problem, deck, names, threads, seconds) and complete
    for job in filter(None, queued):
        complete = finish(job[0], job[1].wait()) and complete
    if not complete:
        raise Failure("some problems are not complete: the same command repeats them")
