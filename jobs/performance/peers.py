"""`auto` and `newton` beside FEniCSx on the same energy and mesh: a part of `python3 jobs peers`."""
import numpy  # noqa: F401  if they are missing, that is found before anything is measured
import vtk  # noqa: F401

import peers

REPEATS, ONCE = 3, ("dynamics", 1e6)
RUNS = (  # case, tets, ranks
    *(("statics", *size) for size in ((1e4, 1), (1e5, 1), (1e5, 2), (1e6, 2))),
    *((case, 1e4, 1) for case in ("nearly", "order2", "order2_nearly")),
    *(("dynamics", *size) for size in ((1e4, 1), (1e5, 1), (1e5, 2), (1e6, 2))),
)


def lines():
    for case, tets, ranks in RUNS:
        yield from peers.measure(case, peers.cells(tets), ranks, 1 if (case, tets) == ONCE else REPEATS)


def table(_):
    peers.prepare()
    return 4, [name.replace("_", " ") for name in peers.HEAD], lines()
