"""python3 jobs studies [-l] [name...]: the experiments of three papers, whose results stand in docs/results.md.

Each runs a deck of inputs/studies, in variations, and leaves below out/studies/NAME what wring writes, a table
(table.txt, also printed) and, with gnuplot, pictures. Without a name, all of them; the names are those of the decks.
One rank, since some orders of constraints are sequential; box_126k has two.
"""
import program
from program import say
from studies import box, essay, liu, thesis
from studies.study import Study

STUDIES = {**thesis.STUDIES, **liu.STUDIES, **essay.STUDIES, **box.STUDIES}


def main(arguments):
    for name in program.parse_names(program.parser("studies", __doc__), arguments, STUDIES, "study").name:
        say(f"== {name}")
        study = Study(name)
        STUDIES[name](study)
        study.write()
    return 0
