#!/usr/bin/env bash
# MGPBD on bodies where its limit is known. Fails if rows, multipliers, compliances or masses are wrong: then it does
# not reach the minimiser in one iteration where rows are constant, or C + alpha l/h^2 = 0 where they are not; if a
# decision depends on the partition; or if the layout is not renewed when an attachment is released.
# usage: test_mgpbd.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 2
. "$(dirname "$0")/lib.sh"

# ---- constant rows: a chain along x that hangs from one end ----

printf '%s\n' vertex,x,y,z 0,0,0,0 1,1,0,0 2,2,0,0 3,3,0,0 >points.csv
printf '%s\n' vertex,mass 0,0.3 1,0.2 2,0.5 3,0.1 >masses.csv
printf '%s\n' a,b,length,stiffness 0,1,1,3e3 1,2,1,5e3 2,3,1,2e3 >links.csv
printf '%s\n' vertex,x,y,z,stiffness 0,0,0,0,1e4 >hook.csv
printf '%s\n' vertex,x,y,z 0,0.1,0,0 1,1.3,0,0 2,2.2,0,0 3,3.9,0,0 >start.csv
cat >chain.yaml <<'DECK'
mesh:    {file: points.csv}
mass:    {file: masses.csv}
spring:  {link: {file: links.csv}}
attach:  {hook: {file: hook.csv}}
initial: {positions: start.csv}
gravity: [9.81, 0, 0]
time:    {step: 2e-2, steps: 1}
solver:  {mgpbd: {rtol: 1e-14}}
compare: {solvers: [mgpbd], iterations: 1, warm_up: false}
DECK
for ranks in 1 2; do
  works $ranks compare chain.yaml -output_directory chain
  near "$(last chain/compare.csv relative_error)" 0 1e-12 "error of g after one iteration, $ranks ranks"
done

# ---- a spring without length, which is on one rank: the rows of all springs are then of the kind that it has ----

echo 1,3,0,1e3 >>links.csv
sed '/^initial/d' chain.yaml >knot.yaml
for ranks in 1 2; do
  works $ranks run knot.yaml -solver_type mgpbd -solver_max_it 2 -solver_rtol 0 -output_directory knot$ranks \
    -output_state_csv true
  cut -d, -f2- knot$ranks/state.csv >state$ranks.csv
done
same state1.csv state2.csv 1e-9

# ---- a soft body that is twisted: C + alpha l/h^2 = 0 within rounding, above the minimum of g ----

cat >box.yaml <<'DECK'
mesh:     {box: {size: [2, 1, 1], cells: [4, 2, 2], jitter: 0.2}}
material: {model: strain, stiffness: 1e5, density: 1000}
attach:
  xmin:   {stiffness: 1e6}
  xmax:   {stiffness: 1e6, release: 1e-2}
gravity:  [0, 0, -9.81]
initial:  {velocity: [1, 2, -8]}
time:     {step: 1e-2, steps: 2}
solver:   {max_it: 12, rtol: 0, mgpbd: {rtol: 1e-12, inner_max_it: 1000}}
compare:  {solvers: [mgpbd], iterations: 12, warm_up: false}
DECK
for ranks in 1 2; do
  works $ranks compare box.yaml -output_directory box
  grep '^mgpbd' box/compare_residuals.csv | cut -d, -f2,4 >residuals
  awk -F, 'NR == 1 { first = $2 } END { exit !(first > 1 && $2 < 1e-9 * first) }' residuals ||
    fail "$ranks ranks: residuals $(tr '\n' ' ' <residuals)"
  error=$(grep '^mgpbd' box/compare.csv | tail -n 1 | cut -d, -f8)
  awk -v e="$error" 'BEGIN { exit !(e > 1e-8 && e < 1e-5) }' || fail "$ranks ranks: error of g at the end $error"
done
for ranks in 4 2 1; do
  works $ranks run box.yaml -solver_type mgpbd -output_directory run -output_state_csv true
  cut -d, -f2- run/state.csv >state$ranks.csv
done
for ranks in 2 4; do same state1.csv state$ranks.csv 1e-9; done
works 1 run box.yaml -solver_type newton -output_directory newton -output_state_csv true
for file in newton run; do cut -d, -f1-4 $file/state.csv >$file.csv; done
same newton.csv run.csv 1e-3
[ "$(column run/residuals.csv dual | wc -l)" = 24 ] || fail 'rows of residuals.csv'
