"""
An iteration of qn with multigrid, one V-cycle (src/operator/multigrid/cycle.c), as steps of traces.py, from the levels
of its hierarchy and the geometry of pattern.py.
"""
import numpy as np

from replay import pattern

COARSEST = 100  # rows where aggregation ends
ROWS_OF_A_RANK = 50  # fewer rows leave ranks out: PETSc's default
RATIO = (7.3, 15.2, 38, 30)  # rows of a level over those of the next
ENTRIES = (15, 59, 180, 350)  # of a row
REACH = (10, 22, 26, 26)  # coarse points around a coarse point whose interpolation reaches it
WIDER = (22, 46, 50, 50)  # the same from the ghosts of the finer level too
GHOSTS = (1.36, 1, 1, 1)  # of a level over those of its lattice: parts of elements are rougher than METIS's of vertices
MESH = 0.68  # ghosts of the mesh over the lattice's
RANK_ENTRIES, ONE_RANK, NODE_ROWS = 20000, 5, 10000  # src/operator/hosts.h

# ns on two ranks of machine B of docs/performance.md, which share its memory
ENTRY = 1.0  # of a pass
RESTRICT, PROLONG = 6, 12  # of a row and cycle
GHOST = 15  # of a ghost and pass: its entries
OUTER = 35  # vectors of an iteration, of a vertex
TET, TETS = 15, 5.7  # laws, of a tetrahedron; tetrahedra of a vertex
SUM = 72  # bytes of every sum: the last of an iteration, since SimGrid 3.32 fails at a later one that is longer


class Level:
    """owner: a lattice of ranks."""

    def __init__(self, rows, entries, owner):
        self.rows, self.entries, self.owner = rows, entries, owner


def divisor(ranks, wish):
    """The divisor of `ranks` nearest to a wish, by ratio."""
    all_ = [d for d in range(1, ranks + 1) if ranks % d == 0]
    return min(all_, key=lambda d: abs(np.log(d / wish)))


def on_fewer(n, active, ranks):
    """PETSc's choice of ranks for n rows, of `active` ones before: less than 50 rows a rank leave ranks out."""
    wish = 1 if n <= COARSEST else min(active, max(1, n / ROWS_OF_A_RANK))
    return divisor(active, wish) if wish < active else active


def on_first_node(entries, rank_entries, per_node, ranks):
    """Ranks that share a gathered level."""
    return 1 if entries <= ONE_RANK * rank_entries else min(round(entries / rank_entries), per_node, ranks)


def hierarchy(parts, rank_entries, per_node):
    """PETSc's levels; those of at most NODE_ROWS rows are gathered on ranks of the first node."""
    n, ranks = parts.vertices, parts.ranks
    levels, active, i, owner = [], ranks, 0, parts.part
    while True:
        entries = min(n, ENTRIES[min(i, len(ENTRIES) - 1)])
        if i > 0:
            active = on_fewer(n, active, ranks)
            if n <= NODE_ROWS:
                owner = parts.gathered(n, on_first_node(n * entries, rank_entries, per_node, ranks))
            else:
                owner = parts.part // (ranks // active) * (ranks // active)
        levels.append(Level(n, entries, owner))
        if n <= COARSEST:
            return levels
        n, i = max(1, round(n / RATIO[min(i, len(RATIO) - 1)])), i + 1


class Costs:
    """memory: how much longer what the memory limits takes on a full node than on two ranks here."""

    def __init__(self, memory=1.0, per_node=64):
        self.memory, self.per_node = memory, per_node

    def of(self, rows):
        """That factor for a level: the ranks that have rows share the memory of their nodes."""
        nodes = np.bincount(np.flatnonzero(rows) // self.per_node)
        return max(1.0, self.memory * nodes.max() / self.per_node)


class Tables:
    """Messages of every exchange: (from, to, bytes)."""

    def __init__(self, parts, per_node, rank_entries):
        self.levels = hierarchy(parts, rank_entries, per_node)
        self.rows = [parts.rows(l.rows, l.owner) for l in self.levels]
        self.halo, self.restrict, self.prolong = [], [], []
        for i, (l, coarse) in enumerate(zip(self.levels, self.levels[1:])):
            k = min(i, len(REACH) - 1)
            offsets = pattern.KUHN if i == 0 else pattern.nearest(l.entries)
            s, d, c = parts.needed(l.rows, offsets, l.owner, l.owner)
            self.halo.append((s, d, 12 * np.round(GHOSTS[k] * c)))
            s, d, c = parts.needed(coarse.rows, pattern.nearest(REACH[k]), coarse.owner, l.owner)
            self.restrict.append((d, s, 12 * c))
            s, d, c = parts.needed(coarse.rows, pattern.nearest(WIDER[k]), coarse.owner, l.owner)
            self.prolong.append((s, d, 12 * c))
        s, d, c = parts.needed(parts.vertices, [o for o in pattern.KUHN if min(o) >= 0], parts.part, parts.part)
        self.mesh = (s, d, 24 * np.round(MESH * c))
        self.back = (d, s, self.mesh[2])


def cycle(t, m):
    """A V-cycle, whose ghosts of x are interpolated on the way up. m [levels]: Costs.of."""
    last, found = len(t.levels) - 1, []
    ghosts = [np.bincount(d, weights=b / 12, minlength=len(t.rows[0])) for s, d, b in t.halo]
    own_pass = [m[i] * ENTRY * t.levels[i].entries * t.rows[i] for i in range(last)]
    ghost_pass = [m[i] * GHOST * g for i, g in enumerate(ghosts)]
    for i in range(last):
        found.append(("exchange", f"halo {i}", t.halo[i], own_pass[i]))
        found.append(("compute", ghost_pass[i]))
        found.append(("exchange", f"restrict {i}", t.restrict[i], m[i] * RESTRICT * t.rows[i]))
    found.append(("compute", m[last] * ENTRY * t.levels[last].rows * t.rows[last]))
    for i in range(last - 1, -1, -1):
        found.append(("exchange", f"prolong {i}", t.prolong[i], np.zeros(len(t.rows[i]))))
        found.append(("compute", m[i] * PROLONG * (t.rows[i] + ghosts[i])))
        found.append(("compute", own_pass[i]))
        found.append(("compute", ghost_pass[i]))
    return found


def steps(parts, costs=Costs(), rank_entries=RANK_ENTRIES):
    """H_0 q with the sum of L-BFGS, vectors, positions, laws, forces, and the sum at the new point."""
    t = Tables(parts, costs.per_node, rank_entries)
    m = [costs.of(rows) for rows in t.rows]
    return [
        *cycle(t, m),
        ("sum", SUM),
        ("compute", m[0] * OUTER * t.rows[0]),
        ("exchange", "positions", t.mesh, TET * TETS * t.rows[0]),
        ("exchange", "forces", t.back, np.zeros(parts.ranks)),
        ("sum", SUM),
    ]
