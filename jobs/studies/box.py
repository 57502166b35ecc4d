"""All solvers on a box of 127,008 tetrahedra, on two ranks."""
import program
import tables
from outputs import Comparison

ERRORS = ("1e-2", "1e-4", "1e-6")
DIVERGES = 2  # the exit status of a comparison in which penalty diverges at this step


def times(comparison):
    """Iterations and seconds to errors, for every solver: head and lines."""
    cell = lambda row: f"{row['iteration']:.0f}, {row['seconds']:.3g}" if row else "-"
    return (
        ("iterations, s to", *ERRORS),
        [(solver, *(cell(comparison.first(solver, float(e))) for e in ERRORS)) for solver in comparison.solvers],
    )


def box_126k(study):
    program.run("run", "inputs/studies/box_126k_twist.yaml", "out/studies/box_126k_twist", ranks=2)
    for deck in ("box_126k", "box_126k_strain"):
        folder = program.run(
            "compare", f"inputs/studies/{deck}.yaml", f"out/studies/{deck}", ranks=2, accepted=(0, DIVERGES)
        )
        study.add(f"{deck}\n{tables.text(*times(Comparison(folder)))}")


STUDIES = {"box_126k": box_126k}
