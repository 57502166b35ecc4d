#!/usr/bin/env bash
# Comparisons: sweeps, variants, solvers that diverge, what is written and when it is refused, on 1, 2 and 4 ranks.
# usage: test_compare.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 11
. "$(dirname "$0")/lib.sh"
prefix=(compare)

# values FILE: a table without its seconds, which differ from run to run.
values() { cut -d, -f1,2,4-20 "$1"; }

cat >beam.yaml <<'DECK'
mesh:     {box: {size: [2, 0.5, 0.5], cells: [6, 2, 2]}}
material: {model: strain, stiffness: 1e6, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {stiffness: 1e6}}
initial:  {velocity: [0, 0, -5]}
time:     {step: 1e-2, steps: 1}
operator: {type: direct}
variant:  {short: {type: qn, history: 1}, full: {type: qn, line_search: none}}
compare:  {solvers: [qn, short, pd], iterations: 12, report: [2, 12]}
output:   {directory: out, plots: false}
DECK
sed 's/report: \[2, 12\]/&, sweep: {material_stiffness: [1e5, 1e7], time: {step: [1e-2, 1e-3, 1e-1]}}/' \
  beam.yaml >sweep.yaml

# ---- the parts add up, at every iterate and at the minimiser ----
expect 0 1 beam.yaml -output_plots true
awk -F, 'NR > 1 { d = $4 - $5 - $6; if (d < 0) d = -d; if (!(d <= 1e-12 * $4)) bad = 1 } END { exit bad || NR != 40 }' \
  out/compare.csv || fail 'objective = inertial + elastic'
# ---- decrements: what newton predicts is Newton's decrement at the row before; others predict theirs or nothing ----
cat >decrement.yaml <<'DECK'
mesh:     {box: {size: [2, 1, 1], cells: [6, 3, 3]}}
material: {model: strain, stiffness: 1e5, density: 1000}
attach:   {xmin: {hard: true}}
gravity:  [0, 0, -9.81]
time:     {step: 0.2}
solver:   {newton: {filter: clamp}}
compare:  {solvers: [newton, qn, pd, pncg, trust_region], iterations: 4, decrement: true}
output:   {directory: out, plots: false}
DECK
for ranks in 1 2; do
  expect 0 $ranks decrement.yaml -output_directory decrement$ranks
  "$python" - decrement$ranks/compare.csv <<'PYTHON' || fail "decrements on $ranks ranks"
import csv, sys
rows = {}
for r in csv.DictReader(open(sys.argv[1])):
    rows.setdefault(r["solver"], []).append((float(r["decrement"]), float(r["newton_decrement"])))
assert all(p != p for p, true in rows["pd"]) and rows["newton"][0][0] != rows["newton"][0][0]
for (p, _), (_, true) in zip(rows["newton"][1:], rows["newton"]):
    assert abs(p - true) <= 1e-6 * true, (p, true)
for name in ("pncg", "trust_region"):
    assert all(p > 0 for p, _ in rows[name][1:]), rows[name]
assert all(p > 0 for p, _ in rows["qn"][1:]) and all(true > 0 for _, true in rows["qn"])
(_, a), (_, b) = rows["pd"][0], rows["qn"][0]
assert abs(a - b) <= 1e-12 * a, (a, b)  # at the same x; the last digit of MUMPS depends on when messages arrive
PYTHON
done
expect 0 1 decrement.yaml -solver_stop decrement -compare_tolerance 1e-3 -output_directory stopped
grep -q '^newton  *converged after [1-4] ' log || fail 'newton does not stop by decrement'
# All stop by the same number, (2.8a): fails if one of them goes on after the others, which end with forces of one size.
expect 0 2 decrement.yaml -solver_stop decrement -compare_solvers qn,pd,pncg,auto,newton,trust_region \
  -compare_tolerance 1e-6 -compare_iterations 1000 -output_directory stops
[ "$(grep -c '^[a-z_]*  *converged after ' log)" = 6 ] || fail 'a solver does not stop by decrement'
"$python" - stops/compare.csv <<'PYTHON' || fail 'solvers stop with forces of different size'
import csv, sys
last = {r["solver"]: float(r["gradient_norm"]) for r in csv.DictReader(open(sys.argv[1]))}
least = min(last[name] for name in ("qn", "pd", "pncg"))
assert len(last) == 6 and max(last.values()) <= 4 * least, last
PYTHON
ends_on 1 1 'command line: solver_stop gradient compares .grad g. with solver_atol, which is 0' decrement.yaml \
  -solver_stop gradient

# ---- results within rounding and missing values are reported, not counted ----
expect 0 2 beam.yaml -gravity 0,0,0 -initial_velocity 0,0,0 -output_directory rest
grep -q 'note: .*relative errors are not reliable' log || fail 'at rest: no note'
expect 2 1 beam.yaml -compare_solvers qn,penalty -output_directory burst -compare_iterations 80 -compare_report 80
grep -q '^penalty  *not finite' log || fail 'penalty does not diverge'
! grep -q 'at most inf' log || fail 'an infinite g counts as a rise'
! grep -q 'not reliable' log || fail 'a note on rounding where there is none'

awk -v g="$(json_value out/compare.json g_star)" -v i="$(json_value out/compare.json g_star_inertial)" \
  -v e="$(json_value out/compare.json g_star_elastic)" \
  'BEGIN { d = g - i - e; exit !(i > 0 && e > 0 && d <= 1e-12 * g && d >= -1e-12 * g) }' || fail 'parts of g*'
valid_json out/compare.json
# iterations_to is the first iterate in compare.csv whose error is small enough.
"$python" - <<'PYTHON' || fail 'iterations_to'
import csv, json
rows = list(csv.DictReader(open("out/compare.csv")))
solvers = json.load(open("out/compare.json"))["solvers"]
assert len(solvers) == 3 and solvers["qn"]["iterations_to"]["1e-4"] > 0
for name, s in solvers.items():
    for error, iteration in s["iterations_to"].items():
        reached = [int(r["iteration"]) for r in rows
                   if r["solver"] == name and float(r["relative_error"]) <= float(error)]
        assert iteration == (reached[0] if reached else None), (name, error, iteration, reached[:1])
PYTHON
for file in compare compare_parts; do
  [ -s out/$file.gp ] || fail "$file.gp"
  if command -v gnuplot >/dev/null; then [ -s out/$file.png ] || fail "$file.png"; fi
done
[ -z "$(find out -name '*.part')" ] || fail 'a .part file was left'
cp -r out plain

# ---- without a working gnuplot: a note, and no incomplete picture ----
rm -rf out
mkdir bin
printf '#!/bin/sh\necho half >compare.png.part\nexit 1\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$work/bin:$PATH "$wring" compare beam.yaml -output_overwrite true -output_plots true >log 2>&1 ||
  fail 'it fails without gnuplot'
grep -q "^note: .*\`cd 'out' && gnuplot compare.gp\`" log || fail 'no note about gnuplot'
[ -e out/compare.gp ] && [ ! -e out/compare.png ] && [ ! -e out/compare.png.part ] || fail 'files without gnuplot'
PATH=$work/bin:$PATH "$wring" compare beam.yaml -output_overwrite true -output_plots false >log 2>&1 ||
  fail 'it fails without pictures'
! grep -q gnuplot log || fail 'gnuplot is started for output.plots: false'
[ -e out/compare.gp ] && [ ! -e out/compare.png ] || fail 'files of output.plots: false'

# ---- gnuplot is started when MPI is down: a fork before MPI_Finalize fails this ----
cat >guard.c <<'C'
#include <pthread.h>
#include <unistd.h>
extern int MPI_Initialized(int *) __attribute__((weak)), MPI_Finalized(int *) __attribute__((weak));
static void look(void)
{
  static const char up[] = "fork while MPI is up\n", down[] = "fork without MPI\n";
  int               begun = 0, ended = 0;
  if (MPI_Initialized) MPI_Initialized(&begun), MPI_Finalized(&ended);
  if (write(2, begun && !ended ? up : down, begun && !ended ? sizeof up - 1 : sizeof down - 1) < 0) _exit(9);
}
__attribute__((constructor)) static void watch(void) { pthread_atfork(look, NULL, NULL); }
C
if [ "${WRING_SANITIZE:-OFF}" = OFF ] && command -v gnuplot >/dev/null &&
  ${CC:-cc} -shared -fPIC -o guard.so guard.c 2>log; then
  rm -rf out
  "$mpiexec" -n 2 env LD_PRELOAD="$work/guard.so" "$wring" compare beam.yaml -output_plots true >log 2>&1 ||
    fail 'with a guard of forks'
  ! grep -q 'fork while MPI is up' log || fail 'a fork while MPI is up'
  [ "$(grep -c 'fork without MPI' log)" = 2 ] && [ -s out/compare.png ] ||
    fail 'the guard of forks does not see gnuplot'
fi

# ---- the same numbers on any number of ranks ----
for ranks in 2 4; do
  rm -rf out
  expect 0 $ranks beam.yaml
  paste -d, plain/compare.csv out/compare.csv | awk -F, 'NR > 1 { for (k = 4; k <= 6; k++) { d = $k - $(k + NF / 2)
    if (d < 0) d = -d; if (!(d <= 1e-9 * $4)) bad = 1 } } END { exit bad || NR != 40 }' ||
      fail "$ranks ranks: other numbers"
done

# ---- values that are not measured stay empty ----
expect 0 2 beam.yaml -solver_measure 0
grep -q '^note: iteration 2 of compare_report stays empty' log || fail 'no note about what is not measured'
[ "$(cut -d, -f1,2 out/compare.csv | tr '\n' ' ')" = 'solver,iteration qn,0 qn,12 short,0 short,12 pd,0 pd,12 ' ] ||
  fail 'rows that were not measured'
[ "$(grep -c '"2": null' out/compare.json)" = 3 ] || fail 'errors that were not measured'
valid_json out/compare.json

# ---- condition numbers: qn and pd start from the same A; Newton's method and the lines of others have none ----
expect 0 2 beam.yaml -compare_condition true -compare_solvers qn,pd,newton
grep -q '^condition number' log || fail 'no condition numbers'
[ "$(grep -c '"spectrum_start"' out/compare.json)" = 2 ] || fail 'methods with a condition number'
valid_json out/compare.json
sed -n 's/^ *"condition": \([^,]*\),*/\1/p' out/compare.json | tr '\n' ' ' >conditions
awk '{ for (i = 1; i <= 2; i++) { d = $i / $(i + 2) - 1; if (!($i > 1 && $i < 1e4 && d * d < 1e-8)) bad = 1 } }
  END { exit bad || NF != 4 }' conditions ||
  fail "condition numbers $(cat conditions)"

# ---- keys of the solver in whose place compare has its own: fails if they change a number, or if nobody says so ----
rm -rf out
expect 0 1 beam.yaml -compare_solvers qn,pd
! grep -q 'does not apply to compare' log || fail 'a note on a key that is not given'
mv out given
expect 0 1 beam.yaml -compare_solvers qn,pd -solver_rtol 0.5 -solver_max_it 2
for pair in rtol:tolerance max_it:iterations; do
  [ "$(grep -c "^note: solver_${pair%:*} does not apply to compare: compare_${pair#*:} does$" log)" = 1 ] ||
    fail "one note on solver_${pair%:*}"
done
cmp -s <(values given/compare.csv) <(values out/compare.csv) || fail 'solver_rtol or solver_max_it changes a comparison'

# ---- a sweep: each combination gives the results of a separate deck ----
rm -rf out
expect 0 1 sweep.yaml -output_plots true
folders=$(printf 'material_stiffness=%s__time_step=%s ' 1e5 1e-1 1e5 1e-2 1e5 1e-3 1e7 1e-1 1e7 1e-2 1e7 1e-3)
[ "$(cd out && LC_ALL=C ls -d -- */ | tr -d / | tr '\n' ' ')" = "$folders" ] || fail "folders: $(ls out)"
[ "$(grep -c '^\[[1-6]/6\] material_stiffness 1e[57] time_step' log)" = 6 ] || fail 'headings'
[ "$(grep -c '^wring ' log)" = 1 ] || fail 'one header'
columns=material_stiffness,time_step,solver,error_2,error_12,relative_error
for error in 1e-2 1e-4 1e-6; do columns+=,iterations_to_$error,seconds_to_$error; done
[ "$(head -1 out/sweep.csv)" = $columns,iterations,seconds,g_star,ended,folder ] ||
  fail 'columns of sweep.csv'
[ "$(sed 1d out/sweep.csv | cut -d, -f3 | sort | uniq -c | tr -s ' \n' ' ')" = ' 6 pd 6 qn 6 short ' ] ||
  fail 'rows of sweep.csv'
awk -F, 'NR > 1 && $6 != $5 { bad = 1 } END { exit bad }' out/sweep.csv || fail 'relative_error is not the last one'
valid_json out/sweep.json
for word in keys combinations runs folder g_star solvers; do
  grep -q "\"$word\"" out/sweep.json || fail "sweep.json has no $word"
done
if command -v gnuplot >/dev/null; then [ -s out/sweep.png ] || fail sweep.png; fi
one=material_stiffness=1e7__time_step=1e-1
expect 0 1 beam.yaml -material_stiffness 1e7 -time_step 1e-1 -output_directory alone
cmp -s <(values alone/compare.csv) <(values out/$one/compare.csv) || fail 'a combination differs from a deck of its own'
error=$(awk -F, '$1 == "short" && $2 == 12 { print $8 }' alone/compare.csv)
[ "$(awk -F, '$1 == "1e7" && $2 == "1e-1" && $3 == "short" { print $5 }' out/sweep.csv)" = "$error" ] ||
  fail 'errors of sweep.csv'

# Keys of a variant and of the comparison itself; qn without history and search is pd. A plain comparison replaces the
# sweep's files.
rm -rf out
expect 0 2 beam.yaml -compare_solvers full,pd -compare_sweep_variant_full_history 0,3 \
  -compare_sweep_compare_iterations 12,14
[ "$(cd out && LC_ALL=C ls -d -- */ | tr -d / | tr '\n' ' ')" = "$(for h in 0 3; do for i in 12 14; do
  printf 'variant_full_history=%s__compare_iterations=%s ' $h $i; done; done)" ] || fail "folders: $(ls out)"
awk -F, '$2 == 12 && $3 == "full" { full[$1] = $5 } $2 == 12 && $3 == "pd" { pd[$1] = $5 }
  END { d = full[0] - pd[0]; exit !(pd[0] > 1e-9 && d * d < 1e-20 && full[3] < 0.1 * pd[3]) }' out/sweep.csv ||
    fail 'a key of a variant'
expect 0 1 beam.yaml -compare_solvers pd
[ ! -e out/sweep.csv ] && [ -e out/compare.csv ] || fail 'files of an earlier sweep'

# ---- a solver that diverges does not affect the numbers of others ----
cat >squeeze.yaml <<'DECK'
mesh:     {box: {size: [2, 0.5, 0.5], cells: [8, 2, 2]}}
attach:   {xmin: {stiffness: 1e8}, xmax: {stiffness: 1e8, velocity: [-10, 0, 0]}}
material: {model: neohookean, young: 1e6, poisson: 0.45, density: 1000}
time:     {step: 1e-1, steps: 1}
operator: {type: direct}
variant:  {bad: {type: qn, line_search: none, initial_hessian: identity}}
compare:  {solvers: [bad, qn], iterations: 20, report: [1, 20]}
output:   {directory: out, plots: false}
DECK
rm -rf out alone
expect 2 1 squeeze.yaml -output_plots true
expect 0 1 squeeze.yaml -compare_solvers qn -output_directory alone
cmp -s <(values alone/compare.csv | grep qn) <(values out/compare.csv | grep qn) ||
  fail 'a diverging solver changes others'
# No row follows the failure, since a plateau to the end would look like convergence; a cross is at the last finite row.
ended=$("$python" -c 'import json; print(json.load(open("out/compare.json"))["solvers"]["bad"]["iterations"])')
awk -F, -v k="$ended" '$1 == "bad" { n++; last = $2; bad += ($8 == "inf") != ($2 == k) || ($4 == "inf") != ($2 == k) }
  END { exit bad || n != k + 1 || last != k }' out/compare.csv || fail 'rows of a diverging solver'
for panel in '$2 : NaN):8' '$3 : NaN):8' '$2 : NaN):4' '$2 : NaN):5' '$2 : NaN):6'; do
  grep -hF "$panel with points pt 2" out/*.gp | grep "'bad'.* && \$2 == $((ended - 1)) ?" | grep -q "'#1f77b4'" ||
    fail "no cross where a solver failed: $panel"
done
! grep -q "'qn'.* with points" out/compare.gp || fail 'a cross at a solver that did not fail'
if command -v gnuplot >/dev/null; then
  [ -s out/compare.png ] && ! grep gnuplot log || fail 'a picture with a failure'
fi
valid_json out/compare.json
grep -q '"ended": "not finite"' out/compare.json || fail 'the end of a diverging solver'
expect 2 2 squeeze.yaml -compare_sweep_time_step 1e-1,1e-4
grep -q '^1e-4,bad,[0-9].*max_it' out/sweep.csv && grep -q '^1e-1,bad,inf,inf,inf,,,.*not finite' out/sweep.csv ||
  fail 'a sweep with a failure'
valid_json out/sweep.json

# ---- solvers that cannot be used are left out, with what would fit ----
# Fails if one of them ends the comparison, or if its absence is not said in the table and in the files.
for ranks in 1 2; do
  rm -rf out
  expect 0 $ranks squeeze.yaml -compare_solvers pd,qn,anderson
  grep -q "^note: 'pd' is left out: solver 'pd' cannot use material 'neohookean': .* expected material strain$" log ||
    fail 'pd: no note of what fits'
  grep -q "^note: 'anderson' is left out: .* expected material strain or inner admm or vbd$" log ||
    fail 'anderson: no note of what fits'
  grep -q '^pd  *-  *-  *-  *-  *left out$' log || fail 'pd is not in the table'
  grep -q '^solver  *qn; operator' log || fail 'the header names other solvers than those that run'
  [ "$(sed 1d out/compare.csv | cut -d, -f1 | sort -u)" = qn ] || fail 'rows of a solver that did not run'
  valid_json out/compare.json
  [ "$(grep -c '"ended": "left out"' out/compare.json)" = 2 ] &&
    grep -q '"refusal": "solver .pd. cannot' out/compare.json || fail 'compare.json does not say who was left out'
done
# Fails if the line of a combination is drawn from another solver where a law that is swept leaves one out.
rm -rf out
expect 0 1 beam.yaml -compare_sweep_material_model strain,stvk -material_young 1e6 -material_poisson 0.3
[ "$(sed 1d out/sweep.csv | cut -d, -f1,2,10-11 | grep -c '^stvk,pd,')" = 1 ] || fail 'no row for pd with stvk'
grep -q '^stvk,pd,,.*,left out,' out/sweep.csv || fail 'a row of a solver that is left out'
valid_json out/sweep.json

# ---- a report beyond the last iteration is cut ----
# Fails if it is refused, or if the table then lacks the last iteration.
expect 0 1 beam.yaml -compare_report 2,6,40,50
grep -q '^note: compare_report is cut to compare_iterations, 12$' log || fail 'no note on the report'
grep -q '^iteration  *2  *6  *12  *set-up  *seconds' log || fail 'the table of a report that is cut'

# ---- admm with a weight that is too small for its material: iterates go round the minimum, docs/theory.md (5.16a) ----
cat >spin.yaml <<'DECK'
mesh:     {box: {size: [1, 0.5, 0.5], cells: [4, 2, 2]}}
material: {model: strain, stiffness: 1e5, density: 1000}
attach:   {xmin: {hard: true}, xmax: {hard: true, velocity: [0, 4, 4], spin: [1200, 0, 0]}}
time:     {step: 1e-1, steps: 1}
operator: {type: direct}
variant:  {heavy: {type: admm, weight: 1.5}, heaviest: {type: admm, weight: 8}}
compare:  {solvers: [admm, heavy, heaviest], iterations: 300}
output:   {directory: out, plots: false}
DECK
# Fails if nobody says what to do about the weight, if a larger one does not help, or if a good one gets advice.
expect 0 1 spin.yaml
grep -q '^note: admm: a larger weight' log || fail 'no advice for a small weight'
grep -q '^note: heaviest: a smaller weight' log || fail 'no advice for a large weight'
! grep -q '^note: heavy:' log || fail 'advice for a good weight'
awk -F, '$2 == 300 { norm[$1] = $7 } END { exit !(norm["admm"] > 1 && norm["heavy"] < 1e-3) }' out/compare.csv ||
  fail 'gradients of admm with weights 1 and 1.5'

# ---- bad input is refused before any run ----
refused 'material_stifness, did you mean material_stiffness' beam.yaml -compare_sweep_material_stifness 1,2
refused 'material_stiffness is "-2", expected a real' beam.yaml -compare_sweep_material_stiffness 1e5,-2
refused 'material_stiffness is "", expected' beam.yaml -compare_sweep_material_stiffness=
refused 'gravity is a list' beam.yaml -compare_sweep_gravity 1,2
refused 'solver_rtol cannot be swept, expected compare_tolerance' beam.yaml -compare_sweep_solver_rtol 1e-3,1e-5
refused 'Solver_max_it cannot be swept, expected compare_iterations' beam.yaml -compare_sweep_Solver_max_it 1,2
refused 'output_directory cannot be swept' beam.yaml -compare_sweep_output_directory a,b
refused 'time_step has the value 1 twice' beam.yaml -compare_sweep_time_step 1,1
refused 'time_step is swept too' beam.yaml -compare_sweep_time_step 1,2 -time_step 1
refused 'variant_short_history is "101"' beam.yaml -compare_sweep_variant_short_history 1,101
refused "material_model is 'jelly'" beam.yaml -compare_sweep_material_model strain,jelly
refused 'compare_report has iteration -2, expected 0 to 12' beam.yaml -compare_report -2,6 \
  -compare_sweep_compare_iterations 12,6
refused "none can be used: solver 'pd' cannot use material 'neohookean': .*, expected material strain" squeeze.yaml \
  -compare_solvers pd,anderson
refused "solver 'jacobi'" beam.yaml -compare_solvers qn,jacobi -compare_sweep_time_step 1,2
refused "'new' has no type, expected variant_new_type: .*qn" beam.yaml -variant_new_history 2
refused "type 'pd' has no key 'history', its keys are type" beam.yaml -variant_short_type pd
refused "type 'qn' has no key 'histry', did you mean history\? its keys are type, history" beam.yaml \
  -variant_short_histry 2
refused "'QN' twice" beam.yaml -compare_solvers qn,QN
sed 's/1e7\]/1e7, [2]]/' sweep.yaml >nested.yaml
refused 'nested.yaml:9: .*a list may contain' nested.yaml
exit 0
