"""What `wring bench` measures: bandwidth, and kernels against it."""
from outputs import load
from program import run
from tables import number

OUT = "out/performance/bench"
KERNELS, OPERATOR = ("laws", 2000000, 1, 2), ("operator", 1170672, 2, 1)  # parts, tets, ranks, threads of the targets


def bench(parts, tets, ranks, threads):
    """bench.json of these parts, measured once in a run of the tables."""
    folder = f"{OUT}/{parts.replace(',', '_')}_{tets}_{ranks}x{threads}"
    if folder not in bench.done:
        options = {"bench_parts": parts, "bench_tets": tets, "bench_budget": 0.2, "operator_type": "multigrid"}
        run("bench", None, folder, options, ranks=ranks, threads=threads, busy=True)
        bench.done.add(folder)
    return load(folder, "bench.json")


bench.done = set()


def bandwidth():
    """Triad in GB/s of one thread, of two threads and of two ranks."""
    threads, ranks = bench(*KERNELS)["bandwidth"], bench(*OPERATOR)["bandwidth"]
    return {"one": threads["thread"] / 1e9, "threads": threads["all"] / 1e9, "ranks": ranks["all"] / 1e9}


def pick(result, **keys):
    return next(row for row in result["rows"] if all(row[k] == v for k, v in keys.items()))


def targets(scale, verdict):
    """Lines of the targets on kernels and on solves."""
    kernels, operator, lines = bench(*KERNELS), bench(*OPERATOR), []
    for law, target in (("neohookean", 12), ("corotated", 20)):
        row = pick(kernels, name=law, work="energy+gradient")
        ns = row["ns_per_tet"]
        lines.append(
            (
                f"energy and gradient, {law}, {row['tets']:,.0f} tets",
                f"{target} ns/tet",
                f"{ns:.1f} ns/tet",
                f"{ns * scale:.1f} ns/tet",
                verdict(ns * scale, target),
                f"{100 * row['fraction']:.0f}% of the triad",
            )
        )
    for rtol, target in (("1e-04", 100), ("1e-08", 190)):
        row = pick(operator, name="multigrid", work=f"solve to {rtol}")
        ms = 1e3 * row["seconds"]
        lines.append(
            (
                f"operator, 3 columns, {operator['mesh']['vertices']:,.0f} vertices, 2 ranks, "
                f"to {rtol.replace('e-0', 'e-')}",
                f"{target} ms",
                f"{number(ms, 3)} ms",
                f"{number(ms * scale, 3)} ms",
                verdict(ms * scale, target),
                f"{row['iterations']} iterations, {100 * row['fraction']:.0f}% of the triad",
            )
        )
    return lines
