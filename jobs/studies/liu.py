"""The experiments of Liu, Bouaziz and Kavan 2017."""
from outputs import load, rows, write
from studies.study import CONVERGENCE, curves, make_state

AFTER, BOUNDS = (1, 5, 10, 20, 50), ("1e-2", "1e-4", "1e-6", "1e-8")


def twisted_bar():
    """The frame of the twisting bar that most of them start from."""
    make_state("out/studies/liu_twist", "inputs/studies/liu_twist.yaml")


def convergence(study, last, solvers):
    """Relative errors over iterations, and over seconds."""
    style = f"{CONVERGENCE}; set yrange [1e-12:]"
    plot = curves("compare.csv", solvers)
    study.plot("convergence", "640,430", f"{style}; set xrange [0:{last}]; set key top right\n{plot}")
    study.plot(
        "seconds",
        "640,430",
        f"""{style}; set xlabel 'seconds'; set logscale x; set format x '%g'; set key bottom left
{curves('compare.csv', solvers, x='of(s, 3)')}""",
    )


def twisting(last, *solvers):
    """A study of one frame of the bar by these solvers."""

    def study_of(study):
        twisted_bar()
        study.must("compare", study.name)
        study.errors(AFTER)
        study.reach(BOUNDS)
        convergence(study, last, solvers)

    return study_of


def liu_13(study):
    twisting(100, "m0", "m1", "m2", "m5", "m10", "m20", "m100")(study)
    study.add("a bar ten times stiffer")
    state = study.must("run", "liu_twist", {"material_young": 1e6, "output_every": 0}, "stiff_twist")
    study.must("compare", "liu_13", {"material_young": 1e6, "initial_restart": state}, "stiff")
    study.reach(BOUNDS, "stiff")


def rows_of_newton(folder, name, least):
    """Newton's rows of a comparison under another name, with errors relative to g* = least."""
    found = [row for row in rows(folder, "compare.csv") if row["solver"] == "newton"]
    start = float(found[0]["objective"])
    error = lambda row: (float(row["objective"]) - least) / (start - least)
    return [{**row, "solver": name, "relative_error": f"{error(row):.17g}"} for row in found]


def liu_16(study):
    """The program's comparison, and Newton's method with conjugate gradients, whose steps are options of PETSc."""
    twisted_bar()
    newton = {"compare_solvers": "newton", "compare_reference": "least", "solver_newton_linear": "cg"}
    newton["petsc_newton_pc_type"] = "jacobi"
    counts = (5, 15)
    folders = [study.must("compare", "liu_16", {**newton, "petsc_newton_ksp_max_it": n}, f"cg{n}") for n in counts]
    study.must("compare", "liu_16")
    found, least = rows(study.out, "compare.csv"), load(study.out, "compare.json")["g_star"]
    for n, folder in zip(counts, folders):
        found += rows_of_newton(folder, f"newton_cg{n}", least)
    write(f"{study.out}/compare.csv", list(found[0]), found)
    study.errors(AFTER)
    study.reach(BOUNDS)
    convergence(study, 50, ("qn_direct", "qn_cg5", "qn_cg15", "newton", "newton_cg5", "newton_cg15"))


def step_lengths(name, history):
    """One line of a run by qn: how many of its steps are not 1, and the first eight of those as iteration:length."""
    done = [row for row in history if int(row["iteration"]) > 0]
    other = [f"{row['iteration']}:{float(row['step_length']):.2g}" for row in done if float(row["step_length"]) != 1]
    where = ("  " + " ".join(other[:8]) + (" ..." if len(other) > 8 else "")) if other else ""
    return name, len(done), done[-1]["evaluations"], f"{len(other)}{where}"


def liu_14(study):
    """The steps of Armijo's and Wolfe's conditions, from A and from a scaled identity."""
    twisted_bar()
    lines = []
    for search in ("armijo", "wolfe"):
        for start, options in (("", {}), ("identity_", {"solver_qn_initial_hessian": "identity"})):
            folder = study.must("run", "liu_14", {"solver_qn_line_search": search, **options}, start + search)
            lines.append(step_lengths(start + search, rows(folder)))
    study.table(("", "iterations", "evaluations", "steps other than 1"), lines)
    lengths = "using 4:($4 > 0 ? $9 : NaN) with points"
    plot = lambda start: (
        f"plot '{start}armijo/history.csv' {lengths} pt 6 title 'Armijo', "
        f"'{start}wolfe/history.csv' {lengths} pt 2 title 'Wolfe'"
    )
    study.plot(
        "steps",
        "1000,380",
        f"""set multiplot layout 1,2; set xlabel 'iteration'; set ylabel 'step length'
set xrange [0:51]; set yrange [0:]
set title 'from A'; {plot('')}
set title 'from a scaled identity'; {plot('identity_')}""",
    )


INTERVALS = (
    ("379346.5549", 0.99),
    ("382963.164", 0.9),
    ("414697.8681", 0.7),
    ("495358.6196", 0.5),
    ("691947.6192", 0.3),
    ("1453321.603", 0.1),
)  # k in A, and where the interval about 1 begins that its slope is taken over


def liu_15(study):
    """The stiffness of A from slopes over intervals about 1 of growing width."""
    twisted_bar()
    study.must("compare", "liu_15")
    error = lambda row, n: f"{100 * float(row[f'error_{n}']):.3g}%"
    lines = []
    for row in rows(study.out, "sweep.csv"):
        errors = [error(row, n) for n in (5, 10, 20)]
        lines.append((row["material_proxy_stiffness"], *errors, row["iterations_to_1e-6"] or "-"))
    study.table(("k in A [Pa]", "after 5", "10", "20", "to 1e-6"), lines)
    parts = [
        f"'material_proxy_stiffness={k}/compare.csv' using ($8 > 0 ? of('qn', 2) : NaN):8 lw 1.5 "
        f"title '[{start:g}, {2 - start:.2f}]'"
        for k, start in INTERVALS
    ]
    plot = ", \\\n  ".join(parts)
    study.plot("intervals", "800,430", f"{CONVERGENCE}; set yrange [1e-12:]; set key top right\nplot {plot}")


def condition_numbers(folder):
    """Of every method's initial Hessian at x_0, where the comparison has them."""
    solvers = load(folder, "compare.json")["solvers"]
    found = {name: solver.get("spectrum_start", {}).get("condition") for name, solver in solvers.items()}
    return {name: value for name, value in found.items() if value is not None}


def liu_9(study):
    """The stretched cube as it is, and turned."""
    study.must("compare", "liu_9")
    for way in ("stretched", "turned"):
        folder = f"initial_positions=liu_9_{way}.csv"
        study.add(way)
        study.errors((1, 5, 10, 20, 30), folder)
        found = condition_numbers(f"{study.out}/{folder}")
        study.table(("condition number of", *found), [("at x_0", *(f"{value:.4g}" for value in found.values()))])
    plot = lambda way: curves(f"initial_positions=liu_9_{way}.csv/compare.csv", ("rest", "ours"))
    study.plot(
        "convergence",
        "1000,430",
        f"""set multiplot layout 1,2; {CONVERGENCE}; set yrange [1e-14:]; set key top right
set title 'configuration 1'; {plot('stretched')}
set title 'configuration 2'; {plot('turned')}""",
    )


STUDIES = {
    "liu_7": twisting(50, "m0", "chebyshev_armijo", "m2", "m5", "newton"),
    "liu_8": twisting(50, "identity", "rest", "warped_rest", "frame", "operator_a", "newton"),
    "liu_9": liu_9,
    "liu_13": liu_13,
    "liu_14": liu_14,
    "liu_15": liu_15,
    "liu_16": liu_16,
    "liu_17": twisting(50, "a_operator", "b_direct", "c_rest_5", "d_rest_15", "e_operator_5", "f_operator_15"),
}
