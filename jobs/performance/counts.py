"""
What the model of an iteration needs, measured: times on 1 and 2 ranks, and what 2 to 16 ranks send, which do not
depend on time.
"""
import glob
import json
import os
import re
import subprocess

import numpy as np

import program
from outputs import iteration_ms, load, phase_ms

OUT = "out/performance/model"
BOX = "inputs/bench/box.yaml"
MULTIGRID = {"operator_type": "multigrid", "output_every": 0}
SPLIT = {2: (2, 1, 1), 4: (2, 2, 1), 8: (2, 2, 2), 16: (4, 2, 2)}
SIDE = 12  # cells of a rank's cube
RUNS = (
    (10, 1e-2),
    (60, 1e-2),
    (60, 1e-6),
)  # iterations, operator.rtol; long, for what the set-up sends is not the same every time
FINE = 24  # bytes of a vertex in the halo of x and forces; the cycle sends 12


def run(folder, options, ranks, **how):
    return program.run("run", BOX, folder, {**options, **MULTIGRID}, ranks=ranks, busy=True, **how)


def cells(ranks, side):
    return ",".join(str(side * s) for s in SPLIT[ranks])


def hierarchy(text):
    """Rows, entries of a row and active ranks of every level, from PETSc's own report."""
    found = re.findall(r"(\d+)\) N=(\d+),.*nnz/row \(ave\)=(\d+)(?:, (\d+) active|, np=(\d+))", text)
    return [{"rows": int(n), "entries": int(e), "ranks": int(a or b)} for _, n, e, a, b in found]


def read_counts(prefix, ranks):
    """Of every rank {tag or call: (count, bytes)}."""
    result = []
    for rank in range(ranks):
        with open(f"{prefix}.{rank}", encoding="utf-8") as file:
            result.append({name: (float(n), float(b)) for name, n, b in (line.split() for line in file)})
    return result


def run_counted(ranks, iterations, rtol, library):
    folder = f"{OUT}/count_{ranks}_{iterations}_{rtol:g}"
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(f"{folder}/count.*"):
        os.remove(old)
    os.environ["COUNT"], os.environ["PETSC_OPTIONS"] = f"{folder}/count", "-info :pc"
    run(
        folder,
        {"mesh_box_cells": cells(ranks, SIDE), "time_steps": 1, "solver_max_it": iterations, "operator_rtol": rtol},
        ranks,
        preload=library,
    )
    del os.environ["PETSC_OPTIONS"]
    with open(f"{folder}/log", encoding="utf-8") as log:
        levels = hierarchy(log.read())
    done = load(folder, "run.json")
    return (
        read_counts(f"{folder}/count", ranks),
        levels,
        (1, done["iterations"], done["linear_iterations"]),
        done["mesh"]["vertices"],
    )


def counted(ranks, library):
    """Per iteration of qn and per inner iteration, of each tag: messages and bytes of a rank, mean and largest."""
    runs = [run_counted(ranks, its, rtol, library) for its, rtol in RUNS]
    system = np.array([r[2] for r in runs], float)
    names = sorted({name for r in runs for rank in r[0] for name in rank})
    result = []
    for name in names:
        value = np.array([[[rank.get(name, (0, 0))[k] for rank in r[0]] for k in (0, 1)] for r in runs])
        _, outer, inner = np.linalg.solve(system, value.reshape(len(runs), -1)).reshape(3, 2, ranks)
        if max(outer[0].max(), inner[0].max()) < 0.05:
            continue  # of the set-up
        result.append(
            {
                "name": name,
                "per_iteration": {"messages": outer[0].mean(), "bytes": outer[1].mean()},
                "per_inner": {"messages": inner[0].mean(), "most": inner[0].max(), "bytes": inner[1].mean()},
            }
        )
    return {"ranks": ranks, "vertices": runs[0][3], "levels": runs[0][1], "sends": result}


def ghosts():
    """Ghosts of a part over (vertices of a part)^(2/3), for parts of METIS far more than there are ranks here."""
    mesh = f"{OUT}/box.msh"
    subprocess.check_call(
        [program.path(), "mesh", "box", mesh, "-size", "1,1,1", "-cells", "40,40,40", "-binary"],
        stdout=subprocess.DEVNULL,
    )
    subprocess.check_call(
        [program.path(), "mesh", "info", mesh, "-parts", "8,64,512", "-json", f"{OUT}/parts.json"],
        stdout=subprocess.DEVNULL,
    )
    with open(f"{OUT}/parts.json", encoding="utf-8") as file:
        info = json.load(file)
    n = info["vertices"]
    return [
        {"parts": p["parts"], "c": p["ghosts"] / p["parts"] / (n / p["parts"]) ** (2 / 3)} for p in info["partitions"]
    ]


def times(ranks):
    """ns per tetrahedron, per vertex and per entry of the hierarchy, of 1 rank, or of 2 that share the memory."""
    folder = run(f"{OUT}/time_{ranks}", {"mesh_box_cells": "58,58,58", "time_steps": 3}, ranks)
    done = load(folder, "run.json")
    ns = lambda *phases: 1e6 * phase_ms(folder, *phases) * ranks
    inner = done["linear_iterations"] / done["iterations"]
    return {
        "ranks": ranks,
        "tets": done["mesh"]["tets"],
        "vertices": done["mesh"]["vertices"],
        "inner": inner,
        "local": ns("local") / done["mesh"]["tets"],
        "vector": ns("vector") / done["mesh"]["vertices"],
        "solve": ns("operator_solve") / inner / done["mesh"]["vertices"],
    }


def weak(ranks):
    """Milliseconds of an iteration with 101,614 vertices on each of 1 or 2 ranks."""
    cells, size = (("46,46,45", "1,1,1"), ("92,46,45", "2,1,1"))[ranks - 1]
    return iteration_ms(run(f"{OUT}/weak_{ranks}", {"mesh_box_cells": cells, "mesh_box_size": size}, ranks))


def measure():
    os.makedirs(OUT, exist_ok=True)
    library = os.path.abspath(f"{OUT}/count.so")
    if subprocess.call(["mpicc", "-shared", "-fPIC", "-O2", "jobs/performance/count.c", "-o", library]):
        raise program.Failure("mpicc cannot build jobs/performance/count.c")
    result = {
        "times": [times(1), times(2)],
        "counts": [counted(ranks, library) for ranks in SPLIT],
        "ghosts": ghosts(),
        "weak": [weak(1), weak(2)],
    }
    os.environ["PETSC_OPTIONS"] = "-info :pc"
    folder = run(f"{OUT}/levels", {"mesh_box_cells": "58,58,58", "time_steps": 1, "solver_max_it": 1}, 2)
    del os.environ["PETSC_OPTIONS"]
    with open(f"{folder}/log", encoding="utf-8") as log:
        result["levels"] = hierarchy(log.read())
    with open(f"{OUT}/measured.json", "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
    return result
