"""python3 jobs suite SET: the suite of problems, small, medium or large.

--decks   only writes decks, meshes and tables below out/suite/inputs
--table   only writes inputs/suite/problems.csv anew
"""
import argparse

from program import say
from suite import decks, design

OUT = "out/suite"


def arguments_of(arguments):
    parser = argparse.ArgumentParser(
        prog="python3 jobs suite", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("set", choices=tuple(design.SETS), metavar="SET")
    parser.add_argument("--decks", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--table", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--out", metavar="FOLDER", default=OUT, help="where inputs and runs are, instead of out/suite")
    return parser.parse_args(arguments)


def main(arguments):
    given = arguments_of(arguments)
    if given.table:
        decks.write_table(design.build())
        return 0
    for problem in decks.of_set(given.set):
        say(decks.write(problem, f"{given.out}/inputs"))
    return 0
