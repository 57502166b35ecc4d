"""fenicsx.py CASE.json: a case of `jobs peers` by FEniCSx 0.5 (Debian: python3-dolfinx), to be started under mpiexec.

Newton's method on the energy of wring's neohookean or stvk, docs/theory.md 3: a backtracking search on the energy,
systems by conjugate gradients with GAMG and the six rigid modes to the tolerances of Eisenstat and Walker, or by a
factor of MUMPS. Prints one line of JSON: seconds from the compiled forms to the end, iterations, linear iterations,
energy, |grad g|, the displacement of the corner with the largest coordinates, peak memory of the ranks before the mesh
and at the end. Just-in-time compilation and the mesh are not timed.
"""
import json
import resource
import sys
import time

import dolfinx
import numpy
import ufl
from dolfinx import fem
from mpi4py import MPI
from petsc4py import PETSc

COMM = MPI.COMM_WORLD
JIT = {"cffi_extra_compile_args": ["-O3", "-march=native", "-fno-math-errno"], "cffi_libraries": ["m"]}
SLOPE, SHORTEST, MOST = 1e-4, 1e-10, 200  # Armijo's constant, the shortest step, iterations of a solve
GAMG = {
    "ksp_type": "cg",
    "ksp_norm_type": "unpreconditioned",
    "ksp_max_it": 5000,
    "pc_type": "gamg",
    "pc_gamg_agg_nsmooths": 1,
    "pc_gamg_reuse_interpolation": True,
    "mg_levels_ksp_type": "chebyshev",
    "mg_levels_pc_type": "jacobi",
}
MUMPS = {"ksp_type": "preonly", "pc_type": "cholesky", "pc_factor_mat_solver_type": "mumps", "mat_mumps_icntl_14": 100}


def memory():
    """Bytes, the peaks of all ranks together."""
    return COMM.allreduce(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


def read_mesh(path):
    """On rank 0, and distributed from there."""
    with numpy.load(path) as file:
        points, cells = file["points"], file["cells"]
    if COMM.rank:
        points, cells = points[:0], cells[:0]
    element = ufl.Mesh(ufl.VectorElement("Lagrange", ufl.tetrahedron, 1))
    return dolfinx.mesh.create_mesh(COMM, cells, points, element)


def rigid_modes(space, like):
    """Orthonormal on the coordinates of the degrees of freedom at rest."""
    x = space.tabulate_dof_coordinates()[: space.dofmap.index_map.size_local]
    modes = []
    for i in range(6):
        vector = like.duplicate()
        block = numpy.zeros((len(x), 3))
        if i < 3:
            block[:, i] = 1
        else:
            a, b = (i - 2) % 3, (i - 1) % 3
            block[:, a], block[:, b] = -x[:, b], x[:, a]
        vector.array[:] = block.ravel()
        for other in modes:
            vector.axpy(-vector.dot(other), other)
        vector.normalize()
        modes.append(vector)
    return PETSc.NullSpace().create(vectors=modes, comm=COMM)


def neohookean(F, mu, lam):
    log = ufl.ln(ufl.det(F))
    return mu / 2 * (ufl.inner(F, F) - 3) - mu * log + lam / 2 * log**2


def stvk(F, mu, lam):
    E = (F.T * F - ufl.Identity(3)) / 2
    return mu * ufl.inner(E, E) + lam / 2 * ufl.tr(E) ** 2


LAWS = {"neohookean": neohookean, "stvk": stvk}


class Problem:
    """The energy, its derivatives, and the position at the start of a step."""

    def __init__(self, case):
        mesh = read_mesh(case["mesh"])
        self.space = space = fem.VectorFunctionSpace(mesh, ("CG", case["order"]))
        self.u, self.target, self.h = fem.Function(space), fem.Function(space), case.get("h")
        near = lambda at: (lambda x: numpy.isclose(x[0], at))
        facets = dolfinx.mesh.locate_entities_boundary(mesh, 2, near(case["end"]))
        tags = dolfinx.mesh.meshtags(mesh, 2, numpy.sort(facets), numpy.ones(len(facets), dtype=numpy.int32))
        held = dolfinx.mesh.locate_entities_boundary(mesh, 2, near(0))
        self.held = [fem.dirichletbc(numpy.zeros(3), fem.locate_dofs_topological(space, 2, held), space)]
        mu = case["young"] / (2 * (1 + case["poisson"]))
        lam = 2 * mu * case["poisson"] / (1 - 2 * case["poisson"])
        psi = LAWS[case["law"]](ufl.Identity(3) + ufl.grad(self.u), mu, lam)
        energy = psi * ufl.dx(metadata={"quadrature_degree": 2 * (case["order"] - 1)})
        traction = fem.Constant(mesh, numpy.array(case["traction"], dtype=float))
        energy -= ufl.inner(traction, self.u) * ufl.ds(subdomain_data=tags, subdomain_id=1)
        if self.h:  # masses of vertices
            lumped = ufl.dx(metadata={"quadrature_rule": "vertex", "quadrature_degree": 1})
            away = self.u - self.target
            energy += case["density"] / (2 * self.h**2) * ufl.inner(away, away) * lumped
        gradient = ufl.derivative(energy, self.u)
        form = lambda of: fem.form(of, jit_params=JIT)
        self.energy, self.gradient = form(energy), form(gradient)
        self.hessian = form(ufl.derivative(gradient, self.u))

    def value(self):
        """Infinite where an element is inverted."""
        value = COMM.allreduce(fem.assemble_scalar(self.energy))
        return value if numpy.isfinite(value) else numpy.inf

    def slope(self, b):
        with b.localForm() as local:
            local.set(0)
        fem.petsc.assemble_vector(b, self.gradient)
        b.ghostUpdate(addv=PETSc.InsertMode.ADD, mode=PETSc.ScatterMode.REVERSE)
        fem.petsc.set_bc(b, self.held, scale=0)
        return b.norm()

    def corner(self):
        """The displacement at the vertex with the largest coordinates."""
        x = self.space.tabulate_dof_coordinates()[: self.space.dofmap.index_map.size_local]
        largest = [COMM.allreduce(value, op=MPI.MAX) for value in x.max(axis=0)]
        mine = self.u.x.array[: 3 * len(x)].reshape(-1, 3)[numpy.isclose(x, largest).all(axis=1)]
        return COMM.allreduce(mine.sum(axis=0)).tolist()

    def move(self, start, step, d):
        start.copy(self.u.vector)
        self.u.vector.axpy(step, d)
        self.u.x.scatter_forward()


class Newton:
    def __init__(self, problem, case):
        self.problem, self.atol, self.direct = problem, case["atol"], case["solver"] == "mumps"
        self.A = fem.petsc.create_matrix(problem.hessian)
        self.A.setOption(PETSc.Mat.Option.SYMMETRIC, True)
        self.b, self.d, self.start = (fem.petsc.create_vector(problem.gradient) for _ in range(3))
        if not self.direct:
            self.A.setNearNullSpace(rigid_modes(problem.space, self.b))
        options = PETSc.Options()
        for key, value in (MUMPS if self.direct else GAMG).items():
            options[key] = value
        self.ksp = PETSc.KSP().create(COMM)
        self.ksp.setFromOptions()
        self.ksp.setOperators(self.A)
        self.iterations = self.linear = 0

    def direction(self, norm, last):
        """-H^{-1} grad g, to the tolerance of choice 2 of Eisenstat and Walker."""
        self.A.zeroEntries()
        fem.petsc.assemble_matrix(self.A, self.problem.hessian, bcs=self.problem.held)
        self.A.assemble()
        if not self.direct:
            forcing = min(0.1, 0.9 * (norm / last) ** 2) if last else 0.1
            self.ksp.setTolerances(rtol=max(forcing, 0.5 * self.atol / norm, 1e-8))
        self.ksp.solve(self.b, self.d)
        if self.ksp.getConvergedReason() <= 0:
            raise SystemExit(f"fenicsx: the linear solve ended with {self.ksp.getConvergedReason()}")
        self.d.scale(-1)
        fem.petsc.set_bc(self.d, self.problem.held, scale=0)  # which a V-cycle moves
        self.linear += self.ksp.getIterationNumber()

    def search(self, value):
        """The energy after the longest of the steps 1, 1/2, ... that decreases it enough, or decreases the gradient."""
        slope, step = self.b.dot(self.d), 1.0
        if slope > 0:  # the Hessian is not positive definite
            self.d.scale(-1)
            slope = -slope
        self.problem.u.vector.copy(self.start)
        while step > SHORTEST:
            self.problem.move(self.start, step, self.d)
            trial = self.problem.value()
            if trial <= value + SLOPE * step * slope or abs(step * slope) <= 1e-11 * abs(value):
                return trial
            step /= 2
        raise SystemExit("fenicsx: the line search has failed")

    def minimise(self):
        value, norm, last = self.problem.value(), self.problem.slope(self.b), None
        most = self.iterations + MOST
        while norm > self.atol:
            if self.iterations == most:
                raise SystemExit(f"fenicsx: |grad g| is {norm:.2g} N after {MOST} iterations, expected {self.atol:g} N")
            self.direction(norm, last)
            value, last = self.search(value), norm
            norm = self.problem.slope(self.b)
            self.iterations += 1
        return value, norm


def march(problem, newton, case):
    """Implicit Euler from rest under gravity, or one static solve."""
    if not problem.h:
        return newton.minimise()
    u, target, before = problem.u.vector, problem.target.vector, problem.u.vector.copy()
    fall = numpy.tile(numpy.array(case["gravity"]) * problem.h**2, u.getLocalSize() // 3)
    for _ in range(case["steps"]):
        u.copy(target)
        target.scale(2)
        target.axpy(-1, before)
        u.copy(before)
        target.copy(u)  # a solve starts where velocities lead
        target.array[:] += fall
        fem.petsc.set_bc(target, problem.held, scale=0)
        problem.u.x.scatter_forward()
        problem.target.x.scatter_forward()
        value, norm = newton.minimise()
    return value, norm


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        case = json.load(file)
    first = memory()
    problem = Problem(case)
    COMM.barrier()
    begun = time.perf_counter()
    newton = Newton(problem, case)
    value, norm = march(problem, newton, case)
    seconds = time.perf_counter() - begun
    found = {
        "seconds": seconds,
        "iterations": newton.iterations,
        "linear": newton.linear,
        "energy": value,
        "gradient": norm,
        "corner": problem.corner(),
        "first": first,
        "memory": memory(),
    }
    if COMM.rank == 0:
        print(json.dumps(found))


main()
