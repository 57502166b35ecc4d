"""Benchmarks of other authors: Cook's membrane, NAFEMS LE1, LE10 and GNL5."""
import math

from verify import meshes
from verify.beams import LOCKING
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
    for law, keys in (("mooney_rivlin", {}), ("neohookean", neohookean)):
        ours = []
        for n in (16, 32, 64):
            cook_mesh(n).write(bench.file(f"{n}.msh"))
            ours.append(bench.run("cook", f"{law}-{n}", {"mesh_file": bench.file(f"{n}.msh"), **keys}).probe("tip_uy"))
        label, reason = (
            f"{law}: displacement of the right side's middle",
            "the volumetric part of the law is another one",
        )
        rows.append(Row(label, "limit", ours, 14.33 * MM, DEAL_II, unit="m", reason=reason))
    return rows


# ---- plates between two ellipses ------------------------------------------------------------------------------------


def ellipses(cells, bottom, top, names):
    """A quarter between the ellipses of half-axes 2, 1 and 3.25, 2.75 m; straight lines between equal parameters."""

    def mapping(s, a, z):
        angle = a * math.pi / 2
        return ((2 + 1.25 * s) * math.cos(angle), (1 + 1.75 * s) * math.sin(angle), z)

    box = meshes.box(cells, (1.0, 1.0, top - bottom), (0.0, 0.0, bottom), mapping=mapping)
    names = {"xmax": "outer", "ymin": "y0", "ymax": "x0", "zmin": "bottom", "zmax": "top", **names}
    mesh = meshes.join([(box, names)])
    # cos(pi/2) is 6e-17: exactly 0 on the plane
    on = set(mesh.vertices("x0"))
    mesh.points = [(0.0, *p[1:]) if v in on else p for v, p in enumerate(mesh.points)]
    return mesh


def le1_mesh(n):
    return ellipses((n, n, 1), 0.0, 0.1, {})


def le10_mesh(n):
    return ellipses((n, n, n // 2), 0.0, 0.6, {})


def edge(mesh, name):
    """A table of the vertices of LE10 in the middle of the outer side, at rest."""
    middle = [v for v in mesh.vertices("outer") if abs(mesh.points[v][2] - 0.3) < 1e-9]
    return meshes.table(name, {v: mesh.points[v] for v in middle})


def plate(bench, name, mesh_of, sizes, published):
    ours = []
    for n in sizes:
        mesh, how = mesh_of(n), {"mesh_file": bench.file(f"{n}.msh")}
        mesh.write(bench.file(f"{n}.msh"))
        if name == "le10":
            how["attach_edge_file"] = edge(mesh, bench.file(f"{n}.csv"))
        ours.append(bench.run(name, f"{n}", how).probe("D_syy"))
    return Row(
        "sigma_yy at D", "limit", ours, published, f"{NAFEMS}, {name.upper()}", order=1, unit="Pa", reason=STRESS
    )


def le1(bench):
    return [plate(bench, "le1", le1_mesh, (16, 32, 64), 92.7e6)]


def le10(bench):
    return [plate(bench, "le10", le10_mesh, (4, 8, 16), -5.38e6)]


# ---- a cantilever beyond buckling -----------------------------------------------------------------------------------


def gnl5(bench):
    ours = {"largest deflection": [], "deflection at the end": [], "shortening at the end": []}
    for n in (2, 4):
        run = bench.run("gnl5", f"{n}", {"mesh_box_cells": f"{32 * n},1,{n}"})
        lateral = run.column("tip_uz", "probes.csv")
        for values, value in zip(ours.values(), (max(lateral), lateral[-1], -run.probe("tip_ux"))):
            values.append(value)
    source = "NAFEMS GNL5; the elastica, Timoshenko, Gere, Theory of Elastic Stability, 1961, table 2-4"
    published = (2.58, 1.36, 5.04)
    reasons = ("shown: of 20 load steps", *["shown: approaches the value; " + LOCKING] * 2)
    return [
        Row(label, "shown", values, exact, source, unit="m", reason=reason)
        for (label, values), exact, reason in zip(ours.items(), published, reasons)
    ]


def write_inputs():
    for name, mesh in (("cook", cook_mesh(8)), ("le1", le1_mesh(8)), ("le10", le10_mesh(4))):
        mesh.write(f"{INPUTS}/{name}.msh")
    edge(le10_mesh(4), f"{INPUTS}/le10_edge.csv")
