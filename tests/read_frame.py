"""Opens frames with VTK, an independent reader: python3 read_frame.py VERTICES TETS FRAME.vtu ... [-- VERTICES ...]
fails unless each has so many points and cells, and finite fields. Names have no blanks."""
import sys
try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-vtk9 python3-numpy)")
    sys.exit(77)


def check(frame, vertices, tets):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(frame)
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append("error"))
    reader.Update()
    grid = reader.GetOutput()
    if errors:
        sys.exit(f"{frame}: VTK reports an error")
    points = len(np.unique(vtk_to_numpy(grid.GetPointData().GetArray("vertex"))))
    if (points, grid.GetNumberOfCells()) != (vertices, tets):
        sys.exit(f"{frame}: {points} vertices and {grid.GetNumberOfCells()} cells, expected {vertices} and {tets}")
    for data, name in ((grid.GetPointData(), "displacement"), (grid.GetPointData(), "velocity"),
                       (grid.GetCellData(), "J"), (grid.GetCellData(), "energy_density")):
        if not np.isfinite(vtk_to_numpy(data.GetArray(name))).all():
            sys.exit(f"{frame}: {name} is not finite")


for group in " ".join(sys.argv[1:]).split(" -- "):
    vertices, tets, *frames = group.split()
    for frame in frames:
        check(frame, int(vertices), int(tets))
