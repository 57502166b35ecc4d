"""A body that starts from random positions, and how well it recovers (Liu, Bouaziz, Kavan 2017, figure 18)."""
import numpy as np

import outputs


def positions(vertices, seed):
    """
    Lines of a table vertex,x,y,z, uniform in the unit cube, by the generator of Park and Miller: the same on every
    machine.
    """
    yield "vertex,x,y,z"
    state = 1 + 1000 * seed
    for vertex in range(vertices):
        row = []
        for _ in range(3):
            for _ in range(2):  # the first numbers of neighbouring seeds are alike
                state = 48271 * state % 2147483647
            row.append(state / 2147483647)
        yield ",".join(map(str, [vertex, *row]))


def distance_of(rest, x):
    """
    The largest distance of a vertex from its rest position, once the body is moved rigidly onto its rest shape [Kabsch
    1976], over the diagonal of the bounding box. rest, x [n][3].
    """
    p, q = rest - rest.mean(0), x - x.mean(0)
    u, _, v = np.linalg.svd(p.T @ q)
    turn = u @ np.diag([1, 1, np.sign(np.linalg.det(u @ v))]) @ v
    return np.linalg.norm(p @ turn - q, axis=1).max() / np.linalg.norm(np.ptp(rest, axis=0))


def distance(run):
    """The same after the last frame of a run."""
    from vtk.util.numpy_support import vtk_to_numpy

    grid = outputs.last_frame(run)
    x = vtk_to_numpy(grid.GetPoints().GetData())
    return distance_of(x - vtk_to_numpy(grid.GetPointData().GetArray("displacement")), x)
