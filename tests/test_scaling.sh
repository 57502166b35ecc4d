#!/usr/bin/env bash
# jobs/scaling.py on this machine: one table in, runs on 1 and 2 ranks, tables whose numbers are those of run.json,
# pictures, growing meshes, a killed study that goes on, a run on a shared core that is marked, refusals in one line.
# Fails if a run has other ranks, threads, cells or solvers than its point, if an efficiency is not that of the times
# beside it, if elements change as the mesh grows, if a run is made twice or lost after a kill, if a disturbed run looks
# like others, or if a mistake ends in a trace.
# usage: test_scaling.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 11
. "$(dirname "$0")/lib.sh"
command -v "$python" >/dev/null || skip 'no python3'
"$python" -c 'import yaml' 2>/dev/null || skip 'no PyYAML'
export WRING=$wring
scaling() { "$python" -B "$source/jobs" scaling "$@" >log 2>&1 </dev/null; }
refuses() { # PATTERN ARGS...
  ! scaling "${@:2}" || fail "accepted: ${*:2}"
  [ "$(wc -l <log)" = 1 ] && grep -Eq "^jobs scaling: .*($1)" log || fail "${*:2}: not one line with '$1'"
}

mkdir decks
cat >decks/box.yaml <<'DECK'
mesh:     {box: {size: [2, 1, 1], cells: [4, 3, 3]}} # 216 tetrahedra
material: {model: neohookean, young: 1e5, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {hard: true}}
time:     {step: 1e-2, steps: 40}
solver:   {type: qn}
DECK
cat >study.yaml <<'TABLE'
deck: decks/box.yaml
keys: {time_steps: 2}
repeat: 2
prologue: |
  export PROLOGUE=ran; env >environment
  while [ -e hold/strong/2 ]; do [ -s held ] || echo $$ >held; sleep 0.1; done
series:
  strong: {ranks: [1, 2]}
  weak:   {nodes: [1, 2], ranks: 1, grow: true}
  all:    {threads: [1, 2], refine: [1, 0], solver: [qn, newton], keys: {solver_max_it: 50}}
  boxes:  {cells: [[4, 3, 3], [8, 3, 3]]}
TABLE

scaling submit study.yaml --local --dry-run || fail 'dry run'
[ ! -e out ] || fail 'a dry run leaves files'
for said in '^weak 2 .* 140 .*mesh_box_cells 4,6,3 mesh_box_size 2,2,1' '^all 2 .* newton ' '^8 jobs by bash' \
  '^export PROLOGUE=ran' '^#SBATCH --nodes=1$'; do
  grep -Eq "$said" log || fail "the dry run does not say $said"
done

# Killed in the second point, with its job, which the link `hold` stops there; what is done stays, and the rest follows.
ln -s out/scaling/study hold
"$python" -B "$source/jobs" scaling submit study.yaml --local >log 2>&1 </dev/null &
wait_for held 1
kill -KILL $! "$(cat held)"
wait $! 2>/dev/null
rm hold
first=$(cksum out/scaling/study/strong/1/1/run.json)
scaling collect study.yaml || fail 'collect on the way'
grep -q '^weak 1 (1 rank x 1): not begun$' log && grep -q '^| strong | 1 | 1 | 1 | 80 ' log || fail 'the way'
scaling submit study.yaml --local || fail submit
[ "$(grep -c ': done$' log)" = 7 ] || fail 'not the seven other points'
[ "$(cksum out/scaling/study/strong/1/1/run.json)" = "$first" ] || fail 'a run that was done is made again'
scaling submit study.yaml --local && [ ! -s log ] || fail 'something was left to do'
grep -q '^PROLOGUE=ran' environment || fail prologue
scaling collect study.yaml || fail collect
scaling plot study.yaml || fail plot
for name in strong weak all boxes; do
  ! command -v gnuplot >/dev/null || [ -s out/scaling/study/$name.png ] || fail "no picture of $name"
done
"$python" - out/scaling/study <<'PYTHON' || fail 'the tables'
import csv, json, math, sys
out = sys.argv[1]
lines = list(csv.DictReader(open(out + "/table.csv")))
assert [(l["series"], l["nodes"], l["ranks"], l["threads"], l["tets"]) for l in lines] == [
    ("strong", "1", "1", "1", "216"), ("strong", "1", "2", "1", "216"),
    ("weak", "1", "1", "1", "216"), ("weak", "2", "2", "1", "432"),
    ("all", "1", "1", "1", "1728"), ("all", "1", "1", "2", "216"),
    ("boxes", "1", "1", "1", "216"), ("boxes", "1", "1", "1", "432")], lines
assert [l["solver"] for l in lines] == ["qn"] * 5 + ["newton"] + ["qn"] * 2
assert len(list(csv.DictReader(open(out + "/runs.csv")))) == 16
close = lambda a, b: math.isclose(float(a), b, rel_tol=1e-12)
rate = lambda l: 3 * int(l["vertices"]) / float(l["iteration_seconds"]) / int(l["cores"])
for l in lines:
    run = json.load(open(f"{out}/{l['series']}/{l['point']}/{l['repeat']}/run.json"))
    assert run["threads"] == int(l["threads"]) and run["step"] == 2 and run["ended"] == "done"
    assert close(l["marching_seconds"], run["marching_seconds"]) and close(l["fom"], run["fom"])
    assert close(l["iteration_seconds"], run["marching_seconds"] / run["iterations"])
    assert close(l["local_mean"], run["phases"]["local"]["mean"]) and close(l["waited_share"], run["waited"]["share"])
    first = next(other for other in lines if other["series"] == l["series"])
    assert close(l["efficiency"], rate(l) / rate(first)), l["efficiency"]
    if l["series"] == "weak":  # elements stay as they are
        box = run["options"]
        assert [s / c for s, c in zip(box["mesh_box_size"], box["mesh_box_cells"])] == [0.5, 1 / 3, 1 / 3], box
PYTHON

# A run that another process disturbs is marked, in the table and by a hollow point.
if [ -r /proc/self/schedstat ] && command -v taskset >/dev/null; then
  core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
  taskset -c "$core" sh -c 'while :; do :; done' &
  busy=$!
  printf '%s\n' 'deck: decks/box.yaml' 'repeat: 1' "launch: taskset -c $core" \
    'series: {one: {refine: 2}}' >shared.yaml
  scaling submit shared.yaml --local || fail 'a shared core'
  kill $busy
  scaling collect shared.yaml || fail 'a shared core: collect'
  grep -Eq '^\| one .*[0-9]\* \|.*\| [1-9][0-9.]+ \|$' log || fail 'a disturbed run is not marked'
  scaling plot shared.yaml || fail 'a shared core: plot'
  grep -q 'pt 6' out/scaling/shared/one.gp && ! grep -q 'pt 7' out/scaling/shared/one.gp || fail 'not hollow'
fi

works 1 mesh box decks/box.msh -size 2,1,1 -cells 2,1,1
sed 's/^mesh:.*/mesh: {file: box.msh}/' decks/box.yaml >decks/file.yaml
table() { printf 'deck: decks/%s.yaml\nkeys: {time_steps: 1, solver_max_it: 2}\nrepeat: 1\nseries: %s\n' "$@" >t.yaml; }
table file '{a: {nodes: [1, 8], grow: true}}'
scaling submit t.yaml --local --dry-run && grep -q 'mesh_refine 1' log || fail 'refinement'
table file '{a: {nodes: [1, 2], grow: true}}'
refuses '2 times the cores, expected a box' submit t.yaml --local
table box '{a: {nodes: [2, 3], grow: true}}'
refuses 'not a multiple' submit t.yaml --local
table box '{a: {nodes: [1, 2], ranks: [1, 2, 3]}}'
refuses 'lists of 2 and 3 values' submit t.yaml
table box '{a: {node: 1}}'
refuses 'series a: unknown key node, expected one of' submit t.yaml
table box '{a: {nodes: 0}}'
refuses 'nodes is 0, expected integers' submit t.yaml
table none '{a: {nodes: 1}}'
refuses 'no such deck' submit t.yaml
table box '{a: {keys: {solver_typ: qn}}}'
refuses 'unknown key solver_typ' submit t.yaml --local --dry-run
table box '{a: {nodes: 1}}'
! scaling collect t.yaml && grep -q '^jobs scaling: .*: no run is done$' log || fail 'a table of nothing'
refuses 'none.yaml: No such file' collect none.yaml
WRING=$PWD/none refuses 'no executable' submit t.yaml --local
sed -i 's/steps: 2/steps: 3/' study.yaml
refuses 'runs of another point' submit study.yaml --local
exit 0
