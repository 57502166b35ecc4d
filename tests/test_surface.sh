#!/usr/bin/env bash
# A body with a skin, a cloth and a rope of one mesh in one run: the same state on 1, 2 and 4 ranks and threads, after a
# restart on others and a refinement; every solver runs it or gives a reason; frames that VTK reads; refusals.
# usage: test_surface.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 10
. "$(dirname "$0")/lib.sh"

# A box of 4 x 2 x 2 cells; its top is a skin, a cloth of 2 x 4 squares hangs at its upper edge, a rope of 5 lines at a
# corner.
awk 'function num(i, j, k) { return 1 + i + 5 * (j + 3 * k) }
  function put(type, tag, v) { element[++elements] = type " 2 " tag " " tag " " v }
  function quad(p, q, r, s, tag) { put(2, tag, p " " q " " r); put(2, tag, p " " r " " s) }
  BEGIN {
    for (k = 0; k < 3; k++) for (j = 0; j < 3; j++) for (i = 0; i < 5; i++) node[++nodes] = i / 2 " " j / 2 " " k / 2
    split("123 231 312 132 321 213", path, " ")
    for (k = 0; k < 2; k++) for (j = 0; j < 2; j++) for (i = 0; i < 4; i++) for (p = 1; p <= 6; p++) {
      at[1] = i; at[2] = j; at[3] = k; v = num(i, j, k)
      for (c = 1; c <= 3; c++) { at[substr(path[p], c, 1)]++; v = v " " num(at[1], at[2], at[3]) }
      put(4, 1, v) }
    for (j = 0; j < 2; j++) for (i = 0; i < 4; i++)
      quad(num(i, j, 2), num(i + 1, j, 2), num(i + 1, j + 1, 2), num(i, j + 1, 2), 2)
    for (b = 0; b < 5; b++) for (a = 0; a < 3; a++) {
      if (b) node[++nodes] = 2 + b / 4 " " a / 2 " " 1
      g[a, b] = b ? nodes : num(4, a, 2) }
    for (b = 0; b < 4; b++) for (a = 0; a < 2; a++) quad(g[a, b], g[a + 1, b], g[a + 1, b + 1], g[a, b + 1], 3)
    last = 1; for (i = 1; i < 6; i++) { node[++nodes] = "0 0 -" i / 5; put(1, 4, last " " nodes); last = nodes }
    for (k = 0; k < 2; k++) for (j = 0; j < 2; j++)
      quad(num(0, j, k), num(0, j + 1, k), num(0, j + 1, k + 1), num(0, j, k + 1), 5)
    print "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n5\n3 1 \"body\"\n2 2 \"skin\"\n2 3 \"cloth\""
    print "1 4 \"rope\"\n2 5 \"wall\"\n$EndPhysicalNames"
    print "$Nodes\n" nodes; for (i = 1; i <= nodes; i++) print i, node[i]
    print "$EndNodes\n$Elements\n" elements
    for (i = 1; i <= elements; i++) print i, element[i]
    print "$EndElements" }' >mixed.msh
cat >mixed.yaml <<'DECK'
mesh:     {file: mixed.msh}
material: {model: strain, stiffness: 1e5, density: 1000}
membrane:
  skin:   {stiffness: 1e4, density: 1}
  cloth:  {stiffness: 1e3, density: 0.3, strain_limit: {stiffness: 1e3, min: 0.5, max: 1.5},
           area: {stiffness: 10, min: 0.5, max: 2}}
bending:  {skin: {stiffness: 1, model: rigid}, cloth: {stiffness: 1e-2}}
spring:   {rope: {modulus: 1e3, density: 0.5}}
attach:   {wall: {stiffness: 1e6}}
gravity:  [0, 0, -9.81]
time:     {step: 1e-2, steps: 4}
solver:   {type: newton, max_it: 60, rtol: 1e-10}
operator: {type: direct}
output:   {directory: one, every: 2, state_csv: true}
DECK

# ---- counts: 40 triangles and 5 lines work; masses are those of all of them ----
expect 0 2 check mixed.yaml
grep -q '62 vertices, 96 tets, 32 triangles, 5 lines, volume 2 m^3, mass 2002.8 kg' log || fail 'counts'
grep -q '^triangles skin (16) cloth (16) wall (8)$' log && grep -q '^lines     rope (5)$' log ||
  fail 'sets that can be named'
expect 0 1 mesh info mixed.msh
grep -q 'cloth  *15 vertices, 16 triangles, 1 m^2$' log && grep -q 'rope  *6 vertices, 5 lines, 1 m$' log ||
  fail 'mesh info'

# ---- ranks, threads, restart, refinement ----
expect 0 1 run mixed.yaml
grep -q '"triangles": 32' one/run.json && grep -q '"lines": 5' one/run.json || fail 'counts of run.json'
for ranks in 2 4; do
  expect 0 $ranks run mixed.yaml -output_directory other
  same one/state.csv other/state.csv 1e-12
done
served=false OMP_NUM_THREADS=3 expect 0 1 run mixed.yaml -output_directory other
cmp -s one/state.csv other/state.csv || fail 'three threads'
expect 0 2 run mixed.yaml -time_steps 2 -output_directory part
expect 0 3 run mixed.yaml -initial_restart part -output_directory other
same one/state.csv other/state.csv 1e-12
expect 0 1 run mixed.yaml -mesh_refine 1 -time_steps 1 -output_directory fine
grep -q '275 vertices, 768 tets, 128 triangles, 10 lines, .* mass 2002.8 kg' log || fail 'counts of the refined mesh'
expect 0 3 run mixed.yaml -mesh_refine 1 -time_steps 1 -output_directory other
same fine/state.csv other/state.csv 1e-12
expect 0 2 run mixed.yaml -mesh_refine 1 -initial_restart fine -time_steps 2 -output_directory other

# ---- solvers: the minimisers agree; sweeps give the same iterates on any ranks ----
expect 0 1 run mixed.yaml -time_steps 1 -output_directory newton
for solver in qn pd admm anderson; do
  expect 0 2 run mixed.yaml -time_steps 1 -solver_type $solver -solver_max_it 3000 -solver_rtol 1e-9 \
    -output_directory other
  same newton/state.csv other/state.csv 1e-6
done
expect 0 1 run mixed.yaml -time_steps 1 -solver_type xpbd -solver_max_it 20 -output_directory xpbd
expect 0 4 run mixed.yaml -time_steps 1 -solver_type xpbd -solver_max_it 20 -output_directory other
cmp -s xpbd/state.csv other/state.csv || fail 'xpbd on four ranks'
refused_everywhere "solver 'compliant' cannot use material '[a-z_]*': its constraint has no gradient where" \
  run mixed.yaml -solver_type compliant

# ---- frames: 96 tets, 32 triangles and 5 lines; J of areas and lengths ----
cat >read.py <<'PYTHON'
import sys
try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    sys.exit(77)
reader = vtk.vtkXMLUnstructuredGridReader()
reader.SetFileName(sys.argv[1])
reader.Update()
grid = reader.GetOutput()
types = list(vtk_to_numpy(grid.GetCellTypesArray()))
assert [types.count(t) for t in (10, 5, 3, 1)] == [96, 32, 5, 0], types
region, J, energy = (vtk_to_numpy(grid.GetCellData().GetArray(n)) for n in ("region", "J", "energy_density"))
assert sorted(set(region)) == [0, 1, 2, 3], set(region)
assert [list(region).count(r) for r in range(4)] == [96, 16, 16, 5]
assert (energy >= 0).all() and energy[region == 3].max() > 0 and abs(J - 1).max() < 0.2
length = [(grid.GetCell(i).GetLength2() ** 0.5) / 0.2 for i in range(len(types)) if types[i] == 3]
assert max(abs(a - b) for a, b in zip(length, J[region == 3])) < 1e-12
area = sum(grid.GetCell(i).ComputeArea() for i in range(len(types)) if region[i] == 2)
assert abs(area - (J[region == 2] * 0.0625).sum()) < 1e-12, area
PYTHON
expect 0 2 run mixed.yaml -output_directory other
"$python" read.py other/frame_000004.vtu >log 2>&1
case $? in 0) ;; 77) echo 'no VTK for Python: frames were not read' ;; *) fail 'VTK reads another frame' ;; esac

# The energy density of a sheet's triangles times their rest areas, area/J, is the elastic energy. Fails without the
# area.
cat >sheet.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 0], cells: [3, 3, 0]}}
membrane: {box: {stiffness: 100, density: 1}}
initial:  {velocities: stretch.csv}
time:     {step: 0.1, steps: 1, integrator: symplectic_euler}
output:   {directory: sheet, every: 1}
DECK
awk 'BEGIN { print "vertex,x,y,z"; for (i = 0; i < 16; i++) print i "," i % 4 ",0," i / 8 }' >stretch.csv
works 1 run sheet.yaml
cat >area.py <<'PYTHON'
import sys
try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
except ImportError:
    sys.exit(77)
reader = vtk.vtkXMLUnstructuredGridReader()
reader.SetFileName(sys.argv[1])
reader.Update()
grid = reader.GetOutput()
J, energy = (vtk_to_numpy(grid.GetCellData().GetArray(n)) for n in ("J", "energy_density"))
total = sum(energy[i] * grid.GetCell(i).ComputeArea() / J[i] for i in range(grid.GetNumberOfCells()))
assert grid.GetNumberOfCells() == 18 and float(sys.argv[2]) > 1, sys.argv[2]
assert abs(total - float(sys.argv[2])) < 1e-6 * total, (total, sys.argv[2])
PYTHON
"$python" area.py sheet/frame_000001.vtu "$(last sheet/steps.csv elastic)" >log 2>&1
case $? in 0) ;; 77) echo 'no VTK for Python: frames were not read' ;; *) fail 'energies of triangles' ;; esac

# ---- sheets and lines made by wring ----
cat >rope.yaml <<'DECK'
mesh:     {box: {size: [1, 0, 0], cells: [10, 0, 0]}}
spring:   {box: {stiffness: 1e4, damping: 0.1, density: 0.2}}
attach:   {xmin: {stiffness: 1e5}}
gravity:  [0, 0, -9.81]
time:     {step: 1e-3, steps: 5}
solver:   {type: xpbd, max_it: 20}
output:   {directory: rope, state_csv: true}
DECK
expect 0 1 run rope.yaml
grep -q '11 vertices, 0 tets, 10 lines, .* mass 0.2 kg' log || fail 'counts of a rope'
expect 0 3 run rope.yaml -output_directory other
cmp -s rope/state.csv other/state.csv || fail 'a rope on three ranks'

# ---- refusals ----
refused_everywhere "command line: spring: 'box' has stiffness and modulus, expected either stiffness or modulus" check \
  rope.yaml -spring_box_modulus 5 -spring_box_stiffness 5
refused_everywhere "spring_box_stiffness and spring_box_file are both given" check rope.yaml -spring_box_file x.csv \
  -spring_box_stiffness 5
refused_everywhere "spring: 'rip' is not a set of the mesh \(did you mean 'rope'\?\), expected a set with lines" check \
  mixed.yaml -spring_rip_stiffness 1
refused_everywhere "spring: 'skin' has no lines, expected" check mixed.yaml -spring_skin_stiffness 1
refused_everywhere "membrane: 'rope' has no triangles, expected" check mixed.yaml -membrane_rope_stiffness 1
refused_everywhere "bending: 'cloht' is not a set of the mesh \(did you mean 'cloth'\?\)" check mixed.yaml \
  -bending_cloht_stiffness 1
refused_everywhere 'membrane_wall_stiffness is missing' check mixed.yaml -membrane_wall_density 1
refused_everywhere 'membrane_skin_stiffness is "-1", expected a real in \(0,inf\)' check mixed.yaml \
  -membrane_skin_stiffness -1
refused_everywhere \
  'membrane_cloth_strain_limit_min is 3, expected at most membrane_cloth_strain_limit_max, which is 1.5' \
  check mixed.yaml -membrane_cloth_strain_limit_min 3
refused_everywhere 'membrane_skin_area_min is missing' check mixed.yaml -membrane_skin_area_stiffness 1
refused_everywhere 'bending_skin_model is "stiff", expected one of isometric, rigid' check mixed.yaml \
  -bending_skin_model stiff
sed 's/, density: 0.5//' mixed.yaml >light.yaml
refused_everywhere 'vertex 57 has no mass, expected' check light.yaml
# more TRIANGLE: the mesh with one more triangle of the skin.
more() {
  awk -v triangle="$1" '/^\$Elements/ { print; getline n; print n + 1; next }
    /^\$EndElements/ { print n + 1 " 2 2 2 2 " triangle } { print }' mixed.msh
}
more '32 37 62' >fan.msh
refused_everywhere \
  "bending: 'skin': the edge of vertices 31 and 36 has three triangles, to vertices 30, 37 and 61, expected at most" \
  check mixed.yaml -mesh_file "$work/fan.msh"
more '37 32 31' >twice.msh
refused_everywhere "set 'skin' has the triangle of vertices 30, 31, 36 twice" check mixed.yaml \
  -mesh_file "$work/twice.msh"
sed 's/^58 0 0 -0.2$/58 0 0 0/' mixed.msh >short.msh
refused_everywhere "spring: the line of vertices 0 and 57 of 'rope' has length 0" check mixed.yaml \
  -mesh_file "$work/short.msh"
exit 0
