#!/usr/bin/env bash
# The suite of jobs/suite.sh on its two cheapest problems, from the design to the pages. Fails if a deck is refused, if
# an entrant that reaches the target is said not to, if a suite that was stopped repeats what is finished or leaves out
# what is not, if another entrant repeats the others, or if a page or a CSV file does not get its numbers.
# usage: test_suite.sh BUILD_DIR SOURCE_DIR     cost: 15
. "$(dirname "$0")/lib.sh"
command -v "$python" >/dev/null || skip "no python3"
export WRING=$wring
mkdir -p docs/images
cp "$source"/docs/benchmark.md "$source"/docs/claims.md docs
first=1e4_20_compression second=1e4_22_buckling
calls=$work/out/runs
suite() {
  timeout "$seconds" bash "$source/jobs/suite.sh" medium "$1" --out "$work/out" --docs "$work/docs" --threads 1 \
    --seconds 100 --only $first,$second "${@:2}" >log 2>&1
}

# Stopped after the first problem: status 3, and the same command does the second one only.
suite newton,qn --no-page & pid=$!
wait_for $calls/$first/1/curves.csv 2
pkill -TERM -P $pid # the shell of suite.sh, which is the Python that it becomes
wait $pid
stopped=$?
[ $stopped = 3 ] || [ $stopped = 143 ] || [ $stopped = 0 ] || fail "a stopped suite ends with status $stopped"
before=$(stat -c %y $calls/$first/1/curves.csv)
suite newton,qn --no-page || fail 'the suite does not go on'
[ "$before" = "$(stat -c %y $calls/$first/1/curves.csv)" ] || fail 'a finished problem was repeated'
[ -f $calls/$second/1/curves.csv ] || fail 'the second problem is missing'

# Another entrant is a call of its own.
suite newton,qn,pd --no-page || fail 'an entrant cannot be added'
[ "$(cat $calls/$first/2/entrants)" = pd ] || fail 'the second call has other entrants than pd'
[ "$before" = "$(stat -c %y $calls/$first/1/curves.csv)" ] || fail 'the other entrants were repeated'
suite newton,none --no-page && fail 'an unknown entrant is taken'
grep -q "no entrant 'none'" log || fail 'the unknown entrant is not named'

# Both problems are solved by both entrants.
suite newton,qn --page || fail 'no pages'
! grep -q 'no gnuplot' log || skip 'no gnuplot'
[ -f docs/images/benchmark_all.png ] && [ -f docs/images/benchmark_stiffness.png ] || fail 'pictures are missing'
for name in newton qn; do
  [ "$(grep -Ec "^(0.001|1e-06),$name,2 of 2,100 %,100 %" docs/benchmark/overall.csv)" = 2 ] ||
    fail "$name does not solve both"
  [ "$(grep -Ec "^(0.001|1e-06),$name,2," docs/benchmark/failures.csv)" = 2 ] || fail "$name has other failures"
  [ "$(grep -Ec "^\| 1e-06 \| $name \| 100 % \|" docs/benchmark.md)" = 1 ] || fail "$name is not renewed in the page"
done
grep -q '^,problems,1,1$' docs/benchmark/motion.csv || fail 'problems of each motion'
liu='Liu, Bouaziz, Kavan 2017'
grep -q "^\"$liu\",.*,2,.*,not decided$" docs/benchmark/claims.csv || fail 'the claims are not counted'
grep -q "^| $liu | .* | not decided |$" docs/claims.md || fail 'the claims are not renewed'

# A launcher of texts, as sbatch --wrap is: one job for each problem that is not complete.
make_queue
LAUNCH_1e4="$work/queue --wrap" suite newton,qn,pd,admm --no-page || fail 'jobs of a queue'
[ "$(wc -l <jobs.txt)" = 2 ] || fail "$(wc -l <jobs.txt) jobs, expected 2"
grep -q '^admm,' $calls/$first/3/curves.csv && grep -q '^admm,' $calls/$second/3/curves.csv || fail 'jobs left nothing'
