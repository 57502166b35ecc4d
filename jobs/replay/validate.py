"""Messages of an iteration that were recorded, and those that the generator makes for the same box and ranks."""
import os

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
GATHERED = os.environ.get("REPLAY_BEFORE") is None  # set: the program is of before issue 15


def lines():
    for ranks, cells in CASES:
        folder = f"{OUT}/{ranks}_{cells[0]}"
        done = record.run(folder, ranks, cells, [c / cells[-1] for c in cells], 8)
        events = record.last_iteration(record.read(folder, ranks))
        messages, sent, _ = np.mean([record.counted(e) for e in events], axis=0)
        n = done["mesh"]["vertices"]
        steps = iteration.steps(pattern.Parts(ranks, n, cells), gathered=GATHERED)
        made, made_bytes, _, _ = traces.count(steps, ranks)
        yield (
            ranks,
            f"{n / ranks:,.0f}",
            f"{messages:.0f}",
            f"{made.mean():.0f}",
            f"{sent / 1e3:.0f}",
            f"{made_bytes.mean() / 1e3:.0f}",
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
        "waits in order, generated",
    )
    return markdown(head, lines())
