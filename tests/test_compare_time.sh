#!/usr/bin/env bash
# Times of a comparison: repeats, warm-up, set-up, and that the order of the list changes nothing but time.
# usage: test_compare_time.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 5
. "$(dirname "$0")/lib.sh"
prefix=(compare)

cat >beam.yaml <<'DECK'
mesh:     {box: {size: [2, 0.5, 0.5], cells: [6, 2, 2]}}
material: {model: strain, stiffness: 1e6, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {stiffness: 1e6}}
initial:  {velocity: [0, 0, -5]}
time:     {step: 1e-2, steps: 8}
operator: {type: direct}
variant:
  fresh:  {type: qn, refresh: 1}
  light:  {type: admm, weight: 0.4}
  rest:   {type: qn, initial_hessian: rest_hessian}
compare:  {solvers: [fresh, qn, light, pd, newton, rest, xpbd], iterations: 12}
output:   {directory: out, plots: false}
DECK
# values SOLVER...: rows of these solvers without their seconds and errors.
values() { for s in "$@"; do grep "^$s," out/compare.csv | cut -d, -f1,2,4-7,9-20; done; }
all=(fresh qn light pd newton rest xpbd)

# ---- a solve depends neither on the list, nor on warm-up, nor on solves before ----
# Fails if a solver takes over the operator that another one has changed (fresh, light), or a state of the warm-up.
# On two ranks without newton and rest: MUMPS adds in the order in which messages arrive.
for ranks in 2 1; do
  [ $ranks = 1 ] && some=("${all[@]}") || some=(fresh qn light pd xpbd)
  list=$(printf '%s,' "${some[@]}")
  works $ranks beam.yaml -compare_solvers "${list%,}" -compare_warm_up false
  values "${some[@]}" >plain
  works $ranks beam.yaml -compare_solvers "$(tr ',' '\n' <<<"${list%,}" | tac | paste -sd,)"
  values "${some[@]}" | cmp -s plain - || fail "$ranks ranks: another order, with warm-up"
  works $ranks beam.yaml -compare_solvers "${list%,}" -compare_repeat 3
  values "${some[@]}" | cmp -s plain - || fail "$ranks ranks: repeats"
  ! grep -q 'not equal' log || fail "$ranks ranks: a note on repeats that are not equal"
done
# repeats go round the list, each time from the next solver on
[ "$(grep -Eo '^[a-z]+ +again, 2|^[a-z]+ +again, 3' log | tr -s ' ' | cut -d' ' -f1,3 | tr '\n' ' ')" = \
  "$(printf '%s 2 ' "${all[@]:1}" "${all[0]}")$(printf '%s 3 ' "${all[@]:2}" "${all[@]:0:2}")" ] ||
  fail 'the order of repeats'

# ---- numbers of compare.json ----
# Fails if set-up is among the iterations, or A, which most solvers need, is set up for the first one only, or newton
# sums a Hessian to choose its linear solver.
"$python" - <<'PYTHON' || fail 'times of compare.json'
import csv, json, math, statistics
j = json.load(open("out/compare.json"))
rows = list(csv.DictReader(open("out/compare.csv")))
close = lambda a, b: math.isclose(a, b, rel_tol=1e-12, abs_tol=1e-15)
assert (j["repeat"], j["warm_up"], j["steps"]) == (3, True, 8)
for name, s in j["solvers"].items():
    total, setup = ([one[key] for one in s["repeats"]] for key in ("seconds", "setup_seconds"))
    assert len(total) == 3 and min(total) > 0 and min(setup) > 0 and s["repeats_equal"] is True, name
    assert s["seconds"] == s["seconds_median"] == statistics.median(total), name
    assert close(s["seconds_spread"], max(total) - min(total)) and s["setup_seconds"] == statistics.median(setup), name
    for error, seconds in s["seconds_to"].items():
        with_setup, per_step = s["seconds_to_with_setup"][error], s["seconds_to_per_step"][error]
        spread = s["seconds_to_spread"][error]
        assert (seconds is None) == (with_setup is None) == (per_step is None) == (spread is None)
        assert spread is None or 0 <= spread <= max(total), (name, spread)
        if seconds is None: continue
        at = (name, str(s["iterations_to"][error]))
        until = next(float(r["setup_seconds"]) for r in rows if (r["solver"], r["iteration"]) == at)
        assert close(with_setup, seconds + until) and close(per_step, seconds + until / 8)
        assert until == s["setup_seconds"], (name, until, s["setup_seconds"])
    assert s["setup_work"]["factorisations"] == (0 if name in ("newton", "xpbd") else 1), (name, s["setup_work"])
    assert s["setup_work"]["hessians"] == (name == "rest"), name
    assert name in ("newton", "fresh") or s["work"]["factorisations"] == 0, name
assert j["provenance"]["work"]["linear_solves"] >= 3 * sum(s["work"]["linear_solves"] for s in j["solvers"].values())
PYTHON
valid_json out/compare.json

# ---- set-up during a solve counts from there on: auto builds a Hessian for a slender bar ----
# Fails if an error that was reached before has the Hessian in its seconds with set-up, or a later one has it not.
sed 's/size: .*\]/size: [8, 0.2, 0.2], cells: [80, 2, 2]/; s/1e6, density/1e8, density/' beam.yaml >slender.yaml
works 2 slender.yaml -compare_solvers auto,qn -compare_iterations 400 -compare_repeat 2
"$python" - <<'PYTHON' || fail 'set-up during a solve'
import csv, json
s = json.load(open("out/compare.json"))["solvers"]["auto"]
setup = [float(r["setup_seconds"]) for r in csv.DictReader(open("out/compare.csv")) if r["solver"] == "auto"]
extra = lambda error: s["seconds_to_with_setup"][error] - s["seconds_to"][error]
assert setup == sorted(setup) and 0 < setup[0] < setup[-1] == s["setup_seconds"], setup
assert abs(extra("1e-1") - setup[0]) < 1e-12 and abs(extra("1e-8") - setup[-1]) < 1e-12, (extra("1e-1"), extra("1e-8"))
PYTHON

# ---- what is not repeated: a solve that ends by its budget, solves that have taken long enough ----
works 1 beam.yaml -compare_repeat 2 -compare_seconds 0.05 -compare_iterations 100000 -compare_solvers pd,xpbd
! grep -q again log || fail 'a solve is repeated that has used its budget'
works 2 beam.yaml -compare_repeat 3 -compare_repeat_seconds 1e-9 -compare_iterations 10 -compare_solvers pd,xpbd
! grep -q again log || fail 'solves are repeated after the seconds of repeats'
works 2 beam.yaml -compare_repeat 3 -compare_repeat_seconds 1e9 -compare_iterations 10 -compare_solvers pd,xpbd
[ "$(grep -c again log)" = 4 ] || fail 'solves are not repeated before the seconds of repeats'

# ---- a stop in a later turn keeps the first one ----
expect 3 1 beam.yaml -compare_repeat 1000 -compare_solvers pd,xpbd -compare_iterations 300 -time_limit 2
"$python" -c 'import json, sys
j = json.load(open("out/compare.json"))
s = [j["solvers"][name] for name in ("pd", "xpbd")]
sys.exit(not (all(x["ended"] == "max_it" and 1 <= len(x["repeats"]) < 1000 for x in s) and j["ended"] != "done"))' ||
  fail 'a stop in a later turn'
refused 'compare_repeat' beam.yaml -compare_repeat 0
