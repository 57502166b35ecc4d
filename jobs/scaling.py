"""python3 jobs/scaling.py submit|collect|plot DECK [option]... [-- -key value...]: a study of strong or weak scaling.

    python3 jobs/scaling.py submit  DECK --nodes 1,2,4,8 --per-node 64 [--threads 1] [--weak] [--repeat 3]
    python3 jobs/scaling.py collect DECK [--weak]
    python3 jobs/scaling.py plot    DECK [--weak]

submit writes a job script for each number of nodes and submits it to Slurm; where there is no sbatch, or with --local,
it runs them here, one after the other, by mpiexec: a "node" is then so many ranks. A job runs wring --repeat times in
turn, each into a folder of its own, without frames. The executable is $WRING, or build/wring. collect makes a table of
what has ended, table.csv and table.md; plot makes table.csv into scaling.png. All is in out/scaling/NAME_strong or
NAME_weak of the working directory, or in --out.

Strong scaling has the same mesh on all nodes. --weak makes the mesh grow with the nodes: the size and the cells of the
deck's box by the same factors, so that elements stay as they are; of a file, by mesh.refine, which takes 8, 64, ...
times the first number of nodes. The body is then another one, with other numbers of iterations: efficiency is that of
an iteration, (time on the first nodes)/(time) under weak scaling, times (first nodes)/(nodes) under strong scaling.
Keys of the deck come after --, such as -time_steps 5.
"""
import json
import math
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys

import outputs
import pictures
import program
import tables
from program import ROOT, Failure, arguments, note, say

COLUMNS = ("nodes", "ranks", "threads", "repeat", "vertices", "tets", "iterations", "linear_iterations", "steps")
TIMES = ("setup_seconds", "marching_seconds", "iteration_seconds")  # iteration: of the march, over its iterations
PARTS = ("least", "mean", "largest", "slowest")  # of a phase


# ---- the study ------------------------------------------------------------------------------------------------------


def folder_of(given):
    name = os.path.splitext(os.path.basename(given.deck))[0]
    return given.out or os.path.join("out", "scaling", f"{name}_{'weak' if given.weak else 'strong'}")


def numbers(text):
    try:
        found = [int(word) for word in text.split(",")]
    except ValueError:
        found = []
    if not found or min(found) < 1 or sorted(set(found)) != found:
        raise Failure(f"--nodes {text}: expected increasing numbers, such as 1,2,4,8")
    return found


def triple(text):
    return [float(word) for word in re.split(r"[,\s]+", text.strip().strip("[]").strip())]


def box_of(deck, keys):
    """Size and cells of the deck's box, {} if it has none; keys of the command line come first."""
    with open(deck, encoding="utf-8") as file:
        text = re.sub(r"#.*", "", file.read())
    box = {}
    for key in ("size", "cells"):
        found = re.search(rf"\bbox:\s*\{{[^}}]*?\b{key}:\s*\[([^\]]*)\]", text)
        value = keys.get(f"mesh_box_{key}") or (found and found[1])
        if value:
            box[key] = triple(value)
    return box if len(box) == 2 else {}


def split(factor, cells):
    """A factor as a product over three axes: its primes, the largest first, each to the axis with the fewest cells."""
    parts, rest, prime, primes = [1, 1, 1], factor, 2, []
    while rest > 1:
        while rest % prime == 0:
            primes.append(prime)
            rest //= prime
        prime += 1
    for prime in reversed(primes):
        axis = min(range(3), key=lambda i: (cells[i] * parts[i], i))
        parts[axis] *= prime
    return parts


def grown(deck, keys, nodes):
    """Keys that make the mesh of the first number of nodes grow with the nodes: {nodes: {key: value}}."""
    box, first, result = box_of(deck, keys), nodes[0], {}
    for n in nodes:
        if n % first:
            raise Failure(f"--weak: {n} nodes are not a multiple of {first}")
        if box:
            parts = split(n // first, box["cells"])
            join = lambda values: ",".join(f"{value * part:.12g}" for value, part in zip(values, parts))
            result[n] = {"mesh_box_size": join(box["size"]), "mesh_box_cells": join(box["cells"])}
            continue
        times = round(math.log(n // first, 8))
        if 8**times != n // first:
            raise Failure(
                f"{deck}: --weak with {n // first} times the nodes needs `box: {{size: [...], cells: [...]}}` in the "
                "deck, or -mesh_box_size and -mesh_box_cells after --; a file takes 8, 64, ... times the nodes"
            )
        result[n] = {"mesh_refine": int(keys.get("mesh_refine", 0)) + times}
    return result


def options_of(keys, folder):
    return {"solver_accept": True, **keys, "output_every": 0, "output_directory": folder}


def executable():
    found = os.path.abspath(os.environ.get("WRING", os.path.join(ROOT, "build", "wring")))
    if not os.access(found, os.X_OK):
        raise Failure(f"{found}: no executable, expected the program in $WRING or in build/")
    return found


# ---- submit ---------------------------------------------------------------------------------------------------------


def script(given, n, keys, folder):
    """A job script of Slurm for n nodes."""
    head = [
        f"--job-name=scaling_{n}",
        f"--nodes={n}",
        f"--ntasks-per-node={given.per_node}",
        f"--cpus-per-task={given.threads}",
        f"--time={given.time}",
        f"--output={folder}/job.log",
        "--exclusive",
        *shlex.split(given.sbatch),
    ]
    start = ["srun", f"--cpus-per-task={given.threads}", "--cpu-bind=cores", executable(), "run"]
    start += [os.path.abspath(given.deck), "-output_overwrite", "true"]
    line = lambda at: f"{shlex.join(start + arguments(options_of(keys, at)))} >{shlex.quote(at + '/log')} 2>&1"
    runs = [line(at) for at in places(given, folder)]
    threads = f"export OMP_NUM_THREADS={given.threads} OMP_PLACES=cores OMP_PROC_BIND=close"
    return "\n".join(["#!/bin/bash", *(f"#SBATCH {word}" for word in head), threads, *runs, ""])


def places(given, folder):
    return [os.path.join(folder, str(i)) for i in range(1, given.repeat + 1)]


def submit_to_slurm(given, n, keys, folder):
    path = os.path.join(folder, "job.sh")
    with open(path, "w", encoding="utf-8") as file:
        file.write(script(given, n, keys, folder))
    done = subprocess.run(["sbatch", "--parsable", path], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"sbatch {path}: {done.stderr.strip()}")
    return done.stdout.strip().split(";")[0]


def run_here(given, n, keys, folder):
    ranks, deck = n * given.per_node, os.path.abspath(given.deck)
    os.environ["WRING"] = executable()
    for at in places(given, folder):
        how = {"ranks": ranks, "threads": given.threads, "busy": True}
        status = program.attempt("run", deck, at, options_of(keys, at), **how)
        say(f"{tables.count(n, 'node')}, {tables.count(ranks, 'rank')}: {'done' if not status else f'status {status}'}")


def submit(given, keys):
    out, nodes = os.path.abspath(folder_of(given)), numbers(given.nodes)
    more = grown(given.deck, keys, nodes) if given.weak else {n: {} for n in nodes}
    here = given.local or not shutil.which("sbatch")
    if here and not given.local:
        note("no sbatch here: the runs are made on this machine")
    study = {"deck": given.deck, "weak": given.weak, "nodes": nodes, "per_node": given.per_node, "keys": keys}
    study.update(threads=given.threads, repeat=given.repeat, system="local" if here else "slurm", jobs={})
    shutil.rmtree(out, ignore_errors=True)
    for n in nodes:
        folder = os.path.join(out, f"nodes_{n}")
        for at in places(given, folder):
            os.makedirs(at)
        if here:
            run_here(given, n, {**keys, **more[n]}, folder)
        else:
            study["jobs"][n] = submit_to_slurm(given, n, {**keys, **more[n]}, folder)
            say(f"{tables.count(n, 'node')}: job {study['jobs'][n]}")
        with open(os.path.join(out, "study.json"), "w", encoding="utf-8") as file:
            json.dump(study, file, indent=1)
    say(f"when they have ended: python3 jobs/scaling.py collect {given.deck}{' --weak' if given.weak else ''}")


# ---- collect --------------------------------------------------------------------------------------------------------


def load_study(given):
    try:
        return outputs.load(folder_of(given), "study.json")
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}: no study has been submitted there") from error


def row_of(run, nodes, repeat):
    """A line of table.csv from a run.json. Integrators without iterations are counted by steps."""
    steps = run["step"] - run["first_step"]
    row = {"nodes": nodes, "repeat": repeat, "steps": steps, "vertices": run["mesh"]["vertices"]}
    row.update({key: run[key] for key in ("ranks", "threads", "iterations", "linear_iterations")})
    row.update({key: run[key] for key in TIMES[:2]}, tets=run["mesh"]["tets"], hosts=len(run["hosts"]))
    row["iteration_seconds"] = run["marching_seconds"] / (run["iterations"] or steps)
    row["memory_largest"], row["memory_all"] = run["memory"]["largest"], run["memory"]["all"]
    for name, of in run["phases"].items():
        row.update({f"{name}_{part}": of[part] for part in PARTS})
    return row


def read_runs(given, study):
    """Rows of all runs that have ended well; a note for each other."""
    found = []
    for n in study["nodes"]:
        for i in range(1, study["repeat"] + 1):
            path = os.path.join(folder_of(given), f"nodes_{n}", str(i), "run.json")
            try:
                run = outputs.load(*os.path.split(path))
            except OSError:
                note(f"{path}: not there yet")
                continue
            if run["ended"] != "done":
                note(f"{path}: {run['ended']}")
                continue
            if run["ranks"] != n * study["per_node"]:
                raise Failure(f"{path}: has {run['ranks']} ranks, expected {n} x {study['per_node']}")
            found.append(row_of(run, n, i))
    if not found:
        raise Failure(f"{folder_of(given)}: no run has ended")
    return found


def medians(rows, weak):
    """A line for each number of nodes: the run of median marching time, with spread and efficiencies."""
    result = []
    for n in sorted({row["nodes"] for row in rows}):
        runs = sorted((row for row in rows if row["nodes"] == n), key=lambda row: row["marching_seconds"])
        line = dict(runs[(len(runs) - 1) // 2])
        line["spread"] = runs[-1]["marching_seconds"] / runs[0]["marching_seconds"] - 1
        line["setup_seconds"] = statistics.median_low(row["setup_seconds"] for row in runs)
        result.append(line)
    for line in result:
        gain = 1 if weak else result[0]["nodes"] / line["nodes"]
        for key in TIMES:
            line[key.replace("seconds", "efficiency")] = gain * result[0][key] / line[key]
    return result


def table(lines):
    head = ("nodes", "ranks", "threads", "vertices", "iterations", "inner", "set-up [s]", "march [s]", "spread [%]")
    head += ("iteration [ms]", "efficiency [%]", "of the march", "of the set-up", "memory, largest rank [MB]", "all")
    body = []
    for line in lines:
        body.append(
            [line["nodes"], line["ranks"], line["threads"], f"{line['vertices']:,}", line["iterations"]]
            + [line["linear_iterations"], *(tables.number(line[key], 3) for key in TIMES[:2])]
            + [f"{100 * line['spread']:.0f}", tables.number(1e3 * line["iteration_seconds"], 3)]
            + [f"{100 * line[f'{key}_efficiency']:.0f}" for key in ("iteration", "marching", "setup")]
            + [tables.number(line[key] / 1e6, 3) for key in ("memory_largest", "memory_all")]
        )
    return head, body


def phase_table(lines):
    """Milliseconds of an iteration in each phase, mean over ranks, and the largest over the mean."""
    names = phases_of(lines)
    body = []
    for line in lines:
        count = line["iterations"] or line["steps"]
        cells = [
            f"{tables.number(1e3 * line[f'{name}_mean'] / count)} "
            f"({line[f'{name}_largest'] / line[f'{name}_mean']:.2f})"
            for name in names
        ]
        body.append([line["nodes"], line["ranks"], *cells])
    return ("nodes", "ranks", *(name.replace("_", " ") for name in names)), body


def phases_of(lines):
    """Phases that take time in a march, the longest first; the mesh and the operator are set up before it."""
    names = [key[: -len("_mean")] for key in lines[0] if key.endswith("_mean")]
    total = lambda name: max(line[f"{name}_mean"] / line["marching_seconds"] for line in lines)
    return sorted((n for n in names if n not in ("mesh", "output", "other") and total(n) > 0.005), key=total)[::-1]


def collect(given):
    study, out = load_study(given), folder_of(given)
    rows = read_runs(given, study)
    lines = medians(rows, study["weak"])
    for name, found in (("runs", rows), ("table", lines)):
        first = [key for key in COLUMNS + TIMES if key in found[0]]
        outputs.write(f"{out}/{name}.csv", dict.fromkeys([*first, *found[0]]), found)
    text = "\n".join(
        [
            f"{'Weak' if study['weak'] else 'Strong'} scaling of {study['deck']}, {study['per_node']} ranks a node; "
            f"the median of {tables.count(study['repeat'], 'run')}, spread: (slowest)/(fastest) - 1 of the march.\n",
            tables.markdown(*table(lines)),
            "Milliseconds of an iteration in each phase, set-up included: the mean over ranks, and in brackets the "
            "slowest rank over the mean.\n",
            tables.markdown(*phase_table(lines)),
        ]
    )
    with open(f"{out}/table.md", "w", encoding="utf-8") as file:
        file.write(text)
    say(text)


# ---- plot -----------------------------------------------------------------------------------------------------------


def read_table(given):
    try:
        found = outputs.rows(folder_of(given), "table.csv")
    except OSError as error:
        raise Failure(f"{error.filename}: {error.strerror}: collect makes it") from error
    return [{key: float(value) for key, value in row.items()} for row in found]


def ideal(value, weak, first):
    return f"{value:.9g}" if weak else f"{value:.9g}*{first:g}/x"


def panel(title, curves, weak, first):
    """
    curves: (expression of columns of table.csv, title, value on the first nodes), each with a dashed line of ideal
    scaling, unless it begins with less than a hundredth of the largest: waiting is not ideal on one rank.
    """
    plots, most = [], max(start for _, _, start in curves)
    for i, (value, name, start) in enumerate(curves):
        plots.append(f"'table.csv' using 'ranks':({value}) with linespoints pt 7 lc {i + 1} title '{name}'")
        if start > 0.01 * most:
            plots.append(f"{ideal(start, weak, first)} with lines dt 2 lc {i + 1} notitle")
    return f"set title '{title}'; plot {', '.join(plots)}"


def ticks(lines):
    """Ranks as they were run, at most eight of them."""
    every = -(-len(lines) // 8)
    return ", ".join(f"{line['ranks']:.0f}" for line in lines[::every])


def plot(given):
    weak, lines, out = load_study(given)["weak"], read_table(given), folder_of(given)
    first, ranks = lines[0], lines[0]["ranks"]
    count = "column('iterations')" if first["iterations"] else "column('steps')"
    times = [
        ("column('setup_seconds')", "set-up", first["setup_seconds"]),
        ("column('marching_seconds')", "march", first["marching_seconds"]),
    ]
    ms = 1e3 / (first["iterations"] or first["steps"])
    phases = [
        (f"1e3*column('{name}_mean')/{count}", name.replace("_", " "), ms * first[f"{name}_mean"])
        for name in phases_of(lines)
    ]
    whole = [("1e3*column('iteration_seconds')", "iteration", 1e3 * first["iteration_seconds"])]
    efficiencies = ", ".join(
        f"'table.csv' using 'ranks':(100*column('{key}_efficiency')) with linespoints pt 7 lc {i + 1} title '{name}'"
        for i, (key, name) in enumerate((("iteration", "of an iteration"), ("marching", "march"), ("setup", "set-up")))
    )
    pictures.draw(
        out,
        "scaling",
        "1300,900",
        "\n".join(
            [
                "set multiplot layout 2,2; set key bottom left",
                f"set logscale x; set xrange [{0.9 * ranks:g}:{1.1 * lines[-1]['ranks']:g}]; "
                f"set xtics ({ticks(lines)})",
                "set xlabel 'ranks'; set logscale y; set ylabel 'ms'",
                panel("time of an iteration (dashed: ideal)", whole, weak, ranks),
                "unset logscale y; set yrange [0:110]; set ylabel '%'",
                f"set title 'efficiency'; plot {efficiencies}, 100 with lines dt 2 lc 0 notitle",
                "set logscale y; set yrange [*:*]; set ylabel 'ms'; set key outside right top",
                panel("phases of an iteration, mean over ranks", phases, weak, ranks),
                "set ylabel 's'; set key inside bottom left",
                panel("set-up and march", times, weak, ranks),
            ]
        ),
    )
    say(f"{out}/scaling.png")


# ---- command line ---------------------------------------------------------------------------------------------------


def parse(words):
    ours, keys = program.split_keys(words)
    parser = program.parser("scaling", __doc__)
    parser.prog = "python3 jobs/scaling.py"
    parser.add_argument("command", choices=("submit", "collect", "plot"))
    parser.add_argument("deck")
    parser.add_argument("--nodes", default="1,2,4,8", help="numbers of nodes")
    parser.add_argument("--per-node", type=int, default=1, help="ranks on each")
    parser.add_argument("--threads", type=int, default=1, help="of each rank")
    parser.add_argument("--weak", action="store_true", help="the mesh grows with the nodes")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each number of nodes")
    parser.add_argument("--local", action="store_true", help="run here, also where there is Slurm")
    parser.add_argument("--time", default="0:30:00", help="limit of each job of Slurm")
    parser.add_argument("--sbatch", default="", help="more options of sbatch, such as '--partition=p --account=a'")
    parser.add_argument("--out", help="the folder of the study")
    given = parser.parse_args(ours)
    if not os.path.exists(given.deck):
        raise Failure(f"{given.deck}: no such deck")
    return given, keys


def main(words):
    given, keys = parse(words)
    if given.command == "submit":
        submit(given, keys)
    elif given.command == "collect":
        collect(given)
    else:
        plot(given)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failure as failure:
        sys.exit(f"jobs/scaling.py: {failure}")
