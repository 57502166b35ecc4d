#!/bin/bash
# A twisted bar is released and solved with the Hessian at rest, so that steps are far too long when the decrease of g
# is within round-off. Fails (exit status 2) if the line search gives up at the first shorter step that does not
# decrease g.
. "$(dirname "$0")/lib.sh"
cat >deck.yaml <<'EOF'
mesh:     {box: {size: [4, 0.65, 0.65], cells: [20, 4, 4], jitter: 0.05}}
material: {model: neohookean, young: 1e6, poisson: 0.45, density: 1000}
attach:
  xmin:   {stiffness: 1e6, spin: [-180, 0, 0], until: 1, release: 0.15}
  xmax:   {stiffness: 1e6, spin: [ 180, 0, 0], until: 1, release: 0.15}
time:     {step: 3.3333333333333333e-2, steps: 6}
solver:   {max_it: 300, rtol: 1e-8, qn: {initial_hessian: rest_hessian}}
output:   {directory: out, every: 0}
EOF
for type in multigrid petsc; do
  works 1 run deck.yaml -operator_type $type
done
