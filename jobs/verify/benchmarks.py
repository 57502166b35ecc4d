"""Benchmarks of other authors: Cook's membrane, NAFEMS LE1, LE10 and GNL5."""
import math

from verify import meshes
from verify.beams import SECOND
from verify.case import INPUTS, Row
from verify.curved import march
from verify.laws import bisect

MM = 1e-3
NAFEMS = "NAFEMS, The Standard NAFEMS Benchmarks, TNSB Rev. 3, 1990"
DEAL_II = "Pelteret, McBride, deal.II code gallery: Quasi-Static Finite-Strain Compressible Elasticity, 2016"
STRESS = "stresses of elements of constant strain are of first order"


# ---- Cook's membrane ------------------------------------------------------------------------------------------------


def cook_mesh(n):
    """n x n cells, one through the thickness of 1 mm."""

    def mapping(s, t, z):
        low, high = 44 * s, 44 + 16 * s
        return (48 * s * MM, (low + t * (high - low)) * MM, z)

    names = {"xmin": "left", "xmax": "right", "zmin": "front", "zmax": "back"}
    return meshes.join([(meshes.box((n, n, 1), (1.0, 1.0, MM), mapping=mapping), names)])


def cook(bench):
    """
    With the isochoric part of the published law, and with neohookean: both have another volumetric part than it has.
    """
    lame = 2 * 422500 * 0.3 / (1 - 0.6)
    neohookean = {"material_model": "neohookean", "material_mu": 422500, "material_lambda": lame}
    rows = []
    for law, keys, order in (("mooney_rivlin", {}, 1), ("neohookean", neohookean, 1), ("neohookean", neohookean, 2)):
        ours = []
        for n in (16, 32, 64) if order == 1 else (4, 8, 16):
            cook_mesh(n).write(bench.file(f"{n}.msh"))
            how = {"mesh_file": bench.file(f"{n}.msh"), "mesh_order": order, **keys}
            ours.append(bench.run("cook", f"{law}-{order}-{n}", how).probe("tip_uy"))
        label = f"{law}: displacement of the right side's middle" + (SECOND if order == 2 else "")
        reason = "the volumetric part of the law is another one"
        rows.append(Row(label, "limit", ours, 14.33 * MM, DEAL_II, order=2 * order, unit="m", reason=reason))
    return rows


# ---- Cook's membrane near Poisson's ratio 1/2 -----------------------------------------------------------------------

HELD = {"hard": "true", "components": "z"}
BOTH = "both faces held, 1 N"
FACES = {  # what holds the faces, and the load, N
    BOTH: (("front", "back"), 1.0),
    "one face held, 1 N": (("front",), 1.0),
    "faces free, 1 mN": ((), 1e-3),
}
ELEMENTS = {  # order, volumetric, cells a side of the displacements, of the iterations
    "order 1, full": (1, "full", (8, 16), 8),
    "order 1, mean": (1, "mean", (8, 16, 32, 64), 8),
    "order 2, full": (2, "full", (4, 8), 4),
    "order 2, mean": (2, "mean", (4, 8, 16, 32), 4),
}
CORNER = 1.09  # order of displacements: twice the exponent of Williams at the upper clamped corner, of 108 degrees


def membrane(bench, name, faces, element, n, nu, keys=None):
    """A run of Cook's membrane of neohookean."""
    held, load = FACES[faces]
    order, volumetric = ELEMENTS[element][:2]
    mesh = bench.file(f"{n}.msh")
    cook_mesh(n).write(mesh)
    how = {"mesh_file": mesh, "mesh_order": order, "material_volumetric": volumetric}
    how |= {"force_right_value": f"0,{load},0", "material_lambda": 2 * 422500 * nu / (1 - 2 * nu), **(keys or {})}
    how |= {f"attach_{side}_{key}": value for side in held for key, value in HELD.items()}
    name = name.replace(", ", "-").replace(" ", "_")
    return bench.run("cook_locking", name, how, ends=("max_it",))


def iterations(bench):
    """Of two load steps, both faces held: counts, which rounding may change, on one rank alone."""
    rows, ratios = [], (0.3, 0.49, 0.499, 0.4999)
    for solver, upto in (("newton", 4), ("qn", 2)):
        for element, (_, _, _, n) in ELEMENTS.items():
            counts = []
            for nu in ratios[:upto]:
                how = {"solver_type": solver, "solver_rtol": 1e-8, "solver_max_it": 5000}
                run = membrane(bench, f"{solver}-{element}-{nu}", BOTH, element, n, nu, how)
                counts.append(sum(run.column("iterations")))
            at = ", ".join(map(str, ratios[:upto]))
            said = f"shown: {n} cells a side, rtol 1e-8, on one rank"
            rows.append(Row(f"iterations of {solver} at nu = {at}: {element}", "listed", counts, reason=said))
    return rows


def locking(bench):
    """At nu = 0.4999; one face held is half of a sheet of 2 mm with free faces, in its solution without buckling."""
    rows = []
    for faces in FACES:
        found = {}
        for element, (_, _, sizes, _) in ELEMENTS.items():
            runs = [membrane(bench, f"{faces}-{element}-{n}", faces, element, n, 0.4999) for n in sizes]
            said = f"shown: {', '.join(map(str, sizes))} cells a side"
            name, values = f"{faces}: displacement, {element}", [run.probe("tip_uy") for run in runs]
            found[element] = Row(name, "listed", values, order=CORNER, unit="m", reason=said)
        first, second = found["order 1, mean"], found["order 2, mean"]
        first.kind, first.exact, first.reason = "limit", second.extrapolated(), "errors of locking still fall faster"
        first.source = "Richardson's value of order 2, mean"
        rows += found.values()
        full, mean, (coarse, fine) = found["order 1, full"].ours[1], first.ours[1], second.ours[:2]
        for label, value, most in (
            ("order 1, mean at 16 cells: below order 2, mean at 8, by", 1 - mean / fine, 0.18),
            ("order 1, full at 16 cells: part of order 2, mean at 8", full / fine, 0.5),
            ("order 2, mean: change from 4 to 8 cells", abs(fine / coarse - 1), 0.06),
        ):
            rows.append(Row(f"{faces}: {label}", "bound", [value], most))
    return rows + (iterations(bench) if bench.ranks == 1 else [])


# ---- plates between two ellipses ------------------------------------------------------------------------------------


def ellipses(cells, bottom, top, order, grade=0.0):
    """
    A quarter between the ellipses of half-axes 2, 1 and 3.25, 2.75 m; straight lines between equal parameters. Cells
    are larger outside than inside, by (1 + grade)/(1 - grade).
    """

    def mapping(s, a, z):
        s, angle = s * (1 - grade + grade * s), a * math.pi / 2
        x = (2 + 1.25 * s) * math.cos(angle) if a < 1 else 0.0  # cos(pi/2) is 6e-17
        return (x, (1 + 1.75 * s) * math.sin(angle), z)

    size, origin = (1.0, 1.0, top - bottom), (0.0, 0.0, bottom)
    names = {"xmax": "outer", "ymin": "y0", "ymax": "x0", "zmin": "bottom", "zmax": "top"}
    mesh = meshes.join([(meshes.box(cells, size, origin, mapping=mapping), names)])
    if order == 2:
        at = meshes.box(cells, size, origin).points
        mesh.raise_order(lambda a, b: mapping(*((p + q) / 2 for p, q in zip(at[a], at[b]))))
    return mesh


def le1_mesh(n, order=1):
    return ellipses((n, n, 1), 0.0, 0.1, order)


def le10_mesh(n, order=1):
    return ellipses((n, n, n // 2), 0.0, 0.6, order, 0.5)


def edge(mesh, name):
    """A table of the vertices of LE10 in the middle of the outer side, at rest."""
    middle = [v for v in mesh.vertices("outer") if abs(mesh.points[v][2] - 0.3) < 1e-9]
    return meshes.table(name, {v: mesh.points[v] for v in middle})


def plate(bench, name, mesh_of, sizes, published, order=1):
    ours = []
    for n in sizes:
        stem = f"{n}" if order == 1 else f"second-{n}"
        mesh, how = mesh_of(n, order), {"mesh_file": bench.file(f"{stem}.msh")}
        mesh.write(bench.file(f"{stem}.msh"))
        if name == "le10":
            how["attach_edge_file"] = edge(mesh, bench.file(f"{stem}.csv"))
        ours.append(bench.run(name, stem, how).probe("D_syy"))
    label, reason = ("sigma_yy at D", STRESS) if order == 1 else ("sigma_yy at D" + SECOND, "")
    return Row(label, "limit", ours, published, f"{NAFEMS}, {name.upper()}", order=order, unit="Pa", reason=reason)


def le1(bench):
    return [plate(bench, "le1", le1_mesh, (16, 32, 64), 92.7e6), plate(bench, "le1", le1_mesh, (8, 16, 32), 92.7e6, 2)]


def le10(bench):
    return [plate(bench, "le10", le10_mesh, (4, 8, 16), -5.38e6, order) for order in (1, 2)]


# ---- a cantilever beyond buckling -----------------------------------------------------------------------------------


LENGTH, SIDE, LOAD, STEPS = 3.2, 0.1, 3844018.5547, 20  # N: 22.493 EI/L^2 in 20 steps; a thousandth of it laterally
BEND = ("largest deflection", "deflection at the end", "shortening at the end")


def elastica(load, low):
    """
    The beam without strain of its axis and shear under a load/(EI), from the angle of its end, which is above `low`,
    the one of a smaller load. Gives the angle, deflection and shortening of the end: theta'' = -(q cos + p sin)(theta),
    theta = 0 at the clamp and theta' = 0 at the end.
    """

    def right(_, state):
        angle, curvature = state[:2]
        return -curvature, load * (1e-3 * math.cos(angle) + math.sin(angle)), math.sin(angle), 1 - math.cos(angle)

    clamp = lambda angle: march(right, 0, LENGTH, (angle, 0.0, 0.0, 0.0), 200)[-1][1:]
    angle = bisect(lambda angle: clamp(angle)[0], low, math.pi)
    return angle, *clamp(angle)[2:]


def bent(bench, name, cells, side):
    """The three numbers of a beam with square sides under a load that would bend one without strain in the same way."""
    load = LOAD * (side / SIDE) ** 4
    how = {"mesh_box_size": f"{LENGTH},{side},{side}", "mesh_box_cells": f"{cells},1,1", "mesh_order": 2}
    how |= {"force_xmax_value": f"{-load!r},0,{load / 1000!r}", "time_steps": STEPS, "solver_type": "newton"}
    run = bench.run("gnl5", name, how)
    lateral = run.column("tip_uz", "probes.csv")
    return max(lateral), lateral[-1], -run.probe("tip_ux")


def gnl5(bench):
    """Published values, then the elastica, to which beams tend that are as thin as 1/32, 1/64 and 1/128."""
    stiffness = 2.1e11 * SIDE**4 / 12
    path = [(0.0, 0.0, 0.0)]
    for step in range(STEPS):
        path.append(elastica((step + 1) / STEPS * LOAD / stiffness, path[-1][0]))
    exact = (max(at[1] for at in path), *path[-1][1:])
    refined = zip(*(bent(bench, f"{n}", n, SIDE) for n in (16, 32, 64)))
    thinner = zip(*(bent(bench, f"thin-{n}", 32 * n, SIDE / n) for n in (1, 2, 4)))
    published, source = (2.58, 1.36, 5.04), f"{NAFEMS}, GNL5"
    reason = "of a beam without strain, while fibres are strained by 15 % here"
    rows = [
        Row(label + SECOND, "limit", list(values), value, source, order=4, unit="m", reason=reason)
        for label, values, value in zip(BEND, refined, published)
    ]
    source = "the elastica, Timoshenko, Gere, Theory of Elastic Stability, 1961, 2.7"
    return rows + [
        Row(f"{label}, thinner beams", "limit", list(values), value, source, order=2, unit="m")
        for label, values, value in zip(BEND, thinner, exact)
    ]


def write_inputs():
    for name, mesh in (("cook", cook_mesh(8)), ("le1", le1_mesh(8)), ("le10", le10_mesh(4))):
        mesh.write(f"{INPUTS}/{name}.msh")
    edge(le10_mesh(4), f"{INPUTS}/le10_edge.csv")
