"""
Bodies with curved surfaces, whose vertices lie on the exact surface at each level: a thick sphere and a thick tube of
neohookean, psi = mu/2 (I1 - 3) - mu log J + lambda/2 log^2 J, against the ordinary differential equation of r(R).
"""
import functools
import math

from verify import meshes
from verify.case import INPUTS, Row
from verify.laws import LAMBDA, MU

SOURCE = "Ogden, Non-Linear Elastic Deformations, 1984, 5.3; r(R) by Runge-Kutta with 1000 steps"
PRESSURE, TWIST, LENGTH = 1e5, 0.25, 0.5
SPHERE, TUBE = (1.0, 2.0), (0.5, 1.0)  # radii at rest


def march(slope, start, end, state, steps=1000):
    """States (R, r, r') of r'' = slope(R, r, r') from R = start to end, by the classical Runge-Kutta method."""
    h, at, path = (end - start) / steps, start, [(start, *state)]
    add = lambda s, k, f: (s[0] + f * k[0], s[1] + f * k[1])
    right = lambda x, s: (s[1], slope(x, *s))
    for i in range(steps):
        a = right(at, state)
        b = right(at + h / 2, add(state, a, h / 2))
        c = right(at + h / 2, add(state, b, h / 2))
        d = right(at + h, add(state, c, h))
        state = tuple(s + h / 6 * (p + 2 * q + 2 * r + t) for s, p, q, r, t in zip(state, a, b, c, d))
        at = start + (i + 1) * h
        path.append((at, *state))
    return path


def bisect(function, low, high):
    """A root of a function that changes its sign."""
    sign = function(low) > 0
    if sign == (function(high) > 0):
        raise ValueError(f"no change of sign from {low} to {high}")
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if (function(middle) > 0) == sign else (low, middle)
    return (low + high) / 2


def radial(stretch, volume):
    """P_r: MU s + (LAMBDA log J - MU)/s, of the radial stretch and J."""
    return MU * stretch + (LAMBDA * math.log(volume) - MU) / stretch


def slope(n, twist):
    """
    r'' of (R^n P_r)' = R^n dpsi/dr: n = 2 a sphere, J = r' (r/R)^2; n = 1 a tube of constant length with the twist
    [1/m], J = r' r/R.
    """

    def of(R, r, s):
        c = LAMBDA * math.log(s * (r / R) ** n) - MU
        side = n * (MU * r / R**2 + c / r) + MU * twist**2 * r
        along = n * LAMBDA * (s / r - 1 / R) / s  # of d P_r/dR, what does not contain r''
        return (side - along - n * (MU * s + c / s) / R) / (MU + (LAMBDA - c) / s**2)

    return of


def relaxed(n, r, R):
    """r' for which P_r = 0 at r, R."""
    return bisect(lambda s: radial(s, s * (r / R) ** n), 0.2, 2.0)


@functools.lru_cache(maxsize=None)
def sphere_path():
    """From outside to inside, with the pressure at the inner surface."""

    def of(outer):
        return march(slope(2, 0.0), SPHERE[1], SPHERE[0], (outer, relaxed(2, outer, SPHERE[1])))

    def excess(outer):
        R, r, s = of(outer)[-1]
        return -radial(s, s * (r / R) ** 2) / (r / R) ** 2 - PRESSURE

    return of(bisect(excess, SPHERE[1], 1.2 * SPHERE[1]))


@functools.lru_cache(maxsize=None)
def tube_path():
    twist = TWIST / LENGTH

    def of(inner):
        return march(slope(1, twist), TUBE[0], TUBE[1], (inner, relaxed(1, inner, TUBE[0])))

    def end(inner):
        R, r, s = of(inner)[-1]
        return radial(s, s * r / R)

    return of(bisect(end, 0.7 * TUBE[0], 1.1 * TUBE[0]))


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
    path, errors, radii = sphere_path(), [], []
    for n in (2, 4) if bench.quick else (3, 6, 12):
        mesh = sphere_mesh(n)
        mesh.write(bench.file(f"{n}.msh"))
        found = bench.run("sphere", f"{n}", {"mesh_file": bench.file(f"{n}.msh")}).positions()
        exact = [tuple(c * at(path, R) / R for c in point) for point in mesh.points for R in [math.hypot(*point)]]
        errors.append(error(found, exact) / error(mesh.points, exact))
        inner = mesh.vertices("inner")
        radii.append(sum(math.hypot(*found[v]) for v in inner) / len(inner))
    rows = [Row("radius inside", "limit", radii, path[-1][1], SOURCE, unit="m")]
    if not bench.quick:
        rows.append(Row("error of the displacement", "order", errors, source=SOURCE, order=2, scale=1))
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
    mesh = tube_mesh(1)
    mesh.write(f"{INPUTS}/tube.msh")
    tube_targets(mesh, f"{INPUTS}/tube.csv")
