"""
Every solver's time to relative errors of 1e-4 and 1e-8, on a twisted beam of two sizes that is let go, with two
threads.
"""
from outputs import load
from program import run
from tables import number

OUT = "out/performance/solvers"
THREADS = 2
BODIES = (("40,7,7", "11,760", {}), ("80,15,14", "100,800", {"compare_reference": "least", "compare_iterations": 250}))
DECKS = (("solvers", "stable neo-Hookean"), ("solvers_strain", "strain"))
ERRORS = ("1e-4", "1e-8")
UNSTABLE = (0, 2)  # penalty diverges


def twisted(cells):
    return f"{OUT}/twisted_{cells.replace(',', '_')}"


def compare(deck, cells, options):
    folder = f"{OUT}/{deck}_{cells.replace(',', '_')}"
    options = {"initial_restart": twisted(cells), "compare_tolerance": 1e-9, **options}
    run("compare", f"inputs/bench/{deck}.yaml", folder, options, threads=THREADS, busy=True, accepted=UNSTABLE)
    return load(folder, "compare.json")["solvers"]


def entry(solver, error):
    """Milliseconds and iterations."""
    its, seconds = solver["iterations_to"][error], solver["seconds_to"][error]
    return (number(1e3 * seconds), its) if its is not None and its >= 0 and seconds is not None else ("-", "-")


def lines():
    for cells, _, _ in BODIES:
        options = {"mesh_box_cells": cells}
        run("run", "inputs/bench/solvers_twist.yaml", twisted(cells), options, threads=THREADS, busy=True)
    for deck, material in DECKS:
        found, names = [], {}
        for cells, _, options in BODIES:  # the larger body only by those that arrive in the smaller
            found.append(compare(deck, cells, {**options, **names}))
            arrive = [name for name, solver in found[0].items() if entry(solver, ERRORS[0]) != ("-", "-")]
            names = {"compare_solvers": ",".join(arrive)}
        never = {"iterations_to": dict.fromkeys(ERRORS), "seconds_to": dict.fromkeys(ERRORS)}
        for name in found[0]:
            cells = [entry(body.get(name, never), error) for body in found for error in ERRORS]
            yield material, name, *(value for cell in cells for value in cell)


def table(_):
    what = [f"{tets} tets, to {error}" for _, tets, _ in BODIES for error in ERRORS]
    return 2, ["material", "solver", *(f"{w}{unit}" for w in what for unit in (" [ms]", ", iterations"))], lines()
