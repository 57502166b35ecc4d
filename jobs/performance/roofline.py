"""Each kernel against the machine: its bytes and its time from `wring bench`."""

import program
from outputs import load

OUT, TETS = "out/performance/roofline", 500000


def bound(row, bare):
    """bare: ns of a pass whose law does nothing."""
    if row["fraction"] and row["fraction"] > 0.6:
        return "memory"
    if row["part"] == "law":
        return "arithmetic of the law" if row["ns_per_tet"] > 1.5 * bare else "gather and scatter"
    return "memory and the latency of loads"


def line(row, bare):
    per_byte = f"{row['bytes'] / row['tets']:.0f}" if row["bytes"] else "-"
    share = f"{100 * row['fraction']:.0f}" if row["fraction"] is not None and row["bytes"] else "-"
    return (row["name"], row["work"], f"{row['ns_per_tet']:.2f}", per_byte, share, bound(row, bare))


def table(_):
    options = {"bench_parts": "laws,operator", "bench_tets": TETS, "bench_budget": 0.2, "operator_type": "multigrid"}
    found = load(program.run("bench", None, OUT, options, threads=2, busy=True), "bench.json")
    rows = [row for row in found["rows"] if row["work"] != "set-up"]
    bare = next(row for row in rows if (row["name"], row["work"]) == ("none", "energy+gradient"))["ns_per_tet"]
    program.say(f"{found['mesh']['tets']:,.0f} tets, two threads; triad {found['bandwidth']['all'] / 1e9:.1f} GB/s")
    head = ("kernel", "work", "ns/tet", "B/tet", "% of triad", "bound by")
    return 2, head, [line(row, bare) for row in rows]
