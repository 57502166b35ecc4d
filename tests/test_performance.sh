#!/usr/bin/env bash
# The decks of inputs/bench, which python3 jobs performance measures, are accepted and make a step, and its tables
# read their output. Fails when a key of the decks, a column of history.csv or a field of run.json is renamed.
# usage: test_performance.sh BUILD_DIR SOURCE_DIR     ranks: 2
. "$(dirname "$0")/lib.sh"
served=false

works 1 mesh box body.msh -size 4,4,4 -cells 12,12,12 -origin -2,-2,-2
printf 'vertex,x,y,z\n0,0,0,0\n1,1,0,0\n' >points.csv
printf 'vertex,mass\n0,1\n1,1\n' >masses.csv
printf 'a,b,length,stiffness\n0,1,1,100\n' >springs.csv
printf 'vertex,x,y,z\n0,0,0,0\n' >corners.csv
small=(-time_steps 1 -solver_max_it 2 -solver_accept true -output_every 0)
for deck in box box_strain collider colliders self_contact liu_bar liu_bunny liu_cloth liu_ditto liu_hippo liu_sheet \
  liu_sphere liu_squirrel solvers_twist; do
  options=("${small[@]}" -output_directory "$deck")
  case $deck in
    box* | collider*) options+=(-mesh_box_cells 3,3,3) ;;
    liu_bunny | liu_hippo | self_contact) options+=(-mesh_file "$work/body.msh") ;;
    liu_ditto | liu_squirrel) options+=(-mesh_file "$work/body.msh" -mesh_scale 1) ;;
    liu_cloth)
      options+=(-mesh_file "$work/points.csv" -mass_file "$work/masses.csv" -spring_cloth_file "$work/springs.csv"
        -attach_corners_file "$work/corners.csv")
      ;;
    solvers_twist) options+=(-mesh_box_cells 6,2,2) ;;
  esac
  works 1 run "$source/inputs/bench/$deck.yaml" "${options[@]}"
  awk -F, 'NR == 2 {
             good = $1 == 1 && ($13 == 1 || $13 == 2) && $14 ~ /^(max_it|converged|at round-off)$/ && $6 < 1e300 }
           END { exit !(good && NR == 2) }' "$deck/steps.csv" || fail "$deck: not one step of one or two iterations"
  awk -F, '$4 == 0 { first = $5 } { last = $5 } END { exit !(last < first) }' "$deck/history.csv" ||
    fail "$deck: g does not fall"
done
for deck in solvers solvers_strain; do
  works 1 compare "$source/inputs/bench/$deck.yaml" -initial_restart "$work/solvers_twist" -compare_solvers qn,newton \
    -compare_iterations 20 -output_directory "$deck"
done

command -v "$python" >/dev/null || { echo "no python3: the tables are not tested"; exit 0; }
PYTHONPATH=$source/jobs "$python" -B - <<'END' || fail "the tables of jobs/performance"
import outputs
from performance import contacts, solvers
assert outputs.iteration_ms("box") > 0 and outputs.phase_ms("box", "local", "operator_solve", "vector") > 0
assert outputs.phase_ms("collider", *contacts.PHASES) > outputs.phase_ms("collider", "contact") > 0
slabs = contacts.boxes((((2, 1, 3), (1, 2, 3), (0, 0, 0)), ((1, 1, 1), (1, 2, 3), (0, 0, 4))))
points, tets = slabs.points, slabs.tets
edges = [[[b - a for a, b in zip(points[t[0]], points[v])] for v in t[1:]] for t in tets]
six = [a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
       for a, b, c in edges]
assert len(points) == 32 and len(tets) == 42 and min(six) > 0 and abs(sum(six) - 72) < 1e-9
assert [s["iterations"] for s in outputs.steps("box")] == [2] and outputs.steps("box")[0]["evaluations"] >= 2
qn = outputs.load("solvers", "compare.json")["solvers"]["qn"]
assert solvers.entry(qn, "1e-4")[1] == qn["iterations_to"]["1e-4"] > 0, solvers.entry(qn, "1e-4")
END
exit 0
