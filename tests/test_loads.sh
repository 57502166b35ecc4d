#!/usr/bin/env bash
# Loads, drag and hard attachments of decks: closed forms of free fall, equilibrium and decay, their columns in
# steps.csv, paths and tables, a restart on other ranks, and what is refused.
# usage: test_loads.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 8
. "$(dirname "$0")/lib.sh"

# --- a free block under a force on its volume: implicit Euler's parabola h^2 f/rho n (n + 1)/2, the same for every
# vertex -----------
cat >free.yaml <<'DECK'
mesh:       {box: {size: [1, 1, 1], cells: [2, 2, 2]}}
material:   {model: strain, stiffness: 1e3, density: 500}
body_force: {box: {value: [0, 0, -2000]}}
time:       {step: 0.1, steps: 7}
solver:     {type: newton, rtol: 1e-12}
output:     {directory: free, every: 0, state_csv: true}
DECK
works 2 run free.yaml
awk -F, 'NR > 1 { print $4 }' free/state.csv | sort -g | head -1 >low
near "$(cat low)" -1.12 1e-12 "free fall"                         # 0 - 0.01 * 4 * 28
near "$(last free/steps.csv external)" -2240 1e-8 "its external energy" # 2000 N down, by 1.12 m
works 1 run free.yaml -body_force_box_until 0.3 -output_directory until
near "$(last until/steps.csv pz)" -600 1e-9 "velocity after the end of a force" # 3 steps of 2000 N and 0.1 s

# --- drag alone: v_n = v_0/(1 + h c/m)^n by mass, the same factor for every vertex
# -----------------------------------------------------
cat >drag.yaml <<'DECK'
mesh:       {box: {size: [1, 1, 1], cells: [1, 1, 1]}}
material:   {model: strain, stiffness: 1e3, density: 500}
initial:    {velocity: [3, 0, 0]}
drag:       {rate: 2}
time:       {step: 0.1, steps: 10}
output:     {directory: drag, every: 0}
DECK
expected=$(awk 'BEGIN { printf "%.12g", 1500/(1.2)^10 }')
for type in newton qn pd admm xpbd; do
  works 1 run drag.yaml -solver_type $type -solver_rtol 1e-12
  near "$(last drag/steps.csv px)" "$expected" 1e-4 "momentum under drag, $type"
done
printf 'time,value\n0,0\n0.5,0\n0.55,1\n' >late.csv
works 2 run drag.yaml -drag_curve late.csv -solver_rtol 1e-12
near "$(last drag/steps.csv px)" "$(awk 'BEGIN { printf "%.12g", 1500/(1.2)^5 }')" 1e-4 "momentum under late drag"

# --- equilibrium: the attachment of xmin balances a force on one vertex, pressure on xmax and gravity that grows
# ---------------------------------
cat >hang.yaml <<'DECK'
mesh:       {box: {size: [1, 0.5, 0.5], cells: [4, 2, 2], jitter: 0.1}}
material:   {model: corotated, young: 1e8, poisson: 0.3, density: 1000}
gravity:    [0, 0, -10]
gravity_curve: half.csv
attach:     {xmin: {hard: true}}
point_load: {hook: {file: hook.csv, curve: ramp.csv, interpolation: cubic}}
pressure:   {xmax: {value: 100}}
time:       {step: 1, steps: 20}
solver:     {type: newton, rtol: 0, atol: 1e-6}
output:     {directory: hang, every: 0, state_csv: true}
DECK
printf 'time,value\n0,0\n10,0.5\n' >half.csv
printf 'time,value\n0,0\n5,0.5\n10,3\n' >ramp.csv
printf 'vertex,x,y,z\n44,2,7,-3\n' >hook.csv
works 2 run hang.yaml
near "$(last hang/steps.csv xmin_fy)" -21 0.01 "fy of what holds" # the surface turns a little, and pressure with it
near "$(last hang/steps.csv xmin_fx)" 19 0.01 "fx of what holds"  # 100 Pa on 0.25 m^2, and 3 * 2 N
near "$(last hang/steps.csv xmin_fz)" 1259 0.1 "fz of what holds"  # half of 2500 N, and 3 * 3 N
works 2 run hang.yaml -gravity 0,0,0 -pressure_xmax_until 0
hooked=$(awk -F, '$1 == 44 { printf "%.12g", -3 * (2*$2 + 7*$3 - 3*$4 - 4) }' hang/state.csv)
near "$(last hang/steps.csv external)" "$hooked" 1e-8 "external energy of a point load"
# A path on the command line is relative to the deck, as in the deck: fails when it is relative to the working
# directory.
mkdir elsewhere
(cd elsewhere && works 1 run ../hang.yaml -time_steps 1 -point_load_hook_file hook.csv -output_directory .)

sed '/pressure/d' hang.yaml >dead.yaml
works 2 run dead.yaml
near "$(last hang/steps.csv xmin_fy)" -21 1e-5 "fy of what holds, dead loads"
near "$(last hang/steps.csv xmin_fz)" 1259 1e-5 "fz of what holds, dead loads"

# --- pressure acts inwards for any orientation of triangles in the file: 6 Pa on 1/2 m^2 for 0.1 s; a triangle
# inside is refused -------------------
cat >two.msh <<'MESH'
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
2 1 "bottom"
2 2 "middle"
3 3 "body"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
5 -1 0 0
$EndNodes
$Elements
4
1 2 2 1 1 1 2 3
2 2 2 2 2 1 3 4
3 4 2 3 3 1 2 3 4
4 4 2 3 3 1 3 5 4
$EndElements
MESH
cat >push.yaml <<'DECK'
mesh:     {file: two.msh}
material: {model: strain, stiffness: 1e3, density: 1000}
pressure: {bottom: {value: 6}}
time:     {step: 0.1, steps: 1, integrator: symplectic_euler}
output:   {directory: push, every: 0}
DECK
for turned in "1 2 3" "2 1 3"; do
  sed -i "s/^1 2 2 1 1 .*/1 2 2 1 1 $turned/" two.msh
  works 2 run push.yaml
  near "$(last push/steps.csv pz)" 0.3 1e-14 "momentum by pressure on $turned"
done
refused_on 2 "surface 'middle': the triangle 0 2 3 lies between two tetrahedra" run push.yaml -pressure_middle_value 1

# Triangles without a tetrahedron push against the normal that the mesh gives them; a checkpoint keeps them: 5 N for 0.4
# s.
cat >sheet.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 0], cells: [4, 4, 0], jitter: 0}}
membrane: {box: {stiffness: 100, density: 1}}
pressure: {box: {value: 5}}
time:     {step: 0.1, steps: 4}
solver:   {type: newton, rtol: 1e-10}
output:   {directory: sheet, every: 0}
DECK
works 1 run sheet.yaml -time_steps 2
works 2 run sheet.yaml -initial_restart sheet -output_directory later
near "$(last later/steps.csv pz)" -2 1e-12 "momentum of a sheet"

# --- a set on a path, and vertices of a table, to the last digit; a restart on other ranks continues identically
# ----------------------------------
cat >path.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [2, 2, 2], jitter: 0}}
material: {model: neohookean, young: 1e5, poisson: 0.4, density: 1000}
gravity:  [0, 0, -9.81]
drag:     {coefficient: 3}
body_force: {box: {value: [0, 100, 0], curve: pull.csv}}
attach:
  zmin:   {hard: true, path: path.csv, spin: [0, 0, 30]}
  nail:   {hard: true, file: nail.csv, release: 0.1}
time:     {step: 0.02, steps: 10, integrator: bdf2}
solver:   {type: qn, rtol: 1e-11, max_it: 300}
output:   {directory: straight, every: 0, state_csv: true}
DECK
printf 'time,x,y,z\n0,0,0,0\n0.1,0.1,0,0.05\n0.2,0.1,0.2,0.25\n' >path.csv
printf 'time,value\n0,0\n0.1,1\n0.2,-1\n' >pull.csv
printf 'vertex,x,y,z\n26,1.1,1,1.1\n' >nail.csv
works 1 run path.yaml
near "$(field straight/state.csv 4 2)" 0.6 1e-15 "x of the middle of zmin"
near "$(field straight/state.csv 4 3)" 0.7 1e-15 "y of the middle of zmin"
near "$(field straight/state.csv 4 4)" 0.25 1e-15 "z of the middle of zmin"
works 1 run path.yaml -time_steps 5 -output_directory first
near "$(field first/state.csv 26 2)" 1.1 0 "x of the nail"
near "$(field first/state.csv 26 4)" 1.1 0 "z of the nail"
near "$(last straight/steps.csv nail_fx)" 0 0 "force of the nail after its release"
works 2 run path.yaml -initial_restart first -output_directory second
paste -d, straight/state.csv second/state.csv |
  awk -F, 'NR > 1 { for (i = 2; i <= 7; i++) { d = $i - $(i + 7); if (d > 1e-6 || d < -1e-6) bad = 1 } }
    END { exit bad || NR != 28 }' ||
  fail "a restart goes on otherwise"
for rule in implicit_euler implicit_midpoint linear_implicit_euler symplectic_euler explicit_euler; do
  works 2 run path.yaml -time_integrator $rule -time_step 0.002 -time_steps 100 -output_directory rule -solver_rtol 1e-6
  near "$(field rule/state.csv 4 4)" 0.25 1e-14 "$rule: z of the middle of zmin"
done

# --- evaluate takes loads at t + h: inertial = h^2/2 M a^2 with a = 2.5 m/s^2 of half of gravity, where drag is none
# ----------------------
cat >evaluate.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [1, 1, 1]}}
material: {model: strain, stiffness: 1e3, density: 1000}
gravity:  [0, 0, -10]
gravity_curve: grow.csv
time:     {step: 0.5}
output:   {directory: evaluate}
DECK
printf 'time,value\n0,0\n1,0.5\n' >grow.csv
works 2 evaluate evaluate.yaml
near "$(json_value evaluate/evaluate.json inertial)" 781.25 1e-9 "inertial"

# --- refusals
# ----------------------------------------------------------------------------------------------------------------------
printf 'time,value\n0,1\n1,2\n1,3\n' >back.csv
printf 'time,x,y,z\n0,1,2,3\n0,1,2,4\n' >stop.csv
printf 'vertex,x,y,z,stiffness\n3,0,0,0,1e5\n' >soft.csv
printf 'vertex,x,y,z\n3,0,0,0\n' >bare.csv
printf 'vertex,x,y,z\n9999,0,0,0\n' >far.csv
printf 'time,x,y,z\n0,0,0,0\n0.2,0,0,3\n' >press.csv
refused_on 2 'back.csv:4: time 1 follows time 1, expected increasing times' run free.yaml \
  -body_force_box_curve back.csv
refused 'back.csv:4: time 1 follows' run free.yaml -gravity_curve back.csv
refused 'stop.csv:3: time 0 follows time 0' run path.yaml -attach_zmin_path stop.csv
refused 'path.csv:1: the header is "time,x,y,z", expected "time,value"' run drag.yaml -drag_curve path.csv
refused 'half.csv:1: the header is "time,value", expected "time,x,y,z"' run path.yaml -attach_zmin_path half.csv
refused 'soft.csv:1: the header is "vertex,x,y,z,stiffness", expected "vertex,x,y,z"' run path.yaml \
  -attach_nail_file soft.csv
refused 'bare.csv:1: the header is .*, expected "vertex,x,y,z,stiffness"' run path.yaml -attach_nail_hard false \
  -attach_nail_file bare.csv
refused 'far.csv:2: vertex is "9999", expected a vertex' run hang.yaml -point_load_hook_file far.csv
refused 'stiffness and attach_zmin_hard are both given' run path.yaml \
  -attach_zmin_stiffness 1e5 -attach_zmin_hard true
refused 'velocity and attach_zmin_path are both given' run path.yaml \
  -attach_zmin_velocity 1,0,0 -attach_zmin_path path.csv
refused_on 2 "vertex 0 is held by 'zmin' and by 'xmin', expected one hard attachment" run path.yaml \
  -attach_xmin_hard true
refused "body_force: the mesh has no region 'bix' .did you mean 'box'" run free.yaml -body_force_bix_value 0,0,1
refused "pressure: 'xmux' is not a set of the mesh .did you mean 'xmax'" run hang.yaml -pressure_xmux_value 1
refused "pressure: the set 'grip' has no triangles" run hang.yaml -set_grip_sphere 0,0,0,0.3 -pressure_grip_value 1
refused 'pressure_xmin_value is missing' run hang.yaml -pressure_xmin_until 1
refused 'drag_rate is .-1., expected' run drag.yaml -drag_rate -1
refused 'expected drag_curve too' run drag.yaml -drag_interpolation cubic
refused_on 2 'hard attachments move so far that the energy is not finite' run path.yaml -time_step 0.2 \
  -attach_zmin_spin 0,0,0 \
  -attach_zmin_path press.csv

# --- run.json has every key in force with its type --------------------------------------------------------------------
# Fails when a default of a named load, collider, spring or attachment or of a compared solver is missing, when one that
# nothing uses is there, and when a number is a text.
cat >force.yaml <<'DECK'
mesh:       {box: {size: [1, 1, 1], cells: [2, 2, 2]}}
material:   {model: neohookean, young: 1e5, poisson: 0.3, density: 500}
attach:     {xmin: {stiffness: 1e4}}
spring:     {bar: {file: bar.csv}}
collider:   {floor: {shape: half_space, point: [0, 0, -9], normal: [0, 0, 2], stiffness: 100}}
body_force: {box: {value: [0, 0, -1], curve: ramp.csv}}
pressure:   {xmax: {value: 2}}
time:       {step: 0.01, steps: 1}
variant:    {quick: {type: newton}}
compare:    {solvers: [chebyshev, quick], iterations: 1, reference: least}
output:     {directory: force, every: 0, state_csv: yes}
DECK
printf 'a,b,length,stiffness\n0,26,1.7,10\n' >bar.csv
works 1 run force.yaml -solver_type qn
sed -E "/^time:/s/steps: [0-9]+/end: 0.01/" force.yaml >end.yaml
works 1 compare end.yaml -output_directory forces
command -v "$python" >/dev/null || exit 0
"$python" - <<'PYTHON' || fail "the keys in force"
import json
run, compare = (json.load(open(f"{name}.json")) for name in ("force/run", "forces/compare"))
run, compare = run["options"], compare["provenance"]["options"]
expected = {
    "time_step": 0.01, "time_steps": 1, "output_every": 0, "output_state_csv": True, "mesh_box_cells": [2, 2, 2],
    "material_young": 1e5, "mesh_box_origin": [0, 0, 0], "attach_xmin_hard": False, "spring_bar_damping": 0,
    "collider_floor_friction": 0, "collider_floor_spin": [0, 0, 0], "collider_floor_normal": [0, 0, 2],
    "body_force_box_interpolation": "linear", "drag_rate": 0, "solver_type": "qn", "solver_qn_history": 5,
    "operator_type": "auto", "compare_solvers": ["chebyshev", "quick"],
}
for key, value in expected.items():
    assert run[key] == value and type(run[key]) in (type(value), float), (key, run.get(key))
unused = ("collider_floor_axis", "collider_floor_inside", "pressure_xmax_interpolation", "mesh_scale",
          "solver_admm_weight", "self_contact_thickness", "compare_tolerance", "bench_tets")
for key in unused:
    assert key not in run, key
assert "time_steps" not in compare and compare["time_end"] == 0.01, compare
assert compare["compare_tolerance"] == 0 and compare["solver_chebyshev_delay"] == 10, compare
assert any(key.startswith("variant_quick_") and key != "variant_quick_type" for key in compare), compare
assert not any(key.startswith("solver_qn_") for key in compare), compare
PYTHON
exit 0
