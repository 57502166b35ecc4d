"""Benchmarks of other authors: Cook's membrane, NAFEMS LE1, LE10 and GNL5."""
import math

from verify import meshes
from verify.beams import LOCKING, SECOND
from verify.case import INPUTS, Row

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
    "order 1, mean": (1, "mean", (8, 16), 8),
    "order 2, full": (2, "full", (4, 8), 4),
    "order 2, mean": (2, "mean", (4, 8), 4),
}


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
            found[element] = [run.probe("tip_uy") for run in runs]
            said = f"shown: {', '.join(map(str, sizes))} cells a side"
            rows.append(Row(f"{faces}: displacement, {element}", "listed", found[element], unit="m", reason=said))
        (_, full), (_, mean), (coarse, fine) = (found[e] for e in ("order 1, full", "order 1, mean", "order 2, mean"))
        for label, value, most in (
            ("order 1, mean at 16 cells: below order 2, mean at 8, by", 1 - mean / fine, 0.18),
            ("order 1, full at 16 cells: part of order 2, mean at 8", full / fine, 0.5),
            ("order 2, mean: change from 4 to 8 cells", abs(fine / coarse - 1), 0.06),
        ):
            rows.append(Row(f"{faces}: {label}", "bound", [value], most))
    return rows + (iterations(bench) if bench.ranks == 1 else [])


# ---- plates between two ellipses ------------------------------------------------------------------------------------


def ellipses(cells, bottom, top, order):
    """A quarter between the ellipses of half-axes 2, 1 and 3.25, 2.75 m; straight lines between equal parameters."""

    def mapping(s, a, z):
        angle = a * math.pi / 2
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
    return ellipses((n, n, n // 2), 0.0, 0.6, order)


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
    first, second = (4, 8, 16), (4, 8, 16)
    return [plate(bench, "le10", le10_mesh, first, -5.38e6), plate(bench, "le10", le10_mesh, second, -5.38e6, 2)]


# ---- a cantilever beyond buckling -----------------------------------------------------------------------------------


def gnl5(bench):
    ours = {"largest deflection": [], "deflection at the end": [], "shortening at the end": []}
    second = {label: [] for label in ours}
    for values_of, name, how in (
        (ours, "2", {"mesh_box_cells": "64,1,2"}),
        (ours, "4", {"mesh_box_cells": "128,1,4"}),
        (second, "second-1", {"mesh_box_cells": "16,1,1", "mesh_order": 2}),
        (second, "second-2", {"mesh_box_cells": "32,1,1", "mesh_order": 2}),
    ):
        run = bench.run("gnl5", name, how)
        lateral = run.column("tip_uz", "probes.csv")
        for values, value in zip(values_of.values(), (max(lateral), lateral[-1], -run.probe("tip_ux"))):
            values.append(value)
    source = "NAFEMS GNL5; the elastica, Timoshenko, Gere, Theory of Elastic Stability, 1961, table 2-4"
    published = (2.58, 1.36, 5.04)
    reasons = ("shown: of 20 load steps", *["shown: approaches the value; " + LOCKING] * 2)
    rows = [
        Row(label, "shown", values, exact, source, unit="m", reason=reason)
        for (label, values), exact, reason in zip(ours.items(), published, reasons)
    ]
    said = "shown: 16 and 32 cells along the length, one across"
    return rows + [
        Row(label + SECOND, "shown", values, exact, source, unit="m", reason=said)
        for (label, values), exact in zip(second.items(), published)
    ]


def write_inputs():
    for name, mesh in (("cook", cook_mesh(8)), ("le1", le1_mesh(8)), ("le10", le10_mesh(4))):
        mesh.write(f"{INPUTS}/{name}.msh")
    edge(le10_mesh(4), f"{INPUTS}/le10_edge.csv")
