"""python3 jobs studies [-l] [name...]: the experiments of three papers, whose results stand in docs/results.md.

Each runs a deck of inputs/studies, in variations, and leaves below out/studies/NAME what wring writes, a table
(table.txt, also printed) and, with gnuplot, pictures. Without a name, all of them; the names are those of the decks.
One rank, since some orders of constraints are sequential; box_126k has two.
"""
import argparse

from program import Failure, say
from studies import box, essay, liu, thesis
from studies.study import Study

STUDIES = {**thesis.STUDIES, **liu.STUDIES, **essay.STUDIES, **box.STUDIES}


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="python3 jobs studies", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-l", action="store_true", help="list the names")
    parser.add_argument("name", nargs="*")
    given = parser.parse_args(arguments)
    if given.l:
        say(" ".join(STUDIES))
        return 0
    for name in given.name:
        if name not in STUDIES:
            raise Failure(f"no study '{name}', expected one of {', '.join(STUDIES)}")
    for name in given.name or STUDIES:
        say(f"== {name}")
        study = Study(name)
        STUDIES[name](study)
        study.write()
    return 0
