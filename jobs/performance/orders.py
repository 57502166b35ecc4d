"""
Error against seconds of the solve for tetrahedra of both orders, with and without means of the volume, by newton on one
thread: the solution of `jobs verify isochoric`, which keeps volumes, at nu = 0.3 and 0.4999. A picture and its table.
"""
import math
import os

import pictures
from outputs import steps
from tables import number
from verify import laws, manufactured
from verify.case import Bench

OUT = "out/performance/orders"
IMAGE = "docs/images/performance_orders.png"
RATIOS = (0.3, 0.4999)
REPEATS = 3
RTOL = 1e-9  # of the largest force: the errors of the solves are far below those of the meshes
ELEMENTS = ((1, "full"), (1, "mean"), (2, "full"), (2, "mean"))
CELLS = {1: (4, 8, 16), 2: (2, 4, 8)}  # a side
LEVEL = 2.5e-4  # the error of the table


def solve(bench, order, volumetric, cells, nu):
    """The error in L2, and the least seconds of some solves from the exact positions of the vertices."""
    (level,) = manufactured.levels_of(bench, order, (cells,))
    how = {**manufactured.towards_half(nu, volumetric), "solver_rtol": RTOL}
    label, times = f"{order}-{volumetric}-{nu}", []
    for _ in range(REPEATS):
        error = manufactured.solve(bench, label, level, laws.neohookean, manufactured.shears, how)[0]
        times.append(sum(step["frame"] for step in steps(os.path.join(bench.folder, f"{label}-{cells}"))))
    return min(times), error


def time_to(points, error):
    """Seconds to an error, on the line between the levels around it in logarithms; None where no level reaches it."""
    for (t, a), (u, b) in zip(points, points[1:]):
        if b <= error < a:
            return math.exp(math.log(t) + math.log(u / t) * math.log(error / a) / math.log(b / a))
    return points[0][0] if points[0][1] <= error else None


def picture(curves):
    """curves: {(order, volumetric, nu): [(seconds, error)] by level}."""
    commands = """set multiplot layout 1,2; set logscale
set format x '%g'; set format y '%.0e'; set xlabel 'seconds of the solve'; set key bottom left
set ylabel 'relative error of positions in L2'
"""
    for nu in RATIOS:
        files = []
        for order, volumetric in ELEMENTS:
            name = f"{order}_{volumetric}_{nu}.csv"
            pictures.data(f"{OUT}/{name}", curves[order, volumetric, nu])
            style = "dt 1 pt 7" if volumetric == "mean" else "dt 2 pt 6"
            files.append(
                f"'{name}' using 1:2 with linespoints lw 1.5 {style} lc {order} title 'order {order}, {volumetric}'"
            )
        commands += f"set title 'nu = {nu}'; plot {', '.join(files)}\n"
    pictures.draw(OUT, "orders", "1000,420", commands, IMAGE)


def table(_):
    bench = Bench("orders", 1, False)
    curves = {
        (order, volumetric, nu): [solve(bench, order, volumetric, cells, nu) for cells in CELLS[order]]
        for nu in RATIOS
        for order, volumetric in ELEMENTS
    }
    picture(curves)
    head = ["element"] + [f"seconds to {LEVEL:g}, nu = {nu}" for nu in RATIOS]
    cell = lambda *which: number(time_to(curves[which], LEVEL))
    return 1, head, [[f"order {o}, {v}"] + [cell(o, v, nu) for nu in RATIOS] for o, v in ELEMENTS]
