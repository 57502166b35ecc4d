"""Contacts: their part of an iteration of qn, with a collider, with ten, and of a surface with itself."""
import itertools
import os

from outputs import load, phase_ms, rows
from program import run
from tables import number

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


def box(cells, size, origin):
    """Points, and six tetrahedra of each cell, which share its diagonal."""
    place = lambda at: (at[0] * (cells[1] + 1) + at[1]) * (cells[2] + 1) + at[2]
    grid = itertools.product(*(range(n + 1) for n in cells))
    points = [[o + s * i / n for o, s, i, n in zip(origin, size, at, cells)] for at in grid]
    tets = []
    for first in itertools.product(*map(range, cells)):
        for order in itertools.permutations(range(3)):
            at, tet = list(first), [place(first)]
            for axis in order:
                at[axis] += 1
                tet.append(place(at))
            odd = sum(order[i] > order[j] for i in range(3) for j in range(i + 1, 3)) % 2
            tets.append(tet if not odd else [tet[0], tet[1], tet[3], tet[2]])
    return points, tets


def write_slabs(path):
    """Two boxes that share no vertex, as MEDIT."""
    points, tets = [], []
    for slab in SLABS:
        more, of_them = box(*slab)
        tets += [[len(points) + v + 1 for v in tet] for tet in of_them]
        points += more
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"MeshVersionFormatted 2\nDimension 3\nVertices\n{len(points)}\n")
        file.writelines("{:.15g} {:.15g} {:.15g} 0\n".format(*point) for point in points)
        file.write(f"Tetrahedra\n{len(tets)}\n")
        file.writelines("{} {} {} {} 1\n".format(*tet) for tet in tets)
        file.write("End\n")


def measure(what, deck, kind, ranks, threads):
    options = {"mesh_file": os.path.abspath(f"{OUT}/slabs.mesh")} if deck == "self_contact" else {}
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
    write_slabs(f"{OUT}/slabs.mesh")
    head = ("scene", "ranks x threads", "tets", "vertices inside", "iteration [ms]", "contacts [ms]", "contacts [%]")
    return 2, head, [measure(*scene, *way) for scene in SCENES for way in WAYS]
