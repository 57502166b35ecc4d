#!/usr/bin/env bash
# newton with means of the volume takes the same iterations to the same minimum on 1 and 2 ranks, at both orders, and
# ends there with conjugate gradients too. Fails if a rank's part of a patch is missing in the Hessian, which costs
# iterations, or in the energy; if products or the preconditioner of conjugate gradients lack the means; or if H has the
# pressures at x, with or without means, where a full step has changed volumes to second order; or if full steps may not
# raise g there.
# usage: test_mean_ranks.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 2
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
    "$python" - $order $column <<'PYTHON' || fail "order $order: $column on 1 and 2 ranks"
import csv, sys
order, column = sys.argv[1:]
one, two = ([float(r[column]) for r in csv.DictReader(open(f"out{order}{n}/steps.csv"))] for n in (1, 2))
assert len(one) == 2 and all(a > 0 and abs(a - b) <= 1e-9 * a for a, b in zip(one, two)), (one, two)
PYTHON
  done
done

# Solves to 1e-10 instead of a factor: as many iterations, the same positions.
keys=(-solver_newton_forcing fixed -solver_newton_rtol 1e-10 -output_state_csv true)
works 1 squeeze.yaml "${keys[@]}" -solver_newton_linear direct
mv out direct
works 2 squeeze.yaml "${keys[@]}" -solver_newton_linear cg
[ "$(column out/steps.csv iterations)" = "$(column direct/steps.csv iterations)" ] || fail 'iterations of cg'
[ "$(json_value out/run.json linear_iterations)" -gt 20 ] || fail 'cg was not used'
same out/state.csv direct/state.csv 1e-9

# Nearly incompressible bodies in one load step take at most twice the Hessians of nu = 0.3, 3, 6, 11 and 39: a cube
# that is pulled by a tenth of its length and sheared (7 or 8 with pressures at x), a membrane that a force bends (29),
# whose first full step raises g, a beam (102) and a slender rod (804) that bend far, whose second one raises it too.
cat >pull.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [6, 6, 6]}}
material: {model: stable_neohookean, young: 1e5, poisson: 0.3, density: 1000}
attach:   {xmin: {hard: true}, xmax: {hard: true, velocity: [0.1, 0.1, 0]}}
time:     {integrator: static}
solver:   {type: newton}
output:   {directory: out, every: 0}
DECK
cat >bend.yaml <<'DECK'
mesh:     {box: {size: [1, 0.9, 0.2], cells: [4, 4, 1]}}
material: {model: neohookean, young: 1e6, poisson: 0.3, density: 1000}
attach:   {xmin: {hard: true}, zmin: {hard: true, components: z}, zmax: {hard: true, components: z}}
force:    {xmax: {value: [0, 8e3, 0]}}
time:     {integrator: static}
solver:   {type: newton}
output:   {directory: out, every: 0}
DECK
cat >sag.yaml <<'DECK'
mesh:     {box: {size: [4, 1, 1], cells: [8, 2, 2]}}
material: {model: neohookean, young: 1e6, poisson: 0.3, density: 1000}
attach:   {xmin: {hard: true}}
traction: {xmax: {value: [0, 0, -1e4]}}
time:     {integrator: static}
solver:   {type: newton}
output:   {directory: out, every: 0}
DECK
rod='-mesh_box_size 1,0.01,0.01 -mesh_box_cells 50,1,1 -material_model stable_neohookean -material_young 1e8
  -traction_xmax_value 0,0,0 -gravity 0,0,-9.81'
for keys in 'pull.yaml -mesh_order 1' 'pull.yaml -mesh_order 2 -mesh_box_cells 3,3,3' \
  'pull.yaml -mesh_order 2 -mesh_box_cells 3,3,3 -material_volumetric full' 'bend.yaml -mesh_order 2' \
  'sag.yaml -mesh_order 2' "sag.yaml -mesh_order 2 $rod"; do
  # shellcheck disable=SC2086
  works 1 $keys
  usual=$(json_value out/run.json hessians)
  # shellcheck disable=SC2086
  works 2 $keys -material_poisson 0.4999
  nearly=$(json_value out/run.json hessians)
  [ "$nearly" -le $((2 * usual)) ] || fail "$keys: $nearly Hessians at nu = 0.4999, $usual at 0.3"
  energy=$(last out/steps.csv elastic)
  # shellcheck disable=SC2086
  works 1 $keys -material_poisson 0.4999 -time_steps 4
  close "$(last out/steps.csv elastic)" "$energy" 1e-6 "$keys: E after four load steps"
done
