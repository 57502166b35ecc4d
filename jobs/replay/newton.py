"""
Weak and strong scaling of an iteration of newton, whose conjugate gradients have the V-cycle of H
(src/operator/multigrid/block), from three parts: an iteration of conjugate gradients, the numbers of the cycle, and H
with one evaluation of g. An iteration of newton has CG times the first, the second once in NUMBERS_EVERY iterations,
and the last once. Rows, entries and the numbers of messages follow runs on 8 to 64 ranks.
"""
import numpy as np

from replay import chain, iteration, pattern, scale
from replay.iteration import Kind
from tables import number

KIND = Kind((17, 6.5, 18), (15, 37, 104, 45), (8, 20, 26), (18, 40, 50), (1.36, 1.2), (12, 24), 50)
RANKS = (64, 1024, 4096)
CG, NUMBERS_EVERY = 10, 3  # as steps of a box in time need
ROW_ENTRIES = 9.5  # of a ghost's row of H that are sent to its owner
PARTS = 32  # columns of a coarse row that are sent to its owner
MOST = 12  # entries of the longest row of P
RANK_ENTRIES = iteration.RANK_ENTRIES // 5  # src/operator/hosts.h
POWER = 3  # steps of the power method, once it has begun
BARRIER = ("sum", 8)

# ns of a vertex on two ranks of the machine of docs/scaling.md, by their ratio to an iteration of qn.
PRODUCT, VECTORS = 75, 25  # of conjugate gradients
PASS = 0.26  # of a number in the blocks of a level, for each of the two passes of a cycle
TRANSFER = 25  # of a row, for either transfer to or from the coarser level
ASSEMBLY = 550
NUMBERS = 11.9  # of a number in the blocks of a level


def numbers_of(level, i):
    """Numbers in the blocks of a row."""
    return level.entries * (9 if i == 0 else 36)


def block_times(t, m):
    """As iteration.scalar_times."""
    for i, (level, rows) in enumerate(zip(t.levels, t.rows)):
        ghosts = t.ghosts(i) if i < len(t.halo) else 0 * rows
        of_row = m[i] * PASS * numbers_of(level, i)
        yield of_row * rows, of_row * ghosts, m[i] * TRANSFER * rows, m[i] * TRANSFER * (rows + ghosts)


def wide(table, factor):
    """The same messages with so many times the bytes."""
    return (*table[:2], factor * table[2])


def gradients(t, m):
    """An iteration of conjugate gradients: a product, a cycle, three sums."""
    return [
        ("exchange", "product", wide(t.halo[0], 2), m[0] * PRODUCT * t.rows[0]),
        ("sum", iteration.SUM),
        ("compute", m[0] * VECTORS * t.rows[0]),
        ("sum", iteration.SUM),
        *iteration.cycle(t, m, block_times),
        ("sum", iteration.SUM),
    ]


def assembly(t, m):
    """H at a new point, its linear system, and one evaluation of g."""
    none = np.zeros(len(t.rows[0]))
    return [
        ("exchange", "positions", t.mesh, none),
        ("exchange", "gradient", t.mesh, none),
        ("compute", m[0] * ASSEMBLY * t.rows[0]),
        ("exchange", "rows of ghosts", wide(t.back, 3 * ROW_ENTRIES), none),
        *[("sum", iteration.SUM)] * 3,
        ("exchange", "positions", t.mesh, iteration.TET * iteration.TETS * t.rows[0]),
        ("exchange", "forces", t.back, none),
        ("sum", iteration.SUM),
    ]


def fill(t, i, ns):
    """The scaled matrix of a level and its largest eigenvalue."""
    none = np.zeros(len(t.rows[0]))
    if i == len(t.halo):  # the coarsest level
        return [("compute", ns), *[("sum", iteration.SUM)] * POWER]
    diagonal = ("exchange", f"diagonal {i}", wide(t.halo[i], 6 if i == 0 else 12), ns)
    return [diagonal, *[("exchange", f"power {i}", t.halo[i], none), ("sum", iteration.SUM)] * POWER]


def numbers(t, m):
    """New numbers of the cycle of H: levels, interpolations, P^T H P; the barrier of an exchange with new partners."""
    none, last = np.zeros(len(t.rows[0])), len(t.halo)
    ns = [m[i] * NUMBERS * numbers_of(l, i) * t.rows[i] for i, l in enumerate(t.levels)]
    found = [("sum", iteration.SUM)] * 2 + [("exchange", "places", t.halo[0], none), *fill(t, 0, ns[0])]
    for i in range(last):
        coarse = t.halo[i + 1] if i + 1 < last else None
        rows = 24 * MOST * (3 if i == 0 else 6) / KIND.of("row", i)
        found += [("exchange", f"weights {i}", wide(t.restrict[i], 0.5), none)] * 2
        found += [("exchange", f"coarse places {i}", wide(coarse, 0.5), none)] if coarse else []
        found += [("exchange", f"column places {i}", wide(t.prolong[i], 0.5), none), ("sum", iteration.SUM)]
        found += [("sum", iteration.SUM), ("exchange", f"rows of P {i}", wide(t.halo[i], rows), none)]
        found += [("exchange", f"partners {i}", wide(t.restrict[i], 8 / 24 / 10), none), BARRIER]
        found += [("exchange", f"parts {i}", wide(t.restrict[i], PARTS * 296 / 24), none)]
        found += fill(t, i + 1, ns[i + 1])
        found += [("exchange", f"scales {i}", wide(t.prolong[i], 12), none)]
    return found


WAYS = (("CG iteration", gradients), ("numbers of the cycle", numbers), ("H and an evaluation", assembly))


def tables(parts, costs, rank_entries=RANK_ENTRIES):
    t = iteration.Tables(parts, costs.per_node, rank_entries, KIND)
    return t, [costs.of(rows) for rows in t.rows]


def times(ranks, vertices, rank_entries=RANK_ENTRIES):
    """Milliseconds of the three parts on full nodes, without contention for links."""
    t, m = tables(pattern.Parts(ranks, vertices), iteration.Costs(scale.FULL_NODE), rank_entries)
    return [1e-6 * chain.play(make(t, m), ranks, chain.Network())[0].max() for _, make in WAYS]


def whole(parts):
    return CG * parts[0] + parts[1] / NUMBERS_EVERY + parts[2]


def replayed(ranks, vertices):
    """Milliseconds of an iteration of conjugate gradients by SimGrid."""
    make = lambda: gradients(*tables(pattern.Parts(ranks, vertices), iteration.Costs(scale.FULL_NODE)))
    return scale.kept(f"newton_{ranks}_{vertices}", make, ranks)


def lines(most):
    for title, vertices in (case for case in scale.CASES if case[0] in scale.MAIN):
        for ranks in RANKS:
            n = vertices(ranks)
            parts = times(ranks, n)
            if ranks == RANKS[0]:
                first = whole(parts) * ranks / n
            simulated = number(replayed(ranks, n), 3) if ranks <= most else "-"
            efficiency = f"{100 * first * n / ranks / whole(parts):.0f}"
            shown = [number(ms, 3) for ms in (*parts[1:], whole(parts))]
            yield title, f"{ranks:,}", f"{n / ranks:,.0f}", number(parts[0], 3), simulated, *shown, efficiency


def table(most):
    head = ["scaling", "ranks", "vertices on each", f"{WAYS[0][0]} [ms]", "by SimGrid [ms]"]
    head += [*(f"{way} [ms]" for way, _ in WAYS[1:]), "iteration [ms]", "efficiency [%]"]
    return 2, head, lines(most)
