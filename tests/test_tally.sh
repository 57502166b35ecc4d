#!/usr/bin/env bash
# What a run says about its steps: how they ended, forces that remain, inverted tetrahedra, states that diverge. Fails
# if a count differs from the rows of steps.csv, from the known positions or between ranks; if a restart, one before the
# end of a part or a killed part spoils the counts; or if a state that has diverged ends with status 0 or replaces the
# last good one.
# usage: test_tally.sh BUILD_DIR SOURCE_DIR     ranks: 3     cost: 4
. "$(dirname "$0")/lib.sh"

# At rest without load up to step 17; then one iteration is too few.
printf 'time,value\n0,0\n0.171,0\n0.172,1\n' >late.csv
cat >beam.yaml <<'END'
mesh:     {box: {size: [4, 1, 1], cells: [4, 1, 1]}}
material: {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {hard: true}}
time:     {step: 1e-2, steps: 8}
solver:   {type: qn, max_it: 1, rtol: 1e-9, atol: 1e-9, accept: true}
output:   {directory: out}
END

# reasons FILE PYTHON-EXPRESSION of j: a value of a JSON file.
get() { "$python" -c 'import json, sys; j = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }

# ---- by reason -------------------------------------------------------------------------------------------------------
for ranks in 1 2; do
  works $ranks run beam.yaml -gravity_curve late.csv -output_directory few$ranks -time_steps 25
  n=$(column few$ranks/steps.csv reason | grep -c max_it)
  c=$(column few$ranks/steps.csv reason | grep -c converged)
  [ "$n" -gt 0 ] && [ "$c" -gt 0 ] || fail "the test needs steps of both kinds, not $c and $n"
  force='largest remaining force [0-9.e+-]+ N, [0-9.e+-]+ % of the load \(step'
  grep -Eq "^steps     $c converged, $n at max_it: $force" log || fail "not $c converged, $n others"
  first=$(awk -F, '$14 == "max_it" { print $1; exit }' few$ranks/steps.csv)
  grep -q "^step $first/25 .*  it 1 max_it  g" log || fail 'the first step that did not converge has no line'
  ! grep -q 'it [0-9]* converged' log || fail 'a converged step has its reason'
  [ "$(get few$ranks/run.json 'j["steps_by_reason"]')" = "{'converged': $c, 'max_it': $n}" ] || fail 'steps_by_reason'
  # the remaining force: |grad g| of the last row of that step in history.csv, and its share of the reference there
  step=$(get few$ranks/run.json 'j["largest_remaining_step"]')
  read -r norm share < <(awk -F, -v s="$step" '$1 == s { l = $8; f = $13 } END { print l, l / f }' \
    few$ranks/history.csv)
  close "$(get few$ranks/run.json 'j["largest_remaining"]')" "$norm" 1e-9 'largest_remaining'
  close "$(get few$ranks/run.json 'j["largest_remaining_share"]')" "$share" 1e-5 'its share'
done
works 1 run beam.yaml -solver_max_it 500
grep -q '^steps     8 converged$' log || fail 'all steps converged'
[ "$(get out/run.json 'j["largest_remaining"]')" = None ] || fail 'a force remains although all steps converged'
# The figure of merit: 3 x 20 unknowns times 8 steps over the seconds of the march, as printed; 0 if a step did not
# converge, or failed, although others did.
close "$(get out/run.json 'j["fom"]')" "$(get out/run.json '60 * 8 / j["marching_seconds"]')" 1e-12 'fom'
close "$(sed -n 's/^Figure of Merit (FOM): //p' log)" "$(get out/run.json 'j["fom"]')" 1e-5 'as it is printed'
[ "$(get few1/run.json 'j["fom"]')" = 0.0 ] || fail 'a figure of merit with steps at max_it'
works 1 run beam.yaml -time_integrator symplectic_euler -time_step 1e-3
grep -q '^steps     8 without a solve$' log || fail 'steps without a solve'

# ---- parts of a chain: 0 to 10; from 10 on to 20, killed; from 15 to 25 ----------------------------------------------
chain=(run beam.yaml -gravity_curve late.csv -output_directory chain -checkpoint_every 5)
works 1 "${chain[@]}" -time_steps 10
works 2 "${chain[@]}" -initial_restart chain -time_steps 20
"$python" - <<'END' # as after a kill: run.json of the start, checkpoint 20 lost
import json
j = json.load(open("chain/run.json"))
j["steps_by_reason"], j["ended"], j["step"] = {}, "running", 10
json.dump(j, open("chain/run.json", "w"))
END
rm chain/checkpoint_000020.h5
works 1 "${chain[@]}" -initial_restart chain -time_steps 25
[ "$(get chain/run.json '[(s["first_step"], sum(s["steps_by_reason"].values())) for s in j["segments"] + [j]]')" = \
  '[(0, 10), (10, 5), (15, 10)]' ] || fail 'steps of the parts of a chain'
counts='{r: sum(s["steps_by_reason"].get(r, 0) for s in j["segments"] + [j]) for r in ("converged", "max_it")}'
rows=$(for r in converged max_it; do column chain/steps.csv reason | grep -c $r; done | tr '\n' ' ')
read -r c n <<<"$rows"
[ "$(get chain/run.json "$counts")" = "{'converged': $c, 'max_it': $n}" ] || fail 'reasons of the parts of a chain'

# ---- inverted tetrahedra ---------------------------------------------------------------------------------------------
# One side of a cube moves through the other and back: x < 0 at steps 4 to 8 of 12. All 6 tetrahedra are inverted then.
cat >cube.yaml <<'END'
mesh:     {box: {size: [1, 1, 1], cells: [1, 1, 1]}}
material: {model: corotated, young: 1e4, poisson: 0.3, density: 1000}
attach:
  xmin:   {hard: true}
  xmax:   {hard: true, path: way.csv}
time:     {step: 0.1, steps: 12}
output:   {directory: out}
END
echo 'time,x,y,z' >way.csv
awk 'BEGIN { for (i = 0; i <= 12; i++) print i / 10 ",-" 1.4 * sin(3.14159265 * i / 12) ",0,0" }' >>way.csv
for ranks in 1 2 3; do
  works $ranks run cube.yaml
  [ "$(head -n 1 out/steps.csv | tr ',' '\n' | tail -n 1)" = inverted ] || fail 'the last column is not inverted'
  [ "$(column out/steps.csv inverted | tr '\n' ' ')" = '0 0 0 6 6 6 6 6 0 0 0 0 ' ] || fail 'inverted tetrahedra'
  [ "$(grep -c 'note: .*newly' log)" = 1 ] || fail 'inverted tetrahedra are noted more than once'
  grep -q '^note: step 4: 6 tetrahedra are inverted (J <= 0), 6 of them newly$' log || fail 'their note'
  grep -q '^inverted  tetrahedra at the end of 5 steps, at most 6, now 0$' log || fail 'their count at the end'
  [ "$(get out/run.json 'j["inverted"], j["inverted_steps"], j["most_inverted"]')" = '(0, 5, 6)' ] || fail 'run.json'
done
# Through the wall and back twice: said once, with the count; a restart among inverted ones does not call them new.
awk 'BEGIN { print "time,x,y,z"
  for (i = 0; i <= 12; i++) print i / 10 ",-" 1.4 * sin(3.14159265 * i / 6)^2 ",0,0" }' >way.csv
works 1 run cube.yaml -checkpoint_every 3
grep -q '^note: step [0-9]*: .* 6 of them newly (said 2 times)$' log || fail 'inverted twice'
works 1 run cube.yaml -initial_restart out/checkpoint_000009.h5 -output_directory rest
grep -q '^note: 6 of 6 tetrahedra are inverted (J <= 0) at the start$' log || fail 'inverted at the start'
! grep -q newly log || fail 'what was inverted at the start is new'

# ---- states that diverge ---------------------------------------------------------------------------------------------
for ranks in 1 2; do
  expect 2 $ranks run beam.yaml -time_integrator symplectic_euler -time_step 1 -time_steps 60 -output_directory burst
  grep -q 'note: an element is .* m long .* no load explains that' log || fail 'no cause of the end'
  grep -Eq 'note: step [0-9]+ failed: diverged; the state before it, at time [0-9.e+-]+, is in burst' log ||
    fail 'no reason of the end'
  [ "$(get burst/run.json 'j["ended"], j["last_reason"]')" = "('solver failed', 'diverged')" ] || fail 'the reason'
  [ "$(get burst/run.json 'j["step"]')" = "$(last burst/steps.csv step)" ] || fail 'a diverged state is kept'
done
expect 2 1 run beam.yaml -solver_type penalty -solver_max_it 4 -time_step 1 -time_steps 20
grep -q 'failed: diverged' log || fail 'penalty has not diverged'
# A body that falls for a day has not.
sed '/^attach/d' beam.yaml >fall.yaml
works 1 run fall.yaml -time_step 1e4 -time_steps 9 -solver_max_it 100
exit 0
