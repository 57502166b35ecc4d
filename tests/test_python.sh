#!/bin/bash
# The Python package of an installed and moved wring, on 1 and 2 ranks: python_package.py says what fails. Then the
# lines of docs/api.md, and the example, which must find the material that its curves were made with.
# usage: test_python.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 3
. "$(dirname "$0")/lib.sh"
served=false
[ "${WRING_SANITIZE-}" != ON ] || skip 'Python would need the sanitizers too'
"$python" -c 'import numpy' 2>log || skip 'no NumPy (Debian: python3-numpy)'
cmake --install "$build" --prefix "$work/moved" >log || fail 'the installation'
mv moved installed
export PYTHONPATH=$work/installed/lib/python3/dist-packages PYTHONDONTWRITEBYTECODE=1

# qn gives the same bits in each run; the default may use MUMPS, which does not.
cat >deck.yaml <<'END'
mesh:     {box: {size: [1, 0.4, 0.4], cells: [6, 3, 3], jitter: 0.2}}
material: {model: neohookean, young: 1e5, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {hard: true, spin: [90, 0, 0]}}
collider: {ground: {shape: half_space, normal: [0, 0, 1], point: [0, 0, -0.001], stiffness: 1e5}}
probe:    {tip: {point: [1, 0.4, 0.4]}, wall: {set: xmin}}
time:     {step: 1e-2, steps: 3}
solver:   {type: qn, rtol: 1e-9}
output:   {directory: out, every: 1, state_csv: true}
END
for ranks in 1 2; do
  launch=("$mpiexec" -n $ranks "$python" -B -m mpi4py)
  [ $ranks = 1 ] && launch=("$python" -B)
  [ $ranks = 1 ] || "$python" -c 'import mpi4py' 2>log || { echo 'no mpi4py: on one rank only' && continue; }
  works $ranks run deck.yaml
  works $ranks run deck.yaml -output_directory packed -output_compress true
  timeout 100 "${launch[@]}" "$source/tests/python_package.py" deck.yaml out packed >log 2>&1 ||
    fail "the package on $ranks ranks"
  [ "$(grep -v '^note: ' log)" = done ] || fail "the package says more than notes on $ranks ranks"
done

works 1 compare deck.yaml -compare_solvers qn,newton -compare_iterations 5 -output_directory compared
"$python" -B -c '
import wring
t = wring.table("compared/compare.csv")
assert set(t["solver"]) == {"qn", "newton"} and t["iteration"].dtype.kind == "i" and t["objective"].dtype.kind == "f"
assert len(t["seconds"]) == 12' >log 2>&1 || fail 'compare.csv'

ln -s "$source/inputs" inputs
works 1 run inputs/lamp.yaml -time_steps 2
sed -n '/^```python$/,/^```$/{/^```/!p}' "$source/docs/api.md" >lines.py
"$python" -B lines.py >log 2>&1 || fail 'the lines of docs/api.md'
[ "$(grep -c "^Outcome(reason='converged'" log)" = 20 ] || fail 'steps of docs/api.md'

"$python" -c 'import scipy' 2>log || { echo 'no scipy: without the example' && exit 0; }
timeout 120 "$python" -B "$source/docs/examples/fit_material.py" >log 2>&1 || fail 'the example'
read -r _ young _ poisson _ <<<"$(tail -n 1 log)"
close "$young" 250000 0.02 "Young's modulus that the example finds"
close "$poisson" 0.45 0.02 "Poisson's ratio that the example finds"
