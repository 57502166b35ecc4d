#!/usr/bin/env bash
# mesh.refine as users meet it: the same run on 1 and 3 ranks, restarts that do not refine again, counts, refusals.
# usage: test_refine.sh BUILD_DIR SOURCE_DIR     ranks: 3
set -u
wring=$(realpath "$1")/wring
[ -x "$wring" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() { echo "FAIL: $*" >&2; [ -f log ] && sed 's/^/    /' log >&2; exit 1; }

# expect STATUS RANKS ARGS...: standard output and error in log.
expect() {
  local want=$1 ranks=$2 got
  shift 2
  if [ "$ranks" = 1 ]; then "$wring" "$@" >log 2>&1; else "${MPIEXEC:-mpiexec}" -n "$ranks" "$wring" "$@" >log 2>&1; fi
  got=$?
  [ $got = "$want" ] || fail "on $ranks $*: exit status $got, expected $want"
}

# says PATTERN: a line of the log.
says() { grep -Eq "$1" log || fail "the log does not say '$1'"; }

# same FILE FILE TOLERANCE: the same rows up to a difference relative to the largest number.
same() {
  [ "$(wc -l <"$1")" = "$(wc -l <"$2")" ] || fail "$1 and $2 have different lengths"
  paste -d, "$1" "$2" | awk -F, -v tolerance="$3" '
    NR > 1 { for (i = 1; i <= NF / 2; i++) {
      d = $i - $(i + NF / 2); d = d < 0 ? -d : d; a = $i < 0 ? -$i : $i
      if (d > worst) worst = d; if (i > 1 && a > scale) scale = a } }
    END { exit !(NR > 1 && worst <= tolerance * scale) }' || fail "$1 and $2 differ by more than $3"
}

cat >beam.yaml <<'DECK'
mesh:     {box: {size: [2, 0.5, 0.5], cells: [4, 1, 1]}, refine: 2}
material: {model: corotated, young: 1e6, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:
  xmin:   {stiffness: 1e7}
  tip:    {stiffness: 1e5, velocity: [0, 0.5, 0]}
set:      {tip: {sphere: [2, 0.5, 0.5, 0.2]}}     # made after refinement: the coarse mesh has one vertex there
time:     {step: 1e-2, steps: 3}
solver:   {type: newton, rtol: 1e-12}
output:   {directory: out, every: 0, state_csv: true}
DECK

# 4 x 1 x 1 cells become 16 x 4 x 4. Fails if the counts are those of the file.
expect 0 1 check beam.yaml
says '425 vertices.* 1536 tet'

# The state after three steps does not depend on ranks: fails if numbers, sets or attachments do.
expect 0 1 run beam.yaml -output_directory one
expect 0 3 run beam.yaml -output_directory three
[ "$(wc -l <one/state.csv)" = 426 ] || fail "$(wc -l <one/state.csv) rows of state.csv"
same one/state.csv three/state.csv 1e-9
grep -q '"mesh_refine"' one/run.json || fail "run.json does not have mesh_refine"

# A refined box of half the cells is another mesh than the box itself, but of the same counts.
expect 0 1 check beam.yaml -mesh_refine 1 -mesh_box_cells 8,2,2
says '425 vertices.* 1536 tet'

# A restart, also with the deck that made the checkpoint, goes on with the refined mesh and does not refine it again.
expect 0 1 run beam.yaml -output_directory whole -time_steps 5
expect 0 3 run beam.yaml -output_directory part -initial_restart one -time_steps 5
same whole/state.csv part/state.csv 1e-9

# refused PATTERN ARGS...: on 1 and on 3 ranks, in one line, with nothing written.
refused() {
  local pattern=$1 ranks
  shift
  for ranks in 1 3; do
    expect 1 "$ranks" run beam.yaml -output_directory refused "$@"
    says "^wring: .*$pattern"
    [ "$(grep -c '^wring: ' log)" = 1 ] || fail "not one line of error"
    ! grep -q 'PETSC ERROR\|internal error' log || fail "a trace"
    [ ! -e refused ] || fail "it wrote files"
  done
}
refused 'mesh_refine is "11", expected an integer in .0,10.' -mesh_refine 11
refused 'mesh_refine is "-1", expected an integer in .0,10.' -mesh_refine -1
"$wring" version | grep -q '64-bit' || refused 'mesh_refine: 10 .*at most' -mesh_refine 10
grep -v '^mesh' beam.yaml >restart.yaml
sed -i '/^set/d;/^  tip/d' restart.yaml
expect 1 1 run restart.yaml -initial_restart one -mesh_refine 1 -output_directory refused
says '^wring: .*mesh_refine: .*expected none with initial.restart'
printf 'vertex,x,y,z\n0,0,0,0\n1,1,0,0\n' >points.csv
sed 's/^mesh.*/mesh: {file: points.csv, refine: 1}/' beam.yaml >points.yaml
expect 1 1 run points.yaml -output_directory refused
says '^wring: .*mesh_refine: 1, but the mesh has only points, expected 0'
exit 0
