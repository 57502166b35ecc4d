"""
Published claims that one method is better than another, and what the suite has measured: on the problems that both can
use and of which one solves at least, how often it is better, with an interval that holds for all claims together, and
by what factor. inputs/suite/claims.csv, of contact contact_claims.csv, has a claim in each row: its source and words;
the methods; their cost, one of COSTS, to an error; the strata where the claim was made; and the factor that the source
states, 1 if it states none.
"""
import math
import os

import outputs
import tables
from program import Failure
from suite import contacts, intervals, measures
from suite.bodies import INPUTS

HALF, SOME = 0.5, (0.25, 0.75)  # shares that decide
FEWEST = 20  # problems, for a verdict
TIE = {"iterations": 1, "iterations by gradient": 1}  # factor between costs that are equal, by cost
SECONDS_TIE = 1.05  # of the other costs, which are measured
TABLE = "claims.csv"  # of all sets, in docs
HEAD = ("claim", "source", "method", "other", "subset", "n", "share", "interval", "factor", "verdict", "commit")
HEAD += ("cost", "error", "ties", "n needed", "set")
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


def tie_of(claim):
    return TIE.get(claim["cost"], SECONDS_TIE)


def count(values, factor, tie):
    """(on how many the method is better by more than a factor, n), without those where it is better by just this."""
    wins = sum(value > factor * tie for value in values)
    return wins, wins + sum(value * tie < factor for value in values)


def verdict(values, factor, tie, confidence):
    """In words: is the method better on more than half of the problems, and by the factor?"""
    side = lambda by: intervals.side(*count(values, by, tie), HALF, confidence, FEWEST)
    plain, full = side(1), side(factor)
    if full > 0:
        return "holds"
    if plain != 0:
        return "does not hold" if plain < 0 else "holds by less" if full < 0 else "not decided"
    wins, n = count(values, 1, tie)
    low, high = intervals.wilson(wins, n, confidence)
    return "on some" if n >= FEWEST and low > SOME[0] and high < SOME[1] else "not decided"


def line(results, claim, name):
    values, tie, factor = ratios(results, claim), tie_of(claim), float(claim["factor"])
    confidence = intervals.confidence_of(len(of_set(name)))
    wins, n = count(values, 1, tie)
    low, middle, high = (factor_text(value) for value in measures.quartiles(values))
    ends = intervals.wilson(wins, n, confidence)
    said = verdict(values, factor, tie, confidence)
    open_at = factor if intervals.side(wins, n, HALF, confidence, FEWEST) else 1  # what is not decided
    both = [found[claim[who]] for found in results for who in ("better", "worse") if claim[who] in found]
    needed = intervals.needed(*count(values, open_at, tie), HALF, confidence, FEWEST) if said == "not decided" else None
    return {
        "claim": claim["claim"],
        "source": claim["source"],
        "method": claim["better"],
        "other": claim["worse"],
        "subset": claim["problems"],
        "n": n,
        "share": f"{wins / n:.2f}" if n else "-",
        "interval": f"{ends[0]:.2f} - {ends[1]:.2f}" if n else "-",
        "factor": f"{middle} ({low} - {high})" if values else "-",
        "verdict": said,
        "commit": " ".join(dict.fromkeys(result.commit for result in both)),
        "cost": claim["cost"],
        "error": claim["error"],
        "ties": len(values) - n,
        "n needed": needed or "-",
        "set": name,
    }


def publish(name, results, docs):
    """The rows of a set in claims.csv, whose other sets stay, and in claims.md those that it shows."""
    made = [list(line(results, claim, name).values()) for claim in of_set(name)]
    path, marks = os.path.join(docs, TABLE), "contact_claims" if name == contacts.SET else "claims"
    every = tables.kept(path, "set", HEAD, made) + made
    tables.write(path, HEAD, sorted(every, key=lambda row: row[-1] == contacts.SET))
    tables.renew(os.path.join(docs, "claims.md"), marks, 2, HEAD, made)


def text(name, results, number):
    """A claim by its number, and what has been measured."""
    found = line(results, numbered(name, number), name)
    return "\n".join(f"{key + ':':<19}{cell}" for key, cell in found.items() if cell != "")


def factor_text(value):
    """Of a ratio that is 0 where the method failed, infinite where the other one did."""
    if math.isnan(value):
        return "never"
    return "always" if value == math.inf else "never" if value == 0 else tables.number(value)
