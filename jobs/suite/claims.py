"""
Published claims that one method is better than another, and what the suite has measured: on the problems that both can
use and of which one solves at least, how often it is better and by what factor. inputs/suite/claims.csv, of contact
contact_claims.csv, has a claim in each row: its source and words; the methods; their cost, one of COSTS, to an error;
the strata where the claim was made; and the factor that the source states, 1 if it states none.
"""
import math

import outputs
import tables
from program import Failure
from suite import contacts, measures
from suite.bodies import INPUTS

HOLDS, FAILS = 0.75, 0.25  # share of the problems on which the method is better
FEWEST = 5  # problems, for a verdict
HEAD = ("source", "claim", "measured", "problems", "better on", "factor, quartiles", "verdict")
COSTS = {
    "iterations": lambda result, target: result.iterations(target),
    "iterations by gradient": lambda result, target: iterations_by_gradient(result, target),
    "seconds": lambda result, target: result.seconds(target),
    "s after set-up": lambda result, target: result.seconds(target, False),
    "s an iteration": lambda result, target: seconds_of_iteration(result),
}


def seconds_of_iteration(result):
    last = result.rows[-1] if result.rows else None
    return last["seconds"] / last["iteration"] if last and last["iteration"] else math.inf


def iterations_by_gradient(result, target):
    """To a |grad g| relative to that at the start, of methods whose error of g does not fall to 0."""
    most = target * result.rows[0]["gradient_norm"] if result.rows else 0
    return next((row["iteration"] for row in result.rows if row["gradient_norm"] <= most), math.inf)


def of_set(name):
    """The claims that the problems of a set decide."""
    return outputs.rows(INPUTS, "contact_claims.csv" if name == contacts.SET else "claims.csv")


def numbered(name, number):
    """The claim of a row, counted from 1."""
    known = of_set(name)
    if not 1 <= number <= len(known):
        raise Failure(f"no claim {number}, expected 1 to {len(known)}")
    return known[number - 1]


def is_in(problem, strata):
    """Whether a problem belongs to strata: "all", or "factor level, level, ...; factor ..."."""
    if strata == "all":
        return True
    for stratum in strata.split("; "):
        factor, levels = stratum.split(" ", 1)
        level = problem.level(factor)
        if level is None or (level if isinstance(level, str) else f"{level:g}") not in levels.split(", "):
            return False
    return True


def ratios(results, claim):
    """Cost of the worse over that of the better, where both can be used and one solves; inf or 0 if one fails."""
    values = []
    for found in results:
        pair = [found.get(claim["better"]), found.get(claim["worse"])]
        left_out = any(not result or result.ended == "left out" for result in pair)
        if left_out or not is_in(measures.problem_of(found), claim["problems"]):
            continue
        mine, other = (COSTS[claim["cost"]](result, float(claim["error"])) for result in pair)
        if math.isfinite(mine) or math.isfinite(other):
            values.append(other / mine if math.isfinite(mine) else 0.0)
    return values


def better_on(values):
    """Share of the problems; one on which both cost the same counts half."""
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


def line(results, claim):
    values = ratios(results, claim)
    what = f"`{claim['better']}` against `{claim['worse']}`, {claim['cost']}"
    what += "" if claim["cost"] == "s an iteration" else f" to {claim['error']}"
    low, middle, high = (factor_text(value) for value in measures.quartiles(values))
    wins = f"{100 * better_on(values):.0f} %" if values else "-"
    factor = f"{middle} ({low} - {high})" if values else "-"
    said = verdict(values, float(claim["factor"]))
    return (claim["source"], claim["claim"], f"{what}; {claim['problems']}", len(values), wins, factor, said)


def table(name, results):
    """Head and lines, which the first two columns name."""
    return HEAD, [line(results, claim) for claim in of_set(name)]


def text(name, results, number):
    """A claim by its number, and what has been measured."""
    return "\n".join(f"{name + ':':<19}{cell}" for name, cell in zip(HEAD, line(results, numbered(name, number))))


def factor_text(value):
    """Of a ratio that is 0 where the method failed, infinite where the other one did."""
    if math.isnan(value):
        return "never"
    return "always" if value == math.inf else "never" if value == 0 else tables.number(value)
