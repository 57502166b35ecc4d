"""
Weights of the counts of work: the cost of each relative to one pass over the elements for g and its gradient, by the
size of the mesh and its elements. They are measured once on one thread, by the phases of some runs on problems of each,
and kept in weights.json, so that work does not depend on the machine that repeats the suite.
"""
import json
import os

import outputs
import program
from program import say
from suite import decks, design, measures

REPEATS = 3
RULE = {"solver_stop": "relative", "solver_rtol": 1e-9, "solver_start": "y", "solver_accept": True,
        "output_every": 0}  # fmt: skip
RUNS = {  # settings of the runs that are timed
    "A": {"solver_type": "qn", "operator_type": "direct", "solver_max_it": 100},
    "A again": {"solver_type": "qn", "operator_type": "direct", "solver_qn_refresh": 1, "solver_max_it": 150},
    "A iterative": {"solver_type": "chebyshev", "operator_type": "multigrid", "solver_max_it": 50},
    "H": {"solver_type": "newton", "solver_newton_linear": "direct", "solver_max_it": 4},
    "H iterative": {"solver_type": "newton", "solver_newton_linear": "cg", "solver_max_it": 4},
    "elements": {"solver_type": "pncg", "solver_pncg_precondition": "operator", "solver_max_it": 50},
    "diagonal": {"solver_type": "pncg", "solver_pncg_precondition": "jacobi", "solver_max_it": 50},
}
LOCAL = {  # of local steps, by type, not with mean volumes; those of projective dynamics need strain
    "admm": {"solver_type": "admm", "solver_max_it": 30},
    "vbd": {"solver_type": "vbd", "solver_max_it": 20},
    "pd": {"solver_type": "pd", "solver_max_it": 30},
}
SAME = {"anderson": "admm"}  # types whose local steps are those of another one
HELD = ("twist", "stretch", "compression", "buckling", "shake")  # motions of bodies that are held, without colliders


def phases(deck, folder, options):
    """Least seconds of each phase over some runs, and the work, which is the same in all."""
    least, work = {}, None
    for _ in range(REPEATS):
        program.run("run", deck, folder, {**RULE, **options}, threads=1)
        run = outputs.load(folder, "run.json")
        for name, seconds in run["seconds"].items():
            least[name] = min(seconds, least.get(name, seconds))
        work = run["work"]
    return least, work


def rounded(value):
    return float(f"{max(value, 0):.3g}")


def of_matrix(told, matrix, unit):
    """Of the matrix A, factorised numerically once more when it is renewed, or of H, factorised in each iteration."""
    seconds, work = told[matrix]
    slow, many = told[f"{matrix} iterative"]
    first = told["A"][0]["operator_set_up"] if matrix == "A" else 0.0
    again, renewed = told["A again"] if matrix == "A" else told[matrix]
    factors = renewed["factorisations"] - (1 if matrix == "A" else 0)
    assembled = beyond_passes(told["A again" if matrix == "A" else "H"], unit)
    return {
        "hessians": rounded(assembled / max(renewed["hessians"], 1)),
        "factorisations": rounded((again["operator_set_up"] - first) / max(factors, 1) / unit),
        "linear_solves": rounded(seconds["operator_solve"] / work["linear_solves"] / unit),
        "products": rounded(slow["operator_solve"] / max(many["products"], 1) / unit),
    }


def beyond_passes(told, unit):
    """Seconds of the local phase beyond evaluations of g, over the unit."""
    return told[0]["local"] / unit - told[1]["evaluations"]


def of_decks(decks_by_material, folder):
    """The weights of one size and element; {material: deck}."""
    of = lambda options, deck: phases(deck, folder, options)
    told = {name: of(options, decks_by_material["stable_neohookean"]) for name, options in RUNS.items()}
    unit = told["A"][0]["local"] / told["A"][1]["evaluations"]
    product = beyond_passes(told["elements"], unit) / told["elements"][1]["products"]
    diagonal = beyond_passes(told["diagonal"], unit) - product * told["diagonal"][1]["products"]
    table = {matrix: of_matrix(told, matrix, unit) for matrix in "AH"}
    table["elements"] = {"hessians": rounded(diagonal / told["diagonal"][1]["hessians"]), "products": rounded(product)}
    table["local"] = {}
    if "strain" in decks_by_material:
        for kind, options in LOCAL.items():
            seconds, work = of(options, decks_by_material["strain" if kind == "pd" else "stable_neohookean"])
            table["local"][kind] = rounded(seconds["local"] / work["gradients"] / unit)
        table["local"].update({kind: table["local"][other] for kind, other in SAME.items()})
    return table


def decks_of(out, problems, size, element):
    """{material: deck} of the first problems that all types can use, without contrast where there are any."""
    found = {}
    for material in ("stable_neohookean", "strain"):
        of = lambda p: (p.size, p.element, p.material) == (size, element, material) and p.motion in HELD
        usable = [problem for problem in problems if of(problem)]
        if usable:
            found[material] = decks.write(min(usable, key=lambda p: p.contrast), f"{out}/inputs")
    return found


def write(out, problems):
    """weights.json, of the sizes among some problems."""
    table = measures.load_weights() if os.path.exists(measures.WEIGHTS) else {}
    for size in sorted({problem.size for problem in problems}):
        of = lambda element, size=size: of_decks(decks_of(out, problems, size, element), f"{out}/weights")
        table[size] = {element: of(element) for element in design.FACTORS["element"]}
        say(f"{size}: {json.dumps(table[size])}")
    with open(measures.WEIGHTS, "w", encoding="utf-8") as file:
        json.dump(table, file, indent=1)
        file.write("\n")
