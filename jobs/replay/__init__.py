"""python3 jobs replay [-l] [-w] [-s RANKS] [name...]: an iteration of qn with multigrid on many ranks, by replay.

    validate   messages of the generator against recorded runs on 8 to 64 ranks
    scale      weak and strong scaling: SimGrid's replay of generated traces up to RANKS (256; a case of 1,024
               takes a minute of processor time, one of 4,096 many), and without contention
    thresholds an iteration with other values of operator.coarse_rank_entries
    networks   strong scaling from one node to 1,024 ranks on other networks, by SimGrid
    curves     the formula of jobs/performance, the formula with the waits that delays show, and SimGrid

Each leaves out/replay/NAME.md; -w puts the tables into docs/performance.md. SimGrid is needed (Debian: libsimgrid-dev;
Spack: simgrid +smpi), and METIS as a library. Platforms: jobs/replay/platforms.
"""
import argparse
import importlib
import os

from program import Failure, say
from tables import paste

NAMES = ("validate", "scale", "thresholds", "networks", "curves")
PAGE, OUT = "docs/performance.md", "out/replay"


def main(arguments):
    parser = argparse.ArgumentParser(
        prog="python3 jobs replay", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("-l", action="store_true", help="list the names")
    parser.add_argument("-w", action="store_true", help=f"put the tables into {PAGE}, too")
    parser.add_argument("-s", metavar="RANKS", type=int, default=256, help="replay by SimGrid up to so many ranks")
    parser.add_argument("name", nargs="*", help="without a name, all")
    given = parser.parse_args(arguments)
    if given.l:
        say(" ".join(NAMES))
        return 0
    for name in given.name:
        if name not in NAMES:
            raise Failure(f"no replay '{name}', expected one of {', '.join(NAMES)}")
    os.makedirs(OUT, exist_ok=True)
    for name in given.name or NAMES:
        say(f"== {name}")
        text = importlib.import_module(f"replay.{name}").table(given.s)
        with open(f"{OUT}/{name}.md", "w", encoding="utf-8") as file:
            file.write(text)
        say(text)
        if given.w:
            paste(PAGE, f"replay_{name}", text)
    return 0
