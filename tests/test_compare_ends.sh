#!/usr/bin/env bash
# How solvers of a comparison end: at a target, by a budget of time.
# usage: test_compare_ends.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 2
. "$(dirname "$0")/lib.sh"
prefix=(compare)

cat >beam.yaml <<'DECK'
mesh:     {box: {size: [2, 0.5, 0.5], cells: [6, 2, 2]}}
material: {model: strain, stiffness: 1e6, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {stiffness: 1e6}}
initial:  {velocity: [0, 0, -5]}
time:     {step: 1e-2, steps: 1}
operator: {type: direct}
compare:  {solvers: [qn, pd, xpbd, gradient_descent], iterations: 60}
output:   {directory: out, plots: false}
DECK
values() { cut -d, -f1,2,4-16 "$1"; }

# ---- a target: the first measured iterate with this error is the last, and the iterates before are the same ----
# Fails if a solver goes on, if g* is not known before, if the error is judged by another g*, or if stopping changes an
# iterate.
works 1 beam.yaml
mv out whole
for ranks in 1 2; do
  works $ranks beam.yaml -compare_target 1e-6
  [ "$ranks" = 1 ] || continue
  "$python" - <<'PYTHON' || fail 'the ends at a target'
import csv, json
read = lambda folder: list(csv.DictReader(open(folder + "/compare.csv")))
solvers = json.load(open("out/compare.json"))["solvers"]
ended = {name: s["ended"] for name, s in solvers.items()}
assert ended["qn"] == ended["pd"] == "converged to target", ended
assert ended["xpbd"] == "max_it", ended  # it does not minimise g
whole = {(r["solver"], r["iteration"]): r for r in read("whole")}
for row in read("out"):
    s, k = solvers[row["solver"]], int(row["iteration"])
    assert k <= s["iterations"], row  # no row follows
    before = whole[row["solver"], row["iteration"]]
    assert all(row[c] == before[c] for c in row if "seconds" not in c and c != "relative_error"), row
    assert (float(row["relative_error"]) <= 1e-6) == (ended[row["solver"]] != "max_it" and k == s["iterations"]), row
PYTHON
done
# only measured iterates are judged; one that the limit of iterations allows as the last counts too
works 1 beam.yaml -compare_target 1e-2 -solver_measure 7 -compare_solvers qn,pd -compare_iterations 14
"$python" - <<'PYTHON' || fail 'a target between measured iterates'
import json
solvers = json.load(open("out/compare.json"))["solvers"]
assert all(s["iterations"] in (7, 14) and s["ended"] == "converged to target" for s in solvers.values()), solvers
PYTHON
# Targets are decided by the last g*. The reference stops far from a minimum, which `exact` finds after qn has ended.
sed -e 's/strain, stiffness: 1e6/neohookean, young: 1e6, poisson: 0.48/; s/step: 1e-2/step: 1/' \
  -e 's/solvers: .*/solvers: [qn, exact], iterations: 300, target: 5e-10}/' beam.yaml >moved.yaml
cat >>moved.yaml <<'DECK'
solver:   {newton: {linear: cg}}
variant:  {exact: {type: newton, linear: direct}}
petsc:    {newton_ksp_max_it: 1}
DECK
works 1 moved.yaml
grep -q "^note: 'qn' ended at .*, above compare_target: exact has found a lower g\*" log || fail 'no note'
"$python" - <<'PYTHON' || fail 'a target that has moved'
import json
solvers = json.load(open("out/compare.json"))["solvers"]
assert {n: s["ended"] for n, s in solvers.items()} == {"qn": "short of target", "exact": "converged to target"}, solvers
PYTHON
refused 'compare_target needs g\*' beam.yaml -compare_target 1e-2 -compare_reference least
refused 'compare_target' beam.yaml -compare_target 1
expect 3 1 beam.yaml -compare_target 1e-2 -time_limit 1e-9 -output_directory stopped
valid_json stopped/compare.json

# ---- a budget: the iteration that reaches it is the last, and no row follows ----
# Fails if the time of measuring or set-up counts, if the budget is asked rarely, or if ranks decide differently.
works 1 beam.yaml -compare_seconds 0.02 -compare_iterations 100000 -compare_solvers pd,xpbd
"$python" - <<'PYTHON' || fail 'the ends by a budget'
import csv, json
rows, solvers = list(csv.DictReader(open("out/compare.csv"))), json.load(open("out/compare.json"))["solvers"]
for name, s in solvers.items():
    seconds = [float(r["seconds"]) for r in rows if r["solver"] == name]
    assert s["ended"] == "budget" and len(seconds) == s["iterations"] + 1, (s["ended"], len(seconds))
    assert seconds[-2] < 0.02 and s["seconds"] >= 0.02, seconds[-2:]
    assert s["relative_error"]["100000"] is None
PYTHON
works 2 beam.yaml -compare_seconds 0.02 -compare_iterations 100000 -compare_solvers pd,xpbd -solver_measure 0
[ "$(grep -c '"ended": "budget"' out/compare.json)" = 2 ] || fail 'a budget on two ranks, with few measurements'
works 1 beam.yaml -compare_seconds 1e-12 -compare_solvers qn
grep -q '"iterations": 0' out/compare.json || fail 'a budget that the start of the solve uses up'
refused 'compare_seconds' beam.yaml -compare_seconds 0
