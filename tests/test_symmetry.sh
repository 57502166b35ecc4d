#!/usr/bin/env bash
# Hard attachments of components in decks: half of a body beside its plane of symmetry has the positions of the whole
# and half of its reactions, on any number of ranks; parts that planes leave free and bad keys are refused in one line.
# Fails if a component is not held, a tangential one is, a force is counted twice, or a check accepts what it should
# not.
# usage: test_symmetry.sh BUILD_DIR SOURCE_DIR     ranks: 4
. "$(dirname "$0")/lib.sh"

# half.mesh and whole.mesh, which continues the half's numbers by the image of the half beyond z = 0.
"$python" - <<'PY'
from itertools import permutations
n, size = (6, 3, 2), (1.2, 0.3, 0.2)
points, number = [], {}
for k in range(n[2] + 1):
    for j in range(n[1] + 1):
        for i in range(n[0] + 1):
            number[i, j, k] = len(points)
            points.append(tuple(c * s / m for c, s, m in zip((i, j, k), size, n)))
tets = []
for i in range(n[0]):
    for j in range(n[1]):
        for k in range(n[2]):
            for order in permutations(range(3)):
                at, corners = [i, j, k], [number[i, j, k]]
                for c in order:
                    at[c] += 1
                    corners.append(number[tuple(at)])
                even = order in ((0, 1, 2), (1, 2, 0), (2, 0, 1))
                tets.append(corners if even else [corners[1], corners[0]] + corners[2:])
image, whole = {}, list(points)
for v, (x, y, z) in enumerate(points):
    image[v] = v if z == 0 else len(whole)
    if z > 0:
        whole.append((x, y, -z))
both = tets + [[image[t[1]], image[t[0]], image[t[2]], image[t[3]]] for t in tets]
for name, p, t in (("half", points, tets), ("whole", whole, both)):
    with open(name + ".mesh", "w") as f:
        f.write(f"MeshVersionFormatted 2\nDimension 3\nVertices\n{len(p)}\n")
        f.writelines("%.17g %.17g %.17g 0\n" % q for q in p)
        f.write(f"Tetrahedra\n{len(t)}\n")
        f.writelines("%d %d %d %d 1\n" % tuple(v + 1 for v in q) for q in t)
        f.write("End\n")
PY

cat >whole.yaml <<'Y'
mesh: {file: whole.mesh}
material: {model: neohookean, young: 1e5, poisson: 0.4, density: 1000}
set: {wall: {box: [-1, -1, -1, 1e-6, 1, 1]}, middle: {box: [-1, -1, -1e-6, 2, 1, 1e-6]}}
attach: {wall: {hard: true}}
gravity: [1, -5, 0]
solver: {rtol: 1e-9, max_it: 3000}
output: {directory: out, state_csv: true, every: 0}
Y
sed 's/whole.mesh/half.mesh/; s/^attach:.*/attach: {wall: {hard: true}, middle: {hard: true, components: z}}/' \
  whole.yaml >half.yaml

# largest_difference A B: of the positions of A from those in B
largest_difference() {
  awk -F, 'NR == FNR { for (c = 2; c < 5; c++) at[$1, c] = $c; next }
    FNR > 1 { for (c = 2; c < 5; c++) { d = $c - at[$1, c]; d = d < 0 ? -d : d; if (d > most) most = d } }
    END { printf "%.3g\n", most }' "$2" "$1"
}

# same NAME RANKS KEYS...: the half on these ranks against the whole on one.
same() {
  local name=$1 ranks=$2
  shift 2
  works 1 run whole.yaml -output_directory whole "$@"
  works "$ranks" run half.yaml -output_directory half "$@"
  near "$(largest_difference half/state.csv whole/state.csv)" 0 1e-7 "$name: positions of the half"
  close "$(last half/steps.csv elastic)" "$(awk "BEGIN { print $(last whole/steps.csv elastic) / 2 }")" 1e-5 \
    "$name: energy of the half"
  close "$(last half/steps.csv wall_fy)" "$(awk "BEGIN { print $(last whole/steps.csv wall_fy) / 2 }")" 1e-5 \
    "$name: reaction of the half"
  [ "$(last half/steps.csv middle_fx)$(last half/steps.csv middle_fy)" = 00 ] || fail "$name: tangential reactions"
  [ "$(awk -F, 'NR > 1 && NR <= 29 { print $4 }' half/state.csv | sort -u)" = 0 ] ||
    fail "$name: vertices left the plane"
}
same static 1 -time_integrator static -time_steps 2 -solver_type newton
same static 4 -time_integrator static -time_steps 2 -solver_type qn
same dynamic 2 -time_step 0.02 -time_steps 4 -solver_type newton
same admm 2 -time_step 0.02 -time_steps 2 -solver_type admm
sed -i 's/^material:.*/material: {model: strain, stiffness: 1e5, density: 1000}/' whole.yaml half.yaml
same pd 2 -time_step 0.02 -time_steps 2 -solver_type pd

# ---- what is free, what is refused -----------------------------------------------------------------------------------

cat >bar.yaml <<'Y'
mesh: {box: {size: [2, 0.5, 0.4], cells: [3, 1, 1]}}
material: {model: stvk, young: 1e6, poisson: 0.3, density: 1000}
attach:
  xmin: {hard: true, components: x}
  ymin: {hard: true, components: y}
  zmin: {hard: true, components: z}
  xmax: {hard: true, components: x, velocity: [0.2, 0, 0]}
time: {integrator: static, steps: 2}
solver: {type: newton}
output: {directory: out, state_csv: true, every: 0}
Y
works 1 run bar.yaml
# S_xx = E E_xx over the square at rest; lambda_x = 1.1, E_xx = 0.105
close "$(last out/steps.csv xmax_fx)" 23100 1e-9 "the force of the bar"
close "$(field out/state.csv 15 3)" "$(awk 'BEGIN { print 0.5 * sqrt(1 - 0.6 * 0.105) }')" 1e-5 "contraction in y"
works 1 check bar.yaml
works 1 evaluate bar.yaml
refused "free in 1 rigid motion" run bar.yaml -attach_zmin_components y
refused "free in 3 rigid motions" run bar.yaml -attach_xmax_velocity 0,0,0 -attach_ymin_components x \
  -attach_zmin_components x
refused 'attach_ymin_components is "w", expected one of x, y, z, xy, yz, xz, xyz' \
  check bar.yaml -attach_ymin_components w
refused 'attach_ymin_components is "x,y", expected one of' check bar.yaml -attach_ymin_components x,y
refused "attach_ymin_components applies to hard attachments only, expected attach_ymin_hard true" \
  check bar.yaml -attach_ymin_hard false -attach_ymin_stiffness 1e5
refused "attach_xmax_spin about y turns z and x into each other" check bar.yaml -attach_xmax_spin 0,10,0
works 1 check bar.yaml -attach_xmax_spin 10,0,0
refused_on 3 "vertex [0-9]* is held by 'ymin' at x = 2 m and by 'xmax' at 2.1 m, expected equal targets" \
  run bar.yaml -attach_ymin_components xy
