"""
Time to a tolerance on two scenes of Li et al. 2019 (DOT): seconds, iterations and evaluations of a step. Without their
meshes (-m), on the scenes bar and rabbit, whose meshes are ours. The least of three runs, each of which gives the
median of its steps; "-" where a run took more than the limit or did not reach the tolerance in some step.
"""
import os
import re
import statistics

import program
from outputs import rows

OUT = "out/performance/tolerance"
SCENES = {"bar17K": "bar", "bunny5K": "rabbit"}  # and what stands for them
THREADS, LIMIT, REPEATS = 2, 50, 3  # LIMIT: seconds of a run
PLAIN = {"solver_type": "qn", "solver_qn_keep": "false", "solver_qn_refresh": 0}  # nothing from the last step
LINES = {
    "auto": {"solver_type": "auto", "solver_start": "auto"},
    "qn": {**PLAIN, "solver_qn_history": 5},
    "qn, keep": {**PLAIN, "solver_qn_history": 10, "solver_qn_keep": "true"},
    "qn, keep, refresh": {**PLAIN, "solver_qn_history": 10, "solver_qn_keep": "true", "solver_qn_refresh": 30},
    "newton": {"solver_type": "newton"},
}


def cells(folder, expected):
    """Median of seconds, means of iterations and of evaluations over the steps; None unless all of them converged."""
    done = rows(folder, "steps.csv")
    if len(done) < max(expected, 1) or any(row["reason"] != "converged" for row in done):
        return None
    evaluations = {row["step"]: int(row["evaluations"]) for row in rows(folder)}
    return (
        statistics.median(float(row["seconds"]) for row in done),
        statistics.mean(int(row["iterations"]) for row in done),
        statistics.mean(evaluations.values()),
    )


def steps_of(deck):
    with open(deck, encoding="utf-8") as file:
        return int(re.search(r"^time:.*steps: (\d+)", file.read(), re.M)[1])


def measure(name, scene, mesh):
    """A run of a line of the table: its cells."""
    deck, folder = f"inputs/bench/{scene}.yaml", f"{OUT}/{scene}-{name.replace(', ', '-')}"
    options = {**mesh, **LINES[name], "time_limit": LIMIT, "output_every": 1000000}
    program.run("run", deck, folder, options, threads=THREADS, busy=True, accepted=(0, 2, 3))
    return cells(folder, steps_of(deck))


def line(name, scene, mesh):
    found = [c for c in (measure(name, scene, mesh) for _ in range(REPEATS)) if c]
    return [scene, name, *([f"{min(found)[0]:.4f}", *(f"{x:.1f}" for x in min(found)[1:])] if found else ["-"] * 3)]


def scenes(meshes):
    """Names, and keys that give their meshes."""
    for scene, ours in SCENES.items():
        path = os.path.abspath(f"{meshes}/{scene}.mesh")
        yield (scene, {"mesh_file": path}) if meshes and os.path.exists(path) else (ours, {})


def table(meshes):
    head = ("scene", "solver", "seconds a step", "iterations", "evaluations")
    return 2, head, [line(name, *scene) for scene in scenes(meshes) for name in LINES]
