"""
An iteration of qn with multigrid, one V-cycle (src/operator/multigrid/cycle.c), as steps of traces.py, from the levels
of its hierarchy and the geometry of pattern.py.
"""
from typing import NamedTuple

import numpy as np

from replay import pattern


class Kind(NamedTuple):
    """Of a hierarchy, by levels; the last number is that of all coarser ones."""

    ratio: tuple  # rows of a level over those of the next
    entries: tuple  # of a row
    reach: tuple  # coarse points around a coarse point whose interpolation reaches it
    wider: tuple  # the same from the ghosts of the finer level too
    ghosts: tuple  # of a level over those of its lattice: parts of elements are rougher than METIS's of vertices
    row: tuple = (12,)  # bytes of a row in the vectors of a cycle
    coarsest: int = 100  # rows where aggregation ends

    def of(self, name, level):
        values = getattr(self, name)
        return values[min(level, len(values) - 1)]


QN = Kind((7.3, 15.2, 38, 30), (15, 59, 180, 350), (10, 22, 26, 26), (22, 46, 50, 50), (1.36, 1))
COARSEST = QN.coarsest
ROWS_OF_A_RANK = 50  # fewer rows leave ranks out: PETSc's default
MESH = 0.68  # ghosts of the mesh over the lattice's
RANK_ENTRIES, ONE_RANK, NODE_ROWS = 20000, 5, 10000  # src/operator/hosts.h

# ns on two ranks of the machine of docs/scaling.md, which share its memory
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


def hierarchy(parts, rank_entries, per_node, kind=QN):
    """PETSc's levels; those of at most NODE_ROWS rows are gathered on ranks of the first node."""
    n, ranks = parts.vertices, parts.ranks
    levels, active, i, owner = [], ranks, 0, parts.part
    while True:
        entries = min(n, kind.of("entries", i))
        if i > 0:
            active = on_fewer(n, active, ranks)
            if n <= NODE_ROWS:
                owner = parts.gathered(n, on_first_node(n * entries, rank_entries, per_node, ranks))
            else:
                owner = parts.part // (ranks // active) * (ranks // active)
        levels.append(Level(n, entries, owner))
        if n <= kind.coarsest:
            return levels
        n, i = max(1, round(n / kind.of("ratio", i))), i + 1


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

    def __init__(self, parts, per_node, rank_entries, kind=QN):
        self.kind, self.levels = kind, hierarchy(parts, rank_entries, per_node, kind)
        self.rows = [parts.rows(l.rows, l.owner) for l in self.levels]
        self.halo, self.restrict, self.prolong = [], [], []
        for i, (l, coarse) in enumerate(zip(self.levels, self.levels[1:])):
            size, below = kind.of("row", i), kind.of("row", i + 1)
            offsets = pattern.KUHN if i == 0 else pattern.nearest(l.entries)
            s, d, c = parts.needed(l.rows, offsets, l.owner, l.owner)
            self.halo.append((s, d, size * np.round(kind.of("ghosts", i) * c)))
            s, d, c = parts.needed(coarse.rows, pattern.nearest(kind.of("reach", i)), coarse.owner, l.owner)
            self.restrict.append((d, s, below * c))
            s, d, c = parts.needed(coarse.rows, pattern.nearest(kind.of("wider", i)), coarse.owner, l.owner)
            self.prolong.append((s, d, below * c))
        s, d, c = parts.needed(parts.vertices, [o for o in pattern.KUHN if min(o) >= 0], parts.part, parts.part)
        self.mesh = (s, d, 24 * np.round(MESH * c))
        self.back = (d, s, self.mesh[2])

    def ghosts(self, level):
        """Of each rank."""
        _, to, size = self.halo[level]
        return np.bincount(to, weights=size / self.kind.of("row", level), minlength=len(self.rows[0]))


def scalar_times(t, m):
    """ns of each rank in each level: a pass over its own rows, over ghosts, of a restriction and a prolongation."""
    for i, rows in enumerate(t.rows):
        ghosts = t.ghosts(i) if i < len(t.halo) else 0 * rows
        own, far = m[i] * ENTRY * t.levels[i].entries * rows, m[i] * GHOST * ghosts
        yield own, far, m[i] * RESTRICT * rows, m[i] * PROLONG * (rows + ghosts)


def cycle(t, m, times=scalar_times):
    """A V-cycle, whose ghosts of x are interpolated on the way up. m [levels]: Costs.of."""
    last, found, spent = len(t.levels) - 1, [], list(times(t, m))
    for i in range(last):
        own, far, restrict, _ = spent[i]
        found.append(("exchange", f"halo {i}", t.halo[i], own))
        found.append(("compute", far))
        found.append(("exchange", f"restrict {i}", t.restrict[i], restrict))
    found.append(("compute", m[last] * ENTRY * t.levels[last].rows * t.rows[last]))
    for i in range(last - 1, -1, -1):
        own, far, _, prolong = spent[i]
        found.append(("exchange", f"prolong {i}", t.prolong[i], np.zeros(len(t.rows[i]))))
        found += [("compute", prolong), ("compute", own), ("compute", far)]
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
