#!/usr/bin/env bash
# `wring check`: what would run, and its estimate of memory, which is within 15 % of what the run then takes, as
# docs/operations.md states. Fails where a part of the table is forgotten, temporary memory of building a hierarchy is
# not counted, or the size of a factor is that of a wrong matrix.
# usage: test_check.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 6
. "$(dirname "$0")/lib.sh"

cat >deck.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [15, 15, 15]}}
material: {model: neohookean, young: 1e6, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {stiffness: 1e6}}
time:     {step: 1e-2, steps: 1}
solver:   {max_it: 2, accept: true}
output:   {directory: out}
DECK

# ratio RANKS ARGS...: peak of check over that of run.
ratio() {
  local ranks=$1 said took
  shift
  works "$ranks" check deck.yaml "$@"
  said=$(awk '/peak of a run/ {print $NF}' log)
  [ ! -e out ] || fail "check $* leaves files"
  works "$ranks" run deck.yaml "$@"
  took=$(awk -F'[:,]' '/"peak_memory"/ {print $2 / 1e6}' out/run.json)
  rm -r out
  [ "${WRING_SANITIZE-}" != ON ] || return 0 # which takes memory of its own
  echo "$ranks ranks, $*: check says $said MB, the run takes $took MB"
  awk "BEGIN {exit !($said < 1.15 * $took && $said > 0.85 * $took)}" || fail "memory of $* on $ranks ranks"
}
for ranks in 1 2; do
  ratio $ranks -operator_type direct
  ratio $ranks -operator_type multigrid
  ratio $ranks -solver_type newton -solver_max_it 1
  ratio $ranks -solver_type admm
  ratio $ranks -solver_type xpbd
done
# reading frees no memory that could be reused
ratio 2 -operator_type multigrid -mesh_box_cells 18,18,18 -mesh_refine 1
ratio 1 -time_integrator linear_implicit_euler

works 2 check deck.yaml -solver_qn_history 7
for said in '4096 vertices, 20250 tets' 'qn' 'history 7' 'implicit_euler, h = 0.01 s' 'operator direct' 'steps  *1' \
  'xmin xmax'; do
  grep -q "$said" log || fail "check does not say $said"
done
exit 0
