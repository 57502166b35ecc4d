"""Three ways to foretell an iteration of 10 million vertices on full nodes, in one table and picture."""
import os

import numpy as np

import pictures
from performance.model import Measured
from replay import iteration, scale
from tables import markdown

OUT = "out/replay/curves"
VERTICES = 10_000_000
RANKS = (64, 256, 1024, 4096)
WAIT = 2e-6  # s: as in the formula
OUTER_WAITS, INNER_WAITS, SUMS, HOSTS = 9.2, 3.7, 4, 4  # by the delays of four hosts: 16.6 waits with 2, 20.3 with 3


class Page(Measured):
    """The formula with the numbers that docs/performance.md prints above its tables."""

    def __init__(self):  # pylint: disable=super-init-not-called
        entries = (*iteration.ENTRIES, 79)
        rows = 584_325 / np.cumprod((1, *iteration.RATIO))
        self.levels = [{"rows": r, "entries": e} for r, e in zip(rows, entries)]
        self.times = {2: {"local": 21, "vector": 35}}
        self.inner, self.exchanges, self.reductions, self.inner_reductions = scale.INNER, 1.7, 1.1, 1
        self.c = 3.3
        self.width = self.c / 6
        self.entry = {2: 1131e-15 * 1e3}

    def full_node(self, ranks):
        """Seconds of work where 64 ranks share the memory of a node, and of messages."""
        parts = self.time(VERTICES, ranks)
        work = parts.pop("local") + scale.FULL_NODE * (parts.pop("vectors") + parts.pop("solve"))
        return work, sum(parts.values())


def waits(ranks):
    """In order, of an iteration: those of four hosts, and the steps of sums over more ranks."""
    measured = OUTER_WAITS + INNER_WAITS * scale.INNER
    return measured + SUMS * (np.log2(ranks) - np.log2(HOSTS))


def rows(most):
    page = Page()
    for ranks in RANKS:
        work, messages = page.full_node(ranks)
        replayed = scale.replayed(ranks, VERTICES, True, scale.FULL_NODE) if ranks <= most else np.nan
        yield ranks, 1e3 * (work + messages), 1e3 * (work + waits(ranks) * WAIT), replayed


def picture(lines):
    os.makedirs(OUT, exist_ok=True)
    with open(f"{OUT}/curves.csv", "w", encoding="utf-8") as file:
        file.writelines(",".join(f"{value:g}" for value in line) + "\n" for line in lines)
    titles = ("formula, each message by itself", "formula, waits in order by delays", "replayed by SimGrid")
    curves = ", ".join(
        f"'curves.csv' using 1:{column} with linespoints pt {column + 3} title '{title}'"
        for column, title in enumerate(titles, 2)
    )
    pictures.draw(
        OUT,
        "curves",
        "640,400",
        f"""set logscale xy; set xlabel 'ranks, 64 a node'; set ylabel 'ms of an iteration'
set xtics (64, 256, 1024, 4096); set xrange [50:5200]; set key top right
set title '10 million vertices, fat tree 100 Gb/s'
plot {curves}, {lines[0][3]:g}*64/x with lines dashtype 2 lc rgb '#888888' title 'ideal'""",
        "docs/images/performance_replay.png",
    )


def table(most):
    lines = list(rows(most))
    picture(lines)
    return markdown(
        ("ranks", "formula [ms]", "formula with waits in order [ms]", "SimGrid [ms]"),
        ([f"{line[0]:,}", *("-" if np.isnan(v) else f"{v:.3g}" for v in line[1:])] for line in lines),
    )
