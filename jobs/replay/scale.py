"""Weak and strong scaling of an iteration of qn: before 0.2, with three inner iterations, and since, one V-cycle."""
import json
import os
import tempfile

from replay import chain, iteration, pattern, simgrid, traces
from tables import markdown

OUT = "out/replay/scale"
FULL_NODE = 2.8  # how much longer what the memory limits takes on one of 64 ranks of a node, docs/performance.md
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
WIDEST, WIDE = 16384, ("weak, 20,000 vertices a rank", "strong, 100 million")  # ranks; cases that have so many


def steps(ranks, vertices, now, memory):
    return iteration.steps(pattern.Parts(ranks, vertices), now, iteration.Costs(memory))


def without_contention(ranks, vertices, now, memory):
    """Milliseconds."""
    return 1e-6 * chain.play(steps(ranks, vertices, now, memory), ranks, chain.Network())[0].max()


def replayed(ranks, vertices, now=True, platform="fat_tree_100", per_node=64):
    """Milliseconds by SimGrid on full nodes, kept in a file, for they take long."""
    path = f"{OUT}/{platform}_{per_node}_{ranks}_{vertices}_{'since' if now else 'before'}.json"
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    os.makedirs(OUT, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=OUT) as folder:
        names = traces.write(folder, ranks, steps(ranks, vertices, now, FULL_NODE))
        result = simgrid.replay(names, ranks, platform, per_node)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(result, file)
    return result


def is_replayed(title, ranks, now):
    """The state before 0.2 of MAIN only; on more ranks than OTHERS only MAIN since."""
    return title in MAIN and now or ranks <= OTHERS and (now or title in MAIN)


def cell(ms, ideal):
    """Milliseconds, and the efficiency in percent."""
    return (f"{ms:.3g}" if ms < 1000 else f"{ms:,.0f}") + f" ({100 * ideal / ms:.0f})"


def lines(most):
    for title, vertices in CASES:
        first = {}
        for ranks in (*RANKS, WIDEST) if title in WIDE else RANKS:
            n = vertices(ranks)
            row = [title if ranks == RANKS[0] else "", f"{ranks:,}", f"{n / ranks:,.0f}"]
            for key in ((False, 1.0), (False, FULL_NODE), (True, 1.0), (True, FULL_NODE)):
                if ranks == WIDEST and not key[0]:
                    row.append("-")
                    continue
                ms = without_contention(ranks, n, *key)
                ideal = first.setdefault(key, ms) * n / vertices(RANKS[0]) * RANKS[0] / ranks
                row.append(cell(ms, ideal))
            for now in (False, True):
                if ranks > most or not is_replayed(title, ranks, now):
                    row.append("-")
                    continue
                ms = replayed(ranks, n, now)
                ideal = first.setdefault(now, ms) * n / vertices(RANKS[0]) * RANKS[0] / ranks
                row.append(cell(ms, ideal))
            yield row


def table(most):
    head = (
        "",
        "ranks",
        "vertices on each",
        "before 0.2, memory as of 2 ranks here [ms]",
        "before, full node",
        "since, memory as of 2 ranks here",
        "since, full node",
        "SimGrid: before, full node",
        "since",
    )
    return markdown(head, lines(most))
