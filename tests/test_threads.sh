#!/usr/bin/env bash
# How threads wait, and notes on threads that share cores.
# usage: test_threads.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 1
. "$(dirname "$0")/lib.sh"
served=false
unset OMP_WAIT_POLICY GOMP_SPINCOUNT KMP_BLOCKTIME KMP_LIBRARY

# ---- how threads wait: the settings that the libraries of OpenMP print when they are loaded ----
# settings WORD=VALUE...: those of one start of the program, of the last one if it starts itself again.
settings() { env OMP_DISPLAY_ENV=verbose "$@" "$wring" version 2>&1 </dev/null | tr -d ' ' | tee log; }

# Fails if threads poll for milliseconds by default, which starves other processes.
settings OMP_NUM_THREADS=2 | grep -E 'GOMP_SPINCOUNT|KMP_BLOCKTIME' >brief
[ -s brief ] || skip 'this library of OpenMP prints no settings'
last() { grep "$1" brief | tail -n 1; }
last GOMP_SPINCOUNT | grep -qv "'1000'" && fail 'threads poll for long'
last KMP_BLOCKTIME | grep -qv "'0'" && fail 'threads poll for long'

# Fails if the settings of a user are replaced, or if one thread, which never waits, starts the program twice.
own() { # MESSAGE SETTINGS...
  ! settings "${@:2}" | grep -Eq "GOMP_SPINCOUNT='1000'|KMP_BLOCKTIME='0'" || fail "$1"
}
own 'OMP_WAIT_POLICY is replaced' OMP_NUM_THREADS=2 OMP_WAIT_POLICY=active
own 'GOMP_SPINCOUNT is replaced' OMP_NUM_THREADS=2 GOMP_SPINCOUNT=77
own 'KMP_BLOCKTIME is replaced' OMP_NUM_THREADS=2 KMP_BLOCKTIME=77
own 'one thread starts the program again' OMP_NUM_THREADS=1

# ---- more threads than cores: one note with a cure ----
cat >deck.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [2, 2, 2]}}
material: {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {hard: true}}
time:     {step: 1e-2, steps: 2}
compare:  {solvers: [qn], iterations: 3}
output:   {every: 0}
DECK
notes() { grep -c '^note: .*share\|^note: .*may use' log; } # on threads and cores
cores=$(env -u OMP_NUM_THREADS nproc) # which follows OMP_NUM_THREADS otherwise
core=$(taskset -cp $$ 2>/dev/null | sed 's/.*: *//; s/[-,].*//')
if [ -n "$core" ]; then
  # Fails if two threads that mpiexec or taskset has bound to one core are not noticed, by every command that marches.
  for command in run compare; do
    OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive taskset -c "$core" "$wring" $command deck.yaml >log 2>&1 || fail $command
    grep -q '^note: the 2 threads of rank 0 may use 1 core only.*OMP_NUM_THREADS=1' log ||
      fail "$command: bound threads"
    [ "$(notes)" = 1 ] || fail "$command: not one note"
  done
  # Fails if one thread on its core is taken for a fault.
  OMP_NUM_THREADS=1 taskset -c "$core" "$wring" run deck.yaml -output_overwrite true >log 2>&1 || fail run
  [ "$(notes)" = 0 ] || fail 'a note on one thread'
fi

# Fails if the threads of a rank that OpenMP binds are on one core, on which the first one was bound when the program
# started itself again, or if run.json has the core of the first thread only. Not with another OpenMP, beside which
# libraries such as CHOLMOD load libgomp, which binds the first thread too.
if [ "$cores" -gt 1 ] && objdump -p "$wring" | grep -q 'NEEDED.*libgomp'; then
  unset OMP_WAIT_POLICY
  OMP_NUM_THREADS=2 OMP_PLACES=cores OMP_PROC_BIND=close OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT='on %A' \
    "$wring" run deck.yaml -output_overwrite true >log 2>&1 || fail run
  [ "$(grep -o '^on .*' log | sort -u | wc -l)" -ge 2 ] || fail 'two threads are bound to one core'
  [ "$(notes)" = 0 ] || fail 'a note on two threads on two cores'
  [ "$(tr -d ' \n' <out/run.json | grep -o '"cores":\["[0-9,-]*"\]')" != "\"cores\":[\"$core\"]" ] ||
    fail 'run.json has the core of one thread'
fi

# Fails if each rank has as many threads as cores, as by default without a binding, and nobody says so.
OMP_NUM_THREADS=$cores OMP_WAIT_POLICY=passive works 2 run deck.yaml
grep -q "^note: 2 ranks with $((2 * cores)) threads together share $cores core" log ||
  fail 'two ranks with all cores each'
[ "$(notes)" = 1 ] || fail 'not one note'
