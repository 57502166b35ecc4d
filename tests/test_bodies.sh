#!/usr/bin/env bash
# Bodies of several files and boxes: each moves as it does alone, on any number of ranks; files that are merged are the
# same problem; orders, refinement, restarts, velocities of parts of one mesh, and what is refused. Fails if numbers,
# places, names, materials or velocities of a body are those of another.
# usage: test_bodies.sh BUILD_DIR SOURCE_DIR     ranks: 3     cost: 3
. "$(dirname "$0")/lib.sh"

# rows FILE FIRST N: the positions and velocities of N vertices, tab by tab.
rows() { awk -F, -v first="$2" -v n="$3" 'NR > 1 && $1 >= first && $1 < first + n' "$1" | cut -d, -f2-; }

# alike FILE FILE TOLERANCE WHAT: tables of numbers.
alike() {
  paste -d, "$1" "$2" | awk -F, -v most="$3" 'NF % 2 || NR > 1 && NF != n { print "columns"; exit 1 } { n = NF }
    { for (i = 1; i <= n / 2; i++) { d = $i - $(i + n / 2); if (d < 0) d = -d; if (d > worst) worst = d } }
    END { if (!(NR > 3 && worst <= most)) { print worst " in " NR " rows"; exit 1 } }' >difference ||
    fail "$4: $(cat difference)"
}

# --- two bodies that do not meet, and each of them alone
"$wring" mesh box bar.msh -size 2,1,1 -cells 4,2,2 -jitter 0.2 -order 2 >log || fail 'a bar'
"$wring" mesh convert bar.msh bar1.msh -order 1 >log || fail 'its corners'
cat >two.yaml <<'DECK'
body:
  cube: {box: {size: [1, 1, 1], cells: [3, 3, 3]}, at: [-3, 0, 0], velocity: [1, 2, 0], spin: [0, 0, 90],
         material: {model: stable_neohookean, young: 1e4, poisson: 0.3, density: 500}}
  bar:  {file: bar1.msh, scale: 0.5, turn: [0, 90, 0], at: [2, 0, 0]}
material: {model: corotated, young: 2e4, poisson: 0.4, density: 1000}
region:   {bar: {poisson: 0.2}}
gravity:  [0, 0, -9.81]
attach:   {bar.xmin: {hard: true}}
time:     {step: 0.02, steps: 8}
solver:   {rtol: 1e-11}
checkpoint: {every: 4}
output:   {directory: two, every: 4, state_csv: true}
DECK
cat >cube.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [3, 3, 3], origin: [-3, 0, 0]}}
body:     {box: {velocity: [1, 2, 0], spin: [0, 0, 90]}}
material: {model: stable_neohookean, young: 1e4, poisson: 0.3, density: 500}
gravity:  [0, 0, -9.81]
time:     {step: 0.02, steps: 8}
solver:   {rtol: 1e-11}
output:   {directory: cube, every: 0, state_csv: true}
DECK
cat >bar.yaml <<'DECK'
mesh:     {file: bar1.msh, scale: 0.5}
material: {model: corotated, young: 2e4, poisson: 0.2, density: 1000}
gravity:  [9.81, 0, 0]
attach:   {xmin: {hard: true}}
time:     {step: 0.02, steps: 8}
solver:   {rtol: 1e-11}
output:   {directory: bar, every: 0, state_csv: true}
DECK
works 2 run cube.yaml
works 1 run bar.yaml
for ranks in 1 3; do
  works $ranks run two.yaml
  rows two/state.csv 0 64 >got && rows cube/state.csv 0 64 >want
  alike got want 1e-8 "the cube on $ranks ranks"
  rows two/state.csv 64 45 >got
  # R turns x to -z and z to x, and gravity with it: the bar alone, turned, has x -> z, z -> -x
  rows bar/state.csv 0 45 | awk -F, -v OFS=, -v OFMT=%.17g '{ print $3 + 2, $2, -$1, $6 + 0, $5, -$4 }' >want
  alike got want 1e-8 "the bar on $ranks ranks"
done
near "$(awk -F, 'NR == 2 { print $7 }' cube/steps.csv)" 500 1e-6 'momentum of the cube'

# --- a restart reproduces the run, and does not throw the bodies again
works 2 run two.yaml -output_directory again -time_steps 4
works 1 run two.yaml -output_directory again -time_steps 8 -initial_restart again -output_overwrite false
rows two/state.csv 0 109 >want && rows again/state.csv 0 109 >got
alike got want 1e-8 'a restart'

# --- files that are merged: one mesh with the same names
"$wring" mesh box cube.msh -size 1,1,1 -cells 3,3,3 >log || fail 'a cube'
"$wring" mesh merge cube.msh bar1.msh all.msh -bar1_at 2,0,0 -bar1_scale 0.5 -bar1_turn 0,90,0 -cube_at -3,0,0 >log ||
  fail 'merge'
grep -q '^all.msh: 109 vertices, 258 tetrahedra$' log || fail 'counts of merge'
{
  sed '/^body:/,/^  bar:/d; s/bar:/bar1:/; s/bar\./bar1./; s/directory: two/directory: all/' two.yaml
  cat <<'DECK'
mesh: {file: all.msh}
body: {cube: {velocity: [1, 2, 0], spin: [0, 0, 90],
              material: {model: stable_neohookean, young: 1e4, poisson: 0.3, density: 500}}}
DECK
} >all.yaml
works 2 run all.yaml
rows all/state.csv 0 109 >got
alike got want 1e-8 'merged files'

# --- a file of order 2 with curved edges beside a box: its volume is its own; refinement; points alone
"$python" - <<'PY' || fail 'curving bar.msh'
import math
out, nodes = [], False
for line in open("bar.msh"):
    if line.startswith("$"): nodes = line.startswith("$Nodes")
    words = line.split()
    if nodes and len(words) == 3:
        x, y, z = map(float, words)
        line = "%.17g %.17g %.17g\n" % (x, y + 0.1 * math.sin(2 * x), z * (1 + 0.2 * math.sin(x)))
    out.append(line)
open("curved.msh", "w").write("".join(out))
PY
"$wring" mesh info curved.msh -json curved.json >log || fail 'curved.msh'
cat >mixed.yaml <<'DECK'
body:     {a: {box: {size: [1, 1, 1], cells: [2, 2, 2]}}, b: {file: curved.msh, at: [0, 0, 3], turn: [0, 0, 45]}}
material: {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
time:     {step: 0.01, steps: 2}
output:   {directory: mixed, every: 0}
DECK
mass=$(json_value curved.json volume | awk '{ print 1000 * (1 + $NF) }')
works 2 check mixed.yaml
near "$(sed -n 's/^mesh .* mass \([0-9.]*\) kg.*/\1/p' log)" "$mass" 0.01 'the mass of curved bodies'
works 1 check mixed.yaml -body_b_at 0,0,60
grep -q 'if the unit of b is mm, set its scale to 1e-3' log || fail 'no note on the unit of a body'
works 3 run mixed.yaml
works 2 run mixed.yaml -mesh_refine 1 -mesh_order 1 -body_b_file bar1.msh -body_b_velocity 0,0,3
near "$(last mixed/steps.csv pz)" 5411.4 1e-6 'momentum after refinement' # 2000 kg at 3 m/s, less 3000 kg for 0.02 s

# --- bodies of points have no names of their own: fails if they are refused, or if one has the velocity of the other
printf 'vertex,x,y,z\n0,0,0,0\n1,1,0,0\n' >line.csv
printf 'a,b,length,stiffness\n0,1,1,100\n2,3,1,100\n' >springs.csv
printf 'vertex,mass\n0,1\n1,1\n2,1\n3,1\n' >mass.csv
cat >lines.yaml <<'DECK'
body:   {a: {file: line.csv}, b: {file: line.csv, at: [0, 0, 3], velocity: [0, 0, 2]}}
mass:   {file: mass.csv}
spring: {lines: {file: springs.csv}}
time:   {step: 0.01, steps: 1}
output: {directory: lines, every: 0}
DECK
works 3 run lines.yaml
near "$(last lines/steps.csv pz)" 4 1e-6 'momentum of points'

# --- what is refused
refused_everywhere "body 'cube': file and box .command line. are both given" run two.yaml -body_cube_file bar.msh \
  -body_cube_box_size 1,1,1
refused "command line: body 'third': neither file nor box is given" run two.yaml -body_third_at 0,0,1
refused "mesh: a file, but bodies have meshes of their own" run two.yaml -mesh_file bar.msh
refused "body 'a.b': expected a name without '.'" run two.yaml -body_a.b_file bar.msh
refused 'body_cube_scale applies to a file only' run two.yaml -body_cube_scale 2
refused 'body_box_at applies to a body with a file or box of its own' run cube.yaml -body_box_at 0,0,1
refused "body: 'boxes' is not a set of the mesh .did you mean 'box'" run cube.yaml -body_boxes_velocity 1,0,0
sed 's/step: 0.02, /integrator: static, /' two.yaml >static.yaml
refused 'body_cube_velocity does not apply to time_integrator .static' run static.yaml
refused 'body_cube_box_jitter: 0.99 leaves' check two.yaml -body_cube_box_jitter 0.99 -body_cube_box_cells 12,12,12
refused 'none.msh' run two.yaml -body_bar_file none.msh
refused "unknown key body_cube_velocty, did you mean body_cube_velocity" run two.yaml -body_cube_velocty 1,0,0
refused 'again.*holds another mesh' run two.yaml -initial_restart again -body_cube_at -4,0,0
parts="edge [0-9]+-[0-9]+ of '(bar|cube)' and (edge|triangle) [-0-9]+ of '(bar|cube)'"
refused "self_contact: $parts pass through each other at the start" run two.yaml -self_contact_method barrier \
  -body_cube_at 1.4,-0.4,-1.3
refused 'merge: too few file names' mesh merge cube.msh all.msh
refused "body 'c': neither file nor box" mesh merge cube.msh bar.msh x.msh -c_at 0,0,1
refused 'expected files with different names' mesh merge cube.msh ./cube.msh x.msh
refused 'would overwrite the input' mesh merge cube.msh bar.msh bar.msh
exit 0
