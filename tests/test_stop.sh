#!/usr/bin/env bash
# Runs that end before their last step: by signals to ranks and to mpiexec, by a full disk and by a directory that is lost.
# Each says so in its exit status and one line, and its last checkpoint restarts; tables go on without rows of later steps.
# Fails if a signal kills a run, if a write error is lost, hangs or looks like bad input, or if a cut line stays.
# usage: test_stop.sh BUILD_DIR SOURCE_DIR     ranks: 3
. "$(dirname "$0")/lib.sh"

cat >beam.yaml <<'DECK'
mesh:       {box: {size: [2, 0.5, 0.5], cells: [6, 2, 2]}}
material:   {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
gravity:    [0, 0, -9.81]
attach:
  xmin:     {stiffness: 1e5}
time:       {step: 1e-3, steps: 100000}
solver:     {type: qn, max_it: 400, rtol: 1e-6, qn: {initial_hessian: identity}}
output:     {directory: out, every: 4}
checkpoint: {every: 2}
DECK

# start RANKS ARGS...: in the background, $pid, until it has made some steps.
start() {
  local ranks=$1
  shift
  rm -rf out
  if [ "$ranks" = 1 ]; then "$wring" run beam.yaml "$@" >log 2>&1 & else "$mpiexec" -n "$ranks" "$wring" run beam.yaml "$@" >log 2>&1 & fi
  pid=$!
  for _ in $(seq 600); do
    [ "$(wc -l 2>/dev/null <out/steps.csv)" -gt 5 ] 2>/dev/null && return
    sleep 0.05
  done
  kill -9 $pid
  fail 'the run makes no steps'
}

# ends STATUS WHAT: the run in the background does.
ends() {
  local got
  wait $pid
  got=$?
  [ $got = "$1" ] || fail "$2: exit status $got, expected $1"
}

# goes_on DIRECTORY RANKS: its last checkpoint restarts.
goes_on() {
  on "$2" run beam.yaml -initial_restart "$1" -output_directory on -time_limit 1e-9
  [ $? = 3 ] || fail "$1 does not go on"
}

# lost WHAT FILE: one line that names the file, and no trace.
lost() {
  [ "$(grep -c '^wring: ' log)" = 1 ] && grep -q "^wring: $2.*: cannot be written: ." log || fail "$1: not one line about $2"
  ! grep -q 'PETSC ERROR\|internal error' log || fail "$1: a trace"
}

stopped() {
  local last
  grep -q '"ended": "stopped by a signal"' out/run.json || fail "$1: run.json"
  last=$(printf %06d "$(tail -n 1 out/steps.csv | cut -d, -f1)")
  [ -e "out/checkpoint_$last.h5" ] && [ -e "out/frame_$last.vtu" ] || fail "$1: no last state"
}

# ---- signals: to the program, to one rank of three, and by way of mpiexec ----
for signal in INT TERM USR1; do
  start 1
  kill -$signal $pid
  ends 3 "SIG$signal"
  stopped "SIG$signal"
done
start 3
kill -TERM "$(pgrep -P $pid | tail -n 1)"
ends 3 'SIGTERM to a rank'
stopped 'SIGTERM to a rank'
start 3
kill -USR1 $pid
ends 3 'SIGUSR1 to mpiexec'
stopped 'SIGUSR1 to mpiexec'
goes_on out 1

# ---- a restart cuts the tables: half a line, and rows of later steps ----
admm='-solver_type admm -solver_max_it 5'
on 1 run beam.yaml $admm -time_steps 7
rm out/checkpoint_000007.h5
touch out/frame_000008.vtu.part
for table in steps history residuals; do truncate -s -9 out/$table.csv; done
on 1 run beam.yaml $admm -time_steps 8 -initial_restart out || fail 'a restart after a cut'
for table in steps history residuals; do
  [ "$(cut -d, -f1 out/$table.csv | uniq | tr '\n' ' ')" = 'step 1 2 3 4 5 6 7 8 ' ] || fail "$table.csv: not each step once"
  awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad }' out/$table.csv || fail "$table.csv: a damaged line"
done
[ "$(cut -d, -f1,2 out/residuals.csv | sort | uniq -d)" = '' ] || fail 'residuals.csv: a row comes twice'
[ -z "$(find out -name '*.part')" ] || fail 'a .part file was left'

# ---- a full disk: a device that is full, and a limit on the size of files ----
for ranks in 1 3; do
  rm -rf out
  mkdir out
  ln -s /dev/full out/history.csv
  on $ranks run beam.yaml
  [ $? = 4 ] || fail "a full device on $ranks ranks: not exit status 4"
  lost 'a full device' out/history.csv
done
if command -v prlimit >/dev/null; then
  for ranks in 1 3; do
    start $ranks
    for rank in $([ $ranks = 1 ] && echo $pid || pgrep -P $pid); do prlimit --pid "$rank" --fsize=60000:60000; done
    ends 4 "a limit on the size of files on $ranks ranks"
    lost 'a limit on the size of files' out/
    goes_on out 2
  done
fi

# ---- a directory that is moved away ----
for ranks in 1 3; do
  start $ranks
  rm -rf away
  mv out away
  ends 4 "a lost directory on $ranks ranks"
  lost 'a lost directory' out/
  goes_on away 2
done
exit 0
