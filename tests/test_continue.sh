#!/usr/bin/env bash
# A comparison that was killed or stopped goes on: the same command makes the solves that are missing, and its files are
# those of an uninterrupted comparison but for seconds. So does a parameter grid. What has ended is in the files at any
# time. Fails if a solve that has ended is made again or read back with other digits, if the least g or an error
# changes, if a comparison of other keys or files is continued, or if overwrite starts one of the same keys anew.
# usage: test_continue.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 14
. "$(dirname "$0")/lib.sh"
[ -x "$python" ] || skip 'no python'
overwrite=()

works 1 mesh box bar.msh -size 2,0.5,0.5 -cells 8,2,2
cp bar.msh other.msh
cat >deck.yaml <<'DECK'
mesh:     {file: bar.msh}
material: {model: strain, stiffness: 1e6, density: 1000}
attach:   {xmin: {stiffness: 1e6}}
gravity:  [0, 0, -9.81]
time:     {step: 1e-2, steps: 1}
solver:   {measure: 10}
operator: {type: direct}
compare:  {solvers: [qn, xpbd, pd], iterations: 30000, report: [10, 30000], condition: true}
output:   {directory: out, plots: false}
DECK

# begin RANKS FILE ARGS...: a comparison in the background that has written the file.
begin() {
  launch "$1" compare "${@:3}"
  for _ in {1..3000}; do
    [ -e "$2" ] && return
    sleep 0.02
  done
  fail "$*: there is no $2"
}

# equal FOLDER FOLDER: CSV and JSON files of comparisons are the same but for seconds and provenance.
equal() {
  "$python" - "$1" "$2" <<'PYTHON' || fail "$1 and $2 differ"
import csv, json, os, sys
def without_seconds(x):
    if isinstance(x, list):
        return [without_seconds(y) for y in x]
    if not isinstance(x, dict):
        return x
    left_out = ("seconds", "setup_seconds", "waited", "provenance", "segment", "folder")
    return {k: without_seconds(v) for k, v in x.items() if not k.startswith(left_out)}
for name in "compare", "sweep":
    a, b = (f"{folder}/{name}" for folder in sys.argv[1:3])
    if not os.path.exists(a + ".csv"):
        continue
    rows = [[{k: v for k, v in row.items() if not k.startswith("seconds") and k != "setup_seconds"}
             for row in csv.DictReader(open(x + ".csv"))] for x in (a, b)]
    assert rows[0] and rows[0] == rows[1], name + ".csv"
    j = [json.dumps(without_seconds(json.load(open(x + ".json"))), indent=1) for x in (a, b)]
    different = [pair for pair in zip(*(text.split("\n") for text in j)) if pair[0] != pair[1]]
    assert j[0] == j[1], (name + ".json", different[:3])
PYTHON
}

# spoil RANKS FILE ARGS...: fails if a kept file that is no solve ends otherwise than by one line, or is passed over.
spoil() {
  local ranks=$1 file=$2 text
  shift 2
  mv "$file" kept.json
  for text in '[]' '[0, 1, 2, 3, 1000000000]' '{"seconds": 1}' '[0, 1' "$("$python" -c 'import json
print(json.dumps([1000000 if k == 2 else v for k, v in enumerate(json.load(open("kept.json")))]))')"; do
    echo "$text" >"$file"
    expect 1 "$ranks" compare deck.yaml "$@"
    grep -Eq "^wring: $file: (does not hold the numbers of a solve|cannot be read)" log || fail "no refusal of $text"
  done
  rm "$file" && mkdir "$file"
  expect 1 "$ranks" compare deck.yaml "$@"
  grep -q "^wring: $file: cannot be read: Is a directory" log || fail 'no refusal of a directory'
  rmdir "$file" && mv kept.json "$file"
}

# ---- a kill and a signal, on one and two ranks -----------------------------------------------------------------------

for ranks in 1 2; do
  arguments=(-compare_iterations $((ranks == 1 ? 12000 : 4000)) -compare_report 10 -compare_repeat $((3 - ranks)))
  rm -rf out
  works $ranks compare deck.yaml "${arguments[@]}" -output_directory whole -output_overwrite true
  [ ! -e whole/compare_kept ] || fail 'something is kept of a comparison that has ended'
  holds whole/compare.json "j['segments'] == [] and all(s['segment'] == 0 for s in j['solvers'].values())"

  begin $ranks out/compare.json deck.yaml "${arguments[@]}"
  rank=$pid
  [ $ranks = 1 ] || rank=$(pgrep -P $pid | head -n 1)
  kill -9 "$rank"
  wait $pid 2>/dev/null
  holds out/compare.json "j['ended'] == 'running' and list(j['solvers']) == ['qn'] and j['g_star_from'] == 'qn'"
  grep -q '^qn,' out/compare.csv || fail 'the first solver is not in compare.csv'

  mv out/compare.json killed.json
  begin $ranks out/compare.json deck.yaml "${arguments[@]}"
  kill -TERM "$([ $ranks = 1 ] && echo $pid || pgrep -P $pid | tail -n 1)"
  ends 3 'a comparison: SIGTERM'
  holds out/compare.json "j['ended'] == 'stopped by a signal' and j['solvers']['xpbd']['ended'] == 'interrupted'"
  holds out/compare.json "len(j['segments']) == 1 and j['solvers']['qn']['segment'] == 0"
  [ -e out/compare_kept/sittings.json ] || fail 'nothing is kept of a stopped comparison'
  spoil $ranks out/compare_kept/01_qn.json "${arguments[@]}"

  expect 3 $ranks compare deck.yaml "${arguments[@]}" -time_limit 1e-9
  # The line may begin within a line of the output: mpiexec forwards both streams in pieces.
  grep -q 'note: stopped by time.limit: the same command' log || fail 'a stop is not reported'
  works $ranks compare deck.yaml "${arguments[@]}" -output_overwrite true # it has not ended: it goes on
  equal whole out
  "$python" - <<'PYTHON' || fail 'a solve that has ended was made again'
import json
j, killed = json.load(open("out/compare.json")), json.load(open("killed.json"))
assert j["solvers"]["qn"]["repeats"][0] == killed["solvers"]["qn"]["repeats"][0]
assert [j["solvers"][s]["segment"] for s in ("qn", "xpbd", "pd")] == [0, len(j["segments"]), len(j["segments"])]
assert all(s["hosts"] and s["deck_sha256"] == j["provenance"]["deck_sha256"] for s in j["segments"])
PYTHON
  [ ! -e out/compare_kept ] || fail 'something is kept after the end'
done

# ---- other keys and files --------------------------------------------------------------------------------------------

short=(-compare_solvers qn,pd -compare_iterations 10 -compare_report 10)
rm -rf out
expect 3 1 compare deck.yaml "${short[@]}" -time_limit 1e-9
refused 'out: holds a comparison that has not ended.*compare_iterations was 10, now 11; add -output_overwrite' \
  compare deck.yaml "${short[@]}" -compare_iterations 11
refused_on 2 'mesh_refine was 0, now 1' compare deck.yaml "${short[@]}" -mesh_refine 1
# A value that is cut. Fails if the cut shows what was in memory.
refused 'compare_report was .10., now .0[,0-9]*; add' compare deck.yaml "${short[@]}" \
  -compare_report "0$(printf ',10%.0s' {1..60})"
"$wring" mesh box bar.msh -size 2,0.5,0.5 -cells 8,2,3 >log 2>&1 || fail 'a mesh'
refused 'the file of mesh_file has changed' compare deck.yaml "${short[@]}"
cp other.msh bar.msh
works 2 compare deck.yaml "${short[@]}"
holds out/compare.json "len(j['segments']) == 1"
works 1 compare deck.yaml "${short[@]}" -compare_iterations 11 -output_overwrite true # that one has ended
holds out/compare.json "j['segments'] == [] and j['provenance']['options']['compare_iterations'] == 11"
expect 3 1 compare deck.yaml "${short[@]}" -time_limit 1e-9 -output_overwrite true
: >out/compare_kept/sittings.json
refused 'out: holds a comparison that has not ended.*its sittings.json cannot be read' compare deck.yaml "${short[@]}"
works 1 compare deck.yaml "${short[@]}" -compare_iterations 12 -output_overwrite true
holds out/compare.json "j['segments'] == []"

# A kill before the first sittings.json was whole, of which nothing is kept. Fails if the same command is refused, or if
# one is taken where more is left.
rm -rf out
mkdir -p out/compare_kept
: >out/compare_kept/sittings.json.part
: >out/compare_kept/00_qn.json
refused 'its sittings.json cannot be read' compare deck.yaml "${short[@]}"
rm out/compare_kept/00_qn.json
works 1 compare deck.yaml "${short[@]}"
holds out/compare.json "j['segments'] == []"
[ ! -e out/compare_kept ] || fail 'the part of sittings.json stays'

# ---- a parameter grid ------------------------------------------------------------------------------------------------

grid=(-compare_solvers qn,xpbd -compare_sweep_compare_iterations 10,20000 -compare_report 10)
rm -rf out whole
works 1 compare deck.yaml "${grid[@]}" -output_directory whole
begin 1 out/compare_iterations=20000/compare.json deck.yaml "${grid[@]}"
kill -INT $pid
ends 3 'a parameter grid: SIGINT'
holds out/sweep.json "j['combinations'] == 2 and len(j['runs']) == 1"
refused 'compare_iterations=10: holds a comparison.*time_step was 0.01, now 0.02' compare deck.yaml "${grid[@]}" \
  -time_step 2e-2
works 1 compare deck.yaml "${grid[@]}"
equal whole out
for folder in 10 20000; do equal whole/compare_iterations=$folder out/compare_iterations=$folder; done
holds out/compare_iterations=10/compare.json "[s['segment'] for s in j['solvers'].values()] == [0, 0]"
holds out/compare_iterations=20000/compare.json "[s['segment'] for s in j['solvers'].values()] == [0, 1]"
[ -z "$(find out -name 'compare_kept')" ] || fail 'something is kept of a grid that has ended'
exit 0
