#!/usr/bin/env bash
# Friction in decks. It fails when a block on a slope slides another way than Coulomb's law says, or does not hold; when
# friction adds energy, momentum is lost between bodies, or a belt does not carry; when methods, ranks or a restart end
# elsewhere, or the operator of qn or pncg lacks contacts; when friction does not hold a block, or a seal, in statics;
# when normal forces that do not settle are said to, or bad input is accepted.
# usage: test_friction.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 4
. "$(dirname "$0")/lib.sh"

body='material: {model: stable_neohookean, young: 1e6, poisson: 0.3, density: 1000}
output: {every: 0, state_csv: true}'

# ---- a block of 4 kg on a slope of atan(1/2), by the direction of gravity: it slides below 0.5 and holds above ----
cat >slope.yaml <<DECK
mesh: {box: {size: [0.2, 0.2, 0.1], cells: [2, 2, 1], origin: [0, 0, 5e-5]}}
$body
gravity: [4.3872, 0, -8.7744]
collider: {slope: {shape: half_space, point: [0, 0, 0], normal: [0, 0, 1], method: barrier, friction: 0.49}}
solver: {type: newton}
time: {step: 1e-2, steps: 50}
DECK
works 1 run slope.yaml -output_directory slides
converged slides 50
path() { # DIRECTORY: the mean motion along the slope, over a t^2/2
  awk -F, 'NR > 1 { sum += $2 - 0.1; n++ } END { print sum / n / (0.5 * (4.3872 - 0.49 * 8.7744) * 0.25) }' \
    "$1/state.csv"
}
path slides | awk '{ exit !($1 > 0.9 && $1 < 1.1) }' || fail "the block has slid $(path slides) of its way"
column slides/steps.csv friction_work | awk '!($1 < 0) { exit 1 }' || fail "friction does work on a block that slides"
paste <(column slides/steps.csv friction_force) <(column slides/steps.csv contact_force) |
  awk '{ d = $1 - 0.49 * $2 } NR > 1 && d * d > 1e-4 * $1 * $1 { bad = 1 } END { exit bad || NR < 40 }' ||
  fail "friction is not 0.49 times the normal force"
paste <(last slides/steps.csv collider_slope_fx) <(last slides/steps.csv collider_slope_friction_ty) |
  awk '{ exit !($1 < -17 && $1 > -17.4 && $2 * $2 < 0.01) }' || fail "force or torque of the slope: $(cat log)"

works 1 run slope.yaml -collider_slope_friction 0.505 -output_directory holds
converged holds 50
paste <(column holds/steps.csv px) <(column holds/steps.csv friction_work) | # slower than the slip speed, 3e-4 m/s
  awk 'NR > 20 && !($1 / 4 < 3e-4) { exit 1 } $2 > 0 { exit 1 }' || fail "the block does not hold"

# ---- methods, ranks, a restart ----
for type in trust_region pncg qn auto; do
  works 1 run slope.yaml -solver_type $type -solver_max_it 3000 -time_steps 5 -output_directory by_$type
  converged by_$type 5
done
column by_qn/steps.csv iterations | awk '{ n += $1 } END { exit !(n < 700) }' || # 429; without contacts in A 2217
  fail "qn takes too many iterations: A lacks the contacts"
column by_pncg/steps.csv iterations | awk '{ n += $1 } END { exit !(n < 400) }' || # 275; with diagonal blocks 510
  fail "pncg takes too many iterations: A lacks the contacts"
column by_trust_region/steps.csv iterations | awk '{ n += $1 } END { exit !(n < 150) }' || # 118; 183
  fail "trust_region takes too many iterations: conjugate gradients end where only contacts are solved"
tight="-solver_rtol 1e-8 -time_steps 12"
works 1 run slope.yaml $tight -output_directory slope1
for ranks in 2 4; do
  works $ranks run slope.yaml $tight -output_directory slope$ranks
  near "$(far slope1 slope$ranks)" 0 1e-8 "positions on $ranks ranks"
done
works 1 run slope.yaml $tight -time_steps 5 -output_directory half
works 2 run slope.yaml $tight -initial_restart half -output_directory rest
near "$(far slope1 rest)" 0 1e-8 'positions after a restart'
works 1 run slope.yaml -time_integrator bdf2 -output_directory bdf2
column bdf2/steps.csv px |
  awk 'NR == 10 { px = $1 } END { a = ($1 - px) / 0.4 / 4; exit !(a > 0.0876 && a < 0.0879) }' ||
  fail "bdf2 slides at another rate"

# ---- a belt carries the block along, and does work on it ----
works 1 run slope.yaml -gravity 0,0,-9.81 -collider_slope_velocity 0.1,0,0 -time_steps 15 -output_directory belt
last belt/steps.csv px | awk '{ exit !($1 > 0.39 && $1 < 0.401) }' || fail "the belt does not carry the block"
column belt/steps.csv friction_work | awk '{ sum += $1 } END { exit !(sum > 0.018 && sum < 0.05) }' ||
  fail "the belt's work is not the block's kinetic energy, 0.02 J, and what is lost"

# ---- two free blocks, one slides on the other: momentum stays, energy falls until they go together ----
"$python" - "$source/tests/contact" <<'PYTHON'
import sys
sys.path.insert(0, sys.argv[1])
from bodies import Mesh
mesh = Mesh()
mesh.add_box((-0.2, -0.2, -0.1), (0.2, 0.2, 0), (2, 2, 1), 1)
mesh.add_box((-0.11, -0.09, 1e-4), (0.09, 0.11, 0.1001), (2, 2, 1), 2)
mesh.write("pair.mesh")
PYTHON
awk 'BEGIN { print "vertex,x,y,z"; for (v = 0; v < 36; v++) print v (v < 18 ? ",0,0,0.03" : ",0.2,0.1,-0.12") }' >v.csv
cat >pair.yaml <<DECK
mesh: {file: pair.mesh}
$body
initial: {velocities: v.csv}
self_contact: {method: barrier, friction: 0.5}
solver: {type: newton, rtol: 1e-8}
time: {step: 5e-3, steps: 12}
DECK
works 2 run pair.yaml -output_every 4 -output_fields friction_traction,contact_pressure -output_directory pair
converged pair 12
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  { e = $at["kinetic"] + $at["elastic"]; slip += $at["friction_work"]
    for (c = 0; c < 3; c++) { p = $(at["px"] + c); if (NR == 2) first[c] = p
      if ((p - first[c]) ^ 2 > 1e-14) bad = 1 }
    if ($at["friction_work"] > 0 || (NR > 2 && e > last * (1 + 1e-9))) bad = 1
    last = e }
  END { exit bad || !(slip < -1e-4) }' pair/steps.csv || fail "friction between bodies changes momentum, or adds energy"
grep -q friction_traction pair/frame_000012.vtu || fail "the frame has no friction_traction"

# ---- statics: a block that traction presses on the plane and pushes along it; it slides if it must ----
cat >press.yaml <<DECK
mesh: {box: {size: [0.2, 0.2, 0.1], cells: [2, 2, 1], origin: [0, 0, 2e-4]}}
$body
traction: {zmax: {value: [1000, 0, -5000]}}
collider: {plane: {shape: half_space, point: [0, 0, 0], normal: [0, 0, 1], method: barrier, friction: 0.3}}
solver: {type: newton}
time: {integrator: static, steps: 3}
DECK
works 1 run press.yaml -output_directory press
converged press 3
paste <(last press/steps.csv collider_plane_fx) <(last press/steps.csv collider_plane_fz) |
  awk '{ exit !($1 < -39.9 && $1 > -40.1 && $2 > 199.9 && $2 < 200.1) }' || fail "friction does not hold the block"
expect 2 1 run press.yaml -collider_plane_friction 0.19 -output_directory slips
grep -q 'or it slides: friction' log || fail "a block that slides is not said to slide"

# ---- statics: a plane that a held body stops goes half of the load step, and half of that, as far as it can ----
{ grep -v '^traction\|^collider' press.yaml; echo 'attach: {zmax: {hard: true}}
collider: {plane: {shape: half_space, point: [0, 0, 0], normal: [0, 0, 1], method: barrier, friction: 0.3,
                   velocity: [0, 0, 0.2]}}'; } >stop.yaml
expect 2 1 run stop.yaml -time_steps 1 -output_directory stop
grep -q 'load step 1 fails from pseudo-time 0 to 1: it goes on with half' log ||
  fail "a blocked load step is not halved"

# ---- a block on another, whose vertices change between triangles as normal forces are taken anew, for ever ----
# Fails if a load step is not made in parts until it converges, with solver.accept too, which is about max_it, or if a
# time step is said to have converged.
cat >alternates.yaml <<DECK
body:
  low: {box: {size: [0.3, 0.3, 0.1], cells: [6, 6, 2]}}
  top: {box: {size: [0.1, 0.1, 0.1], cells: [2, 2, 2]}, at: [0.1, 0.1, 0.101]}
$body
attach: {low.zmin: {hard: true}, top.zmax: {hard: true, velocity: [0, 0, -0.0075]}}
self_contact: {method: barrier, friction: 0.3}
time: {integrator: static, steps: 1}
DECK
for accept in true false; do
  works 1 run alternates.yaml -solver_accept $accept -output_directory parts_$accept
  grep -q 'friction: after 20 repetitions .*; more time_steps' log && grep -q 'fails from pseudo-time 0 to 1' log ||
    fail "a load step whose friction alternates is not made in parts, accept $accept"
done
converged parts_false 1
works 1 run alternates.yaml -time_integrator implicit_euler -time_step 1e-3 -time_steps 2 -gravity 0,0,-9.81 \
  -attach_top.zmax_velocity 2,0,-2 -self_contact_friction 0.8 -output_directory alternates
[ "$(column alternates/steps.csv reason | tr '\n' ' ')" = 'converged max_it ' ] ||
  fail "a time step whose friction alternates is not at max_it"

# ---- a seal between plates that close by 10 % and shear: friction drags its faces ----
cat >seal.yaml <<DECK
mesh: {box: {size: [0.1, 0.1, 0.05], cells: [2, 2, 2], origin: [0, 0, 2e-4]}}
$body
collider: {lower: {shape: half_space, point: [0, 0, 0], normal: [0, 0, 1], method: barrier, friction: 0.6},
           upper: {shape: half_space, point: [0, 0, 0.0504], normal: [0, 0, -1], method: barrier, friction: 0.6,
                   velocity: [2e-3, 0, -5e-3]}}
solver: {type: newton}
time: {integrator: static, steps: 4}
DECK
works 2 run seal.yaml -output_directory seal
converged seal 4
paste <(last seal/steps.csv collider_lower_fx) <(last seal/steps.csv collider_upper_fx) \
  <(last seal/steps.csv collider_lower_fz) |
  awk '{ sum = $1 + $2; exit !($2 > 50 && sum * sum < 1e-4 && $3 > 500) }' || fail "the seal is not dragged along"

# ---- bad input ----
refused 'collider_slope_friction.*-0.1' run slope.yaml -collider_slope_friction -0.1
refused 'self_contact_friction.*-1' run pair.yaml -self_contact_friction -1
refused 'self_contact_slip_speed.*0' run pair.yaml -self_contact_slip_speed 0
refused 'self_contact_friction is a key of method barrier' run pair.yaml -self_contact_method penalty
refused "solver 'xpbd' cannot use method barrier" run pair.yaml -solver_type xpbd
refused "solver 'newton' cannot use collider 'slope': it has friction, expected method barrier" \
  run slope.yaml -collider_slope_method penalty -collider_slope_stiffness 1e5
refused "friction_traction.*expected a deck with friction" run slope.yaml -collider_slope_friction 0 \
  -output_fields friction_traction
exit 0
