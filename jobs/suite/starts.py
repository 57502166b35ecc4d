"""
Starts: the positions from which the one step of a problem begins, as a map of the rest positions, and the vertices that
are held there. x_0 = q + h v + h^2 g with v = 0, so that the positions are those of x_0 but for gravity.
"""
import math

from suite import bodies
from suite.design import Random

BODY = {"buckling": "rod"}  # of a motion; else bar
HELD = {"twist": (0, 1), "stretch": (0, 1), "compression": (0, 1), "buckling": (0, 1), "shake": (0,)}  # ends
GRAVITY = ("shake", "fall")
SOFT = ((0.0, 0.1), (0.45, 0.55), (0.9, 1.0))  # parts of the length without a core: only they are deformed at the start
TWIST, TILT = math.pi, math.radians(30)  # between the ends; of the falling bar
TURNS = (0.3, -0.6, 0.3)  # of the axis of the shaken bar in the soft parts
STRETCH, COMPRESSION, BUCKLING = 2.0, 0.65, 0.85  # of the soft parts
BOW = 0.06  # m, of the rod that buckles
SWAY = 0.02  # m, by which the held end of the shaken bar has moved
DEPTH = 0.06  # m, of the lowest corner of the falling bar in the floor
NOISE = 0.5  # of an edge: largest displacement of a coordinate at random
LEAST_VOLUME = 0.1  # of a tetrahedron over that at rest, for laws that are infinite at inversion


def part(t, bounds):
    """Of an interval, that lies below t."""
    return min(max((t - bounds[0]) / (bounds[1] - bounds[0]), 0.0), 1.0)


def twist(p, length, width, amount):
    angle = amount * TWIST * (sum(part(p[0] / length, soft) for soft in SOFT) / len(SOFT) - 0.5)
    y, z = p[1] - width / 2, p[2] - width / 2
    c, s = math.cos(angle), math.sin(angle)
    return p[0], width / 2 + c * y - s * z, width / 2 + s * y + c * z


def along(p, length, factor, amount):
    """The soft parts are `factor` times as long."""
    t, change = p[0] / length, amount * (factor - 1)
    return length * (t + change * sum((b - a) * part(t, (a, b)) for a, b in SOFT)), p[1], p[2]


def stretch(p, length, _, amount):
    return along(p, length, STRETCH, amount)


def compression(p, length, _, amount):
    return along(p, length, COMPRESSION, amount)


def buckling(p, length, _, amount):
    """Shorter, and bowed a little."""
    x, y, z = along(p, length, BUCKLING, amount)
    return x, y, z + BOW * math.sin(math.pi * p[0] / length) ** 2


def shake(p, length, width, amount):
    """Bent to an S without a change of the length of the axis, and pushed aside at the held end."""
    t, n, x, z = p[0] / length, 200, 0.0, 0.0
    angle = lambda s: amount * sum(turn * part(s, soft) for turn, soft in zip(TURNS, SOFT))
    for i in range(n):  # the midpoint rule along the axis
        x += math.cos(angle(t * (i + 0.5) / n)) * t * length / n
        z += math.sin(angle(t * (i + 0.5) / n)) * t * length / n
    y, above, a = p[1] + amount * SWAY * (1 - part(t, SOFT[0])), p[2] - width / 2, angle(t)
    return x - math.sin(a) * above, y, width / 2 + z + math.cos(a) * above


def fall(p, length, width, _):
    """Tilted, with its lowest corner below the floor z = 0."""
    x, z = p[0] - length / 2, p[2] - width / 2
    c, s = math.cos(TILT), math.sin(TILT)
    lowest = -s * length / 2 - c * width / 2
    return length / 2 + c * x - s * z, p[1], s * x + c * z - lowest - DEPTH


MOVES = {move.__name__: move for move in (twist, stretch, compression, buckling, shake, fall)}
INFINITE = ("neohookean",)  # laws whose energy is infinite for inverted elements


def body_of(problem):
    return BODY.get(problem.motion, "bar")


def noise(problem, points, amount):
    """Every coordinate moved at random; in and beside the core less, for the same energy there."""
    random, body, moved = Random(11), body_of(problem), []
    most = amount * NOISE * bodies.EDGE / 2 ** problem.refinements()
    for p in points:
        factor = most / math.sqrt(problem.contrast) if bodies.is_near_core(p, body) else most
        moved.append(tuple(x + factor * (2 * random.uniform() - 1) for x in p))
    return moved


def moved_by(problem, points, amount):
    if problem.motion == "random":
        return noise(problem, points, amount)
    length, width, _ = bodies.size(body_of(problem))
    return [MOVES[problem.motion](p, length, width, amount) for p in points]


def positions(problem, points, tets):
    """
    Of all vertices at the start. For laws that are infinite at inversion the motion is made smaller until no
    tetrahedron has less than the least volume.
    """
    amount = 1.0
    while True:
        moved = moved_by(problem, points, amount)
        if problem.material not in INFINITE:
            return moved
        if all(bodies.volume(moved, t) > LEAST_VOLUME * bodies.volume(points, t) for t in tets):
            return moved
        amount *= 0.75


def held(problem, points):
    """Numbers of the vertices on the ends that are held."""
    length = bodies.size(body_of(problem))[0]
    ends = [end * length for end in HELD.get(problem.motion, ())]
    return [v for v, p in enumerate(points) if any(abs(p[0] - end) < 1e-9 for end in ends)]
