"""FEniCSx and CalculiX on the same meshes: a cantilever of 4 m x 1 m x 1 m that a traction on its end bends far."""
import subprocess

import peers
import program
from program import Failure
from verify import meshes
from verify.case import INPUTS, Row

SIZE, CELLS, YOUNG, POISSON, PULL = (4.0, 1.0, 1.0), (12, 3, 3), 1e6, 0.4, -1e4  # PULL along z, Pa
FENICSX = "FEniCSx (dolfinx 0.5), the same energy and quadrature"
CALCULIX = "CalculiX 2.20, C3D{}: a linear law of the second Piola-Kirchhoff stress and Green's strain"
DIGITS = 1e-6  # relative, of the seven that CalculiX prints


def beam(order):
    mesh = meshes.join([(meshes.box(CELLS, SIZE, jitter=0.4), {"xmin": "xmin", "xmax": "xmax"})])
    if order == 2:
        mesh.raise_order()
    return mesh


# ---- FEniCSx --------------------------------------------------------------------------------------------------------


def by_fenicsx(bench, mesh, order, law):
    """The displacement of the end's corner along z."""
    import numpy

    base = bench.file(f"fenicsx-{law}-{order}")
    corners = 1 + max(max(tet) for tet in mesh.tets)
    numpy.savez(f"{base}.npz", points=mesh.points[:corners], cells=numpy.array(mesh.tets, dtype="int64"))
    case = {"mesh": f"{base}.npz", "law": law, "order": order, "young": YOUNG, "poisson": POISSON, "end": SIZE[0]}
    case |= {"traction": [0, 0, PULL], "atol": 1e-7, "solver": "mumps"}
    return peers.call_fenicsx(case, base)["corner"][2]


# ---- CalculiX -------------------------------------------------------------------------------------------------------


def forces(mesh):
    """{vertex: N}: a third of each triangle's on its corners, with order 2 on the middles of its edges."""
    found = {}
    for triangle in mesh.sides["xmax"]:
        force = PULL * meshes.area(*(mesh.points[v] for v in triangle)) / 3
        for vertex in mesh.nodes(triangle)[-3:]:
            found[vertex] = found.get(vertex, 0.0) + force
    return found


def deck(mesh):
    """For CalculiX, which numbers from 1 and has the last two middles of edges the other way round than Gmsh."""
    order2 = bool(mesh.middle)
    text = ["*NODE", *(f"{v + 1}, {x!r}, {y!r}, {z!r}" for v, (x, y, z) in enumerate(mesh.points))]
    text.append(f"*ELEMENT, TYPE=C3D{10 if order2 else 4}, ELSET=BODY")
    for number, tet in enumerate(mesh.tets):
        nodes = list(mesh.nodes(tet))
        if order2:
            nodes[8], nodes[9] = nodes[9], nodes[8]
        text.append(", ".join(str(v + 1) for v in (number, *nodes)))
    corner = mesh.points.index(SIZE)
    text += ["*NSET, NSET=END", f"{corner + 1}", "*NSET, NSET=HELD", *(f"{v + 1}" for v in mesh.vertices("xmin"))]
    text += ["*MATERIAL, NAME=STVK", "*ELASTIC", f"{YOUNG}, {POISSON}", "*SOLID SECTION, ELSET=BODY, MATERIAL=STVK"]
    text += ["*BOUNDARY", "HELD, 1, 3", "*STEP, NLGEOM, INC=1000", "*STATIC", "0.1, 1."]
    text += ["*CONTROLS, PARAMETERS=FIELD", "1e-9, 1e-9", "*CLOAD"]
    text += [f"{v + 1}, 3, {force!r}" for v, force in sorted(forces(mesh).items())]
    return "\n".join([*text, "*NODE PRINT, NSET=END", "U", "*END STEP", ""])


def by_calculix(bench, mesh, order):
    """The same. Its file .dat ends with the corner's number and displacement at the end of the last increment."""
    base = bench.file(f"calculix-{order}")
    with open(f"{base}.inp", "w", encoding="utf-8") as file:
        file.write(deck(mesh))
    done = subprocess.run(["ccx", "-i", base], capture_output=True, text=True, cwd=bench.folder, check=False)
    if done.returncode or "Job finished" not in done.stdout:
        raise Failure(f"CalculiX has failed: {(done.stdout.splitlines() or ['no output'])[-1]} ({base}.inp)")
    with open(f"{base}.dat", encoding="utf-8") as file:
        return float([line for line in file if line.strip()][-1].split()[3])


# ---- the case --------------------------------------------------------------------------------------------------------


def codes(bench):
    program.install("python3-dolfinx", "python3-numpy", "calculix-ccx")
    rows = []
    for order in (1, 2):
        mesh, suffix = beam(order), f", tetrahedra of order {order}"
        mesh.write(bench.file(f"{order}.msh"))
        for law in ("neohookean", "stvk"):
            how = {"mesh_file": bench.file(f"{order}.msh"), "mesh_order": order, "material_model": law}
            ours = bench.run("bent", f"{law}-{order}", how).probe("end_uz")
            theirs = by_fenicsx(bench, mesh, order, law)
            rows.append(Row(f"{law}: deflection of the end{suffix}", "identity", [ours], theirs, FENICSX, unit="m"))
        away, source = abs(ours / by_calculix(bench, mesh, order) - 1), CALCULIX.format(10 if order == 2 else 4)
        name = f"stvk: deflection of the end{suffix}, relative difference"
        rows.append(Row(name, "bound", [away], DIGITS, source, scale=1.0))
    return rows


def write_inputs():
    beam(1).write(f"{INPUTS}/bent.msh")
