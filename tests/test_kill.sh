#!/usr/bin/env bash
# kill -9 at random moments of a run that writes a frame every step and a checkpoint every second one: every file that
# has its final name is complete (frames byte for byte those of an undisturbed run; checkpoints by their seals); the run
# restarted from its last checkpoint on another number of ranks ends in the same state. Two of four kills are of runs
# with frames.vtkhdf, which must have the first frames of an undisturbed run (read by h5py; without it, only restarts
# read the file). Fails if a file gets its name before all its bytes, if NSteps and times of frames.vtkhdf change one
# after the other, or if a restart keeps half a line or a row of a step that it makes again.
# usage: test_kill.sh BUILD_DIR SOURCE_DIR [KILLS [SEED]]     ranks: 3     cost: 7
# The moments follow from the seed, which is printed; nightly.sh gives another one each time.
. "$(dirname "$0")/lib.sh"
command -v "$python" >/dev/null || skip 'no python3'
kills=${3:-4}
seed=${4:-1}
exec 2>&1
echo "seed $seed: bash tests/test_kill.sh BUILD_DIR SOURCE_DIR $kills $seed repeats these moments"
RANDOM=$seed

now() { date +%s%N; }

cat >beam.yaml <<'DECK'
mesh:       {box: {size: [2, 0.5, 0.5], cells: [6, 2, 2]}}
material:   {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
gravity:    [0, 0, -9.81]
attach:
  xmin:     {stiffness: 1e5}
time:       {step: 1e-2, steps: 20, integrator: bdf2}
solver:     {type: qn, max_it: 400, rtol: 1e-12, qn: {initial_hessian: identity, history: 30}}
output:     {directory: out, every: 1, state_csv: true}
checkpoint: {every: 2}
probe:      {tip: {point: [2, 0.5, 0.5]}, root: {set: xmin, stress: true}}
DECK
last=20

# run RANKS DIRECTORY ARGS...: its exit status; output in log.
run() {
  local ranks=$1 directory=$2
  shift 2
  "$mpiexec" -n "$ranks" "$wring" run beam.yaml -output_directory "$directory" "$@" >log 2>&1
}

# same FILE FILE TOLERANCE: relative to the largest number of each column.
same() {
  paste -d, "$1" "$2" | awk -F, -v tolerance="$3" '
    NR > 1 { n = NF / 2; for (i = 1; i <= n; i++) {
      d = $i - $(i + n); d = d < 0 ? -d : d; a = $i < 0 ? -$i : $i
      if (d > worst[i]) worst[i] = d; if (a > scale[i]) scale[i] = a } }
    END { for (i = 1; i <= n; i++) if (worst[i] > tolerance * scale[i]) exit 1; exit !(NR > 1) }' ||
    fail "$1 and $2 differ by more than $3"
}

# Every line but a last one that is cut has as many columns as the header; first columns do not fall.
check_rows() {
  [ -s "$1" ] || return 0
  { if [ -z "$(tail -c 1 "$1")" ]; then cat "$1"; else sed '$d' "$1"; fi; } |
    awk -F, 'NR == 1 { n = NF } NF != n || NR > 2 && $1 + 0 < last { exit bad = 1 }
             NR > 1 { last = $1 + 0 } END { exit bad }' ||
    fail "$1 has a damaged line"
}

# A checkpoint ends in the CRC of all its bytes before.
seal='
import sys, zlib
data = open(sys.argv[1], "rb").read()
sys.exit(data[-16:] != b"wringCRC%08x" % zlib.crc32(data[:-16]))'

# check_hdf DIRECTORY LEAST MOST: frames.vtkhdf has the first frames of an undisturbed run, from LEAST to MOST of them.
check_hdf() {
  local got
  got=$("$python" "$source/tests/read_vtkhdf.py" "$1/frames.vtkhdf" whole_hdf/frames.vtkhdf first 2>&1)
  case $? in
  0) [ "${got%% *}" -ge "$2" ] && [ "${got%% *}" -le "$3" ] || fail "$1/frames.vtkhdf: $got, expected $2 to $3" ;;
  77) read_hdf=no ;;
  *) fail "$1/frames.vtkhdf: $got" ;;
  esac
}

# check_whole DIRECTORY: all files with their final names after a kill.
check_whole() {
  local file name
  for file in "$1"/frame_*.vtu "$1"/state.csv; do
    name=${file##*/}
    if [ -e "$file" ]; then cmp "$file" "whole/$name" || fail "$file is not whole"; fi
  done
  for file in "$1"/checkpoint*.h5; do
    if [ -e "$file" ]; then "$python" -c "$seal" "$file" || fail "$file is not whole"; fi
  done
  if [ -e "$1/frames.pvd" ]; then
    [ "$(tail -n 1 "$1/frames.pvd")" = '</VTKFile>' ] || fail "$1/frames.pvd is cut"
    for name in $(sed -n 's/.*file="\([^"]*\)".*/\1/p' "$1/frames.pvd"); do
      [ -e "$1/$name" ] || fail "$1/frames.pvd names $name, which is missing"
    done
  fi
  if [ -e "$1/run.json" ]; then "$python" -m json.tool "$1/run.json" >json || fail "$1/run.json is not whole"; fi
  [ ! -e "$1/frames.vtkhdf" ] || check_hdf "$1" 1 $((last + 1))
  check_rows "$1/steps.csv"
  check_rows "$1/probes.csv"
  check_rows "$1/history.csv"
}

# check_end DIRECTORY: a restarted run has all files and rows of an undisturbed run.
check_end() {
  same "$1/state.csv" whole/state.csv 1e-9
  [ "$(cut -d, -f1 "$1/steps.csv" | tr '\n' ' ')" = "step $(seq -s ' ' 1 $last) " ] ||
    fail "$1/steps.csv: not each step once"
  cmp <(cut -d, -f1,2 "$1/steps.csv") <(cut -d, -f1,2 "$1/probes.csv") || fail "$1/probes.csv: not each step once"
  same "$1/probes.csv" whole/probes.csv 1e-6
  cut -d, -f1 "$1/history.csv" | uniq | sort -n | uniq -d | grep . && fail "$1/history.csv: a step comes twice"
  check_rows "$1/history.csv"
  if [ -e "$1/frames.vtkhdf" ]; then
    check_hdf "$1" $((last + 1)) $((last + 1))
  else
    [ "$(grep -c 'file=' "$1/frames.pvd")" = $((last + 1)) ] || fail "$1/frames.pvd: not each frame once"
  fi
  check_names "$1"
}

check_names() {
  local name
  for name in $(sed -n 's/.*file="\([^"]*\)".*/\1/p' "$1"/frames.pvd 2>/dev/null); do
    [ -e "$1/$name" ] || fail "$1: no $name"
  done
  [ -z "$(find "$1" -name '*.part')" ] || fail "a .part file was left in $1"
}

# Waits for the launcher, which ends the other ranks. Open MPI's does not notice a rank that is killed while it starts
# the ranks: both are killed after 20 s.
end_launcher() {
  for _ in $(seq 200); do
    kill -0 "$1" 2>/dev/null || break
    sleep 0.1
  done
  kill -9 $(pgrep -P "$1") "$1" 2>/dev/null
  wait "$1" 2>/dev/null
}

# ---- kills ----
begin=$(now)
run 2 whole || fail 'the run that is left alone'
span=$(((($(now) - begin) / 1000000)))
run 2 whole_hdf -output_format vtkhdf || fail 'the run that is left alone, with frames.vtkhdf'
fresh=0 read_hdf=yes
for kill in $(seq "$kills"); do
  rm -rf cut
  format=()
  [ $((kill % 4)) -lt 2 ] || format=(-output_format vtkhdf)
  "$mpiexec" -n 2 "$wring" run beam.yaml -output_directory cut "${format[@]}" >log 2>&1 &
  launcher=$!
  # Half of the moments lie anywhere, in start-up and at the end too; the others after a step.
  if [ $((kill % 2)) = 0 ]; then wait_for cut/steps.csv $((RANDOM % (last - 2) + 2)); fi
  sleep "$(awk -v r=$RANDOM -v s=$span -v k=$kill 'BEGIN { print (k % 2 ? s : 100) * r / 32768 / 1000 }')"
  ranks=$(pgrep -P $launcher)
  # One rank in every fifth kill: its launcher then ends the others.
  [ $((kill % 5)) = 1 ] && ranks=${ranks%%$'\n'*}
  [ -n "$ranks" ] && kill -9 $ranks 2>/dev/null
  end_launcher $launcher
  at=none
  [ -e cut ] && check_whole cut && at=$(ls cut | sed -n 's/checkpoint_0*\([0-9]*\).h5$/\1/p' | tail -n 1)
  restart=(-initial_restart cut)
  [ -n "$at" ] && [ "$at" != none ] || { restart=(-output_overwrite true); fresh=$((fresh + 1)); }
  parts=$(find . -path './cut/*.part' | wc -l)
  others=$((kill % 2 ? 3 : 1))
  run $others cut "${restart[@]}" "${format[@]}" ||
    fail "the restart after kill $kill, from step ${at:-none}, on $others rank(s)"
  check_end cut
  echo "kill $kill (${format[1]:-vtu}): checkpoint of step ${at:-none}, $parts unfinished, restarted on $others rank(s)"
done
echo "$kills kills, $fresh of them before the first checkpoint"
[ $read_hdf = yes ] || echo 'frames.vtkhdf was read by restarts alone, without h5py'
exit 0
