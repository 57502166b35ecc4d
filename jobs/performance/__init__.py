"""python3 jobs performance [-l] [-w] [-m FOLDER] [name...]: the tables of docs/performance.md.

Each leaves out/performance/NAME.csv, and pictures in docs/images; -w also writes docs/performance/NAME.csv and the part
of it that the page shows. Run it on a quiet machine, since everything here is timed; each table takes less than five
minutes on two cores. A new table is a file of jobs/performance with a function table(meshes) that gives the number of
columns that name a line, the head and the lines, and its name in NAMES.
"""
import argparse
import importlib
import os

import tables
from program import Failure, say

NAMES = ("work", "sizes", "liu", "solvers", "roofline", "contacts", "elements", "orders")
PAGE, FOLDER = "docs/performance.md", "docs/performance"


def main(arguments):
    meshes = (
        "-m",
        {
            "metavar": "FOLDER",
            "help": "the meshes of Liu, Bouaziz and Kavan 2017 (hippo, ditto, squirrel_modified\n"
            "and bunny, .mesh) for the table liu; lines whose mesh is missing are left out",
        },
    )
    return make("performance", __doc__, NAMES, meshes, arguments)


def make(package, doc, names, option, arguments):
    """Tables of a package, each by table(value of its option) of its module."""
    form = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(prog=f"python3 jobs {package}", description=doc, formatter_class=form)
    parser.add_argument("-l", action="store_true", help="list the names")
    parser.add_argument("-w", action="store_true", help=f"put the tables into {FOLDER} and {PAGE}, too")
    parser.add_argument(option[0], dest="value", **option[1])
    parser.add_argument("name", nargs="*", help="without a name, all tables")
    given = parser.parse_args(arguments)
    if given.l:
        say(" ".join(names))
        return 0
    for name in given.name:
        if name not in names:
            raise Failure(f"no table '{name}', expected one of {', '.join(names)}")
    for folder in (f"out/{package}", FOLDER, "docs/images"):
        os.makedirs(folder, exist_ok=True)
    for name in given.name or names:
        say(f"== {name}")
        keys, head, lines = importlib.import_module(f"{package}.{name}").table(given.value)
        lines = list(lines)
        say(tables.text(head, lines))
        file = f"{'replay_' * (package == 'replay')}{name}"
        tables.write(f"out/{package}/{name}.csv", head, lines)
        if given.w:
            tables.publish(PAGE, FOLDER, file, keys, head, lines)
    return 0
