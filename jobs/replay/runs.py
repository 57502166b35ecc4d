"""What runs of a box on some ranks send and wait for, counted by a library that is preloaded."""
import itertools
import os
import subprocess

import numpy as np

import program
from outputs import load

BOX = "inputs/bench/box.yaml"
OPTIONS = {"operator_type": "multigrid", "output_every": 0, "time_steps": 1}
LIBRARIES = "out/replay"
ITERATIONS = (8, 20)  # of two runs, the longer of which has what an iteration takes more
PAIRS = [f"{what}, {how}" for what in ("messages", "kB", "waits in order") for how in ("counted", "generated")]


def library():
    """Builds jobs/replay/messages.c as a library to be preloaded."""
    source, target = "jobs/replay/messages.c", os.path.abspath(f"{LIBRARIES}/messages.so")
    if not program.is_newer(target, source):
        os.makedirs(LIBRARIES, exist_ok=True)
        if subprocess.call(["mpicc", "-shared", "-fPIC", "-O2", source, "-o", target]):
            raise program.Failure(f"mpicc cannot build {source}")
    return target


def run(folder, ranks, cells, size, more):
    """A box of `cells`; more: options. Gives run.json, and of each rank the words of its counts and of its depth."""
    text = lambda values: ",".join(map(str, values))
    counted = [f"LD_PRELOAD={library()}", f"COUNT={folder}/count", f"WAITS={folder}/waits"]
    options = {"mesh_box_cells": text(cells), "mesh_box_size": text(size), **OPTIONS, **more}
    program.run("run", BOX, folder, options, ranks=ranks, variables=counted)
    left = {"count": [], "waits": []}
    for name, rank in itertools.product(left, range(ranks)):
        with open(f"{folder}/{name}.{rank}", encoding="utf-8") as file:
            left[name].append(file.read().split())
        os.remove(file.name)
    return load(folder, "run.json"), left["count"], left["waits"]


def sent(words):
    """Of a rank: messages and bytes."""
    value = {name: float(number) for name, number in zip(words[::2], words[1::2])}
    return sum(n for name, n in value.items() if name.isdigit()), value["bytes"]


def of_an_iteration(folder, ranks, cells, size):
    """Vertices of the box; messages and bytes of a rank, the mean; and waits in order."""
    found = []
    for iterations in ITERATIONS:
        done, counts, depths = run(folder, ranks, cells, size, {"solver_max_it": iterations})
        waits = max(int(words[0]) for words in depths)
        found.append(np.array([done["iterations"], *np.mean([sent(words) for words in counts], axis=0), waits]))
    more = found[1] - found[0]
    return done["mesh"]["vertices"], more[1:] / more[0]
