#!/usr/bin/env bash
# The program: commands, files, exit statuses, one-line errors, restarts, on 1, 2 and 3 ranks.
# usage: test_program.sh BUILD_DIR SOURCE_DIR     ranks: 3     cost: 13
. "$(dirname "$0")/lib.sh"

# A beam that hangs and is twisted: every kind of key of a run.
cat >beam.yaml <<'DECK'
mesh:       {box: {size: [2, 0.5, 0.5], cells: [6, 2, 2]}}
material:   {model: corotated, young: 1e6, poisson: 0.3, density: 1000}
gravity:    [0, 0, -9.81]
attach:
  xmin:     {stiffness: 1e6}
  xmax:     {stiffness: 1e6, spin: [90, 0, 0], until: 0.03}
time:       {step: 1e-2, steps: 6}
solver:     {type: qn, max_it: 200, rtol: 1e-11}
operator:   {type: direct}
output:     {directory: out, every: 2, state_csv: true}
checkpoint: {every: 2}
DECK

# ---- help and version ----
expect 0 1 -v
cp log short
expect 0 1 version
cmp -s log short || fail 'wring -v'
grep -Eq '^wring [0-9]+\.[0-9]+.* PETSc 3\.[0-9]+\.[0-9]+, .*OpenMP [0-9]+, (32|64)-bit PetscInt$' log || fail version
expect 0 1 help
grep -q '^wring run' log && grep -q 'solver_type' log || fail help
expect 0 2 help deck
for key in mesh_box_cells attach_NAME_spin solver_qn_history variant_NAME_KEY operator_rtol compare_report gravity; do
  [ "$(grep -c "$key" log)" -ge 1 ] || fail "help deck does not list $key"
done
expect 0 1 help time_step
grep -q 'time_step' log || fail 'help time_step'
cp log help
expect 0 1 help time.step
cmp -s help log || fail 'help time.step is not help time_step'
# Whoever asks for help gets it, on one screen, and no command is missing; a command's keys are behind its name.
for words in -h --help 'run -h' 'run deck.yaml --help' 'help run' 'mesh -h' 'help mesh refine'; do
  expect 0 1 $words
  [ "$(wc -l <log)" -le 25 ] || [[ $words = mesh* ]] || fail "$words is longer than a screen"
done
grep -q '^wring mesh refine FROM TO -levels: ' log && ! grep -q 'mesh info' log || fail 'help of one command of mesh'
expect 0 1 mesh refine --help
grep -q '^wring mesh refine FROM TO -levels: ' log || fail 'mesh refine --help'
expect 0 1 compare --help
grep -q '^compare_iterations: ' log && ! grep -q '^bench_' log || fail 'keys of compare'
expect 0 1 -h
commands=$(sed -n 's/^wring \(mesh \)\?\([a-z]*\) .*/\2/p' log)
refused "unknown command nonsense, expected" nonsense
for command in $commands; do grep -q "\b$command\b" log || fail "the refusal of a command does not name $command"; done

# The man page and the completion have every key.
"$wring" help deck | sed -n 's/^\([a-z_A-Z0-9]*\): .*/\1/p' | grep -v _KEY >keys
"$wring" help man >wring.1 && "$wring" help bash >wring.bash || fail 'help man, help bash'
while read -r key; do grep -q "^.B $key$" wring.1 || fail "the man page has no $key"; done <keys
"$wring" help reference | diff - "$source/docs/reference.md" >log ||
  fail "docs/reference.md is not what 'wring help reference' prints: $(head -4 log)"
# Text that is the result and does not fit a disk is an error: fails if a script would take it for whole. A pipe that
# is closed, as in `wring ... | head`, is none, nor is the screen of a command whose result are files.
box_deck full
for words in 'help reference' 'help deck' 'run --help' -h version 'check box.yaml' 'check box.yaml --json'; do
  "$wring" $words >/dev/full 2>log
  [ $? = 4 ] && [ "$(grep -c '^wring: standard output: cannot be written' log)" = 1 ] || fail "$words on a full disk"
  (set -o pipefail && "$wring" $words 2>log | :) && ! grep -qv '^note:' log || fail "$words and a closed pipe"
done
"$wring" run box.yaml >/dev/full 2>log || fail "a full screen: $(cat log)"
completed() (
  . ./wring.bash
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _wring
  echo "${COMPREPLY[*]-}"
)
# Fails if a key is missing, or one that only another command reads is offered.
offered() { sed 's/^/-/; s/_NAME.*/_/' keys | sort -u | grep -vE "^-($1)_" | xargs; }
[ "$(completed wring run beam.yaml -)" = "$(offered 'compare|converge|evaluate|check|bench')" ] ||
  fail 'completion of keys of run'
[ "$(completed wring compare beam.yaml -)" = "$(offered 'checkpoint|converge|evaluate|check|bench')" ] ||
  fail 'completion of keys of compare'
[ "$(completed wring -v -help 2>&1)" = '' ] || fail 'completion after a word that is no command'
[ "$(completed wring run be)" = beam.yaml ] || fail 'completion of files'
[ "$(completed wring mesh '')" = 'info convert refine box merge' ] || fail 'completion of commands'
[ "$(completed wring run beam.yaml -mesh_partitioner pa)" = parmetis ] || fail 'completion of choices'
[ "$(completed wring run beam.yaml -attach_end_hard '')" = 'true false' ] || fail 'completion with a name in the key'

refused "no key has 'nonsense' in its name or text" help nonsense
refused 'did you mean solver_admm?' help solver_amdm
refused 'did you mean solver_qn_history?' help solver.qn.histroy
expect 0 1 help deck
grep -A1 '^[a-z].*: ' log | grep '^    ' | grep -v '^    [A-Z`].*[.]$' >log2 &&
  fail "help that is no sentence: $(cat log2)"
[ -z "$(sed -n '/^[a-z]/{N;p}' log | paste - - | sort | uniq -d)" ] || fail 'help deck says a key twice'
# Keys that solvers or materials describe differently are told apart.
expect 0 1 help variant_NAME_filter
[ "$(grep -c '^variant_NAME_filter: ' log)" = 2 ] || fail 'help merges the filters of newton and pncg'
refused "'solver_auto' has no keys" help solver_auto

# ---- run: the files that docs/operations.md promises ----
expect 0 1 run beam.yaml
mv out one
columns=step,time,solver,iteration,objective,inertial,elastic,gradient_norm,step_length,evaluations,linear_iterations
[ "$(head -1 one/history.csv)" = $columns,seconds,reference ] ||
  fail 'columns of history.csv'
columns=step,time,kinetic,elastic,external,total,px,py,pz,lx,ly,lz,iterations,reason,seconds
[ "$(head -1 one/steps.csv)" = $columns,xmin_fx,xmin_fy,xmin_fz,xmax_fx,xmax_fy,xmax_fz,inverted ] ||
  fail 'columns of steps.csv'
[ "$(cut -d, -f1 one/steps.csv | tr '\n' ' ')" = 'step 1 2 3 4 5 6 ' ] || fail 'rows of steps.csv'
[ "$(cd one && echo frame_*)" = 'frame_000000.vtu frame_000002.vtu frame_000004.vtu frame_000006.vtu' ] || fail frames
[ "$(grep -c 'frame_00000[0246].vtu' one/frames.pvd)" = 4 ] || fail frames.pvd
[ "$(cd one && echo checkpoint_*)" = 'checkpoint_000004.h5 checkpoint_000006.h5' ] || fail 'two checkpoints are kept'
[ "$(head -1 one/state.csv)" = vertex,x,y,z,vx,vy,vz ] || fail 'columns of state.csv'
[ "$(cut -d, -f1 one/state.csv | sed 1d | sort -n | uniq | wc -l)" = 63 ] || fail 'vertices of state.csv'
for word in version commit petsc mpi compiler ranks threads options solver_rtol solver_qn_history vertices peak_memory \
  ended; do
  grep -q "\"$word\"" one/run.json || fail "run.json has no $word"
done
grep -q '"ended": "done"' one/run.json || fail 'run.json: ended'
[ -z "$(find one -name '*.part')" ] || fail 'a .part file was left'
# The whole weight hangs on the ends, which reach it in a quasi-static moment only; momentum balance holds at each step:
# p_n - p_(n-1) = h (m g + reactions).
awk -F, -v mass=500 'NR > 1 { h = 0.01; f = $18 + $21 - mass * 9.81; d = ($9 - p) - h * f; if (d < 0) d = -d
  if (d > 1e-6 * mass * 9.81 * h) bad = 1; p = $9 } END { exit bad }' one/steps.csv || fail 'momentum balance in z'

# ---- ranks: the same state ----
for ranks in 2 3; do
  expect 0 $ranks run beam.yaml
  same one/state.csv out/state.csv 1e-9
done

# ---- restart: on another rank count, in the same directory and in another ----
expect 0 2 run beam.yaml -time_steps 3 -output_directory part
expect 0 3 run beam.yaml -initial_restart part -output_directory other
same one/state.csv other/state.csv 1e-9
[ "$(cut -d, -f1 other/steps.csv | tr '\n' ' ')" = 'step 4 5 6 ' ] || fail 'steps after a restart'
cp -r part again
expect 0 1 run beam.yaml -initial_restart again -output_directory again
same one/state.csv again/state.csv 1e-9
[ "$(cut -d, -f1 again/steps.csv | tr '\n' ' ')" = 'step 1 2 3 4 5 6 ' ] || fail 'steps.csv goes on'
[ "$(grep -c 'frame_' again/frames.pvd)" = 5 ] || fail 'frames.pvd goes on' # 0 2 3 and 4 6
awk -F, 'NR > 1 { if ($1 < last) bad = 1; last = $1 + 0 } END { exit bad }' again/history.csv ||
  fail 'history.csv goes on'
# A restart from an older checkpoint of the same directory removes later rows and writes them again.
rows=$(wc -l <again/history.csv)
expect 0 1 run beam.yaml -initial_restart again/checkpoint_000004.h5 -output_directory again
[ "$(cut -d, -f1 again/steps.csv | tr '\n' ' ')" = 'step 1 2 3 4 5 6 ' ] || fail 'rows after the restart were kept'
[ "$(wc -l <again/history.csv)" = "$rows" ] || fail 'rows of history.csv after the restart were kept'
# Other columns cannot be appended; the refusal removes no file.
cp -r again kept
expect 1 1 run beam.yaml -initial_restart again/checkpoint_000004.h5 -output_directory again -attach_ymin_stiffness 1
grep -q '^wring: .*steps.csv.*columns' log || fail 'other columns'
diff -r again kept >log || fail 'a refused restart changed files'
# A table whose header was cut by a kill is started again.
printf 'step,ti' >kept/steps.csv
expect 0 1 run beam.yaml -initial_restart kept/checkpoint_000004.h5 -output_directory kept
[ "$(cut -d, -f1,2 kept/steps.csv | head -2 | tr '\n' ' ' | cut -c1-12)" = 'step,time 5,' ] || fail 'a header cut short'
# The residuals of admm have a separate table, which is continued like the others.
expect 0 2 run beam.yaml -solver_type admm -solver_rtol 1e-4 -time_steps 2 -output_directory again
expect 0 1 run beam.yaml -solver_type admm -solver_rtol 1e-4 -time_steps 3 -initial_restart again \
  -output_directory again
[ "$(head -1 again/residuals.csv)" = step,iteration,primal,dual ] || fail 'columns of residuals.csv'
cmp -s <(sed 1d again/residuals.csv | cut -d, -f1,2) <(sed 1d again/history.csv |
  awk -F, '$4 > 0 { print $1 "," $4 }') ||
  fail 'rows of residuals.csv'
# A new run replaces the files of an old one.
expect 0 1 run beam.yaml -time_steps 1 -output_directory again -output_state_csv false
expected='checkpoint_000001.h5 checkpoints_mesh.h5 frame_000000.vtu frame_000001.vtu frames.pvd history.csv run.json'
expected+=' steps.csv'
[ "$(cd again && echo *)" = "$expected" ] ||
  fail "files of an earlier run: $(cd again && echo *)"

# ---- runs that stop early ----
expect 3 1 run beam.yaml -time_limit 1e-9 -output_directory limit
grep -q '"ended": "stopped by time.limit"' limit/run.json || fail 'run.json: time.limit'
expect 0 2 run beam.yaml -initial_restart limit -output_directory limit
same one/state.csv limit/state.csv 1e-9
# |grad g| of this state overflows.
expect 2 2 run beam.yaml -material_model strain -material_stiffness 1e6 -initial_velocity 1e151,0,0 \
  -output_directory bad
grep -q '"ended": "solver failed"' bad/run.json || fail 'run.json: failure'
[ -e bad/checkpoint_000000.h5 ] && [ -e bad/state.csv ] || fail 'no state after a failure'

# ---- compare: solvers on one g ----
cat >compare.yaml <<'DECK'
initial: {restart: one, velocity: [0, 0, 0]}
material: {model: strain, stiffness: 1e6, density: 1000}
time:    {step: 1e-2, steps: 1}
operator: {type: direct}
variant: {qn1: {type: qn, history: 1}}
compare: {solvers: [qn, qn1, pd], iterations: 30, report: [5, 30]}
output:  {directory: out}
DECK
rm -rf out
expect 0 2 compare compare.yaml
grep -q 'g\* = .* J' log || fail 'no table'
[[ $(head -1 out/compare.csv) = solver,iteration,seconds,objective,inertial,elastic,gradient_norm,relative_error,* ]] ||
  fail 'columns of compare.csv'
[ "$(cut -d, -f1 out/compare.csv | sort | uniq -c | tr -s ' \n' ' ')" = ' 31 pd 31 qn 31 qn1 1 solver ' ] ||
  fail 'rows of compare.csv'
awk -F, '$2 == 0 && ($8 < 0.999999 || $8 > 1.000001) { bad = 1 } NR > 1 && $8 < -1e-12 { bad = 1 }
  { e[$1, $2] = $8 } END { exit bad || !(e["qn", 30] <= e["pd", 30]) }' out/compare.csv || fail 'relative errors'
for word in g_star g_star_from relative_error iterations_to seconds_to 1e-8 ended provenance; do
  grep -q "\"$word\"" out/compare.json || fail "compare.json has no $word"
done
[ -e out/compare.gp ] || fail compare.gp
if command -v gnuplot >/dev/null; then [ -s out/compare.png ] || fail compare.png; fi

[ ! -e out/compare_residuals.csv ] || fail 'residuals without admm'
expect 0 2 compare compare.yaml -compare_solvers pd,admm -compare_iterations 7 -compare_report 7
[ "$(cut -d, -f1,2 out/compare_residuals.csv | tr '\n' ' ')" = "solver,iteration $(printf 'admm,%s ' {1..7})" ] ||
  fail 'rows of compare_residuals.csv'

# ---- run and compare report a rise of g if, and only if, there was one ----
! grep -q 'g rose' log || fail 'a rise under qn or pd'
bold=(-variant_bold_type chebyshev -variant_bold_rho 0.9999 -variant_bold_delay 1 -variant_bold_line_search none)
expect 0 2 compare compare.yaml "${bold[@]}" -compare_solvers pd,bold
grep -q '^bold .* g rose in [1-9][0-9]* by at most' log || fail 'compare: no rise under chebyshev with too large a rho'
[ "$(grep -c 'g rose' log)" = 1 ] || fail 'compare: a rise under pd'
grep -q '"largest_rise": [0-9]*\.[0-9]*e*-*[0-9]*[1-9]' out/compare.json || fail 'compare.json: no rise'
expect 0 2 run compare.yaml -solver_type chebyshev -solver_chebyshev_rho 0.9999 -solver_chebyshev_delay 1 \
  -solver_chebyshev_line_search none -solver_rtol 0 \
  -solver_max_it 20 -time_steps 20 -output_directory bold
grep -q '^note: g rose in [1-9][0-9]* of [0-9]* measured iterations' log || fail 'run: no rise'
grep -q '"rises": [1-9]' bold/run.json || fail 'run.json: no rise'

# ---- evaluate: the same numbers on any number of ranks; positions from a table ----
expect 0 1 evaluate beam.yaml -evaluate_gradient true -output_directory e1
cut -d, -f1-4 one/state.csv >x.csv
for ranks in 1 3; do
  expect 0 $ranks evaluate beam.yaml -evaluate_positions x.csv -evaluate_gradient true -output_directory e$ranks
done
same e1/gradient.csv e3/gradient.csv 1e-12
for key in objective inertial elastic gradient_norm vertices tets volume mass min_J max_J; do
  close "$(json_value e1/evaluate.json $key)" "$(json_value e3/evaluate.json $key)" 1e-12 \
    "evaluate: $key on 1 and 3 ranks"
done

# ---- tables, springs across ranks, a mesh without tets ----
printf 'vertex,x,y,z\n0,0,0,0\n1,1,0,0\n2,2,0,0\n3,3,0,0\n' >points.csv
printf 'a,b,length,stiffness\n0,1,1,100\n1,2,1,100\n2,3,1,100\n3,0,2.5,10\n' >net.csv
printf 'vertex,mass\n0,1\n1,1\n2,1\n3,1\n' >mass.csv
printf 'vertex,x,y,z,stiffness\n0,0,0,0,1e4\n' >hold.csv
cat >net.yaml <<'DECK'
mesh:    {file: points.csv}
mass:    {file: mass.csv}
spring:  {net: {file: net.csv}}
attach:  {hook: {file: hold.csv}}
gravity: [0, 0, -9.81]
time:    {step: 0.05, steps: 5}
solver:  {type: newton, rtol: 1e-12}
output:  {directory: out, state_csv: true}
DECK
rm -rf out
expect 0 1 run net.yaml -output_directory net
for ranks in 2 3; do
  expect 0 $ranks run net.yaml
  same net/state.csv out/state.csv 1e-9
done

# ---- check writes nothing ----
rm -rf out
expect 0 2 check beam.yaml
grep -q 'sets .*xmin' log && grep -q '^memory' log && grep -q '^solver .*; operator direct' log || fail 'check'
[ ! -e out ] || fail 'check wrote files'
expect 0 2 check beam.yaml -region_box_stiffness 1
grep -q "^note: .*region_box_stiffness is ignored: 'corotated' has no such key" log || fail 'a key that is not read'

# ---- bad input ----
refused 'no command'
refused "unknown command .*'?walk" walk beam.yaml
refused 'no deck' run
refused_everywhere 'missing.yaml' run missing.yaml
refused_everywhere "solver_max_it" run beam.yaml -solver_max_itt 3
refused 'solver_max_it.*-1' run beam.yaml -solver_max_it -1
refused "solver_type.*lbfgs" run beam.yaml -solver_type lbfgs
refused "time_step" run beam.yaml -time_step 0
refused 'time_steps and time_end' run beam.yaml -time_end 1 -time_steps 4
refused "operator_type.*fast" run beam.yaml -operator_type fast
refused_everywhere "'xmim'.*xmin" run beam.yaml -attach_xmim_stiffness 1
refused "attach_ymin_stiffness" run beam.yaml -attach_ymin_until 1
refused "no region 'boxx'.*box" run beam.yaml -region_boxx_density 1
refused "material_model.*jelly.*neohookean" run beam.yaml -material_model jelly
refused_everywhere 'not finite' run beam.yaml -initial_velocity 1e170,0,0
refused_everywhere 'mesh_box_cells' run beam.yaml -mesh_box_cells 2000000000,2000000000,2000000000
refused 'file and box' run beam.yaml -mesh_file points.csv -mesh_box_size 1,1,1 -mesh_box_cells 1,1,1
refused_everywhere 'nowhere.*expected a checkpoint' run compare.yaml -initial_restart nowhere
refused_everywhere "nowhere.csv" evaluate beam.yaml -evaluate_positions nowhere.csv
grep -v '^mass' net.yaml >massless.yaml
refused_everywhere 'vertex 0 has no mass' run massless.yaml
refused "'pd' cannot use material 'neohookean'.*projection" run beam.yaml -material_model neohookean -solver_type pd
printf 'vertex,mass\n0,1\n1,0\n2,1\n3,1\n' >bad.csv
refused_everywhere 'bad.csv:3: mass 0' run net.yaml -mass_file bad.csv
printf 'a,b,length,stiffness,damping\n0,1,1,100,0\n1,2,1,100,0.5\n' >bad.csv
refused "'newton'.*damping of spring 'net'" run net.yaml -spring_net_file bad.csv
refused "'explicit_euler'.*damping of spring 'net'" run net.yaml -spring_net_file bad.csv \
  -time_integrator explicit_euler
sed -i 's/0.5$/-0.5/' bad.csv
refused_everywhere 'bad.csv:3: damping -0.5' run net.yaml -spring_net_file bad.csv
printf 'vertex,x,y,z,stiffness\n0,0,0,0,-1\n' >bad.csv
refused_everywhere 'bad.csv:2: stiffness -1' run net.yaml -attach_hook_file bad.csv
refused 'attach_hook_stiffness' run net.yaml -attach_hook_stiffness 5
refused "'qn' .*solver type" compare compare.yaml -variant_qn_type pd
refused "variant_qn1_type.*'cg'.*qn" compare compare.yaml -variant_qn1_type cg
refused "compare_report has iteration -1" compare compare.yaml -compare_report -1
refused "'qn' twice" compare compare.yaml -compare_solvers qn,qn
refused "solver 'jacobi'" compare compare.yaml -compare_solvers qn,jacobi

# ---- JSON: every key in force with its type, the parts of a chain of restarts, null for what is not finite ----
# Fails if defaults of named parts or of compared solvers are left out, if numbers are texts, or if a restart loses
# the provenance of earlier steps.
if command -v "$python" >/dev/null; then
  expect 0 1 run beam.yaml -time_steps 2 -output_directory chain
  expect 0 1 run beam.yaml -time_steps 4 -initial_restart chain -output_directory chain
  expect 0 2 run beam.yaml -time_steps 5 -initial_restart chain/checkpoint_000002.h5 -output_directory chain
  expect 0 1 run beam.yaml -initial_restart chain -output_directory moved -collider_floor_shape half_space \
    -collider_floor_point 0,0,-9 -collider_floor_normal 0,0,1 -collider_floor_stiffness 1e4
  expect 0 1 evaluate beam.yaml -output_directory values
  expect 0 1 compare compare.yaml -output_directory compared
  expect 2 1 compare compare.yaml -compare_solvers penalty,qn -time_step 1 -output_directory burst
  "$python" - <<'END' || fail 'the keys of the JSON files'
import json
def load(file):
    return json.load(open(file), parse_constant=lambda c: 1 / 0)
chain, moved = load("chain/run.json"), load("moved/run.json")
assert [(s["first_step"], s["options"]["time_steps"]) for s in chain["segments"]] == [(0, 2)], chain["segments"]
assert [(s["first_step"], s["step"]) for s in moved["segments"]] == [(0, 2), (2, 5)], moved["segments"]
assert chain["first_step"] == 2 and moved["first_step"] == 5 and moved["segments"][0]["ended"] == "done"
keys = moved["options"]
assert keys["collider_floor_friction"] == 0 and keys["attach_xmin_spin"] == [0, 0, 0], keys
assert keys["solver_rtol"] == 1e-11 and keys["time_steps"] == 6 and keys["material_model"] == "corotated", keys
assert keys["attach_xmax_hard"] is False and keys["solver_qn_history"] == 5 and "evaluate_gradient" not in keys, keys
values = load("values/evaluate.json")
assert values["schema"] == 1 and values["provenance"]["options"]["evaluate_gradient"] is False
solvers = load("compared/compare.json")["solvers"]
assert solvers["qn1"]["options"]["variant_qn1_history"] == 1, solvers
assert solvers["qn"]["options"]["solver_qn_history"] == 5, solvers
assert solvers["qn1"]["options"]["variant_qn1_line_search"] == "armijo"
assert "solver_qn_history" not in solvers["pd"]["options"]
load("burst/compare.json")
END
fi
exit 0
