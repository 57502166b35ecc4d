"""wring from Python: problems of decks, and files of results, as NumPy arrays.

    import wring
    with wring.Problem("inputs/lamp.yaml", material={"young": 2e6}) as p:
        for _ in range(p.steps):
            print(p.step().iterations, p.positions.mean(axis=0))

docs/api.md, "Python", is the manual. MPI and PETSc start with the first problem, unless they run already. Methods of
problems are collective unless they say otherwise, and one thread calls them.
"""
import atexit
import collections
import ctypes
import os

import numpy

from .files import Error, frames, table

Outcome = collections.namedtuple("Outcome", "reason iterations objective inertial elastic gradient_norm seconds")
Outcome.__doc__ = "How a step or solve ended: a word, then numbers of its last iterate [J, N, s]."


class Failed(Error):
    """A solver failed; the state is that before the step, in statics the last in equilibrium. outcome: how it ended."""

    def __init__(self, outcome):
        super().__init__(f"the solver failed: {outcome.reason}, after {outcome.iterations} iterations")
        self.outcome = outcome


# ---- the library -----------------------------------------------------------------------------------------------------

_text = ctypes.create_string_buffer(1 << 14)  # room for a wring_error
_running = []  # the library, while MPI and PETSc run


def _library():
    if _running:
        return _running[0]
    try:
        library = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "libwring_python.so"))
    except OSError as reason:
        raise Error(f"the library cannot be loaded: {reason}") from None
    mpi, petsc = ctypes.c_int(), ctypes.c_int()  # they run already
    library.MPI_Initialized(ctypes.byref(mpi))
    library.PetscInitialized(ctypes.byref(petsc))
    if not petsc.value and library.wring_start_libraries(None, None):
        raise Error("MPI or PETSc cannot be started")
    _running.append(library)
    ends = [name for name, runs in (("PetscFinalize", petsc), ("MPI_Finalize", mpi)) if not runs.value]
    atexit.register(_finish, ends)
    return library


def _finish(ends):
    library = _running.pop()
    for name in ends:
        getattr(library, name)()


def _call(name, *arguments):
    """Calls a function, whose PetscErrorCode is raised. Of several ranks, one that fails alone ends all of them."""
    library, _text.value = _library(), b""
    library.PetscPushErrorHandler(library.wring_error_catch, _text)
    code = getattr(library, name)(*arguments)
    library.PetscPopErrorHandler()
    text = _text.value.decode(errors="replace")
    if code and code not in (ctypes.c_int * 2).in_dll(library, "wring_python_collective"):
        text = f"internal error: {text or code}"
        if ctypes.c_int.in_dll(library, "PetscGlobalSize").value > 1:
            os.write(2, f"wring: {text}\n".encode())
            os._exit(5)
    if code:
        raise Error(text)


def _pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def _words(keys, prefix=""):
    """Nested keys as words of a command line: {"solver": {"rtol": 1e-9}} is -solver_rtol=1e-09."""
    for key, value in keys.items():
        if isinstance(value, dict):
            yield from _words(value, f"{prefix}{key}_")
        else:
            yield os.fsencode(f"-{prefix}{key}=" + ",".join(map(str, value if numpy.ndim(value) else [value])))


# ---- problems --------------------------------------------------------------------------------------------------------

_ENDS = ["MatDestroy", "wring_solver_destroy", *["VecDestroy"] * 3, "wring_problem_destroy", "wring_options_destroy"]


class Problem:
    """Everything that a deck describes.

    deck: a file, or its keys as nested dicts. keys, and further arguments, replace keys of the deck. comm: of mpi4py,
    whose ranks take part; default: all. Raises Error with the line that the program prints. g is the objective of the
    next step; its x is [n][3] m, or flat, in which held vertices count as in their places.

    positions, velocities: of the state, [n][3] m and m/s, views that each step changes; read-only. numbers [n]: of the
    same vertices, those that the rank owns, in the file; rest [n][3] m and mass [n] kg likewise. tets [m][4]: corners
    of the rank's tetrahedra, by number in the file. vertices: of all ranks. steps: of the deck. probes: {column:
    number} after the last step, nan before the first.
    """

    def __init__(self, deck, keys=None, *, comm=None, **more):
        library, part, self._parts, self._hessians = _library(), (ctypes.c_void_p * 8)(), [], 0
        words = [*_words(deck if isinstance(deck, dict) else {}), *_words(keys or {}), *_words(more)]
        file = None if isinstance(deck, dict) else os.fsencode(deck)
        comm = comm if comm is None else ctypes.byref(ctypes.c_int(comm.py2f()))
        _call("wring_python_create", comm, file, len(words), (ctypes.c_char_p * len(words))(*words), part)
        *self._parts, self._g = map(ctypes.c_void_p, part)
        _, self._problem, self._x_vec, self._at_vec, self._out_vec, self._solver, self._H = self._parts
        n, local, self.vertices, tets, self.steps, self._ranks = self._describe()[:6]
        self.numbers, self.tets = numpy.zeros(n, numpy.int64), numpy.zeros((tets, 4), numpy.int64)
        self.mass, self.rest = numpy.zeros(n), numpy.zeros((n, 3))
        library.wring_python_mesh(self._problem, *map(_pointer, (self.numbers, self.mass, self.rest, self.tets)))
        names = ctypes.POINTER(ctypes.c_char_p)()
        columns = library.wring_problem_probe_columns(self._problem, ctypes.byref(names))
        self.probes = {names[i].decode(): numpy.nan for i in range(columns)}
        placed = self._placed = numpy.zeros((5, local, 3))  # must live as long as the problem
        self._call("wring_python_place", self._problem, *self._parts[2:5], _pointer(placed))
        self.positions, self.velocities, self._x, self._at, self._out = placed[:, :n]
        self.positions.flags.writeable = self.velocities.flags.writeable = False

    def close(self):
        """Frees the problem, whose arrays remain. On several ranks nothing else does it but `with`."""
        while self._parts and _running:
            _call(_ENDS[-len(self._parts)], ctypes.byref(self._parts.pop()))

    def __enter__(self):
        return self

    def __exit__(self, error, *_):
        if not error or self._ranks == 1:  # of several ranks the others may not be here
            self.close()

    def __del__(self):
        if getattr(self, "_ranks", 0) == 1:
            self.close()

    def _call(self, name, *arguments):
        if not (self._parts and _running):
            raise Error("the problem is closed")
        _call(name, *arguments)

    def _describe(self):
        number = numpy.zeros(8)
        self._call("wring_python_describe", self._problem, _pointer(number))
        return [*map(int, number[:7]), float(number[7])]

    @property
    def now(self):
        """(steps done, time [s]; in statics the pseudo-time). Not collective."""
        return tuple(self._describe()[6:])

    def step(self):
        """Makes a step as `wring run` does; returns its Outcome, or raises Failed."""
        probe = numpy.full(max(len(self.probes), 1), numpy.nan)
        outcome = self._solve(self._x_vec, _pointer(probe))
        self.probes = dict(zip(self.probes, probe.tolist()))
        return outcome

    def solve(self, x=None):
        """(x, Outcome) at the minimum of g, found from x or else from start(); the state stays. Raises Failed."""
        start = self._begin()
        self._at[:] = start if x is None else numpy.reshape(x, start.shape)
        outcome = self._solve(self._at_vec, None)
        return self._at.copy(), outcome

    def _solve(self, vec, probe):
        number, reason = numpy.zeros(7), ctypes.c_char_p()
        parts = self._problem, self._solver, vec
        self._call("wring_python_solve", *parts, probe, _pointer(number), ctypes.byref(reason))
        outcome = Outcome(reason.value.decode(), int(number[0]), *number[1:6].tolist())
        if number[6]:
            raise Failed(outcome)
        return outcome

    def start(self):
        """Where the next step begins, x_0."""
        return self._begin().copy()

    def _begin(self):
        if self._parts and not self._solver:
            raise Error("the integrator minimises no g, expected time_integrator implicit_euler or static")
        self._call("wring_problem_begin_step", self._problem, self._x_vec)
        return self._x

    def _evaluate(self, x, name, *arguments):
        self._begin()
        self._at[:] = numpy.reshape(x, self._at.shape)
        self._call("wring_python_go", self._g, self._at_vec)
        self._call(f"wring_potential_{name}", self._g, self._at_vec, *arguments)

    def g(self, x):
        """[J], the same on all ranks."""
        value = numpy.zeros(3)  # a wring_value: the sum of two parts, and these
        self._evaluate(x, "value", _pointer(value))
        return float(value[0])

    def gradient(self, x):
        """[N], in the shape of x; 0 where vertices are held."""
        return self.g_and_gradient(x)[1]

    def g_and_gradient(self, x):
        """Both in one pass, as scipy.optimize.minimize takes them with jac=True."""
        value = numpy.zeros(3)
        self._evaluate(x, "fused", _pointer(value), self._out_vec)
        return float(value[0]), self._out.reshape(numpy.shape(x)).copy()

    def hessian(self, x):
        """H at x, until the next one, as a function: d -> H d [N], in the shape of d, [n][3] m or flat."""
        self._evaluate(x, "hessian", 0, ctypes.byref(self._H))
        number = self._hessians = self._hessians + 1

        def product(d):
            if number != self._hessians or not self._parts:
                raise Error("a later Hessian of the problem has replaced this one, or it is closed")
            self._at[:] = numpy.reshape(d, self._at.shape)
            self._call("MatMult", self._H, self._at_vec, self._out_vec)
            return self._out.reshape(numpy.shape(d)).copy()

        return product
