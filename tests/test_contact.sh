#!/usr/bin/env bash
# Colliders in the program: their effect on points and bodies over many steps, on any ranks, and refusals.
# usage: test_contact.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 8
. "$(dirname "$0")/lib.sh"

# ---- independent points: everything is known in closed form ----------------------------------------------------------

cat >points.csv <<'CSV'
vertex,x,y,z
0,0,0,0.01
1,1,0,0.02
2,2,0,0
CSV
printf 'vertex,mass\n0,1\n1,2\n2,4\n' >mass.csv
cat >points.yaml <<'DECK'
mesh:     {file: points.csv}
mass:     {file: mass.csv}
gravity:  [0, 0, -10]
collider: {floor: {shape: half_space, point: [5, 5, 0], normal: [0, 0, 3], stiffness: 1e4}}
time:     {step: 1e-2, steps: 200}
solver:   {type: qn, rtol: 1e-12}
output:   {directory: out, every: 0, state_csv: true}
DECK

# At rest k d = m g for every point, and the floor bears the weight. Fails with another stiffness, sign or factor.
for solver in qn newton gradient_descent pncg trust_region; do
  works 1 run points.yaml -solver_type $solver -time_steps 400
  awk -F, 'NR > 1 { m = 2 ^ ($1 + 0); d = -$4 - m * 10 / 1e4; if (d > 2e-5 || d < -2e-5) exit 1 }' out/state.csv ||
    fail "$solver: the points do not rest at m g/k: $(cat out/state.csv)"
  near "$(last out/steps.csv collider_floor_fz)" 70 0.7 "$solver: force of the floor"
  near "$(last out/steps.csv collider_depth)" 0.004 2e-5 "$solver: depth"
  [ "$(last out/steps.csv collider_inside)" = 3 ] || fail "$solver: not 3 points inside"
done

# The last lines say how far a penalty has given way, and run.json too. Fails if they have another depth than the
# largest of steps.csv, or if a floor that is too soft is not said.
deepest=$(column out/steps.csv collider_depth | sort -g | tail -n 1)
near "$(sed -n 's/.*"deepest": *\([^,]*\),.*/\1/p' out/run.json | head -n 1)" "$deepest" 0 "deepest"
grep -Eq '^contacts  vertices at most [0-9.]+ m inside another body \(step [0-9]+\)$' log ||
  fail "no depth: $(cat log)"
works 1 run points.yaml -collider_floor_stiffness 1e2 -time_steps 100
grep -Eq '^contacts  .* % of the diagonal of the mesh: a larger stiffness' log || fail "a soft floor: $(cat log)"

# Integrators other than implicit Euler. With the midpoint rule and the explicit one points keep bouncing: their energy
# is checked.
works 1 run points.yaml -time_integrator bdf2 -time_steps 600
near "$(last out/steps.csv collider_floor_fz)" 70 1 "bdf2: force of the floor"
for rule in implicit_midpoint symplectic_euler; do
  works 1 run points.yaml -time_integrator $rule -time_step 2e-3 -time_steps 1000
  column out/steps.csv total | awk 'NR == 1 { e = $1 } $1 > e + 0.1 || $1 < -0.4 { exit 1 }' || fail "$rule: energy"
  column out/steps.csv collider_inside | sort -u | grep -q 3 || fail "$rule: never 3 points inside"
  awk -F, 'NR > 1 && !($4 > -0.03 && $4 < 0.05) { exit 1 }' out/state.csv || fail "$rule: $(cat out/state.csv)"
done
works 1 run points.yaml -time_integrator linear_implicit_euler -time_steps 400
near "$(last out/steps.csv collider_floor_fz)" 70 0.7 "linear_implicit_euler: force of the floor"

# One step of symplectic Euler from 5 mm deep: v = h (k d/m - g). Fails if forces are taken elsewhere than at q.
printf 'vertex,x,y,z\n0,0,0,-0.005\n1,1,0,0.02\n2,2,0,0\n' >deep.csv
works 1 run points.yaml -time_integrator symplectic_euler -time_steps 1 -initial_positions deep.csv
near "$(awk -F, '$1 == 0 { print $7 }' out/state.csv)" 0.4 1e-12 "symplectic Euler: velocity"

# No sticking: a point that leaves fast enough flies as without a floor; so does one above a floor that falls faster.
printf 'vertex,x,y,z\n0,0,0,-0.005\n1,1,0,-0.02\n2,2,0,0.01\n' >deep.csv
works 1 run points.yaml -initial_positions deep.csv -initial_velocity 0,0,3 -time_steps 20
cp out/state.csv held.csv
works 1 run points.yaml -initial_positions deep.csv -initial_velocity 0,0,3 -time_steps 20 \
  -collider_floor_point 0,0,-100
cmp -s held.csv out/state.csv || fail "points that leave are held: $(diff held.csv out/state.csv)"
works 1 run points.yaml -collider_floor_velocity 0,0,-20 -time_steps 20
near "$(last out/steps.csv collider_floor_fz)" 0 1e-12 "force of a floor that falls away"

# Free flight keeps the momenta of steps.csv: sum m v = (1, 0, 7), sum x cross m v = (0.02, -3.99, -2).
printf 'vertex,x,y,z\n0,1,2,3\n1,0,-1,2\n2,0,0,0\n' >fly.csv
works 1 run points.yaml -gravity 0,0,0 -collider_floor_point 0,0,-100 -initial_velocities fly.csv -time_steps 3
while read -r name value; do near "$(last out/steps.csv "$name")" "$value" 1e-9 "$name in free flight"; done <<'MOMENTA'
px 1
py 0
pz 7
lx 0.02
ly -3.99
lz -2
MOMENTA

# A floor that rises lifts the points and lets them fall when it stops; so does a torus that turns about another
# axis.
works 1 run points.yaml -collider_floor_velocity 0,0,1 -collider_floor_until 0.5 -time_steps 50
awk -F, 'NR > 1 && !($4 > 0.49 && $4 < 0.6 && $7 > 0.9) { exit 1 }' out/state.csv ||
  fail "the floor lifts nothing: $(cat out/state.csv)"
works 1 run points.yaml -collider_floor_velocity 0,0,1 -collider_floor_until 0.5 -time_steps 400
near "$(last out/steps.csv collider_floor_fz)" 70 0.7 "force of a floor that has stopped"
works 1 run points.yaml -gravity 0,0,0 -collider_floor_point -1,0,0 -collider_floor_spin 0,-30,0 -time_steps 100
awk -F, 'NR > 1 && !($4 > 0.57 * ($2 + 1) - 0.02) { exit 1 }' out/state.csv ||
  fail "the floor turns through points: $(cat out/state.csv)"

# The same motion from a file. Fails if the floor does not follow the path, or moves after `until`.
printf 'time,x,y,z\n0,0,0,0\n1,0,0,1\n' >path.csv
works 1 run points.yaml -collider_floor_path path.csv -time_steps 400
awk -F, 'NR > 1 && !($4 > 0.99 && $4 < 1) { exit 1 }' out/state.csv ||
  fail "the floor does not go its path: $(cat out/state.csv)"
works 1 run points.yaml -collider_floor_path path.csv -collider_floor_until 0.5 -time_steps 400
awk -F, 'NR > 1 && !($4 > 0.49 && $4 < 0.5) { exit 1 }' out/state.csv ||
  fail "the floor does not stop: $(cat out/state.csv)"

# The energy of one point 5 mm deep: 0.125 J. compare: newton and qn agree on it.
printf 'vertex,x,y,z\n0,0,0,-0.005\n1,1,0,0.02\n2,2,0,0.1\n' >deep.csv
works 1 evaluate points.yaml -initial_positions deep.csv
near "$(json_value out/evaluate.json elastic)" 0.125 1e-12 "energy"
works 1 compare points.yaml -initial_positions deep.csv -compare_solvers qn,gradient_descent,newton \
  -compare_iterations 50
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "relative_error") error = i }
  $2 == 50 && $1 == "qn" { e = $error; n++ } END { exit !(n == 1 && e < 1e-6 && e > -1e-6) }' \
  out/compare.csv || fail "qn does not reach newton's minimum: $(tail -1 out/compare.csv)"

# Every shape, from its keys: a vertex 5 cm below the surface has the energy 1e4/2 0.05^2 = 12.5 J. Fails if a length, a
# radius or an axis is taken for another one.
printf 'vertex,x,y,z\n0,0,0,0\n1,50,0,0\n' >two.csv
printf 'vertex,mass\n0,1\n1,1\n' >two_mass.csv
cat >shapes.yaml <<'DECK'
mesh:     {file: two.csv}
mass:     {file: two_mass.csv}
initial:  {positions: at.csv}
collider: {body: {centre: [0, 0, 0], stiffness: 1e4}}
time:     {step: 1e-2, steps: 1}
output:   {directory: out}
DECK
round='axis 0,0,1 radius 0.5 length 2' ring='axis 0,0,1 major_radius 1 minor_radius 0.25'
while IFS='|' read -r at shape keys; do
  printf 'vertex,x,y,z\n0,%s\n1,50,0,0\n' "$at" >at.csv
  # shellcheck disable=SC2046
  works 1 evaluate shapes.yaml -collider_body_shape "$shape" $(printf -- '-collider_body_%s %s ' $keys)
  near "$(json_value out/evaluate.json elastic)" 12.5 1e-12 "energy at $at in a $shape"
done <<SHAPES
0,0,0.95|sphere|radius 1
0,0,1.45|capsule|$round
0.45,0,0.9|capsule|$round
0,0,0.95|cylinder|$round
0.45,0,0.2|cylinder|$round
0.95,0.2,0|box|size 2,3,4
0,1.45,0|box|size 2,3,4
0,0,-1.95|box|size 2,3,4
1.2,0,0|torus|$ring
0,1,0.2|torus|$ring
SHAPES

# A hard attachment below the floor holds its point there, independently of contacts.
printf 'vertex,x,y,z\n0,0,0,-0.1\n' >grip.csv
for solver in qn xpbd; do
  works 1 run points.yaml -attach_grip_file grip.csv -attach_grip_hard -solver_type $solver -time_steps 20
  awk -F, '$1 == 0 && ($4 != -0.1) { exit 1 }' out/state.csv || fail "$solver moves a held point: $(cat out/state.csv)"
done

# A container: points fall in a sphere and stay.
bowl="-collider_bowl_shape sphere -collider_bowl_centre 1,0,0 -collider_bowl_radius 1.5 -collider_bowl_inside
  -collider_bowl_stiffness 1e5 -collider_floor_point 0,0,-100 -initial_velocity 0.3,0.5,0"
# shellcheck disable=SC2086
works 1 run points.yaml $bowl -time_steps 300
awk -F, 'NR > 1 { r = sqrt(($2 - 1) ^ 2 + $3 ^ 2 + $4 ^ 2); if (r > 1.52 || $4 > 0) exit 1 }' out/state.csv ||
  fail "out of the bowl: $(cat out/state.csv)"

# Projections let nothing pass through a plate: a cube that moves by ten times its thickness in a step, and one that a
# paddle sweeps along, which turns by as much.
cat >plate.yaml <<'DECK'
mesh:     {box: {size: [0.2, 0.2, 0.2], cells: [2, 2, 2], origin: [0.5, 0.1, 0.1]}}
material: {model: strain, stiffness: 1e6, density: 1000}
collider: {plate: {shape: box, centre: [0, 0, 0], size: [4, 4, 0.02], stiffness: 1e5}}
time:     {step: 1e-2, steps: 20}
solver:   {max_it: 20}
output:   {directory: out, every: 0, state_csv: true}
DECK
for solver in xpbd pbd rgc; do
  for ranks in 1 2; do
    works $ranks run plate.yaml -solver_type $solver -initial_velocity 0,0,-20
    awk -F, 'NR > 1 && $4 < 0.01 - 1e-9 { exit 1 }' out/state.csv || fail "$solver on $ranks ranks: through the plate"
  done
  works 1 run plate.yaml -solver_type $solver -collider_plate_spin 720,0,0
  awk -F, -v a=2.513274122871834 'NR > 1 && $4 * cos(a) - $3 * sin(a) < 0.01 - 1e-9 { exit 1 }' out/state.csv ||
    fail "$solver: through the paddle"
done

# ---- bodies: ranks, restarts -----------------------------------------------------------------------------------------

cat >block.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [4, 4, 4], origin: [0, 0, 0.02]}}
material: {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
collider:
  floor:  {shape: half_space, point: [0, 0, 0], normal: [0.1, 0, 1], stiffness: 1e5}
  ball:   {shape: sphere, centre: [-1, 0.5, 0.8], radius: 0.5, stiffness: 1e5, velocity: [6, 0, 0], spin: [0, 0, 90],
           until: 0.1}
time:     {step: 1e-2, steps: 14}
solver:   {type: qn, max_it: 300, rtol: 1e-10}
operator: {type: direct}
output:   {directory: out, every: 0, state_csv: true}
DECK

# apart FILE FILE: the largest difference of two tables of states
apart() {
  paste -d, "$1" "$2" | awk -F, '
    NR > 1 { for (i = 2; i <= 7; i++) { d = $i - $(i + 7); if (d < 0) d = -d; if (d > m) m = d } }
    END { if (NR > 1) print m + 0 }'
}

works 1 run block.yaml
cp out/state.csv one.csv
column out/steps.csv collider_ball_fx | awk '$1 > 10 { n++ } END { exit n < 3 }' || fail "the ball does not push"
for ranks in 4; do
  works $ranks run block.yaml
  near "$(apart one.csv out/state.csv)" 0 1e-6 "positions and velocities on $ranks ranks"
done
works 1 run block.yaml -time_steps 7
works 2 run block.yaml -initial_restart out
near "$(apart one.csv out/state.csv)" 0 1e-6 "positions and velocities after a restart"

# xpbd: the same iterates on any ranks, nothing inside.
sweep="-solver_type xpbd -solver_max_it 10 -collider_floor_friction 0.4"
# shellcheck disable=SC2086
works 1 run block.yaml $sweep
cp out/state.csv one.csv
# shellcheck disable=SC2086
works 4 run block.yaml $sweep
near "$(apart one.csv out/state.csv)" 0 1e-9 "xpbd on 4 ranks"
column out/steps.csv collider_depth | awk '$1 > 1e-12 { exit 1 }' || fail "xpbd leaves vertices inside"

# ---- friction: a block on a slope of 20 degrees slides if the coefficient is below tan 20 = 0.364 --------------------

cat >slope.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 0.25], cells: [4, 4, 1]}}
material: {model: strain, stiffness: 1e6, density: 1000}
gravity:  [3.3552, 0, -9.2184]
collider: {slope: {shape: half_space, point: [0, 0, 0], normal: [0, 0, 1], stiffness: 1e5}}
time:     {step: 1e-2, steps: 100}
solver:   {type: xpbd, max_it: 30}
output:   {directory: out, every: 0, state_csv: true}
DECK
# velocity COEFFICIENT SOLVER: of the block after 1 s
velocity() {
  works 1 run slope.yaml -collider_slope_friction "$1" -solver_type "$2"
  awk -F, 'NR > 1 { s += $5; n++ } END { print s / n }' out/state.csv
}
near "$(velocity 0 xpbd)" 3.355 0.02 "velocity on a slope without friction"
for solver in xpbd pbd; do
  near "$(velocity 0.45 $solver)" 0 0.02 "$solver: velocity with more friction than the slope"
  near "$(velocity 0.2 $solver)" 1.51 0.1 "$solver: velocity with less friction than the slope"
done

# ---- refusals --------------------------------------------------------------------------------------------------------

for solver in pd admm anderson mgpbd compliant; do
  refused "solver '$solver' cannot use " check block.yaml -solver_type $solver -material_model stable_neohookean
done
refused "solver 'qn' cannot use contacts: it may increase g" check block.yaml -solver_qn_line_search none
refused "solver 'qn' cannot use collider 'ball': it has friction" check block.yaml -collider_ball_friction 0.2
refused "integrator 'explicit_euler' cannot use collider 'ball': it has friction" check block.yaml \
  -collider_ball_friction 0.2 -time_integrator explicit_euler
refused "solver 'chebyshev' cannot use contacts: it may increase g" check block.yaml -solver_type chebyshev \
  -solver_chebyshev_line_search none
refused "solver 'pncg' cannot use contacts: it may increase g" check block.yaml -solver_type pncg \
  -solver_pncg_line_search none
works 1 check block.yaml -solver_type chebyshev

# Fails when a refusal names a solver or integrator that this deck cannot have, or does not name all that it can.
fitting() { # KIND WHICH REFUSED KEYS...
  local kind=$1 which=$2 name named names
  expect 1 1 check block.yaml "${@:4}" "-$kind" "$3"
  named=" $(sed -n "s/.* $which \([a-z_, ]*\)$/\1/p" log | tr -d ,) "
  names=$(choices "$kind")
  for name in $names; do
    on 1 check block.yaml "${@:4}" "-$kind" "$name"
    [ $? = "$([[ $named = *" $name "* ]]; echo $?)" ] || fail "${*:4}: $name is not as the refusal of $3 says: $named"
  done
}
barrier=(-collider_ball_method barrier -collider_floor_method barrier)
fitting solver_type 'expected solver' admm
fitting solver_type 'expected solver' vbd "${barrier[@]}"
fitting solver_type 'or solver' newton -collider_ball_friction 0.2
fitting time_integrator 'expected time_integrator' explicit_euler "${barrier[@]}"
works 1 check block.yaml -collider_ball_friction 0.2 -solver_type rgc
refused "collider_ball_shape is \"cube\", expected one of half_space, sphere, .*box" check block.yaml \
  -collider_ball_shape cube
refused "collider_ball_radius is \"0\", expected a real in \(0,inf\)" check block.yaml -collider_ball_radius 0
refused "collider_ball_stiffness is \"-1\", expected a real in \(0,inf\)" check block.yaml -collider_ball_stiffness -1
refused "collider_ball_friction is \"-1\", expected a real in \[0,inf\)" check block.yaml -collider_ball_friction -1
refused "collider_floor_normal is 0,0,0, expected a direction" check block.yaml -collider_floor_normal 0,0,0
refused "collider_floor_radius is not a key of shape half_space" check block.yaml -collider_floor_radius 1
refused "collider_floor_inside is not a key of shape half_space" check block.yaml -collider_floor_inside
refused "collider_cup_centre is missing: expected 3 reals \\[m\\]" check block.yaml -collider_cup_shape sphere \
  -collider_cup_radius 1
ring="-collider_ring_shape torus -collider_ring_centre 0,0,5 -collider_ring_stiffness 1"
# shellcheck disable=SC2086
refused "collider_ring_minor_radius is 2, expected less than major_radius, 1" check block.yaml $ring \
  -collider_ring_major_radius 1 -collider_ring_minor_radius 2
# shellcheck disable=SC2086
refused "collider_ring_axis is 0,0,0, expected a direction" check block.yaml $ring -collider_ring_major_radius 2 \
  -collider_ring_minor_radius 1 -collider_ring_axis 0,0,0
crate="-collider_crate_shape box -collider_crate_centre 0,0,5 -collider_crate_stiffness 1"
# shellcheck disable=SC2086
refused "collider_crate_size is 1,0,1, expected three lengths above 0" check block.yaml $crate \
  -collider_crate_size 1,0,1
refused "collider 'ball' forbids the positions of all 125 vertices" check block.yaml -collider_ball_radius 5
refused "collider 'ball' forbids the positions of all" check block.yaml -collider_ball_inside
refused "collider 'floor' forbids the positions of all" check block.yaml -collider_floor_normal 0,0,-1
refused_on 3 "collider 'ball' forbids the positions of all" run block.yaml -collider_ball_radius 5
exit 0
