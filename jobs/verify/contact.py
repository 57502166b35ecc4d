"""Hertz's contact: an elastic ball that is pressed on a rigid plane, kept apart by the barrier."""
import math

import outputs
from verify import meshes
from verify.case import INPUTS, Row

RADIUS, TOUCHED, YOUNG, POISSON = 1.0, 1e-2, 1e6, 0.3
GAP = 1e-6  # that of the deck
SIZE, GROWTH = 6 * TOUCHED, 3.0  # of the part of the ball that is meshed, and of its cells
PLANE = YOUNG / (1 - POISSON**2)
APPROACH = TOUCHED**2 / RADIUS  # after the first contact
FORCE = 4 / 3 * PLANE * math.sqrt(RADIUS) * APPROACH**1.5
PEAK = 2 / math.pi * PLANE * TOUCHED / RADIUS
HERTZ = "Hertz, J. reine angew. Math. 92 (1881) 156; Johnson, Contact Mechanics, 1985, 4.2"
NAMES = {"xmin": "x0", "ymin": "y0", "zmin": "below", "xmax": "far", "ymax": "far", "zmax": "far"}


def part(n):
    """n x n x n cells that are small where the ball is lowest, a gap above the plane."""

    def mapping(x, y, z):
        x, y, z = (SIZE * math.sinh(GROWTH * c) / math.sinh(GROWTH) for c in (x, y, z))
        return x, y, GAP + z + (1 - z / SIZE) * (RADIUS - math.sqrt(RADIUS**2 - x * x - y * y))

    return meshes.join([(meshes.box((n, n, n), mapping=mapping), NAMES)])


def moved(x, y, z):
    """A place far from the contact: Boussinesq's displacement by Hertz's force at the origin, and the approach."""
    far, scale = math.hypot(x, y, z), FORCE * (1 + POISSON) / (2 * math.pi * YOUNG)
    along = scale * (z * z / far**3 + 2 * (1 - POISSON) / far)
    across = scale * (z / far**3 - (1 - 2 * POISSON) / (far * (far + z)))
    return x + across * x, y + across * y, z + along - APPROACH


def write(n, name):
    """NAME.msh, and NAME.csv of the far sides."""
    mesh = part(n)
    mesh.write(f"{name}.msh")
    meshes.table(f"{name}.csv", {v: moved(*mesh.points[v]) for v in mesh.vertices("far")})
    return mesh


def pressures(folder, count):
    """contact_pressure of the last frame, by vertex."""
    from vtk.util.numpy_support import vtk_to_numpy

    grid, result = outputs.last_frame(folder), [0.0] * count
    data = grid.GetPointData()
    for vertex, value in zip(*(vtk_to_numpy(data.GetArray(name)) for name in ("vertex", "contact_pressure"))):
        result[int(vertex)] = float(value)
    return result


def areas(mesh):
    """Of the surface at rest, by vertex."""
    result = [0.0] * len(mesh.points)
    for triangle in (t for side in mesh.sides.values() for t in side):
        area = meshes.area(*(mesh.points[v] for v in triangle))
        for v in triangle:
            result[v] += area / 3
    return result


def touched(mesh, run, pressure):
    """The radius of Hertz's pressure with the same second moment, 2/5 radius^2 of the force."""
    forces = [p * a for p, a in zip(pressure, areas(mesh))]
    moment = sum(f * (x * x + y * y) for f, (x, y, _) in zip(forces, run.positions()))
    return math.sqrt(5 / 2 * moment / sum(forces))


def hertz(bench):
    forces, radii, peaks = [], [], []
    for n in (5, 10) if bench.quick else (6, 12, 24):
        mesh = write(n, bench.file(f"{n}"))
        how = {"mesh_file": bench.file(f"{n}.msh"), "attach_far_file": bench.file(f"{n}.csv"), "output_every": 1}
        run = bench.run("hertz", f"{n}", how)
        forces.append(4 * run.last("collider_plane_fz"))
        if not bench.quick:
            pressure = pressures(run.folder, len(mesh.points))
            radii.append(touched(mesh, run, pressure))
            peaks.append(max(pressure))
    rows = [Row("force", "limit", forces, FORCE, HERTZ, unit="N")]
    if not bench.quick:
        label = "radius of the contact, from the second moment of the pressure"
        rows.append(Row(label, "limit", radii, TOUCHED, HERTZ, unit="m"))
        rows.append(Row("largest pressure", "limit", peaks, PEAK, HERTZ, unit="Pa"))
    return rows


def write_inputs():
    write(4, f"{INPUTS}/hertz")
