#!/bin/bash
# ranks: 1 2 4
# Frames of test_vtk, read by VTK; skipped where VTK is missing. Fails when VTK cannot read a frame, or reads another
# time, number or sum than the program wrote, or a tetrahedron with negative volume; when ParaView 5.11 with a new expat
# could not find the end of the XML.
. "$(dirname "$0")/lib.sh"
set -e
"$python" "$source/tests/read_vtk.py"
for ranks in 1 2 4; do
  "$mpiexec" -n "$ranks" "$build/tests/test_vtk" "$source" "$work/$ranks"
  "$python" "$source/tests/read_vtk.py" "$work/$ranks"/a/b/*.vtu
done

# Second-order tetrahedra as VTK reads them. Fails if VTK finds a middle elsewhere on its edge than half-way, or if the
# surface that it extracts does not consist of the quadratic triangles of the box.
"$wring" mesh box second.msh -size 2,1,1 -cells 3,2,2 -jitter 0.3 -order 2 >/dev/null
"$wring" mesh convert second.msh second.vtu >/dev/null
"$python" - <<'PY'
import vtk
reader = vtk.vtkXMLUnstructuredGridReader()
reader.SetFileName("second.vtu")
reader.Update()
grid = reader.GetOutput()
assert grid.GetNumberOfCells() == 72
for i in range(grid.GetNumberOfCells()):
    cell = grid.GetCell(i)
    assert cell.GetCellType() == vtk.VTK_QUADRATIC_TETRA and cell.GetNumberOfEdges() == 6
    for k in range(6):
        a, b, middle = (grid.GetPoint(cell.GetEdge(k).GetPointId(j)) for j in range(3))
        assert all(abs(m - (p + q) / 2) < 1e-15 for m, p, q in zip(middle, a, b)), (i, k)
surface = vtk.vtkUnstructuredGridGeometryFilter()
surface.SetInputData(grid)
surface.Update()
faces = surface.GetOutput()
assert faces.GetNumberOfCells() == 64
assert all(faces.GetCellType(i) == vtk.VTK_QUADRATIC_TRIANGLE for i in range(64))
PY
