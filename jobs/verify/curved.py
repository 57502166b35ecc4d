"""
Bodies with curved surfaces, whose vertices lie on the exact surface at each level: a thick sphere under pressure, and a
twisted thick tube of neohookean, psi = mu/2 (I1 - 3) - mu log J + lambda/2 log^2 J, against the ordinary differential
equation of the radius r(R) in the deformed state.
"""
import functools
import math

from verify import laws, meshes
from verify.case import INPUTS, Row
from verify.laws import LAMBDA, MU, bisect

SOURCE = "Ogden, Non-Linear Elastic Deformations, 1984, 5.3; r(R) by the method of Runge and Kutta"
PRESSURE, TWIST, LENGTH = 1e5, 0.25, 0.5
SPHERE, TUBE = (1.0, 2.0), (0.5, 1.0)  # radii at rest


def march(right, start, end, state, steps=1000):
    """Points (R, *state) of state' = right(R, state), from R = start to end, by the classical Runge-Kutta method."""
    h, at, path = (end - start) / steps, start, [(start, *state)]
    add = lambda s, k, f: tuple(x + f * y for x, y in zip(s, k))
    for i in range(steps):
        a = right(at, state)
        b = right(at + h / 2, add(state, a, h / 2))
        c = right(at + h / 2, add(state, b, h / 2))
        d = right(at + h, add(state, c, h))
        state = tuple(s + h / 6 * (p + 2 * q + 2 * r + t) for s, p, q, r, t in zip(state, a, b, c, d))
        at = start + (i + 1) * h
        path.append((at, *state))
    return path


def tube_right(R, state):
    """
    (r', r'') of (R P_r)' = R dpsi/dr for a tube of constant length with a twist, J = r' r/R.
    """
    r, s = state
    c = LAMBDA * math.log(s * r / R) - MU
    side = MU * r / R**2 + c / r + MU * (TWIST / LENGTH) ** 2 * r
    along = LAMBDA * (s / r - 1 / R) / s  # of d P_r/dR, what does not contain r''
    return s, (side - along - (MU * s + c / s) / R) / (MU + (LAMBDA - c) / s**2)


def stretch_of(law, hoop, stress):
    """The radial stretch of a sphere with P_r = stress, by Newton's method."""
    of, guess = lambda s: laws.stress(law, (s, hoop, hoop), 0) - stress, hoop**-2
    for _ in range(50):
        value = of(guess)
        step = value * 1e-6 / (of(guess + 1e-6) - value)
        guess -= step
        if abs(step) < 1e-14:
            break
    return guess


@functools.lru_cache(maxsize=None)
def sphere_path(name):
    """(R, r, r') from outside to inside with the pressure there, of any law: (R^2 P_r)' = 2 R P_hoop."""
    law = laws.LAWS[name]

    def right(R, state):
        r, radial = state
        s = stretch_of(law, r / R, radial)
        return s, 2 * (laws.stress(law, (s, r / R, r / R), 1) - radial) / R

    def of(outer):
        return march(right, SPHERE[1], SPHERE[0], (outer, 0.0), steps=100)

    def excess(outer):
        R, r, radial = of(outer)[-1]
        return -radial / (r / R) ** 2 - PRESSURE

    path = of(bisect(excess, SPHERE[1], 1.04 * SPHERE[1]))
    return [(R, r, stretch_of(law, r / R, radial)) for R, r, radial in path]


@functools.lru_cache(maxsize=None)
def tube_path():
    """(R, r, r') from inside to outside; P_r = 0 at both."""

    def radial(R, r, s):
        return MU * s + (LAMBDA * math.log(s * r / R) - MU) / s

    def of(inner):
        start = bisect(lambda s: radial(TUBE[0], inner, s), 0.2, 2.0)
        return march(tube_right, TUBE[0], TUBE[1], (inner, start))

    return of(bisect(lambda inner: radial(*of(inner)[-1]), 0.7 * TUBE[0], 1.1 * TUBE[0]))


def at(path, R):
    """r(R), cubic between the points of the path."""
    h = (path[-1][0] - path[0][0]) / (len(path) - 1)
    i = min(max(int((R - path[0][0]) / h), 0), len(path) - 2)
    (a, r, p), (_, s, q) = path[i], path[i + 1]
    t = (R - a) / h
    u = 1 - t
    return (1 + 2 * t) * u * u * r + (1 + 2 * u) * t * t * s + h * t * u * (u * p - t * q)


def simpson(path, function):
    h = abs(path[-1][0] - path[0][0]) / (len(path) - 1)
    weights = [1, *[4, 2] * ((len(path) - 3) // 2), 4, 1]
    return h / 3 * sum(w * function(*point) for w, point in zip(weights, path))


def error(positions, expected):
    """Root mean square over the vertices."""
    return math.sqrt(sum(math.dist(a, b) ** 2 for a, b in zip(positions, expected)) / len(positions))


# ---- sphere ---------------------------------------------------------------------------------------------------------


def sphere_mesh(n):
    """Three patches of n x n x n cells."""

    def patch(turn):
        def mapping(R, a, b):
            direction = (1.0, math.tan(a * math.pi / 4), math.tan(b * math.pi / 4))
            length = math.hypot(*direction)
            point = [R * d / length for d in direction]
            return tuple(point[(i - turn) % 3] for i in range(3))

        planes = ["x0", "y0", "z0"]
        names = {"xmin": "inner", "xmax": "outer", "ymin": planes[(1 + turn) % 3], "zmin": planes[(2 + turn) % 3]}
        size, origin = (SPHERE[1] - SPHERE[0], 1.0, 1.0), (SPHERE[0], 0.0, 0.0)
        return meshes.box((n, n, n), size, origin, mapping=mapping), names

    return meshes.join([patch(turn) for turn in range(3)])


def sphere(bench):
    rows, levels = [], {n: sphere_mesh(n) for n in ((2, 4) if bench.quick else (3, 6, 12))}
    for n, mesh in levels.items():
        mesh.write(bench.file(f"{n}.msh"))
    for name in ("neohookean", "mooney_rivlin"):
        path, errors, radii = sphere_path(name), [], []
        for n, mesh in levels.items():
            how = {**laws.keys(name, None), "mesh_file": bench.file(f"{n}.msh")}
            found = bench.run("sphere", f"{name}-{n}", how).positions()
            exact = [tuple(c * at(path, R) / R for c in point) for point in mesh.points for R in [math.hypot(*point)]]
            errors.append(error(found, exact) / error(mesh.points, exact))
            inner = mesh.vertices("inner")
            radii.append(sum(math.hypot(*found[v]) for v in inner) / len(inner))
        rows.append(Row(f"{name}: radius inside", "limit", radii, path[-1][1], SOURCE, unit="m"))
        rows.append(Row(f"{name}: error of the displacement", "order", errors, source=SOURCE, order=2, scale=1))
    return rows


# ---- tube -----------------------------------------------------------------------------------------------------------


def tube_mesh(n):
    """n cells through the thickness, 8 n around, n along."""

    def mapping(R, a, z):
        angle = 2 * math.pi * a
        return (R * math.cos(angle), R * math.sin(angle), z)

    size, origin = (TUBE[1] - TUBE[0], 1.0, LENGTH), (TUBE[0], 0.0, 0.0)
    names = {"xmin": "inner", "xmax": "outer", "zmin": "bottom", "zmax": "top"}
    return meshes.join([(meshes.box((n, 8 * n, n), size, origin, mapping=mapping), names)])


def twisted(path, point):
    x, y, z = point
    R = math.hypot(x, y)
    angle, r = math.atan2(y, x) + TWIST * (z / LENGTH - 0.5), at(path, R)
    return (r * math.cos(angle), r * math.sin(angle), z)


def tube_targets(mesh, name):
    path = tube_path()
    return meshes.table(name, {v: twisted(path, mesh.points[v]) for v in mesh.vertices("bottom", "top")})


def tube(bench):
    path, errors, energies, forces = tube_path(), [], [], []
    twist = TWIST / LENGTH

    def density(R, r, s):
        log = math.log(s * r / R)
        first = s * s + (r / R) ** 2 + (twist * r) ** 2 + 1
        return 2 * math.pi * R * (MU / 2 * (first - 3) - MU * log + LAMBDA / 2 * log * log)

    for n in (4, 8, 16):
        mesh = tube_mesh(n)
        mesh.write(bench.file(f"{n}.msh"))
        targets = tube_targets(mesh, bench.file(f"{n}.csv"))
        run = bench.run("tube", f"{n}", {"mesh_file": bench.file(f"{n}.msh"), "attach_ends_file": targets})
        exact = [twisted(path, point) for point in mesh.points]
        errors.append(error(run.positions(), exact) / error(mesh.points, exact))
        energies.append(run.last("elastic"))
        forces.append(run.probe("top_fz"))
    normal = simpson(path, lambda R, r, s: 2 * math.pi * R * LAMBDA * math.log(s * r / R))
    return [
        Row("energy", "limit", energies, LENGTH * simpson(path, density), SOURCE, unit="J"),
        Row("axial force", "limit", forces, normal, SOURCE, unit="N"),
        Row("error of the displacement", "order", errors, source=SOURCE, order=2, scale=1),
    ]


def write_inputs():
    sphere_mesh(2).write(f"{INPUTS}/sphere.msh")
    mesh = tube_mesh(2)
    mesh.write(f"{INPUTS}/tube.msh")
    tube_targets(mesh, f"{INPUTS}/tube.csv")
