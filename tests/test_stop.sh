#!/usr/bin/env bash
# Runs that end before their last step: by signals to ranks and to mpiexec, by a full disk and by a directory that is
# lost. Each reports it by its exit status and one line, and its last checkpoint restarts; tables continue without rows
# of later steps. Fails if a signal kills a run, if a write error is lost, hangs or looks like bad input, or if a cut
# line remains.
# usage: test_stop.sh BUILD_DIR SOURCE_DIR     ranks: 3     cost: 30
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

# start RANKS ARGS...: a run in the background that has made some steps.
start() {
  rm -rf out
  launch "$1" run beam.yaml "${@:2}"
  wait_for out/steps.csv 6
}

# goes_on DIRECTORY RANKS: its last checkpoint restarts.
goes_on() {
  on "$2" run beam.yaml -initial_restart "$1" -output_directory on -time_limit 1e-9
  [ $? = 3 ] || fail "$1 does not go on"
}

# lost WHAT FILE: one line that names the file, and no trace.
lost() {
  [ "$(grep -c '^wring: ' log)" = 1 ] && grep -q "^wring: $2.*: cannot be written: ." log ||
    fail "$1: not one line about $2"
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
  [ "$(cut -d, -f1 out/$table.csv | uniq | tr '\n' ' ')" = 'step 1 2 3 4 5 6 7 8 ' ] ||
    fail "$table.csv: not each step once"
  awk -F, 'NR == 1 { n = NF } NF != n { bad = 1 } END { exit bad }' out/$table.csv || fail "$table.csv: a damaged line"
done
[ "$(cut -d, -f1,2 out/residuals.csv | sort | uniq -d)" = '' ] || fail 'residuals.csv: a row comes twice'
[ -z "$(find out -name '*.part')" ] || fail 'a .part file was left'

# ---- a full disk: a device that is full, and a limit on the size of files ----
# Fails when a table that the disk took in part is still open when the program ends.
if command -v prlimit >/dev/null; then
  prlimit --fsize=100:100 "$wring" run beam.yaml -output_directory cut >log 2>&1
  [ $? = 4 ] && [ "$(grep -c '^wring: ' log)" = 1 ] || fail 'a table that is written in part: not exit status 4'
fi
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

# ---- a directory that is moved away, long before the next checkpoint ----
# One that is lost while all ranks create a checkpoint in it can leave them in MPI-IO, which does not return.
for ranks in 1 3; do
  start $ranks -checkpoint_every 40
  for _ in $(seq 600); do
    [ -e out/checkpoint_000040.h5 ] && break
    sleep 0.05
  done
  rm -rf away
  mv out away
  ends 4 "a lost directory on $ranks ranks"
  lost 'a lost directory' out/
  goes_on away 2
done

# ---- one of two ranks cannot create or open a file that all open together ----
# The other rank waits in HDF5, which cannot be ended: fails if the run hangs (status 124), or ends in another way than
# by one line and status 4. The run opens frames.vtkhdf again for its second frame.
cat >create.c <<'C'
#include <stdint.h>
int64_t H5Fcreate(const char *name, unsigned flags, int64_t create, int64_t access)
{
  (void)name, (void)flags, (void)create, (void)access;
  return -1;
}
C
cat >open.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
typedef int64_t opener(const char *, unsigned, int64_t);
int64_t H5Fopen(const char *name, unsigned flags, int64_t access)
{
  union { void *symbol; opener *call; } real = {dlsym(RTLD_NEXT, "H5Fopen")};
  return flags & 1 ? -1 : real.call(name, flags, access); // 1: for writing
}
C
cat >twice.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
typedef int opener(const char *, int, ...);
static int open_once(const char *symbol, const char *name, int flags, int mode)
{
  static char last[4096];
  union { void *symbol; opener *call; } real = {dlsym(RTLD_NEXT, symbol)};
  const char *const part = strstr(name, ".vtu.part");
  if (!part || part[9]) return real.call(name, flags, mode);
  if (strcmp(name, last) == 0) return rename("out", "away"), errno = ENOENT, -1;
  strcpy(last, name);
  return real.call(name, flags, mode);
}
int open(const char *name, int flags, ...)
{
  va_list list;
  va_start(list, flags);
  const int mode = flags & O_CREAT ? va_arg(list, int) : 0;
  va_end(list);
  return open_once("open", name, flags, mode);
}
int open64(const char *name, int flags, ...) __attribute__((alias("open")));
C
# alone FAULT STATUS ARGS...: rank 1 has the fault.
alone() {
  local fault=$1 status=$2 run=("$wring" run beam.yaml -time_steps 8 -output_overwrite true "${@:3}")
  ${CC:-cc} -shared -fPIC -o "$fault.so" "$fault.c" -ldl || fail "$fault.c"
  timeout -k 5 60 "$mpiexec" -n 1 "${run[@]}" : -n 1 env LD_PRELOAD="$PWD/$fault.so" "${run[@]}" >log 2>&1
  local got=$?
  [ $got = "$status" ] || fail "rank 1, fault $fault: exit status $got, expected $status"
}
if [ "${WRING_SANITIZE:-OFF}" = OFF ]; then
  alone create 4 -output_format vtkhdf
  lost 'rank 1 cannot create' out/checkpoints_mesh.h5
  alone open 4 -output_format vtkhdf
  lost 'rank 1 cannot open' out/frames.vtkhdf
  rm -rf away
  # A directory that is lost between two opens of a .vtu would leave the other ranks in MPI-IO: there is one open.
  alone twice 0
fi

# ---- compare and bench stop early too: between iterations and between rows, with finished results on disk ----
# Fails if they ignore signals or time.limit, are killed by them, or lose the solvers and rows that are done.
cat >compare.yaml <<'DECK'
mesh:     {box: {size: [2, 0.5, 0.5], cells: [24, 6, 6]}}
material: {model: strain, stiffness: 1e6, density: 1000}
attach:   {xmin: {stiffness: 1e6}}
gravity:  [0, 0, -9.81]
time:     {step: 1e-2, steps: 1}
solver:   {measure: 10}
operator: {type: direct}
compare:  {solvers: [newton, xpbd, qn], iterations: 40000}
output:   {directory: out}
DECK

# begin RANKS TEXT ARGS...: a call in the background whose log has the text.
begin() {
  rm -rf out
  launch "$1" "${@:3}"
  for _ in $(seq 600); do
    grep -q "$2" log && return
    sleep 0.05
  done
  fail "$*: it does not begin"
}

# stopped_compare WHAT: newton is complete, xpbd has the rows so far, qn has not begun.
stopped_compare() {
  holds out/compare.json "j['ended'] == '$1' and sorted(j['solvers']) == ['newton', 'xpbd']"
  holds out/compare.json \
    "j['solvers']['xpbd']['ended'] == 'interrupted' and j['solvers']['xpbd']['relative_error']['40000'] is None"
  [ "$(grep -c '^newton,' out/compare.csv)" -gt 39000 ] || fail "$1: rows of newton"
  [ "$(grep -c '^xpbd,' out/compare.csv)" -lt 4001 ] && grep -q '^xpbd,0,' out/compare.csv || fail "$1: rows of xpbd"
  [ -e out/compare.gp ] && [ ! -e out/compare.png ] || fail "$1: a picture of a comparison that was stopped"
}
for signal in INT TERM; do
  begin 1 '^newton ' compare compare.yaml
  kill -$signal $pid
  ends 3 "compare: SIG$signal"
  stopped_compare 'stopped by a signal'
done
begin 2 '^newton ' compare compare.yaml
kill -USR1 $pid
ends 3 'compare: SIGUSR1 to mpiexec'
stopped_compare 'stopped by a signal'
rm -rf out
expect 3 1 compare compare.yaml -time_limit 3
stopped_compare 'stopped by time.limit'
rm -rf out
expect 3 1 compare compare.yaml -compare_sweep_time_step 1e-2,1e-3 -compare_solvers newton,xpbd -compare_iterations 10 \
  -time_limit 1e-9
grep -q '^note: stopped by time.limit after 0 of 2 combinations' log || fail 'a parameter grid: no note'
holds out/sweep.json "j['combinations'] == 2 and j['runs'] == []"
begin 1 '2/2' compare compare.yaml -compare_sweep_compare_iterations 5,40000
kill -TERM $pid
ends 3 'a parameter grid: SIGTERM'
holds out/sweep.json "[r['folder'] for r in j['runs']] == ['compare_iterations=5']"
[ -e out/compare_iterations=40000/compare.csv ] || fail 'a parameter grid: the combination under way is lost'

begin 1 '^1 rank x' bench -bench_tets 3000 -bench_budget 0.1 -bench_parts laws
kill -TERM $pid
ends 3 'bench: SIGTERM'
holds out/bench.json "j['ended'] == 'stopped by a signal' and len(j['rows']) < 40"
holds out/bench.json "len(j['rows']) > 0 or not (j['bandwidth']['all'] or 0) > 0"
expect 3 2 bench -bench_tets 3000 -bench_budget 1e-3 -time_limit 0.5
holds out/bench.json "j['ended'] == 'stopped by time.limit'"
expect 3 1 bench -time_limit 1e-9
# 0 would look measured
holds out/bench.json "[j['bandwidth'][k] for k in ('thread', 'rank', 'all')] == [None, None, None]"
exit 0
