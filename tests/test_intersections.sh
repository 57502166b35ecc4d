#!/usr/bin/env bash
# The checker of frames by exact arithmetic, tests/intersections.py: pairs of triangles whose answer is known, random
# pairs on a lattice against planes that separate them, and frames of the program with bodies that overlap, touch and
# are a rounding apart. It fails when an intersection is missed or invented.
# usage: test_intersections.sh BUILD_DIR SOURCE_DIR     ranks: 2
. "$(dirname "$0")/lib.sh"
PYTHONPATH=$source/tests $python - <<'END'
import random, sys
from fractions import Fraction
from intersections import intersections  # which says what is missing
import numpy as np

def meet(a, b, share=0):
    """Two triangles [3][3], of which the first `share` corners are the same points."""
    points = np.array([*a, *b[share:]], dtype=float)
    other = [*range(share), *range(3, 6 - share)]
    return bool(intersections(points, np.array([[0, 1, 2], other]), np.zeros((0, 2), int)))

up = np.nextafter(0.0, 1)
base = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
cases = {
    "crossing": (meet(base, [(0.2, 0.2, -1), (0.2, 0.2, 1), (3, 3, 1)]), True),
    "apart": (meet(base, [(0.2, 0.2, 2), (0.2, 0.2, 1), (3, 3, 1)]), False),
    "corner on face": (meet(base, [(0.25, 0.25, 0), (0.2, 0.2, 1), (3, 3, 1)]), True),
    "corner above face by the least double": (meet(base, [(0.25, 0.25, up), (0.2, 0.2, 1), (3, 3, 1)]), False),
    "edges touch": (meet(base, [(0.5, -1, -1), (0.5, 1, 1), (0.5, -1, 1)]), True),
    "in one plane, overlapping": (meet(base, [(0.1, 0.1, 0), (2, 2, 0), (2, 3, 0)]), True),
    "in one plane, inside": (meet(base, [(0.1, 0.1, 0), (0.2, 0.1, 0), (0.1, 0.2, 0)]), True),
    "in one plane, apart": (meet(base, [(1, 1, 0), (2, 2, 0), (2, 3, 0)]), False),
    "common corner": (meet(base, [(0, 0, 0), (-1, 0, 1), (0, -1, 1)], 1), False),
    "common corner, crossing": (meet(base, [(0, 0, 0), (0.9, 0.9, 1), (0.9, 0.9, -1)], 1), True),
    "common edge": (meet(base, [(0, 0, 0), (1, 0, 0), (0, -1, 1)], 2), False),
    "inclined by one rounding": (meet([(0, 0, 0), (1, 0, 1e-16), (0, 1, 1e-16)],
                                      [(0.5, 0.5, 1e-16), (0.5, 0.5, 1), (2, 2, 1)]), True),
    "inclined, one rounding apart": (meet([(0, 0, 0), (1, 0, 1e-16), (0, 1, 1e-16)],
                                          [(0.5, 0.5, np.nextafter(1e-16, 1)), (0.5, 0.5, 1), (2, 2, 1)]), False),
}
for name, (found, expected) in cases.items():
    if found != expected:
        sys.exit(f"FAIL: {name}: {found}, expected {expected}")

def disjoint(a, b):
    """A plane through corners or along edges separates two convex sets: normals of both, and products of edges."""
    def cross(u, v): return (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
    def minus(u, v): return tuple(x - y for x, y in zip(u, v))
    edges = [[minus(t[(k + 1) % 3], t[k]) for k in range(3)] for t in (a, b)]
    normals = [cross(e[0], e[1]) for e in edges]
    axes = [*normals, *(cross(u, v) for u in edges[0] for v in edges[1])]
    axes += [cross(normals[i], e) for i in range(2) for e in edges[i]]
    axes += [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    for axis in axes:
        p, q = ([sum(x * y for x, y in zip(axis, corner)) for corner in t] for t in (a, b))
        if max(p) < min(q) or max(q) < min(p):
            return True
    return False

r = random.Random(1)
seen = [0, 0]
while sum(seen) < 800:
    a, b = ([tuple(r.randint(-2, 2) for _ in range(3)) for _ in range(3)] for _ in range(2))
    area = [np.abs(np.cross(np.subtract(t[1], t[0]), np.subtract(t[2], t[0]))).sum() for t in (a, b)]
    if min(area) == 0:
        continue
    expected = not disjoint(a, b)
    seen[expected] += 1
    if meet(a, b) != expected:
        sys.exit(f"FAIL: {a} and {b}: expected {expected}")
if min(seen) < 100:
    sys.exit(f"FAIL: only {seen} of both kinds")
END
case $? in 0) ;; 77) skip "no VTK" ;; *) exit 1 ;; esac

# boxes NAME HEIGHT: two boxes of one cell, of which the second begins at HEIGHT.
boxes() {
  awk -v height="$2" 'BEGIN {
    print "MeshVersionFormatted 2\nDimension 3\nVertices\n16"
    for (b = 0; b < 2; b++) for (v = 0; v < 8; v++)
      printf "%.17g %.17g %.17g 0\n", v % 2 + 0.3 * b, int(v / 2) % 2 + 0.2 * b, int(v / 4) + b * height
    print "Tetrahedra\n12"
    split("1 3 7 1 5 7 2 3 7 2 6 7 4 5 7 4 6 7", way, " ")
    for (b = 0; b < 2; b++) for (t = 0; t < 6; t++)
      print 8 * b + 1, 8 * b + 1 + way[3 * t + 1], 8 * b + 1 + way[3 * t + 2], 8 * b + 1 + way[3 * t + 3], 0
    print "End" }' >"$1.mesh"
  cat >"$1.yaml" <<DECK
mesh:     {file: $1.mesh}
material: {model: neohookean, young: 1e4, poisson: 0.3, density: 1000}
time:     {step: 1e-3, steps: 1}
output:   {directory: $1, every: 1, precision: double}
DECK
}
for ranks in 1 2; do
  boxes apart 1.0000000000000002
  works $ranks run apart.yaml
  $python "$source/tests/intersections.py" apart/frame_000000.vtu >found || fail "$ranks ranks: $(cat found)"
  grep -q ': 24 triangles, 0 lines, 0 intersections$' found || fail "$ranks ranks: $(cat found)"
  for height in 1 0.5; do
    boxes meet $height
    works $ranks run meet.yaml
    $python "$source/tests/intersections.py" meet/frame_000000.vtu >found && fail "at $height: $(cat found)"
    grep -q ' edge .* meets triangle ' found || fail "$ranks ranks: no pair is named"
  done
done
