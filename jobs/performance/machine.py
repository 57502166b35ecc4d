"""The machine and the program of the other tables, which one call makes: processor, triad, compiler, libraries."""
import program
from outputs import load

OUT, TETS = "out/performance/machine", 3000  # TETS: the bandwidth is that of other arrays
LIBRARIES = {"cholmod": "CHOLMOD", "mumps": "MUMPS", "metis": "METIS"}


def bench():
    options = {"bench_parts": "laws", "bench_tets": TETS, "bench_budget": 0.5}
    return load(program.run("bench", None, OUT, options, threads=program.CORES, busy=True), "bench.json")


def lines(record):
    rate = lambda which: f"{record['bandwidth'][which] / 1e9:.1f} GB/s"
    versions = record["libraries"]
    yield "wring", f"{record['version']}, {record['commit']}"
    yield "processor", f"{record['processor']}, {program.CORES} cores, vectors of {record['vector_bits']} bits"
    yield "triad, one thread", rate("thread")
    yield f"triad, {program.CORES} threads", rate("all")
    yield "compiler", f"{record['compiler']}, {record['build']['type']}"
    yield "PETSc, MPI", f"{record['petsc']}, {record['mpi']}"
    yield "BLAS", versions["blas"].split(" NO_")[0]
    yield "other libraries", ", ".join(f"{name} {versions[key]}" for key, name in LIBRARIES.items() if versions[key])


def table(_):
    return 1, ("what", "value"), lines(bench())
