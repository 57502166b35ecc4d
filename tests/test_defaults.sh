#!/bin/bash
# Every scene of inputs, and a plate, a rod and a ball, without a key of `solver` and with steps of 10 ms: all steps
# converge. Fails if the default method, its start or its number of iterations does not suffice for one of them.
# usage: test_defaults.sh BUILD_DIR SOURCE_DIR
. "$(dirname "$0")/lib.sh"

# plain DECK: the deck without its solver and the end of its time, beside the files that it names.
plain() {
  awk '/^[a-z_]/ { skip = /^solver/ } !skip' "$1" | sed -E '/^time/{ s/\b(end|steps|step): *[^,}]*,? *//g; /\{ *\}/d }'
}

# converges DECK ARGS...: two steps.
converges() {
  local deck=$1
  shift
  echo "$deck"
  works 1 run "$deck" -time_step 1e-2 -time_steps 2 -output_every 0 -output_directory out "$@"
  converged out 2
}

cp -r "$source/inputs" inputs
for deck in scenes/{torus,twist,bridge,cube,two_blocks,head,spheres,cloth,thrown,drape} beam_twist lamp pendulum; do
  plain "inputs/$deck.yaml" >"inputs/$deck-plain.yaml"
  converges "inputs/$deck-plain.yaml"
done

cat >plate.yaml <<'D'
mesh:     {box: {size: [2, 1, 0.1], cells: [20, 10, 2]}}
material: {model: neohookean, young: 2.1e11, poisson: 0.3, density: 7800}
attach:   {xmin: {hard: true}}
pressure: {zmax: {value: 1e4}}
D
cat >rod.yaml <<'D'
mesh:     {box: {size: [1, 0.02, 0.02], cells: [50, 1, 1]}}
material: {model: corotated, young: 1e6, poisson: 0.3, density: 1000}
attach:   {xmin: {hard: true}}
gravity:  [0, 0, -9.81]
D
cat >ball.yaml <<'D'
mesh:     {file: inputs/meshes/ball.msh}
material: {model: corotated, young: 1e6, poisson: 0.49, density: 1000}
gravity:  [0, 0, -9.81]
collider: {floor: {shape: half_space, point: [0, 0, -0.49], normal: [0, 0, 1], stiffness: 1e5}}
D
for deck in plate rod ball; do
  converges $deck.yaml
done
