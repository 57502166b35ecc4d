#!/bin/bash
# ranks: 2
# A new law, shape, solver or integrator is one file and the lines that docs/developer.md, "How to add", names: the
# templates of tests/extend, which tests/extend/CMakeLists.txt builds in exactly this way, work in the program and pass
# the tests of their family. Fails if a member needs more places than the table there has, or if a part of the program
# has a list of its own instead of the family's.
. "$(dirname "$0")/lib.sh"
programs=$build/tests/extend
wring=$programs/extend_wring

# ---- the table: | law | `src/law/<name>.c` | `src/law/laws.c` |, the file of a family, then its lists ----------------

while read -r family lists; do
  row=$(grep -E "^\| $family \|" "$source/docs/developer.md") || fail "docs/developer.md has no row for $family"
  named=$(echo "$row" | cut -d'|' -f4 | grep -o '`[^`]*`' | tr -d '`' | sort | xargs)
  used=$(echo "$lists" | tr ' ' '\n' | sort | xargs)
  [ "$named" = "$used" ] || fail "docs/developer.md: $family needs lines in '$named', but the template in '$used'"
done < "$programs/places.txt"

# family_test FAMILY TEST: tests/test_TEST.c with the new member.
family_test() {
  "$programs/extend_$1_$2" "$source" >log 2>&1 || fail "test_$2 with the template of $1"
}

# ---- law ------------------------------------------------------------------------------------------------------------

for test in law prox materials stress; do family_test law $test; done
works 1 help material
grep -q scratch log || fail "help does not name the material scratch"
cat >law.yaml <<'END'
mesh: {box: {size: [1, 1, 1], cells: [3, 3, 3]}}
material: {model: scratch, stiffness: 1e5, density: 1000}
attach: {xmin: {hard: true}}
gravity: [0, -9.81, 0]
time: {step: 0.01, end: 0.02}
END
for solver in newton qn xpbd; do works 2 run law.yaml -solver_type $solver -output_directory $solver; done
expect 1 1 run law.yaml -solver_type pd -output_directory pd
grep -q "cannot use material 'scratch'" log || fail "pd does not refuse a law without a projection"
works 1 bench -bench_tets 500 -bench_parts laws -bench_budget 0.001 -output_directory bench
grep -q scratch log || fail "bench leaves the law scratch out"

# ---- solver and integrator ------------------------------------------------------------------------------------------

family_test solver solver_types
family_test integrator integrators
for key in solver_type time_integrator; do
  works 1 help $key
  grep -q scratch log || fail "help $key does not name scratch"
done
works 2 run law.yaml -solver_type scratch -time_integrator scratch -output_directory both
grep -q '^solver *scratch' log || fail "the run does not name the solver scratch"
works 1 compare law.yaml -compare_solvers scratch,qn -compare_iterations 5 -output_directory compared

# ---- shape ----------------------------------------------------------------------------------------------------------

for test in shapes contact; do family_test shape $test; done
works 1 help collider
grep -q scratch log || fail "help does not name the shape scratch"
cat >shape.yaml <<'END'
mesh: {box: {size: [1, 1, 1], cells: [3, 3, 3], origin: [0, 0, 0.21]}}
material: {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
collider: {disc: {shape: scratch, centre: [0.5, 0.5, 0], radius: 1, rounding: 0.2, stiffness: 1e5}}
gravity: [0, 0, -9.81]
time: {step: 0.02, end: 0.2}
END
works 2 run shape.yaml -output_directory shape
awk -v f="$(last shape/steps.csv collider_disc_fz)" 'BEGIN { exit !(f > 1000) }' ||
  fail "the shape scratch does not push"
expect 1 1 check shape.yaml -collider_disc_length 1
grep -q 'collider_disc_length is not a key of shape scratch' log || fail "a key of another shape is taken"
