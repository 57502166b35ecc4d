"""What runs of a box on some ranks send and wait for, counted by libraries that are preloaded."""
import glob
import os
import subprocess

import numpy as np

import program
from outputs import load

BOX = "inputs/bench/box.yaml"
OPTIONS = {"operator_type": "multigrid", "output_every": 0, "time_steps": 1}
LIBRARIES = "out/replay"
ITERATIONS = (8, 20)  # of two runs, the longer of which has what an iteration takes more


def library(name):
    """Builds jobs/replay/NAME.c as a library to be preloaded."""
    source, target = f"jobs/replay/{name}.c", os.path.abspath(f"{LIBRARIES}/{name}.so")
    if not program.is_newer(target, source):
        os.makedirs(LIBRARIES, exist_ok=True)
        if subprocess.call(["mpicc", "-shared", "-fPIC", "-O2", source, "-o", target]):
            raise program.Failure(f"mpicc cannot build {source}")
    return target


def run(folder, ranks, cells, size, iterations, tool):
    """A box of `cells` under a library. Gives run.json, and the words of what each rank left."""
    for old in glob.glob(f"{folder}/{tool}.*[0-9]"):
        os.remove(old)
    os.environ[tool.upper()] = f"{folder}/{tool}"
    text = lambda values: ",".join(map(str, values))
    options = {"mesh_box_cells": text(cells), "mesh_box_size": text(size), "solver_max_it": iterations, **OPTIONS}
    program.run("run", BOX, folder, options, ranks=ranks, preload=library(tool))
    left = []
    for rank in range(ranks):
        with open(f"{folder}/{tool}.{rank}", encoding="utf-8") as file:
            left.append(file.read().split())
    return load(folder, "run.json"), left


def sent(words):
    """Of a rank: messages and bytes."""
    value = {name: float(number) for name, number in zip(words[::2], words[1::2])}
    return sum(n for name, n in value.items() if name.isdigit()), value["bytes"]


def of_an_iteration(folder, ranks, cells, size):
    """Vertices of the box; messages and bytes of a rank, the mean; and waits in order."""
    found, done = [], None
    for iterations in ITERATIONS:
        done, counts = run(folder, ranks, cells, size, iterations, "count")
        _, depths = run(folder, ranks, cells, size, iterations, "waits")
        waits = max(int(words[0]) for words in depths)
        found.append(np.array([done["iterations"], *np.mean([sent(words) for words in counts], axis=0), waits]))
    more = found[1] - found[0]
    return done["mesh"]["vertices"], more[1:] / more[0]
