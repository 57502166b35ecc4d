"""
Manufactured solutions at large strain: the loads on the vertices are the internal forces of the exact solution,
f_i = sum of the integrals of P(F) grad N_i, P by laws.py, with quadrature. Errors of displacement in L2 and H1. A
solution is a function of points at rest [n, 3], which gives their positions [n, 3] and the gradient of these [n, 3, 3].
"""
import functools
import math
import os

from verify import laws, meshes
from verify.case import INPUTS, Row

SOURCE = "method of manufactured solutions, Roache, J. Fluids Eng. 124 (2002) 4; orders: Ciarlet 1978, 3.2"
CELLS = (4, 8, 16)
SECOND = (3, 6, 12)  # cells of tetrahedra of order 2
SECOND_LAWS = ("neohookean", "stable_neohookean", "corotated")
KEPT = (2, 4, 8)  # of the solution that keeps volumes
RATIOS = (0.3, 0.45, 0.49, 0.4999)  # Poisson's
LOCKS = "elements without means of the volume lock"
WAVE = math.pi / 2  # [1/m]
# The exact solution is linear with waves on top. polynomial has no stiffness at rest and is stretched everywhere.
BASE = {"polynomial": 1.5}


@functools.lru_cache(maxsize=None)
def waves(stretch):
    """The solution of `manufactured`, which changes volumes."""
    return functools.partial(move_by_waves, stretch)


def move_by_waves(stretch, points):
    import numpy

    x, y, z = (WAVE * points[:, i] for i in range(3))
    base = numpy.diag([1.15, 1.0, 0.95]) * stretch + numpy.array([[0, 0.2, 0], [0, 0, 0.1], [0.05, 0, 0]])
    wave = [0.1, -0.08, 0.12]
    bumps = [numpy.sin(x) * numpy.cos(y), numpy.sin(y) * numpy.cos(z), numpy.sin(z) * numpy.cos(x)]
    position = points @ base.T + numpy.stack([w * b for w, b in zip(wave, bumps)], axis=1)
    gradient = numpy.broadcast_to(base, (len(points), 3, 3)).copy()
    cosines = [numpy.cos(x) * numpy.cos(y), numpy.cos(y) * numpy.cos(z), numpy.cos(z) * numpy.cos(x)]
    sines = [-numpy.sin(x) * numpy.sin(y), -numpy.sin(y) * numpy.sin(z), -numpy.sin(z) * numpy.sin(x)]
    for i, (c, s) in enumerate(zip(cosines, sines)):
        gradient[:, i, i] += WAVE * wave[i] * c
        gradient[:, i, (i + 1) % 3] += WAVE * wave[i] * s
    return position, gradient


def shears(points):
    """
    Three shears, one after the other, which keep all volumes: x = X + a(Y), y = Y + b(Z), z = Z + c(x). P is then the
    same at every Poisson's ratio for a law whose volumetric part has no slope at J = 1.
    """
    import numpy

    position = points.copy()
    gradient = numpy.broadcast_to(numpy.eye(3), (len(points), 3, 3)).copy()
    for i, size in enumerate((0.15, 0.12, -0.1)):
        j = (i + 1) % 3
        gradient[:, i] += (size * WAVE * numpy.cos(WAVE * position[:, j]))[:, None] * gradient[:, j]
        position[:, i] += size * numpy.sin(WAVE * position[:, j])
    return position, gradient


def nominal(law, gradient):
    """P [n, 3, 3] of F [n, 3, 3] by signed singular values and the derivatives of psi in them, by complex steps."""
    import numpy

    u, s, vt = numpy.linalg.svd(gradient)
    turn = numpy.linalg.det(u @ vt) < 0
    u[turn, :, 2] *= -1
    s[turn, 2] *= -1
    slopes = numpy.empty_like(s)
    for n, stretches in enumerate(s.tolist()):
        slopes[n] = [laws.stress(law, stretches, i) for i in range(3)]
    return (u * slopes[:, None, :]) @ vt


def quadrature(order):
    """Barycentric points [4] and their weights, of degree 2 and 5."""
    if order == 1:
        a, b = (5 + 3 * math.sqrt(5)) / 20, (5 - math.sqrt(5)) / 20
        return [([a if i == j else b for j in range(4)], 1 / 4) for i in range(4)]
    found = []
    for a, w in ((0.0673422422100982, 0.1126879257180159), (0.7217942490673263, 0.0734930431163620)):
        found += [([a if i == j else (1 - a) / 3 for j in range(4)], w) for i in range(4)]
    a = 0.4544962958743504
    found += [([a if j in edge else 0.5 - a for j in range(4)], 0.0425460207770815) for edge in meshes.EDGES[4]]
    return found


def shapes(point, order):
    """The shape functions [nodes] at a barycentric point and their derivatives [nodes, 4] in its coordinates."""
    import numpy

    if order == 1:
        return numpy.array(point), numpy.eye(4)
    edges = meshes.EDGES[4]
    values = [c * (2 * c - 1) for c in point] + [4 * point[i] * point[j] for i, j in edges]
    slopes = numpy.zeros((10, 4))
    for i, c in enumerate(point):
        slopes[i, i] = 4 * c - 1
    for e, (i, j) in enumerate(edges):
        slopes[4 + e, i], slopes[4 + e, j] = 4 * point[j], 4 * point[i]
    return numpy.array(values), slopes


def geometry(corners):
    """Of tetrahedra [tets, 4, 3]: the gradients of barycentric coordinates [tets, 4, 3], and the volumes [tets]."""
    import numpy

    edges = corners[:, :3] - corners[:, 3:]
    inverse = numpy.linalg.inv(edges).transpose(0, 2, 1)
    gradients = numpy.concatenate([inverse, -inverse.sum(axis=1, keepdims=True)], axis=1)
    return gradients, abs(numpy.linalg.det(edges)) / 6


def errors(rule, positions, solution):
    """Of positions of the vertices [n, 3], relative: in L2, and of their gradient. rule: as Level.rule."""
    import numpy

    positions, sums = numpy.asarray(positions), numpy.zeros(4)
    for nodes, values, gradients, place, weight in rule:
        position, gradient = solution(place)
        vertices = positions[nodes]
        gap = numpy.einsum("a,eai->ei", values, vertices) - position
        ours = numpy.einsum("eai,eaj->eij", vertices, gradients, optimize=True)
        parts = (gap, position, ours - gradient, gradient)
        sums += [(weight * (p.reshape(len(p), -1) ** 2).sum(axis=1)).sum() for p in parts]
    return math.sqrt(sums[0] / sums[1]), math.sqrt(sums[2] / sums[3])


class Level:
    """
    A mesh of straight edges and its nodes of an order. rule: of each point of quadrature the nodes [tets, nodes], the
    shape functions [nodes], their gradients [tets, nodes, 3], the places [tets, 3] and the weights [tets].
    """

    def __init__(self, order, cells):
        import numpy

        self.order, self.cells = order, cells
        self.mesh, self.raised = (meshes.box((cells, cells, cells), jitter=0.3) for _ in range(2))
        if order == 2:
            self.raised.raise_order()
        self.points = numpy.array(self.raised.points)
        self.tets = numpy.array([self.raised.nodes(tet) for tet in self.raised.tets])
        corners = self.points[self.tets[:, :4]]
        (first, volumes), self.rule = geometry(corners), []
        for point, weight in quadrature(order):
            values, slopes = shapes(point, order)
            place = numpy.einsum("a,eai->ei", numpy.array(point), corners)
            gradients = numpy.einsum("ak,eki->eai", slopes, first)
            self.rule.append((self.tets, values, gradients, place, weight * volumes))

    def surface(self):
        return set(self.raised.vertices(*meshes.SIDES))

    @functools.lru_cache(maxsize=None)
    def loads(self, law, solution):
        import numpy

        forces = numpy.zeros_like(self.points)
        for nodes, _, gradients, place, weight in self.rule:
            stress = nominal(law, solution(place)[1]) * weight[:, None, None]
            numpy.add.at(forces, nodes, numpy.einsum("eij,eaj->eai", stress, gradients))
        return forces


def tables(level, law, solution, name):
    """
    Paths of tables: targets in NAME.csv, loads in NAME_loads.csv, positions of all vertices in NAME_start.csv. A solve
    starts from the exact positions, which saves iterations.
    """
    position = solution(level.points)[0]
    start = {v: tuple(map(float, at)) for v, at in enumerate(position)}
    surface = level.surface()
    targets = {v: tuple(map(float, position[v])) for v in surface}
    forces = level.loads(law, solution)
    inner = {v: tuple(map(float, forces[v])) for v in range(len(level.points)) if v not in surface}
    rows = (targets, inner, start)
    return [meshes.table(f"{name}{part}.csv", row) for part, row in zip(("", "_loads", "_start"), rows)]


@functools.lru_cache(maxsize=None)
def level_of(order, cells):
    return Level(order, cells)


def solve(bench, label, level, law, solution, how):
    """The errors of a level with a law and its keys."""
    label = f"{label}-{level.cells}"
    targets, loads, start = tables(level, law, solution, bench.file(label))
    how = {**how, "attach_surface_file": targets, "point_load_body_file": loads, "initial_positions": start}
    how |= {"mesh_file": bench.file(f"{level.cells}.msh"), "mesh_order": level.order}
    return errors(level.rule, bench.run("manufactured", label, how).positions(), solution)


def levels_of(bench, order, sizes):
    """Levels, their meshes written."""
    levels = [level_of(order, cells) for cells in sizes]
    for level in levels:
        level.mesh.write(bench.file(f"{level.cells}.msh"))
    return levels


def rows_of(title, order, found, reason=""):
    """Of errors in L2 and H1 by level; title has a place for the norm."""
    return [
        Row(title.format(norm), "order", list(errors), source=SOURCE, order=expected, scale=1, reason=reason)
        for (norm, expected), errors in zip((("L2", order + 1), ("H1", order)), zip(*found))
    ]


def manufactured(bench):
    rows = []
    count = 2 if bench.quick else 3
    for order, sizes in ((1, CELLS), (2, SECOND)):
        names = ("neohookean",) if bench.quick else laws.LAWS if order == 1 else SECOND_LAWS
        levels = levels_of(bench, order, sizes[:count])
        for name in names:
            how, solution = laws.keys(name, os.path.abspath(f"{INPUTS}/spline.csv")), waves(BASE.get(name, 1.0))
            found = [solve(bench, f"{name}-{order}", level, laws.LAWS[name], solution, how) for level in levels]
            rows += rows_of(f"{name}: error in {{}}" + (", tetrahedra of order 2" if order == 2 else ""), order, found)
    return rows


def towards_half(nu, volumetric):
    """Keys of neohookean with this Poisson's ratio."""
    how = laws.keys("neohookean", None) | {"material_volumetric": volumetric}
    return how | {"material_lambda": 2 * laws.MU * nu / (1 - 2 * nu)}


def isochoric(bench):
    """neohookean towards Poisson's ratio 1/2, with and without means of the volume."""
    rows = []
    for order, sizes in ((1, CELLS), (2, KEPT)):
        levels = levels_of(bench, order, sizes)
        for volumetric in ("full", "mean"):
            for nu in RATIOS:
                how = towards_half(nu, volumetric)
                label = f"{order}-{volumetric}-{nu}"
                found = [solve(bench, label, level, laws.neohookean, shears, how) for level in levels]
                title = f"order {order}, {volumetric}, nu = {nu}: error in {{}}"
                rows += rows_of(title, order, found, LOCKS if volumetric == "full" else "")
    return rows


def write_inputs():
    level = Level(1, CELLS[0])
    level.mesh.write(f"{INPUTS}/manufactured.msh")
    tables(level, laws.LAWS["neohookean"], waves(1.0), f"{INPUTS}/manufactured")
