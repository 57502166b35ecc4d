"""Homogeneous deformations of a jittered block: linear elements give the closed forms to round-off."""
import os

from verify import laws, meshes
from verify.case import INPUTS, Row

SIZE = (1.0, 0.8, 0.6)
OGDEN = "Ogden, Non-Linear Elastic Deformations, 1984, 4.2"
STRETCH, PRESSED, SHEAR = 1.4, 0.8, 0.6
WITHOUT = "polynomial"  # has no stiffness along a free direction


def block():
    return meshes.box((4, 3, 3), SIZE, jitter=0.4)


def run(bench, name, mapping, sides):
    """The block with the vertices of the sides at mapping(x, y, z)."""
    mesh = block()
    targets = meshes.table(bench.file(f"{name}.csv"), {v: mapping(*mesh.points[v]) for v in mesh.vertices(*sides)})
    spline = os.path.abspath(f"{INPUTS}/spline.csv")
    return bench.run("affine", name, {**laws.keys(name, spline), "attach_ends_file": targets})


def chosen(bench):
    return ("neohookean", "corotated") if bench.quick else laws.LAWS


def stretched(bench, fixed, sides, label):
    """The force at the end of a block whose stretches along the first axes are fixed, the others free."""
    rows = []
    for name in chosen(bench):
        if name == WITHOUT:
            continue
        s = laws.free(laws.LAWS[name], fixed)
        done = run(bench, name, lambda x, y, z, s=s: (s[0] * x, s[1] * y, s[2] * z), sides)
        force = laws.stress(laws.LAWS[name], s, 0) * SIZE[1] * SIZE[2]
        rows.append(Row(f"{name}: force at {label}", "identity", [done.probe("end_fx")], force, OGDEN, unit="N"))
    return rows


def uniaxial(bench):
    return stretched(bench, (STRETCH,), ("xmin", "xmax"), f"stretch {STRETCH}")


def equibiaxial(bench):
    return stretched(bench, (PRESSED, PRESSED), ("xmin", "xmax", "ymin", "ymax"), f"stretches {PRESSED}")


def shear(bench):
    rows = []
    for name in chosen(bench):
        law = laws.LAWS[name]
        done = run(bench, name, lambda x, y, z: (x + SHEAR * y, y, z), meshes.SIDES)
        volume = SIZE[0] * SIZE[1] * SIZE[2]
        first = (SHEAR + (SHEAR**2 + 4) ** 0.5) / 2
        energy = laws.density(law, (first, 1 / first, 1.0)) * volume
        stress = laws.shear_stress(law, SHEAR)
        at = done.probe("middle_sxy")
        rows.append(Row(f"{name}: shear stress at {SHEAR}", "identity", [at], stress, OGDEN, unit="Pa"))
        rows.append(Row(f"{name}: energy at {SHEAR}", "identity", [done.last("elastic")], energy, OGDEN, unit="J"))
    return rows


def write_inputs():
    """block.msh and affine.csv; spline.csv, three straight lines."""
    mesh = block()
    mesh.write(f"{INPUTS}/block.msh")
    s = laws.free(laws.LAWS["neohookean"], (STRETCH,))
    ends = {v: tuple(a * b for a, b in zip(s, mesh.points[v])) for v in mesh.vertices("xmin", "xmax")}
    meshes.table(f"{INPUTS}/affine.csv", ends)
    with open(f"{INPUTS}/spline.csv", "w", encoding="utf-8") as out:
        out.write("function,x,value\n")
        for name, slope in (("a", 2 * laws.MU), ("b", laws.BETA), ("c", laws.LAMBDA)):
            out.writelines(f"{name},{x},{slope * (x - 1)!r}\n" for x in (0.25, 0.5, 1.0, 1.5, 4.0))
