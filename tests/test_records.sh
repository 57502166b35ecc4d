#!/usr/bin/env bash
# How a result was made is in every JSON file: hashes of deck and files that equal those of sha256sum, the command line,
# hosts and ranks, processor, cores, batch job, versions, flags; typed keys; no number that is not finite; and all that
# of the earlier parts of a chain of restarts. Fails if a file has less than the others, if a hash is of other bytes, or
# if ranks are lost on the way to rank 0, if the spread of phases and memory over ranks is not that of all of them, or
# if a run that was killed does not tell how far it came.
# usage: test_records.sh BUILD_DIR SOURCE_DIR     ranks: 3     cost: 4
. "$(dirname "$0")/lib.sh"
served=false
[ -x "$python" ] || skip 'no python'

works 1 mesh box tet.msh -size 1,1,1 -cells 3,3,3
mkdir tables
printf 'time,value\n0,0\n1,1\n' >tables/ramp.csv
cat >deck.yaml <<'DECK'
mesh:     {file: tet.msh}
material: {model: strain, stiffness: 1e5, density: 1000}
attach:   {xmin: {hard: true}}
pressure: {xmax: {value: 10, curve: tables/ramp.csv}}
variant:  {short: {type: qn, history: 2}}
time:     {step: 1e-2, steps: 2}
compare:  {solvers: [short, pd], iterations: 3, reference: least}
output:   {directory: out, every: 0}
DECK

# whole FILE RANKS: the record in a file, at its top or in `provenance`.
whole() {
  valid_json "$1"
  "$python" - "$1" "$2" "$(sha256sum <deck.yaml)" "$(sha256sum <tet.msh)" "$(sha256sum <tables/ramp.csv)" <<'PYTHON' ||
import json, os, socket, sys
j = json.load(open(sys.argv[1]))
ranks = int(sys.argv[2])
deck, mesh, ramp = (text.split()[0] for text in sys.argv[3:])
p = j.get("provenance", j)
assert j["schema"] == 1 and p["schema"] == 1, "schema"
assert p["deck_sha256"] == deck and p["mesh_sha256"] == mesh, "hashes"
assert p["files"]["mesh_file"]["sha256"] == mesh and p["files"]["pressure_xmax_curve"]["sha256"] == ramp, "files"
assert p["ranks"] == ranks and sum(p["ranks_per_host"]) == ranks and len(p["binding"]["cores"]) == ranks, "ranks"
assert p["hosts"] == [socket.gethostname()] and isinstance(p["processor"], (str, type(None))), "hosts"
assert p["working_directory"] == os.getcwd(), "working_directory"
assert p["job"] == {"system": "slurm", "id": "4711", "name": None}, "job"
line = p["command_line"]
assert " deck.yaml " in line and " -petsc_x \x27a b\x27 -output_state_csv true" in line, line
assert "-x a b" in p["petsc_options"], p["petsc_options"]
for name in "petsc mpi blas mumps cholmod hdf5 metis jansson yaml zlib openssl".split():
    assert p["libraries"][name], name
assert p["build"]["flags"] and p["build"]["type"] and p["build"]["compiler"], "build"
o = p["options"]
assert o["material_stiffness"] == 1e5 and o["output_state_csv"] is True
assert o["pressure_xmax_curve"] == "tables/ramp.csv"
if "seconds" in p:  # of a problem
    for name, of in p["phases"].items():
        assert 0 <= of["least"] <= of["mean"] <= of["largest"] == p["seconds"][name], name
        assert of["least"] < of["largest"] or ranks == 1 or of["largest"] < 1e-6, name  # s: below, ticks coincide
    assert all(0 <= of["slowest"] < ranks for of in p["phases"].values()), "slowest"
    assert sum(of["mean"] for of in p["phases"].values()) <= 1.001 * p["seconds"]["total"], "phases"
    memory = p["memory"]
    assert memory["all"] == p["peak_memory"] and memory["largest"] <= memory["all"] <= ranks * memory["largest"], memory
    assert (ranks == 1) == (memory["all"] == memory["largest"]) and 0 <= memory["largest_rank"] < ranks, memory
    w, of = p["waited"], [phase["waited"] for phase in p["phases"].values()]
    assert 0 <= w["share"] <= 1 and 0 <= w["mean"] <= w["largest"] * (1 + 1e-9) and 0 <= w["slowest"] < ranks, w
    assert abs(sum(phase["mean"] for phase in of) - w["mean"]) <= 1e-9 * w["mean"], w
    assert sum(phase["switches"] for phase in of) == w["switches"] >= 0, w
if "setup_seconds" in p:  # of a run
    assert 0 < p["setup_seconds"] and 0 < p["marching_seconds"] and "heartbeat" not in p, "setup_seconds"
    assert p["setup_seconds"] + p["marching_seconds"] <= 1.001 * p["seconds"]["total"], "marching_seconds"
PYTHON
    fail "$1"
}
export SLURM_JOB_ID=4711
arguments=(-petsc_x 'a b' -output_state_csv true)
works 3 run deck.yaml "${arguments[@]}"
whole out/run.json 3
works 1 run deck.yaml "${arguments[@]}" -initial_restart out -time_steps 3 -petsc_log_view :events
whole out/run.json 1
grep -q 'MatAssemblyEnd' events || fail 'petsc_log_view' # PETSc starts before it gets the option
"$python" - <<'PYTHON' || fail 'segments'
import json
j = json.load(open("out/run.json"))
[part] = j["segments"]
assert part["ranks"] == 3 and part["mesh_sha256"] == j["mesh_sha256"] and part["libraries"] == j["libraries"]
assert part["options"]["time_steps"] == 2 and j["options"]["time_steps"] == 3
assert j["files"]["initial_restart"]["seal"].startswith("wringCRC")
PYTHON

# Started by a process of 600 MB. Fails if its memory counts as that of the run.
"$python" - "$wring" <<'PYTHON' || fail 'memory of the process that starts a run'
import json, subprocess, sys
held = b"x" * 600_000_000
subprocess.run([sys.argv[1], "run", "deck.yaml", "-output_directory", "own"], check=True, stdout=subprocess.DEVNULL)
assert json.load(open("own/run.json"))["peak_memory"] < 500e6
PYTHON

works 2 compare deck.yaml "${arguments[@]}"
whole out/compare.json 2
works 2 compare deck.yaml "${arguments[@]}" -compare_sweep_time_step 1e-2,2e-2
whole out/sweep.json 2
whole out/time_step=1e-2/compare.json 2
works 2 evaluate deck.yaml "${arguments[@]}"
whole out/evaluate.json 2
works 2 converge deck.yaml "${arguments[@]}" -converge_levels 2
whole out/converge.json 2
whole out/level_1/run.json 2

# A restart whose deck names no mesh has that of the first run of its chain, in the same directory or another.
grep -v '^mesh' deck.yaml >rest.yaml
works 1 run rest.yaml -initial_restart out -time_steps 4
works 1 run rest.yaml -initial_restart out -time_steps 5 -output_directory rest
works 1 compare rest.yaml -initial_restart rest -output_directory compare
works 1 evaluate rest.yaml -initial_restart rest -output_directory compare
works 2 compare rest.yaml -initial_restart rest -compare_sweep_time_step 1e-2,2e-2 -output_directory sweep
works 1 check rest.yaml -initial_restart rest -check_json check.json
mesh=$(sha256sum <tet.msh)
for file in out/run.json rest/run.json compare/compare.json compare/evaluate.json sweep/sweep.json check.json; do
  [ "$(json_value $file mesh_sha256)" = "\"${mesh%% *}\"" ] || fail "$file: mesh_sha256"
done

# A run and a solve that share their core with another process say so, and for how long they waited for it.
if [ -r /proc/self/schedstat ] && command -v taskset >/dev/null; then
  core=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
  taskset -c "$core" sh -c 'while :; do :; done' &
  busy=$!
  export OMP_NUM_THREADS=1
  taskset -c "$core" "$wring" run deck.yaml -mesh_refine 2 -time_steps 10 -output_directory shared >log 2>&1 ||
    fail 'a shared core'
  grep -q 'note: the threads of rank 0 waited for a core in [1-9][0-9]* % of their time' log || fail 'no note'
  taskset -c "$core" "$wring" compare deck.yaml -mesh_refine 2 -compare_solvers short -compare_iterations 40 \
    -output_directory compared >log 2>&1 || fail 'a shared core: compare'
  kill $busy
  "$python" - <<'PYTHON' || fail 'waits of a run and a solve'
import json
w = json.load(open("shared/run.json"))["waited"]
assert w["share"] > 0.2 and w["largest"] > 0.1 and w["switches"] > 5, w
repeats = json.load(open("compared/compare.json"))["solvers"]["short"]["repeats"]
assert all(one["waited_share"] > 0.2 for one in repeats), repeats
hollow = [line for line in open("compared/compare.gp") if " pt 6 " in line]  # of two lines that over seconds
assert len(hollow) == 1 and "'short'" in hollow[0] and "? $3" in hollow[0], hollow
PYTHON
fi

# A run that is killed leaves its heartbeat.
"$wring" run deck.yaml -time_steps 1000000 -output_directory killed >log 2>&1 &
wait_for killed/steps.csv 3
kill -KILL $!
wait $! 2>/dev/null
"$python" - <<'PYTHON' || fail 'heartbeat'
import json
j = json.load(open("killed/run.json"))
beat = j["heartbeat"]
assert j["ended"] == "running" and beat["step"] >= 1 and beat["time"] > 0 and beat["date"] >= j["started"], beat
assert 0 < j["setup_seconds"] <= beat["seconds"] and j["marching_seconds"] > 0, beat
PYTHON

# A table that changes changes its hash, and a level made from the old one is refused.
printf 'time,value\n0,0\n1,2\n' >tables/ramp.csv
refused 'level 0 is of another deck or program: the file of pressure_xmax_curve has changed' \
  converge deck.yaml "${arguments[@]}" \
  -converge_levels 2
exit 0
