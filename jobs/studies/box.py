"""All solvers on a box of 127,008 tetrahedra, on two ranks."""
import program
import tables
from outputs import Comparison
from studies.study import reach

ERRORS = ("1e-2", "1e-4", "1e-6")
DIVERGES = 2  # the exit status of a comparison in which penalty diverges at this step


def box_126k(study):
    program.run("run", "inputs/studies/box_126k_twist.yaml", "out/studies/box_126k_twist", ranks=2)
    for name in ("box_126k", "box_126k_strain"):
        deck = f"inputs/studies/{name}.yaml"
        folder = program.run("compare", deck, f"out/studies/{name}", ranks=2, accepted=(0, DIVERGES))
        study.add(f"{name}\n{tables.text(*reach(Comparison(folder), ERRORS, with_seconds=True))}")


STUDIES = {"box_126k": box_126k}
