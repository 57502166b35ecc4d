#!/usr/bin/env bash
# The energies of steps.csv: with the work of pressure and drag, `total` is constant with implicit_midpoint.
# usage: test_work.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 2
. "$(dirname "$0")/lib.sh"

# spread FILE: the largest difference of `total` from its first value, relative to the largest energy of any kind.
spread() {
  awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    { t = $c["total"]; if (NR == 2) first = t; d = t - first; d = d < 0 ? -d : d; if (d > most) most = d
      for (k in c) if (k ~ /kinetic|elastic|external/) { e = $c[k] < 0 ? -$c[k] : $c[k]; if (e > scale) scale = e } }
    END { printf "%.3g\n", most / scale }' "$1"
}

# --- a sheet on linear springs, whose energy is quadratic: constant to the tolerance of the solves --------------------
# Fails if the work is that of another time, of the positions or the velocity at the end of the step, or of ghosts too.
awk 'BEGIN { print "vertex,mass"; for (v = 0; v < 25; v++) print v "," 1 + v % 3 }' >mass.csv
printf 'time,value\n0,0.5\n0.5,2\n1,0\n' >wave.csv
cat >sheet.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 0], cells: [4, 4, 0], jitter: 0.3}}
mass:     {file: mass.csv}
initial:  {velocity: [1, 2, -3]}
gravity:  [0, 1, -9]
attach:   {xmin: {stiffness: 300}, ymax: {stiffness: 40}}
force:    {xmax: {value: [10, -20, 30]}}
pressure: {box: {value: 20, curve: wave.csv}}
drag:     {coefficient: 0.4, rate: 0.3, curve: wave.csv}
time:     {step: 0.05, steps: 24, integrator: implicit_midpoint}
solver:   {type: newton, rtol: 1e-14}
output:   {directory: sheet, every: 0}
DECK
for ranks in 1 4; do
  works $ranks run sheet.yaml -output_directory sheet$ranks
  near "$(spread sheet$ranks/steps.csv)" 0 1e-12 "change of the total energy, $ranks ranks"
done
close "$(last sheet4/steps.csv external)" "$(last sheet1/steps.csv external)" 1e-9 "external energy on 4 ranks"
awk -v a="$(column sheet1/steps.csv kinetic | head -1)" -v b="$(last sheet1/steps.csv kinetic)" \
  'BEGIN { exit !((a - b) * (a - b) > 0.01 * a * a) }' || fail "the kinetic energy does not change"

# --- a restart on other ranks goes on counting; new velocities begin a new count --------------------------------------
works 2 run sheet.yaml -time_steps 12
sed '/^initial/d' sheet.yaml >later.yaml
works 1 run later.yaml -initial_restart sheet -output_directory later
close "$(last later/steps.csv external)" "$(last sheet1/steps.csv external)" 1e-9 "external energy after a restart"
works 1 run later.yaml -initial_restart sheet -initial_velocity 0,0,0 -drag_until 0 -pressure_box_until 0 \
  -time_steps 13 -gravity 0,0,0 -force_xmax_until 0 -output_directory again
near "$(last again/steps.csv external)" 0 1e-12 "external energy of a new start without loads"

# --- a body that is held nowhere, with a closed surface under pressure and drag: O(h^2) with rules of second order ----
# Fails if the work of drag is that of the last velocity for bdf2.
cat >body.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [2, 2, 2], jitter: 0.2}}
material: {model: stvk, young: 1e4, poisson: 0.3, density: 500}
initial:  {velocity: [3, 1, 0]}
drag:     {rate: 2}
time:     {step: 0.02, end: 0.2}
solver:   {type: newton, rtol: 1e-10}
output:   {directory: body, every: 0}
DECK
sides=()
for side in xmin xmax ymin ymax zmin zmax; do sides+=(-pressure_${side}_value 100); done
for rule in implicit_midpoint bdf2; do
  for h in 0.02 0.01; do
    works 1 run body.yaml "${sides[@]}" -time_integrator $rule -time_step $h -output_directory $rule$h
  done
  awk -v a="$(spread ${rule}0.02/steps.csv)" -v b="$(spread ${rule}0.01/steps.csv)" \
    'BEGIN { exit !(b > 0 && b < 0.01 && a / b > 3) }' ||
    fail "$rule: the energy changes by $(spread ${rule}0.02/steps.csv), $(spread ${rule}0.01/steps.csv)"
done

# --- statics: the work of pressure on the way is the elastic energy ---------------------------------------------------
# Fails if the pressure of a load step is that of its start or of its end only.
cat >pull.yaml <<'DECK'
mesh:     {box: {size: [1, 0.5, 0.5], cells: [4, 2, 2], jitter: 0.2}}
material: {model: stvk, young: 1e6, poisson: 0.3, density: 1000}
attach:   {xmin: {hard: true}}
pressure: {xmax: {value: -40000}}
drag:     {rate: 3}
time:     {integrator: static, steps: 4}
solver:   {type: newton, rtol: 1e-9}
output:   {directory: pull, every: 0}
DECK
works 2 run pull.yaml
close "$(last pull/steps.csv external)" "-$(last pull/steps.csv elastic)" 2e-3 "work of pressure in statics"
exit 0
