"""
Every figure that has a target, measured in one go: milliseconds of an iteration, bytes and nanoseconds of a
tetrahedron.
"""
import program
from outputs import iteration_ms, load, phase_ms, steps
from performance import kernels
from tables import markdown, number

OUT = "out/performance/targets"
REFERENCE = 28  # GB/s, the triad of two threads on the machine that the targets were set on
BOX, STRAIN = "inputs/bench/box.yaml", "inputs/bench/box_strain.yaml"
ADMM, XPBD, MULTIGRID = {"solver_type": "admm"}, {"solver_type": "xpbd"}, {"operator_type": "multigrid"}
SHORT = {"time_steps": 3}

# What, target [ms], deck, cells, ranks, threads, options.
ITERATIONS = [
    ("qn, neo-Hookean, 127,008 tets", 5, BOX, "28,28,27", 1, 2, {}),
    ("qn, corotated, 127,008 tets", 6.5, BOX, "28,28,27", 1, 2, {"material_model": "corotated"}),
    ("qn, neo-Hookean, 10,368 tets, 1 thread", 0.35, BOX, "12,12,12", 1, 1, {"time_steps": 20}),
    ("admm, neo-Hookean, 97,500 tets", 13, BOX, "25,25,26", 1, 2, ADMM),
    ("admm, neo-Hookean, 488,136 tets", 70, BOX, "43,43,44", 1, 2, {**ADMM, **SHORT}),
    ("admm, strain, 488,136 tets", 45, STRAIN, "43,43,44", 1, 2, {**ADMM, **SHORT}),
    ("xpbd, strain, 97,500 tets", 2.5, STRAIN, "25,25,26", 1, 2, XPBD),
    ("xpbd, strain, 488,136 tets", 14, STRAIN, "43,43,44", 1, 2, XPBD),
    (
        "qn, neo-Hookean, 1,170,672 tets, 2 ranks, inner 1e-2",
        90,
        BOX,
        "58,58,58",
        2,
        1,
        {"operator_rtol": 1e-2, **SHORT},
    ),
]


def run(name, deck, cells, ranks, threads, options):
    return program.run(
        "run", deck, f"{OUT}/{name}", {"mesh_box_cells": cells, **options}, ranks=ranks, threads=threads, busy=True
    )


def phases(folder):
    """Milliseconds of an iteration by phase, the large ones first."""
    names = {"local": "local", "solve": "operator_solve", "vector": "vector", "halo": "halo", "reduction": "reduction"}
    parts = sorted(((phase_ms(folder, key), name) for name, key in names.items()), reverse=True)
    return ", ".join(f"{name} {number(ms)}" for ms, name in parts if ms > 0.02 * parts[0][0])


def verdict(value, target):
    return "met" if value <= target else f"{100 * (value / target - 1):.0f}% above"


def iterations(scale):
    """A line for each target in milliseconds."""
    for i, (what, target, deck, cells, ranks, threads, options) in enumerate(ITERATIONS):
        folder = run(f"iteration_{i}", deck, cells, ranks, threads, options)
        ms = iteration_ms(folder)
        yield (
            what,
            f"{target} ms",
            f"{number(ms, 3)} ms",
            f"{number(ms * scale, 3)} ms",
            verdict(ms * scale, target),
            phases(folder),
        )


def memory():
    """What a run of qn with multigrid needs at its peak, with and without program and libraries."""
    folder = run("memory", BOX, "43,43,44", 1, 1, {**MULTIGRID, "time_steps": 1})
    small = run("memory_small", BOX, "1,1,1", 1, 1, {"time_steps": 1})
    tets, bare = load(folder, "run.json")["mesh"]["tets"], load(small, "run.json")["peak_memory"]
    peak = load(folder, "run.json")["peak_memory"]
    return (
        "memory of qn with multigrid, 488,136 tets",
        "500 B/tet",
        f"{peak / tets:.0f} B/tet",
        "-",
        verdict(peak / tets, 500),
        f"{bare / tets:.0f} of them are the program and its libraries, {bare / 1e6:.0f} MB",
    )


def growth():
    """Time of an iteration per tetrahedron, from 200 thousand to 5 million."""
    cost = []
    for cells, options in (("32,32,32", {"time_steps": 5}), ("94,94,94", {"time_steps": 1})):
        folder = run("growth_" + cells[:2], BOX, cells, 1, 2, {**MULTIGRID, **options})
        cost.append(
            (
                1e6 * iteration_ms(folder) / load(folder, "run.json")["mesh"]["tets"],
                sum(s["linear"] for s in steps(folder)) / sum(s["iterations"] for s in steps(folder)),
            )
        )
    (first, a), (last, b) = cost
    return (
        "time per tet of a qn iteration, 4,983,504 over 196,608 tets",
        "1.15",
        f"{last / first:.2f}",
        "-",
        verdict(last / first, 1.15),
        f"{first:.0f} and {last:.0f} ns; {a:.1f} and {b:.1f} inner iterations",
    )


def weak(triad):
    """1 and 2 ranks with 100 thousand vertices each: the throughput grows by a share of what the bandwidth grows by."""
    one = run("weak_1", BOX, "46,46,45", 1, 1, MULTIGRID)
    two = run("weak_2", BOX, "92,46,45", 2, 1, {**MULTIGRID, "mesh_box_size": "2,1,1"})
    gain, bandwidth = 2 * iteration_ms(one) / iteration_ms(two), triad["ranks"] / triad["one"]
    return (
        "throughput of 2 ranks over 1, 101,614 vertices each, over the triad's",
        "0.95",
        f"{gain / bandwidth:.2f}",
        "-",
        "met" if gain >= 0.95 * bandwidth else f"{100 * (1 - gain / bandwidth / 0.95):.0f}% below",
        f"{iteration_ms(one):.1f} and {iteration_ms(two):.1f} ms, {gain:.2f} times; triad {bandwidth:.2f} times",
    )


def measure(_):
    triad = kernels.bandwidth()
    scale = triad["threads"] / REFERENCE
    lines = list(iterations(scale)) + [memory(), growth()] + kernels.targets(scale, verdict) + [weak(triad)]
    head = (
        "work",
        "target",
        "measured",
        f"scaled by the triad, {triad['threads']:.1f} / {REFERENCE} GB/s",
        "",
        "of which, per iteration [ms]",
    )
    return markdown(head, lines)
