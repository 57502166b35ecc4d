"""
Messages of an iteration that were recorded, and those that the generator makes for the same box and ranks; and their
waits in order, counted by jobs/performance/waits.c in runs of their own.
"""
import numpy as np

from replay import chain, iteration, pattern, record, traces
from tables import markdown

OUT = "out/replay/validate"
CASES = (
    (8, (24, 24, 24)),
    (8, (52, 52, 52)),
    (16, (48, 24, 24)),
    (16, (108, 54, 54)),
    (32, (48, 48, 24)),
    (32, (104, 104, 52)),
    (64, (48, 48, 48)),
    (64, (64, 64, 64)),
)
RUNS = (8, 20)  # iterations


def waits(folder, ranks, cells, size):
    """In order of an iteration, counted by jobs/performance/waits.c: what a longer run has more."""
    depth, iterations = [], []
    for most in RUNS:
        done = record.run(folder, ranks, cells, size, most, "waits")
        iterations.append(done["iterations"])
        depth.append(max(int(np.loadtxt(f"{folder}/waits.{r}")) for r in range(ranks)))
    return (depth[1] - depth[0]) / (iterations[1] - iterations[0])


def lines():
    for ranks, cells in CASES:
        folder = f"{OUT}/{ranks}_{cells[0]}"
        size = [c / cells[-1] for c in cells]
        done = record.run(folder, ranks, cells, size)
        events = record.last_iteration(record.read(folder, ranks))
        messages, sent, _ = np.mean([record.counted(e) for e in events], axis=0)
        n = done["mesh"]["vertices"]
        steps = iteration.steps(pattern.Parts(ranks, n, cells))
        made, made_bytes, _, _ = traces.count(steps, ranks)
        yield (
            ranks,
            f"{n / ranks:,.0f}",
            f"{messages:.0f}",
            f"{made.mean():.0f}",
            f"{sent / 1e3:.0f}",
            f"{made_bytes.mean() / 1e3:.0f}",
            f"{waits(folder, ranks, cells, size):.1f}",
            f"{chain.waits(steps, ranks):.0f}",
        )


def table(_):
    head = (
        "ranks",
        "vertices on each",
        "messages, recorded",
        "generated",
        "kB, recorded",
        "generated",
        "waits in order, counted",
        "generated",
    )
    return markdown(head, lines())
