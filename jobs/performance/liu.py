"""Table I of Liu, Bouaziz, Kavan 2017, redone: ten iterations of qn a frame, beside one of Newton's method."""
import math
import os
import statistics

from outputs import load, phase_ms, rows, steps
from program import note, run
from tables import number, power

OUT = "out/performance/liu"
SPLINES = "inputs/materials/stiff_in_{}.csv"

# Of every line: name, deck, mesh of FOLDER, options, material, and of the paper vertices, elements, line search
# iterations, overhead [ms], frame [ms], error, Newton's frame [ms] and error.
LINES = [
    ("thin sheet", "liu_sheet", None, {}, "polynomial", (660, 1932, 10.8, 0.026, 4.4, 2.7e-8, 184, 8.8e-4)),
    ("sphere", "liu_sphere", None, {}, "spline A", (889, 1821, 24.5, 0.155, 21.2, 2.7e-7, 188, 6.9e-4)),
    (
        "sphere",
        "liu_sphere",
        None,
        {"material_file": SPLINES.format("tension")},
        "spline B",
        (889, 1821, 21.8, 0.156, 19.7, 6.9e-6, 187, 2.5e-4),
    ),
    ("shaking bar", "liu_bar", None, {}, "corotated", (574, 1647, 10.1, 0.193, 7.2, 1.6e-4, 171, 4.4e-3)),
    ("ditto", "liu_ditto", "ditto", {}, "neo-Hookean", (1454, 4140, 11.7, 0.203, 17.8, 3.0e-5, 305, 1.6e-3)),
    ("hippo", "liu_hippo", "hippo", {}, "corotated", (2387, 8406, 11.9, 0.555, 40.6, 2.2e-3, 640, 3.7e-2)),
    (
        "twisting bar",
        "../studies/liu_twist",
        None,
        {"solver_max_it": 10, "solver_rtol": 0, "output_every": 0},
        "neo-Hookean",
        (3472, 10441, 10.6, 0.945, 45.6, 9.4e-5, 681, 7.9e-3),
    ),
    ("cloth", "liu_cloth", None, {}, "springs", (6561, 32160, 10.0, 1.20, 42.3, 9.3e-4, 798, 1.2e-2)),
    (
        "big bunny",
        "liu_bunny",
        "bunny",
        {"compare_reference": "least", "compare_iterations": 40},
        "corotated",
        (6308, 26096, 49.2, 2.19, 623, 9.8e-2, 2700, 2.8e-1),
    ),
    (
        "squirrel",
        "liu_squirrel",
        "squirrel_modified",
        {},
        "polynomial",
        (8395, 23782, 10.7, 1.41, 153, 8.3e-8, 2400, 9.1e-6),
    ),
    (
        "sheet of its size",
        "liu_sheet",
        None,
        {"mesh_box_cells": "73,48,6", "mesh_box_size": "1,0.6,0.08"},
        "polynomial",
        (33666, 125677, 10.5, 6.38, 706, 1.5e-5, 15800, 5.4e-5),
    ),
]
NEWTON_LIMIT = 10000  # vertices above which Newton's minimiser takes longer than all the rest


def make_cloth(folder, n=81):
    """
    Masses in a square of 1 m, and springs along edges, diagonals and every second of the edges that are two cells
    long.
    """
    d, k, density = 1 / (n - 1), 1e3, 0.2
    at = lambda i, j: j * n + i
    springs = []
    for j in range(n):
        for i in range(n):
            for di, dj in ((1, 0), (0, 1), (1, 1), (1, -1)):
                if i + di < n and 0 <= j + dj < n:
                    springs.append((at(i, j), at(i + di, j + dj), d * math.hypot(di, dj)))
            for di, dj in ((2, 0), (0, 2)):
                if i + di < n and j + dj < n and (i if di else j) % 2 == 0 and (j if di else i) < n - 1:
                    springs.append((at(i, j), at(i + di, j + dj), 2 * d))
    corner = [at(0, n - 1), at(n - 1, n - 1)]
    place = lambda v: f"{v % n * d:.17g},{v // n * d:.17g},0"
    tables = {
        "points": ["vertex,x,y,z"] + [f"{v},{place(v)}" for v in range(n * n)],
        "masses": ["vertex,mass"] + [f"{v},{density * d * d:.17g}" for v in range(n * n)],
        "springs": ["a,b,length,stiffness"] + [f"{a},{b},{length:.17g},{k}" for a, b, length in springs],
        "corners": ["vertex,x,y,z"] + [f"{v},{place(v)}" for v in corner],
    }
    os.makedirs(folder, exist_ok=True)
    for name, text in tables.items():
        with open(f"{folder}/{name}.csv", "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")
    here = os.path.abspath(folder)
    return {
        "mesh_file": f"{here}/points.csv",
        "mass_file": f"{here}/masses.csv",
        "spring_cloth_file": f"{here}/springs.csv",
        "attach_corners_file": f"{here}/corners.csv",
    }, len(springs)


def frame_ms(folder):
    return 1e3 * statistics.median(s["frame"] for s in steps(folder))


def overhead_ms(with_history, without):
    """Of a frame: what vectors and sums of m = 5 take more than those of m = 0."""
    parts = [phase_ms(folder, "vector", "reduction") for folder in (with_history, without)]
    return 10 * (parts[0] - parts[1])


def newton(folder, deck, options, state, threads, more=None):
    """
    Compares qn and newton on the next frame: errors after 10 and 1 iterations and the seconds of newton's first one.
    """
    options = {
        "compare_solvers": "qn,newton",
        "solver_newton_filter": "clamp",
        "compare_iterations": 10,
        **options,
        "initial_restart": state,
        **(more or {}),
    }
    found = rows(run("compare", deck, folder, options, threads=threads, busy=True), "compare.csv")
    pick = lambda solver, at, key: next(
        float(r[key]) for r in found if r["solver"] == solver and int(r["iteration"]) == at
    )
    return pick("qn", 10, "relative_error"), pick("newton", 1, "relative_error"), 1e3 * pick("newton", 1, "seconds")


def measure(index, line, meshes):
    name, deck, mesh, options, material, paper = line
    deck, here = f"inputs/bench/{deck}.yaml", f"{OUT}/{index}"
    elements = None
    if mesh:
        path = os.path.join(meshes or "", mesh + ".mesh")
        if not meshes or not os.path.exists(path):
            note(f"skipped: {name}, without {mesh}.mesh (-m FOLDER)")
            return None
        options = {"mesh_file": os.path.abspath(path), **options}
    if name == "cloth":
        more, elements = make_cloth(f"{here}/tables")
        options = {**more, **options}
    marching = {key: value for key, value in options.items() if not key.startswith("compare_")}
    one = run("run", deck, f"{here}/m5_1", marching, busy=True)
    two = run("run", deck, f"{here}/m5_2", marching, threads=2, busy=True)
    plain = run("run", deck, f"{here}/m0_1", {**marching, "solver_qn_history": 0}, busy=True)
    mesh_of = load(one, "run.json")["mesh"]
    searches = statistics.mean(s["evaluations"] for s in steps(one))
    ours = [
        f"{mesh_of['vertices']:,}",
        f"{elements or mesh_of['tets']:,}",
        f"{searches:.1f}",
        number(overhead_ms(one, plain)),
        number(frame_ms(one)),
        number(frame_ms(two)),
    ]
    if mesh_of["vertices"] > NEWTON_LIMIT:
        ours += ["-"] * 4
    else:
        error, newton_error, ms = newton(f"{here}/compare_1", deck, options, one, 1)
        ms_two = newton(f"{here}/compare_2", deck, options, one, 2, {"compare_reference": "least"})[2]
        ours += [power(error), number(ms), number(ms_two), power(newton_error)]
    vertices, tets, search, overhead, frame, error, newton_ms, newton_error = paper
    theirs = [
        *(f"{vertices:,}", f"{tets:,}", f"{search:.1f}", number(overhead), number(frame), "-", power(error)),
        *(number(newton_ms), "-", power(newton_error)),
    ]
    return [(f"{name}, {material}", "wring", *ours), (f"{name}, {material}", "paper", *theirs)]


def table(meshes):
    head = ["scene", "by", "vertices", "elements", "evaluations", "L-BFGS [ms]", "frame [ms]", "frame, 2 threads [ms]"]
    head += ["error", "newton [ms]", "newton, 2 threads [ms]", "error of newton"]
    lines = (measure(index, line, meshes) or [] for index, line in enumerate(LINES))
    return 2, head, [line for two in lines for line in two]
