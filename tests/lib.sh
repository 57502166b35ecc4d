# Functions and variables that the shell tests share. A test is run as `bash test_X.sh BUILD_DIR SOURCE_DIR` and begins
# with
#     . "$(dirname "$0")/lib.sh"
# which moves it into an empty folder $work that is removed at the end. In its comment, "ranks: N" is the largest number
# of ranks that it starts. Exit status 77 means skipped.
# $wring is the program, $build and $source are the folders of the arguments.
set -u
build=$(realpath "$1")
source=$(realpath "$2")
wring=$build/wring
mpiexec=${MPIEXEC:-mpiexec}
python=${PYTHON:-/usr/bin/python3}
base=$(mktemp -d) || exit 1
work=$base/work
server= # of calls, from the first one on
socket= # on which it listens

# dismiss: ends the server of calls and what the test has left in the background, also a process that it has stopped or
# that hangs. At the end.
# shellcheck disable=SC2086
dismiss() {
  local left
  set +e # some tests set it
  [ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null
  left=$(builtin jobs -p)
  [ "$left" ] || return 0
  {
    kill $left
    kill -CONT $left
    for _ in {1..20}; do kill -0 $left || break; sleep 0.1; done
    kill -KILL $left
  } 2>/dev/null
  return 0
}
trap 'dismiss; rm -rf "$base"' EXIT
trap 'exit 1' TERM
export TMPDIR=$base/tmp # single processes of Open MPI share one folder there, which the first to end removes
mkdir "$work" "$TMPDIR"
cd "$work" || exit 1
prefix=()   # words before the arguments of every call, such as (compare) in a test of one command
seconds=300 # time limit of a call; status 124 when it is exceeded

skip() {
  echo "skipped: $*"
  exit 77
}

# fail MESSAGE: ends the test, with the end of the last call's output. In $(...) too.
fail() {
  echo "FAIL: $*" >&2
  [ -f log ] && tail -n 20 log | sed 's/^/    /' >&2
  [ "$BASHPID" = $$ ] || kill -TERM $$ 2>/dev/null
  exit 1
}

# make_queue: ./queue is a launcher of texts, as sbatch --wrap is, which lists its jobs in jobs.txt. Several run at a
# time, each with a TMPDIR of its own.
make_queue() {
  cat >queue <<QUEUE
#!/bin/bash
[ "\$1" = --wrap ] && echo queued >>$work/jobs.txt && TMPDIR=\$(mktemp -d) && eval "\${2#srun}"
QUEUE
  chmod +x queue
}

# ---- calls of the program: standard output and error are in the file log; those of several ranks one after the other,
# since a loaded mpiexec, which passes on pieces of 4096 bytes, mixes lines of the two ----

overwrite=(-output_overwrite true) # keys of each `run DECK` and `compare DECK`: most tests repeat them in a directory

# serve: calls of this shell, also in its $(...), are made by tests/calls.c, in the environment of the call but for
# variables that libraries read when they are loaded (OMP_..., LD_PRELOAD). The first call of the shell itself does it.
serve() {
  socket=$base/calls$BASHPID
  "$build/tests/calls" "$socket" </dev/null >/dev/null 2>&1 &
  server=$!
}
served=true # false around calls that have other variables of this kind, or are measured

# on RANKS ARGS...: returns the exit status.
on() {
  local ranks=$1 errors=$base/errors$BASHPID # shards call this at the same time
  shift
  local words=("${prefix[@]}" "$@") more=$((2 - ${#prefix[@]})) by=("$wring")
  [[ ${words[0]:-} != @(run|compare) || ${words[1]:--} = -* ]] || set -- "${@:1:more}" "${overwrite[@]}" "${@:more+1}"
  if $served && [ "$wring" = "$build/wring" ] && [ ${#base} -lt 90 ] && # a socket's name has at most 107 characters
    { [ "$server" ] || [ $BASHPID = $$ ]; }; then
    [ "$server" ] || serve
    by=("$build/tests/call" "$socket" "$wring")
  fi
  if [ "$ranks" = 1 ]; then
    timeout -k 5 "$seconds" "${by[@]}" "${prefix[@]}" "$@" >log 2>&1 </dev/null
    return
  fi
  timeout -k 5 "$seconds" "$mpiexec" -n "$ranks" "${by[@]}" "${prefix[@]}" "$@" >log 2>"$errors" </dev/null
  set -- $?
  cat "$errors" >>log
  return "$1"
}

# expect STATUS RANKS ARGS...
expect() {
  local want=$1 got
  shift
  on "$@"
  got=$?
  [ $got = "$want" ] || fail "on $*: exit status $got, expected $want"
}
works() { expect 0 "$@"; } # RANKS ARGS...

# launch RANKS ARGS...: a call in the background, $pid. ends STATUS WHAT: it ends with this status.
launch() {
  local by=()
  [ "$1" = 1 ] || by=("$mpiexec" -n "$1")
  : >log # not what the call before has said
  "${by[@]}" "$wring" "${@:2}" >log 2>&1 </dev/null &
  pid=$!
}
ends() {
  local got
  wait "$pid" 2>/dev/null
  got=$?
  [ $got = "$1" ] || fail "$2: exit status $got, expected $1"
}

# box_deck DIRECTORY: writes box.yaml, four steps of a cube of one cell.
box_deck() {
  cat >box.yaml <<END
mesh:     {box: {size: [1, 1, 1], cells: [1, 1, 1]}}
material: {model: corotated, young: 1e4, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {zmin: {stiffness: 1e4}}
time:     {step: 1e-2, steps: 4}
output:   {directory: $1, every: 1}
END
}

# files: names of all files but log, with sizes and times, in the order of their folders.
files() { find . -path ./log -prune -o -type d -printf '%p\n' -o -printf '%p %y %s %T@\n'; }

# ends_on STATUS RANKS PATTERN ARGS...: one line of error that begins with "wring: " and matches the extended regular
# expression; no PETSc trace; no file is created or changed. On one rank, before the header of a run, the output has
# nothing else but notes.
ends_on() {
  local status=$1 ranks=$2 pattern=$3 before
  shift 3
  before=$(files)
  expect "$status" "$ranks" "$@"
  [ "$(grep -c '^wring: ' log)" = 1 ] || fail "on $ranks $*: not one line of error"
  grep -Eq -- "^wring: .*($pattern)" log || fail "on $ranks $*: the error does not match '$pattern'"
  ! grep -q 'PETSC ERROR\|internal error' log || fail "on $ranks $*: a trace"
  [ "$ranks" != 1 ] || grep -q '^wring [0-9]' log || [ "$(grep -vc '^note: ' log)" = 1 ] ||
    fail "$*: more than notes and the line of error"
  [ "$before" = "$(files)" ] || fail "on $ranks $*: files were written: $(diff <(echo "$before") <(files))"
}
refused_on() { ends_on 1 "$@"; }                                    # RANKS PATTERN ARGS...
refused() { refused_on 1 "$@"; }                                    # PATTERN ARGS...
refused_everywhere() { refused_on 1 "$@" && refused_on 3 "$@"; }    # PATTERN ARGS...: on 1 and 3 ranks

# choices KEY: what help lists for a key, in one line without commas. materials: the names of all, one per line.
choices() {
  local list
  list=$("$wring" help "$1" | sed -n "s/^$1: one of \([^;]*\);.*/\1/p" | tr -d ,)
  [ -n "$list" ] || fail "help does not say what $1 may be"
  echo "$list"
}
materials() {
  "$wring" help material | sed -n 's/^---- material \([a-z].*\) ----$/\1/p' | tr ',' '\n' | tr -d ' ' | sort -u |
    grep . || fail 'help does not name materials'
}

# wait_for FILE LINES: waits until the file has this number of lines.
wait_for() {
  local _
  for _ in {1..1200}; do
    [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ] && return
    sleep 0.05
  done
  fail "$1 has fewer than $2 lines after a minute"
}

# ---- values and tables -----------------------------------------------------------------------------------------------

# near GOT EXPECTED TOLERANCE WHAT: two numbers, to an absolute tolerance. close: to a relative one.
near() {
  awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {
    d = a - b; exit !(a != "" && b != "" && (a b) !~ /nan|inf/ && d <= t && -d <= t) }' ||
    fail "$4: $1, expected $2 within $3"
}
close() {
  awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN {
    d = a - b; t *= b < 0 ? -b : b; exit !(a != "" && b != "" && (a b) !~ /nan|inf/ && d <= t && -d <= t) }' ||
    fail "$4: $1, expected $2 within a relative $3"
}

# column FILE NAME: the values of a column of a CSV file, one per line. last FILE NAME: the last one.
column() {
  awk -F, -v name="$2" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; if (!c) exit 1; next }
    { print $c }' "$1" ||
    fail "$1 has no column $2"
}
last() { column "$1" "$2" | tail -n 1; }

# converged DIRECTORY STEPS: a run has made so many steps, and all have converged.
converged() {
  column "$1/steps.csv" reason |
    awk -v n="$2" '!/^(converged|at round-off)$/ { bad = 1 } END { exit bad || NR != n }' ||
    fail "$1: not $2 steps that have converged: $(column "$1/steps.csv" reason | sort | uniq -c | tr -s '\n ' ' ')"
}

# in_contact DIRECTORY: surfaces were near each other in a run, never met, and there were contacts.
in_contact() {
  column "$1/steps.csv" least_distance | awk '$1 != "" { n++; if (!($1 > 0)) bad = 1 } END { exit bad || !n }' ||
    fail "$1: a distance is not above 0, or no bodies are near each other"
  column "$1/steps.csv" contacts | awk '$1 > most { most = $1 } END { exit !(most > 0) }' || fail "$1: no contact"
}

# far DIRECTORY DIRECTORY: the largest difference of positions in the state.csv of two runs; nothing without rows, nan
# where rows do not match.
far() {
  paste -d, "$1/state.csv" "$2/state.csv" | awk -F, '
    NR == 1 { n = NF / 2; next }
    NF != 2 * n || /nan|inf/ { bad = 1 }
    { for (i = 1; i <= 4; i++) { d = $i - $(i + n); if (d < 0) d = -d; if (d > most) most = d } }
    END { if (NR > 1) print bad ? "nan" : most + 0 }'
}

# field FILE KEY COLUMN: the number in a column of the row whose first column is KEY.
field() { awk -F, -v k="$2" -v c="$3" '$1 == k { print $c }' "$1"; }

# json_value FILE KEY: the first number or word of this key.
json_value() { grep -Eo "\"$2\": *[^],}]+" "$1" | head -n 1 | sed 's/^[^:]*: *//'; }

# valid_json FILE: without NaN and Infinity, which Python would accept.
valid_json() {
  command -v "$python" >/dev/null || return 0
  "$python" -c 'import json, sys
json.load(open(sys.argv[1]), parse_constant=lambda c: sys.exit("no JSON: " + c))' "$1" ||
    fail "$1 is not valid JSON"
}

# holds FILE PYTHON: an expression of the parsed JSON file, j.
holds() {
  [ -x "$python" ] || return 0
  "$python" -c 'import json, sys; j = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$1" "$2" ||
    fail "$1: not $2"
}

# same FILE FILE TOLERANCE: CSV files of the same rows and columns; numbers differ by at most TOLERANCE times the
# largest number outside the first column.
same() {
  [ "$(wc -l <"$1")" = "$(wc -l <"$2")" ] || fail "$1 and $2 have different numbers of rows"
  paste -d, "$1" "$2" | awk -F, -v tolerance="$3" '
    NR > 1 && /nan|inf/ { bad = 1 }
    NR > 1 { for (i = 1; i <= NF / 2; i++) {
      d = $i - $(i + NF / 2); d = d < 0 ? -d : d; a = $i < 0 ? -$i : $i
      if (d > worst) worst = d; if (i > 1 && a > scale) scale = a } }
    END { exit !(NR > 1 && !bad && worst <= tolerance * scale) }' || fail "$1 and $2 differ by more than a relative $3"
}
