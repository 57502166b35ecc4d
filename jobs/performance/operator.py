"""A factor beside multigrid, by `wring bench` on cubes and one thread: set-up and solves with A."""
import program
from outputs import load
from tables import number

OUT = "out/performance/operator"
TETS = (10368, 131712, 511104)  # cubes of 12, 28 and 44 cells
WORKS = (  # type, work of bench.json, title
    ("multigrid", "rough solve", "one V-cycle"),
    ("multigrid", "solve to 1e-02", "multigrid to 1e-2"),
    ("multigrid", "solve to 1e-04", "multigrid to 1e-4"),
    ("direct", "solve to 1e-04", "factor"),
    ("multigrid", "set-up", "set-up, multigrid"),
    ("direct", "set-up", "set-up, factor"),
)


def line(tets):
    options = {"bench_parts": "operator", "bench_tets": tets, "bench_budget": 0.5}
    record = load(program.run("bench", None, f"{OUT}/{tets}", options, busy=True), "bench.json")
    ms = {(row["name"], row["work"]): 1e3 * row["seconds"] for row in record["rows"]}
    return [f"{record['mesh']['vertices']:,.0f}", *(number(ms[kind, work], 3) for kind, work, _ in WORKS)]


def table(_):
    return 1, ["vertices", *(f"{title} [ms]" for *_, title in WORKS)], [line(tets) for tets in TETS]
