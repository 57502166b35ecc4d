"""python3 python_package.py DECK OUT PACKED, on ranks: fails if an array of the Python package is not what `wring run`
has written for the deck into OUT, and PACKED with compressed frames, or if g and its derivatives do not agree."""
import sys
import numpy as np

try:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    total = comm.allreduce
except ImportError:
    comm, total = None, float
import wring

deck, out, packed = sys.argv[1:]


def need(condition, message):
    if not condition:
        sys.exit(f"FAIL: rank {comm.rank if comm else 0}: {message}")


def refused(what, expected, call, error=wring.Error):
    try:
        call()
    except error as reason:
        need(expected in str(reason) and "\n" not in str(reason) and "internal" not in str(reason), f"{what}: {reason}")
        return reason
    return need(False, f"{what} is not refused")


def close(what, one, other, tolerance):
    error = np.sqrt(total(float(np.sum((one - other) ** 2))) / total(float(np.sum(np.square(other)))))
    need(error <= tolerance, f"{what}: a relative error of {error}")


def random(p, seed):
    """Of all vertices, by number in the file: the same on any ranks."""
    return np.random.default_rng(seed).standard_normal((p.vertices, 3))[p.numbers]


# Fails if evaluations use ghosts, contacts or held vertices of another x, if components are mixed up, or if one changes
# what the next step does.
def check_derivatives(p):
    x = p.start() + 1e-3 * random(p, 1)
    d, e, step = random(p, 2), random(p, 3), 1e-6
    g, gradient = p.g_and_gradient(x)
    need(g == p.g(x) and (p.gradient(x.ravel()) == gradient.ravel()).all(), "g or its gradient differs between calls")
    free = np.any(gradient != 0, axis=1, keepdims=True)
    need(total(int(np.sum(~free))) == 16, "held vertices are those of xmin")
    slope = (p.g(x + step * d) - p.g(x - step * d)) / (2 * step)
    exact = total(float(np.sum(gradient * d)))
    need(abs(slope - exact) < 1e-6 * abs(exact), f"the gradient along d is {exact}, by differences {slope}")
    H = p.hessian(x)
    d, e = d * free, e * free
    close("H d", free * H(d), (p.gradient(x + step * d) - p.gradient(x - step * d)) / (2 * step), 1e-6)
    one, other = total(float(np.sum(e * H(d)))), total(float(np.sum(d * H(e.ravel()).reshape(d.shape))))
    need(abs(one - other) < 1e-12 * np.sqrt(total(float(np.sum(H(d) ** 2))) * total(float(np.sum(e**2)))), "symmetry")
    p.hessian(x)
    refused("an old Hessian", "replaced", lambda: H(d))


# Fails if g has the contacts of other positions, or of none.
def check_contacts(p):
    x = p.start()
    x[:, 2] -= 0.01 * np.any(p.gradient(x) != 0, axis=1)
    depth = np.maximum(-0.001 - x[:, 2], 0)
    with wring.Problem(deck, collider={"ground": {"point": [0, 0, -10]}}) as other:
        energy, exact = p.g(x) - other.g(x), 0.5e5 * total(float(np.sum(depth**2)))
    need(abs(energy - exact) < 1e-9 * exact, f"contacts have the energy {energy}, expected {exact}")


# Fails if a step is not that of the program, bit for bit, if views are copies, or if probes are of another state.
def check_steps(p):
    steps, probes = wring.table(f"{out}/steps.csv"), wring.table(f"{out}/probes.csv")
    q, v = p.positions, p.velocities
    need(not q.flags.owndata and not q.flags.writeable and np.array_equal(q, p.rest), "positions at the start")
    need(all(np.isnan(value) for value in p.probes.values()), "probes before the first step")
    for i in range(p.steps):
        check_derivatives(p)
        x, solved = p.solve()
        close("the solution without a step", x, p.solve(x + 1e-4 * random(p, 4))[0], 1e-6)
        outcome, at = p.step(), np.flatnonzero(steps["step"] == i + 1)[0]
        need(np.array_equal(q, x) and solved.iterations == outcome.iterations, f"step {i + 1} is not what was solved")
        need(p.now == (i + 1, steps["time"][at]), f"step and time {p.now}")
        need(outcome.elastic == steps["elastic"][at] and outcome.reason == steps["reason"][at], f"{outcome}")
        row = {name: column[list(probes["step"]).index(i + 1)] for name, column in probes.items()}
        need(all(value == row[name] for name, value in p.probes.items()) and len(p.probes) == 15, f"{p.probes}, {row}")
    state = wring.table(f"{out}/state.csv")
    for names, array in (("x y z", q), ("vx vy vz", v)):
        need(np.array_equal(np.stack([state[n] for n in names.split()], 1)[p.numbers], array), f"{names} of the state")


# Fails if a piece of a frame is misplaced, a vertex of two ranks is there twice, or an array has another type.
def check_frames(p):
    for (i, frame), small in zip(enumerate(wring.frames(out)), wring.frames(packed)):
        need(frame.time == small.time and abs(frame.time - 0.01 * i) < 1e-15, f"time of frame {i}")
        for one, other in (frame[1:], small[1:]), (small[1:], frame[1:]):
            need(all(np.array_equal(a[n], b[n]) for a, b in zip(one, other) for n in a), f"frame {i}, compressed")
    points, cells = frame.points, frame.cells
    need(i == p.steps and np.array_equal(points["vertex"], np.arange(p.vertices)), "vertices of the last frame")
    need(np.array_equal(points["x"][p.numbers], p.positions), "positions of the last frame")
    need(np.array_equal(points["velocity"][p.numbers], p.velocities), "velocities of the last frame")
    tets = {tuple(t) for t in cells["connectivity"].reshape(-1, 4).tolist()}
    need(np.array_equal(cells["offsets"], 4 * np.arange(1, len(tets) + 1)) and (cells["types"] == 10).all(), "cells")
    need(tets >= {tuple(t) for t in p.tets.tolist()} and len(tets) == total(len(p.tets)) == len(cells["J"]), "tets")


# Fails if a solve from other positions than those of the start of the step has g and its gradient at that start, or if
# it begins with the loads of the solve before it.
def check_solve():
    keys = {"mesh_box": {"size": [1, 1, 1], "cells": (1, 1, 1)}, "attach": {"zmin": {"hard": True}}}
    keys["material"] = {"model": "strain", "stiffness": 1e6, "density": 1000}
    with wring.Problem(keys, gravity=[0, 0, -10], time={"step": 0.1}) as p:
        need(p.solve(p.solve()[0])[1].iterations == 0, "a solve from the solution makes iterations")
    static = {"time_integrator": "static", "solver_type": "newton"}
    with wring.Problem(keys, static, pressure={"xmin": {"value": 1e4}}) as p:
        (x, one), (again, two) = p.solve(), p.solve()
        need(one.iterations == two.iterations, f"{one.iterations} iterations, and then {two.iterations}")
        close("the same solve", again, x, 1e-12)


def check_refusals():
    keys = {"mesh_box": {"size": [1, 1, 1], "cells": (1, 1, 1)}, "material": {"model": "strain", "stiffness": 1e4}}
    keys["material"]["density"] = np.float64(1000)
    refused("an unknown key", "unknown key material_yung, did you mean material_young?",
            lambda: wring.Problem(deck, material_yung=1))
    refused("a missing deck", "none.yaml: cannot be read", lambda: wring.Problem("none.yaml"))
    refused("a deck without time", "time_step is missing", lambda: wring.Problem(keys))
    refused("no frames", "none.vtu: ", lambda: list(wring.frames("none.vtu")))
    refused("a deck as a frame", "not frames", lambda: list(wring.frames(deck)))
    refused("no table", "none.csv: ", lambda: wring.table("none.csv"))
    wide = f"wide{comm.rank if comm else 0}.csv"  # a rank must not read what another has not yet written
    with open(wide, "w", encoding="utf-8") as file:
        file.write("a\n" + 200000 * "1")
    refused("a field wider than those that csv reads", wide + ": no table", lambda: wring.table(wide))
    explicit = wring.Problem(keys, time={"step": 1e-4, "integrator": "explicit_euler"}, output={"plots": False})
    explicit.step()
    refused("g of explicit_euler", "expected time_integrator", lambda: explicit.g(explicit.rest))
    explicit.close()
    keys.update(attach={"zmin": {"hard": True}}, gravity=[0, 0, -50], time={"integrator": "static"}, solver_max_it=1)
    with wring.Problem(keys, solver_type="newton") as p:
        reason = refused("an unbalanced load step", "the solver failed: ", p.step, wring.Failed)
        need(reason.outcome.iterations >= 1 and p.now == (0, 0) and np.array_equal(p.positions, p.rest), "the state")


def main():
    with wring.Problem(deck) as p:
        mass = total(float(p.mass.sum()))
        need(p.steps == 3 and p.now == (0, 0.0) and abs(mass - 160) < 1e-9, f"{p.steps} steps, {p.now}, {mass} kg")
        check_contacts(p)
        check_steps(p)
        check_frames(p)
        refused("an array of another size", "reshape", lambda: p.g(np.zeros(3)), ValueError)
        last, q = p.positions.copy(), p.positions
    for what in p.step, p.start, lambda: p.now:
        refused("a closed problem", "closed", what)
    need(np.array_equal(last, q), "positions after close")
    with wring.Problem(deck, solver={"rtol": 1e-3, "qn": {"history": 3}}, time_step=2e-2) as p:
        p.step()
        need(p.now == (1, 0.02), "the overridden time step")
    if comm:
        with wring.Problem(deck, comm=MPI.COMM_SELF) as alone:
            need(len(alone.numbers) == alone.vertices == 112 and alone.step().iterations > 0, "a problem of one rank")
    check_solve()
    check_refusals()
    if not comm or comm.rank == 0:
        print("done")


main()
