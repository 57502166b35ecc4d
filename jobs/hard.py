"""python3 jobs hard [problem...]: `auto` beside named methods on hard problems, docs/hard.md.

Large contrasts, slender and thin bodies, Poisson's ratios near 1/2, free bodies, large time steps and starts far from
rest: 1e4 tetrahedra, or as many as the name says. One rank and one thread; the order of the methods rotates from repeat
to repeat. Seconds are medians, of the whole run without the mesh, output and waiting for a core. Writes
out/hard/hard.csv; what it has is not run again.
"""
import itertools
import math
import os
import statistics

import numpy
import outputs
import program
import tables
from program import note, say

METHODS = ("auto", "newton", "qn", "pncg", "trust_region")
SIZES = ("1e4", "1e5", "1e6")
OUT, PAGE, PUBLISHED = "out/hard", "docs/hard.md", "docs/performance"
HEAD = ("problem", "method", "repeats", "seconds", "least_s", "iterations", "evaluations", "factorisations",
        "linear_iterations")
SHAPES = {  # size [m], cells of 1e4, 1e5 and 1e6 tetrahedra of order 1, and of 1e3 and 1e4 of order 2
    "cube": ((1, 1, 1), {"1e4": (12, 12, 12), "1e5": (26, 26, 26), "1e6": (55, 55, 55)}),
    "rod": ((1, 0.01, 0.01), {"1e4": (200, 3, 3), "1e5": (430, 6, 6)}),
    "plate": ((1, 1, 0.01), {"1e4": (40, 40, 1), "1e5": (130, 130, 1)}),
    "plate3": ((1, 1, 0.01), {"1e4": (23, 23, 3), "1e5": (75, 75, 3)}),
    "shell": ((1, 1, 0.01), {"1e4": (40, 40, 1), "1e5": (130, 130, 1)}),
}
ORDER_2 = {"cube": {"1e4": (6, 6, 6), "1e5": (12, 12, 12)}, "rod": {"1e4": (100, 2, 2)}}
NEWTON = ("linear_iterations", "iterations")
STARTS = {"point": (0, 0, 0), "plane": (1, 1, 0)}  # factors on the positions; and random
FREE = ("spinning", "random", *STARTS)
LEFT, RIGHT = "-1e-6,-9,-9,1e-6,9,9", "0.999999,-9,-9,9,9,9"
ANGLE = 1.5  # rad, of the arc of a shell, a metre long
SHELL_LEFT = f"7e-7,0,7e-7,{-math.cos(ANGLE / 2)},0,{-math.sin(ANGLE / 2)}"

# ---- what is stiffer ------------------------------------------------------------------------------------------------


def generator():
    return numpy.random.RandomState(7)  # whose numbers no version of numpy changes


def inclusions(p):
    return sum(((p - centre) ** 2).sum(axis=1) < 0.12**2 for centre in 0.15 + 0.7 * generator().rand(12, 3)) > 0


PATTERNS = {  # of centres of tetrahedra [n][3], in lengths of the body
    "layers": lambda p: (6 * p[:, 0]).astype(int) % 2 == 1,
    "checker": lambda p: (6 * p).astype(int).sum(axis=1) % 2 == 1,
    "inclusions": inclusions,
    "fibres": lambda p: ((4 * p[:, 1:] % 1 - 0.5) ** 2).sum(axis=1) < 0.2**2,
    "block": lambda p: p[:, 0] > 0.5,
}


# ---- meshes ---------------------------------------------------------------------------------------------------------


def box(size, cells):
    """Points and tetrahedra, six of each cell around its diagonal."""
    nx, ny, nz = cells
    grid = numpy.stack(numpy.meshgrid(*(numpy.linspace(0, s, n + 1) for s, n in zip(size, cells)), indexing="ij"), -1)
    number = numpy.arange((nx + 1) * (ny + 1) * (nz + 1)).reshape(nx + 1, ny + 1, nz + 1)
    corner = lambda c: number[c[0] : nx + c[0], c[1] : ny + c[1], c[2] : nz + c[2]].ravel()
    tets = []
    for order in itertools.permutations(range(3)):
        path = [(0, 0, 0)]
        for axis in order:
            path.append(tuple(x + (k == axis) for k, x in enumerate(path[-1])))
        odd = order in ((0, 2, 1), (1, 0, 2), (2, 1, 0))
        tets.append(numpy.column_stack([corner(c) for c in ((path[1], path[0], *path[2:]) if odd else path)]))
    return grid.reshape(-1, 3), numpy.concatenate(tets)


def write_medit(path, points, tets):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"MeshVersionFormatted 2\nDimension 3\nVertices\n{len(points)}\n")
        numpy.savetxt(file, points, "%.17g", newline=" 0\n")
        file.write(f"Tetrahedra\n{len(tets)}\n")
        numpy.savetxt(file, tets + 1, "%d", newline=" 1\n")
        file.write("End\n")


def write_table(path, head, columns, numbers=None):
    """CSV of the numbers of vertices or tetrahedra, by default of all, and of columns. Gives the path."""
    numbers = numpy.arange(len(columns)) if numbers is None else numbers
    form = ["%d"] + ["%.17g"] * head.count(",")
    numpy.savetxt(path, numpy.column_stack((numbers, columns)), form, ",", header=head, comments="")
    return path


# ---- problems -------------------------------------------------------------------------------------------------------


class Problem:
    def __init__(self, shape="cube", pattern="", contrast="1", *, poisson=0.3, order=1, step=False, start="",
                 model="stable_neohookean", young=None, size="1e4"):
        self.shape, self.pattern, self.contrast, self.poisson, self.order = shape, pattern, contrast, poisson, order
        self.step, self.start, self.model, self.size = step, start, model, size
        self.young = young or ("1e5" if shape == "cube" else "1e8")
        words = ["" if shape == "cube" and (pattern or start) else shape, pattern, contrast if contrast != "1" else ""]
        words += [start, f"nu{poisson:g}" if poisson != 0.3 else "", "o2" if order == 2 else "", "step" if step else ""]
        words += [young or "", {"neohookean": "neo"}.get(model, ""), size if size != "1e4" else ""]
        self.name = "-".join(word for word in words if word)

    def moved(self, points):
        """Positions of the start; of a shell also those at rest."""
        if self.shape == "shell":
            radius, angle = 1 / ANGLE - points[:, 2], ANGLE * (points[:, 0] - 0.5)
            return numpy.column_stack((radius * numpy.sin(angle), points[:, 1], radius * numpy.cos(angle)))
        if self.start == "random":
            return generator().rand(*points.shape)
        return points * STARTS[self.start]

    def write_mesh(self, folder):
        """In MEDIT's format; and a table of stiffnesses or of positions, as keys of the deck."""
        size, cells = SHAPES[self.shape]
        points, tets = box(size, (ORDER_2[self.shape] if self.order == 2 else cells)[self.size])
        write_medit(f"{folder}/box.mesh", self.moved(points) if self.shape == "shell" else points, tets)
        if self.start in ("random", *STARTS):
            return {"initial_positions": write_table(f"{folder}/table.csv", "vertex,x,y,z", self.moved(points))}
        if not self.pattern:
            return {}
        centres = points[tets].mean(axis=1) / size
        scale = (numpy.exp(2 * generator().randn(len(tets))) if self.pattern == "lognormal"
                 else numpy.where(PATTERNS[self.pattern](centres), float(self.contrast), 1))  # fmt: skip
        return {"material_stiffness_file": write_table(f"{folder}/table.csv", "tet,scale", scale)}

    def keys(self, folder):
        found = {"mesh_order": self.order, "material_model": self.model,
                 "material_young": self.young, "material_poisson": self.poisson, "material_density": 1000,
                 "output_every": 0, **self.write_mesh(folder)}  # fmt: skip
        if self.start in FREE:
            found |= {"time_step": 0.05, "time_steps": 3}
            return found | ({"body_tag1_spin": "0,360,720"} if self.start == "spinning" else {})
        found |= {"time_step": 0.01, "time_steps": 3} if self.step else {"time_integrator": "static"}
        found |= {"set_left_plane": SHELL_LEFT} if self.shape == "shell" else {"set_left_box": LEFT}
        found |= {"attach_left_hard": "true"}
        if self.shape != "cube":
            return found | {"gravity": "0,0,-9.81"}
        return found | {"set_right_box": RIGHT, "attach_right_hard": "true",
                        "attach_right_velocity": "0.35,0.35,0" if self.step else "0.1,0.1,0"}  # fmt: skip


def problems():
    """The matrix, by name."""
    large = {"size": "1e5"}
    found = [Problem(), *(Problem("cube", p, c) for p in PATTERNS for c in ("1e3", "1e6"))]
    found += [Problem("cube", "lognormal")]
    found += [Problem("cube", p, "1e6", step=True) for p in ("layers", "checker", "inclusions", "fibres")]
    found += [Problem("cube", "block", "1e5", step=True), Problem("cube", "lognormal", step=True)]
    found += [Problem(poisson=nu, order=o) for o in (1, 2) for nu in (0.3, 0.4, 0.499, 0.4999) if (nu, o) != (0.3, 1)]
    found += [Problem(poisson=0.4999, step=True), Problem(poisson=0.4999, model="neohookean")]
    found += [Problem("cube", "inclusions", "1e3", poisson=0.499, order=order) for order in (1, 2)]
    found += [Problem(s, step=step) for s in SHAPES if s != "cube" for step in (False, True)]
    found += [Problem("rod", poisson=0.499), Problem("rod", order=2), Problem("rod", "layers", "1e6", step=True)]
    found += [Problem(start="spinning", young=young) for young in ("1e5", "1e9")]
    found += [Problem(start=start) for start in ("point", "plane", "random")]
    found += [Problem(**large), *(Problem("cube", p, "1e6", **large) for p in PATTERNS)]
    found += [Problem("cube", "lognormal", **large)]
    found += [Problem("cube", "inclusions", "1e6", step=True, **large), Problem(poisson=0.499, **large)]
    found += [Problem(poisson=0.4999, **large), Problem(poisson=0.499, order=2, **large)]
    found += [Problem(s, **large) for s in SHAPES if s != "cube"] + [Problem(start="spinning", young="1e9", **large)]
    found += [Problem(size="1e6"), Problem("cube", "inclusions", "1e6", size="1e6")]
    return {problem.name: problem for problem in found}


# ---- runs -----------------------------------------------------------------------------------------------------------


def solve(problem, keys, method, limit):
    """What one run took, or None where it failed."""
    folder = f"{OUT}/{problem.name}/{method}"
    deck, options = f"{OUT}/{problem.name}/deck.yaml", {**keys, "solver_type": method}
    status = program.attempt("run", deck, folder, options, launch=("timeout", str(limit)))
    if status:
        note(f"{folder}: status {status}: {program.reason(folder)}")
        return None
    record = outputs.load(folder, "run.json")
    phases = [of for name, of in record["phases"].items() if name not in ("mesh", "output")]
    taken = sum(max(0, of["largest"] - of["waited"]["largest"]) for of in phases)
    work = record["work"]
    return [taken, record["iterations"], work["evaluations"], work["factorisations"], record["linear_iterations"]]


def prepare(problem):
    """Writes the deck, the mesh and its table; gives the keys."""
    folder = f"{OUT}/{problem.name}"
    os.makedirs(folder, exist_ok=True)
    outputs.replace(f"{folder}/deck.yaml", "mesh: {file: box.mesh}\n")
    return problem.keys(folder)


def measure(problem, methods, repeats, limit):
    """Rows of the table."""
    keys, found = prepare(problem), {method: [] for method in methods}
    for repeat in range(repeats):
        for k in range(len(methods)):
            method = methods[(k + repeat) % len(methods)]
            if None not in found[method]:
                found[method].append(solve(problem, keys, method, limit))
    for method, runs in found.items():
        if None in runs:
            yield [problem.name, method, 0, *[""] * (len(HEAD) - 3)]
            continue
        taken = [run[0] for run in runs]
        yield [problem.name, method, repeats, f"{statistics.median(taken):.3g}", f"{min(taken):.3g}", *runs[-1][1:]]


def load():
    try:
        return outputs.read(f"{OUT}/hard.csv")
    except FileNotFoundError:
        return []


# ---- the page -------------------------------------------------------------------------------------------------------


def lines_of(rows):
    """Of each problem: seconds by method, `!` where it failed, "" where it has not been run; auto over the best."""
    of = {}
    for row in rows:
        of.setdefault(row["problem"], {})[row["method"]] = row
    for name, runs in of.items():
        seconds = {method: float(row["seconds"]) for method, row in runs.items() if row["seconds"]}
        best = min(seconds.values(), default=None)
        cells = [row["seconds"] or "!" if (row := runs.get(method)) else "" for method in METHODS]
        ratio = f"{seconds['auto'] / best:.2f}" if "auto" in seconds else "!" if "auto" in runs else ""
        work = [runs[m]["iterations"] if m in runs else "" for m in ("auto", "newton")]
        linear, iterations = (int(runs.get("newton", {}).get(key) or 0) for key in NEWTON)
        each = f"{linear / iterations:.0f}" if linear and iterations else ""
        yield [name, *cells, ratio, *work, each]


def publish(rows):
    head = ["problem", *METHODS, "auto/best", "auto its", "newton its", "cg its/its"]
    lines = list(lines_of(rows))
    tables.write(f"{PUBLISHED}/hard.csv", head, lines)
    tables.paste(PAGE, "hard", tables.markdown(head, lines))


def say_shares(rows):
    ratios = [line[len(METHODS) + 1] for line in lines_of(rows)]
    ratios = [float(ratio.replace("!", "inf")) for ratio in ratios if ratio]
    share = lambda most: sum(ratio <= most for ratio in ratios)
    say(f"auto within 1.5 of the best on {share(1.5)} of {len(ratios)}, within 3 on {share(3)}")


def main(arguments):
    known = problems()
    form = program.parser("hard", __doc__)
    form.add_argument("-w", action="store_true", help="renew docs/hard.md and docs/performance/hard.csv")
    form.add_argument("-s", default=",".join(SIZES), help="sizes; default %(default)s")
    form.add_argument("-m", default=",".join(METHODS), help="methods; default %(default)s")
    form.add_argument("-r", type=program.count, default=3, help="repeats of 1e4, others have one; default %(default)s")
    text = "seconds a run, ten times that above 1e4; default %(default)s"
    form.add_argument("-t", type=program.count, default=60, help=text)
    args = program.parse_names(form, arguments, known, "problem")
    program.check_names(args.m.split(","), METHODS, "method")
    program.check_names(args.s.split(","), SIZES, "size")
    chosen, rows = [known[name] for name in args.name if known[name].size in args.s.split(",")], load()
    for problem in chosen:
        large = problem.size != "1e4"
        there = {row["method"] for row in rows if row["problem"] == problem.name}
        missing = [method for method in args.m.split(",") if method not in there]
        if not missing:
            continue
        for row in measure(problem, missing, 1 if large else args.r, args.t * (10 if large else 1)):
            rows.append(dict(zip(HEAD, row)))
        rows.sort(key=lambda row: list(known).index(row["problem"]))
        outputs.write(f"{OUT}/hard.csv", HEAD, rows)
        mine = [row for row in rows if row["problem"] == problem.name]
        say("  ".join(f"{cell:>8}" if k else f"{cell:26}" for k, cell in enumerate(next(lines_of(mine)))))
    say_shares(rows)
    if args.w:
        publish(rows)
    return 0
