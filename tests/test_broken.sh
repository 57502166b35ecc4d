#!/usr/bin/env bash
# Damaged inputs and the messages that refuse them. Every case of the table must end within 20 s with exit status 1, or
# 4 where its name ends with [4], and one line of error that begins with "wring: " and the text of the table (notes may
# come before it), without a trace, and must leave every file as it was. Cases whose name begins with * run on 3 ranks
# too. Two shards run at a time.
# Fails when a damaged input is accepted, when its message loses its place, value or expectation, or when something is
# written before the refusal.
# usage: test_broken.sh BUILD_DIR SOURCE_DIR     ranks: 3     cost: 26
. "$(dirname "$0")/lib.sh"
corpus=$source/tests/fuzz/corpus
good=$work/good
mkdir "$good" && cd "$good" || exit 1

# ---- valid inputs ----------------------------------------------------------------------------------------------------

cp "$corpus"/mesh/{gmsh22.msh,gmsh41.msh,gmsh22_binary.msh,gmsh41_binary.msh,medit.mesh} .
printf '6 3 0 1\n1 0 0 0 1\n2 1 0 0 1\n3 0 1 0 0\n4 5.5 -1 .25 0\n5 0 0 1 0\n6 1 1 -1 1\n' >tet.node
printf '2 4 1\n1 1 2 3 5 0\n2 1 2 3 6 4\n' >tet.ele
printf 'vertex,x,y,z\n0,0,0,0\n1,1,0,0\n2,2,0,0\n3,3,0,0\n' >points.csv
cp points.csv state.csv
printf 'a,b,length,stiffness\n0,1,1,100\n1,2,1,100\n2,3,1,100\n' >springs.csv
printf 'vertex,mass\n0,1\n1,1\n2,1\n3,1\n' >mass.csv
printf 'vertex,x,y,z,stiffness\n0,0,0,0,1e4\n1,1,0,0,1e4\n' >targets.csv
cat >box.yaml <<'DECK'
mesh:       {box: {size: [2, 1, 1], cells: [2, 1, 1]}}
material:   {model: corotated, young: 1e6, poisson: 0.3, density: 1000}
gravity:    [0, 0, -9.81]
attach:
  xmin:     {stiffness: 1e6}
time:       {step: 1e-2, steps: 1}
solver:     {type: qn, max_it: 200}
output:     {directory: out, every: 1}
checkpoint: {every: 1}
DECK
cat >mesh.yaml <<'DECK'
mesh:     {file: gmsh22.msh}
material: {model: strain, stiffness: 1e6, density: 1000}
time:     {step: 1e-2, steps: 1}
output:   {directory: out, every: 0}
DECK
cat >net.yaml <<'DECK'
mesh:    {file: points.csv}
mass:    {file: mass.csv}
spring:  {net: {file: springs.csv}}
attach:  {hook: {file: targets.csv}}
time:    {step: 0.05, steps: 1}
output:  {directory: out, every: 0}
DECK
cat >compare.yaml <<'DECK'
initial:  {restart: old, velocity: [1, 0, 0]}
material: {model: strain, stiffness: 1e6, density: 1000}
time:     {step: 1e-2, steps: 1}
variant:  {light: {type: admm, weight: 0.5}}
compare:  {solvers: [qn, light, pd], iterations: 3, report: [1, 3]}
output:   {directory: out}
DECK
accepted() { works 1 "$@"; }
accepted run box.yaml -output_directory old
accepted run box.yaml -output_directory other -mesh_box_cells 3,1,1
for deck in mesh net compare; do accepted check $deck.yaml; done
for mesh in gmsh41.msh gmsh22_binary.msh gmsh41_binary.msh medit.mesh tet.ele tet.node; do
  accepted check mesh.yaml -mesh_file $mesh
done

# ---- one case --------------------------------------------------------------------------------------------------------

edit() { sed -i "$2" "$1"; }                                                        # FILE SCRIPT
add() { printf '%s\n' "$2" >>"$1"; }                                                # FILE LINE
put() { printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }         # FILE OFFSET BYTES
cut_to() { truncate -s "$2" "$1"; }                                                 # FILE SIZE

# refused RANKS NAME EXPECTED ARGS...: in the folder of the case, whose files are listed in $before.
refused() {
  local ranks=$1 name=$2 expected=$3 status want=1 line errors=() others=0
  shift 3
  on "$ranks" "$@"
  status=$?
  [[ $name != *'[4]' ]] || want=4
  [ $status = $want ] || fail "$name, $ranks ranks: exit status $status, expected $want"
  while IFS= read -r line; do
    case $line in
    *'PETSC ERROR'* | *'internal error'*) fail "$name, $ranks ranks: a trace" ;;
    'wring: '*) errors+=("$line") ;;
    'note: '*) ;;
    *) others=1 ;;
    esac
  done <log
  [ ${#errors[@]} = 1 ] || fail "$name, $ranks ranks: not one line of error"
  [[ ${errors[0]} = "wring: $expected"* ]] || fail "$name, $ranks ranks: expected '$expected'"
  [ "$ranks" = 3 ] || [ $others = 0 ] || fail "$name: more than the error and notes"
  [ "$before" = "$(files)" ] || fail "$name, $ranks ranks: files were written: $(diff <(echo "$before") <(files))"
}

shards=2 count=0 ran=0
seconds=20 # that a refusal may take
# broken NAME HOW ARGS EXPECTED: if it is one of this shard's.
broken() {
  local name=$1 words
  count=$((count + 1))
  [ $((count % shards)) = "$shard" ] || return 0
  cp -r "$good" "$work/$count" && cd "$work/$count" || exit 1
  eval "$2" || fail "$name: cannot be made"
  before=$(files)
  eval "words=($3)"
  refused 1 "$name" "$4" "${words[@]}"
  [[ $name != \** ]] || refused 3 "$name" "$4" "${words[@]}"
  ran=$((ran + 1))
}

# case_of ROW: runs a row of the table.
case_of() {
  local name how args expected
  IFS='|' read -r name how args expected <<<"$1"
  broken "$name" "$how" "$args" "$expected"
}

# ---- the table: name|damage|arguments|message; a line that begins with two spaces continues the row ------------------

table() {
  local line row=''
  while IFS= read -r line; do
    if [[ $line = '  '* ]]; then
      [[ $row = *'|' ]] || row+=' '
      row+=${line:2}
    else
      [ -z "$row" ] || case_of "$row"
      row=$line
    fi
  done <<'TABLE'
*unknown key|add box.yaml 'solver_max_itt: 3'|check box.yaml|
  box.yaml:10: unknown key solver_max_itt, did you mean solver_max_it?
misspelt nested|edit box.yaml 's/stiffness/stifness/'|check box.yaml|
  box.yaml:5: unknown key attach_xmin_stifness, did you mean attach_xmin_stiffness?
misspelt top|edit box.yaml 's/^gravity/gravitty/'|check box.yaml|box.yaml:3: unknown key gravitty, did you mean gravity?
repeated|add box.yaml 'gravity: [0,0,1]'|check box.yaml|box.yaml:10: key gravity is given twice (first in line 3)
*repeated by case|add box.yaml 'Gravity: [0,0,1]'|check box.yaml|
  box.yaml:10: key Gravity is given twice (first in line 3)
repeated flat|add box.yaml 'solver_max_it: 3'|check box.yaml|
  box.yaml:10: key solver_max_it is given twice (first in line 7)
int typed real|edit box.yaml 's/max_it: 200/max_it: 2.5/'|check box.yaml|
  box.yaml:7: solver_max_it is "2.5", expected an integer in [0,inf)
int typed word|edit box.yaml 's/max_it: 200/max_it: many/'|check box.yaml|
  box.yaml:7: solver_max_it is "many", expected an integer in [0,inf)
real typed word|edit box.yaml 's/step: 1e-2/step: 1e-2s/'|check box.yaml|
  box.yaml:6: time_step is "1e-2s", expected a real in (0,inf) [s]
real nan|edit box.yaml 's/step: 1e-2/step: nan/'|check box.yaml|
  box.yaml:6: time_step is "nan", expected a real in (0,inf) [s]
real list|edit box.yaml 's/step: 1e-2/step: [1,2]/'|check box.yaml|
  box.yaml:6: time_step is "1,2", expected a real in (0,inf) [s]
real map|edit box.yaml 's/step: 1e-2/step: {a: 1}/'|check box.yaml|
  box.yaml:6: unknown key time_step_a, did you mean time_step?
list of 2|edit box.yaml 's/0, 0, -9.81/0, -9.81/'|check box.yaml|
  box.yaml:3: gravity is "0,-9.81", expected 3 reals [m/s^2]
list has word|edit box.yaml 's/0, 0, -9.81/0, down, -9.81/'|check box.yaml|
  box.yaml:3: gravity is "0,down,-9.81", expected 3 reals [m/s^2]
list in list|edit box.yaml 's/0, 0, -9.81/[0], 0, -9.81/'|check box.yaml|
  box.yaml:3: gravity: a list may contain numbers and words only, not strings with blanks, lists, maps or empty items
bool|add box.yaml 'output_state_csv: maybe'|check box.yaml|
  box.yaml:10: output_state_csv is "maybe", expected true or false
out of range neg|edit box.yaml 's/max_it: 200/max_it: -1/'|check box.yaml|
  box.yaml:7: solver_max_it is "-1", expected an integer in [0,inf)
*out of range poisson|edit box.yaml 's/poisson: 0.3/poisson: 0.5/'|check box.yaml|
  box.yaml:2: material_poisson is "0.5", expected a real in (-1,0.5)
out of range step|edit box.yaml 's/step: 1e-2/step: 0/'|check box.yaml|
  box.yaml:6: time_step is "0", expected a real in (0,inf) [s]
huge int|edit box.yaml 's/max_it: 200/max_it: 99999999999999999999/'|check box.yaml|
  box.yaml:7: solver_max_it is "99999999999999999999", expected an integer in [0,inf)
unread key out of range, output every|edit box.yaml 's/every: 1}/every: -1}/'|check box.yaml|
  box.yaml:8: output_every is "-1", expected an integer in [0,inf)
unread key out of range compare|add box.yaml 'compare_iterations: 0'|check box.yaml|
  box.yaml:10: compare_iterations is "0", expected an integer in [1,inf)
unread solver key range|add box.yaml 'solver_admm_weight: -1'|check box.yaml|
  box.yaml:10: solver_admm_weight is "-1", expected a real in (0,inf)
unread solver key type|add box.yaml 'solver_admm_weight: heavy'|run box.yaml|
  box.yaml:10: solver_admm_weight is "heavy", expected a real in (0,inf)
unread material key type|add box.yaml 'material_stiffness: heavy'|check box.yaml|
  box.yaml:10: material_stiffness is "heavy", expected a real in (0,inf) [Pa]
*missing density|edit box.yaml 's/, density: 1000//'|check box.yaml|
  box.yaml: material_density is missing: expected a real in (0,inf) [kg/m^3] (Mass per rest volume; not needed with
  mass.file.)
missing model|edit box.yaml 's/model: corotated, //'|check box.yaml|
  box.yaml: material_model is missing, and so is region_box_model: expected a word (`wring help material`)
missing young|edit box.yaml 's/young: 1e6, //'|check box.yaml|
  box.yaml: material_young is missing: expected a real in (0,inf) [Pa] (Young's modulus; requires poisson.)
missing time step|edit box.yaml 's/step: 1e-2, //'|check box.yaml|
  box.yaml: time_step is missing: expected a real in (0,inf) [s] (Size h of a time step; required
missing mesh|edit box.yaml '/^mesh/d'|check box.yaml|
  box.yaml: mesh: none is given, expected mesh.file, mesh.box, body or initial.restart
missing cells|edit box.yaml 's/, cells: \[2, 1, 1\]//'|check box.yaml|
  box.yaml: mesh_box_cells is missing: expected 3 integers in [0,inf) (Cells of the box along x, y and z, each split
  into 6 tets; 0 along one axis gives a sheet, along two a line.)
missing stiffness|edit box.yaml 's/stiffness: 1e6/until: 1/'|check box.yaml|
  box.yaml: attach_xmin_stiffness is missing: expected a real in (0,inf) [N/m] (Stiffness of the spring between each
  vertex and its target; or give stiffness_per_area or hard: true.)
compare without keys|:|compare box.yaml|
  box.yaml: compare_solvers is missing: expected a list of words (Solver types and variants to compare.)
end and steps|edit box.yaml 's/steps: 1/steps: 1, end: 1/'|check box.yaml|
  box.yaml:6: time_steps and time_end (box.yaml:6) are both given, expected one of them
*yaml unclosed|edit box.yaml 's/1000}/1000/'|check box.yaml|
  box.yaml:3: not valid YAML in column 8: did not find expected ',' or '}'
yaml tab|add box.yaml $'a:\n\tb: 1'|check box.yaml|
  box.yaml:11: not valid YAML in column 1: found character that cannot start any token (a tab: indent with
  blanks)
yaml not map|echo '- 1' >box.yaml|check box.yaml|box.yaml:1: a deck is a map, key: value
yaml alias|add box.yaml 'compare_report: *x'|check box.yaml|
  box.yaml:10: an alias (*name) is not supported in a deck: write the value itself, on one line
yaml anchor|edit box.yaml 's/max_it: 200/max_it: \&x 200/'|check box.yaml|
  box.yaml:7: an anchor (&name) is not supported in a deck: write the value itself, on one line
yaml tag|edit box.yaml 's/max_it: 200/max_it: !!str 200/'|check box.yaml|
  box.yaml:7: a tag (!name) is not supported in a deck: write the value itself, on one line
yaml two documents|add box.yaml '---'|check box.yaml|box.yaml:10: a second document (---), expected one
yaml noise|printf 'a: \xff' >box.yaml|check box.yaml|box.yaml:1: not valid YAML in column 4: invalid leading UTF-8 octet
key without value|edit box.yaml 's/max_it: 200/max_it:/'|check box.yaml|
  box.yaml:7: not valid YAML in column 30: found unexpected ':'
*empty map attach|edit box.yaml 's/{stiffness: 1e6}/{}/'|check box.yaml|
  box.yaml:5: attach_xmin is an empty map: keys and values are expected
empty map|add box.yaml 'operator: {}'|check box.yaml|box.yaml:10: operator is an empty map: keys and values are expected
empty list|edit box.yaml 's/0, 0, -9.81//'|check box.yaml|box.yaml:3: gravity is "", expected 3 reals [m/s^2]
key is a list|add box.yaml '? [a]'|check box.yaml|box.yaml:10: a key is expected: one word
empty deck|: >box.yaml|check box.yaml|box.yaml:1: the deck is empty: keys and values are expected
blank deck|echo '# nothing' >box.yaml|check box.yaml|box.yaml:1: the deck is empty: keys and values are expected
missing deck|:|check nowhere.yaml|nowhere.yaml: cannot be read: No such file or directory
*directory deck|:|check old|old: cannot be read: Is a directory
mesh as deck|:|check gmsh22.msh|gmsh22.msh:1: a deck is a map, key: value
binary mesh as deck|:|check gmsh22_binary.msh|
  gmsh22_binary.msh:3: not valid YAML in column 1: control characters are not allowed
checkpoint as deck|:|check old/checkpoint_000001.h5|
  old/checkpoint_000001.h5:1: not valid YAML in column 1: invalid leading UTF-8 octet
*set unknown|edit box.yaml 's/xmin:/xmim:/'|check box.yaml|
  box.yaml:5: attach: 'xmim' is not a set of the mesh (did you mean 'xmin'?), expected a set or a file of
  targets
set unknown far|edit box.yaml 's/xmin:/handle:/'|check box.yaml|
  box.yaml:5: attach: 'handle' is not a set of the mesh, expected a set or a file of targets
*region unknown|add box.yaml 'region: {boxx: {young: 1}}'|check box.yaml|
  box.yaml:10: region: the mesh has no region 'boxx' (did you mean 'box'?), expected one of its regions: box
region unknown far|add box.yaml 'region: {steel: {young: 1}}'|check box.yaml|
  box.yaml:10: region: the mesh has no region 'steel', expected one of its regions: box
region unknown key|add box.yaml 'region: {box: {yung: 1}}'|check box.yaml|
  box.yaml:10: unknown key region_box_yung, did you mean region_box_young?
model unknown|edit box.yaml 's/corotated/corrotated/'|check box.yaml|
  box.yaml:2: material_model is 'corrotated', expected one of
model unknown far|edit box.yaml 's/corotated/jelly/'|check box.yaml|
  box.yaml:2: material_model is 'jelly', expected one of
model unread region|add box.yaml 'region: {box: {model: jelly}}'|check box.yaml|
  box.yaml:10: region_box_model is 'jelly', expected one of
solver unknown|edit box.yaml 's/type: qn/type: lbfgs/'|check box.yaml|
  box.yaml:7: solver_type is "lbfgs", expected one of
integrator|edit box.yaml 's/steps: 1/steps: 1, integrator: implicit_eular/'|check box.yaml|
  box.yaml:6: time_integrator is "implicit_eular", expected one of implicit_euler, implicit_midpoint, bdf2,
  linear_implicit_euler,
operator|add box.yaml 'operator: {type: fast}'|check box.yaml|
  box.yaml:10: operator_type is "fast", expected one of auto, direct, multigrid, petsc
poisson with mu|edit box.yaml 's/young: 1e6/mu: 1e6/'|check box.yaml|
  box.yaml:2: material_mu and material_poisson are both given, expected either young and poisson or mu and lambda
box and file|edit box.yaml 's/^mesh:.*{box/mesh: {file: gmsh22.msh, box/'|check box.yaml|
  box.yaml:1: mesh: file and box (box.yaml:1) are both given, expected one of them
box scale|edit box.yaml 's/^mesh:.*{box/mesh: {scale: 1e-3, box/'|check box.yaml|
  box.yaml:1: mesh_scale applies to mesh.file only, remove it for mesh.box
box too many cells|edit box.yaml 's/cells: \[2, 1, 1/cells: [2000000000, 2000000000, 2000000000/'|check box.yaml|
  box.yaml:1: mesh_box_cells: more than 9e18 tetrahedra are too many
box flat|edit box.yaml 's/size: \[2/size: [0/'|check box.yaml|
  box.yaml:1: mesh_box_size: 0 m along x, where there are cells, expected above 0
box inf|edit box.yaml 's/size: \[2/size: [inf/'|check box.yaml|
  box.yaml:1: mesh_box_size is "inf,1,1", expected 3 reals in [0,inf) [m]
box far|edit box.yaml 's/{box: {/{box: {origin: [1e30, 0, 0], /'|check box.yaml|
  box.yaml:1: mesh_box_jitter: 0.05 leaves a tetrahedron of zero volume, expected a smaller jitter or larger cells
set twice shaped|add box.yaml 'set: {grip: {box: [0,0,0,1,1,1], sphere: [0,0,0,1]}}'|check box.yaml|
  box.yaml:10: set_grip_sphere: the set already has a box, expected one of box, sphere, plane
set empty|add box.yaml 'set: {grip: {box: [5,5,5,6,6,6]}}'|check box.yaml|
  box.yaml:10: set_grip_box: no vertex of the mesh lies in it, expected at least one
set upside down|add box.yaml 'set: {grip: {box: [1,0,0,0,1,1]}}'|check box.yaml|
  box.yaml:10: set_grip_box: 1 > 0, expected x0,y0,z0,x1,y1,z1 with x0 <= x1, y0 <= y1, z0 <= z1
set named as the mesh's|add box.yaml 'set: {XMIN: {box: [0,0,0,1,1,1]}}'|check box.yaml|
  box.yaml:10: set_xmin_box: the mesh already has a set 'xmin', expected another name
map as a list|edit box.yaml 's/^attach:/attach: [xmin]/; /^  xmin/d'|check box.yaml|
  box.yaml:4: key attach is a map, expected keys in it, such as attach_NAME_stiffness (`wring help attach`)
map of a set as a list|add box.yaml 'force: {xmax: [0, 0, 1]}'|check box.yaml|
  box.yaml:10: unknown key force_xmax, did you mean force_xmax_value, or one of gravity,
option of petsc|:|check box.yaml -log_view|
  command line: unknown key log_view, expected one that `wring help deck` lists, or for an option of PETSc
option of a method|:|check box.yaml -solver_line_search none|
  command line: unknown key solver_line_search, did you mean one of solver_qn_line_search, solver_chebyshev_line_search,
option of another method|:|check box.yaml -solver_rgc_weight 0.5|
  command line: unknown key solver_rgc_weight, expected one that `wring help solver_rgc` lists
many steps|:|check box.yaml -time_steps 99999999999999999|
  command line: time_steps is "99999999999999999", expected an integer in [1,inf), at most
set of a load|add box.yaml 'pressure: {xmx: {value: 3}}'|check box.yaml|
  box.yaml:10: pressure: 'xmx' is not a set of the mesh (did you mean 'xmax'?), expected a surface; its sets: xmin,
*model of one region|edit mesh.yaml 's/model: strain, //'; add mesh.yaml 'region: {soft: {model: strain}}'|
  check mesh.yaml|
  mesh.yaml: material_model is missing, and so is region_hard_model: expected a word
compliant|:|check box.yaml -solver_type compliant|
  solver 'compliant' cannot use material 'corotated': its constraint has no gradient where it is satisfied, expected
set no shape|add box.yaml 'set: {grip: 3}'|check box.yaml|box.yaml:10: unknown key set_grip, did you mean set_grip_box?
set radius|add box.yaml 'set: {grip: {sphere: [0,0,0,-1]}}'|check box.yaml|
  box.yaml:10: set_grip_sphere: radius -1, expected at least 0
set plane|add box.yaml 'set: {grip: {plane: [0,0,0,0,0,0]}}'|check box.yaml|
  box.yaml:10: set_grip_plane: normal 0,0,0, expected a direction
set cylinder|add box.yaml 'set: {grip: {cylinder: [0,0,0,0,0,0]}}'|check box.yaml|
  box.yaml:10: unknown key set_grip_cylinder, expected one that `wring help set` lists
attach file and stiffness|edit box.yaml 's/stiffness: 1e6/stiffness: 1e6, file: targets.csv/'|check box.yaml|
  box.yaml:5: attach_xmin_stiffness and attach_xmin_file are both given
attach file missing|edit net.yaml 's/targets.csv/nowhere.csv/'|check net.yaml|
  nowhere.csv: cannot be read: No such file or directory
petsc|add box.yaml 'petsc: {1: 2}'|check box.yaml|
  box.yaml:10: key petsc_1: expected an option of PETSc after petsc_, such as petsc_ksp_view
*petsc bad pc|add box.yaml 'petsc: {operator_pc_type: nonsense}'|run box.yaml -operator_type petsc|
  petsc_operator_...: PETSc rejects it: Unable to find requested PC type nonsense
petsc bad value|add box.yaml 'petsc: {operator_ksp_max_it: many}'|run box.yaml -operator_type petsc|
  petsc_operator_...: PETSc rejects it: Input string many has no integer value (do not include . in it)
sweep unknown|add compare.yaml 'compare_sweep_time_stp: [1, 2]'|compare compare.yaml|
  compare.yaml:7: compare_sweep: unknown key time_stp, did you mean time_step?
sweep value|add compare.yaml 'compare_sweep_time_step: [1, x]'|compare compare.yaml|
  compare.yaml:7: compare_sweep: time_step is "x", expected a real in (0,inf) [s]
variant no type|edit compare.yaml 's/type: admm, //'|compare compare.yaml|
  compare.yaml:4: variant: 'light' has no type, expected variant_light_type:
variant bad type|edit compare.yaml 's/type: admm/type: amdm/'|compare compare.yaml|
  compare.yaml:4: variant_light_type is 'amdm', expected a solver type:
*variant bad key|edit compare.yaml 's/weight/wait/'|compare compare.yaml|
  compare.yaml:4: variant_light_wait: a variant of type 'admm' has no key 'wait', did you mean weight? its keys are
  type, weight,
variant of type name|edit compare.yaml 's/light/qn/'|compare compare.yaml|
  compare.yaml:4: variant: 'qn' is a solver type, expected another name
compare unknown|edit compare.yaml 's/pd\]/bd]/'|compare compare.yaml|
  compare.yaml:5: solver 'bd' is neither a variant with a type nor one of
*compare twice|edit compare.yaml 's/pd\]/qn]/'|compare compare.yaml|
  compare.yaml:5: compare_solvers names 'qn' twice, expected each solver once
compare report|edit compare.yaml 's/1, 3/-1, 3/'|compare compare.yaml|
  compare.yaml:5: compare_report has iteration -1, expected 0 to 3
check of compare report|edit compare.yaml 's/1, 3/-1, 3/'|check compare.yaml|
  compare.yaml:5: compare_report has iteration -1, expected 0 to 3
check of compare unknown|edit compare.yaml 's/pd\]/bd]/'|check compare.yaml|
  compare.yaml:5: solver 'bd' is neither a variant with a type nor one of
sweep of types|add compare.yaml 'compare_sweep_solver_type: [qn, pd]'|compare compare.yaml|
  compare.yaml:7: compare_sweep: solver_type cannot be swept
evaluate integrator|:|evaluate box.yaml -time_integrator bdf2|
  command line: time_integrator is 'bdf2', expected implicit_euler or static, whose g is evaluated
no command|:||no command, expected
unknown|:|walk box.yaml|unknown command walk, expected
unknown near|:|chek box.yaml|unknown command chek, did you mean check, expected
no deck|:|run|run: no deck given, expected
option for a deck|:|run -time_step 1|run: no deck given before -time_step, expected
help word|:|help time space|help: unexpected argument 'space', expected
help mesh unknown|:|help mesh refin|mesh: unknown command refin, did you mean refine, expected
unknown of mesh|:|inf box.msh|unknown command inf, did you mean mesh info, expected
key of another command|:|run box.yaml -compare_solvers qn|
  command line: compare_solvers is a key of wring compare, expected one that wring run reads
json twice|:|check box.yaml --json -check_json a.json|
  command line: check_json is given beside --json, expected one of them
two decks|:|check box.yaml net.yaml|command line: unexpected argument 'net.yaml', expected -key value
unknown option|:|check box.yaml -solver_maxit 3|command line: unknown key solver_maxit, did you mean solver_max_it?
option lacks value|:|check box.yaml -time_step|command line: -time_step has no value, expected a real in (0,inf) [s]
*option lacks value before another|:|run box.yaml -output_directory -time_steps 2|
  command line: -output_directory has no value, expected a name
option lacks value path|:|run box.yaml -mesh_file|command line: -mesh_file has no value, expected a file name
option lacks value int|:|run box.yaml -solver_max_it|
  command line: -solver_max_it has no value, expected an integer in [0,inf)
option bad value|:|run box.yaml -solver_max_it=x|command line: solver_max_it is "x", expected an integer in [0,inf)
option equals nothing|:|run box.yaml -solver_max_it=|command line: solver_max_it is "", expected an integer in [0,inf)
word value empty|:|run box.yaml -output_directory ''|command line: output_directory is "", expected a name
help unknown|:|help nonsense|help: no key has 'nonsense' in its name or text: `wring help deck` lists all
version words|:|version now|version: unexpected argument 'now', expected
option positional neg|:|run box.yaml -3|command line: unexpected argument '-3', expected -key value
option equals|:|run box.yaml -=3|command line: unexpected argument '-=3', expected -key value
single dash|:|run box.yaml -|command line: unexpected argument '-', expected -key value
option with dots|:|run box.yaml -solver.max_it 3|command line: unknown key solver.max_it, did you mean solver_max_it?
dir is file [4]|:|run box.yaml -output_directory box.yaml|box.yaml: is not a directory
*dir below file [4]|:|run box.yaml -output_directory box.yaml/out|
  box.yaml/out: the directory cannot be created: Not a directory
dir below file 2 [4]|:|run box.yaml -output_directory new/box.yaml/../../box.yaml/out|
  new/box.yaml/../../box.yaml/out: the directory cannot be created: Not a directory
dir in proc [4]|:|run box.yaml -output_directory /proc/wring|
  /proc/wring: the directory cannot be created: No such file or directory
dir loop [4]|ln -s out out|run box.yaml|out: the directory cannot be created: File exists
dir file evaluate [4]|:|evaluate box.yaml -output_directory box.yaml|box.yaml: is not a directory
dir file compare [4]|:|compare compare.yaml -output_directory box.yaml|box.yaml: is not a directory
table is a directory [4]|rm old/steps.csv; mkdir old/steps.csv|run box.yaml -output_directory old|
  old/steps.csv: is a directory, expected a file or nothing
*json is a directory [4]|rm old/run.json; mkdir old/run.json|run box.yaml -output_directory old|
  old/run.json: is a directory, expected a file or nothing
evaluate.json is directory [4]|mkdir old/evaluate.json|evaluate box.yaml -output_directory old|
  old/evaluate.json: is a directory, expected a file or nothing
compare.csv is directory [4]|mkdir old/compare.csv|compare compare.yaml -output_directory old|
  old/compare.csv: is a directory, expected a file or nothing
frame is a directory [4]|rm old/frame_000000.vtu; mkdir old/frame_000000.vtu|run box.yaml -output_directory old|
  old/frame_000000.vtu: is a directory, expected a file or nothing
checkpoint is a directory [4]|rm old/checkpoint_000001.h5; mkdir old/checkpoint_000001.h5|
  run box.yaml -output_directory old|
  old/checkpoint_000001.h5: is a directory, expected a file or nothing
columns differ|add box.yaml 'attach_xmax_stiffness: 1'|
  run box.yaml -initial_restart old -output_directory old -time_steps 2|
  old/steps.csv: its columns are not those of this run, expected another output.directory
positions missing file|:|check box.yaml -initial_positions nowhere.csv|
  nowhere.csv: cannot be read: No such file or directory
positions is dir|:|check box.yaml -initial_positions old|old: cannot be read: Is a directory
positions empty|: >state.csv|check net.yaml -initial_positions state.csv|
  state.csv:1: the header is "", expected "vertex,x,y,z[,vx,vy,vz]"
positions header only|echo vertex,x,y,z >state.csv|check net.yaml -initial_positions state.csv|
  state.csv:2: the file ends without vertex 0 (4 missing), expected every vertex from 0 to 3
positions header|edit state.csv 1s/vertex/node/|check net.yaml -initial_positions state.csv|
  state.csv:1: the header is "node,x,y,z", expected "vertex,x,y,z[,vx,vy,vz]"
positions header tail|edit state.csv 1s/z/z,w/|check net.yaml -initial_positions state.csv|
  state.csv:1: the header is "vertex,x,y,z,w", expected "vertex,x,y,z[,vx,vy,vz]"
positions semicolons|edit state.csv 's/,/;/g'|check net.yaml -initial_positions state.csv|
  state.csv:1: the header is "vertex;x;y;z", expected "vertex,x,y,z[,vx,vy,vz]"
positions short row|edit state.csv '3s/,0$//'|check net.yaml -initial_positions state.csv|
  state.csv:3: 3 columns, expected 4 (vertex,x,y,z)
positions long row|edit state.csv '3s/$/,0/'|check net.yaml -initial_positions state.csv|
  state.csv:3: 5 columns, expected 4 (vertex,x,y,z)
positions not number|edit state.csv '3s/,0$/,zero/'|check net.yaml -initial_positions state.csv|
  state.csv:3: z is "zero", expected a number
*positions nan|edit state.csv '3s/,0$/,nan/'|check net.yaml -initial_positions state.csv|
  state.csv:3: z is "nan", expected a finite number
positions inf|edit state.csv '3s/,0$/,-inf/'|check net.yaml -initial_positions state.csv|
  state.csv:3: z is "-inf", expected a finite number
positions overflow|edit state.csv '3s/,0$/,1e999/'|check net.yaml -initial_positions state.csv|
  state.csv:3: z is "1e999", expected a finite number
positions repeated|edit state.csv '3s/^1/0/'|check net.yaml -initial_positions state.csv|
  state.csv:3: vertex 0 is given twice (first in line 2)
positions unknown|edit state.csv '3s/^1/4/'|check net.yaml -initial_positions state.csv|
  state.csv:3: vertex is "4", expected a vertex, an integer from 0 to 3
positions negative|edit state.csv '3s/^1/-1/'|check net.yaml -initial_positions state.csv|
  state.csv:3: vertex is "-1", expected a vertex, an integer from 0 to 3
positions fraction|edit state.csv '3s/^1/1.5/'|check net.yaml -initial_positions state.csv|
  state.csv:3: vertex is "1.5", expected a vertex, an integer from 0 to 3
*positions missing|edit state.csv '3d'|check net.yaml -initial_positions state.csv|
  state.csv:5: the file ends without vertex 1 (1 missing), expected every vertex from 0 to 3
positions after a comment|edit state.csv '2s/^/# \n/;3s/,/;/'|check net.yaml -initial_positions state.csv|
  state.csv:4: vertex is "1;1", expected a number
positions binary|cp gmsh41_binary.msh state.csv|check net.yaml -initial_positions state.csv|
  state.csv:1: the header is "$MeshFormat", expected "vertex,x,y,z[,vx,vy,vz]"
positions cut|head -c 20 state.csv >s; mv s state.csv|check net.yaml -initial_positions state.csv|
  state.csv:3: the file ends without vertex 1 (3 missing), expected every vertex from 0 to 3
positions huge|edit state.csv '3s/,0$/,1e200/'|run net.yaml -initial_positions state.csv|
  the step to time 0.05 s: the energy at its initial positions is not finite, expected elements that are not
  inverted, or a
velocities nan|edit state.csv '3s/,0$/,nan/'|check net.yaml -initial_velocities state.csv|
  state.csv:3: z is "nan", expected a finite number
velocities of another mesh|:|check box.yaml -initial_velocities state.csv|
  state.csv:6: the file ends without vertex 4 (8 missing), expected every vertex from 0 to 11
evaluate positions|edit state.csv 4d|evaluate net.yaml -evaluate_positions state.csv|
  state.csv:5: the file ends without vertex 2 (1 missing), expected every vertex from 0 to 3
mass header|edit mass.csv 1s/mass/kg/|check net.yaml|mass.csv:1: the header is "vertex,kg", expected "vertex,mass"
*mass zero|edit mass.csv 3s/1$/0/|check net.yaml|mass.csv:3: mass 0, expected above 0 kg
mass negative|edit mass.csv 3s/1$/-1/|check net.yaml|mass.csv:3: mass -1, expected above 0 kg
mass missing vertex|edit mass.csv '$d'|check net.yaml|
  mass.csv:5: the file ends without vertex 3 (1 missing), expected every vertex from 0 to 3
mass repeated|edit mass.csv 3s/^1/0/|check net.yaml|mass.csv:3: vertex 0 is given twice (first in line 2)
mass missing file|rm mass.csv|check net.yaml|mass.csv: cannot be read: No such file or directory
mass none|edit net.yaml /^mass/d|check net.yaml|
  net.yaml: vertex 0 has no mass, expected mass.file or an adjacent element with a density
springs header|edit springs.csv 1s/stiffness/k/|check net.yaml|
  springs.csv:1: the header is "a,b,length,k", expected "a,b,length,stiffness[,damping]"
springs zero stiffness|edit springs.csv 3s/100/0/|check net.yaml|springs.csv:3: stiffness 0, expected above 0 N/m
springs length|edit springs.csv 3s/,1,/,-1,/|check net.yaml|springs.csv:3: length -1, expected at least 0 m
springs self|edit springs.csv 3s/1,2/1,1/|check net.yaml|springs.csv:3: a and b are both 1, expected two vertices
*springs unknown vertex|edit springs.csv 3s/1,2/1,9/|check net.yaml|
  springs.csv:3: b is "9", expected a vertex, an integer from 0 to 3
springs damping|edit springs.csv 's/stiffness/&,damping/; s/100/&,-1/'|check net.yaml|
  springs.csv:2: damping -1, expected at least 0 N s/m
springs empty|edit springs.csv '2,$d'|check net.yaml|
  springs.csv: no row after the header, expected a,b,length,stiffness[,damping]
springs no file|edit net.yaml 's/{file: springs.csv}/springs.csv/'|check net.yaml|
  net.yaml:3: unknown key spring_net, did you mean spring_net_file?
springs empty file|: >springs.csv|check net.yaml|
  springs.csv:1: the header is "", expected "a,b,length,stiffness[,damping]"
springs missing file|rm springs.csv|check net.yaml|springs.csv: cannot be read: No such file or directory
springs misspelt|edit net.yaml 's/{file: springs/{fill: springs/'|check net.yaml|
  net.yaml:3: unknown key spring_net_fill, did you mean spring_net_file?
targets stiffness|edit targets.csv 2s/1e4/0/|check net.yaml|targets.csv:2: stiffness 0, expected above 0 N/m
*targets repeated|edit targets.csv 3s/^1/0/|check net.yaml|targets.csv:3: vertex 0 is given twice (first in line 2)
targets unknown|edit targets.csv 3s/^1/7/|check net.yaml|
  targets.csv:3: vertex is "7", expected a vertex, an integer from 0 to 3
targets header|edit targets.csv '1s/,stiffness//'|check net.yaml|
  targets.csv:1: the header is "vertex,x,y,z", expected "vertex,x,y,z,stiffness"
targets no rows|edit targets.csv '2,$d'|check net.yaml|
  targets.csv: no row after the header, expected vertex,x,y,z,stiffness
targets is dir|edit net.yaml 's/targets.csv/old/'|check net.yaml|old: cannot be read: Is a directory
restart nowhere|:|run box.yaml -initial_restart nowhere|
  nowhere: No such file or directory; expected a checkpoint file or an output directory
restart dir without|mkdir none|run box.yaml -initial_restart none|none: holds no checkpoint (checkpoint_NNNNNN.h5)
*restart cut|head -c 1500 old/checkpoint_000001.h5 >cut.h5|run box.yaml -initial_restart cut.h5|
  cut.h5: is cut short or not a checkpoint of wring: it does not end in a seal
restart cut by a byte|head -c -1 old/checkpoint_000001.h5 >cut.h5|run box.yaml -initial_restart cut.h5|
  cut.h5: is cut short or not a checkpoint of wring: it does not end in a seal
restart cut in dir|truncate -s 1500 old/checkpoint_000001.h5|run box.yaml -initial_restart old|
  old/checkpoint_000001.h5: is cut short or not a checkpoint of wring: it does not end in a seal
restart empty|: >cut.h5|run box.yaml -initial_restart cut.h5|
  cut.h5: is cut short or not a checkpoint of wring: it does not end in a seal
*restart flipped|put old/checkpoint_000001.h5 1500 '\x55'|run box.yaml -initial_restart old|
  old/checkpoint_000001.h5: is damaged: its checksum does not match
restart text|:|run box.yaml -initial_restart box.yaml|
  box.yaml: is cut short or not a checkpoint of wring: it does not end in a seal
restart mesh|:|run box.yaml -initial_restart gmsh22.msh|
  gmsh22.msh: is cut short or not a checkpoint of wring: it does not end in a seal
restart mesh gone|rm old/checkpoints_mesh.h5|run box.yaml -initial_restart old|
  old/checkpoint_000001.h5: its mesh is missing, expected the file checkpoints_mesh.h5 of the same run beside it
*restart mesh cut|truncate -s 2000 old/checkpoints_mesh.h5|run box.yaml -initial_restart old/checkpoint_000001.h5|
  old/checkpoints_mesh.h5: is cut short or not a checkpoint of wring: it does not end in a seal
*restart mesh flipped|put old/checkpoints_mesh.h5 3000 '\x55'|run box.yaml -initial_restart old|
  old/checkpoints_mesh.h5: is damaged: its checksum does not match
*restart mesh of another run|cp other/checkpoints_mesh.h5 old|run box.yaml -initial_restart old|
  old/checkpoint_000001.h5: its mesh is not that of old/checkpoints_mesh.h5
restart mesh alone|:|run box.yaml -initial_restart old/checkpoints_mesh.h5|
  old/checkpoints_mesh.h5: holds the mesh of checkpoints, expected one of the checkpoint_NNNNNN.h5 beside it
*restart other mesh|:|run box.yaml -initial_restart other|
  other/checkpoint_000001.h5: holds another mesh (16 vertices, 18 tets) than the deck's (box.yaml:1: 12 vertices, 12
  tets),
restart other mesh same count|:|run box.yaml -initial_restart old -mesh_box_size 3,1,1|
  old/checkpoint_000001.h5: holds another mesh (12 vertices, 12 tets) than the deck's (command line: 12 vertices, 12
  tets, at other positions),
restart other mesh file|:|run mesh.yaml -initial_restart old|
  old/checkpoint_000001.h5: holds another mesh (12 vertices, 12 tets) than the deck's (mesh.yaml:1: 5 vertices, 2 tets),
  expected
restart with positions of another|:|run box.yaml -initial_restart old -initial_positions state.csv|
  state.csv:6: the file ends without vertex 4 (8 missing), expected every vertex from 0 to 11
restart with set gone|edit compare.yaml 's/^material/attach: {grip: {stiffness: 1}}\nmaterial/'|compare compare.yaml|
  compare.yaml:2: attach: 'grip' is not a set of the mesh, expected a set or a file of targets
yaml block|printf 'output_x: >\n  a\n  b\n' >>box.yaml|check box.yaml|
  box.yaml:10: a string of several lines is not supported in a deck: write the value itself, on one line
*region ambiguous|edit gmsh22.msh 's/"soft"/"x"/; s/"hard"/"x_proxy"/'; add mesh.yaml 'region_x_proxy_stiffness: 5'|
  check mesh.yaml|
  mesh.yaml:5: key region_x_proxy_stiffness can mean both 'x' and 'x_proxy': rename one of them
region_two by case|add box.yaml 'region: {BOX: {young: 1}, box: {young: 2}}'|check box.yaml|
  box.yaml:10: key region_box is given twice (first in line 10)
pbd order|:|check box.yaml -solver_type xpbd -solver_xpbd_order colred|
  command line: solver_xpbd_order is "colred", expected one of colored, hybrid, sequential, did you mean colored?
unset numbers|:|check box.yaml -time_end 1e300|
  command line: time_end 1e+300 s is 1e+302 steps of 0.01 s, expected at most
time end 0|edit box.yaml 's/steps: 1/end: 0/'|check box.yaml|box.yaml:6: time_end is "0", expected a real in (0,inf) [s]
both steps|edit box.yaml 's/steps: 1/steps: 0/'|check box.yaml|
  box.yaml:6: time_steps is "0", expected an integer in [1,inf)
limit|:|check box.yaml -time_limit -1|command line: time_limit is "-1", expected a real in (0,inf) [s]
tag0|edit gmsh22.msh 's/"hard"/"tag0"/; s/^4 4 2 1 1/4 4 2 0 1/'|check mesh.yaml|
  gmsh22.msh: a physical group is named tag0, the name reserved for tetrahedra in no physical volume
attach set misspelt on deck's set|add box.yaml $'set: {grip: {box: [0,0,0,1,1,1]}}\nattach_grap_stiffness: 1'|
  check box.yaml|
  box.yaml:11: attach: 'grap' is not a set of the mesh (did you mean 'grip'?), expected a set or a file of
  targets
mesh missing|:|check mesh.yaml -mesh_file nowhere.msh|nowhere.msh: cannot be read: No such file or directory
mesh dir|:|check mesh.yaml -mesh_file old|old: cannot be read: not a regular file
mesh empty|: >gmsh22.msh|check mesh.yaml|gmsh22.msh:1: the file is empty, expected a mesh
mesh blank|printf ' \n\n' >gmsh22.msh|check mesh.yaml|gmsh22.msh:3: the file is empty, expected a mesh
*mesh noise|head -c 3000 /dev/zero >gmsh22.msh|check mesh.yaml|
  gmsh22.msh:1: not a mesh: expected Gmsh 2.2 or 4.1 ($MeshFormat), MEDIT ASCII (MeshVersionFormatted), TetGen (.node
  and .ele) or
mesh h5|:|check mesh.yaml -mesh_file old/checkpoint_000001.h5|
  old/checkpoint_000001.h5:1: not a mesh: expected Gmsh 2.2 or 4.1 ($MeshFormat), MEDIT ASCII (MeshVersionFormatted),
  TetGen (.node
mesh vtu|:|check mesh.yaml -mesh_file old/frame_000000.vtu|
  old/frame_000000.vtu:1: not a mesh: expected Gmsh 2.2 or 4.1 ($MeshFormat), MEDIT ASCII (MeshVersionFormatted), TetGen
  (.node and
mesh stl|printf 'solid a\nfacet\n' >a.stl|check mesh.yaml -mesh_file a.stl|
  a.stl:1: not a mesh: expected Gmsh 2.2 or 4.1 ($MeshFormat), MEDIT ASCII (MeshVersionFormatted), TetGen (.node and
  .ele) or CSV
mesh deck|:|check mesh.yaml -mesh_file box.yaml|
  box.yaml:1: not a mesh: expected Gmsh 2.2 or 4.1 ($MeshFormat), MEDIT ASCII (MeshVersionFormatted), TetGen (.node and
  .ele) or
mesh csv state wrong header|:|check mesh.yaml -mesh_file mass.csv|
  mass.csv:1: the first line is not the header of points, expected vertex,x,y,z
node without ele|rm tet.ele|check mesh.yaml -mesh_file tet.node|tet.ele: cannot be read: No such file or directory
ele without node|rm tet.node|check mesh.yaml -mesh_file tet.ele|tet.node: cannot be read: No such file or directory
22 triangle|edit gmsh22.msh 's/ 10 30 40$/ 30 40 50/'|check mesh.yaml|
  gmsh22.msh:25: element 3 is a triangle of nodes of tetrahedra, but not a face of any
22 zero index|edit gmsh22.msh 's/10 20 30 40$/10 20 30 0/'|check mesh.yaml|
  gmsh22.msh:26: element 4 refers to node 0, which does not exist
22 negative index|edit gmsh22.msh 's/10 20 30 40$/10 20 30 -40/'|check mesh.yaml|
  gmsh22.msh:26: element 4 refers to node -40, which does not exist
*22 too large|edit gmsh22.msh 's/10 20 30 40$/10 20 30 41/'|check mesh.yaml|
  gmsh22.msh:26: element 4 refers to node 41, which does not exist
22 huge|edit gmsh22.msh 's/10 20 30 40$/10 20 30 99999999999999999999/'|check mesh.yaml|
  gmsh22.msh:26: found '99999999999999999999', expected the number of a node
22 nan index|edit gmsh22.msh 's/10 20 30 40$/10 20 x 40/'|check mesh.yaml|
  gmsh22.msh:26: found 'x', expected the number of a node
22 frac index|edit gmsh22.msh 's/10 20 30 40$/10 20 30.5 40/'|check mesh.yaml|
  gmsh22.msh:26: found '30.5', expected the number of a node
22 version 4|edit gmsh22.msh 's/^2.2 0 8/4 0 8/'|check mesh.yaml|
  gmsh22.msh:2: Gmsh format '4', expected 2.2 or 4.1 (gmsh -save -format msh41)
22 version 2.1|edit gmsh22.msh 's/^2.2 0 8/2.1 0 8/'|check mesh.yaml|
  gmsh22.msh:2: Gmsh format '2.1', expected 2.2 or 4.1 (gmsh -save -format msh41)
22 coordinates nan|edit gmsh22.msh 's/^20 1 0 0/20 nan 0 0/'|check mesh.yaml|
  gmsh22.msh:15: found 'nan', expected a finite coordinate
22 inf|edit gmsh22.msh 's/^20 1 0 0/20 1 -inf 0/'|check mesh.yaml|
  gmsh22.msh:15: found '-inf', expected a finite coordinate
22 coordinate too large|edit gmsh22.msh 's/^20 1 0 0/20 1e150 0 0/'|check mesh.yaml|
  gmsh22.msh: a coordinate times the scale 1 is 1e+150, expected at most 1e100
22 count+1 nodes|edit gmsh22.msh 's/^6$/7/'|check mesh.yaml|
  gmsh22.msh:20: found '$EndNodes', expected the number of a node
22 count elements|edit gmsh22.msh 's/^\$Elements/&x/'|check mesh.yaml|gmsh22.msh:21: this section has no $EndElementsx
22 flat|edit gmsh22.msh 's/^40 0 0 1.0/40 .5 .5 0/'|check mesh.yaml|
  gmsh22.msh:26: element 4 is a tetrahedron of zero volume
22 flat volume -mesh twice node|edit gmsh22.msh 's/10 20 30 40$/10 20 30 10/'|check mesh.yaml|
  gmsh22.msh:26: element 4 has node 10 twice
22 dup|edit gmsh22.msh 's/10 20 30 50$/40 20 30 10/'|check mesh.yaml|
  gmsh22.msh:27: element 5 has the nodes of element 4 (line 26)
22 dup nodes|edit gmsh22.msh 's/^20 /10 /'|check mesh.yaml|gmsh22.msh:15: node 10 is given twice
*22 three|edit gmsh22.msh 's/^99 .*/99 1 1 2/; /^\$Elements/{n;s/5/6/}; s/^5 4.*/&\n6 4 2 2 2 10 20 30 99/'|
  check mesh.yaml|
  gmsh22.msh:28: elements 4 (line 26), 5 (line 27) and 6 share a face, expected at most two
22 no tets|edit gmsh22.msh 's/^4 4 .*//; s/^5 4 .*//; /^\$Elements/{n;s/5/3/}'|check mesh.yaml|
  mesh.yaml:2: material: the mesh has no tetrahedra, only surfaces or lines: save the three-dimensional mesh (in Gmsh
  with a physical volume), or use membrane for a surface
22 no elements|edit gmsh22.msh '/^\$Elements/,$d'|check mesh.yaml|gmsh22.msh:21: the file ends without $Elements
22 second order|edit gmsh22.msh 's/^4 4 2/4 11 2/'|check mesh.yaml|
  gmsh22.msh:26: the line ends, expected the number of a node
22 hex|edit gmsh22.msh 's/^4 4 2/4 5 2/'|check mesh.yaml|
  gmsh22.msh:26: element type 5 (hexahedron), expected points, lines, triangles or tetrahedra of first or second order
22 names by case|edit gmsh22.msh 's/"soft"/"Hard"/'|check mesh.yaml|
  gmsh22.msh:10: names 'Hard' and 'hard' differ only in case
22 set ambiguous spin|edit gmsh22.msh 's/"soft"/"a"/; s/"hard"/"a_spin"/'; add mesh.yaml 'attach_a_spin_spin: [1,0,0]'|
  check mesh.yaml|
  mesh.yaml: attach_a_spin_stiffness is missing: expected a real in (0,inf) [N/m] (Stiffness of the spring between each
  vertex and its target; or give stiffness_per_area or hard: true.)
22 scale tiny|:|check mesh.yaml -mesh_scale 1e-200|gmsh22.msh:26: element 4 is a tetrahedron of zero volume
41 version|edit gmsh41.msh 's/^4.1 0 8/4.0 0 8/'|check mesh.yaml -mesh_file gmsh41.msh|
  gmsh41.msh:2: Gmsh format '4.0', expected 2.2 or 4.1 (gmsh -save -format msh41)
41 blocks|edit gmsh41.msh 's/^2 6 10 99/3 6 10 99/'|check mesh.yaml -mesh_file gmsh41.msh|
  gmsh41.msh:36: found '$EndNodes', expected a dimension from 0 to 3
41 entity|edit gmsh41.msh 's/^3 9 4 1/3 7 4 1/'|check mesh.yaml -mesh_file gmsh41.msh|
  gmsh41.msh:47: volume 7 is not among the $Entities
41 idx|edit gmsh41.msh 's/10 20 30 50$/10 20 30 55/'|check mesh.yaml -mesh_file gmsh41.msh|
  gmsh41.msh:48: element 5 refers to node 55, which does not exist
41 idx0|edit gmsh41.msh 's/10 20 30 50$/10 20 30 0/'|check mesh.yaml -mesh_file gmsh41.msh|
  gmsh41.msh:48: element 5 refers to node 0, which does not exist
bin22 order|put gmsh22_binary.msh 20 '\0\0\0\1'|check mesh.yaml -mesh_file gmsh22_binary.msh|
  gmsh22_binary.msh: byte 20: written in the opposite byte order, expected this machine's
bin22 said ascii|edit gmsh22_binary.msh '2s/2.2 1/2.2 0/'|check mesh.yaml -mesh_file gmsh22_binary.msh|
  gmsh22_binary.msh:3: found '????', expected $EndMeshFormat
medit idx 0|edit medit.mesh 's/^1 2 3 6 4/0 2 3 6 4/'|check mesh.yaml -mesh_file medit.mesh|
  medit.mesh:18: element 2 refers to node 0, which does not exist
medit idx neg|edit medit.mesh 's/^1 2 3 6 4/-1 2 3 6 4/'|check mesh.yaml -mesh_file medit.mesh|
  medit.mesh:18: element 2 refers to node -1, which does not exist
medit idx big|edit medit.mesh 's/^1 2 3 6 4/1 2 3 7 4/'|check mesh.yaml -mesh_file medit.mesh|
  medit.mesh:18: element 2 refers to node 7, which does not exist
medit ref|edit medit.mesh 's/^1 2 3 6 4/1 2 3 6 a/'|check mesh.yaml -mesh_file medit.mesh|
  medit.mesh:18: found 'a', expected a reference
*medit count|edit medit.mesh 's/^Vertices 6/Vertices 7/'|check mesh.yaml -mesh_file medit.mesh|
  medit.mesh:12: found 'Triangles', expected a finite coordinate
medit dim|edit medit.mesh '4s/3/2/'|check mesh.yaml -mesh_file medit.mesh|
  medit.mesh:3: a mesh in 2 dimensions, expected 3
medit binary|printf '\1\0\0\0\3\0\0\0' >medit.mesh|check mesh.yaml -mesh_file medit.mesh|
  medit.mesh:1: not a mesh: expected Gmsh 2.2 or 4.1 ($MeshFormat), MEDIT ASCII (MeshVersionFormatted), TetGen (.node
  and .ele) or
medit version|edit medit.mesh 's/Formatted 2/Formatted 7/'|check mesh.yaml -mesh_file medit.mesh|
  medit.mesh:1: MEDIT format 7, expected 1 to 4
medit section|edit medit.mesh 's/^Ridges/Rigdes/'|check mesh.yaml -mesh_file medit.mesh|
  medit.mesh:19: found 'Rigdes', expected a section that a mesh of tetrahedra has (Vertices, Tetrahedra, ...)
medit order|edit medit.mesh 's/^Tetrahedra/TetrahedraP2/'|check mesh.yaml -mesh_file medit.mesh|
  medit.mesh:15: found 'TetrahedraP2', of second order, expected the first; Gmsh's formats can have the second
medit no vertices|edit medit.mesh '/^Vertices/,/^1 1 -1/d'|check mesh.yaml -mesh_file medit.mesh|
  medit.mesh:5: Triangles before Vertices
*tetgen idx|edit tet.ele 's/1 2 3 6 4/1 2 3 7 4/'|check mesh.yaml -mesh_file tet.ele|
  tet.ele:3: element 2 refers to node 7, which does not exist
tetgen first|edit tet.node 's/^1 0 0 0 1/2 0 0 0 1/'|check mesh.yaml -mesh_file tet.ele|
  tet.node:2: the first node has number 2, expected 0 or 1
tetgen dim|edit tet.node 's/^6 3/6 2/'|check mesh.yaml -mesh_file tet.ele|tet.node:1: the second number is 2, expected 3
tetgen corners|edit tet.ele 's/^2 4 1/2 10 1/'|check mesh.yaml -mesh_file tet.ele|
  tet.ele:1: tetrahedra of second order, with 10 nodes, expected 4; Gmsh's formats can have 10
tetgen width|edit tet.ele 's/^2 4 1/2 5 1/'|check mesh.yaml -mesh_file tet.ele|
  tet.ele:1: the second number is 5, expected 4
tetgen order|edit tet.node 's/^3 0 1/4 0 1/'|check mesh.yaml -mesh_file tet.ele|tet.node:4: node 4, expected 3
tetgen count|edit tet.ele 's/^2 4 1/3 4 1/'|check mesh.yaml -mesh_file tet.ele|
  tet.ele:4: the file ends, expected the number of a tetrahedron
tetgen count less|edit tet.ele 's/^2 4 1/1 4 1/'|check mesh.yaml -mesh_file tet.ele|
  tet.ele:3: more rows than the 1 tetrahedra announced
tetgen count node|edit tet.node 's/^6 3 0/7 3 0/'|check mesh.yaml -mesh_file tet.ele|
  tet.node:8: the file ends, expected the number of a node
tetgen count node less|edit tet.node 's/^6 3 0/5 3 0/'|check mesh.yaml -mesh_file tet.ele|
  tet.node:7: more rows than the 5 nodes announced
tetgen inf|edit tet.node 's/^5 0 0 1/5 0 0 inf/'|check mesh.yaml -mesh_file tet.ele|
  tet.node:6: found 'inf', expected a finite coordinate
tetgen flat|edit tet.node 's/^5 0 0 1/5 0.5 0.5 0/'|check mesh.yaml -mesh_file tet.ele|
  tet.ele:2: element 1 is a tetrahedron of zero volume
points header|edit points.csv 's/vertex/v/'|check net.yaml|
  points.csv:1: the first line is not the header of points, expected vertex,x,y,z
*points gap|edit points.csv 's/^3,/7,/'|check net.yaml|points.csv: vertex 3 is missing, expected 0 to 3
points dup|edit points.csv 's/^3,/2,/'|check net.yaml|points.csv:5: vertex 2 is given twice
points neg|edit points.csv 's/^3,/-3,/'|check net.yaml|points.csv:5: vertex -3, expected 0 or above
points nan|edit points.csv 's/^3,3/3,nan/'|check net.yaml|points.csv:5: found 'nan', expected a finite coordinate
points row|edit points.csv 's/^3,3/3/'|check net.yaml|points.csv:5: the line ends, expected ','
points empty|edit points.csv '2,$d'|check net.yaml|points.csv: the mesh has no elements
points with materials|edit net.yaml /^mass/d; add net.yaml 'material: {model: strain, stiffness: 1, density: 1}'|
  check net.yaml|
  net.yaml: vertex 0 has no mass, expected mass.file or an adjacent element with a density
region of a points|add net.yaml 'region: {a: {stiffness: 1}}'|check net.yaml|
  net.yaml:7: region: the mesh has no region 'a', expected one of its regions: none
velocity twice|:|check net.yaml -initial_velocities state.csv -initial_velocity 1,0,0|
  command line: initial_velocity and initial_velocities (command line) are both given, expected one of them
directory name too long [4]|:|run box.yaml -output_directory new/$(printf 'x%.0s' {1..300})|new/xxxxxx
binary noise node|cp gmsh41_binary.msh tet.node|check mesh.yaml -mesh_file tet.ele|
  tet.node:1: found '$MeshFormat', expected the number of nodes
binary noise deck|cp gmsh41_binary.msh box.yaml|check box.yaml|
  box.yaml:3: not valid YAML in column 1: control characters are not allowed
evaluate a flat tet|edit gmsh22.msh 's/^40 0 0 1.0/40 .5 .5 0/'|evaluate mesh.yaml|
  gmsh22.msh:26: element 4 is a tetrahedron of zero volume
compare over another mesh|edit compare.yaml 's/^material/mesh: {file: gmsh22.msh}\nmaterial/'|compare compare.yaml|
  old/checkpoint_000001.h5: holds another mesh (12 vertices, 12 tets) than the deck's (compare.yaml:2: 5 vertices, 2
  tets),
evaluate gradient into a directory [4]|mkdir -p old/gradient.csv; : >old/evaluate.json|
  evaluate box.yaml -evaluate_gradient -output_directory old|
  old/gradient.csv: is a directory, expected a file or nothing
integer for a bool|:|check box.yaml -output_state_csv=2|command line: output_state_csv is "2", expected true or false
TABLE
  case_of "$row"
}

# ---- files cut at every twentieth ------------------------------------------------------------------------------------

# cut_everywhere FILE ARGS...: the rest is refused with the name of the file. test_gmsh and test_readers cut all
# formats.
cut_everywhere() {
  local file=$1 size k
  shift
  size=$(stat -c %s "$good/$file")
  for k in {0..19}; do broken "$file cut at $k/20" "cut_to $file $((size * k / 20))" "$*" "$file:"; done
}

# ---- all of them -----------------------------------------------------------------------------------------------------

# run_shard NUMBER: in a folder of its own.
run_shard() {
  shard=$1 work=$work/shard$1
  export TMPDIR=$base/tmp$1
  mkdir "$work" "$TMPDIR"
  serve
  table
  for mesh in gmsh22.msh gmsh41_binary.msh medit.mesh; do
    cut_everywhere $mesh check mesh.yaml -mesh_file $mesh
  done
  dismiss
  echo $ran >"$base/ran$shard"
}

workers=()
for ((k = 0; k < shards; k++)); do
  (run_shard $k) &
  workers+=($!)
done
for worker in "${workers[@]}"; do wait "$worker" || exit 1; done
ran=$(($(cat "$base"/ran* | paste -sd+)))
[ $ran -ge 350 ] || fail "only $ran cases were made"
echo "$ran cases"
exit 0
