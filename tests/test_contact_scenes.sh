#!/usr/bin/env bash
# Scenes of self_contact.method barrier by its defaults (tests/contact/scenes.py): every step converges, the least
# distance stays above 0, no surface triangles of any frame intersect, by exact arithmetic (tests/intersections.py), and
# a dropped block ends in the same state on 1, 2 and 4 ranks. It fails when an edge, a fast body, a linked ring, or a
# vertex or edge right above another one, passes through, or when edges inside a face hold up what slides over them.
# WRING_SCENES=all, of the nightly suite, runs every scene on 1, 2 and 4 ranks.
# usage: test_contact_scenes.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 15
. "$(dirname "$0")/lib.sh"
scenes=$source/tests/contact/scenes.py
$python -c 'import vtk, numpy' 2>/dev/null || skip "no VTK (Debian: python3-vtk9 python3-numpy)"

# scene NAME RANKS [KEY...]: its output is in NAME.RANKS.
scene() {
  local name=$1 ranks=$2 out=$1.$2
  shift 2
  $python "$scenes" "$name" . || fail "$name is not written"
  works "$ranks" run "$name.yaml" -output_directory "$out" "$@"
  [ "$(column "$out/steps.csv" reason | sort -u)" = converged ] || fail "$name on $ranks ranks: a step did not converge"
  in_contact "$out"
}

quick=(rods:1 rods:2 needle:1 cube:1 cube:2 tori:1 chain:1 tips:1 ridges:2 crossed:1 crack:1 cliff:2 seams:1)
all=({rods,needle,cube,tori,chain,cloth,tips,ridges,crossed,crack,cliff,seams}:{1,2,4})
[ "${WRING_SCENES:-}" = all ] && quick=("${all[@]}")
for run in "${quick[@]}"; do scene "${run%:*}" "${run#*:}"; done
column seams.1/steps.csv px | awk '!($1 > 0.99 * 2) { exit 1 }' || fail "edges inside a face slow a box of 1 kg"

# Newton's systems with contacts: about 1,600 iterations of conjugate gradients, 2,700 by a V-cycle without contacts
works 2 run needle.yaml -solver_type newton -solver_newton_linear cg -output_every 0 -output_directory cg
$python -c 'import json; n = json.load(open("cg/run.json"))["linear_iterations"]; assert 0 < n < 2000, n' ||
  fail "newton by cg takes too many linear iterations in contact"

for ranks in 1 2 4; do scene block $ranks -solver_rtol 1e-10; done
for ranks in 2 4; do near "$(far block.1 block.$ranks)" 0 6.4e-7 "positions of the block on $ranks ranks"; done
[ "$(wc -l <block.1/state.csv)" -gt 70 ] || fail 'vertices are missing in state.csv'
$python "$source/tests/intersections.py" ./*/frame_*.vtu >found || fail "$(grep -v ', 0 i' found)"
