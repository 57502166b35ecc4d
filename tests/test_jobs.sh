#!/usr/bin/env bash
# The tables of jobs/ on stored outputs, and the structure of the sources: tests/jobs/check.py states when they
# fail.
# usage: test_jobs.sh BUILD_DIR SOURCE_DIR
. "$(dirname "$0")/lib.sh"
command -v "$python" >/dev/null || skip "no python3"
"$python" -B "$source/tests/jobs/check.py" "$source"
