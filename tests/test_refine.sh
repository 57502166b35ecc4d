#!/usr/bin/env bash
# mesh.refine in the program: the same run on 1 and 3 ranks, restarts that do not refine again, counts, refusals.
# usage: test_refine.sh BUILD_DIR SOURCE_DIR     ranks: 3
. "$(dirname "$0")/lib.sh"

# says PATTERN: a line of the log.
says() { grep -Eq "$1" log || fail "the log does not say '$1'"; }

cat >beam.yaml <<'DECK'
mesh:     {box: {size: [2, 0.5, 0.5], cells: [4, 1, 1]}, refine: 2}
material: {model: corotated, young: 1e6, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:
  xmin:   {stiffness: 1e7}
  tip:    {stiffness: 1e5, velocity: [0, 0.5, 0]}
set:      {tip: {sphere: [2, 0.5, 0.5, 0.2]}}     # made after refinement: the coarse mesh has one vertex there
time:     {step: 1e-2, steps: 3}
solver:   {type: newton, rtol: 1e-12}
output:   {directory: out, every: 0, state_csv: true}
DECK

# 4 x 1 x 1 cells become 16 x 4 x 4. Fails if the counts are those of the file.
expect 0 1 check beam.yaml
says '425 vertices.* 1536 tet'

# The state after three steps does not depend on ranks: fails if numbers, sets or attachments do.
expect 0 1 run beam.yaml -output_directory one
expect 0 3 run beam.yaml -output_directory three
[ "$(wc -l <one/state.csv)" = 426 ] || fail "$(wc -l <one/state.csv) rows of state.csv"
same one/state.csv three/state.csv 1e-9
grep -q '"mesh_refine"' one/run.json || fail "run.json does not have mesh_refine"

# A refined box of half the cells is another mesh than the box itself, but of the same counts.
expect 0 1 check beam.yaml -mesh_refine 1 -mesh_box_cells 8,2,2
says '425 vertices.* 1536 tet'

# A restart, also with the deck that made the checkpoint, continues with the refined mesh and does not refine it again.
expect 0 1 run beam.yaml -output_directory whole -time_steps 5
expect 0 3 run beam.yaml -output_directory part -initial_restart one -time_steps 5
same whole/state.csv part/state.csv 1e-9

# With another refinement the deck has another mesh: fails if it is accepted, and recorded in run.json.
for refine in 0 1 3; do
  refused 'one.*: holds another mesh \(425 vertices, 1536 tets\) than .*20 vertices, 24 tets.* expected the same' \
    run beam.yaml -initial_restart one -mesh_refine $refine -output_directory other
done
refused_on 3 'than .*20 vertices, 24 tets, mesh_refine 1\), expected' check beam.yaml -initial_restart one \
  -mesh_refine 1

# Order 2 comes after refinement. A checkpoint keeps it, with the members of sets chosen by position; another order is
# refused.
order=(run beam.yaml -mesh_refine 1 -mesh_order 2)
expect 0 1 "${order[@]}" -output_directory second
expect 0 1 "${order[@]}" -output_directory whole2 -time_steps 5
expect 0 3 "${order[@]}" -output_directory part2 -initial_restart second -time_steps 5
same whole2/state.csv part2/state.csv 1e-9
refused 'holds a mesh of order 2, the deck has order 1' run beam.yaml -mesh_order 1 \
  -mesh_refine 1 -initial_restart second

refused_everywhere 'mesh_refine is "11", expected an integer in .0,10.' run beam.yaml -mesh_refine 11
refused_everywhere 'mesh_refine is "-1", expected an integer in .0,10.' run beam.yaml -mesh_refine -1
"$wring" version | grep -q '64-bit' || refused_everywhere 'mesh_refine: 10 .*at most' run beam.yaml -mesh_refine 10
grep -v '^mesh' beam.yaml >restart.yaml
sed -i '/^set/d;/^  tip/d' restart.yaml
refused 'mesh_refine: .*not refined again' run restart.yaml -initial_restart one -mesh_refine 1
printf 'vertex,x,y,z\n0,0,0,0\n1,1,0,0\n' >points.csv
sed 's/^mesh.*/mesh: {file: points.csv, refine: 1}/' beam.yaml >points.yaml
refused 'mesh_refine: 1, but the mesh has only points, expected 0' run points.yaml
exit 0
