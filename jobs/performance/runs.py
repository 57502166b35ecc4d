"""Runs of wring for the tables of docs/performance.md, and what they leave."""
import csv
import json
import os
import re
import shlex
import statistics
import subprocess
import sys

WRING = os.environ.get("WRING", "build/wring")
UNDER = shlex.split(os.environ.get("UNDER", ""))  # a command that every measured run is put under
PAGE = "docs/performance.md"
CORES = len(os.sched_getaffinity(0))


def fail(message):
    sys.exit(f"performance: {message}")


def environment(ranks, threads):
    """Threads that wait busily for a while, and ranks that do unless they share cores."""
    env = dict(os.environ, OMP_NUM_THREADS=str(threads), GOMP_SPINCOUNT="10000")
    env["OMPI_MCA_mpi_yield_when_idle"] = "1" if ranks * threads > CORES else "0"
    return env


def wring(command, deck, folder, options=(), ranks=1, threads=1, accepted=(0,), preload=None):
    """Runs it into a folder; options are key, value, key, value. Gives the folder."""
    os.makedirs(folder, exist_ok=True)
    line = [WRING, command] + ([deck] if deck else []) + ["-output_directory", folder]
    for key, value in zip(options[::2], options[1::2]):
        line += ["-" + key, str(value)]
    if preload:
        line = ["env", f"LD_PRELOAD={preload}"] + line
    if ranks > 1:
        line = ["mpiexec", "-n", str(ranks)] + line
    with open(os.path.join(folder, "log"), "w", encoding="utf-8") as log:
        status = subprocess.call(UNDER + line, stdout=log, stderr=log, env=environment(ranks, threads))
    if status not in accepted:
        with open(os.path.join(folder, "log"), encoding="utf-8") as log:
            sys.stderr.write("".join(log.readlines()[-5:]))
        fail(f"status {status} of {' '.join(line)}")
    return folder


def load(folder, name):
    """A JSON file of a run."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def rows(folder, name="history.csv"):
    with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def steps(folder):
    """Of every step of history.csv: iterations, and from x_0 to the last one the seconds, evaluations and inner iterations."""
    result, first = [], None
    for row in rows(folder):
        if row["iteration"] == "0":
            first = row
            result.append(None)
        result[-1] = {
            "iterations": int(row["iteration"]),
            "frame": float(row["seconds"]),
            "seconds": float(row["seconds"]) - float(first["seconds"]),
            "evaluations": int(row["evaluations"]) - int(first["evaluations"]),
            "linear": int(row["linear_iterations"]) - int(first["linear_iterations"]),
        }
    return result


def iteration_ms(folder):
    """Milliseconds of an iteration: the median over steps of their mean."""
    return 1e3 * statistics.median(s["seconds"] / s["iterations"] for s in steps(folder))


def phase_ms(folder, *phases):
    """Milliseconds that a run spent in phases, over its iterations."""
    run = load(folder, "run.json")
    return 1e3 * sum(run["seconds"][p] for p in phases) / run["iterations"]


def number(value, digits=2):
    """Three significant digits or so, without an exponent where that is short; '-' for what was not measured."""
    if value is None:
        return "-"
    if value and not 1e-3 <= abs(value) < 1e6:
        return f"{value:.{digits - 1}e}".replace("e-0", "e-").replace("e+0", "e")
    return f"{value:.{digits}g}" if abs(value) < 10 ** digits else f"{value:,.0f}"


def power(value):
    """Two digits and an exponent."""
    return f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e")


def table(head, lines):
    """Markdown."""
    out = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(out + ["| " + " | ".join(str(c) for c in line) + " |" for line in lines]) + "\n"


def write(name, text):
    """Shows a table and keeps it."""
    path = f"out/performance/{name}.md"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    print(f"{text}\n{path}", flush=True)
    if os.environ.get("INTO_PAGE"):
        paste(name, text)


def paste(name, text):
    """Puts a table between its marks in the page."""
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    page, count = re.subn(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", lambda m: m[1] + text + m[2], page, flags=re.DOTALL)
    if count != 1:
        fail(f"{PAGE} has {count} places for the table {name}, expected 1")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page)


def note(text):
    print(f"note: {text}", file=sys.stderr, flush=True)
