"""Time integration: conservation, orders in time, friction."""
import math

from verify import meshes
from verify.case import INPUTS, Row

MIDPOINT = "Hairer, Lubich, Wanner, Geometric Numerical Integration, 2006"
KEEPS = {  # integrator: (a stable step [s], whether it conserves angular momentum too)
    "implicit_midpoint": (2e-3, True),
    "symplectic_euler": (1e-4, True),
    "implicit_euler": (2e-3, False),
    "bdf2": (2e-3, False),
    "linear_implicit_euler": (1e-4, False),
    "explicit_euler": (1e-5, False),
}


def body():
    return meshes.box((2, 1, 1), (1.0, 0.5, 0.5), (-0.4, -0.2, -0.3), jitter=0.3)


def change(run, columns):
    """The largest distance of a vector of steps.csv from that of the first step, and its length there."""
    vectors = list(zip(*(run.column(c) for c in columns)))
    return max(math.dist(v, vectors[0]) for v in vectors), math.hypot(*vectors[0])


def momenta(bench):
    rows = []
    for integrator, (step, angular) in list(KEEPS.items())[: 2 if bench.quick else None]:
        steps = 20 if bench.quick else 200
        run = bench.run("free", integrator, {"time_integrator": integrator, "time_step": step, "time_steps": steps})
        for label, letter, kept in (("momentum", "p", True), ("angular momentum", "l", angular)):
            if kept:
                moved, size = change(run, [letter + c for c in "xyz"])
                rows.append(Row(f"{integrator}: change of {label}", "identity", [moved], 0.0, MIDPOINT, scale=size))
    return rows


def swing(run):
    """Largest and least total energy of a run, and the mean of its first and of its last tenth."""
    total = run.column("total")
    tenth = len(total) // 10
    return max(total), min(total), sum(total[:tenth]) / tenth, sum(total[-tenth:]) / tenth


def energy(bench):
    """Oscillates by O(h^2), without a drift: the means of both ends of many steps differ by less than it oscillates."""
    widths = []
    for n in range(3):
        how = {"time_step": 2e-3 / 2**n, "time_steps": 100 * 2**n}
        high, low, first, _ = swing(bench.run("free", f"{n}", how))
        widths.append((high - low) / first)
    rows = [Row("midpoint: oscillation of the energy, relative", "order", widths, source=MIDPOINT, order=2, scale=1)]
    if bench.ranks == 1 and not bench.quick:  # on more it would take long: ranks would do nothing but wait
        high, low, first, last = swing(bench.run("free", "long", {"time_step": 1e-3, "time_steps": 10000}))
        label = "midpoint: drift over 1e4 steps, on 1 rank"
        rows.append(Row(label, "bound", [abs(last - first)], high - low, MIDPOINT, unit="J"))
    return rows


def time_orders(bench):
    """Orders from the distances between the positions of consecutive steps."""
    rows = []
    how = {"mesh_box_cells": "8,2,2"} if bench.quick else {}
    schemes = (("implicit_euler", 1), ("implicit_midpoint", 2), ("bdf2", 2))
    for integrator, order in schemes[1:2] if bench.quick else schemes:
        states = []
        for n in range(3 if bench.quick else 4):
            own = {"time_integrator": integrator, "time_step": 0.025 / 2**n, **how}
            states.append(bench.run("sway", f"{integrator}-{n}", own).positions())
        apart = [
            math.sqrt(sum(math.dist(p, q) ** 2 for p, q in zip(a, b)) / len(a)) for a, b in zip(states, states[1:])
        ]
        label = f"{integrator}: distance of consecutive steps"
        source = "Hairer, Wanner, Solving Ordinary Differential Equations II, 1996"
        rows.append(Row(label, "order", apart, source=source, order=order, scale=1))
    return rows


def friction(bench):
    """A block slides with g (sin a - mu cos a), or rests."""
    along, across, end, rows = 3.3552176060, 9.2183846680, 0.4, []
    for coefficient in (0.2, 0.5):
        expected, ours = end * max(along - coefficient * across, 0), []
        for n in range(2 if bench.quick else 3):
            how = {"time_step": 4e-3 / 2**n, "collider_plane_friction": coefficient}
            run = bench.run("incline", f"{coefficient}-{n}", how, ends=("max_it",))
            ours.append(run.last("px") / 32)
        label = f"xpbd: velocity after {end} s, friction {coefficient}"
        rows.append(Row(label, "limit", ours, expected, "Coulomb's law", order=1, scale=end * along, unit="m/s"))
    return rows


def write_inputs():
    mesh = body()
    mesh.write(f"{INPUTS}/free.msh")
    velocity = lambda x, y, z: (1 + 2 * x - 4 * y, 0.5 + 4 * x - 2 * y + z, -z - y)
    meshes.table(f"{INPUTS}/free.csv", {v: velocity(*p) for v, p in enumerate(mesh.points)})
