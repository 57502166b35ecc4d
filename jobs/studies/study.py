"""What the studies share: runs of decks of inputs/studies into one folder, lines of a table, tables of errors."""
import os

import pictures
import program
import tables
from outputs import Comparison, load, replace


class Study:
    """A study: its name, its folder, the lines of its table."""

    def __init__(self, name):
        self.name, self.out, self.parts = name, f"out/studies/{name}", []
        os.makedirs(self.out, exist_ok=True)

    def must(self, command, deck, options=None, folder=None, **how):
        """
        A command on inputs/studies/DECK.yaml, into the study's folder or one below it, which it gives. A failure ends
        the job.
        """
        return program.run(command, f"inputs/studies/{deck}.yaml", os.path.join(self.out, folder or ""), options, **how)

    def diverges(self, deck, options, folder):
        """Whether a run does, by its status 2; another failure ends the job."""
        return load(self.must("run", deck, options, folder, accepted=(0, 2)), "run.json")["ended"] != "done"

    def add(self, text):
        """A line, or a table of several lines."""
        self.parts.append(text if text.endswith("\n") else text + "\n")

    def table(self, head, lines):
        self.add(tables.text(head, lines))

    def plot(self, name, size, commands):
        pictures.draw(self.out, name, size, commands)

    def write(self):
        table = "".join(self.parts)
        replace(f"{self.out}/table.txt", table)
        program.say(table.rstrip("\n"))

    def errors(self, iterations, folder=""):
        self.table(*errors(Comparison(os.path.join(self.out, folder)), iterations))

    def reach(self, errors_, folder=""):
        self.table(*reach(Comparison(os.path.join(self.out, folder)), errors_))


def make_state(folder, deck):
    """Runs a deck that others start from, unless it has been run to its end since it was written."""
    if not program.is_newer(f"{folder}/run.json", deck) or load(folder, "run.json").get("ended") != "done":
        program.run("run", deck, folder)


def errors(comparison, iterations):
    """Relative errors in % of every solver: head and lines."""
    cell = lambda row: f"{100 * row['relative_error']:.3g}" if row else "-"
    lines = [(solver, *(cell(comparison.at(solver, i)) for i in iterations)) for solver in comparison.solvers]
    return ("error in % after", *iterations), lines


def reach(comparison, bounds, with_seconds=False):
    """Iterations to relative errors, and with_seconds seconds, "-" where they are not reached: head and lines."""
    told = lambda row: f"{row['iteration']:.0f}" + (f", {row['seconds']:.3g}" if with_seconds else "")
    cell = lambda row: told(row) if row else "-"
    lines = [(solver, *(cell(comparison.first(solver, float(e))) for e in bounds)) for solver in comparison.solvers]
    return ("iterations, s to" if with_seconds else "iterations to", *bounds), lines


CONVERGENCE = "set logscale y; set format y '%.0e'; set xlabel 'iteration'; set ylabel '(g(x_k) - g*) / (g(x_0) - g*)'"


def curves(file, solvers, x="of(s, 2)", y="($8 > 0 ? $8 : NaN)"):
    """gnuplot's plot of one curve a solver from a compare.csv."""
    return f"plot for [s in '{' '.join(solvers)}'] '{file}' using ({x}):{y} lw 1.5 title s"
