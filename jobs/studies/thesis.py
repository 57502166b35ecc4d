"""The experiments of the thesis (Ledwon 2024)."""
import os

import program
from outputs import Comparison, number_of, rows
from studies.study import curves, make_state

TWIST = "inputs/beam_twist.yaml"
OUTLINE = """set size ratio -1; unset grid; unset border; unset tics; set xrange [-0.2:4.5]; set yrange [-0.6:1]
set key bottom right horizontal; set margins 0, 0, 0, 1.5"""
NX, NY, NZ = 41, 8, 8  # vertices of the beam


def twisted_beam():
    """The beam that all of them start from."""
    make_state("out/beam_twist", TWIST)


# ---- shapes ---------------------------------------------------------------------------------------------------------


def outline_points(state):
    """Polylines of the beam's edges and cross-sections, seen obliquely, from the rows of state.csv."""
    position = {int(row["vertex"]): [float(row[c]) for c in "xyz"] for row in state}

    def point(i, j, k):
        x, y, z = position[(k * NY + j) * NX + i]
        return x + 0.35 * z, y + 0.2 * z

    corners = [(j, k) for k in (0, NZ - 1) for j in (0, NY - 1)]
    edges = [[point(i, j, k) for i in range(NX)] for j, k in corners]
    around = [(0, 0), (NY - 1, 0), (NY - 1, NZ - 1), (0, NZ - 1), (0, 0)]
    return edges + [[point(i, j, k) for j, k in around] for i in range(0, NX, 8)]


def outline(study, name, solver, iterations, options=None):
    """A step by one solver; its outline as NAME.csv."""
    fixed = {"solver_type": solver, "solver_max_it": iterations, "solver_rtol": 0, "solver_start": "y"}
    fixed |= {"solver_measure": 0, "output_every": 0, "output_state_csv": "true"}
    folder = study.must("run", "thesis_3.4", {**fixed, **(options or {})}, name)
    with open(f"{study.out}/{name}.csv", "w", encoding="utf-8") as file:
        for line in outline_points(rows(folder, "state.csv")):
            file.write("".join(f"{u:.9g},{w:.9g}\n" for u, w in line) + "\n")


def panel(title, behind, front):
    """Two outlines in one panel."""
    curve = lambda name, colour, width: f"'{name}.csv' lc rgb '{colour}' lw {width} title '{name.split('_')[0]}'"
    return f"set title '{title}'; plot {curve(behind, '#d62728', 2)}, {curve(front, '#17becf', 1.5)}"


def shapes(study, size, layout, panels):
    study.plot("shapes", size, "\n".join([OUTLINE, f"set multiplot layout {layout}", *panels]))


# ---- the studies ----------------------------------------------------------------------------------------------------


def energy_left(comparison, iterations):
    """Elastic energy in % of that at the start, by solver."""
    for solver, found in comparison.solvers.items():
        left = {row["iteration"]: 100 * row["elastic"] / found[0]["elastic"] for row in found}
        yield solver, [f"{left[i]:.3g}" if i in left else "-" for i in iterations]


def thesis_3_2(study):
    twisted_beam()
    study.must("compare", "thesis_3.2")
    lines, at = [], (1, 10, 100, 1000)
    for h in ("1e-2", "1e-3"):
        lines += [(h, solver, *cells) for solver, cells in energy_left(Comparison(f"{study.out}/time_step={h}"), at)]
        for solver in ("pbd", "qn"):
            outline(study, f"{solver}_h{h}", solver, 1000, {"time_step": h})
    study.add("elastic energy left, % of that at the start")
    study.table(("h", "solver", "after 1", *at[1:]), lines)
    title = lambda h: f"after 1000 iterations, h = {float(h):g} s"
    shapes(study, "840,200", "1,2", [panel(title(h), f"pbd_h{h}", f"qn_h{h}") for h in ("1e-2", "1e-3")])


def thesis_3_3(study):
    weights = ["a0.1", "a0.2", "a0.3", "a0.4", "a0.6", "a0.8", "a1.0", "a1.5"]
    twisted_beam()
    study.must("compare", "thesis_3.3")
    plots = ["set multiplot layout 1,2; set xlabel 'iteration'; set ylabel 'g / g(x_0)'; set xrange [0:100]"]
    plots.append("set key top right")
    for h, limits in (("1e-2", "[0:2]"), ("1e-3", "[0.88:1.08]")):
        study.add(f"h = {h} s")
        study.errors((20, 60, 100, 200), f"time_step={h}")
        start = next(iter(Comparison(f"{study.out}/time_step={h}").solvers.values()))[0]["objective"]
        plots.append(f"set yrange {limits}; set title 'h = {float(h):g} s'")
        plots.append(curves(f"time_step={h}/compare.csv", weights, y=f"($4 / {start:.17g})"))
    study.plot("weights", "1000,430", "\n".join(plots))


def by_scale(sweep, column):
    """
    A column of sweep.csv by h^2 k (lines) and solver, in %: the least and the largest of all pairs (h, k) that have
    it.
    """
    cells, solvers = {}, []
    for row in sweep:
        scale = f"{float(row['material_stiffness']) * float(row['time_step']) ** 2:.0e}"
        solvers += [row["solver"]] * (row["solver"] not in solvers)
        if row[column]:  # not after a failure
            cells.setdefault((scale, row["solver"]), []).append(100 * number_of(row[column]))
    scales = [f"{10.0 ** e:.0e}" for e in range(-3, 11)]
    span = lambda values: f"{min(values):.3g} to {max(values):.3g}" if values else "-"
    return ("h^2 k", *solvers), [(scale, *(span(cells.get((scale, s))) for s in solvers)) for scale in scales]


def thesis_sweep(study):
    twisted_beam()
    study.must("compare", "thesis_sweep")
    for n in (60, 260):
        study.add(f"error in % after {n} iterations")
        study.table(*by_scale(rows(study.out, "sweep.csv"), f"error_{n}"))


def best_weights(sweep):
    """
    For every pair (k, h) the weight that needs the fewest iterations to 1e-6, or else has the least error after 60.
    """
    best, ks, hs = {}, [], []
    for row in sweep:
        k, h, n = row["material_stiffness"], row["time_step"], row["iterations_to_1e-6"]
        ks += [k] * (k not in ks)
        hs += [h] * (h not in hs)
        place = float(n) if n else 1e3 + float(row["error_60"] or "inf")
        if (k, h) not in best or place < best[k, h][0]:
            best[k, h] = place, row["solver"][1:] + (f" in {n}" if n else "")
    return ("best weight", *(f"h={h}" for h in hs)), [(f"k={k}", *(best[k, h][1] for h in hs)) for k in ks]


def thesis_weights(study):
    twisted_beam()
    study.must("compare", "thesis_weights")
    study.table(*best_weights(rows(study.out, "sweep.csv")))


SOLVERS = ("qn", "admm_0.4", "pd", "xpbd_sequential", "xpbd")


def objective_plots(study, last):
    """The objective and its parts over iterations."""
    study.plot(
        "objective",
        "900,420",
        f"""set xlabel 'iteration'; set ylabel 'objective g [J]'; set xrange [0:{last}]; set key top right
{curves('compare.csv', SOLVERS, y='4')}""",
    )
    study.plot(
        "parts",
        "1000,420",
        f"""set multiplot layout 1,2; set xlabel 'iteration'; set xrange [0:{last}]; set key top right
set ylabel 'elastic part [J]'; {curves('compare.csv', SOLVERS, y='6')}
set ylabel 'inertial part [J]'; set key bottom right; {curves('compare.csv', SOLVERS, y='5')}""",
    )


def ends(study, folder=""):
    """The objective and its parts at the last iteration."""
    parts, solvers = ("objective", "elastic", "inertial"), Comparison(os.path.join(study.out, folder)).solvers
    lines = [(solver, *(f"{found[-1][part]:.6g}" for part in parts)) for solver, found in solvers.items()]
    study.table(("at the end [J]", *parts), lines)


def thesis_3_4(study):
    twisted_beam()
    study.must("compare", "thesis_3.4")
    study.errors((10, 40, 60, 260, 1000))
    study.reach(("1e-1", "1e-2", "1e-3", "1e-6"))
    ends(study)
    objective_plots(study, 500)
    for solver in ("qn", "pd", "admm", "xpbd"):
        outline(study, f"{solver}_10", solver, 10, {"solver_admm_weight": 0.4, "solver_xpbd_order": "sequential"})
    for solver in ("qn", "xpbd"):
        outline(study, f"{solver}_1000", solver, 1000, {"solver_xpbd_order": "sequential"})
    panels = [panel("after 1000 iterations", "xpbd_1000", "qn_1000")]
    panels += [panel("after 10 iterations", f"{solver}_10", "qn_10") for solver in ("xpbd", "pd", "admm")]
    shapes(study, "760,330", "2,2", panels)


def thesis_3_8(study):
    twisted_beam()
    at = (20, 60, 400, 680, 1000)
    study.must("compare", "thesis_3.8")
    study.errors(at)
    ends(study)
    objective_plots(study, 1000)
    study.add("from a beam that is twisted twice as far")
    turned = {"attach_xmin_spin": "-180,0,0", "attach_xmax_spin": "180,0,0", "output_every": 0}
    twist = program.run("run", TWIST, f"{study.out}/twist", turned)
    study.must("compare", "thesis_3.8", {"initial_restart": twist}, "twisted_further")
    study.errors(at, "twisted_further")
    ends(study, "twisted_further")


STUDIES = {
    "thesis_3.2": thesis_3_2,
    "thesis_3.3": thesis_3_3,
    "thesis_3.4": thesis_3_4,
    "thesis_3.8": thesis_3_8,
    "thesis_sweep": thesis_sweep,
    "thesis_weights": thesis_weights,
}
