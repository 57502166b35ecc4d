#!/usr/bin/env bash
# Typical mistakes of new users: units, names, forgotten keys, the wrong mesh. Each row of the table is an edit of one
# deck without faults, and must end with the given status and with one line that matches: a note (status 0) or an error
# (status 1). Fails where a mistake is answered by silence, by a second line or by a line without the cure; where the
# deck without faults, or a deck of inputs, gets a note; where the numbers of `wring check` depend on the ranks.
# usage: test_mistakes.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 9
. "$(dirname "$0")/lib.sh"

works 1 mesh box box.msh -size 0.12,0.04,0.04 -cells 3,1,1
works 1 mesh convert box.msh mm.msh -scale 1000
works 1 mesh convert box.msh small.msh -scale 100
cat >good.yaml <<'DECK'
mesh:     {file: box.msh}
material: {model: corotated, young: 1e7, poisson: 0.45, density: 1100}
attach:   {xmin: {hard: true}}
pressure: {xmax: {value: 5000}}
time:     {step: 5e-3, end: 0.5}
output:   {directory: out}
DECK
cat >surface.msh <<'MESH'
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
1
2 1 "xmin"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
2
1 2 2 1 1 1 2 3
2 2 2 1 1 1 3 4
$EndElements
MESH
sed -e 's/^2 2 2 1 1 1 3 4/2 5 2 1 1 1 2 3 4 1 2 3 4/' surface.msh >bricks.msh
sed -e 's/^2 2 2 1 1 1 3 4/2 29 2 1 1 1 2 3 4 1 2 3 4 1 2/' surface.msh >third.msh
printf 'solid a\nfacet normal 0 0 1\nouter loop\n' >part.stl
: >empty.msh
printf 't,value\n0,0\n1,1\n' >wrong.csv
mkdir empty

# ---- the table -------------------------------------------------------------------------------------------------------

# row STATUS COMMAND PATTERN [OPTIONS OF SED...]: `wring COMMAND` with the edited deck prints one line, or none where
# the pattern is empty.
n=0
overwrite=()
row() {
  local status=$1 command=${2/DECK/$n.yaml} pattern=$3 got lines
  shift 3
  sed "$@" good.yaml >"$n.yaml"
  n=$((n + 1))
  # shellcheck disable=SC2086
  on 1 $command
  got=$?
  [ $got = "$status" ] || fail "$command, $*: exit status $got, expected $status"
  lines=$(grep -E '^(note|wring): ' log | grep -vE 'threads|cores') # a busy machine has notes of its own
  [ -n "$pattern$lines" ] || return 0
  [ -n "$pattern" ] || fail "$command, $*: a line without need: $lines"
  [ "$(wc -l <<<"$lines")" = 1 ] || fail "$command, $*: not one line: $lines"
  grep -Eq -- "$pattern" <<<"$lines" || fail "$command, $*: '$lines' does not match '$pattern'"
}

says() { row 0 "check DECK" "$@"; }    # PATTERN SED...: a note
stops() { row 1 "check DECK" "$@"; }   # PATTERN SED...: an error
add() { printf 's/^time/%s\\ntime/' "$1"; }   # LINE: inserts a line before that of time

says '' -n -e p
row 0 "run DECK -output_directory o$n" '' -e 's/end: 0.5/steps: 1/'

# units
says 'extends over 120 m and weighs 2.11e\+08 kg: .*mm, set mesh: \{scale: 1e-3\}' -e 's/box.msh/mm.msh/'
row 0 "run DECK -output_directory o$n" 'extends over 120 m' -e 's/box.msh/mm.msh/' -e 's/end: 0.5/steps: 1/'
says 'extends over 12 m and weighs 1.51e\+06 kg: .*mm, ' -e 's/box.msh/small.msh/' -e 's/1e7/2.1e11/' \
  -e 's/1100/7850/' -e 's/5000/1e6/'
says '' -e 's/box.msh/mm.msh, scale: 1/'
says '' -e 's/box.msh/mm.msh, scale: 1e-3/'
says 'extends over 0.00012 m, 0.12 before mesh.scale' -e 's/box.msh/box.msh, scale: 1e-3/'
says 'box extends over 120 m' -e 's/file: box.msh/box: {size: [120, 40, 40], cells: [3, 1, 1]}/'
says '1e\+16 Pa.*1 GPa = 1e9' -e 's/1e7/1e16/'
says 'suggest a strain of 5e-10: check the units' -e 's/5000/5e-3/'
says 'suggest a strain of 1e\+02: check the units' -e 's/5000/1e9/'
says 'suggest a strain of 5: check the units' -e 's/1e7/1e3/'
says 'waves travel at 0.00587 m/s' -e 's/1e7/0.01/'
says 'waves travel at 0.186 m/s .*moduli are in Pa, 1 MPa = 1e6' -e 's/1e7/10/' -e '/^pressure/d' \
  -e "$(add 'initial: {velocity: [1, 0, 0]}')"
says 'ratio 0.49: locking: tetrahedra .*volumetric mean avoids it with neohookean' -e 's/0.45/0.49/'
says '' -e 's/corotated/neohookean/' -e 's/0.45/0.49, volumetric: mean/'
stops "volumetric is mean, but material 'corotated' has no term in J alone, expected full, or material" \
  -e 's/0.45/0.45, volumetric: mean/'
says 'density of 1.1 kg/m\^3: .*1 g/cm\^3 = 1000 kg/m\^3' -e 's/1100/1.1/'
says 'density of 7.85e-09 kg/m\^3' -e 's/1100/7.85e-9/'
says 'gravity is 9810 m/s\^2: .*9.81' -e "$(add 'gravity: [0, 0, -9810]')"
says 'gravity acts along \+z' -e "$(add 'gravity: [0, 0, 9.81]')"
says 'by 0.5 m in a step, 4.17 times the size of the body' -e "$(add 'initial: {velocity: [0, 0, 100]}')"
says 'by 0.5 m in a step' -e 's/hard: true/hard: true, velocity: [0, 0, 100]/'
says 'turns by 180 degrees in a step' -e 's/hard: true/stiffness: 1e6, spin: [0, 0, 36000]/'
stops 'poisson is "0.5", expected a real in \(-1,0.5\)' -e 's/0.45/0.5/'
stops 'poisson is "45", expected a real in' -e 's/0.45/45/'
stops 'young is "1e7 Pa", expected a real .*\[Pa\]' -e 's/1e7/1e7 Pa/'
stops 'young is "10MPa", expected a real' -e 's/1e7/10MPa/'
stops 'decimals are written with a point' -e 's/0.45/0,45/'
stops 'poisson is "0,45", expected a real' -e 's/0.45/"0,45"/'

# forgotten keys
says 'nothing moves the body: no gravity, load' -e '/^pressure/d'
says 'nothing moves the body' -e 's/5000/0/'
says 'nothing holds the body .*it flies away' -e '/^attach/d'
says 'nothing holds the body .*no collider below it; it falls freely' -e '/^attach/d' \
  -e 's/^pressure.*/gravity: [0, 0, -9.81]/'
says 'nothing holds the body .*falls freely' -e '/^attach/d' -e 's/^pressure.*/gravity: [0, 0, -9.81]/' \
  -e "$(add 'collider: {ball: {shape: sphere, centre: [1, 0, -1], radius: 0.1, stiffness: 1e4}}')"
says '' -e '/^attach/d' -e 's/^pressure.*/gravity: [0, 0, -9.81]/' \
  -e "$(add 'collider: {floor: {shape: half_space, point: [0, 0, -1], normal: [0, 0, 1], stiffness: 1e4}}')"
says 'loads of 8 N act on vertices that hard attachments hold, and on no others' -e 's/xmax/xmin/'
says 'hold all 16 vertices: nothing is computed' -e 's/xmin/box/'
says 'neither time.end nor time.steps is given: a run makes one step' -e 's/, end: 0.5//'
says 'no key uses the set grip of the deck' -e "$(add 'set: {grip: {box: [-1, -1, -1, 0, 1, 1]}}')"
stops 'time_step is missing' -e '/^time/d'
stops 'time_step is missing' -e 's/step: 5e-3, //'
stops 'mesh: none is given, expected mesh.file, mesh.box' -e '/^mesh/d'
stops 'material_model is missing, .*region_.*_model.*wring help material' -e '/^material/d'
stops 'material_density is missing: .*\[kg/m\^3\]' -e 's/, density: 1100//'
stops 'material_poisson is missing' -e 's/poisson: 0.45, //'
stops 'attach_xmin_stiffness is missing: .*hard: true' -e 's/hard: true/velocity: [0, 0, 1]/'

# names
stops "'xmim' is not a set .*did you mean 'xmin'" -e 's/xmin/xmim/'
stops "no region 'bax' .did you mean 'box'" -e "$(add 'region: {bax: {young: 1e6}}')"
stops 'unknown key material_yong, did you mean material_young' -e 's/young/yong/'
stops "model is 'corotatd', expected one of .*did you mean corotated" -e 's/corotated/corotatd/'
stops 'type is "newtn", expected one of .*did you mean newton' -e "$(add 'solver: {type: newtn}')"
stops 'integrator is "newmark", expected one of implicit_euler' -e 's/end: 0.5/end: 0.5, integrator: newmark/'
stops 'unknown key load_xmax_value, did you mean one of .*traction' -e 's/^pressure/load/'
stops 'unknown key fix_xmin_hard, did you mean attach' -e 's/^attach/fix/'
stops "set 'grip' has no triangles" -e "$(add 'set: {grip: {box: [-1, -1, -1, 0, 1, 1]}}')" -e 's/xmax/grip/'
stops 'no vertex of the mesh lies in it.*extends from 0,0,0 to 0.12,0.04,0.04 m' \
  -e "$(add 'set: {grip: {box: [1, 1, 1, 2, 2, 2]}}')" -e 's/xmin/grip/'

# the wrong mesh
stops 'no tetrahedra, only surfaces or lines: save the three-dimensional mesh' -e 's/box.msh/surface.msh/' \
  -e '/^pressure/d'
stops 'bx.msh: cannot be read' -e 's/box.msh/bx.msh/'
stops 'part.stl:1: not a mesh: expected Gmsh' -e 's/box.msh/part.stl/'
stops 'empty.msh:1: the file is empty' -e 's/box.msh/empty.msh/'
stops 'element type 29 \(third-order tetrahedron\), expected points' -e 's/box.msh/third.msh/'
stops 'element type 5 \(hexahedron\), expected' -e 's/box.msh/bricks.msh/'

# YAML
stops 'not valid YAML .*a tab: indent with blanks' -e 's/^time: */\ttime: /'
stops 'not valid YAML in column' -e 's/0.45, /0.45 /'
stops 'key material is given twice .first in line 2' -e "$(add 'material: {young: 1e6}')"
stops 'gravity is "-9.81", expected 3 reals' -e "$(add 'gravity: -9.81')"
stops 'young is "1e7,1e7", expected a real' -e 's/1e7/[1e7, 1e7]/'
stops 'value is "0,0,5000", expected a real \[Pa\]' -e 's/5000/[0, 0, 5000]/'
stops 'hard is "ture", expected true or false' -e 's/hard: true/hard: ture/'

# supports, steps, files
says 'give way by 200 m under the loads.*hard: true' -e 's/hard: true/stiffness: 1e-2/'
says 'is 5.9e\+18 times as stiff as the elements, .*hard: true' -e 's/hard: true/stiffness: 1e25/'
says 'time.step 1 s is larger than time.end 0.5 s' -e 's/5e-3/1/'
says 'nothing moves in it' -e 's/5e-3, end: 0.5/1e-20, steps: 5/'
stops 'is 5e\+19 steps of 1e-20 s, expected at most' -e 's/5e-3/1e-20/'
says 'times the largest stable step of symplectic_euler, about 0.00015 s' \
  -e 's/5e-3,/5e-3, integrator: symplectic_euler,/'
stops 'wrong.csv:1: the header is "t,value", expected "time,value"' -e 's/5000/5000, curve: wrong.csv/'
stops 'empty: holds no checkpoint' -e "$(add 'initial: {restart: empty}')"
stops 'nowhere: No such file' -e "$(add 'initial: {restart: nowhere}')"
echo "$n rows"
[ $n -ge 60 ] || fail "only $n rows"

# ---- no false alarms, numbers, ranks ---------------------------------------------------------------------------------

for deck in pendulum lamp scenes/bridge scenes/cube scenes/spheres scenes/two_blocks bench/liu_bar bench/liu_sheet \
  studies/essay_13 studies/essay_14; do
  row 0 "check $source/inputs/$deck.yaml" '' -n -e p
done

# line NAME: the rest of this line of `wring check` in the file log. E and c of the Lame parameters, loads of 5000 Pa on
# 0.04 m x 0.04 m, the time of a wave along 0.12 m.
line() { sed -n "s/^$1 *//p" log; }
works 1 check good.yaml
grep -q "Young's modulus 1e+07 Pa, waves 185.7 m/s" log || fail "moduli at rest"
[ "$(line size)" = '0.12 x 0.04 x 0.04 m, from 0,0,0 to 0.12,0.04,0.04 m' ] || fail "size: $(line size)"
line loads | grep -q 'other loads -8,0,0 N; reactions at rest 8,0,0 N' || fail "loads: $(line loads)"
[ "$(line unused)" = 'sets ymin ymax zmin zmax' ] || fail "unused: $(line unused)"
line waves | grep -q ', 0.000646 s across the body' || fail "waves: $(line waves)"
line strain | grep -q '^about 0.0005: loads of 8 N on 0.0016 m^2' || fail "strain: $(line strain)"
line frames | grep -q "^every 1 steps; vtu of the volume, double precision: " || fail "frames: $(line frames)"
works 1 check good.yaml -output_every 1000
line frames | grep -q 'of the first and the last step only: output.every is 1000' || fail "frames: $(line frames)"
works 1 check good.yaml -material_model neohookean -fibre_direction 1,0,0 -fibre_stiffness 1e8
grep -q "Young's modulus 1e+07 Pa, waves 354.1 m/s" log || fail "fibres do not make waves faster"

# The estimate of the largest stable step: half of it is stable, twice of it is not.
sed -e 's/step: 5e-3, end: 0.5/step: 7e-5, steps: 400, integrator: symplectic_euler/' good.yaml >explicit.yaml
works 1 run explicit.yaml -output_every 0
expect 2 1 run explicit.yaml -output_every 0 -output_directory large -time_step 3e-4

# Contacts add their stiffness: a note on a step above the estimate, which diverges; none on half of the estimate.
explicit() { on 1 run "$source/inputs/scenes/two_blocks.yaml" -time_integrator symplectic_euler -output_directory b \
  -output_overwrite true -output_every 0 -time_step "$@"; }
explicit 1e-3 -time_steps 1
grep -q 'too large for symplectic_euler while vertices are in contact: about 0.000' log || fail "no note on contacts"
explicit 1e-3 -time_steps 800 && fail "a step that is too large for contacts is stable"
explicit 4e-4 -time_steps 2000 || fail "a step that is stable in contact diverges"
grep -q 'too large for' log && fail "a note on a stable step"

# Boxes whose faces touch, and that are two parts. Fails if nothing is said, or something where they are one or collide.
cat >faces.yaml <<DECK
body:
  a: {box: {size: [1, 1, 1], cells: [2, 2, 2], jitter: 0}}
  b: {box: {size: [1, 1, 1], cells: [2, 2, 2], jitter: 0}, at: [1, 0, 0]}
material: {model: neohookean, young: 2e5, poisson: 0.35, density: 1000}
attach:   {a.xmin: {hard: true}, b.xmax: {hard: true}}
time:     {step: 5e-3, steps: 2}
DECK
for ranks in 1 2 4; do
  "$mpiexec" -n $ranks "$wring" check faces.yaml >out.txt 2>log </dev/null || fail "check on $ranks ranks"
  grep -q '^note: 9 vertices are at the places of vertices of other parts' log || fail "faces that touch, $ranks ranks"
done
grep -q '^parts  *2, of which nothing holds 0; they pass through each other' out.txt || fail 'parts that do not collide'
for keys in '-body_b_at 1.1,0,0' '-self_contact_method penalty -self_contact_stiffness 1e4'; do
  # shellcheck disable=SC2086
  "$wring" check faces.yaml $keys >out.txt 2>log || fail "check with $keys"
  grep -q 'places of vertices' log && fail "a note on parts that do not touch, or that collide: $keys"
done

# Two blocks, of which a sphere below stops one: the same section on 1, 2 and 4 ranks.
cat >blocks.yaml <<DECK
mesh:     {file: $source/inputs/meshes/two_blocks.msh}
material: {model: neohookean, young: 2e5, poisson: 0.35, density: 1000}
gravity:  [0, 0, -9.81]
collider: {ball: {shape: sphere, centre: [0.55, 0.55, -2], radius: 0.1, stiffness: 1e4}}
time:     {step: 5e-3, steps: 2}
DECK
for ranks in 1 2 4; do
  "$mpiexec" -n $ranks "$wring" check blocks.yaml >out.txt 2>log </dev/null || fail "check on $ranks ranks"
  grep -q '^note: nothing holds 1 of 2 parts (.* vertices, .* kg)' log || fail "free parts on $ranks ranks"
  { sed -n '/^size/,/^unused/p' out.txt; cat log; } >section$ranks
  cmp -s section1 section$ranks || fail "the section differs on $ranks ranks: $(diff section1 section$ranks)"
done
exit 0
