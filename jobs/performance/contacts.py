"""Contacts: their part of an iteration of qn, with a collider, with ten, and of a surface with itself."""
import os

from outputs import load, phase_ms, rows
from program import run
from tables import number
from verify import meshes

OUT = "out/performance/contacts"
PHASES = ("local", "contact", "operator_solve", "halo", "reduction", "vector")
WAYS = ((1, 1), (1, 2))
SLABS = (((44, 44, 8), (1, 1, 0.18), (0, 0, 0)), ((44, 44, 8), (0.96, 0.96, 0.18), (0.0213, 0.0187, 0.182)))

# What, deck, kind of contacts.
SCENES = (
    ("a static ball on 101,614 vertices", "collider", "collider"),
    ("ten colliders, 101,614 vertices", "colliders", "collider"),
    ("two slabs of 21,120 triangles", "self_contact", "self_contact"),
)


def slabs(parts=SLABS):
    """Boxes that share no vertex."""
    return meshes.join([(meshes.box(*part), {}) for part in parts])


def measure(what, deck, kind, ranks, threads):
    options = {"mesh_file": os.path.abspath(f"{OUT}/slabs.msh")} if deck == "self_contact" else {}
    name = f"{OUT}/{deck}_{ranks}x{threads}"
    folder = run("run", f"inputs/bench/{deck}.yaml", name, options, ranks=ranks, threads=threads, busy=True)
    # part of the phases of one run, which other processes disturb alike
    contact, all_phases = phase_ms(folder, "contact"), phase_ms(folder, *PHASES)
    return (
        what,
        f"{ranks} x {threads}",
        f"{load(folder, 'run.json')['mesh']['tets']:,}",
        f"{float(rows(folder, 'steps.csv')[-1][kind + '_inside']):,.0f}",
        number(all_phases, 3),
        number(contact, 2),
        f"{100 * contact / all_phases:.1f}",
    )


def table(_):
    os.makedirs(OUT, exist_ok=True)
    slabs().write(f"{OUT}/slabs.msh")
    head = ("scene", "ranks x threads", "tets", "vertices inside", "iteration [ms]", "contacts [ms]", "contacts [%]")
    return 2, head, [measure(*scene, *way) for scene in SCENES for way in WAYS]
