"""A body that starts from positions drawn at random, and how well it finds back (Liu, Bouaziz, Kavan 2017, figure 18).

    python3 jobs/random_start.py positions VERTICES SEED > x.csv     uniform in the unit cube, the same on every machine
    python3 jobs/random_start.py distance RUN                        after the last frame of a run: the largest distance of a vertex
                                                                     from its rest position, once the body is moved rigidly onto
                                                                     its rest shape, over the diagonal of the bounding box
Debian: python3-numpy and, for distance, python3-vtk9.
"""
import glob
import sys

import numpy as np


def positions(vertices, seed):
    """Park and Miller's generator: exact in every language."""
    print("vertex,x,y,z")
    state = 1 + 1000 * seed
    for vertex in range(vertices):
        row = []
        for _ in range(3):
            for _ in range(2):  # the first numbers of neighbouring seeds are alike
                state = 48271 * state % 2147483647
            row.append(state / 2147483647)
        print(vertex, *row, sep=",")


def distance(run):
    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(sorted(glob.glob(run + "/frame_*.vtu"))[-1])
    reader.Update()
    grid = reader.GetOutput()
    x = vtk_to_numpy(grid.GetPoints().GetData())
    rest = x - vtk_to_numpy(grid.GetPointData().GetArray("displacement"))
    p, q = rest - rest.mean(0), x - x.mean(0)
    u, _, v = np.linalg.svd(p.T @ q)  # Kabsch: the rotation that takes p nearest to q
    turn = u @ np.diag([1, 1, np.sign(np.linalg.det(u @ v))]) @ v
    print(np.linalg.norm(p @ turn - q, axis=1).max() / np.linalg.norm(np.ptp(rest, axis=0)))


if sys.argv[1] == "positions":
    positions(int(sys.argv[2]), int(sys.argv[3]))
else:
    distance(sys.argv[2])
