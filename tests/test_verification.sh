#!/usr/bin/env bash
# The quick part of `python3 jobs verify`: a few laws, the coarse levels, 1 and 2 ranks. Identities hold to 1e-8, orders
# within 0.1, and both numbers of ranks agree to 1e-9. Fails if a law has another stress or energy than its formula, if
# loads or prescribed positions are applied wrongly, if the force of a contact is not Hertz's, if an error does not fall
# with its order, or if a result depends on the number of ranks.
# usage: test_verification.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 15
. "$(dirname "$0")/lib.sh"
"$python" -c 'import numpy' 2>/dev/null || skip "no python3 with numpy"
export WRING=$wring VERIFY_OUT=$work/out
"$python" -B "$source/jobs" verify --quick --ranks 1,2 >log 2>&1 || fail "jobs verify --quick"
grep -q '^shear .*verdict' log || fail "no table"

# Newton's method on the ball: 23 iterations; 321 with bounds of eigenvalues of the first Hessian, which has no contact.
works 1 run "$source/inputs/verification/hertz.yaml" -mesh_file "$work/out/hertz/1/10.msh" -attach_far_file \
  "$work/out/hertz/1/10.csv" -solver_type newton -output_directory newton
[ "$(last newton/steps.csv iterations)" -lt 60 ] || fail "newton takes too many iterations by multigrid"
