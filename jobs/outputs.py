"""What runs leave, read by the names of columns and keys: docs/operations.md describes the files."""
import csv
import glob
import io
import json
import os
import statistics


def load(folder, name):
    """A JSON file of a run."""
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def rows(folder, name="history.csv"):
    """Rows of a CSV file as {column: text}."""
    with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read(path):
    return rows(os.path.dirname(path), os.path.basename(path))


def write_lines(path, lines):
    """A CSV file of lines of cells."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    replace(path, text.getvalue())


def write(path, columns, found):
    """A CSV file of some columns of rows, {column: value}."""
    write_lines(path, [list(columns), *([row.get(name, "") for name in columns] for row in found)])


def replace(path, text):
    """Writes a file as a whole, so that a kill leaves the old one or the new one."""
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(path + ".part", path)


def last_line(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return ([line.rstrip("\n") for line in file if line.strip()] or [""])[-1]


# ---- a run ----------------------------------------------------------------------------------------------------------


def steps(folder):
    """
    Of every step of history.csv: iterations, and from x_0 to the last one the seconds, evaluations and inner
    iterations.
    """
    result, first = [], None
    for row in rows(folder):
        if row["iteration"] == "0":
            first = row
            result.append(None)
        result[-1] = {
            "iterations": int(row["iteration"]),
            "frame": float(row["seconds"]),
            "seconds": float(row["seconds"]) - float(first["seconds"]),
            "evaluations": int(row["evaluations"]) - int(first["evaluations"]),
            "linear": int(row["linear_iterations"]) - int(first["linear_iterations"]),
        }
    return result


def iteration_ms(folder):
    """Milliseconds of an iteration: the median over steps of their mean."""
    return 1e3 * statistics.median(s["seconds"] / s["iterations"] for s in steps(folder) if s["iterations"])


def phase_ms(folder, *phases):
    """Milliseconds that a run spent in phases, over its iterations."""
    run = load(folder, "run.json")
    return 1e3 * sum(run["seconds"][p] for p in phases) / run["iterations"]


# ---- frames ---------------------------------------------------------------------------------------------------------


def grid(path):
    """A file .vtu as VTK reads it."""
    import vtk

    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def last_frame(folder):
    paths = glob.glob(os.path.join(folder, "frame_*.vtu"))
    if not paths:
        raise FileNotFoundError(f"{folder} has no frame_*.vtu")
    return grid(max(paths))


# ---- a comparison ---------------------------------------------------------------------------------------------------


class Comparison:
    """compare.csv: {solver: [row]} in the file's order, numbers as floats."""

    def __init__(self, folder):
        self.folder, self.solvers = folder, {}
        for row in rows(folder, "compare.csv"):
            name = row.pop("solver")
            self.solvers.setdefault(name, []).append({key: number_of(text) for key, text in row.items()})

    def at(self, solver, iteration):
        """The solver's row of an iteration, None where there is none."""
        return next((row for row in self.solvers[solver] if row["iteration"] == iteration), None)

    def first(self, solver, error):
        """The solver's first row with a relative error of `error` or less, None where there is none."""
        return next((row for row in self.solvers[solver] if row["relative_error"] <= error), None)


def number_of(text):
    """A float, NaN for an empty cell."""
    return float(text) if text else float("nan")
