"""
The tables of jobs/ on outputs that runs left once (wring 0.1.0; the folders beside this file). Each fails when a column
is read by another name or place than it has, when a unit or factor is wrong, or when a solver that does not reach an
error is said to.

    python3 tests/jobs/check.py SOURCE_DIR
"""
import itertools
import math
import os
import sys
import tempfile
import unittest
from unittest import mock

SOURCE = os.path.abspath(sys.argv.pop(1))
HERE = os.path.join(SOURCE, "tests", "jobs")
sys.path.insert(0, os.path.join(SOURCE, "jobs"))
sys.dont_write_bytecode = True

import bench  # noqa: E402
import gallery  # noqa: E402
import inputs  # noqa: E402
import outputs  # noqa: E402
import paraview  # noqa: E402
import program  # noqa: E402
import scaling  # noqa: E402
import structure  # noqa: E402
import structure_map  # noqa: E402
import tables  # noqa: E402
from performance import inner_tolerance, tolerance  # noqa: E402
from studies import box, essay, liu, study, thesis  # noqa: E402
from suite import claims, decks, design, entrants, intervals, measures, own, profiles, runs  # noqa: E402
from verify import affine, case, curved, laws, page  # noqa: E402


def stored(*names):
    return os.path.join(HERE, *names)


def meshes(name):
    return outputs.read(os.path.join(SOURCE, "inputs", "meshes", name))


class Program(unittest.TestCase):
    """
    Fails if a job shows what mpiexec adds, or nothing, in the place of the line of error of wring, or takes a wrong
    value.
    """

    def reason(self, text):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "log"), "w", encoding="utf-8") as log:
                log.write(text)
            return program.reason(folder)

    def test_reason(self):
        self.assertEqual(self.reason("a\nwring: x.yaml:3: no\n-----\nmpiexec has exited\n"), "wring: x.yaml:3: no")
        self.assertEqual(self.reason("Killed\n\n"), "Killed")
        failed = "note: step 3 failed: blocked; the state before it, at time 0.2, is in out"
        self.assertEqual(self.reason(f"note: x\n{failed}\nsteps 2\n\nFigure of Merit (FOM): 3e4\n"), failed)
        self.assertEqual(self.reason(""), "no output")

    def test_count(self):
        with mock.patch("program.install") as install, self.assertRaisesRegex(program.Failure, "-r: .*, found 0"):
            gallery.main(["-r", "0", "cube"])
        install.assert_not_called()

    def test_options_of_paraview(self):
        with tempfile.TemporaryDirectory() as run:
            with open(os.path.join(run, "frames.pvd"), "w", encoding="utf-8"):
                pass
            for word in ("size=4", "fps=0", "times=a", "view=", "range=1", "labels=a,b"):
                with self.assertRaisesRegex(program.Failure, f"^{word}: .*expected"):
                    paraview.parse([run, "picture=a.png", word])
            self.assertEqual(paraview.parse([run, "film=a.gif", "fps=12.5", "range="])[1]["fps"], "12.5")


class Comparisons(unittest.TestCase):
    def setUp(self):
        self.comparison = outputs.Comparison(stored("compare"))

    def test_errors(self):
        head, lines = study.errors(self.comparison, (4, 12, 99))
        self.assertEqual(head, ("error in % after", 4, 12, 99))
        self.assertEqual(
            lines,
            [
                ("qn", "33.8", "0.271", "-"),
                ("admm_fast", "45", "2.53", "-"),
                ("pd", "66.2", "40.5", "-"),
                ("xpbd", "79.2", "18.6", "-"),
            ],
        )

    def test_reach(self):
        _, lines = study.reach(self.comparison, ("1e-1", "1e-2", "1e-4"))
        self.assertEqual(
            lines,
            [("qn", "7", "10", "-"), ("admm_fast", "10", "-", "-"), ("pd", "-", "-", "-"), ("xpbd", "-", "-", "-")],
        )

    def test_times(self):
        _, lines = study.reach(self.comparison, box.ERRORS, with_seconds=True)
        self.assertEqual(lines[:2], [("qn", "10, 0.000161", "-", "-"), ("admm_fast", "-", "-", "-")])

    def test_energy_left(self):
        left = dict(thesis.energy_left(self.comparison, (0, 12, 99)))
        rows = self.comparison.solvers["pd"]
        self.assertEqual(left["pd"], ["100", f"{100 * rows[12]['elastic'] / rows[0]['elastic']:.3g}", "-"])

    def test_rows_of_newton(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "compare.csv"), "w", encoding="utf-8") as file:
                file.write("solver,iteration,seconds,objective,inertial,elastic,gradient_norm,relative_error\n")
                file.writelines(f"newton,{i},1,{g},0,0,0,0\n" for i, g in enumerate((30, 20, 12)))
            found = liu.rows_of_newton(folder, "newton_cg5", 10)
        self.assertEqual([row["solver"] for row in found], ["newton_cg5"] * 3)
        self.assertEqual([float(row["relative_error"]) for row in found], [1, 0.5, 0.1])


class Suite(unittest.TestCase):
    """
    Fails if levels or pairs of levels have other shares of the problems than the design says, if small is no part of
    medium, if a failure is taken for a success or gets another name, or if a profile counts what was not solved.
    """

    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(SOURCE)

    def rows(self, *errors, gradient=1.0):
        names = ("error", "seconds", "setup_seconds", "iteration", "work", "gradient_norm")
        row = lambda i, e: (e, float(i), 0.5 if i < 2 else 1.5, i, 2.0 * i, gradient if i else 1.0)
        return [dict(zip(names, row(i, e))) for i, e in enumerate(errors)]

    def result(self, ended, *errors, gradient=1.0):
        return measures.Result(None, "qn", ended, [], self.rows(*errors, gradient=gradient))

    def test_design_is_balanced(self):
        for size, count in ((size, n) for sizes in design.SETS.values() for size, n in sizes.items()):
            rows = [p for p in decks.read_table() if p.size == size][:count]
            self.assertEqual(len(rows), count)
            for factor, levels in design.FACTORS.items():
                for level, share in zip(levels, design.shares(factor)):
                    self.assertLessEqual(abs(sum(getattr(p, factor) == level for p in rows) - count * share), 1)
                for other in set(design.FACTORS) - {factor}:
                    pairs = [(getattr(p, factor), getattr(p, other)) for p in rows]
                    for a, b in itertools.product(*(zip(design.FACTORS[f], design.shares(f)) for f in (factor, other))):
                        self.assertLessEqual(pairs.count((a[0], b[0])), 2 * count * a[1] * b[1] + 2)
            for one, others in design.APART:
                for (a, apart), (b, against) in itertools.product(one.items(), others.items()):
                    self.assertFalse([p for p in rows if getattr(p, a) in apart and getattr(p, b) in against])

    def test_set_is_a_part(self):
        small, medium = (set(decks.of_set(name)) for name in ("small", "medium"))
        self.assertEqual((len(small), len(medium), small <= medium), (20, 90, True))

    def test_exchange_finds_an_orthogonal_table(self):
        table = design.Table([list(row) for row in design.extend([], 12, 5)])
        self.assertLessEqual(max(table.single[3]) - min(table.single[3]), 0)  # 12 rows, 3 levels
        before = table.cost()
        change = table.change(0, 0, (table.rows[0][0] + 1) % 7)
        table.set(0, 0, (table.rows[0][0] + 1) % 7)
        self.assertAlmostEqual(table.cost() - before, change)

    def test_first(self):
        found = self.result("converged to target", 1, 1e-2, 1e-4)
        self.assertEqual((found.seconds(1e-3), found.seconds(1e-3, False), found.work(1e-2)), (3.5, 2, 2))
        self.assertEqual((found.seconds(1e-2), found.simulation(1e-2), found.simulation(1e-3)), (1.5, 100.5, 201.5))
        self.assertEqual((found.iterations(1e-6), found.failure(1e-3)), (math.inf, ""))

    def test_failures(self):
        whys = {
            "refused": self.result("left out"),
            "diverged": self.result("not finite", 1, 10),
            "budget": self.result("budget", 1, 0.5, 0.4, 0.1),
            "stalled": self.result("budget", 1, 0.1, 0.1, 0.1, 0.1),
            "other minimum": self.result("at round-off", 1, 0.1, 0.1, gradient=1e-9),
            "line search failed": self.result("line search failed", 1, 0.1),
        }
        self.assertEqual({why: result.failure(1e-3) for why, result in whys.items()}, {why: why for why in whys})
        self.assertEqual(self.result("at round-off", 1, 0.1, gradient=1e-3).failure(1e-3), "stalled")

    def test_thin(self):
        rows = [(i, 0.1 * min(i, 6), 0.5**i if i < 5 else 0.0625) for i in range(10)]
        rows = [{"iteration": str(i), "seconds": str(t), "relative_error": str(e)} for i, t, e in rows]
        self.assertEqual([row["iteration"] for row in runs.thin(rows)], ["0", "1", "2", "3", "4", "6"])
        self.assertEqual(len(runs.thin([dict(rows[0], relative_error="inf"), *rows[1:]])), 6)
        errors = [dict(row, relative_error=e) for row, e in zip(rows, ("1", "0.102", "0.1", "0.0995", "0"))]
        self.assertEqual([row["iteration"] for row in runs.thin(errors)], ["0", "1", "2", "4"])
        errors = [dict(row, relative_error=e) for row, e in zip(rows, ("1", "inf", "nan", "0.5"))]
        self.assertEqual([row["iteration"] for row in runs.thin(errors)], ["0", "3"])

    def test_work(self):
        matrix = {"hessians": 8, "factorisations": 20, "linear_solves": 5, "products": 2}
        weights = {"A": matrix, "H": {"hessians": 10, "factorisations": 90, "linear_solves": 15, "products": 6}}
        weights.update({"elements": {"hessians": 7, "products": 3}, "local": {"admm": 4, "vbd": 9}})
        counts = dict.fromkeys(("evaluations", "hessians", "factorisations", "products"), 1)
        counts.update({"gradients": 3, "linear_solves": 4, "products": 0})
        work = lambda name, more: measures.work_of(name, {**counts, **more}, weights)
        self.assertEqual(work("newton", {}), 1 + 2 + 10 + 90 + 60)
        self.assertEqual(work("qn", {}), 1 + 2 + 8 + 20 + 20)
        self.assertEqual(work("auto", {}), work("newton", {}))
        self.assertEqual(work("qn", {"hessians": 0, "products": 7}), 1 + 2 + 20 + 14)
        self.assertEqual(work("admm_half", {"hessians": 0}), 1 + 8 + 20 + 20)
        self.assertEqual(work("vbd", {}), 1 + 18)
        self.assertEqual(work("pncg", {"products": 2}), 1 + 2 + 20 + 7 + 6 + 20)
        kept = {"1e4": {"linear": 1, "mean": 2}, "1e5": {"linear": 3}}
        of = lambda size, element: measures.weights_of(mock.Mock(size=size, level=lambda _: element), kept)
        self.assertEqual([of("1e4", "mean"), of("1e4", None), of("1e6", "linear")], [2, 1, 3])

    def test_chosen_entrants(self):
        """Fails if the small set has slow entrants, or if one that is asked for is left out."""
        with mock.patch.object(entrants, "present", lambda: list(entrants.ENTRANTS)):
            count = lambda *how: len(entrants.chosen(*how))
            self.assertEqual([count(None), count(None, False, False), count(["vbd"], False, False)], [37, 24, 1])

    def test_profile(self):
        self.assertEqual(
            profiles.profile([4, math.inf, 2, math.inf], 9), [(2, 0), (2, 0.25), (4, 0.25), (4, 0.5), (9, 0.5)]
        )

    def test_quartiles(self):
        self.assertEqual(measures.quartiles([1, 2, 3, 4, math.inf]), (2, 3, 4))
        self.assertEqual(measures.quartiles([0, 10]), (2.5, 5, 7.5))
        self.assertTrue(all(map(math.isnan, measures.quartiles([]))))

    def test_intervals(self):
        """Fails if a bound of Wilson [1927], or the n that decides, is wrong."""
        for bound, value in zip(intervals.wilson(8, 10), (0.4901625, 0.9433178)):
            self.assertAlmostEqual(bound, value, 6)
        self.assertEqual(intervals.wilson(0, 0), (0, 1))
        one = intervals.confidence_of(1)
        n = intervals.needed(6, 10, 0.5, one, 20)
        self.assertEqual([intervals.side(0.6 * k, k, 0.5, one) for k in (n - 1, n)], [0, 1])
        self.assertEqual((intervals.needed(5, 10, 0.5, one, 20), intervals.needed(10, 10, 0.5, one, 20)), (None, 20))

    def test_verdicts(self):
        """Fails if a verdict is given on few problems or counts ties, or where an interval contains its threshold."""
        verdict = lambda values, factor=1, tie=1: claims.verdict(values, factor, tie, intervals.confidence_of(1))
        self.assertEqual([verdict([2] * 19), verdict([2] * 20), verdict([0.5] * 20)],
                         ["not decided", "holds", "does not hold"])  # fmt: skip
        self.assertEqual([verdict([2] * 20, 10), verdict([20] * 20, 10)], ["holds by less", "holds"])
        self.assertEqual(verdict([20] * 10 + [5] * 10, 10), "not decided")  # faster, but by ten?
        self.assertEqual(verdict([2] * 100 + [0.5] * 100), "on some")
        self.assertEqual(verdict([2] * 14 + [0.5] * 6), "not decided")
        self.assertEqual(verdict([1.04] * 90 + [2] * 19, 1, 1.05), "not decided")

    def test_claims(self):
        """Fails if a claim names an entrant, a cost or strata that are not there."""
        problems = decks.read_table()
        for claim in outputs.rows(claims.INPUTS, "claims.csv"):
            self.assertLessEqual({claim["better"], claim["worse"]}, set(entrants.ENTRANTS))
            self.assertIn(claim["cost"], claims.COSTS)
            self.assertTrue(any(claims.is_in(problem, claim["problems"]) for problem in problems), claim)
        one = [problem for problem in problems if problem.material == "strain"][0]
        self.assertTrue(claims.is_in(one, f"material strain; stiffness 0.5, {one.stiffness:g}"))
        self.assertFalse(claims.is_in(one, "poisson 0.3, 0.45, 0.49") or claims.is_in(one, "stiffness 0.5"))

    def test_slow_entrants_of_a_problem(self):
        """Fails if one takes part in large problems of a set, or is left out of those of a file."""
        names = ("auto", "gradient_descent", "mine")
        found = lambda size, deck: entrants.of_problem(names, own.Problem("x", size, deck, {}))
        self.assertEqual([len(found(*at)) for at in (("1e4", None), ("1e5", None), ("1e5", "x.yaml"))], [3, 2, 3])


class Sweeps(unittest.TestCase):
    def test_by_scale(self):
        head, lines = thesis.by_scale(outputs.rows(stored("sweep"), "sweep.csv"), "error_60")
        cells = {line[0]: line[1:] for line in lines}
        self.assertEqual(head, ("h^2 k", "qn", "admm_0.4", "pd", "xpbd"))
        self.assertEqual(cells["1e+04"][2:], ("2.84 to 2.84", "0.881 to 0.881"))
        self.assertEqual(cells["1e+03"], ("-",) * 4)

    def test_best_weights(self):
        head, lines = thesis.best_weights(outputs.rows(stored("weights"), "sweep.csv"))
        self.assertEqual(head, ("best weight", "h=1e-2", "h=1e-3"))
        self.assertEqual(lines, [("k=1e6", "0.8 in 14", "1.0 in 2"), ("k=1e8", "0.5 in 54", "0.8 in 14")])


class Runs(unittest.TestCase):
    def test_drop_and_stretch(self):
        found = essay.drop(
            meshes("truss_points.csv"),
            meshes("truss_masses.csv"),
            outputs.rows(stored("truss"), "state.csv"),
            outputs.rows(stored("truss"), "steps.csv"),
        )
        self.assertEqual(f"{found:.3f}", "0.679")
        self.assertEqual(
            f"{essay.stretch(outputs.rows(stored('cloth'), 'state.csv'), meshes('cloth_springs.csv')):.2f}", "0.03"
        )

    def test_drop_of_a_run_that_diverged(self):
        steps = [{"kinetic": "2e6", "external": "0"}]
        self.assertIsNone(
            essay.drop([{"vertex": "0", "y": "0"}], [{"vertex": "0", "mass": "1"}], [{"vertex": "0", "y": "0"}], steps)
        )

    def test_swing(self):
        self.assertEqual(f"{essay.highest(outputs.rows(stored('rod'), 'steps.csv'), 0.5):.4f}", "-0.4229")

    def test_steps(self):
        self.assertEqual([s["iterations"] for s in outputs.steps(stored("twist"))[:2]], [17, 26])
        self.assertEqual(liu.step_lengths("twist", outputs.rows(stored("twist")))[:2], ("twist", 255))

    def test_tolerance(self):
        seconds, iterations, evaluations = tolerance.cells(stored("twist"), 20)
        self.assertEqual((f"{seconds:.4f}", f"{iterations:.2f}", f"{evaluations:.2f}"), ("0.0002", "12.75", "13.75"))
        self.assertIsNone(tolerance.cells(stored("twist"), 21))  # a step is missing

    def test_inner_tolerance(self):
        row = lambda i, g: {
            "iteration": str(i),
            "objective": str(g),
            "linear_iterations": str(10 * i),
            "seconds": str(0.5 * i),
        }
        history = [row(0, 1), row(1, 1e-3), row(2, 5e-5), row(3, 2e-9)]
        found = list(inner_tolerance.reached("10", {"1e-1": history}, [row(0, 1), row(9, 0)]))
        self.assertEqual(
            found,
            [("10", "1e-4", "1e-1", "2", "20", "1.000"), ("10", "1e-8", "1e-1", "3", "30", "1.500")],
        )


class Scaling(unittest.TestCase):
    """Fails if a mistake in a table ends in a trace, or if a job that may be in the queue is submitted again."""

    def test_tables(self):
        for key, value in {"time": 5400, "repeat": 0, "keys": None, "sbatch": ["-p"]}.items():
            table = {"deck": "x", "series": {}, key: value}
            with mock.patch("program.load_table", return_value=table):
                with self.assertRaisesRegex(program.Failure, f"^t.yaml: {key}.*expected"):
                    scaling.load("t.yaml")
        for series in ({"ranks": []}, {"ranks": True}, {"keys": [1]}, {"cells": []}):
            with self.assertRaisesRegex(program.Failure, "^t.yaml: series a.*expected"):
                scaling.points_of("t.yaml", "a", series, {})

    def test_launcher(self):
        study, point = mock.Mock(table={"launch": "srun {rank}"}, path="t.yaml"), {"nodes": 2, "ranks": 2, "threads": 1}
        with self.assertRaisesRegex(program.Failure, "^t.yaml: launch: srun {rank}: expected"):
            scaling.launcher(study, point, True)
        study.table = {}
        self.assertEqual(scaling.launcher(study, point, True), "mpiexec -n 4")

    def test_queue(self):
        done = mock.Mock(returncode=1, stdout="", stderr="slurm_load_jobs error: Invalid job id specified")
        with mock.patch("shutil.which", return_value="squeue"), mock.patch("subprocess.run", return_value=done):
            self.assertEqual(scaling.queued("7"), "")
            done.stderr = "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"
            self.assertEqual(scaling.queued("7"), "UNKNOWN")


class Bench(unittest.TestCase):
    SPLITS = ["1x1", "1x2"]

    def setUp(self):
        self.rows = bench.join(stored("bench"), ["2000", "4000"], self.SPLITS)

    def test_table(self):
        _, lines = bench.table(self.rows, self.SPLITS, "ns per tetrahedron")
        self.assertEqual(lines[0], ("scatter", 2058, "3.01", "11.1"))
        self.assertEqual(lines[4], ("direct solve to 1e-4", 3888, "7.31", "48.8"))
        self.assertEqual(
            bench.table(self.rows, self.SPLITS, "% of the triad")[1][5], ("multigrid to 1e-4", 3888, "96.8", "96.1")
        )

    def test_laws(self):
        name, one, two = bench.laws(self.rows, self.SPLITS, "energy+gradient")[1]
        self.assertEqual((name, f"{one:.6g}", f"{two:.6g}"), ("strain", "14.189", "20.8667"))


class Made(unittest.TestCase):
    def test_tables_of_inputs(self):
        """inputs/ holds what the command writes."""
        for path, lines in inputs.tables().items():
            with open(os.path.join(SOURCE, "inputs", path), encoding="utf-8") as file:
                self.assertEqual(file.read(), "".join(line + "\n" for line in lines), path)

    def test_numbers(self):
        numbers = {None: "-", 0.123: "0.12", 45.6: "46", 99.6: "100", 12345: "12,345", 2.5e-7: "2.5e-7", 0: "0"}
        self.assertEqual({value: tables.number(value) for value in numbers}, numbers)
        self.assertEqual((tables.power(2.2e-3), tables.number(999.6, 3)), ("2.2e-3", "1,000"))
        self.assertEqual(tables.text(("a", "b"), [("long", 1), ("x", 22)]), "a      b\nlong   1\nx     22\n")

    def test_part_of_a_page(self):
        """Fails if a page gets other rows or columns of a table than those it shows, or loses one the table lacks."""
        head, lines = ("a", "b", "c"), [("x", "1", "1,234"), ("x", "2", "-"), ("y", "1", "7")]
        before = "<!-- table t -->\n| a | c | b |\n|---|---|---|\n| y | 0 | 1 |\n| z | 5 | 1 |\n<!-- end -->\n"
        with tempfile.TemporaryDirectory() as folder:
            page, file = os.path.join(folder, "page.md"), os.path.join(folder, "t.csv")
            with open(page, "w", encoding="utf-8") as out:
                out.write(before)
            tables.renew(page, "t", 2, head, lines)
            tables.write(file, head, lines)
            with open(page, encoding="utf-8") as text:
                self.assertEqual(text.read(), before.replace("| y | 0 |", "| y | 7 |"))
            with open(file, encoding="utf-8") as text:
                self.assertEqual(text.read(), "a,b,c\nx,1,1234\nx,2,\ny,1,7\n")


class Verification(unittest.TestCase):
    """Fails if a verdict ignores a number that is wrong, or if a formula or mesh that numbers are compared with is."""

    def test_stored_run(self):
        class Stored(case.Bench):
            def __init__(self):
                self.quick = True

            def file(self, name):
                return os.devnull

            def run(self, deck, name, options=None, ends=()):
                return case.Run(stored("verify"))

        rows = affine.uniaxial(Stored())
        self.assertEqual([row.met() for row in rows], [True, False])  # neohookean, and corotated with the same numbers
        self.assertAlmostEqual(rows[0].ours[0], 120993.467005, 5)

    def test_verdicts(self):
        order = lambda *errors: case.Row("", "order", list(errors), order=2, scale=1)
        limit = lambda *ours: case.Row("", "limit", list(ours), 1.0)
        self.assertTrue(order(9, 4.1, 1.0).met())
        self.assertFalse(order(9, 4.4, 1.0).met() or order(9, 1.0, 4.0).met() or order(1, 1).met())
        decided = lambda *ours: (limit(*ours).met(), limit(*ours).decides())
        self.assertEqual(decided(0.84, 0.96, 0.99), (True, True))  # of order 2, to 1
        self.assertEqual(decided(0.74, 0.86, 0.89), (False, True))  # to 0.9
        self.assertEqual(decided(0.6, 0.9, 0.975), (True, False))  # too coarse
        self.assertEqual(decided(0.97, 0.985, 0.9925), (True, False))  # of order 1, not 2
        self.assertEqual(decided(1.01, 0.99, 1.0), (True, False))  # of no order
        self.assertFalse(limit(math.nan, math.nan).met())
        self.assertFalse(case.Row("", "identity", [1 + 2e-8], 1.0).met())
        self.assertFalse(case.Row("", "bound", [2.0], 1.0).met())
        self.assertEqual(case.verdict(limit(0.6, 0.9), case.Result([], 1e-8)), "not met: ranks differ by 1.0e-08")
        self.assertTrue(page.fails(case.Result([order(9, 4.4, 1.0)], 0.0)))
        self.assertTrue(page.fails(case.Result([limit(0.6, 0.9)], 1e-8)))
        self.assertFalse(page.fails(case.Result([limit(0.6, 0.9)], 1e-10)))

    def test_spread_of_ranks(self):
        rows = lambda bench: [case.Row("", "identity", [1.0 + 1e-5 * bench.ranks], 1.0)]
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(case, "OUT", folder):
            self.assertAlmostEqual(case.measure("x", rows, (1, 2, 4), True).spread, 3e-5)
            broken = lambda bench: [case.Row("", "identity", [math.nan if bench.ranks > 1 else 1.0], 1.0)]
            self.assertEqual(case.measure("x", broken, (1, 2), True).spread, math.inf)

    def test_laws(self):
        c = laws.LAMBDA * math.log(1.5 * 0.9 * 0.8) - laws.MU
        self.assertAlmostEqual(laws.stress(laws.neohookean, (1.5, 0.9, 0.8), 0) / (laws.MU * 1.5 + c / 1.5), 1, 12)
        for law in laws.LAWS.values():
            self.assertAlmostEqual(laws.stress(law, (1, 1, 1), 1), 0)
            self.assertAlmostEqual(laws.density(law, (1, 1, 1)), 0)
        self.assertAlmostEqual(laws.shear_stress(laws.mooney_rivlin, 0.6) / (1.2 * (laws.C10 + laws.C01)), 1, 12)

    def test_radii(self):
        """Laws of r(R): with the pressure, forces balance over the half sphere; a twisted tube is pulled inwards."""
        for name in ("neohookean", "mooney_rivlin"):
            path, law = curved.sphere_path(name), laws.LAWS[name]
            hoop = lambda R, r, s, law=law: laws.stress(law, (s, r / R, r / R), 1) * 2 * math.pi * R
            pull = curved.PRESSURE * math.pi * path[-1][1] ** 2
            self.assertAlmostEqual(curved.simpson(path, hoop) / pull, 1, 7)
        path = curved.tube_path()
        self.assertLess(path[-1][1], 1.0)
        self.assertAlmostEqual(curved.at(path, path[300][0]), path[300][1], 14)

    def test_meshes(self):
        def volume(mesh):
            total = 0.0
            for tet in mesh.tets:
                a, b, c = ([q - p for p, q in zip(mesh.points[tet[0]], mesh.points[v])] for v in tet[1:])
                six = sum(a[i] * (b[(i + 1) % 3] * c[(i + 2) % 3] - b[(i + 2) % 3] * c[(i + 1) % 3]) for i in range(3))
                self.assertGreater(six, 0)
                total += six / 6
            return total

        self.assertAlmostEqual(volume(affine.block()), 0.48, 12)
        self.assertAlmostEqual(volume(curved.sphere_mesh(4)) / (math.pi / 6 * 7), 1, 1)
        with tempfile.NamedTemporaryFile("r", suffix=".msh", encoding="utf-8") as file:
            affine.block().write(file.name)
            with open(os.path.join(SOURCE, "inputs", "verification", "block.msh"), encoding="utf-8") as old:
                self.assertEqual(file.read(), old.read())


class Structure(unittest.TestCase):
    def faults(self, files):
        return "\n".join(structure.faults(files))

    def test_arrow_up(self):
        found = self.faults({"src/law/a.c": '#include "term/b.h"\n', "src/term/b.h": "#pragma once\n"})
        self.assertIn("src/law/a.c (layer law) includes src/term/b.h of layer term", found)

    def test_circle_of_includes(self):
        self.assertIn(
            "circle of includes: src/mesh/a, src/mesh/b",
            self.faults(
                {
                    "src/mesh/a.c": '#include "b.h"\n',
                    "src/mesh/a.h": "",
                    "src/mesh/b.c": '#include "a.h"\n',
                    "src/mesh/b.h": "",
                }
            ),
        )

    def test_circle_of_calls(self):
        define = lambda name, other: f"int {name}(void)\n{{\n  return {other}();\n}}\n"
        self.assertIn(
            "circle of calls: src/mesh/a.c, src/mesh/b.c",
            self.faults({"src/mesh/a.c": define("wring_a", "wring_b"), "src/mesh/b.c": define("wring_b", "wring_a")}),
        )

    def test_large_folder_and_function(self):
        many = {f"src/mesh/f{i}.c": "" for i in range(26)}
        self.assertIn("src/mesh has 26 files", self.faults(many))
        self.assertIn("f has 41 lines", self.faults({"src/mesh/a.c": "int f(void)\n{\n" + "  ;\n" * 41 + "}\n"}))

    def test_path_of_an_iteration(self):
        """A function that its caller does not name and one that is gone break the path; a new folder, the picture."""
        texts = structure.sources(SOURCE)
        draw = lambda files: structure_map.draw(files, structure.folders(files), structure.LAYERS)
        old = os.path.join(SOURCE, structure.MAP)
        self.assertEqual(list(structure_map.faults(texts, draw(texts), old)), [])
        more = {**texts, "src/mesh/new/a.c": ""}
        self.assertIn("shows other folders", "\n".join(structure_map.faults(more, draw(more), old)))
        for name, other in (("wring_lbfgs_iterate(s", "f(s"), ("qn_iterate(wring", "f(wring")):
            less = {**texts, "src/solver/qn.c": texts["src/solver/qn.c"].replace(name, other)}
            self.assertIn("qn_iterate", structure_map.walk(less)[1][0])

    def test_threads_in_a_law(self):
        self.assertIn("a law is a pure function", self.faults({"src/law/a.c": "#pragma omp parallel for\n"}))


try:
    import numpy as np

    import random_start
    from performance import solvers, work
    from replay import curves

    class Model(unittest.TestCase):
        """One rank sends no message; more ranks have their share of the work, and messages beside it."""

        def test_time(self):
            self.assertEqual(curves.messages(1), 0)
            for ranks in (2, 64, 4096):
                self.assertAlmostEqual(curves.work(ranks) * ranks, curves.work(1))
                self.assertLess(0, curves.messages(ranks))

        def test_entries(self):
            solver = {"iterations_to": {"1e-4": 7, "1e-8": None}, "seconds_to": {"1e-4": 0.0123, "1e-8": None}}
            found = [solvers.entry(solver, error) for error in ("1e-4", "1e-8")]
            self.assertEqual(found, [("12", 7), ("-", "-")])
            line = work.line("a", 2, 1, "ms", {"before": 8, "now": 6})
            self.assertEqual(line[:6], ("a", "2 x 1", "ms", "8", "6", "0.75"))

        def test_distance_from_rest(self):
            rest = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]])
            c, s = math.cos(1), math.sin(1)
            turned = rest @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) + 5
            self.assertLess(random_start.distance_of(rest, turned), 1e-14)
            self.assertGreater(random_start.distance_of(rest, rest * [1, 1, 1.1]), 0.01)
            self.assertEqual(len(list(random_start.positions(4, 1))), 5)

except ModuleNotFoundError as missing:
    print(f"no module {missing.name}: the tables that need it are not tested")

unittest.main()
