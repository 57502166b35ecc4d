"""The experiments of the essay on particle systems, in 3D with springs."""
import math
import os

from outputs import read, rows

GRAVITY = 9.81  # m/s^2
DIVERGES = "diverges"


def pinned(h):
    """
    N/m: the stiffness m/h^2 at which one projection of a penalty constraint puts a held vertex of 10^6 kg back in its
    place.
    """
    return f"{1e6 / h ** 2:.17g}"


def springs(study, mesh, stiffness):
    """The springs of a mesh with another stiffness; gives the file."""
    path = os.path.abspath(f"{study.out}/springs_{stiffness}.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("a,b,length,stiffness\n")
        for row in read(f"inputs/meshes/{mesh}_springs.csv"):
            file.write(f"{row['a']},{row['b']},{row['length']},{stiffness}\n")
    return path


def drop(points, masses, state, steps):
    """
    How far the unit masses of a mesh hang below their rest, averaged over the last half of a run [m]: from the energy
    in gravity, less that of the held masses, which do not move by then. None for a run that threw them off.
    """
    rest = {row["vertex"]: float(row["y"]) for row in points}
    mass = {row["vertex"]: float(row["mass"]) for row in masses}
    height = {row["vertex"]: float(row["y"]) for row in state}
    free = [vertex for vertex in mass if mass[vertex] == 1]
    level = GRAVITY * (sum(rest[v] for v in free) + sum(mass[v] * height[v] for v in mass if mass[v] != 1))
    if any(float(row["kinetic"]) > 1e6 for row in steps):
        return None
    external = [float(row["external"]) for row in steps[len(steps) // 2 :]]
    return (level - sum(external) / len(external)) / (GRAVITY * len(free))


def stretch(state, links):
    """How much longer the springs are on average at the end of a run [%]. None for a run that threw the masses off."""
    at = {row["vertex"]: [float(row[c]) for c in "xyz"] for row in state}
    longer = [math.dist(at[row["a"]], at[row["b"]]) / float(row["length"]) - 1 for row in links]
    mean = sum(longer) / len(longer)
    return 100 * mean if mean < 10 else None


def measured(study, deck, options, value_of, digits=3):
    """A cell of a table: a value of a run, or that it diverges."""
    if study.diverges(deck, options, "run"):
        return DIVERGES
    value = value_of(f"{study.out}/run")
    return DIVERGES if value is None else f"{value:.{digits}f}"


def drop_of_truss(run):
    files = [read(f"inputs/meshes/truss_{what}.csv") for what in ("points", "masses")]
    return drop(*files, rows(run, "state.csv"), rows(run, "steps.csv"))


def stretch_of_cloth(run):
    return stretch(rows(run, "state.csv"), read("inputs/meshes/cloth_springs.csv"))


def highest(steps, since):
    """
    The height y of the swinging mass of 1 kg, from its energy in gravity: its largest value at or after a time [m].
    """
    return max(float(row["external"]) / GRAVITY for row in steps if float(row["time"]) >= since)


def swings(study):
    """The height of the swinging mass after steps of three sizes."""
    lines = []
    for h in (0.0002, 0.002, 0.008):
        run = study.must("run", study.name, {"time_step": h, "attach_pivot_stiffness": pinned(h)}, f"h{h:g}")
        steps = rows(run, "steps.csv")
        total = sum(float(steps[-1][part]) for part in ("kinetic", "external", "elastic"))
        end = float(steps[-1]["external"]) / GRAVITY
        lines.append((f"{h:g}", f"{end:.4f}", f"{highest(steps, 8):.4f}", f"{-100 * total / GRAVITY:.3g}"))
    study.table(("h [s]", "y after 10 s", "highest, 8-10 s", "energy lost, % of mgl"), lines)
    plot = lambda h, more="": f"set title 'h = {h} s'; plot 'h{h}/steps.csv' using 2:($5 / {GRAVITY}) {more}"
    study.plot(
        "swings",
        "900,700",
        f"""set multiplot layout 3,1; set xrange [0:10]; set yrange [-1.1:0.1]; set ylabel 'y [m]'; unset key
{plot('0.0002', 'every 10')}
{plot('0.002')}
set xlabel 't [s]'; {plot('0.008')}""",
    )


def fastest(study, stiffness, options):
    """The pendulum's highest kinetic energy within 2 s at a long step [J], or that it diverges."""
    fixed = {"time_step": 0.008, "time_end": 2, "attach_pivot_stiffness": pinned(0.008)}
    fixed["spring_rod_file"] = springs(study, "rod", stiffness)
    diverges = study.diverges("essay_10", {**fixed, **options}, "run")
    top = max((float(row["kinetic"]) for row in rows(f"{study.out}/run", "steps.csv")), default=math.inf)
    return DIVERGES if diverges or not top <= 1e3 else f"{top:.2f}"


def essay_10(study):
    """Figures 10 and 11."""
    swings(study)
    study.add(
        "\nhighest kinetic energy [J] within 2 s at h = 0.008 s, by stiffness and damping [N s/m], "
        "then by stiffness and iterations"
    )
    for name, key, values, stiffnesses in (
        ("c", "solver_penalty_damping", (0, 10, 50, 100), "1e3 1e4 1.5e4 2e4 2.2e4 3e4 1e5"),
        ("n", "solver_max_it", (1, 2, 3, 10), "2e4 2.2e4 2.5e4 3e4 1e5"),
    ):
        study.table(
            ("k [N/m]", *(f"{name}={v}" for v in values)),
            [(k, *(fastest(study, k, {key: v}) for v in values)) for k in stiffnesses.split()],
        )


def essay_6(study):
    """Figures 6 to 8: the cantilever's mean drop by stiffness and iterations, at a short step and at a long one."""
    counts = (1, 2, 5, 10, 20)

    def cell(h, k, n):
        keys = {"time_step": h, "attach_wall_stiffness": pinned(h), "spring_truss_file": springs(study, "truss", k)}
        keys |= {"solver_max_it": n, "solver_penalty_damping": 2}
        return measured(study, "essay_6", keys, drop_of_truss)

    for h in (0.002, 0.008):
        study.add(f"mean drop [m] at h = {h} s, by stiffness and iterations of a step")
        lines = [(k, *(cell(h, k, n) for n in counts)) for k in ("1e3", "1e4", "1e5", "1e6")]
        study.table(("k [N/m]", *(f"n={n}" for n in counts)), lines)


def essay_13(study):
    """Figure 13: the mean drop of relaxed constraints, by factor and iterations."""
    counts = (1, 2, 5, 10, 50)

    def cell(factor, n):
        keys = {"attach_wall_stiffness": pinned(0.008), "solver_rgc_factor": factor, "solver_max_it": n}
        return measured(study, "essay_13", keys, drop_of_truss)

    study.add("mean drop [m] at h = 0.008 s, by factor and iterations of a step")
    lines = [(s, *(cell(s, n) for n in counts)) for s in (0.25, 0.5, 1, 1.1, 1.5, 1.9)]
    study.table(("factor", *(f"n={n}" for n in counts)), lines)


def essay_14(study):
    """Figures 14 and 15: how much the cloth is stretched [%], by step and iterations."""
    counts = (1, 2, 5, 10, 20)

    def cell(h, n):
        held = {f"attach_{corner}_stiffness": pinned(h) for corner in ("left", "right")}
        return measured(study, "essay_14", {"time_step": h, **held, "solver_max_it": n}, stretch_of_cloth, 2)

    study.add("mean stretch of the springs, %, by step and iterations of a step")
    lines = [(h, *(cell(h, n) for n in counts)) for h in (0.004, 0.008, 0.016)]
    study.table(("h [s]", *(f"n={n}" for n in counts)), lines)


STUDIES = {"essay_6": essay_6, "essay_10": essay_10, "essay_13": essay_13, "essay_14": essay_14, "essay_16": swings}
