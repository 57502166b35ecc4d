"""
Published claims that one method is better than another, and what the suite has measured: on the problems that both can
use and of which one solves at least, how often it is better and by what factor.
"""
import math
from dataclasses import dataclass, field

import tables
from suite import measures

HOLDS, FAILS = 0.75, 0.25  # share of the problems on which the method is better
FEWEST = 5  # problems, for a verdict


@dataclass
class Claim:
    """
    Of `better` against `worse`: their costs (iterations, seconds with or after set-up) to an error, on the strata where
    the claim was made. factor: the number of the claim, 1 if it has none.
    """

    source: str
    text: str
    better: str
    worse: str
    cost: str
    target: float
    where: dict = field(default_factory=dict)
    factor: float = 1.0


COSTS = {
    "iterations": lambda result, target: result.iterations(target),
    "seconds": lambda result, target: result.seconds(target),
    "s after set-up": lambda result, target: result.seconds(target, False),
    "s an iteration": lambda result, target: seconds_of_iteration(result),
}
LIU = "Liu, Bouaziz, Kavan 2017"
LEDWON = "Ledwon 2024"
SOFT = {"stiffness": (1.0, 10.0, 1e2, 1e3)}
STIFF = {"stiffness": (1e4, 1e5, 1e6, 1e7)}
NEARLY = {"material": ("stable_neohookean",), "poisson": (0.49,)}
PD = {"material": ("strain",)}

CLAIMS = (
    Claim(
        LIU,
        "an iteration is about 100 times faster than one of Newton's method",
        "qn",
        "newton",
        "s an iteration",
        1e-3,
        {},
        100,
    ),
    Claim(
        LIU,
        "ten times faster than Newton's method at the same or a smaller error (of ten iterations against one)",
        "qn",
        "newton",
        "s after set-up",
        1e-1,
        {},
        10,
    ),
    Claim(LIU, "converges faster than projective dynamics", "qn", "pd", "iterations", 1e-6, PD),
    Claim(LIU, "converges faster than the Chebyshev method", "qn", "chebyshev", "iterations", 1e-3),
    Claim(
        "Bouaziz et al. 2014",
        "faster than Newton's method far from convergence",
        "pd",
        "newton",
        "s after set-up",
        1e-1,
        PD,
    ),
    Claim(
        "Barnafi, Pavarino, Scacchi 2022",
        "quasi-Newton methods are better for compressible materials",
        "qn",
        "newton",
        "seconds",
        1e-6,
        {"poisson": (0.3,)},
    ),
    Claim(
        "Barnafi, Pavarino, Scacchi 2022",
        "Newton's method is better for nearly incompressible ones",
        "newton",
        "qn",
        "seconds",
        1e-6,
        {"poisson": (0.49,)},
    ),
    Claim(
        "Bouaziz et al. 2014", "Newton's method is faster to high accuracy", "newton", "pd", "s after set-up", 1e-6, PD
    ),
    Claim(
        "Wang 2015",
        "the Chebyshev method speeds projective dynamics up by a factor of 10",
        "chebyshev",
        "pd",
        "iterations",
        1e-6,
        PD,
        10,
    ),
    Claim(
        "Narain, Overby, Brown 2016",
        "ADMM with weight 1/2 converges faster than projective dynamics",
        "admm_half",
        "pd",
        "iterations",
        1e-6,
        PD,
    ),
    Claim("Narain, Overby, Brown 2016", "ADMM is faster than L-BFGS", "admm", "qn", "s after set-up", 1e-3),
    Claim(
        LEDWON,
        "ADMM converges in less time than projective dynamics (the thesis chose its weight)",
        "admm_half",
        "pd",
        "s after set-up",
        1e-3,
        PD,
    ),
    Claim(
        LEDWON,
        "the quasi-Newton method converges in less time than projective dynamics",
        "qn",
        "pd",
        "s after set-up",
        1e-3,
        PD,
    ),
    Claim(
        "Peng et al. 2018",
        "Anderson acceleration lowers the energy faster than the Chebyshev method",
        "anderson",
        "chebyshev",
        "iterations",
        1e-3,
        PD,
    ),
    Claim("Peng et al. 2018", "takes less time than L-BFGS", "anderson", "qn", "s after set-up", 1e-3, PD),
    Claim(
        "Zhang et al. 2019",
        "Anderson acceleration converges much faster than ADMM",
        "anderson_admm",
        "admm",
        "iterations",
        1e-6,
    ),
    Claim("Zhang et al. 2019", "the same in time", "anderson_admm", "admm", "s after set-up", 1e-6),
    Claim("Chen et al. 2024, VBD", "faster than Newton's method at first", "vbd", "newton", "seconds", 1e-1),
    Claim("Chen et al. 2024, VBD", "faster than L-BFGS with the Laplacian", "vbd_accelerated", "qn", "seconds", 1e-3),
    Claim("Chen et al. 2024, VBD", "the same, soft", "vbd_accelerated", "qn", "seconds", 1e-3, SOFT),
    Claim("Chen et al. 2024, VBD", "the same, stiff", "vbd_accelerated", "qn", "seconds", 1e-3, STIFF),
    Claim("Shen et al. 2024, PNCG-IPC", "faster than Newton's method", "pncg_jacobi", "newton", "seconds", 1e-3),
    Claim(
        "Shen et al. 2024, PNCG-IPC", "faster than the Chebyshev method", "pncg_jacobi", "chebyshev", "seconds", 1e-3
    ),
    Claim(
        "Chen et al. 2024, absolute values",
        "2.5 times fewer iterations than clamped eigenvalues",
        "newton_absolute",
        "newton_clamp",
        "iterations",
        1e-6,
        {"material": ("stable_neohookean",)},
        2.5,
    ),
    Claim(
        "Chen et al. 2024, absolute values",
        "the same at Poisson's ratio 0.49",
        "newton_absolute",
        "newton_clamp",
        "iterations",
        1e-6,
        NEARLY,
        2.5,
    ),
    Claim(
        "Chen et al. 2024, trust region",
        "fewer iterations than clamped eigenvalues",
        "newton_trust_region",
        "newton_clamp",
        "iterations",
        1e-6,
    ),
    Claim(
        "Chen et al. 2024, trust region",
        "fewer iterations than absolute values",
        "newton_trust_region",
        "newton_absolute",
        "iterations",
        1e-6,
    ),
    Claim(
        "Fernandez-Fernandez et al. 2025",
        "progressive projection needs fewer iterations than projection of all",
        "newton",
        "newton_clamp",
        "iterations",
        1e-6,
    ),
    Claim(
        "Fernandez-Fernandez et al. 2025",
        "it is the fastest Newton's method",
        "newton",
        "newton_clamp",
        "seconds",
        1e-6,
    ),
    Claim(
        "Fernandez-Fernandez et al. 2025",
        "near statics projection of all remains better",
        "newton_clamp",
        "newton",
        "iterations",
        1e-6,
        {"stiffness": (1e6, 1e7)},
    ),
)


def seconds_of_iteration(result):
    last = result.rows[-1] if result.rows else None
    return last["seconds"] / last["iteration"] if last and last["iteration"] else math.inf


def is_in(found, where):
    return all(measures.problem_of(found).level(factor) in levels for factor, levels in where.items())


def ratios(results, claim):
    """Cost of the worse over that of the better, where both can be used and one solves; inf or 0 if one fails."""
    values = []
    for found in results:
        pair = [found.get(claim.better), found.get(claim.worse)]
        if not is_in(found, claim.where) or any(result is None or result.ended == "left out" for result in pair):
            continue
        mine, other = (COSTS[claim.cost](result, claim.target) for result in pair)
        if math.isfinite(mine) or math.isfinite(other):
            values.append(other / mine if math.isfinite(mine) else 0.0)
    return values


def better_on(values):
    """Share of the problems; where both are alike counts half."""
    return sum((value > 1) + (value == 1) / 2 for value in values) / len(values)


def verdict(values, factor):
    """In words: does the claim hold, and by its number?"""
    if len(values) < FEWEST:
        return "not decided"
    wins = better_on(values)
    if wins <= FAILS:
        return "does not hold"
    if wins < HOLDS:
        return "on some"
    return "holds" if sorted(values)[len(values) // 2] >= factor else "holds, by less"


def condition(where):
    levels = lambda factor: ", ".join(f"{level:g}" if isinstance(level, float) else level for level in where[factor])
    return "; ".join(f"{factor} {levels(factor)}" for factor in where) or "all"


def table(results):
    head = ("source", "claim", "measured", "problems", "better on", "factor, quartiles", "verdict")
    lines = []
    for claim in CLAIMS:
        values = ratios(results, claim)
        what = f"`{claim.better}` against `{claim.worse}`, {claim.cost}"
        what += "" if claim.cost == "s an iteration" else f" to {claim.target:g}"
        low, middle, high = (factor_text(value) for value in measures.quartiles(values))
        wins = f"{100 * better_on(values):.0f} %" if values else "-"
        lines.append(
            (
                claim.source,
                claim.text,
                f"{what}; {condition(claim.where)}",
                len(values),
                wins,
                f"{middle} ({low} - {high})" if values else "-",
                verdict(values, claim.factor),
            )
        )
    return tables.markdown(head, lines)


def factor_text(value):
    """Of a ratio that is 0 where the method failed, infinite where the other one did."""
    if math.isnan(value):
        return "never"
    return "always" if value == math.inf else "never" if value == 0 else tables.number(value)
