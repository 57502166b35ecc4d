"""
Messages of an iteration from the geometry of a box of vertices in P parts, where no run of P ranks can be recorded.

A level of the hierarchy is a lattice of as many points as the level has rows; a row has entries at the nearest lattice
points, as many as rows of that level have. The parts are those that METIS cuts a lattice of the same box into, so that
a point of any level belongs to the part at its place. What a rank needs of another is then counted, not assumed. A
lattice of more than POINTS points a rank is replaced by one of so many, and counts grow with its surface, by the power
2/3 of the rows.
"""
import ctypes
import ctypes.util
import os

import numpy as np

from program import Failure

POINTS = 600  # of a part at most in the lattices that are counted
CHUNK = 1 << 17  # lattice points that are looked at together
KUHN = [  # neighbours of a vertex of a box, each cell of which is cut into six tetrahedra
    (x, y, z)
    for x in (-1, 0, 1)
    for y in (-1, 0, 1)
    for z in (-1, 0, 1)
    if (x, y, z) != (0, 0, 0) and (min(x, y, z) >= 0 or max(x, y, z) <= 0)
]


def nearest(n):
    """The n offsets of a lattice nearest to its origin, without it, in pairs of opposite ones."""
    side = np.arange(-5, 6)
    all_ = np.array(np.meshgrid(side, side, side, indexing="ij")).reshape(3, -1).T
    squared = (all_**2).sum(axis=1)
    order = np.lexsort((np.abs(all_).max(axis=1), squared))
    return all_[order[1 : 2 * max(1, round(n / 2)) + 1]]


def dimensions(n, shape):
    """A lattice of about n points of a box of this shape."""
    shape = np.asarray(shape, float)
    return tuple(int(d) for d in np.maximum(1, np.round(shape * (n / shape.prod()) ** (1 / 3))))


def graph(dims):
    """Neighbours of a lattice of vertices as METIS takes them."""
    n = int(np.prod(dims))
    at = np.arange(n).reshape(dims)
    lists, rows = [], []
    for offset in KUHN:
        own = tuple(slice(max(0, -o), d - max(0, o)) for o, d in zip(offset, dims))
        other = tuple(slice(max(0, o), d - max(0, -o)) for o, d in zip(offset, dims))
        rows.append(at[own].ravel())
        lists.append(at[other].ravel())
    row, column = np.concatenate(rows), np.concatenate(lists)
    start = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(row, minlength=n), out=start[1:])
    return start, column[np.argsort(row, kind="stable")].astype(np.int32)


def cut(dims, parts):
    """The part of each point of a lattice."""
    if parts == 1:
        return np.zeros(dims, np.int32)
    name = ctypes.util.find_library("metis")
    if not name:
        raise Failure("no library metis, which cuts the box into parts")
    metis = ctypes.CDLL(name)
    start, column = graph(dims)
    n, one = len(start) - 1, ctypes.c_int32(1)
    part, edges = np.empty(n, np.int32), ctypes.c_int32(0)
    pointer = lambda a: a.ctypes.data_as(ctypes.c_void_p)
    status = metis.METIS_PartGraphKway(
        ctypes.byref(ctypes.c_int32(n)), ctypes.byref(one), pointer(start), pointer(column), None, None, None,
        ctypes.byref(ctypes.c_int32(parts)), None, None, None, ctypes.byref(edges), pointer(part),
    )  # fmt: skip
    if status != 1 or part.min() < 0 or part.max() >= parts:
        raise Failure(f"METIS cannot cut {n} points into {parts} parts (it must have been built with 32-bit numbers)")
    return part.reshape(dims)


class Parts:
    """A box in parts."""

    def __init__(self, ranks, vertices, shape=(1, 1, 1), folder="out/replay/parts"):
        self.ranks, self.vertices, self.shape = ranks, vertices, shape
        dims = dimensions(min(vertices, POINTS * ranks), shape)
        path = f"{folder}/{ranks}_{'x'.join(map(str, dims))}.npy"
        if os.path.exists(path):
            self.part = np.load(path)
        else:
            self.part = cut(dims, ranks)
            os.makedirs(folder, exist_ok=True)
            with open(path + ".part", "wb") as file:
                np.save(file, self.part)
            os.replace(path + ".part", path)

    def lattice(self, rows, of):
        """The values of a lattice at the points of one of so many rows, or fewer, and how many rows each of them is."""
        dims = dimensions(min(rows, POINTS * self.ranks), self.shape)
        at = [np.minimum(((np.arange(d) + 0.5) * m / d).astype(int), m - 1) for d, m in zip(dims, of.shape)]
        return of[np.ix_(*at)], rows / np.prod(dims)

    def gathered(self, rows, few):
        """The lattice of the owners of a level on ranks 0 to few - 1: as many rows each, numbered part by part."""
        part, _ = self.lattice(rows, self.part)
        owner = np.empty(part.size, np.int32)
        owner[np.argsort(part.ravel(), kind="stable")] = np.arange(part.size) * few // part.size
        return owner.reshape(part.shape)

    def rows(self, rows, owner):
        """Rows of each rank; owner: a lattice of ranks."""
        ranks, each = self.lattice(rows, owner)
        return each * np.bincount(ranks.ravel(), minlength=self.ranks)

    def needed(self, rows, offsets, owner, needs):
        """
        Points of a lattice that ranks need of others: (from, to, count). owner, needs: lattices of the rank that owns a
        point, and of that which needs what the point has as neighbours.
        """
        owner, each = self.lattice(rows, owner)
        needs, _ = self.lattice(rows, needs)
        wide = int(np.abs(offsets).max())
        padded = np.pad(owner, wide, constant_values=-1)
        step = np.array([padded.shape[1] * padded.shape[2], padded.shape[2], 1])
        places = np.flatnonzero(padded.ravel() >= 0)
        moves = np.concatenate(([0], np.asarray(offsets) @ step))
        flat, needs = padded.ravel(), np.pad(needs, wide, constant_values=-1).ravel()  # -1: outside
        found = []
        for first in range(0, len(places), CHUNK):
            at = places[first : first + CHUNK]
            own = flat[at]
            near = needs[at[:, None] + moves]
            inner = (near == own[:, None]) | (near < 0)
            some = ~inner.all(axis=1)
            near = np.where(inner, -1, near)[some]
            near.sort(axis=1)
            new = np.ones(near.shape, bool)
            new[:, 1:] = near[:, 1:] != near[:, :-1]
            new &= near >= 0
            source = np.broadcast_to(own[some][:, None], near.shape)[new]
            found.append(np.unique(source.astype(np.int64) * self.ranks + near[new], return_counts=True))
        keys = np.concatenate([k for k, _ in found])
        counts = np.concatenate([c for _, c in found])
        keys, back = np.unique(keys, return_inverse=True)
        total = np.bincount(back, weights=counts, minlength=len(keys)) if len(keys) else np.zeros(0)
        total = np.maximum(1, np.round(total * each ** (2 / 3)))
        return (keys // self.ranks).astype(int), (keys % self.ranks).astype(int), total
