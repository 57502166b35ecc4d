"""What `wring bench` measures: bandwidth, and kernels against it."""
from outputs import load
from program import run

OUT = "out/performance/bench"
KERNELS, OPERATOR = ("laws", 2000000, 1, 2), ("operator", 1170672, 2, 1)  # parts, tets, ranks, threads


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
