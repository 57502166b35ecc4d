#!/usr/bin/env bash
# wring converge: a linear solution has no error and no order; orders in space and time; the same numbers on 1, 2 and 4
# ranks, and from levels that were run apart or stopped; refusals. Fails if displacements are not compared on the finest
# mesh, if levels end at different times, if a finished level of another deck, default or version is taken, one of the
# same deck is run again, or results are removed before new ones are there, and if a table of another mesh is accepted.
# usage: test_converge.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 11
. "$(dirname "$0")/lib.sh"
prefix=(converge)

# at DIRECTORY QUANTITY LEVEL COLUMN: a number of converge.csv.
at() {
  awk -F, -v q="$2" -v l="$3" -v name="$4" '
    NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
    $1 == q && $2 == l { print $c }' "$1/converge.csv"
}

# order DIRECTORY QUANTITY EXPECTED TOLERANCE: at the finest of three levels.
order() { near "$(at "$1" "$2" 2 order)" "$3" "$4" "$1: the order of $2"; }

# equal DIRECTORY DIRECTORY TOLERANCE: all results, relative to each.
equal() {
  paste -d, <(cut -d, -f1,2,12- "$1/converge.csv") <(cut -d, -f1,2,12- "$2/converge.csv") | awk -F, -v t="$3" '
    NR > 1 { for (i = 1; i <= 9; i++) {
      a = $i; b = $(i + 9); d = a - b; if (d < 0) d = -d; s = b < 0 ? -b : b
      if ((a == "") != (b == "") || (i < 3 && a != b) || d > t * s + 1e-16) bad = 1 } }
    END { exit !(NR > 5 && !bad) }' || fail "$1 and $2 differ by more than a relative $3"
}

# ---- space: a bar between two walls under its weight, and a bar that is pulled ---------------------------------------

cat >bar.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [1, 1, 2]}}
material: {model: stvk, young: 1e5, poisson: 0, density: 1000}
gravity:  [0, 0, -1]
attach:   {zmin: {hard: true}, zmax: {hard: true}}
time:     {integrator: static}
solver:   {type: newton, rtol: 1e-13}
probe:    {low: {set: zmin}}
output:   {directory: out, every: 1, plots: false}
DECK
works 1 bar.yaml -output_directory one -output_plots true
order one displacement_L2 2 0.1
order one displacement_H1 1 0.1
order one total 2 0.1
order one low_fz 2 0.1
[ "$(ls one/level_2 | grep -c frame)" = 0 ] || fail 'a level has frames'
[ "$(at one displacement_L2 2 vertices)" = 225 ] || fail 'the vertices of level 2'
valid_json one/converge.json
grep -q 'set object 1 polygon' one/converge.gp || fail 'the picture has no slope triangle'
! command -v gnuplot >/dev/null || [ -s one/converge.png ] || fail 'there is no picture'
# One order confirms nothing. Two that agree give a limit, which is closer to that of linear elasticity, -(rho g)^2
# l^3/(24 E), than the finest value is. Fails if three levels give a limit, or if a limit is the finest value.
grep -q '^total: one order, order ' log || fail 'three levels confirm an order'
[ -z "$(at one total 2 limit)" ] || fail 'three levels have a limit'
works 1 bar.yaml -output_directory one -converge_levels 4
[ "$(grep -c 'is finished' log)" = 3 ] || fail 'finished levels are run again'
grep -Eq '^total: converges, order 2.0. \(.* to .*\), GCI 0.[0-9]+ %, limit -0.41' log || fail 'the verdict'
awk -v limit="$(at one total 3 limit)" -v value="$(at one total 3 value)" \
  'BEGIN { exact = -1e6 / 24e5; a = limit / exact - 1; b = value / exact - 1; exit !(a * a < 0.01 * b * b) }' ||
  fail 'the limit of the total energy'
! grep -q '^low_ux' log || fail 'round-off is shown'

# The stress beside a held edge grows without bound, and is called so.
works 1 bar.yaml -output_directory edge -converge_levels 4 -attach_zmax_velocity 0,0,0.01 \
  -material_poisson 0.3 -probe_edge_point 0,0,0 -probe_edge_stress true -gravity 0,0,0
grep -q '^edge_von_mises: diverges' log || fail 'a stress that diverges'
[ -z "$(at edge edge_von_mises 3 limit)" ] || fail 'the limit of a stress that diverges'
[ "$(grep -c 'with linespoints lw 2 pt 7.* title ' edge/converge.gp)" -le 6 ] || fail 'more than six curves'

# Two levels have no order; the place of a largest value, which jumps, is no quantity.
works 1 bar.yaml -output_directory two -converge_levels 2 -probe_worst_largest von_mises -converge_against finest
holds two/converge.json 'j["files"] == {}' # fails if the word counts as a file
grep -q '^worst_von_mises: too few levels for an order$' log || fail 'the verdict of two levels'
! grep -q '^worst_x' log || fail 'the place of the largest stress is shown'

# The patch test: uniform strain, exact on any mesh. Rest positions, and with them the table of exact positions, come
# from the same deck without motion.
patch=(bar.yaml -gravity 0,0,0 -mesh_box_jitter 0.3 -mesh_box_cells 2,2,2 -output_state_csv true)
works 1 "${patch[@]}" -output_directory rest
awk -F, -v OFS=, 'NR == 1 { print "vertex,x,y,z"; next } { printf "%s,%s,%s,%.17g\n", $1, $2, $3, 1.1 * $4 }' \
  rest/level_2/state.csv >exact.csv
works 2 "${patch[@]}" -attach_zmax_velocity 0,0,0.1 -output_directory patch -converge_against exact.csv
for level in 0 1 2; do
  close "$(at patch displacement_H1 $level value)" 0.1 1e-9 'the gradient of a uniform strain'
  near "$(at patch displacement_L2 $level error)" 0 1e-10 'the error of a linear solution'
  [ -z "$(at patch displacement_L2 $level order)" ] || fail 'round-off has an order'
done
mkdir deck && cp bar.yaml deck && mv exact.csv deck # a table is found beside its deck
works 1 deck/"${patch[0]}" "${patch[@]:1}" -attach_zmax_velocity 0,0,0.1 -output_directory patch \
  -converge_against exact -converge_table exact.csv
holds patch/converge.json 'list(j["files"]) == ["converge_table"]'
mv deck/exact.csv .
[ "$(grep -c 'is finished' log)" = 3 ] || fail 'levels of the same deck in another folder are run again'
[ -z "$(at patch low_fx 2 order)" ] || fail 'the round-off of a force across has an order'

# Second order: the same, with a table that is quadratic on level 0. Fails if a level is compared by its corners or
# interpolated linearly: quadratic displacements then have differences between levels that stand still.
second=(bar.yaml -gravity 0,0,0 -mesh_box_jitter 0.3 -mesh_box_cells 1,1,1 -mesh_order 2 -output_state_csv true)
works 1 "${second[@]}" -output_directory rest2
awk -F, -v OFS=, 'NR == 1 { print "vertex,x,y,z"; next }
  { printf "%s,%.17g,%s,%.17g\n", $1, $2 + 0.2 * $3 * $4, $3, 1.1 * $4 + 0.1 * $4 * $4 }' rest2/level_2/state.csv \
  >quad.csv
for ranks in 1 2; do
  works $ranks "${second[@]}" -attach_zmax_velocity 0,0,0.1 -output_directory second$ranks -converge_against quad.csv
  for level in 0 1 2; do
    close "$(at second$ranks displacement_H1 $level value)" 0.1 1e-9 'the gradient of a uniform strain at order 2'
    # of (y z/5, 0, z^2/10) over the unit cube: 1/25/9 + 1/100/5, and 1/25 (1/3 + 1/3) + 1/25/3
    close "$(at second$ranks displacement_L2 $level error)" 0.0802772972 1e-8 'the error of a quadratic displacement'
    close "$(at second$ranks displacement_H1 $level error)" 0.2 1e-8 'the error of its gradient'
  done
done

# The table is compared with the finest level: half of it, of a smaller motion, has known errors at all levels.
awk -F, -v OFS=, 'NR == 1 { print "vertex,x,y,z"; next } { printf "%s,%s,%s,%.17g\n", $1, $2, $3, 1.05 * $4 }' \
  rest/level_2/state.csv >half.csv
works 1 "${patch[@]}" -attach_zmax_velocity 0,0,0.1 -output_directory patch -output_overwrite true \
  -converge_against half.csv
for level in 0 1 2; do close "$(at patch displacement_H1 $level error)" 0.05 1e-9 "the error at level $level"; done

# A bar between two walls with little load has u_z = rho g z (z - l)/(2 E): errors from this table have the same orders.
# Fails if the order at the finest mesh, where the table has only the values at vertices, is that of the errors there.
works 1 bar.yaml -gravity 0,0,0 -output_state_csv true -output_directory walls
awk -F, -v OFS=, 'NR == 1 { print "vertex,x,y,z"; next }
  { printf "%s,%s,%s,%.17g\n", $1, $2, $3, $4 + 5e-6 * $4 * ($4 - 1) }' walls/level_2/state.csv >walls.csv
works 1 bar.yaml -gravity 0,0,-1e-3 -output_directory hanging -converge_against walls.csv
order hanging displacement_L2 2 0.1
order hanging displacement_H1 1 0.1
near "$(at hanging displacement_L2 1 order)" 2 0.35 'the order of errors'
near "$(at hanging displacement_H1 1 order)" 1 0.25 'the order of errors of the gradient'
close "$(at hanging displacement_L2 1 estimate)" "$(at hanging displacement_L2 1 error)" 0.25 'the estimate of an error'

# A support by area is the same on every mesh: all of it moves by pressure over stiffness, and the strain is uniform.
# Fails if a triangle does not give a third of its stiffness to each vertex, or a vertex between ranks counts twice.
cat >support.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [2, 2, 2], jitter: 0.3}}
material: {model: stvk, young: 1e5, poisson: 0, density: 1000}
attach:   {zmin: {stiffness_per_area: 1e4}}
traction: {zmax: {value: [0, 0, -1]}}
time:     {integrator: static}
solver:   {type: newton, rtol: 1e-13}
probe:    {low: {set: zmin}}
output:   {directory: support, plots: false}
DECK
works 1 support.yaml -converge_level 0
works 3 support.yaml
! grep -q 'is that of a vertex' log || fail 'a note on stiffness by area'
for level in 0 1 2; do close "$(at support low_uz $level value)" -1e-4 1e-10 "the support at level $level"; done
[ -z "$(at support displacement_L2 2 order)" ] || fail 'round-off of a support by area has an order'
refused 'stiffness_per_area and attach_zmin_stiffness are both' support.yaml -attach_zmin_stiffness 1 \
  -attach_zmin_stiffness_per_area 1
refused 'stiffness_per_area and attach_zmin_hard are both' support.yaml -attach_zmin_hard true \
  -attach_zmin_stiffness_per_area 1
refused 'stiffness_per_area and attach_zmin_file are both' support.yaml -attach_zmin_file exact.csv \
  -attach_zmin_stiffness_per_area 1
refused_everywhere "the set 'grip' has no triangles, expected a surface" support.yaml -set_grip_sphere 0,0,0,0.1 \
  -attach_grip_stiffness_per_area 1

# ---- ranks, levels that are run apart or stopped ---------------------------------------------------------------------

for ranks in 2 4; do
  works $ranks bar.yaml -output_directory ranks$ranks -converge_levels 3
done
rm -rf one && works 1 bar.yaml -output_directory one
equal one ranks2 1e-8 # estimates are differences of values that agree to 1e-12
equal one ranks4 1e-8
for level in 2 0 1; do
  works 2 bar.yaml -output_directory apart -converge_level $level
  [ ! -f apart/converge.csv ] || fail 'one level has results'
done
works 1 bar.yaml -output_directory apart
[ "$(grep -c 'is finished' log)" = 3 ] || fail 'levels of other ranks are run again'
equal one apart 1e-8

# jobs/convergence.sh: a launcher of commands, and one of texts, as sbatch --wrap is. Fails if a level is left out.
make_queue
WRING=$wring LAUNCH=env LAUNCH_1="./queue --wrap" bash "$source"/jobs/convergence.sh bar.yaml 3 -output_directory jobs \
  >log 2>&1 || fail 'jobs/convergence.sh'
[ "$(cat jobs.txt)" = queued ] || fail 'the launcher of level 1 is not used'
equal one jobs 1e-12

cat >sway.yaml <<'DECK'
mesh:     {box: {size: [1, 0.5, 0.5], cells: [2, 1, 1]}}
material: {model: stvk, young: 1e5, poisson: 0.3, density: 1000}
gravity:  [0, 0, -10]
attach:   {xmin: {hard: true}}
time:     {step: 4e-3, end: 0.0399}
solver:   {type: newton, rtol: 1e-10}
output:   {directory: sway, plots: false}
DECK
expect 3 1 sway.yaml -time_limit 1e-9
[ ! -d sway/level_0 ] || fail 'a level runs after the end of time.limit'
works 1 sway.yaml -converge_level 0
works 1 sway.yaml -converge_level 1
launch 1 converge sway.yaml -time_end 1e3 -converge_in mesh -output_directory stopped
wait_for stopped/level_0/steps.csv 5
kill -TERM $pid
ends 3 'a signal to the levels'
grep -q 'after 0 of 3 levels' log || fail 'a stop is not reported'
! grep -q scalars stopped/level_0/level.json && [ ! -f stopped/converge.csv ] || fail 'a stopped level is finished'
refused 'level 0 is of another deck or program: time_end was 1000.0, now' sway.yaml -output_directory stopped
works 1 sway.yaml -output_directory stopped -output_overwrite true
works 1 sway.yaml
[ "$(grep -c 'is finished' log)" = 2 ] || fail 'finished levels are run again after a stop'
equal sway stopped 1e-9
# one step that takes a minute: fails if only whole steps end
for ranks in 1 2; do
  launch $ranks converge sway.yaml -output_directory endless$ranks -solver_type gradient_descent \
    -solver_rtol 0 -solver_max_it 2000000000 -mesh_box_cells 16,8,8 -time_step 1 -time_end 1
  wait_for endless$ranks/level_0/run.json 20
  kill -USR1 $pid
  ends 3 "a signal to a step on $ranks ranks"
  [ "$(wc -l <endless$ranks/level_0/steps.csv)" = 1 ] || fail 'an interrupted step counts'
  [ "$(json_value endless$ranks/level_0/run.json ended)" = '"stopped by a signal"' ] || fail 'run.json of a stop'
done

# ---- time ------------------------------------------------------------------------------------------------------------

time_order() { # INTEGRATOR EXPECTED
  works 1 sway.yaml -converge_in time -time_integrator "$1" -time_step 2e-3 -output_directory "$1"
  order "$1" displacement_L2 "$2" 0.1
  order "$1" elastic "$2" 0.1
  for level in 0 1 2; do
    close "$(json_value "$1"/level_$level/level.json time)" 0.04 1e-12 "$1: the end of level $level"
  done
}
time_order implicit_euler 1
time_order bdf2 2
time_order implicit_midpoint 2
works 1 sway.yaml -converge_in both -output_directory both
[ "$(at both elastic 2 refine)" = 2 ] && [ "$(at both elastic 2 step)" = 0.001 ] || fail 'both become finer'

# ---- refusals --------------------------------------------------------------------------------------------------------

refused 'converge_levels is "1", expected' bar.yaml -converge_levels 1
refused 'level 9 has 1.6e\+09 tetrahedra and takes at least|too many' bar.yaml -converge_levels 10 -output_directory new
refused 'mesh_refine 11, expected one in' bar.yaml -mesh_refine 1 -converge_levels 11 -output_directory new
refused "converge_in is 'time', but load steps" bar.yaml -converge_in time
refused "converge_in is 'both', but load steps" bar.yaml -converge_in both
"$wring" version | grep -q '64-bit' ||
  refused '500000000 steps, doubled from level to level, are too many' sway.yaml -time_step 1e-3 -time_end 5e5 \
    -converge_in time
refused 'initial_restart: the mesh of a checkpoint' bar.yaml -initial_restart one/level_0
refused 'initial_positions names the vertices of one mesh' bar.yaml -initial_positions exact.csv
refused 'converge_level is 3, but levels are 0 to 2' bar.yaml -converge_level 3
refused 'converge_table is missing' bar.yaml -converge_against exact
refused "converge_table belongs to converge_against 'exact'" bar.yaml -converge_table exact.csv
refused 'none.csv: cannot be read' bar.yaml -converge_against none.csv
head -46 exact.csv >few.csv
refused_everywhere 'few.csv:47: the file ends without vertex 45' bar.yaml -output_directory new \
  -converge_against few.csv
refused_everywhere 'exact.csv:[0-9]*: vertex is "225", expected a vertex' bar.yaml -output_directory new \
  -converge_against exact.csv
refused_everywhere 'material_young was 100000.0, now 200000.0; add -output_overwrite true' bar.yaml \
  -output_directory one -material_young 2e5
mkdir here there # levels are those of a mesh, not of its name
for folder in here there; do
  cp bar.yaml $folder
  "$wring" mesh box $folder/box.msh -size 1,1,1 -cells 1,1,1 >log 2>&1 || fail 'a mesh'
done
sed -i 's/^mesh:.*/mesh: {file: box.msh}/' here/bar.yaml there/bar.yaml
works 1 here/bar.yaml -output_directory placed -converge_level 0
works 1 there/bar.yaml -output_directory placed -converge_level 0
grep -q 'level 0 of placed is finished' log || fail 'the same mesh in another folder is another one'
"$wring" mesh box there/box.msh -size 1,1,1 -cells 1,1,2 >log 2>&1 || fail 'a mesh'
refused 'the file of mesh_file has changed' there/bar.yaml -output_directory placed -converge_level 0
refused 'no tetrahedra' "$source/inputs/pendulum.yaml" -output_directory new
# --- results stay until new ones are there, whichever level is run
results=$(cd one && sha256sum converge.csv converge.json)
expect 3 1 bar.yaml -output_directory one -material_young 2e5 -output_overwrite true -time_limit 1e-9
works 1 bar.yaml -output_directory one -converge_level 1
[ "$(cd one && sha256sum converge.csv converge.json)" = "$results" ] || fail 'results are removed before new ones'
# --- a level.json that is damaged is not a missing one: that level would be computed anew, or its files refused
rm -rf other && cp -r one other
: >other/level_1/level.json
refused_on 2 'other/level_1/level.json: cannot be read: .* expected near end of file' bar.yaml -output_directory other
# --- a level of another program, or of another default; results without levels
for change in 's/"the program": "wring /&0.1 /' 's/"operator_max_it": [0-9]*/"operator_max_it": 7/'; do
  rm -rf other && cp -r one other
  sed -i "$change" other/level_1/level.json
  refused 'level 1 is of another deck or program: (the program was wring 0.1|operator_max_it was 7, now)' bar.yaml \
    -output_directory other
done
works 1 bar.yaml -output_directory other -output_overwrite true
grep -q 'note: other/level_1: level 1 is computed anew: operator_max_it was 7' log || fail 'no note on another default'
[ "$(grep -c 'is finished' log)" = 2 ] || fail 'a level of another default is taken'
rm -r other/level_*
refused 'other: holds converge.json of another deck: add -output_overwrite true' bar.yaml -output_directory other
works 1 bar.yaml -output_directory one -material_young 2e5 -output_overwrite true
[ "$(grep -c 'is finished' log)" = 0 ] || fail 'levels of another deck are taken'
works 1 bar.yaml -output_directory soft -attach_zmin_hard false -attach_zmin_stiffness 1e6
grep -q 'attach_zmin_stiffness is that of a vertex' log || fail 'no note on stiffness by vertex'
works 1 bar.yaml -output_directory soft2 -converge_levels 2
grep -q 'orders need 3 levels' log || fail 'no note on too few levels'
# --- ranks without vertices: no support by area, value on the refined mesh or second matrix of bdf2 waits for them
printf '%s\n' 'MeshVersionFormatted 2' 'Dimension 3' 'Vertices 4' '0 0 0 0' '1 0 0 0' '0 1 0 0' '0 0 1 0' \
  'Triangles 1' '1 3 2 5' 'Tetrahedra 1' '1 2 3 4 1' End >tet.mesh
cat >tet.yaml <<'DECK'
mesh:     {file: tet.mesh}
material: {model: stvk, young: 1e5, poisson: 0, density: 1000}
gravity:  [0, 0, -1]
attach:   {tag5: {stiffness_per_area: 1e6}}
time:     {step: 1e-2, steps: 2, integrator: bdf2}
DECK
works 4 tet.yaml -output_directory tet -converge_levels 2
