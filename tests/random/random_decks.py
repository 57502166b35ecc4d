#!/usr/bin/env python3
"""
python3 tests/random/random_decks.py PROGRAM [COUNT [SEED [FIRST]]]: no run ends with status 0 and a wrong answer.

A deck is a bar of two materials: any of six laws, contrasts to 1e6, order 1 or 2, one to twenty load steps or three
time steps. It runs with the defaults, qn, trust_region and pncg. The reference is newton to 1e-10 in three ways:
statics in as many load steps, in twice as many and in one more; time steps from three starts. Where these ways end in
several equilibria, an answer near none of them is not judged. Fails if a run ends with status 0 and its displacement
differs from the references, which agree, by more than 1 %, or if an element of a law with a barrier has inverted; the
deck, which SEED and its number make again, is printed. Runs that fail with status 2 are counted. Fails also if none of
ten or more decks has a right answer.
"""
import collections
import csv
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile

LAWS = ("neohookean", "stable_neohookean", "fixed_corotated", "corotated", "stvk", "mooney_rivlin")
BARRIERS = {"neohookean", "mooney_rivlin"}  # no element of theirs inverts
FAR = 1e-2  # of the largest displacement
NEWTON = ("-solver_type", "newton", "-solver_rtol", "1e-10")
OURS = {"defaults": ()} | {
    name: ("-solver_type", name, "-solver_max_it", "300") for name in ("qn", "trust_region", "pncg")}


def write_box(path, cells, inner):
    """A bar of 1 x 0.3 x 0.3 m; returns its vertices. The cells in the middle, `inner` of the length, have tag 2."""
    number = {p: i for i, p in enumerate(itertools.product(*(range(n + 1) for n in cells)))}
    vertices = [(i / cells[0], 0.3 * j / cells[1], 0.3 * k / cells[2]) for i, j, k in number]
    tets = []
    for cell in itertools.product(*map(range, cells)):
        tag = 2 if abs((cell[0] + 0.5) / cells[0] - 0.5) <= max(inner, 1.01 / cells[0]) / 2 else 1
        for axes in itertools.permutations(range(3)):  # Kuhn's six tetrahedra
            corners = [cell]
            for a in axes:
                corners.append(tuple(c + (i == a) for i, c in enumerate(corners[-1])))
            tets.append((*(number[c] + 1 for c in corners), tag))
    with open(path, "w", encoding="utf-8") as f:
        print("MeshVersionFormatted 2\nDimension 3\nVertices", len(vertices), sep="\n", file=f)
        print(*("%.17g %.17g %.17g 0" % v for v in vertices), sep="\n", file=f)
        print("Tetrahedra", len(tets), *("%d %d %d %d %d" % t for t in tets), "End", sep="\n", file=f)
    return vertices


def law(r, young):
    name = r.choice(LAWS)
    if name == "mooney_rivlin":
        kappa = young * r.choice((1, 10, 100))
        return f"model: {name}, c10: {young / 6:.6g}, c01: {young / 12:.6g}, kappa: {kappa:.6g}"
    return f"model: {name}, young: {young:.6g}, poisson: {r.choice((0.0, 0.3, 0.45, 0.495))}"


def write_deck(r, folder):
    """Returns the deck's path, the vertices, and the number of load steps, 0 for time steps."""
    vertices = write_box(f"{folder}/bar.mesh", (r.randint(4, 8), r.randint(2, 3), r.randint(2, 3)), r.uniform(0.2, 0.7))
    young, contrast = 10 ** r.uniform(4, 7), 10 ** r.uniform(-6, 6)
    steps = r.randint(1, 20) if r.random() < 0.7 else 0
    integrator = r.choice(("implicit_euler", "bdf2", "implicit_midpoint"))
    time = f"integrator: static, steps: {steps}" if steps else (
        f"integrator: {integrator}, step: {10 ** r.uniform(-3, -1.3):.3g}, steps: 3")
    size = young * min(contrast, 1) ** 0.3 * 10 ** r.uniform(-4, -1.5)
    if r.random() < 0.5:
        load = ["attach: {left: {hard: true}}",
                f"force: {{end: {{value: [{r.choice((0, 0.03 * size)):.4g}, 0, {-0.01 * size:.4g}]}}}}"]
    else:
        speed = 1 if steps else 5
        load = ["attach: {left: {hard: true}, end: {hard: true, velocity: [%.3g, 0, %.3g]}}"
                % (speed * r.uniform(-0.1, 0.3), speed * r.uniform(-0.2, 0.2))]
    path = f"{folder}/deck.yaml"
    with open(path, "w", encoding="utf-8") as f:
        print(f"mesh: {{file: bar.mesh, order: {r.choice((1, 1, 1, 2))}}}",
              f"material: {{{law(r, young)}, density: 1000}}",
              f"region: {{tag2: {{{law(r, young * contrast)}, density: 2000}}}}",
              "set: {left: {box: [-1e-6, -1, -1, 1e-6, 1, 1]}, end: {box: [0.999999, -1, -1, 1.1, 1, 1]}}", *load,
              f"time: {{{time}}}", "output: {every: 0, state_csv: true, overwrite: true}", sep="\n", file=f)
    return path, vertices, steps


def run(wring, path, out, keys):
    """Returns the status, the positions of status 0, and the last line or what inverted against the laws."""
    done = subprocess.run([wring, "run", path, "-output_directory", out, *keys], capture_output=True, text=True,
                          timeout=600, check=False)
    last = (done.stdout + done.stderr).strip().split("\n")[-1]
    if done.returncode:
        return done.returncode, None, last
    with open(f"{out}/run.json", encoding="utf-8") as f, open(path, encoding="utf-8") as deck:
        if json.load(f)["most_inverted"] and BARRIERS >= set(re.findall(r"model: (\w+)", deck.read())):
            return 0, None, "elements invert"
    with open(f"{out}/state.csv", encoding="utf-8") as f:
        return 0, [[float(v) for v in row[1:4]] for row in list(csv.reader(f))[1:]], last


def difference(a, b, rest):
    """The largest difference of the vertices of the mesh, of the largest displacement of b."""
    largest = lambda u, v: max(abs(x - y) for p, q in zip(u, v) for x, y in zip(p, q))
    return largest(a[:len(rest)], b[:len(rest)]) / max(largest(b, rest), 1e-300)


def judge(status, x, answers, rest):
    if status != 0:
        return "failed" if status == 2 else "REFUSED"
    if not x:
        return "INVERTED"
    if not answers:
        return "no reference"
    if min(difference(x, a, rest) for a in answers) <= FAR:
        return "right"
    return "several equilibria" if max(difference(a, answers[0], rest) for a in answers) > FAR else "WRONG"


def main():
    wring, (count, seed, first) = sys.argv[1], map(int, sys.argv[2:] + ["50", "1", "0"][len(sys.argv) - 2:])
    tally = collections.Counter()
    for i in range(first, first + count):
        with tempfile.TemporaryDirectory() as folder:
            path, rest, steps = write_deck(random.Random(f"{seed} {i}"), folder)
            kind = "static" if steps else "time"
            ways = ((), ("-time_steps", str(2 * steps)), ("-time_steps", str(steps + 1))) if steps else (
                (), ("-solver_start", "q"), ("-solver_start", "y"))
            try:
                references = [run(wring, path, f"{folder}/reference", (*NEWTON, *w)) for w in ways]
                ours = {name: run(wring, path, f"{folder}/ours", keys) for name, keys in OURS.items()}
            except subprocess.TimeoutExpired:
                tally[f"{kind} timeout"] += 1
                continue
            answers = [x for status, x, _ in references if x]
            for name, (status, x, last) in ours.items():
                found = judge(status, x, answers, rest)
                tally[f"{kind} {name} {found}"] += 1
                if found.isupper():
                    with open(path, encoding="utf-8") as f:
                        print(f"deck {i}, {name}: {found}: {last}\n{f.read()}", flush=True)
    print(f"{count} decks from {first}, seed {seed}:", ", ".join(f"{n} {name}" for name, n in sorted(tally.items())))
    if count >= 10 and not any(name.endswith(" right") for name in tally):
        print("no answer is right: nothing was judged")
        return True
    return any(name.endswith(("WRONG", "REFUSED", "INVERTED")) for name in tally)


os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.exit(main())
