"""Hertz's contact: an elastic ball that is pressed on a rigid plane, kept apart by the barrier."""
import math

import outputs
from verify import meshes
from verify.case import INPUTS, Row

RADIUS, TOUCHED, YOUNG, POISSON = 10.0, 1e-2, 1e6, 0.3
GAP = 1e-7  # that of the deck, and of 6 cells; it shrinks with the square of the cells
SIZE, GROWTH = 6 * TOUCHED, 3.0  # of the part of the ball that is meshed, and of its cells
PLANE = YOUNG / (1 - POISSON**2)
APPROACH = TOUCHED**2 / RADIUS  # after the first contact
FORCE = 4 / 3 * PLANE * math.sqrt(RADIUS) * APPROACH**1.5
PEAK = 2 / math.pi * PLANE * TOUCHED / RADIUS
HERTZ = "Hertz, J. reine angew. Math. 92 (1881) 156; Johnson, Contact Mechanics, 1985, 4.2"
NAMES = {"xmin": "x0", "ymin": "y0", "zmin": "below", "xmax": "far", "ymax": "far", "zmax": "far"}


def part(n, gap):
    """n x n x n cells that are small where the ball is lowest, a gap above the plane."""

    def mapping(x, y, z):
        x, y, z = (SIZE * math.sinh(GROWTH * c) / math.sinh(GROWTH) for c in (x, y, z))
        return x, y, gap + z + (1 - z / SIZE) * (RADIUS - math.sqrt(RADIUS**2 - x * x - y * y))

    return meshes.join([(meshes.box((n, n, n), mapping=mapping), NAMES)])


def moved(x, y, z):
    """A place far from the contact: Boussinesq's displacement by Hertz's force at the origin, and the approach."""
    far, scale = math.hypot(x, y, z), FORCE * (1 + POISSON) / (2 * math.pi * YOUNG)
    along = scale * (z * z / far**3 + 2 * (1 - POISSON) / far)
    across = scale * (z / far**3 - (1 - 2 * POISSON) / (far * (far + z)))
    return x + across * x, y + across * y, z + along - APPROACH


def write(n, gap, name):
    """NAME.msh, and NAME.csv of the far sides."""
    mesh = part(n, gap)
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


def areas(triangles, mesh):
    """Of triangles at rest, by vertex."""
    result = [0.0] * len(mesh.points)
    for triangle in triangles:
        area = meshes.area(*(mesh.points[v] for v in triangle))
        for v in triangle:
            result[v] += area / 3
    return result


def measure(mesh, run):
    """Radius and central pressure of Hertz's ellipse p^2 = peak^2 (1 - r^2 / radius^2).

    The radius is 16 / (3 pi) of the mean r of the pressure; the peak is fitted where r < 0.8 of the radius.
    contact_pressure is over all faces of a vertex. On the edges of the quarter these are planes of symmetry, too."""
    import numpy

    surface = areas([t for side in mesh.sides.values() for t in side], mesh)
    below, places = areas(mesh.sides["below"], mesh), run.positions()
    r = [math.hypot(x, y) for x, y, _ in places]
    force = [p * a for p, a in zip(pressures(run.folder, len(mesh.points)), surface)]
    inner = [v for v in mesh.vertices("below") if r[v] < 0.8 * TOUCHED]
    square = [(force[v] / below[v]) ** 2 for v in inner]
    weight = numpy.sqrt([below[v] for v in inner])
    peak = math.sqrt(numpy.polyfit([r[v] ** 2 for v in inner], square, 1, w=weight)[1])
    return 16 / (3 * math.pi) * numpy.dot(force, r) / sum(force), peak


def hertz(bench):
    forces, radii, peaks = [], [], []
    for n in (5, 10) if bench.quick else (6, 12, 24):
        gap = GAP * (6 / n) ** 2
        mesh = write(n, gap, bench.file(f"{n}"))
        how = {"mesh_file": bench.file(f"{n}.msh"), "attach_far_file": bench.file(f"{n}.csv"), "output_every": 1}
        how["collider_plane_gap"] = gap
        run = bench.run("hertz", f"{n}", how)
        forces.append(4 * run.last("collider_plane_fz"))
        if not bench.quick:
            radius, peak = measure(mesh, run)
            radii.append(radius)
            peaks.append(peak)
    rows = [Row("force", "limit", forces, FORCE, HERTZ, unit="N")]
    if not bench.quick:
        label = "radius of the contact, from the mean distance of the pressure"
        rows.append(Row(label, "limit", radii, TOUCHED, HERTZ, unit="m"))
        rows.append(Row("pressure at the centre, by a fit", "limit", peaks, PEAK, HERTZ, unit="Pa"))
    return rows


def write_inputs():
    write(4, GAP, f"{INPUTS}/hertz")
