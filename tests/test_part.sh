#!/bin/bash
# ranks: 1 2 3 4     cost: 5
# The part of inputs/lamp.yaml, a mesh of Gmsh with two regions, 10 steps: a converged result does not depend on the
# number of ranks (1e-9 of the largest position and of the largest velocity), and on one rank it is bit for bit the same
# on 1 and 2 threads and in a second run.
# Fails when partition, halo or numbering lose or repeat an element, when a sum depends on threads, or when a solve
# misses its tolerance.
. "$(dirname "$0")/lib.sh"
served=false

steps=10 ranks='2 3 4'
[ "${WRING_SANITIZE-}" = ON ] && steps=3 ranks=2 # ten times slower

# run <name> <ranks> <threads> <steps>
run() {
  OMP_NUM_THREADS=$3 works "$2" run "$source/inputs/lamp.yaml" -output_directory "$1" -output_every 0 -time_steps "$4" \
    -solver_rtol 1e-10 -operator_rtol 1e-8
}

# same_bits <a> <b>
same_bits() {
  cmp "$1/state.csv" "$2/state.csv" || fail "$1 and $2 differ"
}

# close_to <a> <b>: columns x y z, then vx vy vz, in the largest norm
close_to() {
  paste -d, "$1/state.csv" "$2/state.csv" | awk -F, -v names="$1 and $2" '
    function abs(a) { return a < 0 ? -a : a }
    NR > 1 && $1 != $8 { bad = 1 }
    NR > 1 { for (k = 2; k <= 7; k++) {
      i = k > 4; d = abs($k - $(k + 7)); if (d > far[i]) far[i] = d; if (abs($k) > size[i]) size[i] = abs($k) } }
    END {
      printf "%s differ by %.1e (positions), %.1e (velocities)\n", names, far[0] / size[0], far[1] / size[1]
      exit bad || NR < 1000 || !(far[0] <= 1e-9 * size[0]) || !(far[1] <= 1e-9 * size[1])
    }' || fail "$1 and $2 are too far apart"
}

run short 1 1 3
run again 1 1 3 && same_bits short again
run two_threads 1 2 3 && same_bits short two_threads
run one_rank 1 1 $steps
for n in $ranks; do
  run "on_${n}_ranks" "$n" 1 $steps && close_to one_rank "on_${n}_ranks"
done
