"""
Who takes part: inputs/suite/entrants.csv has one block of settings for the whole suite of each: defaults, those of a
paper, or tuned ones. Of methods that do not minimise g only those take part that a paper compares with.
"""
import functools
import os
import re

import outputs
import program
from program import Failure, check_names, note

# Name: keys of a variant. A type by its defaults has none. Those of a file take the place of all of these.
ROWS = {row["entrant"]: row for row in outputs.rows(os.path.join(program.ROOT, "inputs/suite"), "entrants.csv")}
ENTRANTS = {name: dict(key.split("=") for key in row["keys"].split()) for name, row in ROWS.items()}
FIRST = "gradient_descent"  # of a comparison, whose first solver starts the libraries: it has no set-up
NEWTON = ("newton",)  # types that factorise H, whose matrix has three rows for each vertex
SWEEPS = ("vbd", "xpbd")  # types that visit vertex by vertex, or constraint by constraint
PRECONDITIONED = ("pncg", "trust_region")  # types that multiply by H and solve with A


def of_problem(names, problem):
    """Those of some entrants that take part: `up to` of the table is the largest size of the slow ones in the sets."""
    last = lambda name: (not problem.deck and ROWS.get(name, {}).get("up to")) or problem.size
    return [name for name in names if problem.size <= last(name)]


def type_of(name):
    return ENTRANTS[name].get("type", name)


def options(names):
    """Keys of the command line that define the variants among some names."""
    return {f"variant_{name}_{key}": value for name in names for key, value in ENTRANTS[name].items()}


@functools.cache
def described():
    """The keys of solvers, as the program describes them."""
    return program.output("help", "solver_")


def known(name, types):
    """Whether the program has a type and the keys of a variant, with their values."""
    if type_of(name) not in types:
        return False
    for key, value in ENTRANTS[name].items():
        entry = re.search(rf"^solver_{type_of(name)}_{key}: (.*)$", described(), re.M)
        if key != "type" and not entry:
            return False
        words = re.match(r"one of ([\w, ]+)", entry[1]) if entry else None
        if words and str(value) not in words[1].split(", "):
            return False
    return True


def present():
    """Entrants that the program has."""
    types = re.search(r"^solver_type: one of ([\w, ]+)", described(), re.M)
    if not types:
        raise Failure("wring help solver_ lists no types")
    return [name for name in ENTRANTS if known(name, types[1].split(", "))]


def chosen(wanted, own=False, slow=True):
    """
    Entrants of a list of names, by default all that the program has, of which the slow ones may be left out; own: of a
    file, which wring check refuses.
    """
    there = list(ENTRANTS) if own else present()
    check_names(wanted or (), there, "entrant")
    for name in ENTRANTS:
        if not wanted and name not in there:
            note(f"this program has no {name}")
    if wanted:
        return [name for name in there if name in wanted]
    return [name for name in there if slow or own or not ROWS[name]["up to"]]


# ---- what an entrant cannot do ---------------------------------------------------------------------------------------

DECK = "mesh: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}\nattach: {zmin: {hard: true}}\n"
STEP = {"time_step": 0.01, "material_density": 1000}
LAWS = {"stable_neohookean": {"material_young": 1e5, "material_poisson": 0.3}, "strain": {"material_stiffness": 1e5}}
LAWS["neohookean"] = LAWS["stable_neohookean"]
FLOOR = {"collider_floor_shape": "half_space", "collider_floor_point": "0,0,-1", "collider_floor_normal": "0,0,1"}
BARRIER = {"self_contact_method": "barrier", "self_contact_gap": 1e-3, **STEP}
FEATURES = {  # beside the first law that an entrant can use
    "order 2": {"mesh_order": 2, **STEP},
    "means of volumes": {"material_volumetric": "mean", **STEP},
    "statics": {"time_integrator": "static", "material_density": 1000},
    "contact by penalty": {**FLOOR, "collider_floor_stiffness": 1e4, **STEP},
    "contact by barrier": BARRIER,
    "friction": {**BARRIER, "self_contact_friction": 0.2},
}


def refusal(name, folder, law, feature):
    """What `wring check` says against a law and a feature of an entrant, "" if it can use them."""
    os.makedirs(folder, exist_ok=True)
    deck = os.path.join(folder, "features.yaml")
    outputs.replace(deck, DECK)
    own = {f"solver_{type_of(name)}_{key}": value for key, value in ENTRANTS[name].items() if key != "type"}
    keys = {"solver_type": type_of(name), **own, "material_model": law, **LAWS[law], **feature}
    if not program.attempt("check", deck, folder, keys):
        return ""
    if not re.search("cannot (be )?use|material_volumetric", program.reason(folder)):
        raise Failure(program.reason(folder))
    return program.reason(folder)


def laws_refused(name, folder):
    return [law for law in LAWS if refusal(name, folder, law, STEP)]


def lacks(name, folder):
    """The laws and features that `wring check` refuses of an entrant."""
    laws = laws_refused(name, folder)
    law = next(law for law in LAWS if law not in laws)
    return laws + [text for text, feature in FEATURES.items() if refusal(name, folder, law, feature)]


def against_barrier(name, folder):
    """Why an entrant cannot use contact by the barrier, with a law that it can use; "" if it can."""
    laws = laws_refused(name, folder)
    said = refusal(name, folder, next(law for law in LAWS if law not in laws), BARRIER)
    return re.sub(r"^wring: |, expected .*", "", said)


def table(names, folder):
    """Head and lines: who takes part, and what they cannot use."""
    lines = []
    for name in names:
        keys = ", ".join(f"{key}: {value}" for key, value in ENTRANTS[name].items())
        lines.append((name, keys, ROWS[name]["settings"], ", ".join(lacks(name, folder))))
    return ("entrant", "keys", "settings", "cannot use"), lines
