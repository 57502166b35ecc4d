"""python3 jobs peers [--tets N,...] [--ranks N,...] [--repeat N] [case...]: wring beside FEniCSx.

A cantilever of 4 m x 1 m x 1 m of neohookean, E = 1 MPa, is bent by a traction at its end (statics, one load step) or
by gravity (ten steps of implicit Euler), with the same energy on the same mesh; `auto`, `newton` and FEniCSx stop at
|grad g| <= 1e-4 N. Runs alternate; a number is the median, also of the ratios to `auto` and to `newton` of one round.
Seconds are those of all solves with what they set up, of wring everything but the mesh and files. Bytes are peaks of
all ranks together, less what the programs and their libraries take without the mesh. Installs python3-dolfinx (Debian).
The table peers of `jobs performance` is a part of them.
"""
import functools
import json
import multiprocessing
import os
import statistics
import subprocess
import sys

import outputs
import program
import tables
from outputs import load
from program import DEBIAN_PYTHON, Failure, say

OUT = "out/peers"
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fenicsx.py")
DECK = "inputs/bench/cantilever.yaml"
YOUNG, DENSITY, ATOL = 1e6, 1000.0, 1e-4  # of this deck
GRAVITY, STEP, STEPS = -9.81, 1 / 30, 10  # in time
CASES = {  # order, Poisson's ratio, traction [Pa], none in time, and solvers of FEniCSx
    "statics": (1, 0.4, -1e4, ("gamg",)),
    "nearly": (1, 0.499, -1e4, ("gamg", "mumps")),
    "order2": (2, 0.4, -1e4, ("gamg",)),
    "order2_nearly": (2, 0.499, -1e3, ("mumps",)),  # a larger one takes FEniCSx more than 200 iterations
    "dynamics": (1, 0.4, None, ("gamg",)),
}
LARGEST_FACTOR = 2e5  # tets, of MUMPS
OURS = ("auto", "newton")
HEAD = ("case", "tets", "ranks", "program", "seconds", *(f"over {name}" for name in OURS))
HEAD += ("iterations", "linear", "bytes_per_tet", "energy")


def cells(tets):
    """A cube's side in cells of six tets, of which the bar has four cubes."""
    return max(1, round((tets / 24) ** (1 / 3)))


def convert(base):
    """BASE.vtu as arrays for numpy, BASE.npz."""
    import numpy
    from vtk.util.numpy_support import vtk_to_numpy

    grid = outputs.grid(f"{base}.vtu")
    cells_of = vtk_to_numpy(grid.GetCells().GetConnectivityArray()).reshape(-1, 4)
    points = vtk_to_numpy(grid.GetPoints().GetData())
    numpy.savez(f"{base}.part.npz", points=points, cells=cells_of.astype("int64"))
    os.replace(f"{base}.part.npz", f"{base}.npz")


def write_mesh(side):
    """The box of wring as arrays; gives their path. In a process of its own: Linux counts ours in a child's peak."""
    base = f"{OUT}/box_{side}"
    if not os.path.exists(f"{base}.npz"):
        if program.call("mesh", "box", f"{base}.vtu", "-size", "4,1,1", "-cells", f"{4 * side},{side},{side}"):
            raise Failure(f"wring mesh box {base}.vtu has failed")
        child = multiprocessing.Process(target=convert, args=(base,))
        child.start()
        child.join()
        if child.exitcode:
            raise Failure(f"{base}.vtu was not converted")
    return os.path.abspath(f"{base}.npz")


@functools.cache
def empty(ranks):
    """Bytes that the program and its libraries take with a mesh of 24 tets."""
    keys = {"mesh_box_cells": "4,1,1", "output_every": 0}
    return load(program.run("run", DECK, f"{OUT}/empty-{ranks}", keys, ranks=ranks), "run.json")["peak_memory"]


def by_wring(name, side, ranks, solver):
    """A run of wring: seconds, iterations, linear iterations, bytes, energy."""
    order, poisson, pull, _ = CASES[name]
    options = {
        "mesh_box_cells": f"{4 * side},{side},{side}",
        "mesh_order": order,
        "material_poisson": poisson,
        "traction_xmax_value": f"0,0,{pull or 0}",
        "output_every": 0,
        "solver_type": solver,
    }
    if pull is None:
        options |= {"time_integrator": "implicit_euler", "time_step": STEP, "time_steps": STEPS}
        options["gravity"] = f"0,0,{GRAVITY}"
    folder = program.run("run", DECK, f"{OUT}/{name}-{solver}-{side}-{ranks}", options, ranks=ranks, busy=True)
    record = load(folder, "run.json")
    phases = record["seconds"]
    return {
        "seconds": phases["total"] - phases["mesh"] - phases["output"],
        "iterations": record["iterations"],
        "linear": record["linear_iterations"],
        "bytes": record["peak_memory"] - empty(ranks),
        "energy": float(outputs.rows(folder)[-1]["objective"]),
    }


def by_fenicsx(name, side, ranks, solver):
    """The same by FEniCSx."""
    order, poisson, pull, _ = CASES[name]
    case = {
        "mesh": write_mesh(side),
        "law": "neohookean",
        "order": order,
        "young": YOUNG,
        "poisson": poisson,
        "density": DENSITY,
        "end": 4,
        "traction": [0, 0, pull or 0],
        "gravity": [0, 0, GRAVITY],
        "h": STEP if pull is None else None,
        "steps": STEPS,
        "atol": ATOL,
        "solver": solver,
    }
    found = call_fenicsx(case, f"{OUT}/{name}", ranks)
    return {**found, "bytes": found["memory"] - found["first"]}


def call_fenicsx(case, base, ranks=1):
    """What fenicsx.py finds; its case and, if it fails, its output are in files whose names begin with base."""
    outputs.replace(f"{base}.json", json.dumps(case))
    line = program.UNDER + [program.MPIEXEC, "-n", str(ranks), DEBIAN_PYTHON, SCRIPT, f"{base}.json"]
    done = subprocess.run(line, capture_output=True, text=True, env=program.environment(ranks, busy=True), check=False)
    if done.returncode:
        own = [line for line in done.stderr.splitlines() if line.startswith("fenicsx: ")] or ["see its output"]
        outputs.replace(f"{base}.log", done.stderr)
        raise Failure(f"{own[0]} (FEniCSx, {tables.count(ranks, 'rank')}, {base}.log)")
    return json.loads(done.stdout.splitlines()[-1])


def measure(name, side, ranks, repeat):
    """The lines of the table of a case: medians of alternating runs."""
    tets, peers = 24 * side**3, {one: lambda one=one: by_wring(name, side, ranks, one) for one in OURS}
    for solver in CASES[name][3]:
        if solver == "gamg" or tets <= LARGEST_FACTOR:
            peers[f"fenicsx {solver}"] = lambda solver=solver: by_fenicsx(name, side, ranks, solver)
    runs = {peer: [] for peer in peers}
    for _ in range(repeat):
        for peer, once in peers.items():
            runs[peer].append(once())
    median = lambda peer, key: statistics.median(run[key] for run in runs[peer])
    lines = []
    for peer in peers:
        ratios = (statistics.median(b["seconds"] / a["seconds"] for a, b in zip(runs[one], runs[peer])) for one in OURS)
        lines.append(
            [name, tets, ranks, peer, f"{median(peer, 'seconds'):.3g}", *(f"{ratio:.2f}" for ratio in ratios)]
            + [f"{median(peer, key):.0f}" for key in ("iterations", "linear")]
            + [f"{median(peer, 'bytes') / tets:.0f}", f"{median(peer, 'energy'):.10g}"]
        )
        say(tables.text(HEAD, lines[-1:]))
    return lines


def prepare():
    program.install("python3-dolfinx", "python3-numpy", "python3-vtk9")
    program.path()
    os.makedirs(OUT, exist_ok=True)


def main(arguments):
    if sys.executable != DEBIAN_PYTHON:
        os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, "-B", "jobs", "peers", *arguments])
    parser = program.parser("peers", __doc__)
    parser.add_argument("--tets", type=program.counts, default=[10000, 100000, 1000000])
    parser.add_argument("--ranks", type=program.counts, default=[1, 2])
    parser.add_argument("--repeat", type=program.count, default=3)
    given = program.parse_names(parser, arguments, CASES, "case")
    prepare()
    lines = [
        line
        for name in given.name
        for tets in given.tets
        for ranks in given.ranks
        for line in measure(name, cells(tets), ranks, given.repeat)
    ]
    say(tables.text(HEAD, lines))
    return 0
