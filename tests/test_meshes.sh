#!/bin/bash
# ranks: 2
# Meshes that others made, ../shared/meshes (skipped where it is missing): each is read, held at one end, and runs 20
# steps of qn under gravity; the frames are opened with VTK where that is installed. Fails when a mesh is refused, a
# run does not end with status 0, a frame lacks a vertex or a tet, has a value that is not finite, or the end that is
# not held does not move.
. "$(dirname "$0")/lib.sh"
meshes=$source/../shared/meshes
[ -d "$meshes" ] || skip "no ../shared/meshes"

# One value of `wring mesh info`, by the name of its line and its word.
info() { awk -v name="$1" -v word="$2" 'index($0, name) == 1 { print $word; exit }' info; }

for mesh in "$meshes"/*.mesh "$meshes"/*.ele; do
  name=$(basename "${mesh%.*}")
  "$build/wring" mesh info "$mesh" >info 2>notes || fail "$name: $(cat notes)"
  low=$(info 'bounding box' 3) high=$(info 'bounding box' 7) vertices=$(info vertices 2) tets=$(info tetrahedra 2)
  end=$(awk -v a="$low" -v b="$high" 'BEGIN { print a + 0.1 * (b - a) }')
  cat >deck.yaml <<EOF
mesh:     {file: $mesh}
material: {model: strain, stiffness: 1e5, density: 1000}
set:      {end: {plane: [$end, 0, 0, -1, 0, 0]}}
attach:   {end: {stiffness: 1e5}}
gravity:  [0, -9.81, 0]
time:     {step: 1e-2, steps: 20}
solver:   {max_it: 10}
output:   {directory: $name, every: 10}
EOF
  works 2 run deck.yaml
  grep -E '^note: .*(turned|re-oriented)' log
  "$python" "$source/tests/read_frame.py" "$vertices" "$tets" "$name"/frame_*.vtu
  status=$?
  [ $status = 0 ] || [ $status = 77 ] || fail "$name: a frame is not what was written"
  awk -F, 'NR == 2 { first = $5 } NR > 1 { rows++; last = $5 } END { exit !(rows == 20 && last < first) }' "$name/steps.csv" || fail "$name: does not sag"
  echo "$name: $vertices vertices, $tets tets, $(ls "$name"/frame_*.vtu | wc -l) frames"
done
