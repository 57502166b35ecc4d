#!/usr/bin/env python3
"""
python3 tests/growth/growth.py PROGRAM [RANKS...]: what a rank takes and sends when the mesh grows with the ranks.

Boxes of 1,536 tetrahedra a rank, on 16, 64 and 256 ranks unless others are given, refined once from an eighth of them:
distribution, refinement, set-up of multigrid, iterations. Fails if one of these grows faster than log2(ranks), from the
smallest number of ranks on, with 10 % to spare:
  memory of the largest rank above that of a program that only starts MPI and PETSc;
  messages of a rank in an iteration, for each rank that it sends them to;
  messages of a rank in set-up, likewise.
It fails also if no messages are counted.
The table also has the numbers of these ranks and the largest array of a collective call, which are not judged: arrays
with an entry for every rank are listed in docs/scaling.md. Other work on the machine does not change the counts.
"""
import glob
import math
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SPARE = 1.1
CELLS = {4: (8, 4, 4), 16: (8, 8, 8), 64: (16, 16, 8), 256: (32, 16, 16), 512: (32, 32, 16)}  # before refinement
DECK = """mesh:     {{box: {{size: [{0}, {1}, {2}], cells: [{0}, {1}, {2}]}}, refine: 1}}
material: {{model: neohookean, young: 1e6, poisson: 0.4, density: 1000}}
attach:   {{xmin: {{hard: true}}}}
gravity:  [0, -9.81, 0]
time:     {{step: 1e-2, steps: 1}}
solver:   {{type: qn, max_it: {3}, rtol: 0, start: y}}
operator: {{type: multigrid}}
output:   {{directory: {4}, every: 0}}
"""


def build(folder):
    """The counter and the program that only starts."""
    flags = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "PETSc"], stdout=subprocess.PIPE, text=True, check=True
    ).stdout.split()
    count = f"{HERE}/../../jobs/replay/messages.c"
    subprocess.run(["mpicc", "-O2", "-shared", "-fPIC", count, "-o", f"{folder}/count.so"], check=True)
    subprocess.run(["mpicc", "-O2", f"{HERE}/start.c", "-o", f"{folder}/start", *flags], check=True)


def counted(folder, ranks, command):
    """Runs on so many ranks; gives {name: value} of each rank."""
    for old in glob.glob(f"{folder}/count.[0-9]*"):
        os.remove(old)
    env = {**os.environ, "COUNT": f"{folder}/count"}
    preload = f"LD_PRELOAD={folder}/count.so"  # of the ranks only: a preloaded mpiexec would write counts, too
    done = subprocess.run(
        ["mpiexec", "-n", str(ranks), "env", preload, *command],
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{ranks} ranks: status {done.returncode} of {' '.join(command)}\n{done.stdout[-2000:]}")
    result = []
    for rank in range(ranks):
        with open(f"{folder}/count.{rank}", encoding="utf-8") as file:
            result.append({name: float(value) for name, value in (line.split() for line in file)})
    return result


def per_rank(few, many):
    """Of a rank, in set-up and in an iteration: ranks that it sends to and messages for each of them."""
    iteration = {to: (n - few.get(to, 0)) / 10 for to, n in many.items() if to.isdigit() and n > few.get(to, 0)}
    set_up = {to: n - 2 * iteration.get(to, 0) for to, n in few.items() if to.isdigit()}
    return [(len(part), sum(part.values()) / max(len(part), 1)) for part in (set_up, iteration)]


def measure(folder, program, ranks):
    """One row of the table."""
    runs = {}
    for iterations in (2, 12):
        deck = f"{folder}/box.yaml"
        with open(deck, "w", encoding="utf-8") as file:
            file.write(DECK.format(*CELLS[ranks], iterations, f"{folder}/out"))
        runs[iterations] = counted(folder, ranks, [program, "run", deck, "-output_overwrite", "true"])
    start = counted(folder, ranks, [f"{folder}/start"])
    set_up, iteration = zip(*(per_rank(few, many) for few, many in zip(runs[2], runs[12])))
    memory = [rank["memory"] / 1000 for rank in runs[12]]
    base = [rank["memory"] / 1000 for rank in start]
    return {
        "memory [MB]": max(memory) - max(base),
        "mean memory [MB]": (sum(memory) - sum(base)) / ranks,
        "ranks in set-up": max(n for n, _ in set_up),
        "messages to each": max(m for _, m in set_up),
        "in an iteration": max(n for n, _ in iteration),
        "messages to each ": max(m for _, m in iteration),
        "largest array [B]": max(rank["largest"] for rank in runs[12]),
    }


JUDGED = ("memory [MB]", "messages to each", "messages to each ")


def main():
    """Measures and judges."""
    program = os.path.abspath(sys.argv[1])
    ranks = [int(word) for word in sys.argv[2:]] or [16, 64, 256]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        build(folder)
        for n in ranks:
            rows.append(measure(folder, program, n))
            if n == ranks[0]:
                print("ranks " + " ".join(f"{name:>18}" for name in rows[0]))
            print(f"{n:5} " + " ".join(f"{value:18.2f}" for value in rows[-1].values()), flush=True)
    if not rows[0]["ranks in set-up"] or not rows[0]["in an iteration"]:
        sys.exit("no messages were counted")
    failed = 0
    for n, row in zip(ranks[1:], rows[1:]):
        for name in JUDGED:
            allowed = SPARE * rows[0][name] * math.log2(n) / math.log2(ranks[0])
            if row[name] > allowed:
                print(f"{n} ranks: {name} is {row[name]:.3g}, expected at most {allowed:.3g}")
                failed = 1
    sys.exit(failed)


main()
