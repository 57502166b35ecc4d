"""
Who takes part: one block of settings for the whole suite, the defaults of a method. A variant stands only where two
forms of a method are claimed to differ. Methods that do not minimise g (xpbd, pbd, rgc, penalty, compliant) have no
error relative to g* that falls to 0, and take no part.
"""
import re

import program
from program import Failure, check_names, note

# Name: keys of a variant. A type by its defaults has none. Those of a file take the place of all of these.
ENTRANTS = {
    "auto": {},
    "newton": {},
    "newton_clamp": {"type": "newton", "filter": "clamp"},
    "newton_absolute": {"type": "newton", "filter": "absolute"},
    "newton_trust_region": {"type": "newton", "filter": "trust_region"},
    "trust_region": {},
    "qn": {},
    "qn_keys": {"type": "qn", "history": 10, "keep": "true", "refresh": 30},
    "pd": {},
    "admm": {},
    "admm_half": {"type": "admm", "weight": 0.5},
    "anderson": {},
    "anderson_admm": {"type": "anderson", "inner": "admm"},
    "chebyshev": {},
    "vbd": {},
    "vbd_accelerated": {"type": "vbd", "rho": 0.95},
    "pncg": {},
    "pncg_jacobi": {"type": "pncg", "precondition": "jacobi"},
    "gradient_descent": {},
}
FIRST = "gradient_descent"  # of a comparison, whose first solver starts the libraries: it has no set-up
NEWTON = ("newton",)  # types that factorise H, whose matrix has three rows for each vertex
SWEEPS = ("vbd",)  # types that visit vertex by vertex
PRECONDITIONED = ("pncg", "trust_region")  # types that multiply by H and solve with A


def type_of(name):
    return ENTRANTS[name].get("type", name)


def options(names):
    """Keys of the command line that define the variants among some names."""
    return {f"variant_{name}_{key}": value for name in names for key, value in ENTRANTS[name].items()}


def known(name, types):
    """Whether the program has a type and the keys of a variant, with their values."""
    if type_of(name) not in types:
        return False
    for key, value in ENTRANTS[name].items():
        described = program.output("help", f"solver_{type_of(name)}_{key}") if key != "type" else ""
        entry = re.search(rf"^solver_{type_of(name)}_{key}: (.*)$", described, re.M)
        if key != "type" and not entry:
            return False
        words = re.match(r"one of ([\w, ]+)", entry[1]) if entry else None
        if words and str(value) not in words[1].split(", "):
            return False
    return True


def present():
    """Entrants that the program has."""
    described = re.search(r"^solver_type: one of ([\w, ]+)", program.output("help", "solver_type"), re.M)
    if not described:
        raise Failure("wring help solver_type lists no types")
    return [name for name in ENTRANTS if known(name, described[1].split(", "))]


def chosen(wanted, own=False):
    """Entrants of a list of names, by default all that the program has; own: of a file, which wring check refuses."""
    there = list(ENTRANTS) if own else present()
    check_names(wanted or (), there, "entrant")
    for name in ENTRANTS:
        if not wanted and name not in there:
            note(f"this program has no {name}")
    return [name for name in there if not wanted or name in wanted]
