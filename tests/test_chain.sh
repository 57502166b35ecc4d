#!/usr/bin/env bash
# Chains: an analysis that begins where another has ended. The same deck stays where it is, with attachments, loads,
# pressure and contacts; two decks end where one with both motions does; loads and materials that change, and inertia
# that goes, lead to the equilibrium of the last deck alone; dynamics begins at rest with held sides where they are; a
# restart in a chain reproduces it. Fails if what is out of balance at the beginning does not fade out, or held vertices
# jump.
# usage: test_chain.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 3
. "$(dirname "$0")/lib.sh"

cat >press.yaml <<'DECK'
mesh:     {box: {size: [0.1, 0.1, 0.2], cells: [3, 3, 6]}}
material: {model: stable_neohookean, young: 1e6, poisson: 0.4, density: 1000}
attach:   {zmin: {hard: true}, zmax: {hard: true, velocity: [0, 0, -0.02]}}
force:    {ymax: {value: [0, 20, 5]}}
pressure: {xmin: {value: 2e4}}
time:     {integrator: static, steps: 2}
solver:   {rtol: 0, atol: 1e-7}
checkpoint: {every: 1}
output:   {directory: press, every: 0, state_csv: true}
DECK
next=(-initial_continue false)
twist=(-attach_zmax_spin 0,0,60)

# alike DIRECTORY DIRECTORY TOLERANCE WHAT: positions at the end.
alike() {
  near "$(far "$1" "$2")" 0 "$3" "$4: positions"
  [ "$(wc -l <"$1/state.csv")" -gt 40 ] || fail "$4: vertices are missing in state.csv"
}

works 2 run press.yaml

# --- the same deck again: nothing moves, and there is nothing to solve
works 1 run press.yaml "${next[@]}" -initial_restart press -output_directory same
alike press same 1e-9 'the same deck again'
grep -q '^chain of  press/checkpoint_000002.h5$' log || fail 'the header does not name the chain'

# --- pressed, then twisted: where both at once end; another number of ranks; a restart on the way
works 1 run press.yaml "${twist[@]}" -output_directory both -time_steps 4
works 2 run press.yaml "${twist[@]}" "${next[@]}" -initial_restart press -output_directory twist -time_steps 4
alike both twist 1e-7 'pressed and then twisted'
works 1 run press.yaml "${twist[@]}" -initial_restart twist/checkpoint_000003.h5 -output_directory again -time_steps 4
alike twist again 1e-8 'a restart in a chain'

# --- pressed further, by a velocity or to targets of a table: on the same way
works 1 run press.yaml -attach_zmax_velocity 0,0,-0.03 "${next[@]}" -initial_restart press -output_directory further
awk -F, -v OFS=, 'NR == 1 { print "vertex,x,y,z" } NR > 1 && $4 > 0.18 - 1e-9 && $4 < 0.18 + 1e-9 {
  print $1, $2, $3, $4 - 0.01 }' press/state.csv >top.csv
sed 's/zmax: .*}}/top: {hard: true, file: top.csv}}/' press.yaml >table.yaml
works 2 run table.yaml "${next[@]}" -initial_restart press -output_directory table
alike further table 1e-7 'targets of a table'
close "$(column table/steps.csv elastic | head -n 1)" "$(column further/steps.csv elastic | head -n 1)" 1e-6 \
  'energy on the way to targets of a table'

# --- another material and no loads: the equilibrium of the last deck alone
sed '/^force/d; /^pressure/d' press.yaml >free.yaml
works 2 run free.yaml -material_young 2e6 -material_poisson 0.2 -output_directory alone
works 1 run free.yaml -material_young 2e6 -material_poisson 0.2 "${next[@]}" -initial_restart twist \
  -output_directory other -time_steps 4
alike alone other 1e-7 'another material'

# --- from statics to dynamics: held where it is, in equilibrium it stays; let go, it keeps its energy
sed 's/time:.*/time: {step: 1e-4, steps: 3, integrator: implicit_midpoint}/; s/, velocity: .*}}/}}/
  s/solver:.*/solver: {rtol: 1e-10}/' press.yaml >step.yaml
works 2 run step.yaml "${next[@]}" -initial_restart press -output_directory still
alike press still 1e-9 'a body in equilibrium moves'
works 1 run step.yaml -initial_restart still -time_steps 5 -output_directory still_on
alike press still_on 1e-9 'a body in equilibrium moves after a restart'
works 1 run step.yaml -initial_restart still -initial_velocity 0,0,0 -time_steps 5 -output_directory still_v
alike press still_v 1e-9 'held vertices jump after a restart with other velocities'
sed '/^force/d; /^pressure/d; s/, zmax: .*}}/}/' step.yaml >go.yaml
works 2 run go.yaml "${next[@]}" -initial_restart press -output_directory go
close "$(last go/steps.csv total)" "$(last press/steps.csv elastic)" 1e-5 'energy of a body that is let go'

# --- from dynamics to statics: velocities go, the forces of inertia fade out
works 1 run free.yaml "${next[@]}" -initial_restart go -output_directory calm
works 1 run free.yaml -output_directory calm_alone
alike calm calm_alone 1e-7 'from dynamics to statics'

# --- contact and friction: the same deck again
cat >plate.yaml <<'DECK'
mesh:     {box: {size: [0.1, 0.1, 0.05], cells: [3, 3, 2], origin: [0, 0, 2e-4]}}
material: {model: stable_neohookean, young: 1e6, poisson: 0.3, density: 1000}
attach:   {zmax: {hard: true, velocity: [0, 0, -3e-3]}}
collider: {plate: {shape: half_space, point: [0, 0, 0], normal: [0, 0, 1], method: barrier}}
time:     {integrator: static, steps: 2}
solver:   {rtol: 0, atol: 1e-6}
output:   {directory: plate, every: 0, state_csv: true}
DECK
works 2 run plate.yaml
works 2 run plate.yaml "${next[@]}" -initial_restart plate -output_directory plate2
alike plate plate2 1e-8 'the same deck again, in contact'

# --- what is refused
refused 'initial_continue is false, but there is no initial_restart' run press.yaml "${next[@]}"
refused 'holds another mesh' run press.yaml "${next[@]}" -initial_restart plate -output_directory x
refused 'a new analysis needs an output_directory of its own' run press.yaml "${next[@]}" -initial_restart press
refused 'initial_continue: false begins a new analysis' run press.yaml -initial_restart go -output_directory x
exit 0
