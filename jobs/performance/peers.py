"""`auto` and `newton` beside FEniCSx on the same energy and mesh: a part of `python3 jobs peers`."""
import numpy  # noqa: F401  if they are missing, that is found before anything is measured
import vtk  # noqa: F401

import peers

REPEATS = 3
RUNS = (  # case, tets, ranks
    *(("statics", *size) for size in ((1e4, 1), (1e5, 1), (1e5, 2), (1e6, 2))),
    *((case, 1e4, 1) for case in ("nearly", "order2", "order2_nearly")),
    *(("dynamics", *size) for size in ((1e4, 1), (1e5, 1), (1e5, 2), (1e6, 2))),
)


def table(_):
    peers.prepare()
    head = [name.replace("_", " ") for name in peers.HEAD]
    return 4, head, [row for case, tets, n in RUNS for row in peers.measure(case, peers.cells(tets), n, REPEATS)]
