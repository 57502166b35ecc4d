"""Table I of Liu, Bouaziz, Kavan 2017, redone: ten iterations of qn a frame, beside one of Newton's method."""
import math
import os
import statistics

import program
from outputs import load, phase_ms, read, rows, steps
from program import Failure, note, run
from tables import number, power

OUT = "out/performance/liu"
SCENES = "inputs/bench/liu.csv"  # scenes, decks and the numbers of the paper: [ms] of L-BFGS, a frame, one of Newton's
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
        "mesh": ["vertex,x,y,z"] + [f"{v},{place(v)}" for v in range(n * n)],
        "mass": ["vertex,mass"] + [f"{v},{density * d * d:.17g}" for v in range(n * n)],
        "spring_cloth": ["a,b,length,stiffness"] + [f"{a},{b},{length:.17g},{k}" for a, b, length in springs],
        "attach_corners": ["vertex,x,y,z"] + [f"{v},{place(v)}" for v in corner],
    }
    os.makedirs(folder, exist_ok=True)
    for name, text in tables.items():
        with open(f"{folder}/{name}.csv", "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")
    return {f"{name}_file": os.path.abspath(f"{folder}/{name}.csv") for name in tables}, len(springs)


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
    first = {"compare_solvers": "qn,newton", "solver_newton_filter": "clamp", "compare_iterations": 10}
    options = {**first, **options, "initial_restart": state, **(more or {})}
    found = rows(run("compare", deck, folder, options, threads=threads, busy=True), "compare.csv")

    def pick(solver, at, key):
        for row in found:
            if row["solver"] == solver and int(row["iteration"]) == at:
                return float(row[key])
        raise Failure(f"{folder}/compare.csv has no iteration {at} of {solver}")

    return pick("qn", 10, "relative_error"), pick("newton", 1, "relative_error"), 1e3 * pick("newton", 1, "seconds")


def options_of(scene, meshes):
    """Keys of a scene; None where its mesh is missing."""
    options = program.split_keys(["--", *scene["options"].split()])[1]
    if not scene["mesh"]:
        return options
    path = os.path.join(meshes or "", scene["mesh"] + ".mesh")
    if not meshes or not os.path.exists(path):
        note(f"skipped: {scene['scene']}, without {scene['mesh']}.mesh (-m FOLDER)")
        return None
    return {"mesh_file": os.path.abspath(path), **options}


def ours(here, scene, options):
    """Cells of wring: as those of the paper, with two threads too."""
    deck, elements = f"inputs/bench/{scene['deck']}.yaml", None
    if scene["scene"] == "cloth":
        more, elements = make_cloth(f"{here}/tables")
        options = {**more, **options}
    marching = {key: value for key, value in options.items() if not key.startswith("compare_")}
    one = run("run", deck, f"{here}/m5_1", marching, busy=True)
    two = run("run", deck, f"{here}/m5_2", marching, threads=2, busy=True)
    plain = run("run", deck, f"{here}/m0_1", {**marching, "solver_qn_history": 0}, busy=True)
    mesh = load(one, "run.json")["mesh"]
    searches = statistics.mean(s["evaluations"] for s in steps(one))
    cells = [f"{mesh['vertices']:,}", f"{elements or mesh['tets']:,}", f"{searches:.1f}"]
    cells += [number(overhead_ms(one, plain)), number(frame_ms(one)), number(frame_ms(two))]
    if mesh["vertices"] > NEWTON_LIMIT:
        return cells + ["-"] * 4
    error, newton_error, ms = newton(f"{here}/compare_1", deck, options, one, 1)
    ms_two = newton(f"{here}/compare_2", deck, options, one, 2, {"compare_reference": "least"})[2]
    return cells + [power(error), number(ms), number(ms_two), power(newton_error)]


def theirs(scene):
    value = lambda key: float(scene[key])
    cells = [f"{value('vertices'):,.0f}", f"{value('elements'):,.0f}", f"{value('evaluations'):.1f}"]
    cells += [number(value("overhead")), number(value("frame")), "-", power(value("error"))]
    return cells + [number(value("newton")), "-", power(value("newton_error"))]


def lines(meshes):
    for index, scene in enumerate(read(SCENES)):
        options, title = options_of(scene, meshes), f"{scene['scene']}, {scene['material']}"
        if options is not None:
            yield title, "wring", *ours(f"{OUT}/{index}", scene, options)
            yield title, "paper", *theirs(scene)


def table(meshes):
    head = ["scene", "by", "vertices", "elements", "evaluations", "L-BFGS [ms]", "frame [ms]", "frame, 2 threads [ms]"]
    head += ["error", "newton [ms]", "newton, 2 threads [ms]", "error of newton"]
    return 2, head, lines(meshes)
