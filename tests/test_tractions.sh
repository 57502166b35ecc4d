#!/usr/bin/env bash
# Dead loads on sets, `traction` and `force`: totals on any partition and refinement, constant direction, the patch test
# of their distribution, reactions of held vertices, points without triangles, time, a restart, and what is refused.
# usage: test_tractions.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 6
. "$(dirname "$0")/lib.sh"

# --- the momentum of a free body after one explicit step is h times the total: h = 1 s -------------------------------
# The set xmax has 0.35 m^2. Fails if a vertex between ranks is counted twice or not at all, if areas are those of the
# mesh before refinement, or if the total is divided by the wrong area.
cat >free.yaml <<'DECK'
mesh:     {box: {size: [1, 0.5, 0.7], cells: [3, 4, 3], jitter: 0.3}}
material: {model: strain, stiffness: 1e3, density: 500}
traction: {xmax: {value: [200, -40, 60]}}
force:    {zmin: {value: [3, 5, 7]}}
time:     {step: 1, steps: 1, integrator: symplectic_euler}
output:   {directory: free, every: 0}
DECK
momentum() { # FILE PX PY PZ TOLERANCE WHAT
  near "$(last "$1" px)" "$2" "$5" "$6: x"
  near "$(last "$1" py)" "$3" "$5" "$6: y"
  near "$(last "$1" pz)" "$4" "$5" "$6: z"
}
for case in "1 0" "2 0" "4 0" "1 1" "2 1"; do
  read -r ranks refine <<<"$case"
  works "$ranks" run free.yaml -mesh_refine "$refine"
  momentum free/steps.csv 73 -9 28 1e-12 "total force on $ranks ranks, refined $refine times"
done

# The moments about the origin too, of either order: c x F of the centroids [1, 0.25, 0.35] m of xmax, with a pressure
# beside the traction, and [0.5, 0.25, 0] m of zmin. Fails if the vertices in the middles of edges have no part of a
# load, or if corners and middles have parts whose centre is not that of the face.
for case in "1 1" "1 2" "3 2"; do
  read -r ranks order <<<"$case"
  works "$ranks" run free.yaml -mesh_order "$order" -pressure_xmax_value 3
  what="on $ranks ranks, order $order"
  momentum free/steps.csv 71.95 -9 28 1e-12 "total force $what"
  near "$(last free/steps.csv lx)" 11.9 1e-12 "moment $what: x"
  near "$(last free/steps.csv ly)" -0.3675 1e-12 "moment $what: y"
  near "$(last free/steps.csv lz)" -29.4875 1e-12 "moment $what: z"
done

# A body that has turned by 90 degrees and grown: a dead load is as before, pressure turns and grows. Fails if the
# present area is used.
awk 'BEGIN { print "vertex,x,y,z"; for (v = 0; v < 8; v++)
  printf "%d,%d,%d,%d\n", v, -2 * (int(v / 2) % 2), 2 * (v % 2), 2 * int(v / 4) }' >turned.csv
cat >turned.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [1, 1, 1]}}
material: {model: strain, stiffness: 1, density: 500}
initial:  {positions: turned.csv}
time:     {step: 1, steps: 1, integrator: symplectic_euler}
output:   {directory: turned, every: 0}
DECK
works 1 run turned.yaml -pressure_xmax_value 3
momentum turned/steps.csv 0 -12 0 1e-12 "pressure on a body that has turned and grown"
works 1 run turned.yaml -traction_xmax_value -3,0,0 -force_ymin_value 0,0,1
momentum turned/steps.csv -3 0 1 1e-12 "dead loads on a body that has turned and grown"

# --- patch test: opposite tractions stretch every tetrahedron of an irregular mesh alike -----------------------------
# Fails if the load of a triangle is not shared equally by its vertices in proportion to its own area.
cat >patch.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [3, 3, 3], jitter: 0.4}}
material: {model: neohookean, young: 1e5, poisson: 0.3, density: 1000}
time:     {step: 0.2, steps: 45}
solver:   {type: newton, rtol: 0, atol: 1e-9, max_it: 20}
output:   {directory: patch, every: 0, state_csv: true}
evaluate: {positions: patch.csv}
DECK
for kind in "1 traction" "1 force" "2 traction" "2 force"; do
  read -r order load <<<"$kind"
  pull=(-mesh_order $order -${load}_xmin_value -5e3,0,0 -${load}_xmax_value 5e3,0,0)
  works 1 run patch.yaml "${pull[@]}"
  cut -d, -f1-4 patch/state.csv >patch.csv
  works 1 evaluate patch.yaml "${pull[@]}"
  what="J under a $load, order $order"
  close "$(json_value patch/evaluate.json max_J)" "$(json_value patch/evaluate.json min_J)" 1e-9 "$what"
  awk -v J="$(json_value patch/evaluate.json max_J)" 'BEGIN { exit !(J > 1.01) }' || fail "no stretch under a $load"
done

# --- a bar of order 2 under its weight in statics has the displacement rho g (L z - z^2/2)/E, which is in its space ---
# Fails if its weight, or a body force, is that of the lumped masses.
cat >hang.yaml <<'DECK'
mesh:     {box: {size: [0.5, 0.5, 1], cells: [1, 1, 2], jitter: 0.3}, order: 2}
material: {model: corotated, young: 1e6, poisson: 0, density: 1000}
attach:   {zmin: {hard: true}}
time:     {integrator: static, steps: 1}
solver:   {type: newton, rtol: 1e-13, max_it: 20}
output:   {directory: hang, every: 0, state_csv: true}
DECK
for load in "-gravity 0,0,20" "-body_force_box_value 0,0,2e4"; do
  for ranks in 1 2; do
    # shellcheck disable=SC2086
    works "$ranks" run hang.yaml $load
    end=$(awk -F, 'NR > 1 { print $4 }' hang/state.csv | sort -g | tail -1)
    near "$end" 1.01 1e-12 "the end of the bar under $load on $ranks ranks"
  done
done

# --- equilibrium: the reaction is minus the load, also of vertices that are held; external energy is -F . x -----------
cat >held.yaml <<'DECK'
mesh:     {box: {size: [1, 0.5, 0.5], cells: [3, 2, 2], jitter: 0.2}}
material: {model: corotated, young: 1e6, poisson: 0.3, density: 1000}
attach:   {xmin: {hard: true}}
traction: {xmax: {value: [100, 20, -4]}}
time:     {step: 10, steps: 6}
solver:   {type: newton, rtol: 0, atol: 1e-9}
output:   {directory: held, every: 0, state_csv: true}
DECK
reaction() { # X Y Z WHAT
  near "$(last held/steps.csv xmin_fx)" "$1" 1e-6 "$4: x"
  near "$(last held/steps.csv xmin_fy)" "$2" 1e-6 "$4: y"
  near "$(last held/steps.csv xmin_fz)" "$3" 1e-6 "$4: z"
}
works 1 run held.yaml
reaction -25 -5 1 "a load on the free end"
works 2 run held.yaml -force_xmin_value 1,2,3
reaction -26 -7 -2 "a load on held vertices too"
works 1 run held.yaml -force_xmin_value 1,2,3 -gravity 0,0,-10
reaction -26 -7 2498 "weight of held vertices too"

# --- a set without triangles: evenly over its vertices; springs only; curve and until --------------------------------
cat >points.csv <<'CSV'
vertex,x,y,z
0,0,0,0
1,1,0,0
2,2,0,0
3,3,0,0
CSV
printf 'vertex,mass\n0,1\n1,2\n2,3\n3,4\n' >mass.csv
printf 'a,b,length,stiffness\n0,1,1,1e-9\n1,2,1,1e-9\n2,3,1,1e-9\n' >chain.csv
printf 'time,value\n0,1\n2,3\n' >grow.csv
cat >chain.yaml <<'DECK'
mesh:   {file: points.csv}
mass:   {file: mass.csv}
spring: {chain: {file: chain.csv}}
set:    {end: {box: [0.5, -1, -1, 4, 1, 1]}}
force:  {end: {value: [0, 6, 3], curve: grow.csv, until: 2}}
time:   {step: 1, steps: 1, integrator: symplectic_euler}
output: {directory: chain, every: 0, state_csv: true}
DECK
for ranks in 1 4; do
  works $ranks run chain.yaml
  momentum chain/steps.csv 0 6 3 1e-14 "a force on points, $ranks ranks"
  near "$(field chain/state.csv 3 6)" 0.5 1e-15 "velocity of the last point: 2 N on 4 kg"
  near "$(field chain/state.csv 0 6)" 0 1e-9 "velocity of the point outside of the set"
done
works 1 run chain.yaml -time_steps 4 # factors 1, 2, 3 at 0, 1, 2 s, then 0
momentum chain/steps.csv 0 36 18 1e-13 "a force with a curve and an end"

# A checkpoint keeps the triangles: the second half continues on other ranks.
works 1 run free.yaml -time_steps 2 -output_directory whole -mesh_refine 1
works 1 run free.yaml -mesh_refine 1
works 4 run free.yaml -mesh_refine 1 -time_steps 2 -initial_restart free -output_directory later
momentum later/steps.csv "$(last whole/steps.csv px)" "$(last whole/steps.csv py)" "$(last whole/steps.csv pz)" 1e-11 \
  "total force after a restart"

# --- refusals --------------------------------------------------------------------------------------------------------
grip=(-set_grip_sphere 0,0,0,0.3)
refused "traction: 'xmux' is not a set of the mesh .did you mean 'xmax'.., expected a surface" run free.yaml \
  -traction_xmux_value 1,2,3
refused_on 2 "force: 'zmim' is not a set of the mesh .did you mean 'zmin'.., expected a set" run free.yaml \
  -force_zmim_value 1,2,3
refused_everywhere "traction: the set 'grip' has no triangles, expected a surface" run free.yaml "${grip[@]}" \
  -traction_grip_value 1,2,3
refused "set_nothing_sphere: no vertex of the mesh lies in it" run free.yaml -set_nothing_sphere 9,9,9,0.1 \
  -force_nothing_value 1,2,3
refused 'traction_xmax_value is "1,2", expected 3 reals .Pa.' run free.yaml -traction_xmax_value 1,2
refused 'force_zmin_value is "1", expected 3 reals .N.' run free.yaml -force_zmin_value 1
refused 'force_xmin_value is missing: expected 3 reals' run free.yaml -force_xmin_until 1
cat >flat.msh <<'MESH'
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
2 1 "edge"
3 2 "body"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
5 0.5 0 0
$EndNodes
$Elements
2
1 2 2 1 1 1 2 5
2 4 2 2 2 1 2 3 4
$EndElements
MESH
cat >flat.yaml <<'DECK'
mesh:     {file: flat.msh}
material: {model: strain, stiffness: 1, density: 1000}
mass:     {file: five.csv}
DECK
printf 'vertex,mass\n0,1\n1,1\n2,1\n3,1\n4,1\n' >five.csv
for load in force traction; do
  refused_on 2 "$load: the triangles of the set 'edge' have area 0 at rest, expected above 0" check flat.yaml \
    -${load}_edge_value 1,2,3
done

# --- unknown keys that look like loads name all loads ----------------------------------------------------------------
all='gravity, gravity_curve, body_force, traction, force, pressure, point_load, drag\?'
for key in load_top_value loads_top neumann_top_value surface_force_top_value nodal_force bodyforce_box_value; do
  refused "unknown key $key, did you mean one of $all" check free.yaml -$key 1
done
refused "unknown key tractions_xmax_value, did you mean traction_xmax_value, or one of $all" check free.yaml \
  -tractions_xmax_value 1,2,3
refused "unknown key force_value, did you mean force_NAME_value, or one of $all" check free.yaml -force_value 1,2,3
refused 'unknown key fix_xmin, did you mean attach\?' check free.yaml -fix_xmin yes
exit 0
