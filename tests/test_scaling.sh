#!/usr/bin/env bash
# jobs/scaling.py on this machine: runs on 1 and 2 ranks, tables whose numbers are those of run.json, a picture, the
# growing mesh of weak scaling, refusals in one line. Fails if a run has another number of ranks, if an efficiency is
# not a ratio of the times beside it, if elements or work per rank change under weak scaling, or if a mistake ends in a
# trace.
# usage: test_scaling.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 6
. "$(dirname "$0")/lib.sh"
command -v "$python" >/dev/null || skip 'no python3'
export WRING=$wring
scaling() { "$python" -B "$source/jobs/scaling.py" "$@" >log 2>&1 </dev/null; }
refuses() { # PATTERN ARGS...
  ! scaling "${@:2}" || fail "accepted: ${*:2}"
  [ "$(wc -l <log)" = 1 ] && grep -Eq "^jobs/scaling.py: .*($1)" log || fail "${*:2}: not one line with '$1'"
}

cat >box.yaml <<'DECK'
mesh:     {box: {size: [2, 1, 1], cells: [4, 3, 3]}} # 216 tetrahedra
material: {model: neohookean, young: 1e5, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {hard: true}}
time:     {step: 1e-2, steps: 40}
solver:   {type: qn}
DECK
for way in strong weak; do
  option=()
  [ $way = strong ] || option=(--weak)
  scaling submit box.yaml --local --nodes 1,2 --repeat 2 "${option[@]}" -- -time_steps 2 || fail "submit $way"
  [ "$(grep -c ': done$' log)" = 4 ] || fail "$way: not four runs"
  scaling collect box.yaml "${option[@]}" || fail "collect $way"
  grep -q '^| 2 | 2 | 1 | ' log || fail "$way: no line of two ranks in the table"
  scaling plot box.yaml "${option[@]}" || fail "plot $way"
  ! command -v gnuplot >/dev/null || [ -s out/scaling/box_$way/scaling.png ] || fail "$way: no picture"
  "$python" - out/scaling/box_$way $way <<'PYTHON' || fail "$way: table.csv"
import csv, json, math, sys
out, weak = sys.argv[1], sys.argv[2] == "weak"
lines = list(csv.DictReader(open(out + "/table.csv")))
assert [(line["nodes"], line["ranks"]) for line in lines] == [("1", "1"), ("2", "2")], lines
assert len(list(csv.DictReader(open(out + "/runs.csv")))) == 4
close = lambda a, b: math.isclose(float(a), b, rel_tol=1e-12)
time = lambda line: float(line["iteration_seconds"])
for line in lines:
    nodes = int(line["nodes"])
    run = json.load(open(f"{out}/nodes_{nodes}/{line['repeat']}/run.json"))
    assert run["ranks"] == nodes and run["step"] == 2 and run["ended"] == "done"
    assert int(line["tets"]) == 216 * (nodes if weak else 1), line["tets"]
    assert close(line["marching_seconds"], run["marching_seconds"])
    assert close(line["iteration_seconds"], run["marching_seconds"] / run["iterations"])
    assert close(line["local_mean"], run["phases"]["local"]["mean"])
    assert close(line["iteration_efficiency"], (1 if weak else 1 / nodes) * time(lines[0]) / time(line))
    if weak:  # the longer of two equal boxes: elements stay as they are
        box = run["options"]
        assert [s / c for s, c in zip(box["mesh_box_size"], box["mesh_box_cells"])] == [0.5, 1 / 3, 1 / 3], box
PYTHON
done

works 1 mesh box box.msh -size 2,1,1 -cells 2,1,1
sed 's/^mesh:.*/mesh: {file: box.msh}/' box.yaml >file.yaml
refuses 'box.*a file takes 8, 64' submit file.yaml --local --weak --nodes 1,2
scaling submit file.yaml --local --weak --nodes 1,8 --repeat 1 -- -time_steps 1 -solver_max_it 2 || fail 'refinement'
scaling collect file.yaml --weak || fail 'refinement: collect'
[ "$(column out/scaling/file_weak/table.csv tets | tr '\n' ' ')" = '12 96 ' ] || fail 'refinement: tetrahedra'
refuses 'no such deck' submit none.yaml
refuses 'increasing numbers' submit box.yaml --nodes 2,1
refuses 'not a multiple' submit box.yaml --local --weak --nodes 2,3
refuses 'no study has been submitted' collect box.yaml --out nowhere
refuses 'pairs' submit box.yaml -- -time_steps
WRING=$PWD/none refuses 'no executable' submit box.yaml --local --nodes 1
exit 0
