"""python3 jobs replay [-l] [-w] [-s RANKS] [name...]: an iteration of qn or newton with multigrid on many ranks, by
replay.

    validate   messages of the generator against those that runs on 8 to 64 ranks send
    newton_validate   the same for the parts of an iteration of newton
    scale      weak and strong scaling: SimGrid's replay of generated traces up to RANKS (256; a case of 1,024
               takes a minute of processor time, one of 4,096 many), and without contention
    newton     the same for the parts of an iteration of newton, of which SimGrid replays conjugate gradients
    thresholds an iteration with other values of operator.coarse_rank_entries
    networks   strong scaling from one node to 1,024 ranks on other networks, by SimGrid
    curves     a formula, the formula with the waits that delays show, and SimGrid

Each leaves out/replay/NAME.csv; -w also writes docs/performance/replay_NAME.csv and the part of it that
docs/scaling.md shows. SimGrid is needed (Debian: libsimgrid-dev; Spack: simgrid +smpi), and METIS as a library.
Platforms: jobs/replay/platforms.
"""
from performance import make

NAMES = ("validate", "newton_validate", "scale", "newton", "thresholds", "networks", "curves")


def main(arguments):
    most = ("-s", {"metavar": "RANKS", "type": int, "default": 256, "help": "replay by SimGrid up to so many ranks"})
    return make("replay", __doc__, NAMES, most, "docs/scaling.md", arguments)
