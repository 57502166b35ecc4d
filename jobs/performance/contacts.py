"""Contacts: their part of an iteration of qn, with colliders and of a surface with itself, and with the barrier."""
import os

from outputs import load, phase_ms, rows
from program import run
from tables import number
from verify import meshes

OUT = "out/performance/contacts"
PHASES = ("local", "contact", "operator_solve", "halo", "reduction", "vector")
WAYS = ((1, 1), (1, 2))
SLABS = (((44, 44, 8), (1, 1, 0.18), (0, 0, 0)), ((44, 44, 8), (0.96, 0.96, 0.18), (0.0213, 0.0187, 0.182)))


def cubes(n):
    return ((n, n, n), (1, 1, 1), (0, 0, 0)), ((n, n, n), (0.96, 0.96, 0.96), (0.0213, 0.0187, 1.0005))


MESHES = {"slabs": SLABS, "cubes20": cubes(20), "cubes35": cubes(35)}

# What, deck, column of contacts, mesh.
SCENES = (
    ("a static ball on 101,614 vertices", "collider", "collider_inside", None),
    ("ten colliders, 101,614 vertices", "colliders", "collider_inside", None),
    ("two slabs of 21,120 triangles", "self_contact", "self_contact_inside", "slabs"),
    ("two cubes by the barrier", "barrier", "contacts", "cubes20"),
    ("two larger cubes by the barrier", "barrier", "contacts", "cubes35"),
)


def boxes(parts):
    """Boxes that share no vertex."""
    return meshes.join([(meshes.box(*part), {}) for part in parts])


def measure(what, deck, column, mesh, ranks, threads):
    options = {"mesh_file": os.path.abspath(f"{OUT}/{mesh}.msh")} if mesh else {}
    name = f"{OUT}/{mesh or deck}_{ranks}x{threads}"
    folder = run("run", f"inputs/bench/{deck}.yaml", name, options, ranks=ranks, threads=threads, busy=True)
    # part of the phases of one run, which other processes disturb alike
    often = ("operator_set_up",) if deck == "barrier" else ()  # newton's, in every iteration
    contact, all_phases = phase_ms(folder, "contact"), phase_ms(folder, *PHASES, *often)
    return (
        what,
        f"{ranks} x {threads}",
        f"{load(folder, 'run.json')['mesh']['tets']:,}",
        f"{float(rows(folder, 'steps.csv')[-1][column]):,.0f}",
        number(all_phases, 3),
        number(contact, 2),
        f"{100 * contact / all_phases:.1f}",
    )


def table(_):
    os.makedirs(OUT, exist_ok=True)
    for mesh, parts in MESHES.items():
        boxes(parts).write(f"{OUT}/{mesh}.msh")
    head = ("scene", "ranks x threads", "tets", "contacts", "iteration [ms]", "contacts [ms]", "contacts [%]")
    return 2, head, [measure(*scene, *way) for scene in SCENES for way in WAYS]
