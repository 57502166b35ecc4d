"""python3 jobs large_meshes [-w] [-n LEVELS] [-r RANKS] [problem...]: convergence on millions of tetrahedra.

    manufactured  a smooth exact solution at large strain, in statics: errors in L2 and H1
    cantilever    a beam under a large load at its end, in statics: its deflection
    swing         the same beam under gravity, ten steps of implicit Euler: its deflection

each with tetrahedra of order 1 on five meshes of halved edges, and of order 2 on five, or four of a beam, by the
defaults of wring: values, observed orders, iterations, seconds and bytes. A quarter of an hour and 8 GB on two cores; a
level that is there is not run again. -w renews docs/large_meshes.md and docs/performance/large_meshes.csv.
"""
import json
import os

import hard
import numpy
import outputs
import program
import tables
from program import say
from verify import laws, manufactured, page
from verify.case import Row

OUT, PAGE, PUBLISHED = "out/large_meshes", "docs/large_meshes.md", "docs/performance"
CELLS = {"manufactured": {1: 6, 2: 4}, "cantilever": {1: 4, 2: 3}, "swing": {1: 4, 2: 3}}  # of an edge of the coarsest
LEVELS = {"manufactured": {1: 5, 2: 5}, "cantilever": {1: 5, 2: 4}, "swing": {1: 5, 2: 4}}
HEAD = ("problem", "order", "tets", "vertices", "quantity", "value", "observed order", "iterations", "solve [s]",
        "set-up [s]", "B/tet")  # fmt: skip
CHUNK = 100000  # tetrahedra whose integrals are taken at once
END = {"probe_tip_point": "4,0.5,0.5", "output_every": 0}
SWING = {"time_integrator": "implicit_euler", "time_step": 1 / 30, "time_steps": 10, "gravity": "0,0,-9.81",
         "traction_xmax_value": "0,0,0"}  # fmt: skip
BEAMS = {"cantilever": {}, "swing": SWING}

# ---- a manufactured solution ----------------------------------------------------------------------------------------


def nominal(gradient):
    """P [n, 3, 3] of neohookean, mu (F - F^-T) + lambda ln J F^-T: in closed form what manufactured.nominal derives."""
    inverse = numpy.linalg.inv(gradient).transpose(0, 2, 1)
    log = numpy.log(numpy.linalg.det(gradient))[:, None, None]
    return laws.MU * (gradient - inverse) + laws.LAMBDA * log * inverse


class Level:
    """A cube of 1 m whose inner vertices are moved by up to 0.15 of a cell, and its nodes of an order."""

    def __init__(self, order, cells):
        self.order, self.cells = order, cells
        self.corners, self.tets = hard.box((1, 1, 1), (cells, cells, cells))
        inner = ((self.corners > 0) & (self.corners < 1)).all(axis=1)
        self.corners[inner] += 0.3 / cells * (hard.generator().rand(inner.sum(), 3) - 0.5)
        self.points, self.nodes = self.corners, self.tets
        if order == 2:  # the middles of edges follow the corners, sorted by the numbers of their ends
            ends = numpy.concatenate([numpy.sort(self.tets[:, edge], axis=1) for edge in manufactured.meshes.EDGES[4]])
            edges, number = numpy.unique(ends, axis=0, return_inverse=True)
            self.points = numpy.concatenate([self.corners, self.corners[edges].mean(axis=1)])
            self.nodes = numpy.hstack([self.tets, len(self.corners) + number.reshape(6, -1).T])

    def rule(self):
        """As manufactured.Level.rule, chunk by chunk: nodes, shape functions, their gradients, places, weights."""
        for begin in range(0, len(self.nodes), CHUNK):
            nodes = self.nodes[begin : begin + CHUNK]
            corners = self.points[nodes[:, :4]]
            first, volumes = manufactured.geometry(corners)
            for point, weight in manufactured.quadrature(self.order):
                values, slopes = manufactured.shapes(point, self.order)
                gradients = numpy.einsum("ak,eki->eai", slopes, first, optimize=True)
                yield nodes, values, gradients, numpy.einsum("a,eai->ei", numpy.array(point), corners), weight * volumes

    def loads(self):
        forces = numpy.zeros_like(self.points)
        for nodes, _, gradients, place, weight in self.rule():
            stress = nominal(SOLUTION(place)[1]) * weight[:, None, None]
            parts = numpy.einsum("eij,eaj->eai", stress, gradients, optimize=True)
            for i in range(3):
                forces[:, i] += numpy.bincount(nodes.ravel(), parts[:, :, i].ravel(), len(forces))
        return forces

    def write(self, folder):
        """The mesh and its tables, as keys of a run that starts from the points at rest, its surface in place."""
        hard.write_medit(f"{folder}/box.mesh", self.corners, self.tets)
        surface = ((self.points == 0) | (self.points == 1)).any(axis=1)
        found = {"mesh_file": os.path.abspath(f"{folder}/box.mesh"), "mesh_order": self.order}
        exact, everywhere = SOLUTION(self.points)[0], surface | ~surface
        targets = {"attach_surface_file": (surface, exact), "point_load_body_file": (~surface, self.loads())}
        for key, (rows, values) in {**targets, "initial_positions": (everywhere, exact)}.items():
            path = os.path.abspath(f"{folder}/{key}.csv")
            found[key] = hard.write_table(path, "vertex,x,y,z", values[rows], numpy.flatnonzero(rows))
        return found


SOLUTION = manufactured.waves(1.0)


def run_manufactured(folder, order, cells, ranks):
    level = Level(order, cells)
    keys = {**level.write(folder), "solver_type": "auto", "solver_rtol": 1e-9, "output_every": 0}
    program.run("run", "inputs/verification/manufactured.yaml", f"{folder}/run", keys, ranks=ranks, busy=True)
    state = numpy.loadtxt(f"{folder}/run/state.csv", delimiter=",", skiprows=1, usecols=(1, 2, 3))
    return dict(zip(("error in L2", "error in H1"), manufactured.errors(level.rule(), state, SOLUTION)))


# ---- beams ----------------------------------------------------------------------------------------------------------


def run_beam(problem, folder, order, cells, ranks):
    keys = {**END, **BEAMS[problem], "mesh_order": order, "mesh_box_cells": f"{4 * cells},{cells},{cells}"}
    keys |= {"solver_type": "auto"}
    program.run("run", "inputs/bench/cantilever.yaml", f"{folder}/run", keys, ranks=ranks, busy=True)
    return {"deflection [m]": -float(outputs.rows(f"{folder}/run", "probes.csv")[-1]["tip_uz"])}


# ---- levels ---------------------------------------------------------------------------------------------------------


def level(problem, order, k, ranks):
    """What a level gave, kept in level.json."""
    folder, cells = f"{OUT}/{problem}-{order}/{k}", CELLS[problem][order] * 2**k
    if not os.path.exists(f"{folder}/level.json"):
        os.makedirs(folder, exist_ok=True)
        if problem == "manufactured":
            found = run_manufactured(folder, order, cells, ranks)
        else:
            found = run_beam(problem, folder, order, cells, ranks)
        record = outputs.load(f"{folder}/run", "run.json")
        tets = record["mesh"]["tets"]
        found = {"values": found, "tets": tets, "vertices": record["mesh"]["vertices"],
                 "iterations": record["iterations"], "memory": record["peak_memory"] / tets,
                 "set-up": record["setup_seconds"], "solve": record["marching_seconds"]}  # fmt: skip
        outputs.replace(f"{folder}/level.json", json.dumps(found))
    return outputs.load(folder, "level.json")


def lines(problem, order, levels, ranks):
    found = []
    for k in range(levels):
        found.append(level(problem, order, k, ranks))
        now, kind = found[-1], "order" if problem == "manufactured" else "limit"
        for name in now["values"]:
            values = [one["values"][name] for one in found]
            text = f"{values[-1]:.3e}" if kind == "order" else f"{values[-1]:.7f}"
            line = [problem, order, f"{now['tets']:,}", f"{now['vertices']:,}", name, text]
            line += [page.order(Row("", kind, values)), now["iterations"], f"{now['solve']:.3g}"]
            line += [f"{now['set-up']:.3g}", f"{now['memory']:,.0f}"]
            say(tables.text(HEAD, [line]))
            yield line


def main(arguments):
    parser = program.parser("large_meshes", __doc__)
    parser.add_argument("-w", action="store_true", help=f"renew {PAGE} and {PUBLISHED}/large_meshes.csv")
    parser.add_argument("-n", type=program.count, default=5, metavar="LEVELS", help="at most")
    parser.add_argument("-r", type=program.count, default=2, metavar="RANKS")
    given = program.parse_names(parser, arguments, CELLS, "problem")
    wanted = [(name, order, min(given.n, most)) for name in given.name for order, most in LEVELS[name].items()]
    found = [line for problem in wanted for line in lines(*problem, given.r)]
    if given.w:
        tables.write(f"{PUBLISHED}/large_meshes.csv", HEAD, found)
        tables.paste(PAGE, "large_meshes", tables.markdown(HEAD, found))
    return 0
