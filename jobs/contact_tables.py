"""python3 jobs contact_tables [-w] [table...]: the tables of docs/contact.md, half an hour on one idle core.

    methods  iterations and seconds a step with contact and friction, by method
    cost     iterations of a step with contacts, and of the same step without them
    ipc      seconds a step beside those that IPC has published

of the decks of inputs/scenes, on one rank and one thread. Seconds are those of solves without waiting for a core. -w
renews the page.
"""
import os
import re
import statistics

import outputs
import program
import tables
from program import say

OUT, PAGE, SCENES = "out/contact_tables", "docs/contact.md", "inputs/scenes"
KEYS = {"solver_rtol": 1e-3, "output_every": 0}
LIMIT = 40  # seconds of a run of methods
METHODS = {"roller": 10, "drape": 20, "stack": 20, "chain": 15, "arch": 20}  # steps
COST = {"stack": (4, 8), "drape": (8, 12), "braid": (64, 80), "knives": (4, 6), "points": (3, 6)}  # after so many steps
FLOOR = ("stack", "drape")  # whose floor has friction, too
# Title, scene, first and last step, keys, vertices and seconds a step of Li et al. 2020, figure 23. knives and arch
# take the times of IPC's scripts; points ends where a second bed of pins comes down on the ball in IPC's.
IPC = (
    ("knives", "knives", 1, 150, {}, "3.2K", 1.4),
    ("points", "points", 1, 100, {"material_young": 1e4}, "7K", 2.8),
    ("points, 1e5 Pa", "points", 1, 100, {}, "7K", 2.8),
    ("arch, gap 1e-6 m", "arch", 1, 2000, {"self_contact_gap": 1e-6}, "216", 0.05),
    ("braid", "braid", 65, 74, {f"body_{b}_box_cells": "300,6,5" for b in "abcd"}, "53K", 141),
    ("towel", "towel", 31, 33, {"mesh_box_cells": "149,149,1"}, "45K", 776),
    ("towel, coarse", "towel", 1, 50, {}, "-", None),
)


def run(deck, name, steps, keys, accepted=(0,)):
    """Rows of steps.csv, seconds without waiting, and run.json."""
    keys = {**KEYS, "time_steps": steps, **keys}
    folder = program.run("run", deck, f"{OUT}/{name}", keys, accepted=accepted, busy=True)
    record, rows = outputs.load(folder, "run.json"), outputs.rows(folder, "steps.csv")
    busy = 1 - record["waited"]["share"]
    return rows, [busy * float(row["seconds"]) for row in rows], record


def iterations(rows):
    return statistics.mean(int(row["iterations"]) for row in rows)


# ---- methods --------------------------------------------------------------------------------------------------------


def method(scene, name, steps):
    """Iterations and seconds a step; * where the steps are not made, with the mean of those that are."""
    keys = {"solver_type": name, "time_limit": LIMIT}
    rows, seconds, record = run(f"{SCENES}/{scene}.yaml", f"{scene}-{name}", steps, keys, (0, 2, 3))
    vertices = f"{record['mesh']['vertices']:,}"
    if len(rows) < steps:
        return vertices, f"{iterations(rows):.0f} *" if rows else "*"
    return vertices, f"{iterations(rows):.0f}, {statistics.mean(seconds):.2g} s"


def methods():
    names = ("auto", "newton", "trust_region", "qn", "pncg")
    lines = []
    for scene, steps in METHODS.items():
        cells = [method(scene, name, steps) for name in names]
        lines.append([scene, cells[0][0], steps, *(text for _, text in cells)])
    return ("scene", "vertices", "N", *names), lines


# ---- cost -----------------------------------------------------------------------------------------------------------


def without_contacts(scene):
    """A deck without the keys of contacts, whose files are found from elsewhere."""
    with open(f"{SCENES}/{scene}.yaml", encoding="utf-8") as file:
        text = re.sub(r"^(self_contact|collider):.*\n(?:[ #].*\n)*", "", file.read(), flags=re.M)
    path = f"{OUT}/{scene}.yaml"
    outputs.replace(path, re.sub(r"file: ([^,}\s]+)", lambda m: "file: " + os.path.abspath(f"{SCENES}/{m[1]}"), text))
    return path


def cost():
    names, lines = ("auto", "qn", "pncg"), []
    for scene, states in COST.items():
        smooth = {"self_contact_friction": 0, **({"collider_floor_friction": 0} if scene in FLOOR else {})}
        deck, free = f"{SCENES}/{scene}.yaml", without_contacts(scene)
        for steps in states:
            start = f"{scene}-{steps}"
            run(deck, start, steps, {"solver_type": "auto", **smooth})
            again = {"initial_restart": f"{OUT}/{start}", "initial_continue": "false"}
            cells, contacts = [], None
            for name in names:
                keys = {"solver_type": name, **again}
                (touching,) = run(deck, f"{start}-{name}", 1, {**keys, **smooth})[0]
                (alone,) = run(free, f"{start}-{name}-0", 1, keys)[0]
                contacts = contacts or touching["contacts"]
                cells.append(f"{touching['iterations']} / {alone['iterations']}")
            lines.append([f"{scene}, {steps}", contacts, *cells])
    return ("scene, after step", "contacts", *names), lines


# ---- ipc ------------------------------------------------------------------------------------------------------------


def ipc():
    lines = []
    for title, scene, first, last, keys, size, theirs in IPC:
        rows, seconds, record = run(f"{SCENES}/{scene}.yaml", f"ipc-{re.sub('[^a-z0-9]+', '_', title)}", last, keys)
        rows, seconds = rows[first - 1 :], seconds[first - 1 :]
        mean, mesh = statistics.mean(seconds), record["mesh"]
        line = [title, f"{mesh['vertices']:,}, {mesh['tets']:,}", f"{first} to {last}", f"{mean:.2g}"]
        line += [f"{statistics.median(seconds):.2g}", f"{iterations(rows):.0f}", size, theirs or "-"]
        lines.append([*line, f"{mean / theirs:.2g}" if theirs else "-"])
    head = ("scene", "vertices, tetrahedra", "steps", "mean", "median", "iterations", "IPC: vertices", "IPC: mean")
    return (*head, "ours/IPC"), lines


TABLES = {"methods": methods, "cost": cost, "ipc": ipc}


def main(arguments):
    parser = program.parser("contact_tables", __doc__)
    parser.add_argument("-w", action="store_true", help=f"renew {PAGE}")
    given = program.parse_names(parser, arguments, TABLES, "table")
    os.makedirs(OUT, exist_ok=True)
    for name in given.name:
        head, lines = TABLES[name]()
        say(tables.text(head, lines))
        if given.w:
            tables.paste(PAGE, f"contact_{name}", tables.markdown(head, lines))
    return 0
