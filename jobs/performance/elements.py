"""
Iterations of solvers on Cook's membrane of inputs/verification/cook.yaml, its faces held, from nu = 0.3 to 0.4999, for
each element: two load steps to 1e-8. Counts, on one rank: nothing is timed. docs/theory.md 3.12.
"""
import os

from outputs import rows
from program import run
from verify.benchmarks import cook_mesh

OUT = "out/performance/elements"
MU = 422500  # [Pa]
RATIOS = (0.3, 0.49, 0.499, 0.4999)
ELEMENTS = ((1, "full", 8), (1, "mean", 8), (2, "full", 4), (2, "mean", 4))  # order, volumetric, cells a side
SOLVERS = ("newton", "trust_region", "auto", "qn")
MOST = 1000  # iterations of a step
ENDS = {"converged": "", "at round-off": "*", "max_it": "!"}


def iterations(order, volumetric, cells, solver, ratio):
    """Of both load steps; *: ended at round-off of g, !: at the limit of iterations."""
    folder = f"{OUT}/{order}{volumetric}_{solver}_{ratio}"
    options = {
        "mesh_file": os.path.abspath(f"{OUT}/{cells}.msh"),
        "mesh_order": order,
        "material_model": "neohookean",
        "material_mu": MU,
        "material_lambda": 2 * MU * ratio / (1 - 2 * ratio),
        "material_volumetric": volumetric,
        "solver_type": solver,
        "solver_rtol": 1e-8,
        "solver_max_it": MOST,
        "output_every": 0,
    }
    run("run", "inputs/verification/cook.yaml", folder, options)
    return " + ".join(row["iterations"] + ENDS.get(row["reason"], "?") for row in rows(folder, "steps.csv"))


def table(_):
    os.makedirs(OUT, exist_ok=True)
    for cells in sorted({cells for _, _, cells in ELEMENTS}):
        cook_mesh(cells).write(f"{OUT}/{cells}.msh")
    lines = [
        [f"order {order}, {volumetric}", solver]
        + [iterations(order, volumetric, cells, solver, ratio) for ratio in RATIOS]
        for solver in SOLVERS
        for order, volumetric, cells in ELEMENTS
    ]
    head = ["element", "solver"] + [f"nu = {ratio}" for ratio in RATIOS]
    return 2, head, lines
