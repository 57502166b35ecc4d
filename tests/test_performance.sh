#!/usr/bin/env bash
# The decks of inputs/bench, which jobs/performance.sh measures, are accepted and make a step; the tables' scripts find what runs leave.
# It fails when a key of theirs, a column of history.csv or a field of run.json is renamed.
# usage: test_performance.sh BUILD_DIR SOURCE_DIR     ranks: 2
. "$(dirname "$0")/lib.sh"

works 1 mesh box body.msh -size 4,4,4 -cells 12,12,12 -origin -2,-2,-2
printf 'vertex,x,y,z\n0,0,0,0\n1,1,0,0\n' >points.csv
printf 'vertex,mass\n0,1\n1,1\n' >masses.csv
printf 'a,b,length,stiffness\n0,1,1,100\n' >springs.csv
printf 'vertex,x,y,z\n0,0,0,0\n' >corners.csv
small=(-time_steps 1 -solver_max_it 2 -output_every 0)
for deck in box box_strain liu_bar liu_bunny liu_cloth liu_ditto liu_hippo liu_sheet liu_sphere liu_squirrel solvers_twist; do
  options=("${small[@]}" -output_directory "$deck")
  case $deck in
    box*) options+=(-mesh_box_cells 3,3,3) ;;
    liu_bunny | liu_hippo) options+=(-mesh_file body.msh) ;;
    liu_ditto | liu_squirrel) options+=(-mesh_file body.msh -mesh_scale 1) ;;
    liu_cloth) options+=(-mesh_file points.csv -mass_file masses.csv -spring_cloth_file springs.csv -attach_corners_file corners.csv) ;;
    solvers_twist) options+=(-mesh_box_cells 6,2,2) ;;
  esac
  works 1 run "$source/inputs/bench/$deck.yaml" "${options[@]}"
done
for deck in solvers solvers_strain; do
  works 1 compare "$source/inputs/bench/$deck.yaml" -initial_restart solvers_twist -compare_solvers qn,newton \
    -compare_iterations 20 -output_directory "$deck"
done

"$python" -c 'import numpy' 2>/dev/null || { echo "no numpy: the scripts are not tested"; exit 0; }
PYTHONPATH=$source/jobs/performance "$python" -B - "$source" <<'END' || fail "the scripts of jobs/performance"
import sys
import model, runs, solvers, targets
assert runs.iteration_ms("box") > 0 and runs.phase_ms("box", "local", "operator_solve", "vector") > 0
assert [s["iterations"] for s in runs.steps("box")] == [2] and runs.steps("box")[0]["evaluations"] >= 2
qn = runs.load("solvers", "compare.json")["solvers"]["qn"]
assert solvers.entry(qn, "1e-4").endswith(f"({qn['iterations_to']['1e-4']})"), solvers.entry(qn, "1e-4")
assert targets.verdict(2, 1) == "100% above" and targets.verdict(1, 1) == "met"
assert [runs.number(v) for v in (None, 0.123, 45.6, 12345)] == ["-", "0.12", "46", "12,345"] and runs.power(2.2e-3) == "2.2e-3"

# The model: on one rank nothing but work, which is what was measured; more ranks never take less than their share of it.
send = lambda name, outer, inner: {"name": name, "per_iteration": {"messages": outer, "bytes": 24 * outer},
                                   "per_inner": {"messages": inner, "most": inner, "bytes": 12 * inner}}
data = {"times": [{"ranks": p, "inner": 6.0, "local": 30.0, "vector": 50.0, "solve": 70.0} for p in (1, 2)],
        "counts": [{"ranks": 8, "vertices": 8e4, "levels": [], "sends": [send("7", 28, 21), send("allreduce", 4, 1)]}],
        "ghosts": [{"parts": 64, "c": 6.0}], "weak": [100.0, 110.0],
        "levels": [{"rows": 2e5, "entries": 14, "ranks": 2}, {"rows": 3e4, "entries": 50, "ranks": 2}, {"rows": 60, "entries": 60, "ranks": 1}]}
m = model.Measured(data)
alone = m.time(2e5, 1)
work = 1e-9 * 2e5 * (model.TETS * 30 + 50 + 6 * 70)
assert abs(sum(alone.values()) / work - 1) < 0.01, (alone, work)
for p in (2, 64, 4096):
    parts = m.time(2e5, p)
    assert sum(parts.values()) > work / p and min(parts.values()) > 0, (p, parts)
END
exit 0
