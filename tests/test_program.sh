#!/usr/bin/env bash
# The program as its users meet it: commands, files, exit statuses, one-line errors, restarts, on 1, 2 and 3 ranks.
# usage: test_program.sh BUILD_DIR SOURCE_DIR
set -u
wring=$(realpath "$1")/wring
[ -x "$wring" ] || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fail() { echo "FAIL: $*" >&2; [ -f log ] && sed 's/^/    /' log >&2; exit 1; }

# on RANKS ARGS...: the program's exit status; standard output and error in log.
on() {
  local ranks=$1
  shift
  if [ "$ranks" = 1 ]; then "$wring" "$@" >log 2>&1; else mpiexec -n "$ranks" "$wring" "$@" >log 2>&1; fi
}

# expect STATUS RANKS ARGS...
expect() {
  local want=$1 got
  shift
  on "$@"
  got=$?
  [ $got = "$want" ] || fail "on $*: exit status $got, expected $want"
}

# refused PATTERN COMMAND ARGS...: status 1, one line that says why, no file written, on one rank and on three.
refused() {
  local pattern=$1 ranks
  shift
  for ranks in 1 3; do
    rm -rf out
    expect 1 $ranks "$@"
    [ "$(grep -c '^wring: ' log)" = 1 ] || fail "on $ranks $*: not one line of error"
    grep -Eq "^wring: .*$pattern" log || fail "on $ranks $*: the error does not say '$pattern'"
    ! grep -q 'PETSC ERROR\|internal error' log || fail "on $ranks $*: a trace"
    [ $ranks = 3 ] || [ "$(wc -l <log)" = 1 ] || fail "$*: more than the line of error"
    [ ! -e out ] || fail "on $ranks $*: it wrote files"
  done
}

# same FILE FILE TOLERANCE: the same rows up to a difference relative to the largest number.
same() {
  paste -d, "$1" "$2" | awk -F, -v tolerance="$3" '
    NR > 1 { for (i = 1; i <= NF / 2; i++) {
      d = $i - $(i + NF / 2); d = d < 0 ? -d : d; a = $i < 0 ? -$i : $i
      if (d > worst) worst = d; if (i > 1 && a > scale) scale = a } }
    END { exit !(NR > 1 && worst <= tolerance * scale) }' || fail "$1 and $2 differ by more than $3"
}

# A beam that hangs and is twisted: every kind of key a run has.
cat >beam.yaml <<'DECK'
mesh:       {box: {size: [2, 0.5, 0.5], cells: [6, 2, 2]}}
material:   {model: corotated, young: 1e6, poisson: 0.3, density: 1000}
gravity:    [0, 0, -9.81]
attach:
  xmin:     {stiffness: 1e6}
  xmax:     {stiffness: 1e6, spin: [90, 0, 0], until: 0.03}
time:       {step: 1e-2, steps: 6}
solver:     {type: qn, max_it: 200, rtol: 1e-11}
operator:   {type: direct}
output:     {directory: out, every: 2, state_csv: true}
checkpoint: {every: 2}
DECK

# ---- help and version ----
expect 0 1 version
grep -Eq '^wring [0-9]+\.[0-9]+.* PETSc 3\.[0-9]+\.[0-9]+, .*OpenMP [0-9]+, (32|64)-bit PetscInt$' log || fail version
expect 0 1 help
expect 0 2 help deck
for key in mesh_box_cells attach_NAME_spin solver_qn_history variant_NAME_history operator_rtol compare_report gravity; do
  [ "$(grep -c "$key" log)" -ge 1 ] || fail "help deck does not list $key"
done
expect 0 1 help time_step
grep -q 'time_step' log || fail 'help time_step'
refused "no key begins with 'nonsense'" help nonsense

# ---- run: the files that INTERFACE promises ----
expect 0 1 run beam.yaml
mv out one
[ "$(head -1 one/history.csv)" = step,time,solver,iteration,objective,inertial,elastic,gradient_norm,step_length,evaluations,linear_iterations,seconds ] ||
  fail 'columns of history.csv'
[ "$(head -1 one/steps.csv)" = step,time,kinetic,elastic,external,total,px,py,pz,lx,ly,lz,iterations,reason,seconds,xmin_fx,xmin_fy,xmin_fz,xmax_fx,xmax_fy,xmax_fz ] ||
  fail 'columns of steps.csv'
[ "$(cut -d, -f1 one/steps.csv | tr '\n' ' ')" = 'step 1 2 3 4 5 6 ' ] || fail 'rows of steps.csv'
[ "$(cd one && echo frame_*)" = 'frame_000000.vtu frame_000002.vtu frame_000004.vtu frame_000006.vtu' ] || fail frames
[ "$(grep -c 'frame_00000[0246].vtu' one/frames.pvd)" = 4 ] || fail frames.pvd
[ "$(cd one && echo checkpoint_*)" = 'checkpoint_000004.h5 checkpoint_000006.h5' ] || fail 'two checkpoints are kept'
[ "$(head -1 one/state.csv)" = vertex,x,y,z,vx,vy,vz ] || fail 'columns of state.csv'
[ "$(cut -d, -f1 one/state.csv | sed 1d | sort -n | uniq | wc -l)" = 63 ] || fail 'vertices of state.csv'
for word in version commit petsc mpi compiler ranks threads options solver_rtol solver_qn_history vertices peak_memory ended; do
  grep -q "\"$word\"" one/run.json || fail "run.json has no $word"
done
grep -q '"ended": "done"' one/run.json || fail 'run.json: ended'
[ -z "$(find one -name '*.part')" ] || fail 'a .part file was left'
# The whole weight hangs on the ends, which reach it in a quasi-static moment only; momentum balance holds at each step:
# p_n - p_(n-1) = h (m g + reactions).
awk -F, -v mass=500 'NR > 1 { h = 0.01; f = $18 + $21 - mass * 9.81; d = ($9 - p) - h * f; if (d < 0) d = -d
  if (d > 1e-6 * mass * 9.81 * h) bad = 1; p = $9 } END { exit bad }' one/steps.csv || fail 'momentum balance in z'

# ---- ranks: the same state ----
for ranks in 2 3; do
  expect 0 $ranks run beam.yaml
  same one/state.csv out/state.csv 1e-9
done

# ---- restart: on another rank count, in the same directory and in another ----
expect 0 2 run beam.yaml -time_steps 3 -output_directory part
expect 0 3 run beam.yaml -initial_restart part -output_directory other
same one/state.csv other/state.csv 1e-9
[ "$(cut -d, -f1 other/steps.csv | tr '\n' ' ')" = 'step 4 5 6 ' ] || fail 'steps after a restart'
