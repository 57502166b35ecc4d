"""Bars and beams: levels of refinement against beam theory."""
import math

from verify.case import Row
from verify.laws import bisect

LENGTH, SIDE, YOUNG, POISSON, DENSITY = 1.0, 0.2, 1e8, 0.0, 1e3
SHEAR = YOUNG / (2 * (1 + POISSON))
AREA, INERTIA = SIDE**2, SIDE**4 / 12
COWPER = 10 * (1 + POISSON) / (12 + 11 * POISSON)
BENDING, SHEARING = YOUNG * INERTIA, COWPER * SHEAR * AREA
TIMOSHENKO = "Timoshenko, Phil. Mag. 41 (1921) 744; shear coefficient of Cowper, J. Appl. Mech. 33 (1966) 335"
SECOND = ", tetrahedra of order 2"


def levels(bench):
    return range(2) if bench.quick else range(3)


def weight(bench):
    exact = -1000 * 9.81 / (2 * 1e5)
    ours = [bench.run("weight", f"{n}", {"mesh_refine": n}).probe("end_ux") for n in levels(bench)]
    source = "rho g L^2/(2 E), Timoshenko, Goodier, Theory of Elasticity, 1970, art. 96"
    return [Row("displacement of the end", "limit", ours, exact, source, unit="m")]


def cantilever(bench):
    exact = -(LENGTH**3 / (3 * BENDING) + LENGTH / SHEARING)
    ours = [bench.run("beam", f"{n}", {"mesh_refine": n}).probe("end_uz") for n in levels(bench)]
    return [Row("deflection of the end" + SECOND, "limit", ours, exact, TIMOSHENKO, order=4, unit="m")]


# ---- Euler's load ---------------------------------------------------------------------------------------------------


def sway(load):
    """[m/N] The deflection of a clamped Reissner beam by a lateral force on its end, under an axial one."""
    factor = 1 - load / (YOUNG * AREA) + load / SHEARING
    k = math.sqrt(factor * load / BENDING)
    return factor / load * (math.tan(k * LENGTH) / k - LENGTH) + LENGTH / SHEARING


def buckling(bench):
    load = 0.6 * math.pi**2 * BENDING / (4 * LENGTH**2)
    ours = []
    for n in levels(bench):
        column = {}
        for sign in (1, -1):  # the mesh is not symmetric: half the difference is the deflection by the lateral force
            force = f"{-load!r},0,{sign * 1e-3 * load!r}"
            options = {"mesh_refine": n, "time_steps": 2, "force_xmax_value": force}
            column[sign] = bench.run("beam", f"{n}{'+' if sign > 0 else '-'}", options).column("end_uz", "probes.csv")
        half, full = (a - b for a, b in zip(column[1], column[-1]))
        ours.append(full / (2 * half))  # the lateral force grows too
    source = "finite-strain beam of Reissner, Z. angew. Math. Phys. 23 (1972) 795, linearised about the compressed beam"
    label = "deflection at 0.6 of Euler's load over that at 0.3" + SECOND
    return [Row(label, "limit", ours, sway(load) / sway(load / 2), source, order=4)]


# ---- frequencies ----------------------------------------------------------------------------------------------------


def beam_frequency():
    """[1/s] The first of a clamped Timoshenko beam: where the end's moment and shear force vanish."""
    import numpy

    def determinant(omega):
        a = numpy.zeros((4, 4))  # (w, phi, M, Q)' = a (w, phi, M, Q)
        a[0, 1], a[0, 3], a[1, 2] = 1, 1 / SHEARING, 1 / BENDING
        a[2, 1], a[2, 3] = -DENSITY * INERTIA * omega**2, -1
        a[3, 0] = -DENSITY * AREA * omega**2
        small, power = numpy.eye(4), numpy.eye(4)
        for k in range(1, 20):
            power = power @ (a * LENGTH / 256) / k
            small = small + power
        return numpy.linalg.det(numpy.linalg.matrix_power(small, 256)[2:, 2:])

    slender = 1.8751040687**2 * math.sqrt(BENDING / (DENSITY * AREA * LENGTH**4))
    return bisect(determinant, 0.5 * slender, 1.5 * slender) / (2 * math.pi)


def fit(values, guesses):
    """
    The first angle per sample of a sum of cosines and sines with as many frequencies as guesses, least squares: the
    Gauss-Newton iteration on the angles, with the amplitudes eliminated.
    """
    import numpy

    values, angles = numpy.array(values), numpy.array(guesses)
    k = numpy.arange(len(values))[:, None]

    def residual(angles):
        basis = numpy.hstack([numpy.cos(k * angles), numpy.sin(k * angles)])
        return values - basis @ numpy.linalg.lstsq(basis, values, rcond=None)[0]

    for _ in range(40):
        r, e = residual(angles), 1e-6
        columns = [(residual(angles + e * d) - residual(angles - e * d)) / (2 * e) for d in numpy.eye(len(angles))]
        angles = angles - numpy.linalg.lstsq(numpy.array(columns).T, r, rcond=None)[0]
    return float(angles[0])


def frequency(bench, name, options, column, guess, ratios, held=None, steps=72):
    """
    Of the motion after the static state of `options`: the midpoint rule's angle a per step means tan(a/2) 2/h. held:
    options of attachments, of both.
    """
    held = held or {}
    start = bench.run("beam", f"{name}-start", {"checkpoint_every": 1, **options, **held})
    step = 1 / (24 * guess)
    how = {"initial_restart": start.folder, "time_step": step, "time_steps": steps, **held}
    values = bench.run("beam_swing", name, how).column(column, "probes.csv")
    angle = fit(values, [2 * math.atan(math.pi * guess * ratio * step) for ratio in ratios])
    return math.tan(angle / 2) / (math.pi * step)


def bending(bench):
    exact = beam_frequency()
    ours = [frequency(bench, f"{n}", {"mesh_refine": n}, "end_uz", exact, (1.05, 6.2, 17)) for n in levels(bench)]
    return [Row("first frequency in bending" + SECOND, "limit", ours, exact, TIMOSHENKO, unit="1/s")]


def longitudinal(bench):
    """Error of lumped masses. nu = 0, so that rollers on the sides exert no force; they keep other motions away."""
    exact, rows = math.sqrt(YOUNG / DENSITY) / (4 * LENGTH), []
    held = {}
    for side in ("ymin", "ymax", "zmin", "zmax"):
        held |= {f"attach_{side}_hard": "true", f"attach_{side}_components": side[0]}
    for order in (1, 2):
        errors = []
        for n in levels(bench):
            how = {"mesh_box_cells": "4,1,1", "mesh_order": order, "force_xmax_value": "1,0,0"}
            ratios = (1.0, 3.0, 5.0, 7.0, 9.0)
            ours = frequency(bench, f"{order}-{n}", {**how, "mesh_refine": n}, "end_ux", exact, ratios, held, 400)
            errors.append(abs(ours / exact - 1))
        label = "error of the first frequency along the bar" + (SECOND if order == 2 else "")
        source = "sqrt(E/rho)/(4 L), Timoshenko, Goodier 1970, ch. 14"
        rows.append(Row(label, "order", errors, source=source, order=2, scale=1))
    return rows


def torsion(bench):
    exact = math.sqrt(SHEAR * 0.140577 * 6 / DENSITY) / (4 * LENGTH)
    turned = {"attach_xmax_hard": "true", "attach_xmax_spin": "0.1,0,0", "force_xmax_value": "0,0,0"}
    how = lambda n: {"mesh_refine": n, **turned}
    ours = [frequency(bench, f"{n}", how(n), "side_uz", exact, (1.05, 3.1, 5.2)) for n in range(4)]
    source = "Saint-Venant's torsion of a square, Timoshenko, Goodier 1970, art. 109"
    return [Row("first frequency in torsion" + SECOND, "limit", ours, exact, source, unit="1/s")]
