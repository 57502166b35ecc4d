#!/bin/bash
# A loaded bracket comes to rest at the same minimum for every step size, law of its kind, number of ranks and method,
# with the defaults of `solver`. The reference is a step of 1e3 s by newton to 1e-9. Fails if a solve starts where
# tetrahedra are inverted, stops far from the balance of forces, or gives up before.
# ranks: 4     cost: 6
. "$(dirname "$0")/lib.sh"
deck=$source/inputs/verification/bracket.yaml

# rest DIRECTORY: elastic energy, reaction along z, mean displacement along z, inverted tets, reasons of all steps.
rest() {
  "$python" - "$1" <<'PYTHON'
import csv, sys
steps = list(csv.DictReader(open(sys.argv[1] + "/steps.csv")))
z = [float(row["z"]) for row in csv.DictReader(open(sys.argv[1] + "/state.csv"))]
last = steps[-1]
print(last["elastic"], last["wall_fz"], sum(z) / len(z), sum(int(s["inverted"]) for s in steps),
      ",".join(sorted({s["reason"].replace(" ", "_") for s in steps})))
PYTHON
}

# same TOLERANCE DIRECTORY: the state of rest in the directory is that of the reference.
same() {
  "$python" - "$1" $(rest reference) $(rest "$2") <<'PYTHON' || fail "$2: $(rest "$2"), expected $(rest reference)"
import sys
tolerance, a, b = float(sys.argv[1]), sys.argv[2:7], sys.argv[7:12]
near = all(abs(float(x) - float(y)) <= tolerance * abs(float(x)) for x, y in zip(a[:3], b[:3]))
sys.exit(not (near and b[3] == "0" and set(b[4].split(",")) <= {"converged", "at_round-off"}))
PYTHON
}

for law in corotated neohookean; do
  run=(run "$deck" -material_model $law -output_every 0 -output_directory)
  works 1 "${run[@]}" reference -time_step 1e3 -time_end 3e3 -solver_type newton -solver_rtol 1e-9
  for case in 1:1e-3:0.5 1:5e-3:0.5 1:2e-2:0.5 2:2e-2:0.5 3:1e-1:2 4:1e-1:2 1:10:100 2:10:100; do
    IFS=: read -r ranks step end <<<"$case"
    works "$ranks" "${run[@]}" out -time_step "$step" -time_end "$end"
    same 2e-3 out
  done
done
run=(run "$deck" -output_every 0 -output_directory)
works 1 "${run[@]}" reference -time_step 1e3 -time_end 3e3 -solver_type newton -solver_rtol 1e-9
for type in anderson newton; do
  works 1 "${run[@]}" out -time_step 0.1 -time_end 2 -solver_type $type -solver_anderson_inner admm
  same 2e-3 out
done

# run.json has the keys in force whose defaults depend on the method.
grep -q '"solver_max_it": 5000' out/run.json && grep -q '"solver_stop": "force"' out/run.json &&
  grep -q '"solver_start": "auto"' out/run.json || fail "keys in force: $(grep solver_ out/run.json)"

# Static solves have the same minimum.
grep -v '^drag\|^time' "$deck" >static.yaml
for type in qn newton; do
  works 1 run static.yaml -mesh_file "$source/inputs/verification/bracket.msh" -output_every 0 -output_directory out \
    -time_integrator static -time_steps 1 -solver_type $type
  same 2e-3 out
done

# The mesh of 3,000 vertices, on which a start from y ended beside the minimum, with inverted tetrahedra.
run+=(reference -mesh_refine 1)
works 1 "${run[@]}" -time_step 1e3 -time_end 2e3 -solver_rtol 1e-8
for ranks in 1 2; do
  run=(run "$deck" -output_every 0 -output_directory out -mesh_refine 1)
  works $ranks "${run[@]}" -time_step 2e-2 -time_end 0.4
  same 2e-3 out
done
