#!/usr/bin/env bash
# The scenes of inputs/bench whose steps end at a tolerance reach it on one and on two ranks, with the same energies;
# handles turn about their centre; an operator renewed by `refresh` is not used by another solver.
# usage: test_scenes.sh BUILD_DIR SOURCE_DIR     ranks: 2
. "$(dirname "$0")/lib.sh"

# Fails if a deck is refused, or a step ends without its tolerance.
for deck in bar rabbit; do
  small=(-time_steps 4 -output_every 0)
  [ $deck = bar ] && small+=(-mesh_box_cells 16,4,4)
  for ranks in 1 2; do
    works $ranks run "$source/inputs/bench/$deck.yaml" "${small[@]}" -output_directory $deck$ranks
    [ "$(column $deck$ranks/steps.csv reason | sort -u)" = converged ] ||
      fail "$deck on $ranks ranks: a step did not converge"
  done
  # Ranks agree within the tolerance of the steps: energies to 1e-3.
  paste <(column ${deck}1/steps.csv elastic) <(column ${deck}2/steps.csv elastic) |
    awk '{ d = $1 - $2 } d * d > 1e-6 * $1 * $1 { exit 1 }' || fail "$deck: energies on 1 and 2 ranks differ"
done

# The decks without a mesh take one from the command line. Fails if they do not.
works 1 mesh box body.msh -size 1,0.25,0.25 -cells 12,3,3
for deck in bar17K bunny5K; do
  works 1 run "$source/inputs/bench/$deck.yaml" -mesh_file "$work/body.msh" -time_steps 2 -output_every 0 \
    -output_directory $deck
done

# A body that is held at one end, which turns by 90 degrees about an edge of the box: fails if `centre` is not where the
# axis is.
cat >turn.yaml <<'D'
mesh:     {box: {size: [1, 0.25, 0.25], cells: [4, 1, 1]}}
material: {model: fixed_corotated, young: 1e5, poisson: 0.4, density: 1000}
attach:   {xmax: {hard: true, spin: [90, 0, 0], centre: [9, 0, 0]}}
time:     {step: 1, steps: 1}
solver:   {rtol: 1e-8, max_it: 500}
output:   {directory: turn, state_csv: true}
D
works 1 run turn.yaml
awk -F, '
  $2 == 1 && $3 * $3 < 1e-20 && ($4 - 0.25) ^ 2 < 1e-20 { up = 1 }
  $2 == 1 && ($3 + 0.25) ^ 2 < 1e-20 && $4 * $4 < 1e-20 { side = 1 }
  END { exit !(up && side) }' turn/state.csv || fail "the end did not turn about its edge"

# qn after a variant that has renewed the operator makes the same iterations as alone. Fails if it uses the renewed
# operator.
cat >other.yaml <<'D'
mesh:     {box: {size: [1, 0.25, 0.25], cells: [8, 2, 2]}}
material: {model: fixed_corotated, young: 1e5, poisson: 0.4, density: 1000}
set:      {end: {box: [0.99, 0, 0, 1, 1, 1]}}
attach:   {xmin: {hard: true}, end: {hard: true, velocity: [40, 0, 0]}}
time:     {step: 2e-2}
variant:  {renewed: {type: qn, refresh: 5}}
compare:  {solvers: [renewed, qn], iterations: 30, reference: least}
output:   {directory: other}
D
works 1 compare other.yaml
works 1 compare other.yaml -compare_solvers qn -output_directory alone
values() { awk -F, -v name="$2" '$1 == name { print $2, $4 }' "$1"; }
[ -n "$(values other/compare.csv qn)" ] || fail "no rows of qn"
[ "$(values other/compare.csv qn)" = "$(values alone/compare.csv qn)" ] ||
  fail "qn takes other iterations after refresh than alone"
[ "$(values other/compare.csv renewed)" != "$(values other/compare.csv qn)" ] || fail "refresh made no other operator"
