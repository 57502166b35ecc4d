"""Reads frames with VTK, an independent reader: python3 read_vtk.py FRAME.vtu ... compares each with
FRAME.vtu.expected."""
import sys
try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-vtk9 python3-numpy)")
    sys.exit(77)

VERTEX, LINE, TETRA = 1, 3, 10


def same(what, got, expected):
    if abs(got - expected) > 1e-12 * max(1, abs(expected)):
        sys.exit(f"{what}: VTK has {got!r}, expected {expected!r}")


def signed_volume(grid, cell):
    return vtk.vtkTetra.ComputeVolume(*(grid.GetPoint(cell.GetPointId(i)) for i in range(4)))


def check_tag(frame):
    """ParaView 5.11 with expat 2.6 finds no end of a tag that is split elsewhere: see print_tag of src/io/vtk."""
    with open(frame, "rb") as file:
        split = -file.read().index(b'<AppendedData encoding="raw">') % 4096
    if not 15 <= split <= 21:
        sys.exit(f"{frame}: a block of 4096 bytes ends after {split} bytes of <AppendedData, expected 15 to 21")


def check(frame):
    check_tag(frame)
    with open(frame + ".expected") as lines:
        expected = {name: float(value) for name, value in map(str.split, lines)}
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(frame)
    errors = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append("error"))
    reader.Update()
    grid = reader.GetOutput()
    if errors:
        sys.exit(f"{frame}: VTK reports an error")
    same(f"{frame}: time", grid.GetFieldData().GetArray("TimeValue").GetValue(0), expected["time"])
    same(f"{frame}: points", grid.GetNumberOfPoints(), expected["points"])
    same(f"{frame}: cells", grid.GetNumberOfCells(), expected["cells"])
    same(f"{frame}: x", vtk_to_numpy(grid.GetPoints().GetData()).sum(), expected["x"])
    if grid.GetPoints().GetDataType() != vtk.VTK_DOUBLE:
        sys.exit(f"{frame}: points are not doubles")
    for data, names in ((grid.GetPointData(), ("u", "vertex")),
                        (grid.GetCellData(), ("volume", "energy", "region", "flag"))):
        for name in names:
            same(f"{frame}: {name}", vtk_to_numpy(data.GetArray(name)).sum(dtype=float), expected[name])
    types = vtk_to_numpy(grid.GetCellTypesArray()) if grid.GetNumberOfCells() else np.zeros(0)
    same(f"{frame}: tets", (types == TETRA).sum(), expected["tets"])
    if not np.isin(types, (VERTEX, LINE, TETRA)).all():
        sys.exit(f"{frame}: a cell of another type")
    if grid.GetNumberOfCells():
        volume = vtk_to_numpy(grid.GetCellData().GetArray("volume"))
        for i in np.linspace(0, len(types) - 1, 200).astype(int):
            if types[i] == TETRA:  # a turned tet would have the other sign
                same(f"{frame}: volume of cell {i}", signed_volume(grid, grid.GetCell(i)), volume[i])


for frame in sys.argv[1:]:
    check(frame)
