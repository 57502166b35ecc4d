"""Cost of an iteration of qn against the size of the mesh: nanoseconds and bytes per tetrahedron, by phase."""
import pictures
from outputs import iteration_ms, load, phase_ms
from program import run

OUT = "out/performance/sizes"
CELLS = {12: 20, 26: 5, 35: 5, 58: 3, 94: 1}  # of an edge of the cube: time steps
DIRECT_LIMIT = 100000  # vertices up to which operator.type auto may take a factor, docs/user.md
WAYS = ((1, 2), (2, 1))


def measure(cells, operator, ranks, threads):
    name = f"{OUT}/{cells}_{operator}_{ranks}x{threads}"
    options = {
        "mesh_box_cells": f"{cells},{cells},{cells}",
        "operator_type": operator,
        "time_steps": CELLS[cells],
    }
    if operator == "direct":
        options["operator_rtol"] = 0.1  # what type auto asks of a factor; type direct alone solves exactly
    folder = run("run", "inputs/bench/box.yaml", name, options, ranks=ranks, threads=threads, busy=True)
    done = load(folder, "run.json")
    tets = done["mesh"]["tets"]
    per_tet = lambda ms: 1e6 * ms / tets
    return {
        "tets": tets,
        "vertices": done["mesh"]["vertices"],
        "operator": done["operator"]["type"],
        "way": f"{ranks} x {threads}",
        "total": per_tet(iteration_ms(folder)),
        "local": per_tet(phase_ms(folder, "local")),
        "solve": per_tet(phase_ms(folder, "operator_solve")),
        "vector": per_tet(phase_ms(folder, "vector")),
        "exchange": per_tet(phase_ms(folder, "halo", "reduction")),
        "set_up": 1e9 * done["seconds"]["operator_set_up"] / tets,
        "memory": done["peak_memory"] / tets,
    }


def picture(lines):
    """ns and bytes per tet over tets."""
    names = []
    for operator in ("direct", "multigrid"):
        for way in sorted({line["way"] for line in lines}):
            name = f"{operator}_{way.replace(' ', '')}"
            chosen = [line for line in lines if line["operator"] == operator and line["way"] == way]
            pictures.data(f"{OUT}/{name}.csv", [(line["tets"], line["total"], line["memory"]) for line in chosen])
            names.append((name, f"{operator}, {way}"))
    curves = lambda column: ", ".join(
        f"'{name}.csv' using 1:{column} with linespoints lw 1.5 pt 7 ps 0.7 lc {i + 1} title '{title}'"
        for i, (name, title) in enumerate(names)
    )
    pictures.draw(
        OUT,
        "sizes",
        "1000,380",
        f"""set multiplot layout 1,2; set logscale x
set xlabel 'tetrahedra'; set yrange [0:]; set key top left; set format x '%.0e'; set xrange [8e3:7e6]
set ylabel 'ns per tetrahedron and iteration'; plot {curves(2)}
set ylabel 'bytes per tetrahedron, all ranks'; set key top right; set yrange [0:2000]; plot {curves(3)}""",
        "docs/images/performance_sizes.png",
    )


def table(_):
    measured = [
        measure(cells, operator, *way)
        for cells in CELLS
        for operator in ("direct", "multigrid")
        if operator == "multigrid" or (cells + 1) ** 3 <= DIRECT_LIMIT
        for way in WAYS
    ]
    picture(measured)
    ns = {"total": "iteration", "local": "local", "solve": "solve", "vector": "vector", "exchange": "halo, sums"}
    head = ["tets", "operator", "ranks x threads", "vertices", *(f"{name} [ns/tet]" for name in ns.values())]
    line = lambda v: (
        *(f"{v['tets']:,}", v["operator"], v["way"], f"{v['vertices']:,}"),
        *(f"{v[key]:.1f}" for key in ns),
        *(f"{v['set_up']:,.0f}", f"{v['memory']:,.0f}"),
    )
    return 3, [*head, "set-up [ns/tet]", "memory [B/tet]"], map(line, measured)
