#!/usr/bin/env bash
# Fields of tets in the program: scales of stiffness and directions of fibres from tables, on any ranks, with
# regions, refined, and after a restart; keys on top of materials; refusals.
# usage: test_fields.sh BUILD_DIR SOURCE_DIR     ranks: 3     cost: 12
. "$(dirname "$0")/lib.sh"

serve # calls of energy are in $(...)

# energy RANKS DECK ARGS...: the elastic energy at the deck's positions.
energy() {
  works "$1" evaluate "${@:2}" -output_directory value
  json_value value/evaluate.json elastic
}

# alike A B WHAT: equal to 12 digits.
alike() { close "$1" "$2" 1e-12 "$3"; }
refused() { refused_everywhere "$1" check "${@:2}"; }

# Four tets around an edge, in the regions "left" and "right", turned and stretched.
cat >four.msh <<'MESH'
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
3 1 "left"
3 2 "right"
$EndPhysicalNames
$Nodes
6
1 0 0 0
2 0 0 1
3 1 0 0.4
4 0 1 0.5
5 -1 0 0.6
6 0 -1 0.5
$EndNodes
$Elements
4
11 4 2 1 1 1 2 3 4
12 4 2 2 1 1 2 4 5
13 4 2 1 1 1 2 5 6
17 4 2 2 1 1 2 6 3
$EndElements
MESH
cat >stretched.csv <<'CSV'
vertex,x,y,z
0,0,0,0.1
1,0.1,0,1.2
2,1.3,0,0.4
3,0,1.1,0.5
4,-1.1,0.2,0.6
5,0,-0.9,0.7
CSV
cat >four.yaml <<'DECK'
mesh:     {file: four.msh}
material: {model: strain, stiffness: 1e5, density: 1000}
time:     {step: 1e-2, steps: 2}
initial:  {positions: stretched.csv}
output:   {directory: out, every: 1}
DECK
echo "tet,scale
3,2
0,2
2,2
1,2" >twice.csv
echo "tet,scale
0,1
1,3
2,1
3,3" >right.csv
echo "tet,x,y,z
0,0,0,1
1,0,0,2e-200
2,0,0,1e200
3,0,0,0.5" >up.csv

# A table of ones has no effect, one of twos doubles the modulus. Fails if a row reaches another tet, or is lost.
for ranks in 1 3; do
  alike "$(energy $ranks four.yaml -material_stiffness_file twice.csv)" \
    "$(energy 1 four.yaml -material_stiffness 2e5)" twos
  alike "$(energy $ranks four.yaml -material_stiffness_file right.csv)" \
    "$(energy 1 four.yaml -region_right_stiffness 3e5)" \
    "a table and a region"
  alike "$(energy $ranks four.yaml -region_right_stiffness_file twice.csv)" \
    "$(energy 1 four.yaml -region_right_stiffness 2e5)" \
    "a table of a region"
  alike "$(energy $ranks four.yaml -fibre_stiffness 1e6 -fibre_file up.csv)" \
    "$(energy 1 four.yaml -fibre_stiffness 1e6 -fibre_direction 0,0,-3)" directions
done
head -2 up.csv >left.csv
sed -n 4p up.csv >>left.csv # tets 0 and 2: all of "left"
alike "$(energy 3 four.yaml -fibre_stiffness 1e6 -fibre_direction 0,0,1 -region_left_fibre_file left.csv)" \
  "$(energy 1 four.yaml -fibre_stiffness 1e6 -fibre_direction 0,0,1)" "a region's directions"
alike "$(energy 3 four.yaml -region_left_fibre_stiffness 1e6 -region_left_fibre_direction 1,0,0)" \
  "$(energy 1 four.yaml -region_left_fibre_stiffness 1e6 -fibre_direction 1,0,0 -region_right_fibre_stiffness 1e-300)" \
  "fibres in one region"

# The same from the mesh file: 2.2 and 4.1, text and binary, among other data; elements other than tets have no effect.
data() { # NAME COMPONENTS ROW...: a section of text.
  printf '$ElementData\n1\n"%s"\n1\n0.5\n3\n0\n%d\n%d\n' "$1" "$2" $(($# - 2))
  printf '%s\n' "${@:3}"
  echo '$EndElementData'
}
{ cat four.msh; data other 1 '11 7' '12 1'; data stiff 1 '12 3' '11 1' '99 5' '17 3' '13 1'
  data along 3 '11 0 0 1' '12 0 0 2' '13 0 0 1' '17 0 0 1'; } >data.msh
region=$(energy 1 four.yaml -region_right_stiffness 3e5)
up=$(energy 1 four.yaml -fibre_stiffness 1e6 -fibre_direction 0,0,1)
for ranks in 1 3; do
  alike "$(energy $ranks four.yaml -mesh_file data.msh -material_stiffness_data stiff)" "$region" "data of 2.2"
  alike "$(energy $ranks four.yaml -mesh_file data.msh -fibre_stiffness 1e6 -fibre_data along)" "$up" \
    "directions of 2.2"
done
"$wring" mesh convert four.msh new.msh >log 2>&1 || fail "convert"
"$wring" mesh convert four.msh binary.msh -binary >log 2>&1 || fail "convert to binary"
awk '/^\$Elements/ { on = 1 } /^\$EndElements/ { on = 0 } on && NF == 4 { entity = $2 }
  on && NF == 5 { print $1, entity == 2 ? 3 : 1 }' \
  new.msh >rows
[ "$(wc -l <rows)" = 4 ] || fail "$(cat rows): not four tets"
mapfile -t rows <rows
{ cat new.msh; data stiff 1 "${rows[@]}"; } >new_data.msh
alike "$(energy 3 four.yaml -mesh_file new_data.msh -material_stiffness_data stiff)" "$region" "data of 4.1"
if command -v "$python" >/dev/null; then
  "$python" - <<'PYTHON' || fail 'binary_data.msh'
import struct
rows = [line.split() for line in open('rows')]
with open('binary_data.msh', 'wb') as f:
    f.write(open('binary.msh', 'rb').read())
    f.write(b'$ElementData\n1\n"stiff"\n1\n0\n3\n0\n1\n%d\n' % len(rows))
    for number, value in rows:
        f.write(struct.pack('=id', int(number), float(value)))
    f.write(b'\n$EndElementData\n')
PYTHON
  alike "$(energy 3 four.yaml -mesh_file binary_data.msh -material_stiffness_data stiff)" "$region" "binary data of 4.1"
fi

# Every law in addition to materials: more energy, its name in the header, its defaults in run.json only if it is used.
plain=$(energy 1 four.yaml)
for keys in "-volume_stiffness 1e5" "-strain_limit_stiffness 1e5 -strain_limit_min 0.95 -strain_limit_max 1.05" \
  "-fibre_stiffness 1e5 -fibre_direction 1,2,3"; do
  more=$(energy 3 four.yaml $keys)
  awk -v a="$plain" -v b="$more" 'BEGIN { exit !(b > a * 1.001) }' || fail "$keys adds nothing: $plain, $more J"
done
works 1 run four.yaml -volume_stiffness 1e5 -output_directory with
grep -q '"volume_min"' with/run.json || fail "run.json does not have volume_min"
works 1 run four.yaml -output_directory without
! grep -q '"volume_min"' without/run.json || fail "run.json has volume_min"

# Refined, the children of a tet have its values; a restart reads the tables again by the numbers of the deck's mesh.
cat >fine.yaml <<'DECK'
mesh:     {file: four.msh, refine: 1}
material: {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
set:      {foot: {plane: [0, 0, 0.2, 0, 0, -1]}}
attach:   {foot: {stiffness: 1e6}}
time:     {step: 1e-2, steps: 2}
solver:   {type: newton, rtol: 1e-12}
output:   {directory: out, every: 0, state_csv: true}
DECK
works 1 run fine.yaml -material_stiffness_file right.csv -time_steps 4 -output_directory whole
works 1 run fine.yaml -region_right_young 3e5 -time_steps 4 -output_directory region
works 3 run fine.yaml -material_stiffness_file right.csv -output_directory first
works 1 run fine.yaml -material_stiffness_file right.csv -time_steps 4 -initial_restart first -output_directory rest
for other in region rest; do
  paste -d, whole/state.csv $other/state.csv | awk -F, '
    NR > 1 { for (i = 2; i <= 7; i++) { d = $i - $(i + 7); d = d < 0 ? -d : d; if (d > worst) worst = d } }
    END { exit !(NR > 5 && worst < 1e-9) }' || fail "whole and $other end apart"
done

# Rows that cannot be used, with their lines.
printf 'tet,scale\n0,1\n1,0\n2,1\n3,1\n' >zero.csv
printf 'tet,scale\n0,1\n1,1\n2,1\n' >short.csv
printf 'tet,scale\n0,1\n1,1\n1,1\n3,1\n' >double.csv
printf 'tet,scale\n0,1\n4,1\n' >far.csv
printf 'tet,x,y,z\n0,1,0,0\n1,0,1,0\n2,0,0,0\n3,1,0,0\n' >none.csv
refused 'zero.csv:3: tet 1 has 0, expected a scale above 0' four.yaml -material_stiffness_file zero.csv
refused 'short.csv: tet 3 is missing, expected every tet' four.yaml -material_stiffness_file short.csv
refused 'double.csv:4: tet 1 is given twice .first in line 3' four.yaml -material_stiffness_file double.csv
refused 'far.csv:3: tet is "4", expected a tet, an integer from 0 to 3' four.yaml -material_stiffness_file far.csv
refused 'none.csv:4: tet 2 has 0, ..., expected a direction' four.yaml -fibre_stiffness 1e5 -fibre_file none.csv
refused 'nowhere.csv: cannot be read' four.yaml -material_stiffness_file nowhere.csv

{ cat four.msh; data bad 1 '11 1' '12 -3' '13 1' '17 1'; } >bad.msh
{ cat four.msh; data again 1 '11 1' '12 3' '11 1' '17 1'; } >again.msh
{ cat data.msh; data stiff 1 '11 1'; } >twin.msh
sed 's/^12 3$/12 x/' data.msh >letter.msh
refused 'bad.msh: .ElementData "bad": tet 1 has -3, expected a scale above 0' four.yaml -mesh_file bad.msh \
  -material_stiffness_data bad
refused 'again.msh:[0-9]*: element 11 is given twice' four.yaml -mesh_file again.msh -material_stiffness_data again
sed 's/^13 4 2 1 1/12 4 2 1 1/' data.msh >same.msh # fails if only rows are compared: tet 2 is missing
refused 'same.msh:22: element 12 is given twice' four.yaml -mesh_file same.msh -material_stiffness_data stiff
refused 'data.msh: .ElementData "other": tet 2 is missing' four.yaml -mesh_file data.msh \
  -material_stiffness_data other
refused 'data.msh:[0-9]*: .ElementData "along" has 3 components, expected 1' four.yaml -mesh_file data.msh \
  -material_stiffness_data along
refused 'data.msh: has no .ElementData "soft"' four.yaml -mesh_file data.msh -material_stiffness_data soft
refused 'twin.msh:[0-9]*: a second .ElementData "stiff"' four.yaml -mesh_file twin.msh -material_stiffness_data stiff
refused 'letter.msh:[0-9]*: .*expected a finite value' four.yaml -mesh_file letter.msh -material_stiffness_data stiff
refused 'stiffness_data and material_stiffness_file are both given' four.yaml -material_stiffness_file right.csv \
  -material_stiffness_data stiff

# Keys that cannot be used.
sed 's/^mesh:.*/mesh: {box: {size: [1, 1, 1], cells: [1, 1, 1]}}/; /^initial/d' four.yaml >box.yaml
fibre="-fibre_stiffness 1e5"
limit="-strain_limit_stiffness 1e5"
refused 'material_stiffness_data names data in a mesh file, expected mesh.file' box.yaml -material_stiffness_data stiff
refused 'fibre_direction is 0, expected a direction' four.yaml $fibre -fibre_direction 0,0,0
refused 'fibre_direction is missing' four.yaml $fibre
refused 'fibre_stiffness is missing' four.yaml -fibre_direction 0,0,1
refused 'fibre_file and fibre_direction are both given' four.yaml $fibre -fibre_direction 0,0,1 -fibre_file up.csv
refused 'fibre_stiffness is "-1", expected' four.yaml -fibre_stiffness -1 -fibre_direction 0,0,1
refused 'volume_min is "0", expected' four.yaml -volume_stiffness 1 -volume_min 0
refused 'volume_max is 1, expected at least volume_min = 2' four.yaml -volume_stiffness 1 -volume_min 2
refused 'region_left_volume_max is 0.5, expected at least volume_min = 1' four.yaml -volume_stiffness 1 \
  -region_left_volume_max 0.5
refused 'strain_limit_min is missing' four.yaml $limit -strain_limit_max 1
refused 'strain_limit_max is 0.9, expected at least strain_limit_min = 1' four.yaml $limit -strain_limit_min 1 \
  -strain_limit_max 0.9
refused 'strain_limit_min is "-1", expected' four.yaml $limit -strain_limit_min -1 -strain_limit_max 2
printf 'vertex,x,y,z\n0,0,0,0\n1,1,0,0\n' >points.csv
printf 'vertex,mass\n0,1\n1,1\n' >mass.csv
refused 'fibre_stiffness applies to tetrahedra' four.yaml -mesh_file points.csv -mass_file mass.csv $fibre \
  -fibre_direction 0,0,1
exit 0
