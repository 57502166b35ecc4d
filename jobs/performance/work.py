"""
An iteration, the way to a tolerance, set-up, memory and laws. With WRING_BEFORE=TREE, a checkout of another version
that is built in TREE/build, both versions run in turn, each with its own decks, and the table gives their ratio:
machines differ by a factor of two, and by as much from hour to hour.
"""
import contextlib
import os
import statistics
import subprocess
import sys

import program
from outputs import iteration_ms, load, phase_ms, rows
from tables import number

OUT = "out/performance/work"
BOX, STRAIN = "inputs/bench/box.yaml", "inputs/bench/box_strain.yaml"
MULTIGRID, SHORT = {"operator_type": "multigrid"}, {"time_steps": 2}
REPEAT = 3
ERRORS = ("1e-4", "1e-8")
PHASES = {"local": "local", "operator_solve": "solve", "vector": "vector", "halo": "halo", "reduction": "reduction"}

# What, deck, cells, ranks, threads, options.
ITERATIONS = [
    ("qn, neo-Hookean, 127,008 tets", BOX, "28,28,27", 1, 2, {}),
    ("qn, corotated, 127,008 tets", BOX, "28,28,27", 1, 2, {"material_model": "corotated"}),
    ("qn, neo-Hookean, 10,368 tets", BOX, "12,12,12", 1, 1, {"time_steps": 20}),
    ("qn, neo-Hookean, 1,170,672 tets", BOX, "58,58,58", 2, 1, SHORT),
    ("admm, neo-Hookean, 488,136 tets", BOX, "43,43,44", 1, 2, {"solver_type": "admm", **SHORT}),
    ("xpbd, strain, 488,136 tets", STRAIN, "43,43,44", 1, 2, {"solver_type": "xpbd", "time_steps": 3}),
]
SPLITS = ((2, 1), (1, 2))  # ranks, threads
LAWS = (
    ("volume", "energy+gradient"),
    ("strain_limit", "energy+gradient"),
    ("spline", "energy+gradient"),
    ("neohookean", "prox"),
    ("spline", "prox"),
)


def versions():
    """Trees: {"now": None}, and "before" where another version is given."""
    tree = os.environ.get("WRING_BEFORE")
    return {"before": os.path.abspath(tree), "now": None} if tree else {"now": None}


def run(name, command, deck, ranks, threads, options, repeat=REPEAT, busy=True):
    """{version: folders}, the versions in turn; busy: as in program.environment."""
    folders = {version: [] for version in versions()}
    for i in range(repeat):
        for version, tree in versions().items():
            folder = f"{OUT}/{name}_{version}_{i}"
            how = {"ranks": ranks, "threads": threads, "busy": busy, "tree": tree}
            folders[version].append(program.run(command, deck, folder, options, **how))
    return folders


def medians(folders, measure):
    return {version: statistics.median(map(measure, own)) for version, own in folders.items()}


def line(what, ranks, threads, unit, measured, folder=None):
    """Cells of a line: both versions, their ratio, and milliseconds of an iteration by phase of a run."""
    before, now = measured.get("before"), measured["now"]
    ratio = number(now / before) if before else "-"
    parts = [number(phase_ms(folder, key)) if folder else "-" for key in PHASES]
    return (what, f"{ranks} x {threads}", unit, number(before, 3), number(now, 3), ratio, *parts)


def iterations():
    for i, (what, deck, cells, ranks, threads, options) in enumerate(ITERATIONS):
        folders = run(f"iteration_{i}", "run", deck, ranks, threads, {"mesh_box_cells": cells, **options})
        yield line(what, ranks, threads, "ms", medians(folders, iteration_ms), folders["now"][-1])


def first_below(folder, least, error):
    """Milliseconds from x_0 to the first iteration whose relative error of g is at most this, in the first step."""
    history = [row for row in rows(folder) if row["step"] == "1"]
    start = float(history[0]["objective"])
    for row in history:
        if float(row["objective"]) - least <= error * (start - least):
            return 1e3 * (float(row["seconds"]) - float(history[0]["seconds"]))
    return float("nan")


def tolerances():
    """The first step of the box to relative errors of g, whose least value is that of all runs."""
    options = {"mesh_box_cells": "28,28,27", "time_steps": 1, "solver_max_it": 100}
    folders = run("tolerance", "run", BOX, 1, 2, options)
    least = min(float(row["objective"]) for own in folders.values() for folder in own for row in rows(folder))
    for error in ERRORS:
        taken = medians(folders, lambda folder, error=error: first_below(folder, least, float(error)))
        yield line(f"qn, neo-Hookean, 127,008 tets, a step to {error}", 1, 2, "ms", taken)


def set_ups():
    for ranks, threads in SPLITS:
        options = {"mesh_box_cells": "58,58,58", **MULTIGRID, "time_steps": 1, "solver_max_it": 1}
        folders = run(f"set_up_{ranks}", "run", BOX, ranks, threads, options)
        ns = lambda folder: 1e9 * load(folder, "run.json")["seconds"]["operator_set_up"] / tets(folder)
        yield line("set-up with multigrid, 1,170,672 tets", ranks, threads, "ns/tet", medians(folders, ns))


def tets(folder):
    return load(folder, "run.json")["mesh"]["tets"]


def memory():
    """At the peak of a run, program and libraries included."""
    for ranks, threads in SPLITS:
        options = {"mesh_box_cells": "94,94,94", **MULTIGRID, "time_steps": 1}
        folders = run(f"memory_{ranks}", "run", BOX, ranks, threads, options, repeat=1)
        taken = medians(folders, lambda folder: load(folder, "run.json")["peak_memory"] / tets(folder))
        yield line("memory with multigrid, 4,983,504 tets", ranks, threads, "B/tet", taken)


def laws():
    options = {"bench_parts": "laws", "bench_tets": 500000, "bench_budget": 0.2}
    folders = run("laws", "bench", None, 1, 2, options)
    for law in LAWS:
        found = lambda row, law=law: (row["name"], row["work"]) == law
        ns = lambda folder, found=found: next(filter(found, load(folder, "bench.json")["rows"]))["ns_per_tet"]
        yield line(", ".join(law), 1, 2, "ns/tet", medians(folders, ns))


@contextlib.contextmanager
def another_process():
    """A process that computes meanwhile, and takes half of a core or a whole one."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def contended():
    """An iteration beside a process that computes, over one without it; threads wait as by default."""
    for solver in ("qn", "admm"):
        options = {"mesh_box_cells": "28,28,27", "solver_type": solver, "time_steps": 20}
        alone = medians(run(f"alone_{solver}", "run", BOX, 1, 2, options, busy=False), iteration_ms)
        with another_process():
            beside = medians(run(f"beside_{solver}", "run", BOX, 1, 2, options, busy=False), iteration_ms)
        times = {version: beside[version] / alone[version] for version in alone}
        yield line(f"{solver}, 127,008 tets, beside a process that computes", 1, 2, "times", times)


def table(_):
    head = ("work", "ranks x threads", "unit", "before", "now", "ratio", *(f"{name} [ms]" for name in PHASES.values()))
    return 2, head, [*iterations(), *tolerances(), *set_ups(), *memory(), *laws(), *contended()]
