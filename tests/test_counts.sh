#!/usr/bin/env bash
# Counts of work in compare.csv and compare.json against counts made by hand from the formulas of each method.
# usage: test_counts.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 2
. "$(dirname "$0")/lib.sh"
prefix=(compare)

cat >block.yaml <<'DECK'
mesh:     {box: {size: [2, 0.5, 0.5], cells: [6, 2, 2]}}
material: {model: strain, stiffness: 1e6, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {stiffness: 1e6}}
time:     {step: 2e-1, steps: 1} # so long that newton is not at round-off after six iterations
operator: {type: direct}
solver:   {newton_linear: direct, newton_filter: clamp}
variant:
  full:   {type: qn, line_search: none}
  cg:     {type: qn, initial_hessian: rest_hessian, inner: cg, inner_preconditioner: jacobi, inner_max_it: 3}
  fresh:  {type: qn, refresh: 1}
compare:  {solvers: [pd, admm, full, xpbd, vbd, newton, gradient_descent, cg], iterations: 6}
output:   {directory: out}
DECK

# work FILE SOLVER ITERATION: the columns of work but those of contacts, which precede the last, of set-up.
work() {
  awk -F, -v s="$2" -v k="$3" '$1 == s && $2 == k { for (i = NF - 11; i < NF - 3; i++) printf "%s ", $i }' "$1"
}
# has SOLVER ITERATION COUNTS...: in out/compare.csv
has() {
  local solver=$1 k=$2 found
  shift 2
  found=$(work out/compare.csv "$solver" "$k")
  [ "$found" = "$* " ] || fail "$solver, iteration $k: $found, expected $*"
}

# ---- counts by hand: evaluations gradients hessians factorisations linear_solves products exchanges reductions ----
# Fails if measuring is counted, if set-up of A is, or if a pass, a solve, an exchange or a sum is forgotten or doubled.
works 1 block.yaml
header=$(head -1 out/compare.csv)
kinds=evaluations,gradients,hessians,factorisations,linear_solves,products,exchanges,reductions
[[ $header = *,$kinds,contact_searches,contact_exchanges,contact_reductions,setup_seconds ]] ||
  fail "columns of compare.csv: $header"
for solver in pd admm full xpbd vbd newton gradient_descent cg; do
  [ "$(work out/compare.csv "$solver" 0 | cut -d' ' -f3-6)" = '0 0 0 0' ] || fail "$solver: work at iteration 0"
done
has pd 6 0 6 0 0 6 0 12 0   # residual: x out, forces back; solve with A
has admm 6 0 6 0 0 6 0 12 6 # the residuals of an iteration in one sum
has xpbd 6 0 6 0 0 0 0 7 0  # masses of ghosts at the start; on one rank a sweep has one exchange, of ghosts before it
has vbd 6 0 6 6 0 0 0 7 0 # gradient and diagonal blocks; as xpbd, and no sum
has full 6 7 7 0 0 6 0 14 13 # g at x_0 and at each x_k: x out, forces back, a sum; another sum after each solve
# newton: H at x_0, x_1, x_2, x out for each; g and grad g at x_0 and at each trial point; a factor and a solve for
# each. Later iterations are at the minimum up to rounding, which decides how many there are.
n=$(work out/compare.csv newton 3 | cut -d' ' -f1)
[ "$(work out/compare.csv newton 3 | cut -d' ' -f2-7)" = "$n 3 3 3 0 $((2 * n + 3))" ] || fail "newton: $n evaluations"
# three steps of conjugate gradients for all components at once, from zero
[ "$(work out/compare.csv cg 6 | cut -d' ' -f3-6)" = '0 0 6 18' ] || fail "cg: $(work out/compare.csv cg 6)"
"$python" - <<'PYTHON' || fail 'work of compare.json'
import csv, json
rows = {r["solver"]: r for r in csv.DictReader(open("out/compare.csv"))}  # the last row of each solver
for name, s in json.load(open("out/compare.json"))["solvers"].items():
    assert s["work"] == {kind: int(rows[name][kind]) for kind in s["work"]} and len(s["work"]) == 11, name
    if name in ("full", "newton", "gradient_descent", "cg"):
        assert s["evaluations"] == s["work"]["evaluations"], name  # these methods evaluate by themselves alone
    if name == "cg":
        assert s["linear_iterations"] == s["work"]["products"]
PYTHON

# ---- contacts by the barrier, without a pair: an iteration of newton exchanges values at far corners for its bound (x,
# d), the blocks of H (x, blocks back), and an evaluation (x, forces back); two sums and one ----
works 1 block.yaml -self_contact_method barrier -compare_solvers newton -output_directory apart
awk -F, '$1 == "newton" {
  e = $10 - was[10]; n = NF - 1 # without set-up
  bad = $n - was[n] != 3 || $(n - 1) - was[n - 1] != 4 + 2 * e || $(n - 2) != was[n - 2]
  for (i = 1; i <= NF; i++) was[i] = $i }
  END { exit bad || !e }' apart/compare.csv ||
  fail "messages of contacts: $(grep '^newton' apart/compare.csv | cut -d, -f2,10,18-)"

# ---- measuring less often changes no count; two ranks change exchanges and reductions of sweeps only ----
cp out/compare.csv all.csv
works 1 block.yaml -solver_measure 0
for solver in pd admm full xpbd vbd newton gradient_descent cg; do
  [ "$(work all.csv "$solver" 6)" = "$(work out/compare.csv "$solver" 6)" ] || fail "$solver: measuring is counted"
done
works 2 block.yaml
for solver in pd admm full xpbd vbd gradient_descent cg; do
  [ "$(work all.csv "$solver" 6 | cut -d' ' -f1-6)" = "$(work out/compare.csv "$solver" 6 | cut -d' ' -f1-6)" ] ||
    fail "$solver on two ranks: $(work out/compare.csv "$solver" 6)"
done

# ---- multigrid: an iteration has a product; an operator that is made again is an assembly and a hierarchy ----
works 2 block.yaml -operator_type multigrid -compare_solvers pd,fresh -mesh_box_cells 24,6,6
"$python" - <<'PYTHON' || fail 'products and renewals'
import json
pd, fresh = (json.load(open("out/compare.json"))["solvers"][name] for name in ("pd", "fresh"))
assert pd["linear_iterations"] == pd["work"]["products"] >= 6, pd["work"]
assert fresh["work"]["factorisations"] == fresh["work"]["hessians"] >= 1, fresh["work"]
PYTHON

# ---- totals of a run: A is factored once, and solved with in every iteration; more gradients to choose the starts ----
prefix=()
works 1 run block.yaml -solver_type pd -time_steps 3 -solver_max_it 4 -solver_rtol 0 -output_every 0
"$python" - <<'PYTHON' || fail 'work of run.json'
import json
work = json.load(open("out/run.json"))["work"]
assert work["factorisations"] == 1 and work["linear_solves"] == 12 <= work["gradients"], work
assert work["contact_searches"] == work["contact_exchanges"] == work["contact_reductions"] == 0, work
PYTHON
