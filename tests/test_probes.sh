#!/usr/bin/env bash
# Probes and the fields of frames: values against closed forms and other files, any number of ranks, refinement,
# restarts, refusals. Fields are read by VTK, where it is installed.
# usage: test_probes.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 12
. "$(dirname "$0")/lib.sh"

# fields CASE FRAME: keeps a frame for a case of read_stress.py; the end of this test reads all of them.
kept=()
fields() {
  cp "$2" "kept${#kept[@]}.vtu" || fail "no frame $2"
  kept+=("$1" "kept${#kept[@]}.vtu")
}
probe() { last "${3:-out}/probes.csv" "$1_$2"; } # NAME QUANTITY [DIRECTORY]

# --- a body under a linear map ---------------------------------------------------------------------------------------
# Stress, deformation gradient and von Mises stress of every tetrahedron in closed form, by names of components; probes
# at a point, at a vertex and of a set give the same stress and A X - X. Fails if an order of components is not that of
# ParaView, if a point is interpolated in another tetrahedron, or if means at vertices miss a tetrahedron of another
# rank. The step is so short that its motion is below the tolerances.
cat >mapped.yaml <<'DECK'
mesh:     {box: {size: [1, 0.8, 0.6], cells: [4, 3, 3], jitter: 0.3}}
material: {model: neohookean, mu: 4e4, lambda: 6e4, density: 1000}
initial:  {positions: mapped.csv, velocity: [1, 2, 3]}
time:     {step: 1e-9, steps: 1, integrator: explicit_euler}
output:   {directory: out, fields: [stress, von_mises, deformation_gradient, J]}
probe:
  inside: {point: [0.37, 0.41, 0.23], stress: true}
  corner: {point: [1, 0.8, 0.6], stress: true}
  side:   {set: zmax, stress: true}
DECK
sed '/^initial/s/positions: mapped.csv, //' mapped.yaml >rest.yaml
works 1 run rest.yaml -output_state_csv true -output_directory rest
mapping='BEGIN { print "vertex,x,y,z" } NR > 1 { x = $2 - 1e-9; y = $3 - 2e-9; z = $4 - 3e-9
  printf "%d,%.17g,%.17g,%.17g\n", $1, 1.2 * x + 0.25 * y - 0.1 * z, -0.05 * x + 0.85 * y + 0.2 * z,
    0.15 * x - 0.1 * y + 1.1 * z }'
awk -F, "$mapping" rest/state.csv >mapped.csv
J=$(awk 'BEGIN { a = 1.2 * (0.85 * 1.1 + 0.2 * 0.1); b = 0.25 * (-0.05 * 1.1 - 0.2 * 0.15)
  c = 0.1 * (0.05 * 0.1 - 0.85 * 0.15); printf "%.17g", a - b - c }')
sigma() { # the entry of (mu (A A^T - 1) + lambda log J)/J from that of A A^T - 1, and 1 on the diagonal
  awk -v J="$J" -v b="$1" -v d="$2" 'BEGIN { printf "%.17g", (4e4 * b + 6e4 * log(J) * d) / J }'
}
named='ComponentName0="XX" ComponentName1="YY" ComponentName2="ZZ" ComponentName3="XY" ComponentName4="YZ" '
for ranks in 1 2 4; do
  works $ranks run mapped.yaml
  grep -aq "Name=\"stress\" NumberOfComponents=\"6\" ${named}ComponentName5=\"XZ\"" out/frame_000000.vtu ||
    fail 'names of components'
  fields mapped out/frame_000000.vtu
  for name in inside corner side; do
    near "$(probe $name sxx)" "$(sigma 0.5125 1)" 1e-2 "$name xx on $ranks ranks"
    near "$(probe $name syy)" "$(sigma -0.235 1)" 1e-2 "$name yy on $ranks ranks"
    near "$(probe $name szz)" "$(sigma 0.2425 1)" 1e-2 "$name zz on $ranks ranks"
    near "$(probe $name sxy)" "$(sigma 0.1325 0)" 1e-2 "$name xy on $ranks ranks"
    near "$(probe $name syz)" "$(sigma 0.1275 0)" 1e-2 "$name yz on $ranks ranks"
    near "$(probe $name szx)" "$(sigma 0.045 0)" 1e-2 "$name zx on $ranks ranks"
    near "$(probe $name vy)" 2 1e-3 "velocity of $name"
  done
  near "$(probe inside ux)" 0.1535 1e-8 'displacement inside: x'
  near "$(probe inside uy)" -0.034 1e-8 'displacement inside: y'
  near "$(probe inside uz)" 0.0375 1e-8 'displacement inside: z'
  near "$(probe corner uz)" 0.13 1e-8 'displacement of the corner'
  near "$(probe side fx)" 0 0 'the force on a set that nothing holds'
done
# In the refined mesh the same points are in other tetrahedra, the map is the same.
works 1 run rest.yaml -output_state_csv true -output_directory rest -mesh_refine 1
awk -F, "$mapping" rest/state.csv >refined.csv
works 2 run mapped.yaml -mesh_refine 1 -initial_positions refined.csv
near "$(probe inside ux)" 0.1535 1e-8 'displacement inside the refined mesh'
near "$(probe inside sxy)" "$(sigma 0.1325 0)" 1e-2 'stress inside the refined mesh'
fields mapped out/frame_000000.vtu

# --- a bar in equilibrium under tension ------------------------------------------------------------------------------
# Fails if the stress is not force over present area, or if it is not uniform.
cat >pulled.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [3, 3, 3], jitter: 0.4}}
material: {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
traction: {xmin: {value: [-5e3, 0, 0]}, xmax: {value: [5e3, 0, 0]}}
time:     {step: 0.2, steps: 45}
solver:   {type: newton, rtol: 0, atol: 1e-9, max_it: 20}
output:   {directory: out, every: 45, fields: [J, stress, von_mises, deformation_gradient]}
probe:    {middle: {point: [0.5, 0.5, 0.5], stress: true}}
DECK
works 1 run pulled.yaml
fields pulled out/frame_000045.vtu
[ "$(wc -l <out/probes.csv)" = 46 ] || fail 'rows of probes.csv'
near "$(probe middle syy)" 0 1e-4 'stress across the bar'
close "$(probe middle von_mises)" "$(probe middle sxx)" 1e-8 'von Mises of a uniaxial stress'
awk -v s="$(probe middle sxx)" 'BEGIN { exit !(s > 5001) }' || fail 'the area has not decreased'

# --- a moving body on any number of ranks; reactions; a restart ------------------------------------------------------
# Reactions are the columns of steps.csv, of hard attachments and of springs; those of a part of a set are smaller, and
# add up. Fails if a vertex between ranks counts twice, or if a probe takes the attachment by its name.
cat >beam.yaml <<'DECK'
mesh:     {box: {size: [1, 0.3, 0.3], cells: [6, 2, 2], jitter: 0.2}}
material: {model: stvk, young: 1e5, poisson: 0.3, density: 1000}
set:      {lower: {box: [-1, -1, -1, 0.001, 1, 0.1]}, upper: {box: [-1, -1, 0.1, 0.001, 1, 1]}}
attach:   {xmin: {hard: true}, xmax: {stiffness: 2e3, velocity: [0, 0, 0.3]}}
gravity:  [0, 0, -9.81]
time:     {step: 1e-2, steps: 6}
solver:   {type: newton, rtol: 1e-11}
output:   {directory: out, every: 0, state_csv: true}
checkpoint: {every: 3}
probe:
  foot:   {set: xmin}
  low:    {set: lower}
  high:   {set: upper}
  end:    {set: xmax, stress: true}
  all:    {set: box}
  tip:    {point: [1, 0.3, 0.3]}
  middle: {point: [0.5, 0.15, 0.15], stress: true}
DECK
works 1 check beam.yaml
grep -q '^probes    foot (set), low (set), high (set), end (set, stress), all (set), tip (point), ' log ||
  fail 'check lists the probes'
! grep -q 'no key uses the set' log || fail 'sets of probes are used'
works 1 run beam.yaml -output_directory one
for axis in x y z; do
  for pair in 'foot xmin' 'end xmax'; do
    read -r name set <<<"$pair"
    [ "$(column one/probes.csv ${name}_f$axis | wc -l)" = 6 ] || fail "rows of ${name}_f$axis"
    paste <(column one/probes.csv ${name}_f$axis) <(column one/steps.csv ${set}_f$axis) |
      awk '{ d = $1 - $2; if (d * d > 1e-18 * (1 + $2 * $2)) exit 1 }' || fail "reaction $axis of $set"
  done
  near "$(awk -v a="$(probe low f$axis one)" -v b="$(probe high f$axis one)" 'BEGIN { printf "%.17g", a + b }')" \
    "$(probe foot f$axis one)" 1e-9 "reaction $axis of two parts"
  near "$(awk -v a="$(probe foot f$axis one)" -v b="$(probe end f$axis one)" 'BEGIN { printf "%.17g", a + b }')" \
    "$(probe all f$axis one)" 1e-9 "reaction $axis of the whole body"
done
awk -v z="$(probe low fz one)" 'BEGIN { exit !(z > 1) }' || fail 'the lower part carries nothing'
cut -d, -f1,2 one/steps.csv | cmp -s - <(cut -d, -f1,2 one/probes.csv) || fail 'steps and times of probes.csv'
tip=$(awk -F, 'NR > 1 && $2 * $2 > 0.5 && NR - 2 == 62 { print }' one/state.csv) # the last vertex of 7 x 3 x 3
near "$(probe tip uz one)" "$(awk -F, '{ printf "%.17g", $4 - 0.3 }' <<<"$tip")" 1e-15 'displacement at a vertex'
near "$(probe tip vz one)" "$(cut -d, -f7 <<<"$tip")" 1e-15 'velocity at a vertex'
for ranks in 2 4; do
  works $ranks run beam.yaml -output_directory out
  same one/probes.csv out/probes.csv 1e-9
done
# A restart from the middle replaces the rows after it.
works 1 run beam.yaml -initial_restart out/checkpoint_000003.h5
same one/probes.csv out/probes.csv 1e-9
works 2 run beam.yaml -initial_restart out/checkpoint_000003.h5 -output_directory later
[ "$(column later/probes.csv step | tr '\n' ' ')" = '4 5 6 ' ] || fail 'rows in a new directory'
refused 'probes.csv: its columns are not those of this run' run beam.yaml -initial_restart out \
  -probe_more_set xmin -time_steps 8
# A run without probes leaves no table of another run.
sed '/^probe/,$d' beam.yaml >bare.yaml
works 1 run bare.yaml
[ ! -e out/probes.csv ] || fail 'probes.csv of an earlier run is left'

# --- inverted tetrahedra: NaN, without a sign ------------------------------------------------------------------------
awk -F, '{ print $1 "," $2 + ($1 == "0") "," $3 "," $4 }' mapped.csv | sed '1s/.*/vertex,x,y,z/' >inverted.csv
for ranks in 1 2; do
  works $ranks run mapped.yaml -initial_positions inverted.csv -material_model corotated -probe_corner_point 0,0,0
  fields inverted out/frame_000000.vtu
  [ "$(probe corner sxx),$(probe corner von_mises)" = nan,nan ] || fail 'the stress at an inverted tetrahedron'
  case $(probe side sxx) in '' | *nan* | *inf*) fail 'the stress elsewhere' ;; esac
done

# --- membranes -------------------------------------------------------------------------------------------------------
cat >sheet.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 0], cells: [3, 3, 0], jitter: 0.2}}
membrane: {box: {stiffness: 200, density: 1}}
initial:  {positions: sheet.csv}
time:     {step: 1e-9, steps: 1, integrator: explicit_euler}
output:   {directory: sheet, fields: membrane_force}
probe:    {edge: {set: xmax}}
DECK
sed '/^initial/d; s/fields: membrane_force/state_csv: true/; s/directory: sheet/directory: flat/' sheet.yaml \
  >flat.yaml
works 1 run flat.yaml
fields plain flat/frame_000001.vtu
awk -F, 'BEGIN { print "vertex,x,y,z" } NR > 1 { printf "%d,%.17g,%s,%.17g\n", $1, 0.75 * $2, $3, $2 }' \
  flat/state.csv >sheet.csv
for ranks in 1 3; do
  works $ranks run sheet.yaml
  fields sheet sheet/frame_000000.vtu
  near "$(probe edge uz sheet)" 1 1e-9 'a set of a mesh of triangles'
done
works 2 run mapped.yaml -membrane_zmax_stiffness 200 -membrane_zmax_density 1 \
  -output_fields stress,von_mises,membrane_force -material_model stvk
fields body_and_sheet out/frame_000001.vtu

status=0
"$python" "$source/tests/read_stress.py" "${kept[@]}" >log 2>&1 || status=$?
[ $status = 0 ] || [ $status = 77 ] || fail 'a field of a frame'

# --- a header of steps.csv of 94,593 characters ----------------------------------------------------------------------
# Fails if it is cut (once at 64 KiB: 639 columns above rows of 916), or if a restart does not take it for its own.
{
  echo 'mesh:     {box: {size: [1, 1, 1], cells: [1, 1, 1]}}'
  echo 'material: {model: neohookean, mu: 4e4, lambda: 6e4, density: 1000}'
  echo 'gravity:  [0, 0, -9.81]'
  echo 'time:     {step: 1e-3, steps: 1}'
  echo 'output:   {directory: many, every: 0}'
  names=()
  for i in {100..399}; do names+=("s$(printf '%0100d' "$i")"); done
  echo 'set:'
  printf '  %s: {sphere: [0, 0, 0, 0.1]}\n' "${names[@]}"
  echo 'attach:'
  printf '  %s: {stiffness: 1}\n' "${names[@]}"
} >many.yaml
works 1 run many.yaml
works 1 run many.yaml -initial_restart many -time_steps 2
[ "$(awk -F, '{ print NF, $NF }' many/steps.csv | xargs)" = '916 inverted 916 0 916 0' ] ||
  fail "columns of many/steps.csv: $(awk -F, '{ print NF }' many/steps.csv | xargs)"

# --- refusals --------------------------------------------------------------------------------------------------------
outside='outside of the body at rest by 0.2 m, expected a point in a tetrahedron; the nearest one is .1, 0.1, 0.3.$'
refused_everywhere "command line: probe_tip_point is .1, 0.1, 0.5., $outside" run beam.yaml -probe_tip_point 1,0.1,0.5
refused 'outside of the body at rest by 1e-06 m' check beam.yaml -probe_tip_point -1e-6,0.1,0.1
refused 'probe: 2 of probe_low_point, probe_low_set and probe_low_largest are given' check beam.yaml \
  -probe_low_point 0,0,0 -probe_low_set all
refused 'probe: 0 of probe_new_point, probe_new_set and .* are given' check beam.yaml -probe_new_stress true
refused_on 2 "probe_low_set: 'lowr' is not a set of the mesh .did you mean 'lower'.., expected a set" check beam.yaml \
  -probe_low_set lowr
refused 'probe_tip_point is "1,2", expected 3 reals .m.' check beam.yaml -probe_tip_point 1,2
refused 'unknown key probe_tip_points' check beam.yaml -probe_tip_points 1,2,3
refused_everywhere 'the mesh has no tetrahedra that could contain a point, expected probe_new_set' check sheet.yaml \
  -probe_new_point 0,0,0
refused_everywhere "probe_edge_stress: the set 'xmax' has vertices in no tetrahedron .4 of 4., which have no stress" \
  check sheet.yaml -probe_edge_stress true
refused_everywhere "output_fields has 'stress', but the mesh has no tetrahedra, expected membrane_force" \
  run sheet.yaml -output_fields membrane_force,stress
refused "output_fields has 'membrane_force', but the deck has no membrane" check beam.yaml -output_fields membrane_force
refused 'output_fields is "stress,vonmises", expected some of .*, did you mean von_mises' check beam.yaml \
  -output_fields stress,vonmises
exit 0
