#!/usr/bin/env bash
# checkpoint.resume and jobs/slurm.sh: a job that is queued again continues from the checkpoint in the deck's own output
# directory and ends where a run in one piece ends, bit by bit on one rank. Fails if the deck's keys of initial are
# applied again, if decks of one name continue each other, also where they share an output directory, if the job takes
# another directory than the deck's, if srun is not told the threads of a rank and to bind it to cores, or if the
# program is not found in build or in PATH.
# Restarts from files of wring 0.1, and from the same directory.
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
mkdir bin
cat >bin/srun <<'SRUN'
#!/bin/bash
echo "$1 $2 $OMP_NUM_THREADS $OMP_PLACES $OMP_PROC_BIND" >>threads
shift 2
exec "$@"
SRUN
chmod +x bin/srun
job() {
  PATH=$PWD/bin:$PATH WRING=${program-$wring} SLURM_CPUS_PER_TASK=2 timeout 60 bash "$source/jobs/slurm.sh" "$@" \
    >log 2>&1 </dev/null ||
    fail "jobs/slurm.sh $*"
}
job a/beam.yaml -time_steps 5
job b/beam.yaml -time_steps 2
[ "$(last out/a/steps.csv step)" = 5 ] && [ "$(last out/b/steps.csv step)" = 2 ] || fail "the first parts"
job a/beam.yaml
cmp -s out/a/state.csv whole/state.csv || fail "two parts do not end where one does"
grep -q '^restart  *out/a/checkpoint_000005.h5' log || fail "the second part does not name its checkpoint"
[ "$(last out/b/steps.csv step)" = 2 ] || fail "another deck of the same name was continued"
[ "$(sort -u threads)" = "--cpus-per-task=2 --cpu-bind=cores 2 cores close" ] ||
  fail "srun is not told the threads: $(cat threads)"

# The program of PATH, then the one in build, whose name runs begin with; without both, one line.
head=$(PATH=/usr/bin:/bin bash "$source/jobs/slurm.sh" a/beam.yaml 2>&1) && fail "no program is needed"
[ "$head" = 'no program: neither build/wring nor wring in PATH; give WRING=FILE' ] || fail "without a program: $head"
ln -s "$wring" bin/wring
program='' job b/beam.yaml -time_steps 2 -output_directory out/path
mkdir build
printf '#!/bin/bash\necho "by build"\nexec "%s" "$@"\n' "$wring" >build/wring
chmod +x build/wring
program='' job b/beam.yaml -time_steps 2 -output_directory out/build
grep -q '^by build' log && [ -f out/path/run.json ] || fail "the program of build or of PATH is not taken"

# The same file under another name and a deck that has been changed go on; a deck of the same name and another folder
# does not.
refused 'out/b: holds a run of another deck, b/beam.yaml: checkpoint.resume' run a/beam.yaml -output_directory out/b \
  -checkpoint_resume true
ln -s b c
sed -i 's/steps: 12/steps: 11/' b/beam.yaml
works 1 run "$PWD/c/beam.yaml" -time_steps 3 -checkpoint_resume true -output_directory out/b
[ "$(last out/b/steps.csv step)" = 3 ] || fail "another path of the same deck does not go on"
sed -i 's/steps: 11/steps: 12/' b/beam.yaml

works 2 run b/beam.yaml -checkpoint_resume true
[ "$(last out/b/steps.csv step)" = 12 ] || fail "two ranks do not continue"
refused "out/b/checkpoint_000012.h5: holds another mesh" run b/beam.yaml -checkpoint_resume true -mesh_box_cells 5,2,2

# A checkpoint of wring 0.1.0, with the mesh inside (tests/cases/README.md), goes on; the run writes the mesh beside its
# own. Fails if old files are refused, or read as another mesh, or if their directory is continued with other columns.
cat >old.yaml <<'DECK'
mesh:     {box: {size: [2, 1, 1], cells: [2, 1, 1]}, refine: 1}
material: {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {stiffness: 1e5}}
solver:   {type: newton, rtol: 1e-12}
time:     {step: 1e-2, steps: 4}
output:   {directory: one, every: 0, state_csv: true}
DECK
works 1 run old.yaml
cp "$source/tests/cases/checkpoint_1.h5" checkpoint_000002.h5
works 2 run old.yaml -initial_restart checkpoint_000002.h5 -output_directory two
[ "$(cd two && echo checkpoint*)" = 'checkpoint_000004.h5 checkpoints_mesh.h5' ] || fail "files after an old checkpoint"
paste -d, one/state.csv two/state.csv | awk -F, 'NR > 1 { n++; for (i = 1; i <= 7; i++) { d = $i - $(i + 7)
  if (d > 1e-9 || d < -1e-9) exit bad = 1 } } END { exit bad || n != 45 }' || fail "an old checkpoint goes on elsewhere"
cmp -s one/checkpoints_mesh.h5 two/checkpoints_mesh.h5 || fail "the mesh of the old checkpoint is another"
mkdir older
cp checkpoint_000002.h5 older
echo '{"command": "run", "version": "0.1.0", "step": 2}' >older/run.json
refused 'older: holds a run of wring 0.1.0, which did not record its deck: expected another output.directory and '\
'-initial_restart older' run old.yaml -output_directory older -checkpoint_resume true
echo 'step,time,kinetic,elastic,external,total,px,py,pz,lx,ly,lz,iterations,reason,seconds,xmin_fx,xmin_fy,xmin_fz' \
  >older/steps.csv
refused 'older/steps.csv: its columns are not those of this run, expected another output.directory' run old.yaml \
  -output_directory older -initial_restart older
# A run that goes on in its directory keeps the mesh file.
touch -d 2001-01-01 one/checkpoints_mesh.h5
works 2 run old.yaml -initial_restart one -time_steps 6
[ "$(date -r one/checkpoints_mesh.h5 +%Y)" = 2001 ] || fail "the mesh file was written again"
