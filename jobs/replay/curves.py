"""Three ways to foretell an iteration of 10 million vertices on full nodes, in one table and picture."""
import os

import numpy as np

import pictures
from performance.model import ALPHA, BANDWIDTH, Measured
from replay import iteration, scale
from tables import markdown

OUT = "out/replay/curves"
VERTICES = 10_000_000
RANKS = (64, 256, 1024, 4096)
WAITS, SUMS, HOSTS = 8.7, 2, 4  # measured by the delays of four hosts
CYCLE, EXCHANGES = 65, 3  # ns of a vertex on two ranks of the page's machine; of a level
HALOS = 2  # of positions and forces
GHOSTS = 3.3  # of a part over (n/P)^(2/3), from 512 parts of METIS


class Formula(Measured):
    """That of docs/performance.md, for one cycle."""

    def __init__(self):  # pylint: disable=super-init-not-called
        rows = 584_325 / np.cumprod((1, *iteration.RATIO))
        self.levels = [{"rows": r, "entries": e} for r, e in zip(rows, (*iteration.ENTRIES, 79))]
        self.width = GHOSTS / 6

    def work(self, ranks):
        """Seconds where 64 ranks share the memory of a node."""
        laws = iteration.TET * iteration.TETS
        return 1e-9 * (laws + scale.FULL_NODE * (iteration.OUTER + CYCLE)) * VERTICES / ranks

    def messages(self, ranks):
        """Seconds if all messages of a rank follow each other."""
        all_ = [(1, SUMS * np.log2(ranks), 0)]
        ghosts, neighbours = self.halo(VERTICES, ranks, self.width)
        all_.append((HALOS, neighbours, 24 * ghosts))
        for i, level in enumerate(self.hierarchy(VERTICES, ranks)[:-1]):
            ghosts, neighbours = self.level_halo(i, level)
            all_.append((EXCHANGES, neighbours, 12 * ghosts))
        return sum(n * (messages * ALPHA + size / BANDWIDTH) for n, messages, size in all_)


def waits(ranks):
    """In order, of an iteration: those of four hosts, and the steps of sums over more ranks."""
    return WAITS + SUMS * (np.log2(ranks) - np.log2(HOSTS))


def rows(most):
    formula = Formula()
    for ranks in RANKS:
        work = formula.work(ranks)
        replayed = scale.replayed(ranks, VERTICES) if ranks <= most else np.nan
        yield ranks, 1e3 * (work + formula.messages(ranks)), 1e3 * (work + waits(ranks) * ALPHA), replayed


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
