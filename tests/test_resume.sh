#!/usr/bin/env bash
# checkpoint.resume and jobs/slurm.sh: a job that is queued again continues from the checkpoint in the deck's own output
# directory and ends where a run in one piece ends, bit by bit on one rank. Fails if the deck's keys of initial are
# applied again, if decks of one name continue each other, or if srun is not told the threads of a rank.
# usage: test_resume.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 2
. "$(dirname "$0")/lib.sh"

# deck FOLDER VELOCITY: beam.yaml in a folder, with an output directory of its own.
deck() {
  mkdir -p "$1"
  cat >"$1/beam.yaml" <<DECK
mesh:       {box: {size: [2, 0.5, 0.5], cells: [6, 2, 2]}}
material:   {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
solver:     {type: qn} # auto uses what it has learnt in earlier steps, which no checkpoint holds
attach:     {xmin: {stiffness: 1e5}}
initial:    {velocity: [0, 0, $2]}
time:       {step: 1e-3, steps: 12}
output:     {directory: out/$1, every: 0, state_csv: true}
DECK
}
deck a 1
deck b 2
works 1 run a/beam.yaml -output_directory whole

# The job prints what it starts with; its first part stops early.
cat >launch <<'LAUNCH'
#!/bin/bash
echo "threads ${SRUN_CPUS_PER_TASK:-none}" >>threads
exec "$@"
LAUNCH
chmod +x launch
job() {
  WRING=$wring LAUNCH=./launch SLURM_CPUS_PER_TASK=1 timeout 60 bash "$source/jobs/slurm.sh" "$@" >log \
    2>&1 </dev/null ||
    fail "jobs/slurm.sh $*"
}
job a/beam.yaml -time_steps 5
job b/beam.yaml -time_steps 2
[ "$(last out/a/steps.csv step)" = 5 ] && [ "$(last out/b/steps.csv step)" = 2 ] || fail "the first parts"
job a/beam.yaml
cmp -s out/a/state.csv whole/state.csv || fail "two parts do not end where one does"
grep -q '^restart  *out/a/checkpoint_000005.h5' log || fail "the second part does not name its checkpoint"
[ "$(last out/b/steps.csv step)" = 2 ] || fail "another deck of the same name was continued"
[ "$(sort -u threads)" = "threads 1" ] || fail "srun is not told the threads: $(cat threads)"

works 2 run b/beam.yaml -checkpoint_resume true
[ "$(last out/b/steps.csv step)" = 12 ] || fail "two ranks do not continue"
refused "out/b/checkpoint_000012.h5: holds another mesh" run a/beam.yaml -output_directory out/b \
  -checkpoint_resume true \
  -mesh_box_cells 5,2,2
