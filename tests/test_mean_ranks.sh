#!/usr/bin/env bash
# newton with means of the volume takes the same iterations to the same minimum on 1 and 2 ranks, at both orders. Fails
# if a rank's part of a patch is missing in the Hessian, which costs iterations, or in the energy.
# usage: test_mean_ranks.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 3
. "$(dirname "$0")/lib.sh"
prefix=(run)
cat >squeeze.yaml <<'DECK'
mesh:     {box: {size: [2, 1, 1], cells: [4, 2, 2], jitter: 0.2}}
material: {model: neohookean, young: 1e5, poisson: 0.499, density: 1000, volumetric: mean}
attach:   {xmin: {hard: true}}
force:    {xmax: {value: [0, 0, -1e3]}}
time:     {integrator: static, steps: 2}
solver:   {type: newton, rtol: 1e-9}
output:   {directory: out, every: 0}
DECK
for order in 1 2; do
  for ranks in 1 2; do works $ranks squeeze.yaml -mesh_order $order -output_directory out$order$ranks; done
  for column in iterations elastic; do
    python3 - $order $column <<'PYTHON' || fail "order $order: $column on 1 and 2 ranks"
import csv, sys
order, column = sys.argv[1:]
one, two = ([float(r[column]) for r in csv.DictReader(open(f"out{order}{n}/steps.csv"))] for n in (1, 2))
assert len(one) == 2 and all(a > 0 and abs(a - b) <= 1e-9 * a for a, b in zip(one, two)), (one, two)
PYTHON
  done
done
