#!/bin/bash
# Conventions that hold for all keys, each against another way to say the same: paths, angles, sets, steps of a restart.
# ranks: 2
. "$(dirname "$0")/lib.sh"

mkdir decks
cat >decks/beam.yaml <<'DECK'
mesh:     {box: {size: [2, 1, 1], cells: [2, 1, 1], jitter: 0}}
material: {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {stiffness: 1e5}}
time:     {step: 1e-2, steps: 2}
output:   {every: 0, state_csv: true}
DECK
# positions FILE FACTOR: those of the mesh at rest times a factor
positions() {
  awk -F, -v f="$2" 'NR == 1 { print "vertex,x,y,z"; next }
    { print $1 "," f * $2 "," f * $3 "," f * $4 }' rest.csv >"$1"
}
works 1 run decks/beam.yaml -gravity 0,0,0 -output_directory rest
cp rest/state.csv rest.csv
elastic() { # ARGS...: the elastic energy of `evaluate`
  on 1 evaluate "$@" -output_directory value || fail "evaluate $*"
  json_value value/evaluate.json elastic
}
distinct() { [ "$1" != "$2" ] || fail "$3"; }

# ---- paths: of the deck relative to the deck, of the command line to the working directory ---------------------------
# Fails when a path on the command line is looked for beside the deck first, or one in the deck elsewhere.
positions decks/start.csv 1.1
positions start.csv 1.2
sed '$a initial: {positions: start.csv}' decks/beam.yaml >decks/start.yaml
beside=$(elastic decks/start.yaml)
here=$(elastic decks/beam.yaml -initial_positions start.csv)
distinct "$beside" "$here" 'the same file for the deck and the command line'
[ "$beside" = "$(elastic decks/beam.yaml -initial_positions decks/start.csv)" ] ||
  fail 'another file on the command line'
[ "$here" = "$(elastic decks/start.yaml -initial_positions start.csv)" ] || fail 'the command line does not replace'
[ "$here" = "$(elastic decks/beam.yaml -initial_positions "$PWD/start.csv")" ] || fail 'an absolute path'
! grep -q '^note: .*initial_positions' log || fail 'a note about a path of the working directory'
rm start.csv
[ "$beside" = "$(elastic decks/beam.yaml -initial_positions start.csv)" ] ||
  fail 'the file beside the deck is not taken'
grep -q '^note: command line: initial_positions: start.csv is not in the working directory.*decks/start.csv' log ||
  fail 'no note about the file beside the deck'
refused 'none.csv: cannot be read' evaluate decks/beam.yaml -initial_positions none.csv
# Fails when directories and sets with blanks and commas in their names are not found.
mkdir 'My decks, 1'
sed -e '$a set: {"left wall": {box: [0, 0, 0, 0, 1, 1]}}\nprobe: {p: {set: "left wall"}}' \
  -e 's/^output:.*/output: {directory: "My decks, 1\/run 1"}/' decks/beam.yaml >'My decks, 1/a deck.yaml'
works 2 run 'My decks, 1/a deck.yaml'
works 1 run 'My decks, 1/a deck.yaml' -initial_restart 'My decks, 1/run 1' -time_steps 3
[ "$(last 'My decks, 1/run 1/probes.csv' step)" = 3 ] || fail 'a restart from a directory with blanks'
works 1 compare 'My decks, 1/a deck.yaml' -material_model strain -material_stiffness 1e4 \
  -compare_solvers qn,pd -output_directory 'a comparison'

# ---- tables: of vectors, and a state.csv, of which the right columns are taken ---------------------------------------
# Fails when state.csv is refused, when its positions are taken as velocities, also of a body at rest, or the reverse.
works 1 run decks/beam.yaml -time_steps 3 -output_directory moved
cut -d, -f1-4 moved/state.csv >x.csv
(echo vertex,x,y,z && sed 1d moved/state.csv | cut -d, -f1,5-) >v.csv
[ "$(elastic decks/beam.yaml -initial_positions moved/state.csv)" = \
  "$(elastic decks/beam.yaml -evaluate_positions x.csv)" ] || fail 'positions of state.csv'
[ "$(elastic decks/beam.yaml -evaluate_positions moved/state.csv)" = \
  "$(elastic decks/beam.yaml -evaluate_positions x.csv)" ] || fail 'positions of state.csv, evaluated'
thrown() { # FILE: the state one step after the velocities of a table
  works 1 run decks/beam.yaml -time_steps 1 -initial_velocities "$1" -output_directory thrown
  cp thrown/state.csv "$2"
}
thrown moved/state.csv from_state.csv
thrown v.csv from_table.csv
cmp -s from_state.csv from_table.csv || fail 'velocities of state.csv'
thrown rest.csv from_rest.csv
works 1 run decks/beam.yaml -time_steps 1 -output_directory thrown
cmp -s thrown/state.csv from_rest.csv || fail 'velocities of a state.csv of a body at rest'

# ---- angles: in degrees, or in radians by the key that says so -------------------------------------------------------
# Fails when a key with _rad is read in degrees, or its default hides it.
twist=(decks/beam.yaml -attach_xmax_stiffness 1e5)
degrees=$(elastic "${twist[@]}" -attach_xmax_spin 90,0,180)
distinct "$degrees" "$(elastic "${twist[@]}")" 'no spin'
close "$(elastic "${twist[@]}" -attach_xmax_spin_rad 1.5707963267948966,0,3.141592653589793)" "$degrees" 1e-12 spin_rad
! grep -q 'attach_xmax_spin"' value/evaluate.json || fail 'a default of spin beside spin_rad'
refused 'attach_xmax_spin_rad and attach_xmax_spin .command line. are both given' evaluate "${twist[@]}" \
  -attach_xmax_spin 90,0,0 -attach_xmax_spin_rad 1,0,0
pushed() { # ARGS...: the elastic energy after two steps beside a box
  works 1 run decks/beam.yaml -collider_c_shape box -collider_c_stiffness 1e5 -collider_c_centre 2.3,0.5,0.6 \
    -collider_c_size 0.7,3,3 "$@" -output_directory pushed
  last pushed/steps.csv elastic
}
degrees=$(pushed -collider_c_turn 0,10,0 -collider_c_spin 0,900,0)
distinct "$degrees" "$(pushed -collider_c_spin 0,900,0)" 'no turn'
distinct "$degrees" "$(pushed -collider_c_turn 0,10,0)" 'no spin of a collider'
close "$(pushed -collider_c_turn_rad 0,0.17453292519943295,0 -collider_c_spin_rad 0,15.707963267948966,0)" "$degrees" \
  1e-9 'turn_rad, spin_rad of a collider'

# ---- sets: by one key with all numbers, or by two like those of colliders --------------------------------------------
# Fails when the two ways select other vertices.
held() { elastic decks/beam.yaml -attach_s_stiffness 1e5 -initial_positions decks/start.csv "$@"; }
while read -r one two; do
  [ "$(held $one)" = "$(held $two)" ] || fail "$one and $two are not the same set"
  distinct "$(held $one)" "$beside" "the set of $one is not used"
done <<<"-set_s_box=1.5,0,0,2,1,0.5 -set_s_centre=1.75,0.5,0.25 -set_s_size=0.5,1,0.5
-set_s_sphere=2,0,0,1.1 -set_s_centre=2,0,0 -set_s_radius=1.1
-set_s_plane=0.5,0,0,1,0,0 -set_s_point=0.5,0,0 -set_s_normal=1,0,0"
sets() { refused "$1" check decks/beam.yaml -attach_s_stiffness 1e5 "${@:2}"; }
sets 'set_s has no extent, expected centre with size or radius' -set_s_centre=1,0,0
sets 'set_s_centre is missing' -set_s_radius=1
sets 'set_s_radius: the set already has a box' -set_s_box=0,0,0,1,1,1 -set_s_centre=1,0,0 -set_s_radius=1
sets 'set_s_size is "1,-1,1"' -set_s_centre=1,0,0 -set_s_size=1,-1,1
sets 'set_s_normal?.*normal 0,0,0|set_s_plane: normal 0,0,0' -set_s_point=1,0,0 -set_s_normal=0,0,0

# ---- steps of a restart: `steps` and `end` count from time 0, `more_steps` from the state ----------------------------
# Fails when a restart with more_steps ends elsewhere than one run, or its first step starts elsewhere because changes
# of velocity are not those of the checkpoint; rtol is small, because auto does not keep its pairs in a restart.
works 1 run decks/beam.yaml -time_steps 5 -output_directory whole -solver_rtol 1e-8
works 1 run decks/beam.yaml -output_directory part -solver_rtol 1e-8
works 2 run decks/beam.yaml -initial_restart part -output_directory part -solver_rtol 1e-8
grep -q 'nothing to do: the state is at step 2.*time.more_steps from this state' log || fail 'no word about more_steps'
sed '/^time/s/steps: 2/more_steps: 3/' decks/beam.yaml >more.yaml
works 2 run more.yaml -initial_restart part -output_directory part -solver_rtol 1e-8
[ "$(last part/steps.csv step)" = 5 ] || fail 'three more steps after two are not five'
same whole/state.csv part/state.csv 1e-6
for rule in implicit_euler implicit_midpoint bdf2; do
  works 1 run decks/beam.yaml -time_steps 5 -output_directory whole -solver_rtol 1e-8 -time_integrator $rule
  works 2 run decks/beam.yaml -time_steps 4 -output_directory four -solver_rtol 1e-8 -time_integrator $rule
  works 2 run decks/beam.yaml -initial_restart four -time_steps 5 -output_directory last -solver_rtol 1e-8 \
    -time_integrator $rule
  for run in whole last; do
    awk -F, 'NR == 1 || ($1 == 5 && $4 == 0) { print $1 "," $5 }' $run/history.csv >$run.start
  done
  same whole.start last.start 1e-7
done
grep -q '"time_more_steps": 3' part/run.json || fail 'steps in run.json'
refused 'time_more_steps does not apply to time_integrator .static' run more.yaml -time_integrator static
refused 'time_more_steps has no end with checkpoint_resume' run more.yaml -checkpoint_resume true -output_directory new

# ---- alternatives: the command line replaces those of the deck -------------------------------------------------------
# Fails when a deck must be edited to try another end, material or mesh, when run.json still names what was replaced, or
# when one of two alternatives of the command line is taken.
while IFS='|' read -r deck words gone; do
  works 1 run "$deck" $words -time_step 1e-2 -output_directory instead
  for key in $gone; do ! grep -q "\"$key\"" instead/run.json || fail "$words: run.json still has $key"; done
  for key in $(grep -o -- '-[A-Za-z_][A-Za-z_]*' <<<"$words"); do
    grep -qi "\"${key#-}\"" instead/run.json || fail "$words: run.json lacks $key"
  done
done <<END
decks/beam.yaml|-time_end 0.01|time_steps
decks/beam.yaml|-time_more_steps 1|time_steps
more.yaml|-time_steps 1|time_more_steps
more.yaml|-TIME_END 0.01|time_more_steps
decks/beam.yaml|-material_mu 1e5 -material_lambda 1e5|material_young material_poisson
decks/beam.yaml|-attach_xmin_hard true|attach_xmin_stiffness
END
printf 'vertex,x,y,z\n0,0,0,0\n' >dot.csv
refused "'xmin' is not a set of the mesh" check decks/beam.yaml -mesh_file dot.csv
refused 'material_lambda is missing' check decks/beam.yaml -material_mu 1e5
refused 'attach_xmin_stiffness and attach_xmin_hard are both given' check decks/beam.yaml \
  -attach_xmin_stiffness 1 -attach_xmin_hard true
works 1 check decks/beam.yaml -attach_xmin_hard false # which stands in the place of nothing
refused 'time_steps and time_more_steps .command line. are both given' run more.yaml -time_steps 3 -time_more_steps 3

# ---- an option that is given twice: the last value, with a note ------------------------------------------------------
# Fails when it is silent.
works 1 run decks/beam.yaml -time_steps 5 -Time_Steps 1 -output_directory twice
grep -q '^note: command line: -Time_Steps is given twice, its last value is taken' log || fail 'no note about the two'
[ "$(last twice/steps.csv step)" = 1 ] || fail 'not the last of two values'

# ---- help: keys that begin with a word, otherwise those that have it -------------------------------------------------
# Fails when a word of a key or text finds nothing.
for pair in friction:collider_NAME_friction restart:initial_restart Poisson:material_poisson; do
  works 1 help "${pair%:*}"
  grep -q "^${pair#*:}: " log || fail "help ${pair%:*} does not name ${pair#*:}"
done

# ---- PETSc queries log_view at its end only, after the notes on options that it did not query ------------------------
works 1 run decks/beam.yaml -petsc_log_view -petsc_nonsense 1 -output_directory logged
grep -q '^note: petsc_nonsense was not used' log || fail 'no note on an option that PETSc did not query'
! grep -q 'petsc_log_view was not used' log || fail 'a note on log_view'

# ---- words of other codes --------------------------------------------------------------------------------------------
refused 'unknown key linear_solver_type, did you mean .*operator' check decks/beam.yaml -linear_solver_type direct
exit 0
