"""
newton with its linear systems solved by a factor, by conjugate gradients and by what `linear: auto` takes, on bodies of
`python3 jobs hard`: medians of alternating runs.
"""
import statistics

import hard
from outputs import load
from tables import number

BODIES = ("cube", "cube-nu0.4999", "plate", "plate-1e5", "rod", "rod-1e5")
WAYS = ("auto", "direct", "cg")
REPEATS, LIMIT = 3, 100  # LIMIT: seconds of a run


def lines(problem):
    """Seconds, iterations of newton, factors or sets of numbers of a cycle, products with H."""
    keys, found = hard.prepare(problem), {way: [] for way in WAYS}
    for _ in range(REPEATS):
        for way, runs in found.items():
            if None not in runs:
                runs.append(hard.solve(problem, {**keys, "solver_newton_linear": way}, "newton", LIMIT))
    vertices = f"{load(f'{hard.OUT}/{problem.name}/newton', 'run.json')['mesh']['vertices']:,}"
    for way, runs in found.items():
        if None in runs:
            yield problem.name, way, vertices, *["-"] * 4
            continue
        _, iterations, _, factors, products = runs[-1]
        seconds = number(statistics.median(run[0] for run in runs), 3)
        yield problem.name, way, vertices, seconds, iterations, factors, products


def table(_):
    problems = hard.problems()
    head = ("body", "linear", "vertices", "seconds", "iterations", "factors", "products")
    return 2, head, [line for name in BODIES for line in lines(problems[name])]
