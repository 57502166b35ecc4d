"""python3 jobs scaling submit|collect|plot TABLE [--dry-run] [--local]: a study of scaling, described by one table.

    python3 jobs scaling submit study.yaml --dry-run   what would run: ranks, sizes, memory by wring check, job scripts
    python3 jobs scaling submit study.yaml             submits what has not run, here without sbatch or with --local
    python3 jobs scaling collect study.yaml            a table of what has run until now, and how far the rest is
    python3 jobs scaling plot study.yaml               a picture of each series

TABLE is YAML (or JSON, without PyYAML); paths are relative to it, but out to the working directory:

    deck: beam.yaml
    keys: {time_steps: 5}              # of wring, of every run
    repeat: 3                          # runs of each point, in turn, in one job
    out: out/scaling/study             # the default: out/scaling/ and the name of the table
    time: "0:30:00"                    # limit of a job
    sbatch: --partition=p --account=a  # more options of sbatch
    prologue: module load gcc openmpi petsc            # lines of bash before the runs
    launch: srun --cpus-per-task={threads} --cpu-bind=cores   # the default; {ranks}, {nodes}, {all}: ranks of all nodes
    series:
      strong:  {nodes: [1, 2, 4, 8], ranks: 64}        # ranks of each node
      weak:    {nodes: [1, 2, 4, 8], ranks: 64, grow: true}
      hybrid:  {nodes: 4, ranks: [64, 16, 4], threads: [1, 4, 16]}
      size:    {nodes: 4, ranks: 64, refine: [0, 1, 2]}
      methods: {nodes: 4, ranks: 64, solver: [qn, newton], keys: {solver_max_it: 200}}

A series is a curve; its lists (nodes, ranks, threads, refine, cells, solver) have a value for each point, single values
hold for all. grow: the mesh of the deck is that of the first point, and grows with the cores: the size and cells of a
box by the same factors, so that elements stay as they are; a file by mesh.refine, for 8, 64, ... times the cores.

submit may be called again, also after a kill: runs that are done, and jobs in the queue, stay. Efficiency is unknowns
an iteration, second and core, over that of the first point. Where threads waited for a core for more than 5 % of their
time, times are marked by * and drawn hollow; of the repeats, the median of those not disturbed is taken, if any.
"""
import fcntl
import json
import math
import os
import shlex
import shutil
import statistics
import subprocess
import sys

import outputs
import pictures
import program
import tables
from pictures import SHARED
from program import ROOT, Failure, arguments, say, text_of

AXES = {"refine": "mesh_refine", "cells": "mesh_box_cells", "solver": "solver_type"}  # beside nodes, ranks, threads
PLACE = ("series", "point", "nodes", "ranks", "threads", "cores", "repeat")
COLUMNS = ("vertices", "tets", "solver", "steps", "iterations", "linear_iterations", "fom", "waited_share")
TIMES = ("setup_seconds", "marching_seconds", "iteration_seconds")  # iteration: of the march, over its iterations
LAUNCH = "srun --cpus-per-task={threads} --cpu-bind=cores"
KNOWN = {"deck", "keys", "repeat", "out", "time", "sbatch", "prologue", "launch", "series"}

# ---- the table ------------------------------------------------------------------------------------------------------


def load(path):
    found = program.load_table(path, KNOWN)
    if not isinstance(found.get("series"), dict) or "deck" not in found:
        raise Failure(f"{path}: expected deck: FILE and series: {{NAME: {{nodes: ..., ranks: ...}}}}")
    for key in KNOWN - {"keys", "repeat", "series"}:
        if not isinstance(found.get(key, ""), str):  # such as time: 1:30:00, which YAML takes for 5400
            raise Failure(f"{path}: {key} is {found[key]}, expected text, in quotes")
    if not is_count(found.get("repeat", 1)):
        raise Failure(f"{path}: repeat is {found['repeat']}, expected an integer of 1 or more")
    check_map(f"{path}: keys", found.get("keys", {}))
    return found


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


def check_map(where, keys):
    if not isinstance(keys, dict):
        raise Failure(f"{where}: expected a map of keys of wring, found {keys}")


def points_of(path, name, series, keys):
    """The points of a series: {"series", "point", "nodes", "ranks", "threads", "cores", "keys"}."""
    counts, where = ("nodes", "ranks", "threads"), f"{path}: series {name}"
    program.check_keys(where, series, {*counts, *AXES, "keys", "grow"})
    check_map(f"{where}: keys", series.get("keys", {}))
    lists = {key: value for key, value in series.items() if key in (*counts, *AXES)}
    if [] in lists.values() or not isinstance(name, str):
        raise Failure(f"{where}: expected a name, in quotes if it is a number, and lists with values")
    if isinstance(lists.get("cells"), list) and not isinstance(lists["cells"][0], list):
        lists["cells"] = text_of(lists["cells"])  # one box
    lengths = {len(value) for value in lists.values() if isinstance(value, list)} or {1}
    if len(lengths) > 1:
        raise Failure(f"{where}: lists of {' and '.join(map(str, sorted(lengths)))} values, expected as many in each")
    points = []
    for i in range(lengths.pop()):
        at = {key: value[i] if isinstance(value, list) else value for key, value in lists.items()}
        point = {"series": name, "point": i + 1, **{key: at.get(key, 1) for key in counts}}
        for key in counts:
            if not is_count(point[key]):
                raise Failure(f"{where}: {key} is {point[key]}, expected integers of 1 or more")
        point["cores"] = math.prod(point[key] for key in counts)
        own = {**keys, **series.get("keys", {}), **{AXES[key]: at[key] for key in AXES if key in at}}
        points.append({**point, "grow": bool(series.get("grow")), "keys": {k: text_of(v) for k, v in own.items()}})
    return points


class Study:
    """A table, with the folder of its runs."""

    def __init__(self, path):
        table, here = load(path), os.path.dirname(path)
        name = os.path.splitext(os.path.basename(path))[0]
        self.path, self.name, self.table = path, name, table
        self.deck = os.path.abspath(os.path.join(here, table["deck"]))
        self.out = os.path.abspath(table.get("out", os.path.join("out", "scaling", name)))
        self.repeat = table.get("repeat", 3)
        self.series = {s: points_of(path, s, of, table.get("keys", {})) for s, of in table["series"].items()}
        if not os.path.exists(self.deck):
            raise Failure(f"{path}: {self.deck}: no such deck")

    def points(self):
        return [point for series in self.series.values() for point in series]

    def folder(self, point):
        return os.path.join(self.out, point["series"], str(point["point"]))

    def runs(self, point):
        return [os.path.join(self.folder(point), str(i)) for i in range(1, self.repeat + 1)]


def executable():
    built = os.path.join(ROOT, "build", "wring")
    found = os.environ.get("WRING") or (built if os.access(built, os.X_OK) else shutil.which("wring") or built)
    if not os.access(found, os.X_OK):
        raise Failure(f"{found}: no executable, expected the program in $WRING, in build/ or in PATH")
    return os.path.abspath(found)


def check(study, keys, ranks=1):
    """What wring check finds of the deck with these keys, its memory on so many ranks."""
    words = arguments({**keys, "check_ranks": ranks})
    return json.loads(program.output("check", study.deck, *words, "--json"))


# ---- growing meshes -------------------------------------------------------------------------------------------------


def split(factor, cells):
    """A factor as a product over three axes: its primes, the largest first, each to the axis with the fewest cells."""
    parts, rest, prime, primes = [1, 1, 1], factor, 2, []
    while rest > 1:
        while rest % prime == 0:
            primes.append(prime)
            rest //= prime
        prime += 1
    for prime in reversed(primes):
        axis = min((i for i in range(3) if cells[i]), key=lambda i: (cells[i] * parts[i], i))
        parts[axis] *= prime
    return parts


def grow(study, points):
    """Gives points of a growing mesh its keys, from the deck of the first."""
    first = points[0]
    found = check(study, first["keys"])["options"]
    for point in points:
        factor, rest = divmod(point["cores"], first["cores"])
        if rest:
            raise Failure(f"{study.path}: {point['cores']} cores are not a multiple of {first['cores']}")
        if "mesh_box_cells" in found:
            parts = split(factor, found["mesh_box_cells"])
            for key in ("mesh_box_cells", "mesh_box_size"):
                point["keys"][key] = ",".join(f"{value * part:.12g}" for value, part in zip(found[key], parts))
            continue
        times = round(math.log(factor, 8))
        if 8**times != factor:
            raise Failure(f"{study.path}: {factor} times the cores, expected a box, or 8, 64, ... times with a file")
        point["keys"]["mesh_refine"] = str(int(found.get("mesh_refine", 0)) + times)


# ---- submit ---------------------------------------------------------------------------------------------------------


def launcher(study, point, here):
    """Words before those of wring."""
    known = {**point, "all": point["nodes"] * point["ranks"]}
    default = ("mpiexec -n {all}" if known["all"] > 1 else "env") if here else LAUNCH
    text = study.table.get("launch", default)
    try:
        return text.format(**known)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        expected = "{ranks}, {nodes}, {threads} and {all}, and {{ for a brace"
        raise Failure(f"{study.path}: launch: {text}: expected {expected}") from error


def options_of_slurm(study, point):
    table, folder = study.table, study.folder(point)
    head = [f"--job-name={study.name}", f"--nodes={point['nodes']}", f"--ntasks-per-node={point['ranks']}"]
    head += [f"--cpus-per-task={point['threads']}", f"--time={table.get('time', '0:30:00')}", "--exclusive"]
    try:
        return [*head, f"--output={folder}/job.log", *shlex.split(table.get("sbatch", ""))]
    except ValueError as error:
        raise Failure(f"{study.path}: sbatch: {table['sbatch']}: {error}") from error


def script(study, point, here):
    """A job of all runs of a point that have not ended, for sbatch or bash."""
    head = [f"#SBATCH {shlex.quote(word)}" for word in options_of_slurm(study, point)]
    lines = ["#!/bin/bash", *head, study.table.get("prologue", "").rstrip()]
    lines += [f"export OMP_NUM_THREADS={point['threads']}"]
    lines += [] if here else ["export OMP_PLACES=cores OMP_PROC_BIND=close"]
    for at in study.runs(point):
        keys = {"solver_accept": "true", "output_every": 0, **point["keys"], "output_directory": at}
        line = [program.path(), "run", study.deck, *arguments(keys), "-output_overwrite", "true"]
        done = f"grep -qs '\"ended\": \"done\"' {shlex.quote(at + '/run.json')}"
        run = f"{launcher(study, point, here)} {shlex.join(line)}"
        lines.append(f"{done} || {run} >{shlex.quote(at + '/log')} 2>&1 </dev/null")
    return "\n".join(lines) + "\n"


def queued(job):
    """The state of a job in Slurm's queue, "" if it is not there."""
    if not job or not shutil.which("squeue"):
        return ""
    done = subprocess.run(["squeue", "-h", "-j", job, "-o", "%T"], capture_output=True, text=True, check=False)
    if done.returncode and "Invalid job id" not in done.stderr:  # squeue does not know now
        return "UNKNOWN"
    return done.stdout.strip()


def job_of(study, point):
    try:
        return outputs.load(study.folder(point), "point.json")
    except OSError:
        return {}


def is_done(study, point):
    return all(state(at)[0] == "done" for at in study.runs(point))


def start(study, point, here):
    """Whether the job is in the queue or, here, all of its runs are done."""
    folder = study.folder(point)
    path = os.path.join(folder, "job.sh")
    for at in study.runs(point):
        os.makedirs(at, exist_ok=True)
    lock = os.open(os.path.join(folder, "lock"), os.O_CREAT | os.O_WRONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)  # of runs that a killed study has left, until they end
    outputs.replace(path, script(study, point, here))
    keep = lambda job: outputs.replace(os.path.join(folder, "point.json"), json.dumps({**point, "job": job}, indent=1))
    if here:
        keep("")
        env = program.environment(point["nodes"] * point["ranks"], point["threads"], busy=True)
        subprocess.call(["bash", path], env=env, pass_fds=[lock])
        os.close(lock)
        say(describe(study, point))
        return is_done(study, point)
    done = subprocess.run(["sbatch", "--parsable", path], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"sbatch {path}: {program.cause(done.stderr)}")
    job = done.stdout.strip().split(";")[0]
    keep(job)
    os.close(lock)
    say(f"{name_of(point)}: job {job}")
    return True


def submit(study, given):
    """The exit status: 1 if a run here has failed."""
    here = given.local or not shutil.which("sbatch")
    os.environ["WRING"] = executable()
    for points in study.series.values():
        if points[0]["grow"]:
            grow(study, points)
    if given.dry_run:
        dry_run(study, here)
        return 0
    status = 0
    for point in study.points():
        old = job_of(study, point)
        same = {key: old.get(key) for key in point} == point
        if old and not same:
            raise Failure(f"{study.folder(point)}: runs of another point; remove them, or give the table another out")
        if is_done(study, point):
            continue
        job = queued(old.get("job"))
        if job:
            say(f"{name_of(point)}: job {old['job']} is {job.lower()}")
        elif not start(study, point, here):
            status = 1
    return status


def dry_run(study, here):
    body = []
    for point in study.points():
        ranks = point["nodes"] * point["ranks"]
        found = check(study, point["keys"], ranks)
        peak = found["memory"]["bytes"]["peak of a run"]["all"] / point["nodes"]
        body.append([name_of(point), point["nodes"], ranks, point["threads"], f"{found['mesh']['vertices']:,}"])
        body[-1] += [f"{peak / 1e9:.3g}", found["solver"], found["operator"]]
        body[-1] += [" ".join(f"{key} {value}" for key, value in point["keys"].items())]
    head = ("point", "nodes", "ranks", "threads", "vertices", "GB a node", "solver", "operator", "keys")
    say(tables.text(head, body) + f"\n{tables.count(len(body), 'job')} by {'bash' if here else 'sbatch'}; the first:")
    say(script(study, study.points()[0], here))


# ---- collect --------------------------------------------------------------------------------------------------------


def name_of(point):
    ranks = point["nodes"] * point["ranks"]
    return f"{point['series']} {point['point']} ({tables.count(ranks, 'rank')} x {point['threads']})"


def state(at):
    """("done", run.json), or how far a run is."""
    try:
        run = outputs.load(at, "run.json")
    except (OSError, ValueError):
        return ("failed" if os.path.exists(os.path.join(at, "log")) else "not begun", {})
    return (run["ended"], run)


def describe(study, point):
    """A line: the states of the runs of a point."""
    words, job = [], queued(job_of(study, point).get("job"))
    for at in study.runs(point):
        how, run = state(at)
        if how == "running" and "heartbeat" in run:
            how += f" (step {run['heartbeat']['step']}, {run['heartbeat']['date']})"
        if how == "failed" and os.path.getsize(os.path.join(at, "log")):
            how += f" ({program.reason(at)})"
        words.append(how)
    words = [words[0]] if len(set(words)) == 1 else words
    return f"{name_of(point)}: {', '.join(words)}{f'; job {job.lower()}' if job else ''}"


def row_of(point, repeat, run):
    """A line of runs.csv. Integrators without iterations are counted by steps."""
    steps, waited = run["step"] - run["first_step"], run["waited"]
    row = {key: point[key] for key in PLACE[:-1]}
    row.update(repeat=repeat, steps=steps, vertices=run["mesh"]["vertices"], tets=run["mesh"]["tets"])
    row.update({key: run[key] for key in ("solver", "iterations", "linear_iterations", "fom", *TIMES[:2])})
    row["ranks"], row["hosts"] = run["ranks"], len(run["hosts"])
    row["iteration_seconds"] = run["marching_seconds"] / (run["iterations"] or steps)
    row["rate"] = run["unknowns"] / row["iteration_seconds"] / row["cores"]
    row["waited_share"], row["switches"] = waited["share"], waited["switches"]
    row["memory_largest"], row["memory_all"] = run["memory"]["largest"], run["memory"]["all"]
    for name, of in run["phases"].items():
        row.update({f"{name}_{part}": of[part] for part in ("least", "mean", "largest", "slowest")})
        row[f"{name}_waited"] = of["waited"]["mean"]
    return row


def read_runs(study):
    """Rows of all runs that are done; a line for each point that has others."""
    found = []
    for point in study.points():
        states = [state(at) for at in study.runs(point)]
        for i, (how, run) in enumerate(states):
            if how == "done" and run["ranks"] != point["nodes"] * point["ranks"]:
                raise Failure(f"{study.runs(point)[i]}: {run['ranks']} ranks, expected {name_of(point)}")
            if how == "done":
                found.append(row_of(point, i + 1, run))
        if any(how != "done" for how, _ in states):
            say(describe(study, point))
    if not found:
        raise Failure(f"{study.out}: no run is done")
    return found


def medians(rows):
    """A line a point: the run of median marching time, of those that were not disturbed, if there are any."""
    result = []
    for place in dict.fromkeys((row["series"], row["point"]) for row in rows):
        runs = sorted((r for r in rows if (r["series"], r["point"]) == place), key=lambda r: r["marching_seconds"])
        quiet = [run for run in runs if run["waited_share"] <= SHARED] or runs
        line = dict(quiet[(len(quiet) - 1) // 2])
        line["spread"] = quiet[-1]["marching_seconds"] / quiet[0]["marching_seconds"] - 1
        line["setup_seconds"] = statistics.median_low(run["setup_seconds"] for run in quiet)
        line["runs"], line["disturbed"] = len(runs), sum(run["waited_share"] > SHARED for run in runs)
        line["efficiency"] = line["rate"] / next((r["rate"] for r in result if r["series"] == place[0]), line["rate"])
        result.append(line)
    return result


def table(lines):
    head = ("series", "nodes", "ranks", "threads", "vertices", "solver", "iterations", "set-up [s]", "march [s]")
    head += ("spread [%]", "iteration [ms]", "efficiency [%]", "FOM [1/s]", "memory, largest rank [MB]", "waited [%]")
    body = []
    for line in lines:
        shared = "*" if line["waited_share"] > SHARED else ""
        body.append(
            [line[key] for key in ("series", "nodes", "ranks", "threads")]
            + [f"{line['vertices']:,}", line["solver"], line["iterations"]]
            + [tables.number(line["setup_seconds"], 3), tables.number(line["marching_seconds"], 3) + shared]
            + [f"{100 * line['spread']:.0f}", tables.number(1e3 * line["iteration_seconds"], 3) + shared]
            + [f"{100 * line['efficiency']:.0f}{shared}", tables.number(line["fom"], 3) + shared]
            + [tables.number(line["memory_largest"] / 1e6, 3), f"{100 * line['waited_share']:.1f}"]
        )
    return head, body


def phase_table(lines):
    """Milliseconds of an iteration in each phase, mean over ranks, and the largest over the mean."""
    names, body = phases_of(lines), []
    for line in lines:
        each = lambda name, of=line: tables.number(1e3 * of[f"{name}_mean"] / (of["iterations"] or of["steps"]))
        uneven = lambda name, of=line: of[f"{name}_largest"] / (of[f"{name}_mean"] or 1)
        body.append([line["series"], line["ranks"], *(f"{each(name)} ({uneven(name):.2f})" for name in names)])
    return ("series", "ranks", *(name.replace("_", " ") for name in names)), body


def phases_of(lines):
    """Phases that take time in a march, the longest first; the mesh and the operator are set up before it."""
    names = [key[: -len("_mean")] for key in lines[0] if key.endswith("_mean")]
    total = lambda name: max(line[f"{name}_mean"] / line["marching_seconds"] for line in lines)
    return sorted((n for n in names if n not in ("mesh", "output", "other") and total(n) > 0.005), key=total)[::-1]


def collect(study):
    rows = read_runs(study)
    lines = medians(rows)
    for name, found in (("runs", rows), ("table", lines)):
        outputs.write(f"{study.out}/{name}.csv", dict.fromkeys([*PLACE, *COLUMNS, *TIMES, *found[0]]), found)
    text = "\n".join(
        [
            f"Scaling of {os.path.basename(study.deck)}: medians of {tables.count(study.repeat, 'run')}; spread: "
            "slowest over fastest march, less 1; efficiency: unknowns an iteration, second and core, over the first of "
            "the series; *: threads waited for a core for more than 5 % of their time, the cores were shared.\n",
            tables.markdown(*table(lines)),
            "Milliseconds of an iteration in each phase, set-up included: the mean over ranks, and in brackets the "
            "slowest rank over the mean.\n",
            tables.markdown(*phase_table(lines)),
        ]
    )
    outputs.replace(f"{study.out}/table.md", text)
    say(text)


# ---- plot -----------------------------------------------------------------------------------------------------------


def axis_of(lines):
    """Column and title of what varies along a series."""
    for key, title in (("cores", "cores"), ("ranks", "ranks"), ("vertices", "vertices")):
        if len({line[key] for line in lines}) == len(lines) > 1:
            return key, title
    return "point", "point of the series"


def plot_series(study, name, lines):
    file, (x, label) = f"{name}.csv", axis_of(lines)
    for line in lines:  # the time of an iteration at the efficiency of the first point
        line["ideal_ms"] = 1e3 * line["iteration_seconds"] * line["efficiency"]
    ideal = f"'{file}' using '{x}':'ideal_ms' with lines dt 2 lc 0 title 'ideal'"
    outputs.write(f"{study.out}/{file}", list(lines[0]), lines)
    shares = [line["waited_share"] for line in lines]
    curve = lambda value, title, colour: pictures.marked(file, x, value, title, colour, shares)
    panels = [
        ("time of an iteration", "ms", [curve("1e3*column('iteration_seconds')", "measured", 1), ideal], "logscale y"),
        ("efficiency", "%", [curve("100*column('efficiency')", "measured", 1),
                             "100 with lines dt 2 lc 0 title 'ideal'"], "yrange [0:110]"),
        ("figure of merit", "unknowns x steps / s", [curve("column('fom')", "FOM", 1)], "logscale y"),
        ("phases of an iteration, mean over ranks", "ms",
         [curve(f"1e3*column('{p}_mean')/(column('iterations')>0?column('iterations'):column('steps'))",
                p.replace("_", " "), i + 1) for i, p in enumerate(phases_of(lines))], "logscale y"),
        ("memory", "MB", [curve("column('memory_largest')/1e6", "largest rank", 1),
                          curve("column('memory_all')/1e6", "all ranks", 2)], "logscale y"),
        ("waited for a core", "% of the time of threads", [curve("100*column('waited_share')", "largest rank", 1)],
         "yrange [0:*]"),
    ]  # fmt: skip
    ticks = ", ".join(f"{line[x]}" for line in lines[:: -(-len(lines) // 8)])
    head = ["set multiplot layout 2,3", f"set xlabel '{label}'", f"set xtics ({ticks})", "set key bottom left"]
    low, high = min(line[x] for line in lines), max(line[x] for line in lines)
    head += [f"set xrange [{0.9 * low:g}:{1.1 * high:g}]", *["set logscale x"] * (x != "point")]
    for title, unit, curves, scale in panels:
        head += [f"unset logscale y; set yrange [*:*]; set {scale}; set ylabel '{unit}'"]
        head += [f"set title '{title}'; plot {', '.join(curves)}"]
    pictures.draw(study.out, name, "1700,900", "\n".join(head))


def plot(study):
    lines = medians(read_runs(study))
    for name in study.series:
        own = [line for line in lines if line["series"] == name]
        if own:
            plot_series(study, name, own)


# ---- command line ---------------------------------------------------------------------------------------------------


def main(words):
    parser = program.parser("scaling", __doc__)
    parser.add_argument("command", choices=("submit", "collect", "plot"))
    parser.add_argument("table", help="the description of the study")
    parser.add_argument("--dry-run", action="store_true", help="submit: print what would run")
    parser.add_argument("--local", action="store_true", help="submit: run here, also where there is Slurm")
    given = parser.parse_args(words)
    study = Study(given.table)
    if given.command == "submit":
        return submit(study, given)
    (collect if given.command == "collect" else plot)(study)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Failure, OSError) as failure:
        sys.exit(f"jobs/scaling.py: {failure}")
