#!/usr/bin/env bash
# Factorisations that fail: repeated with more workspace if MUMPS needs it; otherwise one line that names the solver, or
# a step that fails with a reason.
# usage: test_factor_failure.sh BUILD_DIR SOURCE_DIR     ranks: 3
. "$(dirname "$0")/lib.sh"

# MUMPS underestimates the workspace of this system, INFOG(1) = -9 on any number of ranks. Fails if the factorisation
# is not repeated with more; PETSc does not repeat it in the factor that has failed.
cat >compliant.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [2, 2, 2]}, refine: 1}
material: {model: stable_neohookean, young: 55919, poisson: 0.49, density: 1000}
attach:   {xmin: {hard: true}}
pressure: {xmax: {value: 1e4}}
time:     {step: 0.4738}
solver:   {type: compliant}
output:   {directory: out, every: 0, state_csv: true}
DECK
for ranks in 1 2 3; do
  works $ranks run compliant.yaml -output_directory out$ranks
  same out1/state.csv out$ranks/state.csv 1e-9
done

# fails_with PATTERN ARGS...: on two ranks, with one line of error.
fails_with() {
  local pattern=$1
  shift
  expect 1 2 run "$@"
  [ "$(grep -c '^wring: ' log)" = 1 ] && grep -Eq "^wring: $pattern" log ||
    fail "$*: not one line that matches '$pattern'"
  ! grep -q 'PETSC ERROR\|internal error' log || fail "$*: a trace"
}

# MUMPS is limited to one MB. Fails if a solver silently uses steepest descent instead, as newton once did.
cat >beam.yaml <<'DECK'
mesh:     {box: {size: [2, 1, 1], cells: [16, 8, 8]}}
material: {model: neohookean, young: 1e5, poisson: 0.3, density: 1000}
attach:   {xmin: {stiffness: 1e6}}
gravity:  [0, 0, -9.81]
time:     {step: 0.02}
solver:   {type: newton, max_it: 3, newton: {linear: direct}}
output:   {directory: out, every: 0}
DECK
for keys in "the factor by mumps, INFOG.1. = -19: -petsc_newton_mat_mumps_icntl_23 1" \
  "out of memory in the factor by mumps, INFOG.1. = -9: -petsc_newton_mat_mumps_icntl_14 -95"; do
  # shellcheck disable=SC2086
  expect 2 2 run beam.yaml ${keys#*: } -output_overwrite true
  grep -q "^note: solver 'newton': ${keys%%: *}" log || fail "newton: no note on ${keys%%: *}"
  grep -q '^note: step 1 failed: linear solve failed' log || fail "newton: a factor that failed gave a direction"
done

# Iterations that diverge. Fails if newton takes what they leave as a direction, if the shifts are
# not counted, or if ranks decide differently.
for ranks in 1 2; do
  expect 2 $ranks run beam.yaml -solver_newton_linear cg -petsc_newton_ksp_type richardson \
    -petsc_newton_pc_type none -output_overwrite true
  grep -q 'not solved to its tolerance: a multiple of its diagonal is added (said [0-9]* times)' log ||
    fail 'shifts of the diagonal are not counted'
  grep -q '^note: step 1 failed: linear solve failed' log || fail 'iterations that diverge gave a direction'
done
for hessian in rest_hessian frame_hessian warped_rest_hessian; do
  fails_with "solver 'qn': the factor by mumps" beam.yaml -solver_type qn -solver_qn_initial_hessian $hessian \
    -petsc_qn_mat_mumps_icntl_23 1
done
fails_with "solver 'compliant': the factor by mumps" compliant.yaml -petsc_mat_mumps_icntl_23 1
fails_with "time_integrator 'linear_implicit_euler': the factor by mumps" beam.yaml -petsc_step_mat_mumps_icntl_23 1 \
  -time_integrator linear_implicit_euler

# A stiffness so large that inertia is lost in rounding: on one rank CHOLMOD finds the matrix singular. Fails if that
# is an internal error, if qn continues, or if newton does so without a multiple of the diagonal.
expect 2 1 run beam.yaml -material_young 1e30 -time_step 1 -output_overwrite true \
  -solver_type qn -solver_qn_initial_hessian rest_hessian
grep -q '^note: step 1 failed: singular system' log || fail "qn: no reason"
works 1 run beam.yaml -material_young 1e30 -time_step 1 -output_overwrite true
grep -q "^note: solver 'newton': Newton's system is not positive definite: a multiple" log || fail 'newton: no shift'

# The same by PETSc's interface to CHOLMOD, for which this is an error of the set-up. Fails if that ends the program.
expect 2 1 run beam.yaml -material_young 1e30 -time_step 1 -output_overwrite true -solver_type qn \
  -solver_qn_initial_hessian rest_hessian -petsc_qn_pc_type cholesky -petsc_qn_pc_factor_mat_solver_type cholmod
grep -q '^note: step 1 failed: singular system' log || fail "qn by PETSc's CHOLMOD: no reason"
works 1 run beam.yaml -material_young 1e30 -time_step 1 -output_overwrite true -petsc_newton_pc_type cholesky \
  -petsc_newton_pc_factor_mat_solver_type cholmod
grep -q "^note: solver 'newton': Newton's system is not positive definite: a multiple" log ||
  fail "newton by PETSc's CHOLMOD: no shift"
exit 0
