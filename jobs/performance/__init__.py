"""python3 jobs performance [-l] [-w] [-m FOLDER] [name...]: the tables of docs/performance.md, as Markdown.

Each leaves out/performance/NAME.md, and pictures in docs/images. Run it on a quiet machine, since everything here is
timed; each table takes less than five minutes on two cores. A new table is a file of jobs/performance with a function
measure(meshes) that gives its text, and its name in NAMES.
"""
import argparse
import importlib
import os

from program import Failure, say
from tables import paste

NAMES = ("targets", "sizes", "liu", "solvers", "roofline", "contacts", "model", "elements", "orders")
PAGE, OUT = "docs/performance.md", "out/performance"


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="python3 jobs performance", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-l", action="store_true", help="list the names")
    parser.add_argument("-w", action="store_true", help=f"put the tables into {PAGE}, too")
    parser.add_argument(
        "-m",
        metavar="FOLDER",
        help="the meshes of Liu, Bouaziz and Kavan 2017 (hippo, ditto, squirrel_modified\n"
        "and bunny, .mesh) for the table liu; lines whose mesh is missing are left out",
    )
    parser.add_argument("name", nargs="*", help="without a name, all tables")
    given = parser.parse_args(arguments)
    if given.l:
        say(" ".join(NAMES))
        return 0
    for name in given.name:
        if name not in NAMES:
            raise Failure(f"no table '{name}', expected one of {', '.join(NAMES)}")
    os.makedirs("docs/images", exist_ok=True)
    for name in given.name or NAMES:
        say(f"== {name}")
        write(name, importlib.import_module(f"performance.{name}").measure(given.m), given.w)
    return 0


def write(name, text, into_page):
    """Shows a table and keeps it."""
    os.makedirs(OUT, exist_ok=True)
    path = f"{OUT}/{name}.md"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    say(f"{text}\n{path}")
    if into_page:
        paste(PAGE, name, text)
