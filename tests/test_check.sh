#!/usr/bin/env bash
# `wring check`: what would run, and its estimate of memory, which is within 15 % of what the run then takes, as
# docs/operations.md states. Fails where a part of the table is forgotten, temporary memory of building a hierarchy is
# not counted, the size of a factor is that of a wrong matrix, or a prediction is not what the large body takes.
# usage: test_check.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 23
. "$(dirname "$0")/lib.sh"
served=false

cat >deck.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [15, 15, 15]}}
material: {model: neohookean, young: 1e6, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {stiffness: 1e6}}
time:     {step: 1e-2, steps: 1}
solver:   {max_it: 2, accept: true}
output:   {directory: out}
DECK

# ratio RANKS ARGS...: peak of check over that of run.
ratio() {
  local ranks=$1 said took
  shift
  works "$ranks" check deck.yaml "$@"
  said=$(awk '/peak of a run/ {print $NF}' log)
  [ ! -e out ] || fail "check $* leaves files"
  works "$ranks" run deck.yaml "$@"
  took=$(awk -F'[:,]' '/"peak_memory"/ {print $2 / 1e6}' out/run.json)
  rm -r out
  [ "${WRING_SANITIZE-}" != ON ] || return 0 # which takes memory of its own
  echo "$ranks ranks, $*: check says $said MB, the run takes $took MB"
  awk "BEGIN {exit !($said < 1.15 * $took && $said > 0.85 * $took)}" || fail "memory of $* on $ranks ranks"
}
for ranks in 1 2; do
  ratio $ranks -operator_type direct
  ratio $ranks -operator_type multigrid
  ratio $ranks -solver_type newton -solver_max_it 1
  ratio $ranks -solver_type admm
  ratio $ranks -solver_type xpbd
done
# reading frees no memory that could be reused
ratio 2 -operator_type multigrid -mesh_box_cells 18,18,18 -mesh_refine 1
ratio 1 -time_integrator linear_implicit_euler
# predicted from a smaller body, for any number of ranks, and beyond this machine in seconds; JSON alone is printed;
# iterations enough to write to all vectors of L-BFGS
ratio 1 -mesh_box_cells 24,24,24 -mesh_refine 1 -solver_max_it 8
works 1 check deck.yaml -mesh_box_cells 20,20,20 -mesh_order 2
whole=$(awk '/peak of a run/ {print $NF}' log) # of 68,921 vertices, which are built
works 1 check deck.yaml -mesh_box_cells 40,40,40 -mesh_order 2 -check_ranks 1
awk -v a="$whole" '/peak of a run/ { r = ($NF - 50) / (a - 50) } END { exit !(r > 6.9 && r < 8.5) }' log ||
  fail 'growth'
for ranks in 2 4; do
  works $ranks check deck.yaml -mesh_box_cells 22,22,22
  measured=$(awk '/peak of a run/ {print $NF}' log)
  works 1 check deck.yaml -mesh_box_cells 22,22,22 -check_ranks $ranks
  awk -v m="$measured" '/peak of a run/ { p = $NF } END { exit !(p < 1.15 * m && p > 0.85 * m) }' log ||
    fail "-check_ranks $ranks"
done
# What selects by place or number is looked for in the mesh of the deck: fails if it is in that of a smaller body. A
# bar has fewer tetrahedra than a cube of as many vertices.
large=(-mesh_box_cells 26000,1,1 -mesh_box_jitter 0 -mesh_box_size 26000,1,1)
works 1 check deck.yaml "${large[@]}" -set_dot_box 1,1,1,1,1,1 -attach_dot_hard true
grep -q '104004 vertices' log || fail 'a set with a place'
refused 'set_dot_box: no vertex' check deck.yaml "${large[@]}" -set_dot_box 1.5,1,1,1.5,1,1 -attach_dot_hard true
works 1 check deck.yaml "${large[@]}" -set_foot_box 0,0,0,9,9,9 -attach_foot_hard true
grep -q 'predicted from a body' log || fail 'a set that a smaller mesh has, too'
"$python" - <<'PYTHON'
with open("still.csv", "w") as f:
    print("vertex,x,y,z", *(f"{v},0,0,0" for v in range(4 * 26001)), sep="\n", file=f)
with open("scale.csv", "w") as f:
    print("tet,scale", *(f"{t},1" for t in range(6 * 26000)), sep="\n", file=f)
PYTHON
works 1 check deck.yaml "${large[@]}" -Initial_Velocities still.csv -material_stiffness_file scale.csv
"$wring" check deck.yaml -mesh_box_cells 50,50,50 -mesh_refine 2 -converge_levels 2 --json >large.json 2>log ||
  fail json
"$python" - <<'PYTHON' || fail 'large.json'
import json
j = json.load(open("large.json"))
peak = j["memory"]["bytes"]["peak of a run"]["all"]
assert j["mesh"]["vertices"] == 201**3 and j["mesh"]["tets"] == 6 * 200**3, j["mesh"]
assert 300 < peak / j["mesh"]["tets"] < 600 and 7 < j["memory"]["converge"] / peak < 8.5, (peak, j["memory"])
assert j["options"]["mesh_refine"] == 2 and j["operator"] == "multigrid" and j["mesh"]["sets"][0] == "xmin"
PYTHON
# Memory is no longer measured, but for that of auto.
served=true
# A refinement makes four triangles of one, not eight. Fails if the vertices of a refined cloth are not counted so.
"$wring" mesh box cloth.msh -size 1,1,0 -cells 50,50,0 >log 2>&1 || fail 'a cloth'
sed 's/^mesh: .*/mesh: {file: cloth.msh, refine: 2}/' "$source/inputs/scenes/cloth.yaml" >cloth.yaml
works 1 check cloth.yaml
grep -q '40401 vertices' log || fail 'a refined cloth'
# anywhere among the words, --json prints JSON alone
for words in "--json deck.yaml" "deck.yaml --json -check_ranks 64"; do
  "$wring" check $words >found.json 2>log && valid_json found.json || fail "check $words"
done
works 1 check deck.yaml -check_json found.json -check_ranks 64
[ "$("$python" -c 'import json; print(json.load(open("found.json"))["memory"]["ranks"])')" = 64 ] || fail 'found.json'
# Fails if an input is overwritten, by any of its names, or what is no plain file replaced; or after the work.
"$wring" mesh box cube.msh -size 1,1,1 -cells 2,2,2 >log || fail 'a mesh'
sed 's/mesh: .*/mesh: {file: cube.msh}/' deck.yaml >file.yaml
ln -s deck.yaml link.yaml
mkfifo pipe.json
for words in 'deck.yaml deck.yaml' 'deck.yaml link.yaml' 'link.yaml ./deck.yaml' 'file.yaml cube.msh'; do
  refused "${words#* }: writing it would overwrite the input " check ${words% *} -check_json "${words#* }"
done
refused_everywhere 'pipe.json: is no plain file, expected another name' check deck.yaml -check_json pipe.json
refused 'link.yaml: is no plain file' check file.yaml -check_json link.yaml
# Fails if check does not say what run would of a place for its results.
mkdir -p folder/run.json
for place in 'deck.yaml:deck.yaml: is not a directory' 'folder:folder/run.json: is a directory' \
  'deck.yaml/a:deck.yaml/a: the directory cannot be created: Not a directory'; do
  for command in run check; do ends_on 4 1 "${place#*:}" $command deck.yaml -output_directory "${place%%:*}"; done
done
ends_on 4 3 'deck.yaml: is not a directory' check deck.yaml -output_directory deck.yaml
works 1 check file.yaml -output_directory new/a/b
[ ! -e new ] || fail 'check makes a directory'
refused 'no deck given, expected' check --json
refused 'unknown key json' evaluate deck.yaml --json
refused 'check_ranks is "x", expected an integer' check deck.yaml -check_ranks x

# A deck that run takes, but compare refuses, can be checked. Fails if check refuses it.
works 1 check deck.yaml -mesh_box_cells 3,3,3 -time_integrator linear_implicit_euler -compare_solvers qn,newton
grep -q '^compares  nothing: ' log || fail 'check does not say that compare refuses the deck'

# What auto takes more where it builds a Hessian: fails if the row lacks its matrix or its factor.
cat >soft.yaml <<'DECK'
mesh:     {box: {size: [4, 0.4, 0.2], cells: [160, 8, 4]}}
material: {model: neohookean, young: 1e6, poisson: 0.3, density: 1000}
gravity:  [0, 0, -2]
attach:   {xmin: {hard: true}}
time:     {integrator: static, steps: 1}
output:   {directory: out}
DECK
served=false
for type in direct multigrid; do
  works 1 check soft.yaml -operator_type $type
  said=$(awk '/peak of a run|auto builds a Hessian/ {sum += $NF} END {print sum}' log)
  grep -q 'auto builds a Hessian' log || fail 'no row of the Hessian of auto'
  works 1 run soft.yaml -operator_type $type
  grep -q '"uses": "Hessian"' out/run.json || fail "$type: auto builds no Hessian"
  took=$(awk -F'[:,]' '/"peak_memory"/ {print $2 / 1e6}' out/run.json)
  rm -r out
  echo "$type, Hessian of auto: check says $said MB, the run takes $took MB"
  [ "${WRING_SANITIZE-}" = ON ] || awk "BEGIN {exit !($said < 1.25 * $took && $said > 0.8 * $took)}" || fail "$type"
done

served=true
works 2 check deck.yaml -solver_qn_history 7
for said in '4096 vertices, 20250 tets' 'qn' 'history 7' 'implicit_euler, h = 0.01 s' 'operator direct' 'steps  *1' \
  'xmin xmax'; do
  grep -q "$said" log || fail "check does not say $said"
done
# The accuracy of solves with A that a run would use: fails if a default that nothing uses is printed.
small=(-mesh_box_cells 3,3,3 -solver_type)
for line in 'qn direct:0 (exact)' 'qn multigrid:of one V-cycle' 'qn auto:of single precision' 'admm auto:0 (exact)' \
  'admm multigrid:0.2' 'qn direct -operator_rtol 0.01:0.01'; do
  works 1 check deck.yaml "${small[@]}" ${line%% *} -operator_type $(cut -d' ' -f2- <<<"${line%:*}")
  grep -q " rtol ${line#*:}, max_it" log || fail "rtol of $line"
done
exit 0
