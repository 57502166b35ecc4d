"""Reads cell data of frames with VTK, an independent reader: python3 read_stress.py CASE FRAME.vtu CASE FRAME.vtu
... compares the fields of output.fields with closed forms; the cases are functions below."""
import sys

try:
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-vtk9 python3-numpy)")
    sys.exit(77)

SYMMETRIC = ["XX", "YY", "ZZ", "XY", "YZ", "XZ"]
FULL = ["XX", "XY", "XZ", "YX", "YY", "YZ", "ZX", "ZY", "ZZ"]


def near(what, got, expected, tolerance):
    off = np.abs(got - expected).max() if len(got) else 0.0
    if not off <= tolerance:
        sys.exit(f"{what}: off by {off}, expected at most {tolerance}")


def array(grid, name, components=()):
    data = grid.GetCellData().GetArray(name)
    if data is None:
        sys.exit(f"no field {name}")
    names = [data.GetComponentName(i) for i in range(data.GetNumberOfComponents())]
    if components and names != list(components):
        sys.exit(f"{name}: components {names}")
    return vtk_to_numpy(data)


def tensor(six):
    """The matrices of symmetric tensors, by the names of their components."""
    full = np.zeros((len(six), 3, 3))
    for name, value in zip(SYMMETRIC, six.T):
        i, j = ("XYZ".index(letter) for letter in name)
        full[:, i, j] = full[:, j, i] = value
    return full


def von_mises(sigma):
    deviator = sigma - np.trace(sigma, axis1=1, axis2=2)[:, None, None] / 3 * np.eye(3)
    return np.sqrt(1.5 * (deviator**2).sum(axis=(1, 2)))


def mapped(grid):
    """neohookean, mu 4e4 Pa, lambda 6e4 Pa, under x = A X: sigma = (mu (A A^T - 1) + lambda log J)/J."""
    A = np.array([[1.2, 0.25, -0.1], [-0.05, 0.85, 0.2], [0.15, -0.1, 1.1]])
    J = np.linalg.det(A)
    expected = (4e4 * (A @ A.T - np.eye(3)) + 6e4 * np.log(J) * np.eye(3)) / J
    sigma = tensor(array(grid, "stress", SYMMETRIC))
    near("stress", sigma, expected, 1e-8)
    near("F", array(grid, "deformation_gradient", FULL).reshape(-1, 3, 3), A, 1e-13)
    near("von Mises", array(grid, "von_mises"), von_mises(expected[None])[0], 1e-8)


def pulled(grid):
    """A dead traction of 5000 Pa along x: P = sigma J F^-T has this component only."""
    sigma = tensor(array(grid, "stress", SYMMETRIC))
    F = array(grid, "deformation_gradient", FULL).reshape(-1, 3, 3)
    P = np.linalg.det(F)[:, None, None] * sigma @ np.linalg.inv(F).transpose(0, 2, 1)
    near("P", P, np.diag([5e3, 0, 0]), 1e-5)
    near("von Mises", array(grid, "von_mises"), von_mises(sigma), 1e-8)
    near("J", array(grid, "J"), np.linalg.det(F), 1e-13)
    if not F[:, 0, 0].min() > 1.01:
        sys.exit("not stretched")


def inverted(grid):
    """NaN where J <= 0 and only there."""
    J = array(grid, "J")
    if not 0 < (J <= 0).sum() < len(J):
        sys.exit(f"{(J <= 0).sum()} of {len(J)} inverted")
    for name in ("stress", "von_mises"):
        if (np.isnan(array(grid, name).reshape(len(J), -1)) != (J <= 0)[:, None]).any():
            sys.exit(f"{name}: NaN elsewhere than at J <= 0")


def sheet(grid):
    """A strain membrane of 200 N/m, stretched by 1.25 along the axis (0.6, 0, 0.8): 50 N/m along it."""
    axis = np.array([0.6, 0, 0.8])
    near("force", tensor(array(grid, "membrane_force", SYMMETRIC)), 50 * np.outer(axis, axis), 1e-10)


def body_and_sheet(grid):
    """Fields are 0 in cells where they are not defined."""
    tets = vtk_to_numpy(grid.GetCellTypesArray()) == vtk.VTK_TETRA
    if not 0 < tets.sum() < len(tets):
        sys.exit("not both kinds of cells")
    for name, where in (("stress", ~tets), ("von_mises", ~tets), ("membrane_force", tets)):
        data = array(grid, name).reshape(len(tets), -1)
        near(name, data[where], 0, 0)
        if not np.abs(data[~where]).max() > 1:
            sys.exit(f"{name} is 0 everywhere")


def plain(grid):
    """Without output.fields there are four fields."""
    data = grid.GetCellData()
    names = [data.GetArrayName(i) for i in range(data.GetNumberOfArrays())]
    if names != ["J", "energy_density", "region", "rank"]:
        sys.exit(f"fields {names}")


for case, path in zip(sys.argv[1::2], sys.argv[2::2]):
    print(case, path)
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    globals()[case](reader.GetOutput())
