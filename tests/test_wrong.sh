#!/usr/bin/env bash
# What must not end with status 0, or without a word: load steps and time steps that do not converge, locking, elements
# of order 2 that invert, folded meshes, runs that mix in one directory; and what a user reads from a run: energies from
# the rest state, the largest stress, the iterate of an interrupted solve.
# usage: test_wrong.sh BUILD_DIR SOURCE_DIR     ranks: 3     cost: 12
. "$(dirname "$0")/lib.sh"

# says PATTERN, silent PATTERN: a note of the last call.
says() { grep -Eq "^note: .*$1" log || fail "no note '$1'"; }
silent() { ! grep -Eq "^note: .*$1" log || fail "a note '$1'"; }

# ---- load steps and time steps ---------------------------------------------------------------------------------------

cat >bar.yaml <<'END'
mesh:     {box: {size: [1, 0.3, 0.3], cells: [8, 3, 3], jitter: 0.1}}
material: {model: neohookean, young: 1e6, poisson: 0.3, density: 1000}
attach:   {xmin: {hard: true}}
force:    {xmax: {value: [0, 0, -1000]}}
time:     {integrator: static, steps: 2}
output:   {directory: out, every: 0, state_csv: true}
END

# Fails if a load step at max_it counts as made: two steps of 3 iterations leave most of the load, with any method.
for ranks in 1 2; do
  expect 2 $ranks run bar.yaml -solver_type qn -solver_max_it 3
  says 'max_it after 3 iterations .*: [0-9.]+ % of the largest force are out of balance; .* a larger solver.max_it, '
  says 'step 1 failed: unbalanced; the state before it, at .*, is in out'
  [ "$(wc -l <out/steps.csv)" = 1 ] && [ -e out/checkpoint_000000.h5 ] || fail 'the state before the step is not there'
done
works 1 run bar.yaml -solver_type qn -solver_max_it 3 -solver_accept true
grep -q '^steps .*2 at max_it: largest remaining force' log || fail 'accepted steps are not counted'

# Methods of other speed find the same equilibrium, whatever max_it. Fails if `auto` does not go on with newton, or if
# a load step is not halved.
works 1 run bar.yaml -solver_rtol 1e-10
cp out/state.csv exact.csv
works 1 run bar.yaml -solver_max_it 12 -solver_rtol 1e-10
says "solver 'auto' goes on with 'newton'"
same exact.csv out/state.csv 1e-8
works 2 run bar.yaml -solver_type newton -solver_newton_watchdog false -solver_max_it 5 -solver_rtol 1e-10
says 'load step 1 fails from pseudo-time 0 to 0.5: it goes on with half of this'
same exact.csv out/state.csv 1e-8

# In time, 0.1 % of the largest force are the limit; a number of iterations that the deck asks for is none.
time=(-time_integrator implicit_euler -time_step 0.05 -solver_type gradient_descent)
expect 2 1 run bar.yaml "${time[@]}" -solver_max_it 2
says 'step 1 failed: unbalanced'
works 1 run bar.yaml "${time[@]}" -solver_max_it 2 -solver_rtol 0
works 1 run bar.yaml "${time[@]}" -solver_max_it 2 -solver_accept true
works 1 run bar.yaml "${time[@]}" -time_step 1e-3 -solver_type qn -solver_max_it 4 -solver_rtol 1e-9
grep -q 'max_it: largest remaining force' log || fail 'a step at max_it within 0.1 % is not counted'

# A slender bar is pulled by 500 N and bent by 5 N. 5 % of the largest force hide 87 % of its deflection: fails if they
# are accepted, or if `auto` does not go on with newton then.
slender=(-mesh_box_size 1,0.1,0.1 -mesh_box_cells 12,2,2 -mesh_box_jitter 0 -force_xmax_value 500,0,5
  -time_integrator implicit_euler -time_step 0.05 -time_steps 1)
works 1 run bar.yaml "${slender[@]}" -solver_rtol 1e-10
cp out/state.csv exact.csv
expect 2 1 run bar.yaml "${slender[@]}" -solver_type qn -solver_max_it 5
says 'max_it after 5 iterations .*: 4[.0-9]* % of the largest force are out of balance; .*, or a larger solver.max_it, '
works 1 run bar.yaml "${slender[@]}" -solver_max_it 5
says "solver 'auto' goes on with 'newton'"
same exact.csv out/state.csv 1e-5

# A body at rest without loads has nothing but rounding out of balance.
works 1 run bar.yaml -force_xmax_value 0,0,0 -solver_rtol 1e-13

# An attachment of 1e18 N/m far from the origin has 1e4 N of rounding: as much as the load of the body. Fails if this
# covers a force that is out of balance elsewhere, at max_it or at round-off, or counts as one at the end of newton.
sed -e 's/hard: true/stiffness: 1e18/; s/size:/origin: [1000, 1000, 1000], size:/' bar.yaml >far.yaml
expect 2 1 run far.yaml -solver_type qn -solver_max_it 20
says 'max_it after 20 iterations of solver .qn., .* are out of balance'
expect 2 2 run far.yaml -solver_type gradient_descent
says 'round-off after [0-9]+ iterations? of solver .gradient_descent., .* are out of balance'
works 2 run far.yaml -solver_type newton
cp out/state.csv far.csv
works 1 run bar.yaml -mesh_box_origin 1000,1000,1000 -solver_type newton
same far.csv out/state.csv 1e-6

# ---- locking ---------------------------------------------------------------------------------------------------------

# The default is the answer of `mean`, and says so; where it cannot be, locking is noted, by every command.
for mode in auto full mean; do
  works 1 run bar.yaml -material_poisson 0.4995 -material_volumetric $mode -solver_rtol 1e-9
  [ $mode != auto ] || says "ratio 0.4995: material.volumetric is mean, against locking"
  [ $mode != full ] || says "ratio 0.4995: locking: tetrahedra"
  [ $mode != mean ] || silent locking
  cp out/state.csv $mode.csv
done
same auto.csv mean.csv 0
works 1 run bar.yaml -material_poisson 0.4995 -solver_type qn -solver_rtol 1e-9
says 'material.volumetric is mean'
! cmp -s auto.csv full.csv || fail 'volumetric full and mean agree'
works 1 run bar.yaml -material_poisson 0.4995 -solver_type vbd -solver_max_it 2 -solver_accept true
says 'locking: tetrahedra'
says "solver 'vbd' cannot use means of volumes"
works 1 compare bar.yaml -material_poisson 0.4995 -compare_solvers newton,vbd -compare_iterations 2
says 'locking: tetrahedra'
{ cat bar.yaml && echo 'compare: {solvers: [newton, vbd]}'; } >both.yaml # keys that are not of the run
works 1 run both.yaml -material_poisson 0.4995 -solver_rtol 1e-9
same out/state.csv mean.csv 0
works 1 converge bar.yaml -material_poisson 0.4995 -material_model corotated -mesh_box_cells 2,1,1 -converge_levels 2 \
  -output_directory levels
says 'locking: tetrahedra'
works 1 check bar.yaml -material_poisson 0.48
says 'locking: tetrahedra .*; material.volumetric mean avoids it'

# ---- elements that invert --------------------------------------------------------------------------------------------

# A bar that is twisted inverts elements of a law without a barrier, also with means of volumes; fails if it inverts
# those of neohookean.
twist=(-solver_type newton -mesh_box_cells 5,2,2 -mesh_box_jitter 0.05 -force_xmax_value 0,0,0 -attach_xmax_hard true
  -attach_xmax_spin 200,0,0 -attach_xmax_velocity -0.3,0,0 -time_steps 4 -material_poisson 0.4995)
works 1 run bar.yaml "${twist[@]}" -material_model stable_neohookean
grep -q '^inverted' log || fail 'no element inverts without a barrier'
works 1 run bar.yaml "${twist[@]}"
! grep -q '^inverted' log || fail 'an element of neohookean inverts with means of volumes'

# At order 2 the energy has no barrier at corners. Fails if such a run ends with 0, or if it does so where none inverts.
twist+=(-mesh_order 2)
expect 2 1 run bar.yaml "${twist[@]}"
says 'tetrahedra of order 2 invert at a corner'
says 'failed: inverted'
works 1 run bar.yaml "${twist[@]}" -material_poisson 0.3 -attach_xmax_spin 5,0,0 -attach_xmax_velocity -0.03,0,0 \
  -time_steps 1
silent inver

# ---- meshes ----------------------------------------------------------------------------------------------------------

# A node inside of a box is moved to the outside. Its tetrahedra, reoriented or not, overlap others.
works 1 mesh box whole.msh -size 3,3,3 -cells 3,3,3 -jitter 0
awk '$1 == 1 && $2 == 1 && $3 == 1 && NF == 3 { $1 = 9 } { print }' whole.msh >folded.msh
[ "$(diff whole.msh folded.msh | grep -c '^>')" = 1 ] || fail 'no node was moved'
works 1 mesh info whole.msh
refused_everywhere 'folded.msh:[0-9]+: element [0-9]+ is on the same side of a common face as element [0-9]+ \(line ' \
  mesh info folded.msh

# ---- energies and stresses -------------------------------------------------------------------------------------------

# The work of dead loads counts from the rest state: the sum is g in statics, wherever the body is.
works 1 run bar.yaml -gravity 0,0,-9.81 -time_steps 1 -solver_rtol 1e-9
total=$(last out/steps.csv total)
close "$total" "$(awk -F, 'END { print $5 }' out/history.csv)" 1e-9 'energies and g'
works 1 run bar.yaml -gravity 0,0,-9.81 -time_steps 1 -solver_rtol 1e-9 -mesh_box_origin 1000,200,50
close "$(last out/steps.csv total)" "$total" 1e-6 'the total energy elsewhere'

# The largest stress is at the clamped end, and that of frames. Fails if ranks or regions change it.
peak=(-probe_worst_largest von_mises -probe_part_largest von_mises -probe_part_region box)
for ranks in 1 3; do
  works $ranks run bar.yaml "${peak[@]}" -time_steps 1 -solver_rtol 1e-9
  close "$(last out/probes.csv worst_von_mises)" "$(last out/steps.csv von_mises)" 0 'probe and steps.csv'
  close "$(last out/probes.csv part_von_mises)" "$(last out/steps.csv von_mises)" 0 'the only region'
  near "$(last out/probes.csv worst_x)" 0 0.15 'where the stress is largest'
  grep -q '^stress    von Mises at most [0-9.e+]* Pa, in the tetrahedron at ' log || fail 'no line of stress'
  cp out/probes.csv peak$ranks.csv
done
same peak1.csv peak3.csv 1e-6
refused 'probe_part_region: .no. is not a region of the mesh' run bar.yaml "${peak[@]}" -probe_part_region no

# ---- directories, contacts, interrupts -------------------------------------------------------------------------------

# Another material in a directory that goes on is said. Fails if the same deck says so.
works 1 run bar.yaml -time_integrator implicit_euler -time_step 1e-2
works 1 run bar.yaml -time_integrator implicit_euler -time_step 1e-2 -time_steps 3 -initial_restart out
silent 'go on, but'
works 1 run bar.yaml -time_integrator implicit_euler -time_step 1e-2 -time_steps 4 -initial_restart out \
  -material_young 2e6
says 'steps.csv and probes.csv there go on, but material_young was 1e6, now 2e6'
works 1 run bar.yaml -time_integrator implicit_euler -time_step 1e-2 -time_steps 5 -initial_restart out \
  -material_young 3e6 -material_proxy_stiffness 1e6
says 'material_young was 2e6, now 3e6' && says 'material_proxy_stiffness was not given, now 1e6'
works 1 run bar.yaml -time_integrator implicit_euler -time_step 1e-2 -time_steps 6 -initial_restart out \
  -material_young 3e6
says 'material_proxy_stiffness was 1e6, now not given'

# Two bodies that will meet in the first step are apart at its start.
"$python" - >pair.mesh <<'END'
from itertools import permutations, product
corners, tets = [], []
for n in range(2):
    corners += [(x + n / 100, y + n / 50, z + 1.2 * n) for x, y, z in product((0, 1), repeat=3)]
    for axes in permutations((4, 2, 1)):
        tets.append([8 * n + 1 + sum(axes[:k]) for k in range(4)])
print("MeshVersionFormatted 2\nDimension 3\nVertices", len(corners), *("%g %g %g 0" % c for c in corners), sep="\n")
print("Tetrahedra", len(tets), *("%d %d %d %d 1" % tuple(t) for t in tets), "End", sep="\n")
END
cat >fall.yaml <<'END'
mesh:         {file: pair.mesh}
material:     {model: corotated, young: 1e6, poisson: 0.3, density: 1000}
self_contact: {stiffness: 1e6, max_depth: 0.1}
initial:      {velocities: speed.csv}
time:         {step: 0.1, steps: 1}
output:       {directory: out, every: 0}
END
{
  echo vertex,x,y,z
  for i in {0..15}; do echo "$i,0,0,$((i < 8 ? 0 : -6))"; done
} >speed.csv
works 1 check fall.yaml
silent 'inside a body'

# In `compare` g has the contacts of each iterate, and rises are counted on that g: fails if the table has the g that a
# solver minimises, which rises elsewhere, or if ranks change it.
scene=("$source/inputs/scenes/two_blocks.yaml" -initial_velocity 0,0,-4 -time_step 0.03)
for ranks in 1 2; do
  works $ranks compare "${scene[@]}" -compare_iterations 40 -compare_solvers qn,gradient_descent \
    -output_directory met$ranks
  says 'g is that of the contacts at each iterate'
  "$python" - met$ranks <<'END' || fail 'rises of g in compare.csv are not those of compare.json'
import csv, json, sys
result = json.load(open(sys.argv[1] + "/compare.json"))
solvers = result["solvers"]
# g* is that of an end, not of an iterate on the way, where contacts may be fewer.
assert result["g_star_from"] not in solvers or result["g_star"] == min(s["objective"] for s in solvers.values()), result
for name, solver in solvers.items():
    g = [float(row["objective"]) for row in csv.DictReader(open(sys.argv[1] + "/compare.csv")) if row["solver"] == name]
    assert sum(b - a > 1e-12 * abs(a) for a, b in zip(g, g[1:])) == solver["rises"], (name, solver["rises"])
    assert abs(g[-1] / solver["objective"] - 1) < 1e-15, (name, g[-1])
END
done
close "$(grep gradient met1/compare.csv | tail -n 1 | cut -d, -f4)" \
  "$(grep gradient met2/compare.csv | tail -n 1 | cut -d, -f4)" 1e-6 'g of gradient_descent on two ranks'

# That g is what `evaluate` gives there. Fails if a row has the g of contacts that the solver keeps.
works 1 run "${scene[@]}" -time_steps 1 -solver_type gradient_descent -solver_max_it 40 -solver_rtol 0 \
  -solver_start y -output_state_csv true -output_every 0 -output_directory last
cut -d, -f1-4 last/state.csv >last.csv
works 1 evaluate "${scene[@]}" -evaluate_positions last.csv -output_directory there
close "$(sed -n 's/.*"objective": \(.*\),/\1/p' there/evaluate.json)" \
  "$(grep gradient met1/compare.csv | tail -n 1 | cut -d, -f4)" 1e-12 'g with the contacts at an iterate'

# A long step is interrupted between iterations: its iterate is the start of the next run, also after a run that is
# stopped before it makes a step.
cp bar.yaml long.yaml
long=(-mesh_box_cells 24,8,8 -solver_type gradient_descent -solver_max_it 1000000 -solver_rtol 1e-12 -time_steps 1)
"$mpiexec" -n 2 "$wring" run long.yaml "${long[@]}" -output_directory long >log 2>&1 &
pid=$!
wait_for long/history.csv 100
sleep 1
kill -USR1 $pid
wait $pid
[ $? = 3 ] || fail 'an interrupted step does not end with status 3'
grep -q '"ended": "stopped by a signal"' long/run.json || fail 'run.json of an interrupted step'
g=$(tail -n 1 long/history.csv | cut -d, -f5)
expect 3 1 run long.yaml "${long[@]}" -initial_restart long -output_directory long -time_limit 1e-9
expect 2 1 run long.yaml "${long[@]}" -solver_max_it 1 -initial_restart long -output_directory next
close "$(sed -n 2p next/history.csv | cut -d, -f5)" "$g" 1e-2 'g where the next run begins'

# Where the next run has another step, this iterate may invert elements: the run then begins elsewhere.
cat >pulled.yaml <<'END'
mesh:     {box: {size: [1, 0.3, 0.3], cells: [24, 8, 8]}}
material: {model: neohookean, young: 1e6, poisson: 0.45, density: 1000}
attach:   {xmin: {hard: true}, xmax: {hard: true, velocity: [2, 0, 0]}}
time:     {step: 0.1, steps: 1}
solver:   {type: gradient_descent, max_it: 1000000, rtol: 1e-12}
output:   {directory: pulled, every: 0}
END
expect 3 1 run pulled.yaml -time_limit 1
works 1 run pulled.yaml -initial_restart pulled -time_step 0.01 -solver_type auto -solver_rtol 1e-5 \
  -output_directory shorter
