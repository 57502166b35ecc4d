#!/usr/bin/env bash
# Statics as a user meets it: equilibria known in advance, load steps, restarts, what is refused, what nothing holds.
# usage: test_static.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 7
. "$(dirname "$0")/lib.sh"

cat >block.yaml <<'END'
mesh:     {box: {size: [1, 0.3, 0.3], cells: [6, 2, 2], jitter: 0.2}}
material: {model: neohookean, young: 1e6, poisson: 0.3, density: 1000}
gravity:  [0, 0, -10]
attach:   {xmin: {hard: true}}
time:     {integrator: static, steps: 4}
output:   {directory: out, every: 0, state_csv: true}
END

# ---- equilibrium -----------------------------------------------------------------------------------------------------

# The reactions carry the weight, 90 kg times 10 m/s^2, of which a part j/4 acts in load step j; nothing moves. Fails if
# a load does not grow with the pseudo-time, or if the state has a velocity. The same on any number of ranks.
works 1 run block.yaml -solver_rtol 1e-10
for j in 1 2 3 4; do close "$(field out/steps.csv $j 18)" $((225 * j)) 1e-7 "weight in load step $j"; done
for name in kinetic px py pz lx ly lz; do near "$(last out/steps.csv $name)" 0 0 "$name"; done
[ "$(column out/steps.csv time | tr '\n' ' ')" = '0.25 0.5 0.75 1 ' ] || fail 'pseudo-times'
cp out/state.csv one.csv
for ranks in 2 4; do
  works $ranks run block.yaml -solver_rtol 1e-10
  same one.csv out/state.csv 1e-9
done

# The end of a damped motion is the same equilibrium. Fails if statics minimises something else than implicit Euler's
# E less the work of the loads.
works 1 run block.yaml -time_integrator implicit_euler -time_step 0.05 -time_steps 120 -drag_rate 4 -solver_rtol 1e-9
near "$(last out/steps.csv kinetic)" 0 1e-12 'the motion has ended'
cut -d, -f1-4 out/state.csv >moved.csv
cut -d, -f1-4 one.csv >static.csv
same static.csv moved.csv 1e-7

# A plate that sags: a second Newton step takes back what the first stretches. Fails without it, or if both steps end
# elsewhere.
plate=(run block.yaml -mesh_box_size 1,1,0.02 -mesh_box_cells 12,12,1 -mesh_box_jitter 0 -material_young 1e7
  -time_steps 1 -solver_type newton -solver_rtol 1e-8)
works 1 "${plate[@]}" -solver_newton_watchdog false
one=$(json_value out/run.json hessians)
cp out/state.csv one.csv
for ranks in 1 2; do
  works $ranks "${plate[@]}"
  [ $((4 * $(json_value out/run.json hessians))) -le $((3 * one)) ] ||
    fail "watchdog on $ranks ranks: $one Hessians without"
  same one.csv out/state.csv 1e-7
done

# Nothing acts on a slender, nearly incompressible rod, whose forces at rest are rounding. Fails if these are taken
# for a body out of balance.
works 2 run block.yaml -mesh_box_size 1,0.01,0.01 -mesh_box_cells 50,1,1 -mesh_box_jitter 0 -mesh_order 2 \
  -material_model stable_neohookean -material_young 1e8 -material_poisson 0.4999 -gravity 0,0,0 -time_steps 1

# Rollers on three faces and a traction on a fourth: strains s/E and -nu s/E on any mesh, to the order of the strain.
# Fails if a held component enters the equilibrium of the others.
works 2 run block.yaml -gravity 0,0,0 -material_model corotated -attach_xmin_components x -attach_ymin_hard true \
  -attach_ymin_components y -attach_zmin_hard true -attach_zmin_components z -traction_xmax_value 1e4,0,0 \
  -solver_rtol 1e-10
near "$(column out/state.csv x | sort -g | tail -n 1)" 1.01 1e-10 'strain along the traction'
near "$(column out/state.csv y | sort -g | tail -n 1)" 0.2991 1e-10 'strain across the traction'

# A pressure that follows its surface: the resultant on the deformed surface, which is p times the vector area within
# its outline, is that of the reactions. Fails if the pressure is that of the start of the load step.
works 2 run block.yaml -gravity 0,0,0 -pressure_zmax_value 3e3 -solver_rtol 1e-8 -time_steps 2 \
  -mesh_box_jitter 0
"$python" - out/state.csv "$(last out/steps.csv xmin_fx)" "$(last out/steps.csv xmin_fz)" <<'END' || fail 'pressure'
import csv, sys
rows = [[float(v) for v in r[1:4]] for r in list(csv.reader(open(sys.argv[1])))[1:]]
rest = [[i / 6, j * 0.15, k * 0.15] for k in range(3) for j in range(3) for i in range(7)]
# The top is z = 0.3 at rest; its outline in the deformed state has the area vector of the surface.
top = {(r[0], r[1]): x for r, x in zip(rest, rows) if r[2] > 0.29}
ring = [(i / 6, 0) for i in range(7)] + [(1, 0.15), (1, 0.3)] + [(i / 6, 0.3) for i in range(5, -1, -1)] + [(0, 0.15)]
ring = [min(top, key=lambda k: abs(k[0] - a) + abs(k[1] - b)) for a, b in ring]
S = [0, 0, 0]
for a, b in zip(ring, ring[1:] + ring[:1]):
    p, q = top[a], top[b]
    for c in range(3):
        S[c] += (p[(c + 1) % 3] * q[(c + 2) % 3] - p[(c + 2) % 3] * q[(c + 1) % 3]) / 2
want = [3e3 * s for s in S]
got = [float(sys.argv[2]), 0, float(sys.argv[3])]
sys.exit(any(abs(want[c] - got[c]) > 1e-5 * 270 for c in (0, 2)))
END

# A pressure that bends the block far, where repeating the solve with the pressure of its solution diverges.
# Fails, with notes of halved load steps, if these loads are not mixed.
works 1 run block.yaml -gravity 0,0,0 -pressure_zmax_value 2.5e4 -solver_type newton -mesh_box_jitter 0
! grep -q 'fails from pseudo-time\|no equilibrium' log || fail 'a large pressure is not found'

# ---- load steps ------------------------------------------------------------------------------------------------------

# Targets of a file grow from the start, curves and motions follow the pseudo-time: two springs of 100 and 300 N/m pull
# vertex 0, the first to a target 1 m away. A restart goes on with the same start of the targets.
cat >point.yaml <<'END'
mesh:     {file: points.csv}
mass:     {file: mass.csv}
attach:   {far: {file: far.csv}, back: {file: back.csv}, near: {file: near.csv, hard: true}}
point_load: {pull: {file: pull.csv, curve: curve.csv}}
time:     {integrator: static, steps: 4}
solver:   {rtol: 1e-12}
checkpoint: {every: 1}
output:   {directory: point, every: 0, state_csv: true}
END
printf 'vertex,x,y,z\n0,0,0,0\n1,5,0,0\n' >points.csv
printf 'vertex,mass\n0,1\n1,1\n' >mass.csv
printf 'vertex,x,y,z,stiffness\n0,1,0,0,100\n' >far.csv
printf 'vertex,x,y,z,stiffness\n0,0,0,0,300\n' >back.csv
printf 'vertex,x,y,z\n1,5,0,2\n' >near.csv
printf 'vertex,x,y,z\n0,0,10,0\n' >pull.csv
printf 'time,value\n0,1\n1,3\n' >curve.csv
works 1 run point.yaml
for j in 1 2 3 4; do
  near "$(column point/steps.csv far_fx | sed -n ${j}p)" "$(awk "BEGIN { print 75 * $j / 4 }")" 1e-9 "spring in step $j"
  near "$(column point/steps.csv far_fy | sed -n ${j}p)" "$(awk "BEGIN { print -2.5 * (1 + $j / 2) }")" 1e-9 "curve, $j"
done
near "$(field point/state.csv 1 4)" 2 0 'the hard target'
cp point/state.csv whole.csv
works 2 run point.yaml -initial_restart point/checkpoint_000003.h5 -output_directory rest
[ "$(column rest/steps.csv step)" = 4 ] || fail 'a restart after load step 3'
same whole.csv rest/state.csv 1e-12

# A load step that fails is made in parts, with a note; the rows of steps.csv are whole load steps. Here half a turn of
# an end inverts elements in one step.
works 2 run block.yaml -gravity 0,0,0 -attach_xmax_hard true -attach_xmax_spin 180,0,0 -time_steps 1
grep -q 'note: load step 1 fails from pseudo-time 0 to 1: it goes on with half of this' log || fail 'no note of a half'
[ "$(wc -l <out/steps.csv)" = 2 ] || fail 'rows of halves in steps.csv'
[ "$(cut -d, -f2 out/history.csv | tail -n +2 | sort -u | wc -l)" -ge 2 ] || fail 'the halves are not in history.csv'
near "$(last out/steps.csv inverted)" 0 0 'inverted tetrahedra'
cp out/state.csv halves.csv
works 2 run block.yaml -gravity 0,0,0 -attach_xmax_hard true -attach_xmax_spin 180,0,0 -time_steps 8 -solver_rtol 1e-8
same halves.csv out/state.csv 1e-3

# ---- what nothing holds ----------------------------------------------------------------------------------------------

# One line names the part and its free motions: all six, those about a point, that about a line. Three points hold it.
cat >free.yaml <<'END'
mesh:     {box: {size: [1, 0.3, 0.3], cells: [6, 2, 2]}}
set:      {point: {sphere: [0, 0, 0, 1e-3]}, line: {box: [-1e-3, -1e-3, -1, 1e-3, 1e-3, 1]},
           bend: {box: [-1e-3, -1e-3, -1e-3, 1e-3, 0.16, 0.16]}}
material: {model: neohookean, young: 1e6, poisson: 0.3, density: 1000}
gravity:  [0, 0, -1]
time:     {integrator: static, steps: 2}
output:   {directory: free, every: 0}
END
part='attach: the part of 63 vertices from \(0, 0, 0\) to \(1, 0.3, 0.3\) m, with vertex 0, is free in'
for ranks in 1 4; do
  refused_on $ranks "$part 6 rigid motions: .* expects attachments of three" run free.yaml
  refused_on $ranks "$part 3 rigid motions" run free.yaml -attach_point_hard true
  refused_on $ranks "$part 1 rigid motion:" run free.yaml -attach_line_stiffness 1e5
  refused_on $ranks "$part 6 rigid motions" check free.yaml
  works $ranks run free.yaml -attach_bend_hard true
done
refused "$part 6 rigid motions" run free.yaml -attach_bend_hard true -attach_bend_release 0.5

# What only contacts may hold settles on the floor, whose force is the weight, with a note; far above it no load step
# can settle. Fails if the springs that hold the block meanwhile still have a force at the end.
cat >floor.yaml <<'END'
mesh:     {box: {size: [1, 0.3, 0.3], cells: [6, 2, 2], origin: [0, 0, 0.01]}}
material: {model: neohookean, young: 1e6, poisson: 0.3, density: 1000}
gravity:  [0, 0, -10]
collider: {floor: {shape: half_space, point: [0, 0, 0], normal: [0, 0, 1], stiffness: 1e5}}
time:     {integrator: static, steps: 2}
output:   {directory: floor, every: 0}
END
for ranks in 1 2; do
  works $ranks run floor.yaml -solver_rtol 1e-8
  grep -q 'note: only contacts may hold 63 vertices' log || fail 'no note on contacts'
  close "$(last floor/steps.csv collider_floor_fz)" 900 1e-4 'the weight on the floor'
done

# A plate is pressed on a block and taken back: at the same place its force is the same on both ways. Fails if vertices
# inside are taken for leaving because the plate has moved away in the load step: no equilibrium at step 8.
printf 'time,x,y,z\n0,0,0,0\n0.6,0,0,-0.03\n1.2,0,0,0\n' >press.csv
for ranks in 1 2; do
  works $ranks run floor.yaml -collider_floor_normal 0,0,-1 -collider_floor_point 0,0,0.31 -gravity 0,0,0 \
    -collider_floor_path press.csv -attach_zmin_hard true -time_steps 10 -solver_rtol 1e-8
  for name in collider_floor_fz collider_depth; do
    mapfile -t value < <(column floor/steps.csv $name)
    close "${value[7]}" "${value[3]}" 1e-5 "$name at steps 8 and 4"
    close "${value[9]}" "${value[1]}" 1e-5 "$name at steps 10 and 2"
  done
done

expect 2 1 run floor.yaml -mesh_box_origin 0,0,50
grep -q 'note: no contact stops the part' log || fail 'no note on a part that falls'
grep -q 'failed: no equilibrium' log || fail 'no reason'

# A chain, which has no stiffness across itself at rest: newton needs the regularisation, and the ends carry the weight,
# 0.1 kg/m over 1 m, half each, whatever it adds to the Hessian.
cat >chain.yaml <<'END'
mesh:     {box: {size: [1, 0, 0], cells: [10, 0, 0], jitter: 0}}
spring:   {box: {stiffness: 1e3, density: 0.1}}
gravity:  [0, 0, -10]
attach:   {xmin: {hard: true}, xmax: {hard: true}}
time:     {integrator: static, steps: 2}
output:   {directory: chain, every: 0, state_csv: true}
END
for type in newton qn; do
  works 2 run chain.yaml -solver_type $type -solver_rtol 1e-9
  grep -q 'note: only springs or membranes hold 9 vertices' log || fail "$type: no note on springs"
  near "$(last chain/steps.csv xmin_fz)" 0.5 1e-7 "$type: half the weight"
done

# ---- commands and refusals -------------------------------------------------------------------------------------------

works 2 compare block.yaml -compare_solvers qn,newton,chebyshev,admm -compare_iterations 20 -time_steps 1 \
  -output_directory compared
[ "$(tail -n +2 compared/compare.csv | cut -d, -f1 | sort -u | wc -l)" = 4 ] || fail 'compare'
works 1 evaluate block.yaml -time_steps 1 -output_directory evaluated
near "$(json_value evaluated/evaluate.json objective)" 0 1e-12 'g at rest'
works 1 check block.yaml
grep -q '^time  *static, 4 load steps, from step 0 at 0$' log || fail 'check'

refused_everywhere 'time_step does not apply to time_integrator .static., .* expected time_steps' \
  run block.yaml -time_step 0.1
refused 'time_end does not apply to time_integrator .static.' run block.yaml -time_end 1
refused 'initial_velocity does not apply' run block.yaml -initial_velocity 1,0,0
refused_everywhere "solver 'xpbd' cannot use time_integrator 'static'.* expected solver auto, qn" \
  run block.yaml -solver_type xpbd
for type in mgpbd pbd rgc penalty compliant; do
  refused "solver '$type' cannot use time_integrator 'static'" run block.yaml -solver_type $type
done
refused "solver 'pd' with metric mass cannot be used with time_integrator 'static'" run block.yaml \
  -solver_type pd -solver_pd_metric mass -material_model strain -material_stiffness 1e6
works 1 run block.yaml -time_integrator implicit_euler -time_step 0.01 -time_steps 3 -output_directory dynamic
refused 'dynamic.* is at step 3 and time 0.03, expected a state of a static run with time_steps 4' \
  run block.yaml -initial_restart dynamic
# The times of a dynamic run may be those of load steps. Fails if only they are compared.
works 1 run block.yaml -time_integrator implicit_euler -time_step 0.25 -time_steps 1 -output_directory quarter
refused 'quarter.* is at step 1 and time 0.25, expected a state of a static run with time_steps 4' \
  run block.yaml -initial_restart quarter
works 1 run block.yaml -drag_rate 1 -time_steps 1
grep -q 'note: drag does not act' log || fail 'no note on drag'
# Dynamics goes on from the equilibrium, and stays there. Fails if the checkpoint has another time or velocity.
works 2 run block.yaml -time_steps 2 -solver_rtol 1e-10
works 2 run block.yaml -initial_restart out -time_integrator implicit_euler -time_step 0.01 -time_steps 5 \
  -output_directory dynamic -solver_rtol 1e-8
near "$(last dynamic/steps.csv kinetic)" 0 1e-9 'dynamics from an equilibrium'
exit 0
