"""Decks of the suite, with their meshes and tables of vertices, below out/suite/inputs; the table of the problems."""
import math
import os

import outputs
import program
from program import Failure
from suite import bodies, contacts, design, starts
from suite.design import FACTORS, Problem
from verify import meshes

TABLE = f"{bodies.INPUTS}/problems.csv"
SETS = (*design.SETS, contacts.SET)
STEP = 1 / 32  # s
DENSITY = 1000.0  # kg/m^3
STATIC = 1e4  # stiffness, by the step above, of bodies in statics
BEFORE = {  # of the run from a far start to one in motion, whose steps need not converge
    "time_steps": 5,
    "solver_type": "qn",
    "solver_max_it": 100,
    "solver_accept": "true",
    "output_every": 0,
    "output_plots": "false",
}

DECK = """# {name}: {motion} of {material}, Poisson's ratio {poisson:g}, mesh {mesh}, {element} tetrahedra;
# h^2 E/(rho dx^2) is {stiffness:g}, E the geometric mean of two moduli of ratio {contrast:g}.
{begin}
material: {{model: {material}, density: {density:g}, volumetric: {volumetric}}}
region:
  soft:   {{{soft}}}
  hard:   {{{hard}}}
{loads}time:     {{{time}steps: 1}}
output:   {{directory: out/suite/runs/{name}}}
"""
FAR = """mesh:     {{file: {file}, refine: {refine}, order: {order}}}
initial:  {{positions: {name}_start.csv}}"""
MOVING = "initial:  {{restart: {before}, continue: false}}"


def write_table(problems):
    os.makedirs(os.path.dirname(TABLE), exist_ok=True)
    outputs.write(TABLE, ["problem", "size", *FACTORS], [{**vars(p), "problem": p.name} for p in problems])


def read_table():
    number = lambda text: float(text) if text[0].isdigit() or text == "inf" else text
    rows = outputs.read(TABLE)
    return [Problem(row["problem"], row["size"], **{f: number(row[f]) for f in FACTORS}) for row in rows]


def of_set(name, seed=0):
    """The problems of a set; with another seed than 0 new ones."""
    if name == contacts.SET:
        if seed:
            raise Failure(f"--seed {seed}, but the set {name} has one table")
        return contacts.read_table()
    return design.take(design.build(design.SETS[name], seed) if seed else read_table(), name)


def moduli(problem, young):
    if problem.material == "strain":
        return f"stiffness: {young!r}"
    return f"young: {young!r}, poisson: {problem.poisson:g}"


def edge(problem):
    return bodies.EDGE / 2 ** problem.refinements()


def young(problem):
    """The geometric mean of the two regions' moduli."""
    stiffness = problem.stiffness if math.isfinite(problem.stiffness) else STATIC
    return stiffness * DENSITY * (edge(problem) / STEP) ** 2


def loads(problem):
    text = "gravity:  [0, 0, -9.81]\n" if problem.motion in starts.GRAVITY else ""
    if problem.motion in starts.HELD:
        text += f"attach:\n  ends:   {{hard: true, file: {problem.name}_ends.csv}}\n"
    if problem.motion == "fall":  # as stiff as the soft elements and the inertia of a vertex
        stiffness = (1 + problem.stiffness / math.sqrt(problem.contrast)) * DENSITY * edge(problem) ** 3 / STEP**2
        text += "collider:\n  floor:  {shape: half_space, point: [0, 0, 0], normal: [0, 0, 1], "
        text += f"stiffness: {stiffness!r}}}\n"
    return text


def text(problem, file, before=None):
    """The deck; before: the output of the run whose last state is the start, else the start is the table of it."""
    mean, root = young(problem), math.sqrt(problem.contrast)
    order = 2 if problem.element == "quadratic" else 1
    far = {"file": os.path.basename(file), "refine": problem.refinements(), "order": order, "name": problem.name}
    return DECK.format(
        **{factor: getattr(problem, factor) for factor in FACTORS},
        name=problem.name,
        begin=MOVING.format(before=before) if before else FAR.format(**far),
        density=DENSITY,
        volumetric="mean" if problem.element == "mean" else "full",
        soft=moduli(problem, mean / root),
        hard=moduli(problem, mean * root),
        loads=loads(problem),
        time=f"step: {STEP!r}, " if math.isfinite(problem.stiffness) else "integrator: static, ",
    )


def write(problem, folder):
    """Deck, mesh, tables and first run of a problem, unless its deck is there, the last one written. Gives the deck."""
    if isinstance(problem, contacts.Problem):
        return contacts.write(problem, folder)
    base = os.path.join(folder, problem.name)
    deck = problem.deck or f"{base}.yaml"
    if os.path.exists(deck):
        return deck
    os.makedirs(folder, exist_ok=True)
    infinite, coarse = problem.material in starts.INFINITE, problem.element == "quadratic"
    file, points, tets = bodies.prepare(
        folder, starts.body_of(problem), problem.mesh, problem.refinements(), coarse, infinite or coarse
    )
    moved = starts.positions(problem, points, tets)
    if coarse:
        points, moved = (bodies.with_middles(of, tets) for of in (points, moved))
    meshes.table(f"{base}_start.csv", dict(enumerate(moved)))
    ends = starts.held(problem, points)
    if ends:
        meshes.table(f"{base}_ends.csv", {v: moved[v] for v in ends})
    before = None
    if problem.start == "moving":
        outputs.replace(f"{base}_before.yaml", text(problem, file))
        before = program.run("run", f"{base}_before.yaml", f"{base}_before", BEFORE, threads=program.CORES)
    outputs.replace(deck, text(problem, file, before))
    return deck
