#!/usr/bin/env bash
# Self-contact in decks: the scene of two blocks on 1 and 2 ranks, with and without, contacts that fail, and refusals.
# It fails when the cube falls through the slab, a step does not converge because contacts alternate, ranks differ, a
# body passes through another one unnoticed, or a key is misread.
# usage: test_self_contact.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 10
. "$(dirname "$0")/lib.sh"

# ---- two blocks: the cube is slowed down by the slab, through which without self-contact it falls -----------------
deck=$source/inputs/scenes/two_blocks.yaml
short="-time_steps 58 -operator_type direct -output_every 0 -output_state_csv true"
works 1 run "$deck" $short -output_directory one
works 2 run "$deck" $short -output_directory two
sed '/^self_contact/d' "$deck" | sed "s|\.\./meshes|$source/inputs/meshes|" >free.yaml
works 1 run free.yaml $short -output_directory free
[ "$(column one/steps.csv reason | sort -u)" = converged ] || fail "a step of the two blocks did not converge"
column one/steps.csv self_contact_depth | awk '$1 > 0.02 { exit 1 }' || fail "the blocks are too deep in each other"
paste <(column one/steps.csv pz) <(column free/steps.csv pz) |
  awk 'END { exit !($1 > 0.6 * $2 && $2 < -150) }' || fail "the cube is not slowed down"
near "$(far one two)" 0 1e-11 'positions of the two blocks on two ranks'
[ "$(wc -l <one/state.csv)" -gt 900 ] || fail 'vertices are missing in state.csv'
grep -q self_contact free/steps.csv && fail "a run without self-contact reports it"

# ---- contacts that fail: two linked rings, of which one falls on the other, and the cube on a slab that is too soft --
# rings: sections i = 0 ... n - 1 of 2 x 2 vertices, vertex 4 i + 2 j + k; the second ring after the first.
awk -v n=24 -v R=0.4 -v w=0.1 'BEGIN {
  print "MeshVersionFormatted 2\nDimension 3\nVertices\n" 8 * n
  for (r = 0; r < 2; r++) for (i = 0; i < n; i++) for (j = 0; j < 2; j++) for (k = 0; k < 2; k++) {
    a = 6.283185307179586 * i / n; d = R + w * (j - 0.5); c = d * cos(a); s = d * sin(a); h = w * (k - 0.5)
    if (r == 0) print c, s, h, 0; else print R + c, h, -s, 0 }
  print "Tetrahedra\n" 12 * n
  split("1 2 4 1 4 2 2 1 4 2 4 1 4 1 2 4 2 1", step, " ") # orders of the steps along i (1), j (2), k (4)
  for (r = 0; r < 2; r++) for (i = 0; i < n; i++) for (p = 0; p < 6; p++) {
    line = ""; at = 0
    for (q = 0; q < 4; q++) {
      line = line (4 * n * r + 4 * ((i + at % 2) % n) + 2 * (int(at / 2) % 2) + int(at / 4) + 1) " "
      if (q < 3) at += step[3 * p + q + 1] }
    print line 0 }
  print "End" }' >rings.mesh
cat >rings.yaml <<'DECK'
mesh:     {file: rings.mesh}
material: {model: neohookean, young: 1e6, poisson: 0.3, density: 1000}
set:      {end: {box: [-1, -1, -1, -0.3, 1, 1]}}
attach:   {end: {hard: true}}
gravity:  [0, 0, -9.81]
self_contact: {stiffness: 20, thickness: 5e-3}
time:     {step: 1e-2, steps: 50}
solver:   {type: qn, max_it: 500, rtol: 1e-5}
output:   {every: 0}
DECK
heard="vert[a-z]+ (is|are) passing through a body: .* smaller time_step or a larger self_contact.thickness or stiffness"
for ranks in 1 2; do
  works $ranks run rings.yaml -output_directory rings$ranks
  grep -Eq "^note: step 3[0-9]: [0-9]+ $heard" log || fail "$ranks ranks: no note of rings that pass"
  grep -Eq '^lost      vertices in contacts at the end of [0-9]+ steps?, at most [0-9]+, now 0$' log ||
    fail "$ranks ranks: the last lines do not count lost vertices"
  works $ranks run "$deck" -time_step 1e-2 -time_steps 40 -self_contact_stiffness 100 -self_contact_max_depth 0.02 \
    -solver_max_it 300 -operator_type direct -output_every 0 -output_directory soft$ranks
  grep -Eq "^note: step 2[0-9]: [0-9]+ $heard" log || fail "$ranks ranks: no note of a cube that sinks"
done
for name in rings soft; do
  column ${name}1/steps.csv self_contact_lost >first
  column ${name}2/steps.csv self_contact_lost | cmp -s - first || fail "$name: ranks differ in the lost vertices"
done
awk '$1 > most { most = $1 } END { exit !(most > 50) }' first || fail 'fewer vertices are lost than sink in'
works 1 run rings.yaml -self_contact_stiffness 2e4
! grep -Eq 'passing|^lost' log && [ "$(column out/steps.csv self_contact_lost | sort -u)" = 0 ] ||
  fail 'rings that hold are taken for rings that pass'

# A cube flies through a thin plate, a collider that is too soft; a stiff one stops it.
cat >plate.yaml <<'DECK'
mesh:     {box: {size: [0.4, 0.4, 0.4], cells: [2, 2, 2]}}
material: {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
initial:  {velocity: [0, 0, -2]}
collider: {plate: {shape: box, centre: [0.2, 0.2, -0.1], size: [2, 2, 0.1], stiffness: 50}}
time:     {step: 1e-2, steps: 20}
solver:   {type: qn, max_it: 200}
output:   {every: 0}
DECK
for ranks in 1 2; do
  works $ranks run plate.yaml
  grep -Eq '^note: step 6: 9 vertices are passing through a collider: ' log || fail "$ranks ranks: no note"
  [ "$(column out/steps.csv collider_lost | head -n 7 | tr '\n' ' ')" = '0 0 0 0 0 9 9 ' ] ||
    fail "$ranks ranks: vertices in a plate"
done
works 1 run plate.yaml -collider_plate_stiffness 1e5
! grep -Eq 'passing|^lost' log || fail 'a plate that holds is taken for one that does not'
# At 8 m/s it is jumped: between two steps every layer of 9 vertices is on one side, then on the other.
for ranks in 1 2; do
  works $ranks run plate.yaml -initial_velocity 0,0,-8 -collider_plate_size 2,2,0.02 -collider_plate_stiffness 1e5
  grep -Eq '^note: step [0-9]*: .* vertices are passing through a collider: ' log || fail "$ranks ranks: no jumps noted"
  [ "$(column out/steps.csv collider_lost | awk '{ sum += $1 } END { print sum }')" = 27 ] ||
    fail "$ranks ranks: $(column out/steps.csv collider_lost | tr '\n' ' ') vertices jump"
done

# So is a plate that is a body: between two steps a vertex goes in and out of it, but few are inside at their ends.
$python "$source/tests/contact/scenes.py" cube .
sed -i 's/^self_contact:.*/self_contact: {stiffness: 1e-6, thickness: 2e-3}/; s/every: 1/every: 0/' cube.yaml
for ranks in 1 2; do
  works $ranks run cube.yaml -output_directory cube$ranks -time_steps 8
  column cube$ranks/steps.csv self_contact_lost | awk '{ sum += $1 } END { exit !(sum >= 20 && sum <= 26) }' ||
    fail "$ranks ranks: $(column cube$ranks/steps.csv self_contact_lost | tr '\n' ' ') of 26 vertices jump"
done
column cube1/steps.csv self_contact_lost >first
column cube2/steps.csv self_contact_lost | cmp -s - first || fail "ranks differ in the vertices that jump over a body"

# Bars that cross between their vertices are held by their edges; they go through each other if these do not meet. By
# newton, whose path is that of one rank: auto may take another one, and contacts that begin elsewhere end elsewhere.
$python "$source/tests/contact/scenes.py" rods .
sed -i 's/^self_contact:.*/self_contact: {stiffness: 1e4}/; s/every: 1/every: 0/' rods.yaml
for ranks in 1 2; do
  works $ranks run rods.yaml -solver_type newton -output_directory rods$ranks
  [ "$(column rods$ranks/steps.csv reason | sort -u)" = converged ] || fail "$ranks ranks: a step did not converge"
  column rods$ranks/steps.csv self_contact_inside | awk 'NR <= 12 && $1 > 0 { exit 1 }' || fail "vertices hold the bars"
  column rods$ranks/steps.csv pz | awk 'END { exit !($1 > 1) }' || fail "$ranks ranks: the bars pass through each other"
done
# Bars that are too fast for their contacts jump over each other between their vertices: their edges are counted.
sed 's/stiffness: 1e4/stiffness: 1e-6/; s/step: 0.01/step: 0.1/' rods.yaml >jump.yaml
for ranks in 1 2; do
  works $ranks run jump.yaml -time_steps 3 -output_directory jump$ranks
  grep -Eq '^note: step [0-9]: .* passing through a body: .* jumped over in one step, where edges count, too' log ||
    fail "$ranks ranks: no note of edges that jump"
done
column jump1/steps.csv self_contact_lost >first
column jump2/steps.csv self_contact_lost | cmp -s - first || fail "ranks differ in the edges that jump"
near "$(far rods1 rods2)" 0 1e-6 'positions of the bars on two ranks'

# ---- what is refused -------------------------------------------------------------------------------------------------
cat >box.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [2, 2, 2]}}
material: {model: strain, stiffness: 1e5, density: 1000}
time:     {step: 1e-2, steps: 1}
output:   {every: 0}
DECK
printf 'vertex,x,y,z\n0,0,0,0\n1,1,0,0\n' >points.csv
printf 'vertex,mass\n0,1\n1,1\n' >masses.csv
works 1 run box.yaml -self_contact_stiffness 1e4
refused 'self_contact_stiffness is "-1", expected' run box.yaml -self_contact_stiffness -1
refused 'self_contact_thickness is "-1", expected' run box.yaml -self_contact_stiffness 1e4 -self_contact_thickness -1
refused 'self_contact_max_depth is "0", expected' run box.yaml -self_contact_stiffness 1e4 -self_contact_max_depth 0
refused 'self_contact_stiffness is missing' run box.yaml -self_contact_thickness 0.1
refused 'unknown key self_contact_max_deep, did you mean self_contact_max_depth' run box.yaml -self_contact_max_deep 0.1
for solver in pbd xpbd rgc penalty; do
  refused "solver '$solver' cannot use self_contact: it has an energy" run box.yaml -solver_type $solver \
    -self_contact_stiffness 1e4
done
for solver in pd admm mgpbd compliant; do
  refused "solver '$solver' cannot use contacts" run box.yaml -solver_type $solver -self_contact_stiffness 1e4
done
cat >points.yaml <<'DECK'
mesh:         {file: points.csv}
mass:         {file: masses.csv}
time:         {step: 1e-2, steps: 1}
self_contact: {stiffness: 1e4}
DECK
refused 'points.yaml:4: self_contact applies to the surface of tetrahedra' run points.yaml
