#!/bin/bash
# ranks: 2     cost: 12
# Meshes from other programs, ../shared/meshes (skipped if missing): each is read, held at one end, and runs 20
# steps of qn under gravity; the frames are opened with VTK where that is installed. Fails when a mesh is refused, a run
# does not end with status 0, a frame lacks a vertex or a tet or has a value that is not finite, or the mesh falls
# further or less far.
. "$(dirname "$0")/lib.sh"
meshes=$source/../shared/meshes
[ -d "$meshes" ] || skip "no ../shared/meshes"

# The part of free fall that the loads of each mesh lose, by steps to rtol 1e-4 of version 0.1; 0 to 1 for another mesh.
declare -A sags=([armadillo_4k]=0.94059 [bar17K]=0.59892 [bunny]=0.98409 [bunny5K]=0.55143 [ditto]=0.97852
  [hippo]=0.61572 [squirrel_modified]=0.32217 [torus]=0.69739)

# One value of `wring mesh info`, by the name of its line and its word.
info() { awk -v name="$1" -v word="$2" 'index($0, name) == 1 { print $word; exit }' info; }

frames=()
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
  frames+=(-- "$vertices" "$tets" "$name"/frame_*.vtu)
  # In free fall the loads would lose m g^2 h^2 (k (k + 1)/2 - 1) from the first step to step k = 20; what is held loses
  # less.
  [ "$(wc -l <"$name/steps.csv")" = 21 ] || fail "$name: not 20 steps"
  sag=$(column "$name/steps.csv" external | awk -v mass="$(awk -v v="$(info volume 2)" 'BEGIN { print 1000 * v }')" '
    NR == 1 { first = $1 } END { printf "%.5f", (first - $1) / (mass * 9.81 ^ 2 * 1e-4 * 209) }')
  close "$sag" "${sags[$name]:-0.5}" "$([ "${sags[$name]-}" ] && echo 0.002 || echo 1)" "$name: part of the free fall"
  echo "$name: $vertices vertices, $tets tets, $(ls "$name"/frame_*.vtu | wc -l) frames"
done
"$python" "$source/tests/read_frame.py" "${frames[@]:1}"
status=$?
[ $status = 0 ] || [ $status = 77 ] || fail 'a frame is not what was written'
