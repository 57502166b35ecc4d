#!/usr/bin/env bash
# The tables of jobs/ on stored outputs, and the structure of the sources: tests/jobs/check.py states when they
# fail. The commands: fails if one does not answer --help on standard output, with status 0 and nothing else done, if a
# wrong word is not refused in one line, or if paraview does not say what it has made.
# usage: test_jobs.sh BUILD_DIR SOURCE_DIR
. "$(dirname "$0")/lib.sh"
command -v "$python" >/dev/null || skip "no python3"
"$python" -B "$source/tests/jobs/check.py" "$source" || exit 1

# A command that would build or install stops at its first use of PATH.
jobs() { timeout 60 env PATH="$work/bin" "$(command -v "$python")" -B "$source/jobs" "$@"; }
mkdir bin frames
touch frames/frames.pvd
printf '#!/bin/sh\nexit 0\n' >bin/pvbatch
chmod +x bin/pvbatch
for command in $(jobs --help | sed -n 's/^    \([a-z_]*\)  .*/\1/p'); do
  jobs "$command" --help >log 2>errors && grep -q "python3 jobs $command" log && [ ! -s errors ] ||
    fail "python3 jobs $command --help: $(cat errors)"
done
[ "$command" = structure ] || fail 'python3 jobs --help does not list the commands'
for script in convergence demo slurm suite verify; do
  PATH=$work/bin:/usr/bin:/bin bash "$source/jobs/$script.sh" --help >log 2>errors && [ ! -s errors ] &&
    grep -q "jobs.*$script" log || fail "jobs/$script.sh --help: $(cat errors)"
done
no() { # PATTERN ARGS...
  jobs "${@:2}" >log 2>&1 && fail "jobs ${*:2} is taken"
  [ "$(wc -l <log)" = 1 ] && grep -q "^jobs.*: .*$1" log || fail "jobs ${*:2}: not one line with '$1'"
}
no "no command 'none', expected one of studies, " none
no "no case 'none', expected one of uniaxial, " verify none
no "no table 'none', expected one of machine, " performance none
no 'expected ranks x threads, such as 2x1, found none' bench --splits none
no 'unrecognized arguments: none' inputs none
no 'unknown option color, expected one of picture' paraview frames picture=a.png color=J
no 'none has neither frames.pvd nor frames.vtkhdf' paraview none picture=a.png
no 'expected RUN and picture=FILE, film=FILE, state=FILE' paraview frames
DISPLAY=:0 jobs paraview frames/ picture=a.png state=b.pvsm >log 2>&1 || fail paraview
[ "$(cat log)" = $'picture: a.png\nstate: b.pvsm' ] || fail 'paraview does not say what it has made'
