#!/usr/bin/env bash
# Integrators in the program: the energy of a pendulum, one row per step, restarts, starts of steps, failures and
# refusals.
# usage: test_integrators.sh BUILD_DIR SOURCE_DIR     ranks: 3     cost: 6
. "$(dirname "$0")/lib.sh"

# total FILE: each row's change of `total` since the first, relative to the 9.81 J that the pendulum swings by.
total() { awk -F, 'NR == 2 { first = $6 } NR > 1 { printf "%.17g\n", ($6 - first) / 9.81 }' "$1"; }

# A mass of 1 kg on a stiff spring of 1 m, released from the horizontal position.
printf 'vertex,x,y,z\n0,0,0,1\n1,1,0,1\n' >points.csv
printf 'vertex,mass\n0,1\n1,1\n' >mass.csv
printf 'a,b,length,stiffness\n0,1,1,1e4\n' >link.csv
printf 'vertex,x,y,z,stiffness\n0,0,0,1,1e5\n' >hook.csv
cat >pendulum.yaml <<'DECK'
mesh:    {file: points.csv}
mass:    {file: mass.csv}
spring:  {link: {file: link.csv}}
attach:  {hook: {file: hook.csv}}
gravity: [0, 0, -9.81]
time:    {step: 1e-3, steps: 2000}
solver:  {type: newton, rtol: 1e-10}
output:  {directory: out, every: 0}
DECK

# ---- energy: each of these fails if the rule is another one of the list ----
for rule in implicit_euler linear_implicit_euler; do
  expect 0 1 run pendulum.yaml -time_integrator $rule
  total out/steps.csv | awk '{ last = $1 } END { exit !(last < -0.01 && last > -0.1) }' ||
    fail "$rule does not lose energy"
done
expect 0 1 run pendulum.yaml -time_integrator explicit_euler -time_step 1e-4 -time_steps 6000
total out/steps.csv | awk '$1 > 1.1 * top + 1e-3 { grew++; top = $1 } END { exit !(grew > 10) }' ||
  fail 'explicit Euler does not gain energy'
# Symplectic Euler's energy swings with the pendulum by O(h), and no further in the second half than in the first.
expect 0 1 run pendulum.yaml -time_integrator symplectic_euler
total out/steps.csv | awk '{ a = $1 < 0 ? -$1 : $1; h = NR > 1000; if (a > top[h]) top[h] = a }
  END { exit !(top[0] < 2e-3 && top[1] < 1.05 * top[0]) }' || fail 'symplectic Euler drifts'
expect 0 1 run pendulum.yaml -time_integrator implicit_midpoint -time_step 2.5e-4 -time_steps 1000
total out/steps.csv | awk '{ a = $1 < 0 ? -$1 : $1; if (a > top) top = a } END { exit !(NR == 1000 && top < 1e-6) }' ||
  fail 'the midpoint rule drifts'

# ---- steps without a solver: one row each, whatever the solver is ----
cat >beam.yaml <<'DECK'
mesh:       {box: {size: [2, 0.5, 0.5], cells: [4, 1, 1]}}
material:   {model: neohookean, young: 1e5, poisson: 0.3, density: 1000}
gravity:    [0, 0, -9.81]
attach:     {xmin: {stiffness: 1e5, velocity: [0, 0.5, 0], spin: [90, 0, 0]}}
time:       {step: 2e-3, steps: 6}
solver:     {type: qn, max_it: 200, rtol: 1e-12}
operator:   {type: direct}
output:     {directory: out, every: 0, state_csv: true}
DECK
for rule in explicit_euler symplectic_euler linear_implicit_euler; do
  expect 0 1 run beam.yaml -time_integrator $rule -solver_type pd
  ! grep -q '^solver' log || fail "$rule names a solver"
  rows=$(printf "%s,$rule,1 " 1 2 3 4 5 6)
  [ "$(cut -d, -f1,3,4 out/history.csv | tr '\n' ' ')" = "step,solver,iteration $rows" ] ||
    fail "$rule: rows of history.csv"
  grep -q "\"integrator\": \"$rule\"" out/run.json || fail "$rule: run.json"
  cp out/state.csv one.csv
  expect 0 3 run beam.yaml -time_integrator $rule
  same one.csv out/state.csv 1e-9
  expect 0 1 check beam.yaml -time_integrator $rule -solver_type pd
  refused "'$rule'.*implicit_midpoint" compare beam.yaml -time_integrator $rule -compare_solvers qn
done

# ---- bdf2 continues from a checkpoint as without a stop, on any number of ranks ----
for rule in bdf2 implicit_midpoint; do
  expect 0 1 run beam.yaml -time_integrator $rule -output_directory whole
  expect 0 2 run beam.yaml -time_integrator $rule -time_steps 3 -output_directory part
  expect 0 3 run beam.yaml -time_integrator $rule -initial_restart part -output_directory rest
  ! grep -q '^note:.*implicit_euler' log || fail "$rule does not remember the step before the checkpoint"
  same whole/state.csv rest/state.csv 1e-9
done
expect 0 1 run beam.yaml -time_steps 3 -output_directory part
expect 0 2 run beam.yaml -time_integrator bdf2 -initial_restart part -output_directory rest
[ "$(grep -c '^note: .*checkpoint_000003.h5.*bdf2.*implicit_euler' log)" = 1 ] ||
  fail 'no note about a step without memory'

# ---- starts are compared in the first steps and in every eighth one, also after a restart ----
# evaluations FOLDER: all of them, and those that no solve counts
evaluations() {
  "$python" - "$1" <<'PYTHON'
import csv, json, sys
solves = {row["step"]: int(row["evaluations"]) for row in csv.DictReader(open(sys.argv[1] + "/history.csv"))}
total = json.load(open(sys.argv[1] + "/run.json"))["work"]["evaluations"]
print(total, total - sum(solves.values()))
PYTHON
}
expect 0 1 run beam.yaml -time_steps 16 -output_directory whole -output_overwrite true
expect 0 1 run beam.yaml -time_steps 6 -output_directory part -output_overwrite true
cp -r part start
expect 0 1 run beam.yaml -time_steps 16 -initial_restart part -output_directory rest -output_overwrite true
cmp whole/state.csv rest/state.csv || fail 'a restart starts a step otherwise'
if [ -x "$python" ]; then
  read -r all outside < <(evaluations whole)
  read -r before _ < <(evaluations start)
  read -r after _ < <(evaluations rest)
  [ "$all" = $((before + after)) ] || fail "$all evaluations, $before + $after with a restart"
  [ "$outside" -gt 12 ] && [ "$outside" -lt 32 ] || fail "$outside evaluations of starts in 16 steps"
fi

# ---- failures: status 2, the state before the step, one reason ----
expect 2 2 run beam.yaml -time_integrator explicit_euler -time_step 0.1 -time_steps 100
grep -q '"ended": "solver failed"' out/run.json && grep -q '^note: step .* failed: not finite' log ||
  fail 'explicit Euler blows up'
[ "$(ls out/checkpoint_*.h5 | wc -l)" = 1 ] && ! grep -qi 'nan\|inf' out/state.csv || fail 'state before the failure'
# A soft cube that runs into itself: the midpoint is sound, the end of the step is inside out.
cat >cube.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [1, 1, 1]}}
material: {model: neohookean, young: 1, poisson: 0.3, density: 1000}
time:     {step: 1e-2, integrator: implicit_midpoint}
initial:  {velocities: run.csv}
solver:   {type: newton}
output:   {directory: out, every: 0, state_csv: true}
DECK
printf 'vertex,x,y,z\n0,0,0,0\n1,-150,0,0\n2,0,0,0\n3,-150,0,0\n4,0,0,0\n5,-150,0,0\n6,0,0,0\n7,-150,0,0\n' >run.csv
expect 2 1 run cube.yaml
grep -q '^note: step 1 failed: not finite' log && grep -q '^1,1,0,0,-150,0,0$' out/state.csv ||
  fail 'an inverted end of a step'
# Two masses on a spring of half its length: m/h^2 = 4, its Hessian across is -2 and 2, and their sum is singular.
printf 'a,b,length,stiffness\n0,1,2,2\n' >link.csv
printf 'vertex,x,y,z,stiffness\n' >hook.csv
grep -v '^attach' pendulum.yaml >free.yaml
for ranks in 1 2; do
  expect 2 $ranks run free.yaml -time_integrator linear_implicit_euler -time_step 0.5 -time_steps 3
  grep -q '^note: step 1 failed: singular system' log && ! grep -q 'PETSC ERROR' log || fail 'a singular system'
done

# ---- other commands ----
refused "'bdf2', expected implicit_euler" evaluate beam.yaml -time_integrator bdf2
for rule in implicit_midpoint bdf2; do
  expect 0 2 compare beam.yaml -time_integrator $rule -compare_solvers qn,newton -compare_iterations 20 \
    -output_directory c
  awk -F, '$1 == "qn" && $2 == 20 { e = $8 } END { exit !(e != "" && e < 1e-6 && e > -1e-9) }' c/compare.csv ||
    fail "compare with $rule"
done
expect 0 1 help time_integrator
for rule in implicit_euler implicit_midpoint bdf2 linear_implicit_euler symplectic_euler explicit_euler; do
  grep -q "$rule (" log || fail "help does not say what $rule is"
done
refused 'time_integrator.*"rk4".*bdf2' run beam.yaml -time_integrator rk4

# ---- the example: a chain of four links ----
expect 0 1 run "$source/inputs/pendulum.yaml" -time_end 0.1 -output_directory chain
expect 0 3 run "$source/inputs/pendulum.yaml" -time_end 0.1 -output_directory chain3
same chain/state.csv chain3/state.csv 1e-9
exit 0
