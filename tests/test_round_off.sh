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

# Sheets at rest at a limit of their stretches or areas, where the curvature of g jumps by a factor of 150,000: qn and
# newton end at the same minimum with rtol 1e-8. Fails if a search ends at round-off because its full step goes beyond
# the jump (areas end after 594 iterations), or because the rounding error of k/2 |F - P|^2 is taken for that of terms
# of magnitude k (they end after 44, with half as much energy again).
cat >sheet.yaml <<'EOF'
mesh:     {box: {size: [1, 1, 0], cells: [2, 2, 0], jitter: 0.2}}
membrane: {box: {stiffness: 20, density: 0.2}}
attach:   {xmin: {hard: true}}
gravity:  [0, 0, -9.81]
time:     {step: 1e-2, steps: 1}
solver:   {rtol: 1e-8, stop: relative}
output:   {directory: out, every: 0}
EOF
for limit in area strain_limit; do
  at=-membrane_box_$limit
  for ranks in 1 2; do
    for solver in newton qn; do
      works $ranks run sheet.yaml -solver_type $solver ${at}_stiffness 3e6 ${at}_min 0.9 ${at}_max 1
      [ "$(last out/steps.csv reason)" = converged ] ||
        fail "$solver, $limit, $ranks ranks: $(last out/steps.csv reason)"
      [ $solver = newton ] && least=$(last out/steps.csv elastic)
    done
    close "$(last out/steps.csv elastic)" "$least" 1e-3 "energy of $limit by qn on $ranks ranks"
  done
done
