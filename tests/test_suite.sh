#!/usr/bin/env bash
# The suite of jobs/suite.sh on its two cheapest problems, from the design to the pages. Fails if a deck is refused, if
# an entrant that reaches the target is said not to, if a suite that was stopped repeats what is finished or leaves out
# what is not, if another entrant repeats the others, if a page or a CSV file does not get its numbers or is written
# without --docs; if unknown names are taken; if the set contact has not 24 problems, on two sizes of mesh, half of them
# with friction, or `wring check` refuses one or finds no friction there; or if problems and entrants of a file run with
# other keys than it says, or results of others are taken for theirs; or if the table of entrants is missing.
# usage: test_suite.sh BUILD_DIR SOURCE_DIR     cost: 16
. "$(dirname "$0")/lib.sh"
command -v "$python" >/dev/null || skip "no python3"
export WRING=$wring
mkdir -p docs/images
cp "$source"/docs/benchmark.md "$source"/docs/claims.md docs
first=1e4_33_twist second=1e4_25_compression
calls=$work/out/runs
suite() {
  timeout "$seconds" bash "$source/jobs/suite.sh" medium "$1" --out "$work/out" --threads 1 --seconds 100 \
    --only $first,$second "${@:2}" >log 2>&1
}

# Stopped after the first problem: status 3, and the same command does the second one only.
suite newton,qn & pid=$!
wait_for $calls/$first/1/curves.csv 2
pkill -TERM -P $pid # the shell of suite.sh, which is the Python that it becomes
wait $pid
stopped=$?
[ $stopped = 3 ] || [ $stopped = 143 ] || [ $stopped = 0 ] || fail "a stopped suite ends with status $stopped"
before=$(stat -c %y $calls/$first/1/curves.csv)
suite newton,qn || fail 'the suite does not go on'
[ "$before" = "$(stat -c %y $calls/$first/1/curves.csv)" ] || fail 'a finished problem was repeated'
[ -f $calls/$second/1/curves.csv ] || fail 'the second problem is missing'

# Another entrant is a call of its own.
suite newton,qn,pd || fail 'an entrant cannot be added'
[ "$(cat $calls/$first/2/entrants)" = pd ] || fail 'the second call has other entrants than pd'
[ "$before" = "$(stat -c %y $calls/$first/1/curves.csv)" ] || fail 'the other entrants were repeated'

# What is unknown is refused in one line.
no() { # PATTERN ARGS...
  timeout "$seconds" bash "$source/jobs/suite.sh" "${@:2}" >log 2>&1 && fail "suite ${*:2} is taken"
  [ "$(wc -l <log)" = 1 ] && grep -q "^jobs suite: .*$1" log || fail "suite ${*:2}: not one line with '$1'"
}
no "no entrant 'none', expected one of auto, .*, pncg_schwarz_tuned$" medium newton,none --only $first
no "no problem 'none', expected one of 1e4_01_twist, " small --only 1e4_01_twist,none
no 'no set or file none, expected small, medium, large, contact' none
no 'no claim 38, expected 1 to 37' small --claim 38
no 'seed 3, but the set contact has one table' contact --seed 3
no 'weights needs one of small, medium, large' contact --weights
no 'claim 30 is about material stable_neohookean, none of these problems' medium --claim 30 --only $first,$second
no 'unrecognized arguments: --no-page' small --no-page

# Both problems are solved by both entrants: on the screen, and in pages where --docs says so.
cp -r docs before
suite newton,qn --page || fail 'no table'
grep -Eq '^1e-06 +newton +2 of 2 +100 %' log && grep -q '^1e-06,qn,2 of 2,100 %' out/overall.csv || fail 'the table'
diff -r docs before || fail 'a page without --docs'
suite newton,qn --page --docs "$work/docs" || fail 'no pages'
! grep -q 'no gnuplot' log || skip 'no gnuplot'
[ -f docs/images/benchmark_all.png ] && [ -f docs/images/benchmark_stiffness.png ] || fail 'pictures are missing'
for name in newton qn; do
  [ "$(grep -Ec "^(0.001|1e-06),$name,2 of 2,100 % .34 - 100.,100 % .34 - 100." docs/benchmark/overall.csv)" = 2 ] ||
    fail "$name does not solve both"
  [ "$(grep -Ec "^(0.001|1e-06),$name,2," docs/benchmark/failures.csv)" = 2 ] || fail "$name has other failures"
  [ "$(grep -Ec "^\| 1e-06 \| $name \| 2 of 2 \| 100 % " docs/benchmark.md)" = 1 ] ||
    fail "$name is not renewed in the page"
done
grep -q '^newton,,"default.*",$' docs/benchmark/entrants.csv || fail 'the settings of entrants'
grep -q '^,problems,1,1$' docs/benchmark/motion.csv || fail 'problems of each motion'
liu='Liu, Bouaziz, Kavan 2017'
grep -q "^[^,]*,\"$liu\",qn,newton,all,2,.*,not decided,.*,medium$" docs/claims.csv ||
  fail 'the claims are not counted'
grep -q "^| $liu | .* | not decided | " docs/claims.md || fail 'the claims are not renewed'
grep -q '^[0-9]* solves were made [1-5] to 5 times; ' docs/benchmark.md || fail 'the repeats are not told'

# A claim by its number, and what has been measured.
suite newton --claim 2 || fail 'a claim'
grep -q '^claim: *ten times faster' log && grep -q '^n: *2$' log && grep -q '^verdict: *not decided$' log ||
  fail 'the claim is not told'

# Problems and entrants of a file, whose paths are relative to it.
mkdir mine
box_deck out
mv box.yaml mine
cat >mine/own.yaml <<'END'
problems:
  rest: {deck: box.yaml}
  soft: {deck: box.yaml, size: 1e5, keys: {material_young: 1e3, time: {step: 5e-2}}}
entrants:
  newton: {}
  long:   {type: qn, history: 7}
END
no 'problem soft: keys: time: expected a value' mine/own.yaml --out "$work/own"
sed -i 's/time: {step: 5e-2}/time_step: 5e-2/' mine/own.yaml
own() { timeout "$seconds" bash "$source/jobs/suite.sh" mine/own.yaml --out "$work/own" --threads 1 "$@" >log 2>&1; }
own || fail 'a file of problems'
grep -Eq '^1e-06 +long +2 of 2 +100 %' log || fail 'the table of a file'
"$python" - <<'PYTHON' || fail 'keys of a file'
import json
rest, soft = (json.load(open(f"own/runs/{name}/1/compare.json")) for name in ("rest", "soft"))
keys = [of["provenance"]["options"] for of in (rest, soft)]
assert [k["material_young"] for k in keys] == [1e4, 1e3] and [k["time_step"] for k in keys] == [1e-2, 5e-2]
assert [k["compare_seconds"] for k in keys] == [1, 6], "budgets of the sizes"
assert list(rest["solvers"]) == ["newton", "long"] and rest["solvers"]["long"]["options"]["variant_long_history"] == 7
PYTHON
before=$(stat -c %y own/runs/rest/1/curves.csv)
sed -i 's/  newton: {}/  newton: {}\n  qn_identity: {}/' mine/own.yaml # of the suite
own || fail 'an entrant of the suite'
[ "$(cat own/runs/rest/2/entrants)" = qn_identity ] && [ "$before" = "$(stat -c %y own/runs/rest/1/curves.csv)" ] ||
  fail 'an entrant of a file cannot be added'
sed 's/history: 7/history: 8/' mine/own.yaml >mine/other.yaml
no 'own has results of another entrant long: ' mine/other.yaml --out "$work/own"
while IFS='|' read -r wrong expected; do
  sed "$wrong" mine/own.yaml >mine/wrong.yaml
  no "$expected" mine/wrong.yaml --out "$work/wrong"
done <<'END'
s/history/historyy/|has no key 'historyy', did you mean history
s/material_young/output_directory/|wrong.yaml. problem soft. keys. output_directory is a key that the suite gives
s/material_young/material_yung/|unknown key material_yung, did you mean material_young
s/qn_identity/none/|solver 'none' is neither a variant with a type
s/1e5/1e3/|wrong.yaml. problem soft. size is 1e3, expected one of 1e4,
s/rest. {deck. box/rest: {deck: none/|wrong.yaml. problem rest. no deck none.yaml
s/problems/problem/|wrong.yaml. unknown key problem, expected one of entrants, problems
s/  rest.*/  rest: [1/|wrong.yaml. expected YAML
s/rest. {deck/Rest: {deck/|wrong.yaml. problems. Rest. expected a name of small letters
END
no '--seed needs problems: small, medium, large, ' mine/own.yaml --seed 3 --out "$work/wrong"
no '--docs needs one of small, medium, large' mine/own.yaml --docs "$work/docs"

# The problems with contact.
contact() { timeout "$seconds" bash "$source/jobs/suite.sh" contact "$@" --out "$work/contact" --threads 1 >log 2>&1; }
contact --decks || fail 'decks with contact'
rows=0 large=0 static=0 sliding=0
while IFS=, read -r name size _ integrator _ _ friction; do
  "$wring" check contact/inputs/$name.yaml >check.log 2>&1 || fail "$name: $(tail -n 1 check.log)"
  tets=$(sed -n 's/^mesh .* \([0-9]*\) tets.*/\1/p' check.log)
  case $size in
    1e3) [ "$tets" -gt 1000 ] && [ "$tets" -lt 4000 ] ;;
    1e4) [ "$tets" -gt 4000 ] && [ "$tets" -lt 12000 ] && large=$((large + 1)) ;;
    *) false ;;
  esac || fail "$name of size $size has $tets tetrahedra"
  grep -q '^contact *barrier, ' check.log || fail "$name has no barrier"
  with=$(grep -c '^contact .*, with friction' check.log)
  [ "$with" = "$([ "$friction" = 0 ] && echo 0 || echo 1)" ] || fail "$name: friction $friction is not in the deck"
  [ "$integrator" = implicit_euler ] || static=$((static + 1))
  grep -q "^time *$integrator," check.log || fail "$name: $integrator is not in the deck"
  rows=$((rows + 1)) sliding=$((sliding + with))
done < <(tail -n +2 "$source/inputs/suite/contacts.csv")
[ "$rows, $large, $static, $sliding" = '24, 12, 8, 12' ] ||
  fail "contact has $rows problems, $large large, $static static and $sliding with friction"
lean=contact_12_lean
contact newton,qn,vbd --only $lean || fail 'a problem with contact'
for line in '^1e-06 +newton +1 of 1 +100 %' '^1e-06 +vbd +0 of 1 +0 %'; do grep -Eq "$line" log || fail "no $line"; done
! grep -q work log || fail 'work of problems with contact, without the searches'
cp docs/benchmark/overall.csv before.csv
contact newton,qn,vbd --only $lean --page --docs "$work/docs" || fail 'pages of problems with contact'
cmp docs/benchmark/overall.csv before.csv || fail 'contact renews the other tables'
for line in '^\| 1e-06 \| newton \| 100 % ' '^\| vbd \| solver .vbd. cannot use method barrier of contacts: '; do
  grep -Eq "$line" docs/benchmark.md || fail "no $line in the page"
done
grep -Eq '^1e-06,qn,1,' docs/benchmark/contact_failures.csv || fail 'failures with contact'
grep -Eq '^\| Longva et al. 2023 \| .* \| 0 \| - \| - \| - \| not decided \| - \|$' docs/claims.md ||
  fail 'claims on contact'

# A launcher of texts, as sbatch --wrap is: one job for each problem that is not complete.
make_queue
LAUNCH_1e4="$work/queue --wrap" suite newton,qn,pd,admm || fail 'jobs of a queue'
[ "$(wc -l <jobs.txt)" = 2 ] || fail "$(wc -l <jobs.txt) jobs, expected 2"
grep -q '^admm,' $calls/$first/3/curves.csv && grep -q '^admm,' $calls/$second/3/curves.csv || fail 'jobs left nothing'
