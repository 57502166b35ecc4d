"""Decks of the suite, with their meshes and tables of vertices, below out/suite/inputs; the table of the problems."""
import math
import os

import outputs
from program import Failure
from suite import bodies, contacts, design, starts
from suite.design import FACTORS, Problem
from verify import meshes

TABLE = f"{bodies.INPUTS}/problems.csv"
SETS = (*design.SETS, contacts.SET)
STEP = 1 / 32  # s
DENSITY = 1000.0  # kg/m^3

DECK = """# {name}: {motion} of {material}, Poisson's ratio {poisson:g}, mesh {mesh};
# h^2 E/(rho dx^2) is {stiffness:g}, E the geometric mean of two moduli of ratio {contrast:g}.
mesh:     {{file: {file}, refine: {refine}}}
initial:  {{positions: {name}_start.csv}}
material: {{model: {material}, density: {density:g}}}
region:
  soft:   {{{soft}}}
  hard:   {{{hard}}}
{loads}time:     {{step: {step!r}, steps: 1}}
output:   {{directory: out/suite/runs/{name}}}
"""


def write_table(problems):
    os.makedirs(os.path.dirname(TABLE), exist_ok=True)
    outputs.write(TABLE, ["problem", "size", *FACTORS], [{**vars(p), "problem": p.name} for p in problems])


def read_table():
    number = lambda text: float(text) if text[0].isdigit() else text
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
    return problem.stiffness * DENSITY * (edge(problem) / STEP) ** 2


def loads(problem):
    text = "gravity:  [0, 0, -9.81]\n" if problem.motion in starts.GRAVITY else ""
    if problem.motion in starts.HELD:
        text += f"attach:\n  ends:   {{hard: true, file: {problem.name}_ends.csv}}\n"
    if problem.motion == "fall":  # as stiff as the soft elements and the inertia of a vertex
        stiffness = (1 + problem.stiffness / math.sqrt(problem.contrast)) * DENSITY * edge(problem) ** 3 / STEP**2
        text += "collider:\n  floor:  {shape: half_space, point: [0, 0, 0], normal: [0, 0, 1], "
        text += f"stiffness: {stiffness!r}}}\n"
    return text


def text(problem, file):
    mean, root = young(problem), math.sqrt(problem.contrast)
    return DECK.format(
        **{factor: getattr(problem, factor) for factor in FACTORS},
        name=problem.name,
        file=os.path.basename(file),
        refine=problem.refinements(),
        density=DENSITY,
        soft=moduli(problem, mean / root),
        hard=moduli(problem, mean * root),
        loads=loads(problem),
        step=STEP,
    )


def write(problem, folder):
    """Deck, mesh and tables of a problem, unless its deck is there, which is written last. Gives the deck."""
    if isinstance(problem, contacts.Problem):
        return contacts.write(problem, folder)
    deck = problem.deck or os.path.join(folder, f"{problem.name}.yaml")
    if os.path.exists(deck):
        return deck
    os.makedirs(folder, exist_ok=True)
    mesh = (starts.body_of(problem), problem.mesh, problem.refinements(), problem.material in starts.INFINITE)
    file, points, tets = bodies.prepare(folder, *mesh)
    moved = starts.positions(problem, points, tets)
    base = os.path.join(folder, problem.name)
    meshes.table(f"{base}_start.csv", dict(enumerate(moved)))
    ends = starts.held(problem, points)
    if ends:
        meshes.table(f"{base}_ends.csv", {v: moved[v] for v in ends})
    with open(deck + ".part", "w", encoding="utf-8") as out:
        out.write(text(problem, file))
    os.rename(deck + ".part", deck)
    return deck
