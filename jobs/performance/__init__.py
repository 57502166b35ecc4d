"""python3 jobs performance [-l] [-w] [-m FOLDER] [name...]: the tables of docs/performance.md.

Each leaves out/performance/NAME.csv, and pictures in docs/images; -w also writes docs/performance/NAME.csv and the part
of it that the page shows. Run it on a quiet machine, since everything here is timed; each table takes less than five
minutes on two cores. A new table is a file of jobs/performance with a function table(meshes) that gives the number of
columns that name a line, the head and the lines, and its name in NAMES.
"""
import importlib
import os

import program
import tables
from program import say

NAMES = ("work", "sizes", "liu", "solvers", "roofline", "contacts", "elements", "orders")
PAGE, FOLDER = "docs/performance.md", "docs/performance"


def main(arguments):
    text = (
        "meshes of Liu, Bouaziz and Kavan 2017 (hippo, ditto, squirrel_modified\nand bunny, .mesh) for the table liu; "
    )
    text += "lines whose mesh is missing are left out"
    return make("performance", __doc__, NAMES, ("-m", {"metavar": "FOLDER", "help": text}), arguments)


def make(package, doc, names, option, arguments):
    """Tables of a package, each by table(value of its option) of its module."""
    parser = program.parser(package, doc)
    parser.add_argument("-w", action="store_true", help=f"put the tables into {FOLDER} and {PAGE}, too")
    parser.add_argument(option[0], dest="value", **option[1])
    given = program.parse_names(parser, arguments, names, "table")
    for folder in (f"out/{package}", FOLDER, "docs/images"):
        os.makedirs(folder, exist_ok=True)
    for name in given.name:
        say(f"== {name}")
        keys, head, lines = importlib.import_module(f"{package}.{name}").table(given.value)
        lines = list(lines)
        say(tables.text(head, lines))
        file = f"{'replay_' * (package == 'replay')}{name}"
        tables.write(f"out/{package}/{name}.csv", head, lines)
        if given.w:
            tables.publish(PAGE, FOLDER, file, keys, head, lines)
    return 0
