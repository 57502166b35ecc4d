#!/usr/bin/env bash
# The solver `auto`: it replaces the operator by a factor of the Hessian where the operator is a poor model of g, on a
# slender bar, and does not where it is a good one; run.json says so, check prints the rule. Fails if the slender bar
# takes more than a quarter of qn's evaluations, if a factor is made where qn needs few, if a solve does not converge on
# any number of ranks, if the choices are not those of the steps, or if keys of one method no longer select it.
# usage: test_auto.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 2
. "$(dirname "$0")/lib.sh"

cat >slender.yaml <<'DECK'
mesh:     {box: {size: [8, 0.2, 0.2], cells: [80, 2, 2], jitter: 0}}
material: {model: corotated, young: 1e8, poisson: 0.3, density: 1000}
attach:   {xmin: {hard: true}, xmax: {hard: true}}
gravity:  [0, 0, -9.81]
time:     {step: 1e-2, steps: 4}
output:   {directory: out, every: 0}
DECK
sed 's/size: .*jitter: 0/size: [2, 0.5, 0.5], cells: [12, 3, 3]/; s/1e8/1e5/; s/, xmax: {hard: true}//' slender.yaml \
  >soft.yaml

# show EXPRESSION: a value of run.json, of which w is the work and c the choices.
show() { python3 -c "import json; j = json.load(open('out/run.json')); w, c = j['work'], j['choices']; print($1)"; }

for deck in slender soft; do
  works 1 run $deck.yaml -solver_type qn
  qn=$(show 'w["evaluations"]')
  [ "$(show 'len(c)')" = 0 ] || fail "qn chooses"
  for ranks in 1 2 4; do
    works $ranks run $deck.yaml
    [ "$(show 'j["solver"]')" = auto ] || fail "auto is not the default: $(show 'j["solver"]')"
    done=$(show 'j["steps_by_reason"].get("converged")')
    [ "$done" = 4 ] || fail "$deck, $ranks ranks: $done of 4 steps converge"
    if [ $deck = slender ]; then
      [ "$(show "4 * w['evaluations'] < $qn")" = True ] || fail "$ranks ranks: $(show 'w') and $qn evaluations of qn"
      [ "$(show 'w["hessians"] == sum("Hessian" in x["uses"] for x in c) > 0')" = True ] || fail "choices: $(show c)"
      [ "$(show 'c[0]["uses"], c[0]["solve"]')" = 'Hessian 0' ] || fail "the first choice: $(show 'c[0]')"
    else
      [ "$(show "w['evaluations'] <= $qn and not c and w['hessians'] == 0")" = True ] ||
        fail "$ranks ranks: $(show c), $(show w), $qn evaluations of qn"
    fi
  done
done

works 1 check slender.yaml
grep -q '^method *L-BFGS with 10 pairs' log || fail "check does not print the rule of auto"
works 1 run soft.yaml -solver_newton_linear direct -time_steps 1
[ "$(show 'j["solver"]')" = newton ] || fail "keys of newton alone select $(show 'j["solver"]')"
works 1 run soft.yaml -solver_newton_linear direct -solver_qn_history 3 -time_steps 1
[ "$(show 'j["solver"]')" = auto ] || fail "keys of two methods select $(show 'j["solver"]')"
