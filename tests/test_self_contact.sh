#!/usr/bin/env bash
# Self-contact in decks: the scene of two blocks on 1 and 2 ranks, with and without, and refusals. It fails when
# the cube falls through the slab, a step does not converge because contacts alternate, ranks differ, or a key is
# misread.
# usage: test_self_contact.sh BUILD_DIR SOURCE_DIR     ranks: 2
. "$(dirname "$0")/lib.sh"

# ---- two blocks: the cube is slowed down by the slab, through which without self-contact it falls -----------------
deck=$source/inputs/scenes/two_blocks.yaml
short="-time_steps 58 -operator_type direct -output_every 0 -output_state_csv true"
works 1 run "$deck" $short -output_directory one
works 2 run "$deck" $short -output_directory two
sed '/^self_contact/d' "$deck" | sed "s|\.\./meshes|$source/inputs/meshes|" >free.yaml
works 1 run free.yaml $short -output_directory free
! column one/steps.csv reason | grep -qv '^converged$' || fail "a step of the two blocks did not converge"
column one/steps.csv self_contact_depth | awk '$1 > 0.02 { exit 1 }' || fail "the blocks are too deep in each other"
paste <(column one/steps.csv pz) <(column free/steps.csv pz) |
  awk 'END { exit !($1 > 0.6 * $2 && $2 < -150) }' || fail "the cube is not slowed down"
paste -d, one/state.csv two/state.csv | awk -F, '
  NR > 1 { for (i = 1; i <= 7; i++) { d = $i - $(i + 7); if (d < 0) d = -d; if (i <= 4 && d > x) x = d } }
  END { exit !(NR > 900 && x <= 1e-12) }' || fail "two ranks end in another state than one"
grep -q self_contact free/steps.csv && fail "a run without self-contact reports it"

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
refused 'unknown key self_contact_depth, did you mean self_contact_max_depth' run box.yaml -self_contact_depth 0.1
for solver in pbd xpbd rgc penalty; do
  refused "solver '$solver' cannot use self_contact: it has an energy" run box.yaml -solver_type $solver \
    -self_contact_stiffness 1e4
done
for solver in pd admm compliant; do
  refused "solver '$solver' cannot use contacts" run box.yaml -solver_type $solver -self_contact_stiffness 1e4
done
cat >points.yaml <<'DECK'
mesh:         {file: points.csv}
mass:         {file: masses.csv}
time:         {step: 1e-2, steps: 1}
self_contact: {stiffness: 1e4}
DECK
refused 'points.yaml:4: self_contact applies to the surface of tetrahedra' run points.yaml
