"""
An iteration of qn with multigrid as steps of traces.py, from the levels of its hierarchy and the geometry of
pattern.py.
"""
import numpy as np

from replay import pattern

COARSEST = 100  # rows where aggregation ends
ROWS_OF_A_RANK = 50  # fewer rows leave ranks out: PETSc's default
RATIO = (7.3, 15.2, 38, 30)  # rows of a level over those of the next
ENTRIES = (15, 59, 180, 350)  # of a row
REACH = (10, 22, 26, 26)  # coarse points around a coarse point whose interpolation reaches it
WIDER = (22, 46, 50, 50)  # the same from the ghosts of the finer level too
GHOSTS = (
    1.14,
    0.88,
    1,
    1,
)  # ghosts of a level over those of its lattice: parts of elements are rougher than METIS's of vertices
MESH = 0.72  # ghosts of the mesh over the lattice's
RANK_ENTRIES, ONE_RANK, NODE_ROWS = 20000, 5, 10000  # src/operator/hosts.h

# ns on two ranks of the machine of docs/performance.md that share its memory
ENTRY, EXACT_ENTRY = 1.0, 1.27  # of a pass in single precision, and of the product in double precision
RESTRICT, PROLONG, VECTORS = 6, 12, 20  # of a row and inner iteration
GHOST = 15  # of a ghost and pass: its entries
OUTER = 35  # vectors of an iteration, of a vertex
TET, TETS = 21, 5.7  # laws, of a tetrahedron; tetrahedra of a vertex


class Level:
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


def on_first_node(entries, per_node, ranks):
    """Ranks that share a gathered level."""
    return 1 if entries <= ONE_RANK * RANK_ENTRIES else min(round(entries / RANK_ENTRIES), per_node, ranks)


def hierarchy(n, ranks, gathered, per_node):
    """PETSc's levels; gathered: those of at most NODE_ROWS rows on ranks of the first node."""
    levels, active, i, owner = [], ranks, 0, np.arange(ranks)
    while True:
        entries = min(n, ENTRIES[min(i, len(ENTRIES) - 1)])
        if i > 0:
            active = on_fewer(n, active, ranks)
            owner = np.arange(ranks) // (ranks // active) * (ranks // active)
            if gathered and n <= NODE_ROWS:
                few = on_first_node(n * entries, per_node, ranks)
                owner = np.arange(ranks) * few // ranks
        levels.append(Level(n, entries, owner))
        if n <= COARSEST:
            return levels
        n, i = max(1, round(n / RATIO[min(i, len(RATIO) - 1)])), i + 1


class Costs:
    """memory: how much longer what the memory limits takes on a full node than on two ranks here."""

    def __init__(self, memory=1.0, per_node=64):
        self.memory, self.per_node = memory, per_node

    def of(self, owner):
        """That factor for a level: the ranks that have rows share the memory of their nodes."""
        active = np.unique(owner)
        nodes = np.bincount(active // self.per_node)
        return max(1.0, self.memory * nodes.max() / self.per_node)


class Tables:
    """Messages of every exchange: (from, to, bytes)."""

    def __init__(self, parts, gathered, per_node):
        ranks = parts.ranks
        own = np.arange(ranks)
        self.levels = hierarchy(parts.vertices, ranks, gathered, per_node)
        self.rows = [parts.rows(l.rows, l.owner) for l in self.levels]
        self.halo, self.restrict, self.prolong = [], [], []
        for i, (l, coarse) in enumerate(zip(self.levels, self.levels[1:])):
            k = min(i, len(REACH) - 1)
            offsets = pattern.KUHN if i == 0 else pattern.nearest(l.entries)
            s, d, c = parts.needed(l.rows, offsets, l.owner, l.owner)
            self.halo.append((s, d, 12 * np.round(GHOSTS[k] * c)))
            s, d, c = parts.needed(coarse.rows, pattern.nearest(REACH[k]), coarse.owner, l.owner)
            self.restrict.append((d, s, 12 * c))
            if gathered:
                s, d, c = parts.needed(coarse.rows, pattern.nearest(WIDER[k]), coarse.owner, l.owner)
            self.prolong.append((s, d, 12 * c))
        s, d, c = parts.needed(parts.vertices, [o for o in pattern.KUHN if min(o) >= 0], own, own)
        self.mesh = (s, d, 24 * np.round(MESH * c))
        self.back = (d, s, self.mesh[2])
        s, d, c = self.halo[0]
        self.exact = (s, d, 2 * c)  # in double precision


def steps(parts, inner=3, costs=Costs(), gathered=True, outer=True):
    """Of an iteration with so many inner ones; gathered: as since issue 15; outer: all but the inner iterations too."""
    t = Tables(parts, gathered, costs.per_node)
    ranks, levels, rows, zero = parts.ranks, t.levels, t.rows, np.zeros(parts.ranks)
    last = len(levels) - 1
    m = [costs.of(l.owner) for l in levels]
    ghosts = [np.bincount(d, weights=b / 12, minlength=ranks) for s, d, b in t.halo]
    own_pass = [m[i] * ENTRY * l.entries * rows[i] for i, l in enumerate(levels[:-1])]
    ghost_pass = [m[i] * GHOST * g for i, g in enumerate(ghosts)]
    solve = m[last] * ENTRY * levels[last].rows * rows[last]
    found = []
    for k in range(inner):
        for i in range(last):
            if gathered and i == 0 and k > 0:  # the ghosts of b follow from those of the product before
                found.append(("compute", own_pass[0]))
            elif gathered and i == 0:
                found.append(("exchange", "exact 0", t.exact, own_pass[0]))
            else:
                found.append(("exchange", f"halo {i}", t.halo[i], own_pass[i]))
            found.append(("compute", ghost_pass[i]))
            found.append(("exchange", f"restrict {i}", t.restrict[i], m[i] * RESTRICT * rows[i]))
        found.append(("compute", solve))
        for i in range(last - 1, -1, -1):
            found.append(("exchange", f"prolong {i}", t.prolong[i], zero))
            found.append(("compute", m[i] * PROLONG * (rows[i] + (ghosts[i] if gathered else 0))))
            if gathered:
                found.append(("compute", own_pass[i]))
            else:
                found.append(("exchange", f"halo {i}", t.halo[i], own_pass[i]))
            found.append(("compute", ghost_pass[i]))
        found.append(("exchange", "halo 0", t.halo[0], m[0] * EXACT_ENTRY * levels[0].entries * rows[0]))
        found.append(("compute", ghost_pass[0]))
        if gathered and k + 1 < inner:
            found.append(("exchange", "exact 0", t.exact, zero, 168))
        else:
            found.append(("sum", 168))
        found.append(("compute", m[0] * VECTORS * rows[0]))
    if outer:
        found.append(("compute", m[0] * OUTER * rows[0]))
        found.append(("exchange", "positions", t.mesh, TET * TETS * rows[0]))
        found.append(("exchange", "forces", t.back, zero))
        found.append(("sum", 72))
    return found
