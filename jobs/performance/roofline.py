"""Each kernel against the bandwidth and against the arithmetic of the machine, from `wring bench` and the compiled kernels."""
import bench
from runs import table, write

PARTS, TETS = "laws,exchange,operator", 500000


def line(row, triad, flops):
    """By what it is bound: where it takes less than half of the bandwidth it is by arithmetic (or latency), not by memory."""
    per_tet = row["bytes"] / row["tets"] if row["bytes"] else None
    share = row["fraction"]
    bound = "memory" if share and share > 0.7 else "both" if share and share > 0.4 else "arithmetic"
    return per_tet, share, bound
