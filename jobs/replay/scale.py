"""Weak and strong scaling of an iteration of qn with multigrid."""
import json
import os
import tempfile

import outputs
from replay import chain, iteration, pattern, simgrid, traces
from tables import number

OUT = "out/replay/scale"
FULL_NODE = 2.8  # how much longer what the memory limits takes on one of 64 ranks of a node, docs/scaling.md
CASES = (  # title, vertices on so many ranks
    ("weak, 20,000 vertices a rank", lambda ranks: 20000 * ranks),
    ("weak, 50,000", lambda ranks: 50000 * ranks),
    ("weak, 100,000", lambda ranks: 100000 * ranks),
    ("strong, 10 million vertices", lambda ranks: 10_000_000),
    ("strong, 100 million", lambda ranks: 100_000_000),
)
RANKS = (64, 256, 1024, 4096)
MAIN = ("weak, 20,000 vertices a rank", "strong, 10 million vertices")
OTHERS = 1024  # ranks
WAYS = ("modelled, memory as of two ranks", "modelled, full nodes", "replayed, full nodes")
HEAD = ["scaling", "ranks", "vertices on each", *(way + unit for way in WAYS for unit in (" [ms]", ": efficiency [%]"))]
WIDEST, WIDE = 16384, ("weak, 20,000 vertices a rank", "strong, 100 million")  # ranks; cases that have so many


def steps(ranks, vertices, memory=FULL_NODE):
    return iteration.steps(pattern.Parts(ranks, vertices), iteration.Costs(memory))


def without_contention(ranks, vertices, memory):
    """Milliseconds."""
    return 1e-6 * chain.play(steps(ranks, vertices, memory), ranks, chain.Network())[0].max()


def kept(name, make, ranks, platform="fat_tree_100", per_node=64):
    """Milliseconds by SimGrid of the steps that make() gives, kept in a file, for they take long."""
    path = f"{OUT}/{name}.json"
    if not os.path.exists(path):
        os.makedirs(OUT, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=OUT) as folder:
            result = simgrid.replay(traces.write(folder, ranks, make()), ranks, platform, per_node)
        outputs.replace(path, json.dumps(result))
    return outputs.load(OUT, f"{name}.json")


def replayed(ranks, vertices, platform="fat_tree_100", per_node=64):
    """Milliseconds by SimGrid on full nodes."""
    make = lambda: steps(ranks, vertices)
    return kept(f"{platform}_{per_node}_{ranks}_{vertices}", make, ranks, platform, per_node)


def lines(most):
    """Milliseconds of the three ways, each with its efficiency in percent of one node."""
    for title, vertices in CASES:
        first = {}
        for ranks in (*RANKS, WIDEST) if title in WIDE else RANKS:
            n = vertices(ranks)
            times = [without_contention(ranks, n, memory) for memory in (1.0, FULL_NODE)]
            times += [replayed(ranks, n)] * (ranks <= min(most, RANKS[-1] if title in MAIN else OTHERS))
            row = [title, f"{ranks:,}", f"{n / ranks:,.0f}"]
            for way, ms in enumerate(times):
                ideal = first.setdefault(way, ms) * n / vertices(RANKS[0]) * RANKS[0] / ranks
                row += [number(ms, 3), f"{100 * ideal / ms:.0f}"]
            yield row + ["-"] * (len(HEAD) - len(row))


def table(most):
    return 2, HEAD, lines(most)
