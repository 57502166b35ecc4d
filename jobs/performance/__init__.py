"""python3 jobs performance [-l] [-w] [-m FOLDER] [name...]: the tables of docs/performance.md.

Each leaves out/performance/NAME.csv, and pictures in docs/images; -w also writes docs/performance/NAME.csv and the part
of it that the page shows. Run all of it by one call on a quiet machine, since nearly everything is timed: an hour on
two cores. A new table is a file of jobs/performance with a function table(meshes) that gives the number of columns that
name a line, the head and the lines, and its name in NAMES.
"""
import importlib
import os

import program
import tables
from program import say

NAMES = ("machine", "work", "sizes", "operator", "roofline", "inner_tolerance", "newton_linear", "tolerance", "solvers")
NAMES += ("liu", "elements", "orders", "contacts", "peers")
PAGE, FOLDER = "docs/performance.md", "docs/performance"


def main(arguments):
    text = "meshes of Liu, Bouaziz and Kavan 2017 (hippo, ditto, squirrel_modified\nand bunny, .mesh) for the table"
    text += " liu, of which lines\nwithout their mesh are left out, and of Li et al. 2019 (bar17K, bunny5K)"
    return make("performance", __doc__, NAMES, ("-m", {"metavar": "FOLDER", "help": text}), PAGE, arguments)


def make(package, doc, names, option, page, arguments):
    """Tables of a package, each by table(value of its option) of its module."""
    parser = program.parser(package, doc)
    parser.add_argument("-w", action="store_true", help=f"put the tables into {FOLDER} and {page}, too")
    parser.add_argument(option[0], dest="value", **option[1])
    given = program.parse_names(parser, arguments, names, "table")
    for folder in (f"out/{package}", FOLDER, "docs/images"):
        os.makedirs(folder, exist_ok=True)
    modules = {name: importlib.import_module(f"{package}.{name}") for name in given.name}  # what one lacks is told now
    for name, module in modules.items():
        say(f"== {name}")
        keys, head, lines = module.table(given.value)
        lines = list(lines)
        say(tables.text(head, lines))
        file = f"{'replay_' * (package == 'replay')}{name}"
        tables.write(f"out/{package}/{name}.csv", head, lines)
        if given.w:
            tables.publish(page, FOLDER, file, keys, head, lines)
    return 0
