"""
Three ways to predict an iteration of 10 million vertices on full nodes, in one table and picture: SimGrid's replay, a
bound by waits in order, and the formula of docs/scaling.md, in which every message of a rank follows the one before

    T = 5.7 t_law n/P + F (t_vector + t_cycle) n/P + 2 (q a + 24 g/B) + 2 a log2 P + sum over l of 3 (q_l a + 12 g_l/B)

n vertices on P ranks, F: FULL_NODE of scale.py; a latency, B bandwidth of a rank; g ghosts and q neighbours of a rank.
Level l has n_l rows on P_l ranks. A halo w vertices wide of s^3 = n_l/P_l rows has g_l = (s + 2 w)^3 - s^3 ghosts, in
26 neighbours or (1 + 2 w/s)^3 - 1 if that is more; w = 3.3/6 on the finest level, 1 on others.
"""
import numpy as np

import pictures
from replay import iteration, scale

OUT = "out/replay/curves"
VERTICES = 10_000_000
RANKS = (64, 256, 1024, 4096)
WAITS, SUMS, HOSTS = 8.7, 2, 4  # measured by the delays of four hosts
CYCLE, EXCHANGES = 65, 3  # ns of a vertex on two ranks of machine B; of a level
HALOS = 2  # of positions and forces
WIDTH = 3.3 / 6  # of the finest level: 3.3 (n/P)^(2/3) ghosts of a part, from 512 parts of METIS
ALPHA = 2e-6  # s, a message or a step of a sum
BANDWIDTH = 0.4e9  # B/s of a rank: 25 GB/s of a node's network over 64 ranks
MOST = 26  # neighbours of a part that is a cube among cubes


def work(ranks):
    """Seconds where 64 ranks share the memory of a node."""
    laws = iteration.TET * iteration.TETS
    return 1e-9 * (laws + scale.FULL_NODE * (iteration.OUTER + CYCLE)) * VERTICES / ranks


def halo(rows, ranks, width):
    """Ghosts and neighbours of one of the ranks."""
    if ranks < 2:
        return 0, 0
    s = (rows / ranks) ** (1 / 3)
    ghosts = min(rows - rows / ranks, (s + 2 * width) ** 3 - s**3)
    return ghosts, min(ranks - 1, max(MOST, (1 + 2 * width / s) ** 3 - 1))


def levels(n, ranks):
    """Rows and ranks of each level but the coarsest, which is on one rank."""
    active, i = ranks, 0
    while n > iteration.COARSEST:
        yield n, active
        n, i = n / iteration.QN.of("ratio", i), i + 1
        active = max(1, min(active, round(n / iteration.ROWS_OF_A_RANK)))


def messages(ranks):
    """Seconds if all messages of a rank follow each other."""
    exchange = lambda width, rows, on, size: np.array(halo(rows, on, width)) @ (size / BANDWIDTH, ALPHA)
    seconds = SUMS * np.log2(ranks) * ALPHA + HALOS * exchange(WIDTH, VERTICES, ranks, 24)
    for i, (rows, on) in enumerate(levels(VERTICES, ranks)):
        seconds += EXCHANGES * exchange(1 if i else WIDTH, rows, on, 12)
    return seconds


def waits(ranks):
    """In order, of an iteration: those of four hosts, and the steps of sums over more ranks."""
    return WAITS + SUMS * (np.log2(ranks) - np.log2(HOSTS))


def rows(most):
    for ranks in RANKS:
        replayed = scale.replayed(ranks, VERTICES) if ranks <= most else np.nan
        yield ranks, 1e3 * (work(ranks) + messages(ranks)), 1e3 * (work(ranks) + waits(ranks) * ALPHA), replayed


def picture(lines):
    pictures.data(f"{OUT}/curves.csv", [[f"{value:g}" for value in line] for line in lines])
    titles = ("formula, each message by itself", "formula, waits in order by delays", "replayed by SimGrid")
    curves = ", ".join(
        f"'curves.csv' using 1:{column} with linespoints pt {column + 3} title '{title}'"
        for column, title in enumerate(titles, 2)
    )
    ideal = f", {lines[0][3]:g}*64/x with lines dashtype 2 lc rgb '#888888' title 'ideal'"
    if np.isnan(lines[0][3]):  # not replayed
        ideal = ""
    pictures.draw(
        OUT,
        "curves",
        "640,400",
        f"""set logscale xy; set xlabel 'ranks, 64 a node'; set ylabel 'ms of an iteration'
set xtics (64, 256, 1024, 4096); set xrange [50:5200]; set key top right
set title '10 million vertices, fat tree 100 Gb/s'
plot {curves}{ideal}""",
        "docs/images/performance_replay.png",
    )


def table(most):
    lines = list(rows(most))
    picture(lines)
    head = ("ranks", "formula [ms]", "formula with waits in order [ms]", "SimGrid [ms]")
    return 1, head, ([f"{line[0]:,}", *("-" if np.isnan(v) else f"{v:.3g}" for v in line[1:])] for line in lines)
