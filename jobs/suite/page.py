"""
Tables and pictures of docs/benchmark.md, and the verdicts of docs/claims.md. The set contact has tables of its own,
whose names begin with contact, without work, whose units leave out searches for contacts.
"""
import math
import os
import textwrap
from statistics import median

import outputs
import tables
from program import Failure, say
from suite import claims, contacts, entrants, intervals, measures, profiles, runs
from suite.design import FACTORS
from suite.measures import TARGETS

SHOWN = ("error", "entrant", "can use", "solved", "in equal work", "time to auto's", "iterations")
NAMED = ("auto", "newton")  # entrants to whose time those of all are compared
NEAR = (1.5, 3)  # ratios of the time of auto to the best time, of which shares are told
WORK = ("in equal work",)  # columns
CLASSES = ("refused", "diverged", "line search failed", "linear solve failed", "stalled", "other minimum", "budget")


def percent(value):
    return "-" if math.isnan(value) else f"{100 * value:.0f} %"


def spread(values):
    """Median and quartiles of the finite values."""
    low, middle, high = measures.quartiles([value for value in values if math.isfinite(value)])
    if math.isnan(middle):
        return "-"
    return f"{tables.number(middle)} ({tables.number(low)} - {tables.number(high)})"


def can_use(results, name):
    """Problems that an entrant does not refuse."""
    return [found for found in results if name in found and found[name].ended != "left out"]


def solved(results, name, target):
    """How many are solved of those in which an entrant takes part, and their number."""
    part = measures.with_entrant(results, name)
    return sum(bool(found[name].first(target)) for found in part), len(part)


# ---- tables: head and lines, the first two columns name a line ------------------------------------------------------


def overall(results):
    """One row for each entrant and error."""
    head = ("error", "entrant", "can use", "solved", "solved of these", "in equal work")
    head += tuple(f"time to {name}'s" for name in NAMED)
    head += ("s, with set-up", "set-up, s", f"s, {measures.STEPS} steps", "iterations")
    lines = [overall_of(results, target, name) for target in TARGETS for name in measures.names(results)]
    return head, lines


def overall_of(results, target, name):
    usable = can_use(results, name)
    mine = [found[name] for found in usable]
    seconds = lambda result: result.seconds(target)
    return (
        f"{target:g}",
        name,
        f"{len(usable)} of {len(measures.with_entrant(results, name))}",
        intervals.text(*solved(results, name, target)),
        intervals.text(*solved(usable, name, target)),
        percent(measures.share(measures.works(results, name, target), 1)),
        *(spread(measures.to_other(results, name, other, seconds)) for other in NAMED),
        spread(map(seconds, mine)),
        spread(result.setup(target) for result in mine),
        spread(result.simulation(target) for result in mine),
        spread(result.iterations(target) for result in mine),
    )


def cell(results, name, target):
    """Share of solved problems of those that an entrant can use, and its time to that of auto."""
    usable = can_use(results, name)
    if not usable:
        return "-"
    ratios = measures.to_other(usable, name, NAMED[0], lambda result: result.seconds(target))
    return f"{intervals.text(*solved(usable, name, target))}, {spread(ratios)}"


def of_factor(results, factor):
    strata = profiles.strata(factor)
    return of_parts(results, [(title, profiles.within(results, factor, levels)) for title, levels in strata])


def of_parts(results, parts):
    """One column for each part of the results, whose number of problems is in the first line."""
    parts = [(title, part) for title, part in parts if part]
    lines = [("", "problems", *(len(part) for _, part in parts))]
    for target in TARGETS:
        for name in measures.names(results):
            lines.append((f"{target:g}", name, *(cell(part, name, target) for _, part in parts)))
    return ("error", "entrant", *(title for title, _ in parts)), lines


def failures(results):
    """Numbers of problems by what an entrant ended with."""
    every = {
        (f"{target:g}", name): [found[name].failure(target) for found in results if name in found]
        for target in TARGETS
        for name in measures.names(results)
    }
    other = sorted({why for whys in every.values() for why in whys} - {"", *CLASSES})
    lines = [(*key, *(whys.count(why) or "" for why in ("", *CLASSES, *other))) for key, whys in every.items()]
    return ("error", "entrant", "solved", *CLASSES, *other), lines


# ---- sentences -------------------------------------------------------------------------------------------------------


def unsolved(results, target):
    """Problems that no entrant solved."""
    missed = [found for found in results if not any(result.first(target) for result in found.values())]
    names = ", ".join(measures.problem_of(found).name for found in missed)
    return f"No entrant reached {target:g} on {names}." if names else f"Every problem was solved to {target:g}."


def filled(text):
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def near(results, cost):
    """On which shares of the problems auto is how near to the best."""
    ratios = measures.ratios(results, "auto", cost)
    return " and ".join(intervals.text(sum(ratio <= most for ratio in ratios), len(ratios)) for most in NEAR)


def auto(results):
    """How near `auto` is to the best, and what no entrant solved."""
    if "auto" not in measures.names(results):
        return filled("The entrant `auto` is not among these results.")
    text = []
    for target in TARGETS:
        text.append(
            f"To {target:g} `auto` solves {intervals.text(*solved(results, 'auto', target))} of the problems. Its "
            f"seconds are within {' and '.join(f'{value:g}' for value in NEAR)} times those of the best entrant of "
            f"each problem on {near(results, lambda result: result.seconds(target))} of the problems with set-up, on "
            f"{near(results, lambda result: result.seconds(target, setup=False))} without, and on "
            f"{near(results, lambda result: result.simulation(target))} in {measures.STEPS} steps. "
            f"{unsolved(results, target)}"
        )
    return filled(" ".join(text))


def repeats(out, results):
    """How often solves were repeated, how much their seconds differ, and how long they waited for a core."""
    many = [result.repeats for found in results for result in found.values() if len(result.repeats) > 1]
    low, middle, high = measures.quartiles([(max(one) - min(one)) / median(one) for one in many])
    least, most = min(map(len, many), default=1), max(map(len, many), default=1)
    if not many:
        return filled("No solve was repeated.")
    waited = [told(out, found)["provenance"]["waited"]["share"] for found in results]
    return filled(
        f"{len(many)} solves were made {least} to {most} times; the largest of their seconds less the least, over the "
        f"median, has the quartiles {percent(low)}, {percent(middle)} and {percent(high)}. Threads waited for a core "
        f"in {percent(median(waited))} of the time, the median of the problems, at most in {percent(max(waited))}."
    )


def told(out, found):
    """compare.json of the first call of a problem."""
    made = runs.calls(out, measures.problem_of(found))
    return outputs.load(next(call for call in made if runs.has_finished(call)), "compare.json")


def budgets(out, results):
    work, lines = measures.work_budgets(results), []
    for size in profiles.levels_of("size"):
        part = profiles.within(results, "size", (size,))
        if part:
            seconds = told(out, part[0])["provenance"]["options"]["compare_seconds"]
            lines.append((size, len(part), tables.number(seconds), tables.number(work.get(size))))
    return tables.markdown(("size", "problems", "s", "work"), lines)


def commits(results):
    """Of the program: that of the first entrant, and others with the entrants that were measured with them later."""
    made = {}
    for result in (result for found in results for result in found.values()):
        made.setdefault(result.commit, {})[result.entrant] = True
    first, *later = made
    return "; ".join([first, *(f"{commit} for {', '.join(made[commit])}" for commit in later)])


def provenance(out, results, name):
    """Where and with what the runs were made, from the first one."""
    made = told(out, results[0])["provenance"]
    how = f"{tables.count(made['ranks'], 'rank')} of {tables.count(made['threads'], 'thread')}"
    return filled(
        f"The set {name}: {tables.count(len(results), 'problem')}, {how} on "
        f"{made.get('processor') or 'an unknown processor'}; wring {made['version']} ({commits(results)}), "
        f"{made['compiler']}, PETSc {made['petsc']}."
    )


# ---- contact ---------------------------------------------------------------------------------------------------------


def have_contact(results):
    return isinstance(measures.problem_of(results[0]), contacts.Problem)


def without_work(head, lines):
    kept = [i for i, name in enumerate(head) if name not in WORK]
    return [head[i] for i in kept], [[line[i] for i in kept] for line in lines]


def contact_parts(results):
    """[(title, results)] of each level of the factors."""
    parts = []
    for factor in contacts.FACTORS:
        for level in dict.fromkeys(measures.problem_of(found).level(factor) for found in results):
            text = level if isinstance(level, str) else f"{level:g}"
            title = text if factor in ("scene", "integrator", "material") else f"{factor} {text}"
            parts.append((title, profiles.within(results, factor, (level,))))
    return parts


def refusals(results, folder):
    """Why entrants cannot use any of the problems, with one line for those of which the program says the same."""
    lost = {}
    for name in measures.names(results):
        if not can_use(results, name):
            lost.setdefault(entrants.against_barrier(name, folder), []).append(name)
    return ("entrants", "refusal"), [(", ".join(names), said) for said, names in lost.items()]


def contact(name, out, results, docs):
    page = os.path.join(docs, "benchmark.md")
    usable = [{who: found[who] for who in found if can_use(results, who)} for found in results]
    tables.paste(page, "contact_provenance", provenance(out, results, name))
    tables.paste(page, "contact_refusals", tables.markdown(*refusals(results, f"{out}/check")))
    made = {"overall": without_work(*overall(usable)), "failures": failures(usable)}
    made["factors"] = of_parts(usable, contact_parts(usable))
    for table, (head, lines) in made.items():
        tables.publish(page, os.path.join(docs, "benchmark"), f"contact_{table}", 2, head, lines)


# ---- pages -----------------------------------------------------------------------------------------------------------


def benchmark(name, out, results, docs):
    page = os.path.join(docs, "benchmark.md")
    tables.paste(page, "provenance", provenance(out, results, name))
    tables.paste(page, "budgets", budgets(out, results))
    tables.paste(page, "auto", auto(results))
    tables.paste(page, "repeats", repeats(out, results))
    made = {"overall": overall(results), "failures": failures(results)}
    made.update({factor: of_factor(results, factor) for factor in (*FACTORS, "size")})
    made["entrants"] = entrants.table(measures.names(results), f"{out}/check")
    for table, (head, lines) in made.items():
        tables.publish(page, os.path.join(docs, "benchmark"), table, 2, head, lines)


def large(name, out, results, docs):
    page = os.path.join(docs, "benchmark.md")
    tables.paste(page, "large_provenance", provenance(out, results, name))
    tables.publish(page, os.path.join(docs, "benchmark"), "large_overall", 2, *overall(results))


def draw(out, results, docs):
    folder = os.path.join(out, "pictures")
    images = os.path.join(docs, "images")
    os.makedirs(folder, exist_ok=True)
    profiles.overall(results, folder, os.path.join(images, "benchmark_all.png"))
    for factor in (*FACTORS, "size"):
        profiles.of_factor(results, factor, folder, os.path.join(images, f"benchmark_{factor}.png"))


def read(name, out, problems):
    """All results of a set."""
    results = measures.read(out, problems)
    if not results:
        raise Failure(f"{out} has no results of {name}")
    if len(results) < len(problems):
        say(f"{len(results)} of {len(problems)} problems have results")
    return results


def text(out, results):
    """What matters of the table of all entrants, which is written to overall.csv as a whole."""
    head, lines = without_work(*overall(results)) if have_contact(results) else overall(results)
    tables.write(os.path.join(out, "overall.csv"), head, lines)
    tables.write(os.path.join(out, "failures.csv"), *failures(results))
    pick = lambda line: [line[head.index(name)] for name in SHOWN if name in head]
    return tables.text(pick(head), map(pick, lines)).rstrip("\n")


def write(name, out, results, docs):
    """Both pages and, but for contact, the pictures. Large problems have a table of their own, and no claims."""
    if name == "large":
        large(name, out, results, docs)
        return
    if have_contact(results):
        contact(name, out, results, docs)
    else:
        benchmark(name, out, results, docs)
        draw(out, results, docs)
    claims.publish(name, results, docs)


def write_hidden(name, out, results, docs):
    """What the hidden problems say of auto."""
    entered = tables.count(len(measures.names(results)), "entrant")
    text = provenance(out, results, f"{name} --hidden, {entered}") + "\n" + auto(results)
    tables.paste(os.path.join(docs, "benchmark.md"), "hidden", text)
