"""python3 jobs verify [--quick] [--ranks 1,2,4] [CASE...]: wring against closed forms and published numbers.

Runs the decks of inputs/verification, each case on 1, 2 and 4 ranks, prints a table, and writes those of
docs/verification and the parts of them that docs/verification.md shows, where cases that are not named keep their
numbers. --quick takes coarse levels and few laws, and writes nothing. --inputs writes the meshes and tables of
inputs/verification anew. codes installs FEniCSx and CalculiX (Debian). The exit status is 1 if the numbers of ranks
differ or an identity or an order is not met that the page does not explain.
"""
import program
from program import say
from verify import affine, beams, benchmarks, case, codes, contact, curved, dynamics, manufactured, page

CASES = {
    "uniaxial": affine.uniaxial,
    "equibiaxial": affine.equibiaxial,
    "shear": affine.shear,
    "weight": beams.weight,
    "cantilever": beams.cantilever,
    "buckling": beams.buckling,
    "bending": beams.bending,
    "torsion": beams.torsion,
    "longitudinal": beams.longitudinal,
    "momenta": dynamics.momenta,
    "energy": dynamics.energy,
    "time_orders": dynamics.time_orders,
    "friction": dynamics.friction,
    "sphere": curved.sphere,
    "tube": curved.tube,
    "hertz": contact.hertz,
    "cook": benchmarks.cook,
    "locking": benchmarks.locking,
    "le1": benchmarks.le1,
    "le10": benchmarks.le10,
    "gnl5": benchmarks.gnl5,
    "manufactured": manufactured.manufactured,
    "isochoric": manufactured.isochoric,
    "codes": codes.codes,
}


# Cases whose coarse levels meet the rule, in seconds.
QUICK = ("uniaxial", "shear", "weight", "momenta", "energy", "time_orders", "hertz", "manufactured")


def main(arguments):
    parser = program.parser("verify", __doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--inputs", action="store_true")
    parser.add_argument("--ranks", default=case.RANKS, type=program.counts)
    given = program.parse_names(parser, arguments, CASES, "case")
    if given.inputs:
        for module in (affine, benchmarks, codes, contact, curved, dynamics, manufactured):
            module.write_inputs()
        return 0
    program.path()
    failed, results = False, {}
    for name in QUICK if given.quick and given.name == list(CASES) else given.name:
        result = case.measure(name, CASES[name], given.ranks, given.quick)
        say(page.screen(name, result))
        failed = failed or page.fails(result)
        if not given.quick:
            results[name] = result
            page.write(results, list(CASES))
    return 1 if failed else 0
