#!/usr/bin/env bash
# Self-contact by a barrier in decks. It fails when surfaces of a frame meet, a step ends unconverged, momentum is lost
# or energy gained in a collision, a held body passes another or cannot push it, a restart goes another way, or bad
# input is accepted. More scenes are in test_contact_scenes.sh.
# usage: test_self_barrier.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 6
. "$(dirname "$0")/lib.sh"

scene() { "$python" "$source/tests/contact/scenes.py" "$1" . || fail "scene $1 was not written"; }

# sound DIRECTORY STEPS: all steps converged, apart, with contacts, and no triangles of the last frames meet.
sound() {
  [ "$(column "$1/steps.csv" reason | sort -u)" = converged ] || fail "$1: a step did not converge"
  [ "$(column "$1/steps.csv" reason | wc -l)" = "$2" ] || fail "$1: not $2 steps"
  in_contact "$1"
  "$python" "$source/tests/intersections.py" "$1"/frame_*.vtu >meet 2>&1
  case $? in
  0) ;;
  77) cat meet ;;
  *) cat meet >log && fail "$1: surfaces of a frame meet" ;;
  esac
}

# ---- a restart, on other ranks ----
scene block
tight="-time_steps 8 -solver_type newton -solver_rtol 1e-10 -output_every 0"
works 1 run block.yaml $tight -output_directory block1
column block1/steps.csv contacts | awk 'END { exit !($1 > 0) }' || fail "the block has not landed"
works 1 run block.yaml $tight -time_steps 5 -output_directory half
works 2 run block.yaml $tight -initial_restart half -output_directory rest
near "$(far block1 rest)" 0 1e-9 'positions after a restart'

# ---- every method that may, on a few steps with contact ----
for type in trust_region pncg gradient_descent qn chebyshev auto; do
  works 1 run block.yaml -time_steps 5 -solver_type $type -solver_max_it 3000 -solver_rtol 1e-3 -output_every 0 \
    -output_directory by_$type
  [ "$(column by_$type/steps.csv reason | sort -u)" = converged ] || fail "$type did not converge"
  in_contact by_$type
done

# ---- a fast block: pncg ends where newton does; with the direction of cut steps it ended at 1e13 N ----
cat >fast.yaml <<'DECK'
body:
  low: {box: {size: [1, 1, 1], cells: [2, 2, 2], origin: [0, 0, 2e-3]}, velocity: [0.3, 0, -1]}
  top: {box: {size: [0.5, 0.5, 0.5], cells: [2, 2, 2], origin: [0.2, 0.3, 1.005]}, velocity: [1, 0.3, -10]}
material: {model: neohookean, young: 1e5, poisson: 0.4, density: 1000}
self_contact: {method: barrier, gap: 1e-3}
collider: {floor: {shape: half_space, point: [0, 0, 0], normal: [0, 0, 1], method: barrier}}
time: {step: 1e-2, steps: 1}
compare: {solvers: [pncg, newton], iterations: 2000, reference: least}
output: {directory: fast, plots: false}
DECK
works 1 compare fast.yaml
awk -F, '$1 == "pncg" { error = $8; n++ } END { exit !(n > 1 && error < 1e-9) }' fast/compare.csv ||
  fail "pncg ends elsewhere"

for inner in pncg vbd; do # tries steps without a bound
  refused "solver 'chebyshev' cannot use method barrier of contacts" run block.yaml -solver_type chebyshev \
    -solver_chebyshev_inner $inner
done

# ---- order 2 ----
for ranks in 1 2; do
  works $ranks run block.yaml $tight -time_steps 4 -mesh_order 2 -output_directory curved$ranks
  column curved$ranks/steps.csv contacts | awk 'END { exit !($1 > 0) }' || fail "order 2: the block has not landed"
  in_contact curved$ranks
done
near "$(far curved1 curved2)" 0 1e-9 'order 2: positions on two ranks'

# ---- the force between two faces does not depend on the size of their triangles, nor does the energy ----
"$python" - "$source/tests/contact" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from bodies import Mesh
for n in 4, 8, 16:
    mesh = Mesh()
    mesh.add_box((0, 0, -0.1), (1, 1, 0), (n, n, 1), 1)
    mesh.add_box((0.1037, 0.1071, 0.001), (0.9037, 0.9071, 0.1), (n, n, 1), 2)
    mesh.write(f"flat{n}.mesh")
PYTHON
for n in 4 8 16; do
  works 1 evaluate block.yaml -mesh_file flat$n.mesh -self_contact_gap 2e-3 -gravity 0,0,0 -output_directory flat$n
  awk '/^elastic/ { print $2 }' log >>flat
done
awk '{ if (NR == 1 || $1 < a) a = $1; if ($1 > b) b = $1 } END { exit !(NR == 3 && a > 1 && b < 1.15 * a) }' flat ||
  fail "energies of contact on finer meshes: $(tr '\n' ' ' <flat)"

# ---- two free bodies collide: momentum is kept, and energy does not rise ----
sed '/^attach/d; /^set/d; s/^gravity.*/gravity: [0, 0, 0]/' block.yaml >free.yaml
echo 'initial: {velocities: v.csv}' >>free.yaml
awk 'BEGIN { print "vertex,x,y,z"; for (v = 0; v < 77; v++) print v (v < 50 ? ",0,0,0" : ",0.1,0,-1") }' >v.csv
works 2 run free.yaml -time_steps 8 -solver_type newton -solver_rtol 1e-10 -output_every 0 -output_directory free2
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  { e = $at["kinetic"] + $at["elastic"]; n += $at["contacts"]
    for (c = 0; c < 3; c++) {
      p = $(at["px"] + c); if (NR == 2) first[c] = p
      d = p - first[c]; if (d * d > 1e-16) bad = 1 }
    if (NR > 2 && e > last * (1 + 1e-9)) bad = 1
    last = e }
  END { exit bad || !n || !(first[2] < -5) }' free2/steps.csv ||
  fail "momentum changes, or energy rises, in a collision"

# ---- two chains of springs that are exactly parallel, whose edges do not repel each other ----
awk 'BEGIN { print "vertex,x,y,z"; for (v = 0; v < 6; v++) print v "," v % 3 / 2 + (v > 2) / 10 ",0," (v > 2) / 10 }' \
  >rods.csv
awk 'BEGIN { print "vertex,x,y,z"; for (v = 0; v < 6; v++) print v ",0,0," (v > 2) * -1 }' >fall.csv
awk 'BEGIN { print "vertex,mass"; for (v = 0; v < 6; v++) print v ",0.1" }' >masses.csv
printf 'a,b,length,stiffness\n0,1,0.5,1e4\n1,2,0.5,1e4\n3,4,0.5,1e4\n4,5,0.5,1e4\n' >links.csv
cat >rods.yaml <<'DECK'
mesh: {file: rods.csv}
mass: {file: masses.csv}
spring: {links: {file: links.csv}}
initial: {velocities: fall.csv}
self_contact: {method: barrier}
time: {step: 1e-2, steps: 20}
output: {every: 0, state_csv: true}
DECK
works 1 run rods.yaml -output_directory rods1
awk -F, '$1 != "vertex" { z[$1 + 0] = $4 } END { exit !(z[0] < -0.01 && z[3] > z[0] + (z[1] - z[0]) / 5) }' \
  rods1/state.csv || fail "a chain passes through another one, or does not push it"

# ---- in statics: the ends of a rope are moved down over another one, which carries it: fails if springs alone give
# contacts no stiffness ----
printf 'vertex,x,y,z\n0,0,0,0\n1,0.5,0,0\n2,1,0,0\n3,0.5,-0.5,-0.05\n4,0.5,0.03,-0.05\n5,0.5,0.5,-0.05\n' >rods.csv
printf 'a,b,length,stiffness\n0,1,0.45,1e4\n1,2,0.45,1e4\n3,4,0.5,1e4\n4,5,0.45,1e4\n' >links.csv
sed '/^initial/d; s/^time:.*/time: {integrator: static, steps: 4}/' rods.yaml >ropes.yaml
cat >>ropes.yaml <<'DECK'
set:
  near: {box: [-0.1, -0.1, -0.1, 0.1, 0.1, 0.1]}
  far: {box: [0.9, -0.1, -0.1, 1.1, 0.1, 0.1]}
  left: {box: [0.4, -0.6, -0.1, 0.6, -0.4, 0.1]}
  right: {box: [0.4, 0.4, -0.1, 0.6, 0.6, 0.1]}
attach:
  near: {hard: true, velocity: [0, 0, -0.2]}
  far: {hard: true, velocity: [0, 0, -0.2]}
  left: {hard: true}
  right: {hard: true}
DECK
works 1 run ropes.yaml -output_directory ropes1
awk -F, '$1 == 1 || $1 == 4 { n += $4 < -0.13 && $4 > -0.15 } END { exit n != 2 }' ropes1/state.csv ||
  fail "a rope does not hang in another one: $(cat ropes1/state.csv)"

# ---- a block falls on a pin: fails if what has no triangles is too weak to carry it ----
cat >pin.yaml <<'DECK'
body: {block: {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2]}, at: [-0.08, -0.09, 0.005]},
       pin: {box: {size: [0, 0, 0.2], cells: [0, 0, 1]}, at: [0, 0, -0.2]}}
material: {model: neohookean, young: 1e5, poisson: 0.3, density: 1000}
spring: {pin: {stiffness: 1, density: 1}}
attach: {pin: {hard: true}}
self_contact: {method: barrier}
gravity: [0, 0, -9.81]
time: {step: 1e-2, steps: 10}
output: {every: 10}
DECK
works 1 run pin.yaml -output_directory pin1
sound pin1 10

# ---- held bodies: one that pushes a free one, in dynamics and statics; one that another stops ----
sed '/^attach/d; /^set/d' block.yaml >push.yaml
cat >>push.yaml <<'DECK'
set:    {floor: {box: [-1, -1, -0.11, 1, 1, -0.09]}, lid: {box: [-1, -1, 0.2, 1, 1, 0.21]}}
attach: {floor: {hard: true}, lid: {hard: true, velocity: [0, 0, -0.5]}}
DECK
works 1 run push.yaml -time_steps 4 -solver_type newton -output_directory push1
sound push1 4
sed 's/^time:.*/time: {integrator: static, steps: 2}/' push.yaml >static.yaml
works 2 run static.yaml -attach_lid_velocity 0,0,-0.02 -solver_type newton \
  -output_fields contact_pressure,vertex -probe_lid_set lid -probe_floor_set floor -probe_all_set upper \
  -set_upper_box=-1,-1,0.004,1,1,1 -output_directory static2
sound static2 2
paste <(last static2/probes.csv all_contact_fz) <(last static2/probes.csv lid_fz) | # and the weight, 8 kg
  awk '{ sum = $1 + $2 - 78.48; if (sum < 0) sum = -sum; exit !($1 > 100 && sum < 1e-3 * $1) }' ||
  fail "the force of contacts on a set is not what its attachment and weight need"
sed 's/lid: {box.*}/lid: {box: [-1, -1, 0.004, 1, 1, 0.21]}}/
  s/floor: {box: [^]]*]/floor: {box: [-1, -1, -0.11, 1, 1, 0.001]/' push.yaml >stop.yaml
for ranks in 1 2; do
  expect 2 $ranks run stop.yaml -time_step 0.1 -time_steps 1 -solver_type newton -output_every 0 -output_directory stop
  grep -Eq '^note: vertex [0-9]+, which is held, or a collider at it is stopped by a contact' log ||
    fail "the blocked vertex is not named"
done

# ---- bad input ----
refused 'self_contact_gap.*0' run block.yaml -self_contact_gap 0
sed 's/method: barrier/&, gap: 0.2/' block.yaml >wide.yaml
refused 'wide.yaml:[0-9]+: self_contact_gap is 0.2 m, expected at most the shortest edge of the surface, 0.1 m' \
  run wide.yaml
"$python" - "$source/tests/contact" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from bodies import Mesh
mesh = Mesh()
mesh.add_box((0, 0, 0), (1, 1, 1), (2, 2, 2), 1)
mesh.add_box((0.3, 0.3, 0.3), (0.4, 0.4, 0.4), (1, 1, 1), 2)
mesh.write("inside.mesh")
PYTHON
sed 's/block.mesh/inside.mesh/; s/^set:.*/set: {in: {box: [0.2, 0.2, 0.2, 0.45, 0.45, 0.45]}}/
  s/^attach:.*/attach: {in: {hard: true}}/' block.yaml >inside.yaml
refused "self_contact: the body of vertex [0-9]+ of 'tag2' is inside that of vertex [0-9]+ of 'tag1' at the start" \
  run inside.yaml
refused 'self_contact_stiffness is a key of method penalty' run block.yaml -self_contact_stiffness 1e4
refused 'self_contact_gap is a key of method barrier' run block.yaml -self_contact_method penalty -self_contact_gap 1e-3
refused "solver 'xpbd' cannot use method barrier of contacts" run block.yaml -solver_type xpbd
refused "integrator 'implicit_midpoint' cannot use" run block.yaml -time_integrator implicit_midpoint
refused 'contact_pressure' run push.yaml -self_contact_method penalty -self_contact_stiffness 1e4 \
  -output_fields contact_pressure
awk 'NR > 4 && NF == 4 && $3 > 0.0049 && $4 == 0 && !t { $3 -= 0.05 } /Tetra/ { t = 1 } { print }' block.mesh >into.mesh
sed 's/block.mesh/into.mesh/' block.yaml >into.yaml
refused 'self_contact: .*(pass through each other at the start|touch at rest)' run into.yaml
expect 1 1 check into.yaml
grep -Eq "^wring: self_contact: (vertex|edge|triangle) [0-9-]+ of 'tag[12]' and" log || fail "check names no pair"
exit 0
