#!/usr/bin/env python3
"""
python3 tests/contact/random_falls.py PROGRAM [FALLS [SEED]]: no body passes through another one.

Each run drops nine small bodies, blocks, rings and needles of random shape, stiffness, turn and velocity, on a plate
and on each other, with self_contact by its defaults. All frames are checked for intersections in exact arithmetic
(tests/intersections.py). Fails, with the seeds of the runs, if surfaces intersect, a least distance is not above 0,
there are no frames, or a run ends with another status than 0, or 2 with a step that did not converge: those are
counted. Fails also if nothing touches in any run.
"""
import collections
import csv
import glob
import math
import os
import random
import subprocess
import sys
import tempfile

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
from bodies import Mesh, shift, turn  # noqa: E402
import intersections  # noqa: E402

SITES = 3  # in x and in y


def add_body(r, mesh, tag, site):
    """A body inside a ball of 0.5 about its site [m]."""
    turned = turn((0, 2), r.uniform(0, 360), shift(*site))
    place = turn((0, 1), r.uniform(0, 360), turn((1, 2), r.uniform(0, 360), turned))
    kind = r.choice(("block", "block", "ring", "needle"))
    if kind == "block":
        half = [r.uniform(0.1, 0.28) for _ in range(3)]
        mesh.add_box([-a for a in half], half, [r.randint(1, 2) for _ in range(3)], tag, place)
    elif kind == "ring":
        mesh.add_ring(r.uniform(0.2, 0.35), r.uniform(0.05, 0.15), (r.randint(6, 10), 1, 1), tag, place)
    else:
        tip, width = r.uniform(1e-3, 0.02), r.uniform(0.05, 0.2)

        def taper(p):
            w = tip + width * (p[2] + 0.4)
            return place((w * p[0], w * p[1], p[2]))

        mesh.add_box((-0.5, -0.5, -0.4), (0.5, 0.5, 0.4), (1, 1, r.randint(2, 4)), tag, taper)


def write(r, folder):
    """Nine bodies at the sites of a grid, 1.02 apart, each at a height above a plate; returns the number of falls."""
    mesh = Mesh()
    size, thick = 0.51 * SITES, 10 ** r.uniform(-2, -0.5)
    mesh.add_box((-size, -size, -thick), (size, size, 0), (2 * SITES, 2 * SITES, 1), 1)
    moves = {}
    for i in range(SITES * SITES):
        first, height = len(mesh.vertices), 10 ** r.uniform(-4, -1)
        add_body(r, mesh, 2 + i, (1.02 * (i % SITES - 1), 1.02 * (i // SITES - 1), 0))
        lowest = min(v[2] for v in mesh.vertices[first:])
        mesh.vertices[first:] = [(x, y, z - lowest + height) for x, y, z in mesh.vertices[first:]]
        speed = 10 ** r.uniform(-1, 1.2)
        motion = (0.5 * speed * r.uniform(-1, 1), 0.5 * speed * r.uniform(-1, 1), -speed)
        moves.update((v, motion) for v in range(first, len(mesh.vertices)))
    mesh.write(f"{folder}/falls.mesh")
    with open(f"{folder}/falls.csv", "w", encoding="utf-8") as f:
        print("vertex,x,y,z", file=f)
        for v in range(len(mesh.vertices)):
            print(v, *moves.get(v, (0, 0, 0)), sep=",", file=f)
    young = {2 + i: 10 ** r.uniform(4, 7) for i in range(SITES * SITES)}
    regions = ", ".join(f"tag{tag}: {{model: neohookean, young: {e:.4g}, poisson: 0.3, density: 1000}}"
                        for tag, e in young.items())
    with open(f"{folder}/falls.yaml", "w", encoding="utf-8") as f:
        print("mesh: {file: falls.mesh}",
              f"material: {{model: neohookean, young: {10 ** r.uniform(5, 7):.4g}, poisson: 0.3, density: 1000}}",
              f"region: {{{regions}}}", "initial: {velocities: falls.csv}", "gravity: [0, 0, -9.81]",
              f"set: {{bottom: {{box: [-9, -9, {-1.001 * thick}, 9, 9, {-0.999 * thick}]}}}}",
              "attach: {bottom: {hard: true}}", "self_contact: {method: barrier}",
              f"time: {{step: {10 ** r.uniform(-3, -1.7):.3g}, steps: {r.randint(5, 20)}}}",
              "output: {directory: out, every: 1, precision: double, overwrite: true}", sep="\n", file=f)
    return SITES * SITES


def judge(folder, status):
    """Raises ValueError with what is wrong; returns the reasons of the steps, and the most pairs in contact."""
    with open(f"{folder}/out/steps.csv", encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f))
    reasons = collections.Counter(row["reason"] for row in rows)
    if status not in (0, 2) or (status == 2 and set(reasons) <= {"converged"}):
        raise ValueError(f"exit status {status}")
    if any(row["least_distance"] and not float(row["least_distance"]) > 0 for row in rows):
        raise ValueError("a distance that is not above 0")
    frames = sorted(glob.glob(f"{folder}/out/frame_*.vtu"))
    if not frames:
        raise ValueError("no frames")
    for frame in frames:
        points, triangles, lines = intersections.read(frame)
        met = intersections.intersections(points, triangles, lines)
        if met or not all(map(math.isfinite, points.flat)):
            raise ValueError(f"{os.path.basename(frame)}: {len(met)} intersections, the first of {met[:1]}")
    return reasons + collections.Counter(contacts=max(int(row["contacts"]) for row in rows))


def main():
    program, falls = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 90
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(10 ** 6)
    done, wrong, total = 0, 0, collections.Counter()
    while done < falls:
        with tempfile.TemporaryDirectory() as folder:
            fell = write(random.Random(seed), folder)
            run = subprocess.run([program, "run", "falls.yaml"], cwd=folder, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, check=False, timeout=900)
            try:
                total += judge(folder, run.returncode)
            except (ValueError, OSError) as what:
                wrong += 1
                print(f"FAIL: seed {seed}: {what}\n{run.stdout[-2000:]}", flush=True)
        done += fell
        seed += 1
    print(f"{done} falls up to seed {seed - 1}, {wrong} runs failed; steps, and pairs in contact: {dict(total)}")
    sys.exit(wrong > 0 or not total["contacts"])


if __name__ == "__main__":
    main()
