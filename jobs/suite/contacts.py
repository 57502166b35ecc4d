"""
Problems with contact by the barrier, the set contact: bodies of six scenes that begin half a gap apart, so that normal
forces, and with them friction, act from the start. inputs/suite/contacts.csv has a row for each problem.
"""
import math
import os
from dataclasses import dataclass

import outputs
from suite import bodies
from verify import meshes

SET = "contact"
TABLE = f"{bodies.INPUTS}/contacts.csv"
FACTORS = ("size", "scene", "integrator", "material", "young", "friction")
BUDGET = {"1e3": 4, "1e4": 8}  # s of each entrant, without its set-up
GAP = 1e-3  # m
STEP = 1e-2  # s
GRAVITY = {"implicit_euler": -9.81, "static": -98.1}  # m/s^2; in statics for 1e7 Pa, a tenth of it for 1e5 Pa

DECK = """# {name}: {scene}, {integrator}, {material}, {young:g} Pa, friction {friction:g}
{mesh}material: {{model: {material}, young: {young:g}, poisson: 0.4, density: 1000}}
gravity:  [0, 0, {gravity:g}]
{scene_keys}time:     {{integrator: {integrator}, {step}steps: 1}}
output:   {{directory: out/suite/runs/{name}}}
"""


@dataclass(frozen=True)
class Problem:
    """A row of the table."""

    name: str
    size: str
    scene: str
    integrator: str
    material: str
    young: float
    friction: float
    deck, keys = None, {}

    @property
    def budget(self):
        return BUDGET[self.size]

    def level(self, factor):
        return getattr(self, factor, None)

    def is_large(self):
        return self.size == "1e4"


def read_table():
    """The problems, in the order of the table."""
    number = ("young", "friction")
    of = lambda row: {f: float(row[f]) if f in number else row[f] for f in FACTORS}
    return [Problem(row["problem"], **of(row)) for row in outputs.read(TABLE)]


# ---- parts of decks --------------------------------------------------------------------------------------------------


def box(size, cells, at, velocity=None, turn=None):
    """A body that is a box with a corner at the origin before it is turned and moved."""
    text = f"{{box: {{size: {list(size)}, cells: {list(cells)}}}, at: {list(at)}"
    text += f", turn: {list(turn)}" if turn else ""
    return text + (f", velocity: {list(velocity)}}}" if velocity else "}")


def bodies_of(parts):
    return "body:\n" + "".join(f"  {name}: {part}\n" for name, part in parts.items())


def between_bodies(problem):
    return f"self_contact: {{method: barrier, gap: {GAP:g}, friction: {problem.friction:g}}}\n"


def obstacle(problem, name, shape):
    return f"collider: {{{name}: {{{shape}, method: barrier, gap: {GAP:g}, friction: {problem.friction:g}}}}}\n"


def attach(**sets):
    """Boxes of rest positions that are held, {name: (low, high)}."""
    centre = lambda low, high: [(a + b) / 2 for a, b in zip(low, high)]
    size = lambda low, high: [b - a for a, b in zip(low, high)]
    found = ", ".join(f"{n}: {{centre: {centre(*box)}, size: {size(*box)}}}" for n, box in sets.items())
    return f"set:      {{{found}}}\nattach:   {{{', '.join(f'{n}: {{hard: true}}' for n in sets)}}}\n"


# ---- scenes: mesh and keys of a problem ------------------------------------------------------------------------------


def blocks(problem, _):
    """Three cubes on each other, of which the lowest is held and the others come down and aside."""
    n, a = 8 if problem.is_large() else 5, 0.1
    parts = {
        "low": box((a, a, a), (n, n, n), (0, 0, 0)),
        "mid": box((a, a, a), (n, n, n), (0.013, 0.007, a + GAP / 2), (0.5, 0, -1)),
        "top": box((a, a, a), (n, n, n), (0.041, 0.017, 2 * a + GAP), (-0.5, 0.3, -2)),
    }
    held = attach(foot=((-1, -1, -1e-3), (1, 1, 1e-3)))
    return bodies_of(parts), held + between_bodies(problem)


def ball(points_a_side, radius):
    """A mesh of a ball: a cube whose shells become spheres."""

    def mapping(*p):
        most, length = max(map(abs, p)), math.sqrt(sum(x * x for x in p))
        return tuple(radius * x * most / length if length else 0.0 for x in p)

    n = points_a_side
    return meshes.box((n, n, n), (2.0, 2.0, 2.0), (-1.0, -1.0, -1.0), mapping=mapping)


def balls(problem, folder):
    """Two balls that fall on each other and on a floor."""
    n, r = 9 if problem.is_large() else 6, 0.1
    file = f"ball_{n}.msh"
    if not os.path.exists(os.path.join(folder, file)):
        ball(n, r).write(os.path.join(folder, file))
    aside = 0.25 * r
    above = r + GAP / 2 + math.sqrt((2 * r + GAP / 2) ** 2 - aside**2)
    text = "body:\n"
    for name, at, v in (("low", (0, 0, r + GAP / 2), (0.5, 0, -1)), ("top", (aside, 0, above), (0, 0, -2))):
        text += f"  {name}: {{file: {file}, at: {list(at)}, velocity: {list(v)}}}\n"
    floor = obstacle(problem, "floor", "shape: half_space, point: [0, 0, 0], normal: [0, 0, 1]")
    return text, between_bodies(problem) + floor


def rods(problem, _):
    """Three rods that are held at their ends, and three that come down across them: edges meet edges."""
    cells = (28, 3, 3) if problem.is_large() else (16, 2, 2)
    length, a, parts = 0.4, 0.02, {}
    for i in range(3):
        at = 0.08 + 0.11 * i
        parts[f"low{i}"] = box((length, a, a), cells, (0, at, 0))
        size, turned = (a, length, a), (cells[1], cells[0], cells[2])
        parts[f"top{i}"] = box(size, turned, (at + 0.003, 0, a + GAP / 2), (0.3, 0, -1))
    low, high = ((-1e-3, 0, -1), (1e-3, 1, a + GAP / 4)), ((length - 1e-3, 0, -1), (length + 1e-3, 1, a + GAP / 4))
    return bodies_of(parts), attach(left=low, right=high) + between_bodies(problem)


def sheets(problem, _):
    """Two sheets, turned against each other, that fall together on a ball."""
    n, thick = 22 if problem.is_large() else 12, 0.01
    parts = {
        "low": box((0.3, 0.3, thick), (n, n, 1), (-0.15, -0.15, GAP / 2), (0, 0, -1)),
        "top": box((0.25, 0.3, thick), (n, n, 1), (-0.08, -0.16, thick + GAP), (0.5, 0, -1.2), (0, 0, 20)),
    }
    under = obstacle(problem, "under", "shape: sphere, centre: [0.02, 0.01, -0.12], radius: 0.12")
    return bodies_of(parts), between_bodies(problem) + under


def bridge(problem, _):
    """A beam that is held at both ends sags on a block: statics between two bodies."""
    beam, block = ((48, 8, 4), (8, 8, 4)) if problem.is_large() else ((24, 4, 2), (6, 6, 3))
    parts = {
        "beam": box((0.4, 0.08, 0.04), beam, (-0.2, 0, 0)),
        "block": box((0.12, 0.12, 0.06), block, (-0.04, -0.02, -0.06 - GAP / 2)),
    }
    ends = {"left": ((-0.201, -1, -1), (-0.199, 1, 1)), "right": ((0.199, -1, -1), (0.201, 1, 1))}
    return bodies_of(parts), attach(**ends, foot=((-1, -1, -0.062), (1, 1, -0.0599))) + between_bodies(problem)


def lean(problem, _):
    """A cantilever sags on a ball: statics with a collider."""
    n = 6 if problem.is_large() else 3
    parts = {"beam": box((0.3, 0.08, 0.06), (5 * n, n + 2, n + 1), (0, 0, 0))}
    under = f"shape: sphere, centre: [0.2, 0.035, {-0.1 - GAP / 2!r}], radius: 0.1"
    return bodies_of(parts), attach(end=((-1e-3, -1, -1), (1e-3, 1, 1))) + obstacle(problem, "under", under)


SCENES = {scene.__name__: scene for scene in (blocks, balls, rods, sheets, bridge, lean)}


def gravity(problem):
    return GRAVITY[problem.integrator] / (10 if problem.integrator == "static" and problem.young < 1e6 else 1)


def write(problem, folder):
    """Deck, and mesh, of a problem, unless its deck is there, which is written last. Gives the deck."""
    deck = os.path.join(folder, f"{problem.name}.yaml")
    if os.path.exists(deck):
        return deck
    os.makedirs(folder, exist_ok=True)
    mesh, keys = SCENES[problem.scene](problem, folder)
    values = {factor: getattr(problem, factor) for factor in FACTORS}
    step = f"step: {STEP:g}, " if problem.integrator != "static" else ""
    names = {"name": problem.name, "mesh": mesh, "scene_keys": keys, "gravity": gravity(problem), "step": step}
    outputs.replace(deck, DECK.format(**names, **values))
    return deck
