"""
The targets of 0.2: an iteration, the way to a tolerance, set-up, memory and laws. With WRING_BEFORE=TREE, a checkout of
another version that is built in TREE/build, both versions run in turn, each with its own decks, and the table gives
their ratio: machines differ by a factor of two, and by as much from hour to hour.
"""
import contextlib
import os
import statistics
import subprocess
import sys

import program
from outputs import iteration_ms, load, phase_ms, rows
from performance import kernels
from tables import markdown, number

OUT = "out/performance/targets"
BOX, STRAIN = "inputs/bench/box.yaml", "inputs/bench/box_strain.yaml"
MULTIGRID, SHORT = {"operator_type": "multigrid"}, {"time_steps": 2}
REPEAT = 3
ERRORS = (1e-4, 1e-8)

# What, milliseconds of 0.1 (commit a31d065) and target on one machine, deck, cells, ranks, threads, options.
ITERATIONS = [
    ("qn, neo-Hookean, 127,008 tets", 3.8, 2.2, BOX, "28,28,27", 1, 2, {}),
    ("qn, corotated, 127,008 tets", 5.3, 3.3, BOX, "28,28,27", 1, 2, {"material_model": "corotated"}),
    ("qn, neo-Hookean, 10,368 tets, 1 thread", 0.33, 0.2, BOX, "12,12,12", 1, 1, {"time_steps": 20}),
    ("qn, neo-Hookean, 1,170,672 tets, 2 ranks", 49, 28, BOX, "58,58,58", 2, 1, SHORT),
    ("admm, neo-Hookean, 488,136 tets", 40, 25, BOX, "43,43,44", 1, 2, {"solver_type": "admm", **SHORT}),
    ("xpbd, strain, 488,136 tets", 8.7, 6, STRAIN, "43,43,44", 1, 2, {"solver_type": "xpbd", "time_steps": 3}),
]

# What, nanoseconds per tetrahedron of 0.1 and target, cells, ranks, threads.
SET_UPS = [
    ("set-up with multigrid, 1,170,672 tets, 2 ranks", 810, 450, "58,58,58", 2, 1),
    ("set-up with multigrid, 1,170,672 tets, 2 threads", 1503, 700, "58,58,58", 1, 2),
]

# What, bytes per tetrahedron of 0.1 and target, cells, ranks, threads.
MEMORY = [
    ("memory with multigrid, 4,983,504 tets, 2 threads", 428, 400, "94,94,94", 1, 2),
    ("memory with multigrid, 4,983,504 tets, 2 ranks", 513, 450, "94,94,94", 2, 1),
]

# Law, work, nanoseconds per tetrahedron of 0.1 and target.
LAWS = [
    ("volume", "energy+gradient", 61, 20),
    ("strain_limit", "energy+gradient", 42, 20),
    ("spline", "energy+gradient", 59, 25),
    ("neohookean", "prox", 31, 18),
    ("spline", "prox", 177, 60),
]


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


def verdict(value, target):
    return "met" if value <= target else f"{100 * (value / target - 1):.0f}% above"


def line(what, unit, reference, target, measured, note=""):
    """Cells of a line: the target as a part of 0.1's value, and what was measured as a part of the other version's."""
    before, now, aim = measured.get("before"), measured["now"], target / reference
    cell = lambda value: f"{number(value, 3)} {unit}" if value is not None else "-"
    if before is None:
        return (what, "-", cell(now), "-", f"{aim:.2f}", "-", note)
    ratio = now / before
    return (what, cell(before), cell(now), f"{ratio:.2f}", f"{aim:.2f}", verdict(ratio, aim), note)


def phases(folder):
    """Milliseconds of an iteration by phase, the large ones first."""
    names = {"local": "local", "solve": "operator_solve", "vector": "vector", "halo": "halo", "reduction": "reduction"}
    parts = sorted(((phase_ms(folder, key), name) for name, key in names.items()), reverse=True)
    return ", ".join(f"{name} {number(ms)}" for ms, name in parts if ms > 0.02 * parts[0][0])


def iterations():
    for i, (what, reference, target, deck, cells, ranks, threads, options) in enumerate(ITERATIONS):
        folders = run(f"iteration_{i}", "run", deck, ranks, threads, {"mesh_box_cells": cells, **options})
        yield line(what, "ms", reference, target, medians(folders, iteration_ms), phases(folders["now"][-1]))


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
        taken = medians(folders, lambda folder, error=error: first_below(folder, least, error))
        power = f"{error:.0e}".replace("e-0", "e-")
        yield line(f"qn, neo-Hookean, 127,008 tets, a step to {power}", "ms", 1, 0.65, taken)


def set_ups():
    for what, reference, target, cells, ranks, threads in SET_UPS:
        options = {"mesh_box_cells": cells, **MULTIGRID, "time_steps": 1, "solver_max_it": 1}
        folders = run(f"set_up_{ranks}", "run", BOX, ranks, threads, options)
        ns = lambda folder: 1e9 * load(folder, "run.json")["seconds"]["operator_set_up"] / tets(folder)
        yield line(what, "ns/tet", reference, target, medians(folders, ns))


def tets(folder):
    return load(folder, "run.json")["mesh"]["tets"]


def memory():
    """At the peak of a run, program and libraries included."""
    for what, reference, target, cells, ranks, threads in MEMORY:
        options = {"mesh_box_cells": cells, **MULTIGRID, "time_steps": 1}
        folders = run(f"memory_{ranks}", "run", BOX, ranks, threads, options, repeat=1)
        taken = medians(folders, lambda folder: load(folder, "run.json")["peak_memory"] / tets(folder))
        yield line(what, "B/tet", reference, target, taken)


def laws():
    options = {"bench_parts": "laws", "bench_tets": 500000, "bench_budget": 0.2}
    folders = run("laws", "bench", None, 1, 2, options)
    for name, work, reference, target in LAWS:
        ns = lambda folder, name=name, work=work: kernels.pick(load(folder, "bench.json"), name=name, work=work)[
            "ns_per_tet"
        ]
        yield line(f"{name}, {work}, 2 threads", "ns/tet", reference, target, medians(folders, ns))


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
        note = f"{number(alone['now'])} and {number(beside['now'])} ms"
        cell = lambda value: f"{value:.2f} times" if value else "-"
        what = f"{solver}, 127,008 tets, 2 threads beside a process that computes"
        yield (what, cell(times.get("before")), cell(times["now"]), "-", "2 times", verdict(times["now"], 2), note)


def growth():
    """Time of an iteration per tetrahedron, from 200 thousand to 5 million."""
    cost = []
    for cells, count in (("32,32,32", 5), ("94,94,94", 1)):
        options = {"mesh_box_cells": cells, **MULTIGRID, "time_steps": count}
        folder = program.run("run", BOX, f"{OUT}/growth_{cells[:2]}", options, threads=2, busy=True)
        cost.append(1e6 * iteration_ms(folder) / tets(folder))
    ratio = cost[1] / cost[0]
    what = "qn, ns per tet of 4,983,504 over those of 196,608"
    return (what, f"{cost[0]:.1f} ns", f"{cost[1]:.1f} ns", f"{ratio:.2f}", "1.15", verdict(ratio, 1.15), "")


def measure(_):
    lines = [*iterations(), *tolerances(), *set_ups(), *memory(), *laws(), *contended(), growth()]
    head = ("work", "before", "now", "ratio", "target", "", "now, of which per iteration [ms]")
    return markdown(head, lines)
