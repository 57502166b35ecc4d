"""
Messages, bytes and waits in order of the parts of an iteration of newton: those of runs, and those of the generator.
Runs count both: K iterations of conjugate gradients in all, N systems, R sets of numbers after the first.
"""
import numpy as np

from program import Failure
from replay import chain, iteration, newton, pattern, runs, traces

OUT = "out/replay/newton_validate"
CASES = ((8, (24, 24, 24)), (16, (48, 24, 24)), (32, (48, 48, 24)), (64, (48, 48, 48)))
RUNS = (  # another system; the same with more iterations; more numbers
    {"solver_max_it": 2, "solver_newton_rtol": 1e-2},
    {"solver_max_it": 3, "solver_newton_rtol": 1e-2},
    {"solver_max_it": 3},
    {"solver_max_it": 4},
)


def counted(folder, ranks, cells, size):
    """Vertices; messages, bytes and waits [3 parts][3], in the order of newton.WAYS."""
    work, found = [], []
    for more in RUNS:
        options = {"solver_type": "newton", "solver_newton_linear": "cg", **more}
        done, counts, depths = runs.run(folder, ranks, cells, size, options)
        w = done["work"]
        work.append([done["linear_iterations"], w["factorisations"], w["linear_solves"], 1])
        waits = max(int(words[0]) for words in depths)
        found.append([*np.mean([runs.sent(words) for words in counts], axis=0), waits])
    if np.linalg.matrix_rank(work) < 4:
        raise Failure(f"{folder}: the runs do not tell the parts of an iteration from each other")
    return done["mesh"]["vertices"], np.linalg.solve(work, found)[:3]


def generated(ranks, vertices, cells):
    t, m = newton.tables(pattern.Parts(ranks, vertices, cells), iteration.Costs())
    for _, make in newton.WAYS:
        # A barrier between the search for partners and their messages is not seen in runs.
        steps = [step for step in make(t, m) if step is not newton.BARRIER]
        messages, sent, _, _ = traces.count(steps, ranks)
        yield messages.mean(), sent.mean(), chain.waits(steps, ranks)


def lines():
    for ranks, cells in CASES:
        size = [c / cells[-1] for c in cells]
        vertices, parts = counted(f"{OUT}/{ranks}_{cells[0]}", ranks, cells, size)
        for (title, _), run, made in zip(newton.WAYS, parts, generated(ranks, vertices, cells)):
            pairs = zip(run * (1, 1e-3, 1), made * np.array((1, 1e-3, 1)), (0, 0, 1))
            yield title, ranks, f"{vertices / ranks:,.0f}", *(f"{v:.{k}f}" for a, b, k in pairs for v in (a, b))


def table(_):
    return 3, ["part", "ranks", "vertices on each", *runs.PAIRS], lines()
