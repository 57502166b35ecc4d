"""
Data profiles [More, Wild 2009]: the share of the problems that an entrant has solved, over what it had spent by then,
in units of work or in seconds.
"""
import math

import pictures
import tables
from suite import entrants, measures
from suite.design import FACTORS

COLOURS = ("#000000", "#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#17becf", "#7f7f7f", "#bcbd22")
GROUPS = {"stiffness": ((1.0, 10.0), (1e2, 1e3), (1e4, 1e5), (1e6, 1e7), (math.inf,))}  # levels in one panel
PANEL, KEY = (330, 260), 180  # pixels of a panel; height of the key
COSTS = {
    "work [evaluations of g and gradient]": lambda result, target: result.work(target),
    "seconds without set-up": lambda result, target: result.seconds(target, False),
    "seconds with set-up": lambda result, target: result.seconds(target, True),
}


def title_of(factor, levels):
    return "statics" if levels == (math.inf,) else f"{factor} {levels[0]:g}-{levels[-1]:g}"


def strata(factor):
    """[(title, levels)] of a factor."""
    if factor in GROUPS:
        return [(title_of(factor, levels), levels) for levels in GROUPS[factor]]
    title = lambda level: level.replace("_", " ") if isinstance(level, str) else f"{factor} {level:g}"
    return [(title(level), (level,)) for level in levels_of(factor)]


def levels_of(factor):
    return FACTORS[factor] if factor != "size" else ("1e4", "1e5", "1e6", "1e7")


def within(results, factor, levels):
    return [found for found in results if measures.problem_of(found).level(factor) in levels]


def profile(costs, end):
    """Steps [(cost, share)] of a list with inf for what was not solved, up to an end."""
    solved, points = sorted(cost for cost in costs if math.isfinite(cost)), []
    for number, cost in enumerate(solved):
        points += [(cost, number / len(costs)), (cost, (number + 1) / len(costs))]
    return points + [(end, len(solved) / len(costs))]


def style(name):
    """Of a line: one colour for a type, dashes for its variants."""
    types = list(dict.fromkeys(map(entrants.type_of, entrants.ENTRANTS)))
    kind = entrants.type_of(name)
    number = types.index(kind)
    dash = [other for other in entrants.ENTRANTS if entrants.type_of(other) == kind].index(name) + 1
    width = 3 if name == "auto" else 1.5
    return f"lc rgb '{COLOURS[number % len(COLOURS)]}' dt {dash + number // len(COLOURS)} lw {width}"


def costs_of(results, name, cost, target):
    return [cost(found[name], target) for found in measures.with_entrant(results, name)]


def panel(results, cost, target, title, label, number):
    """Data blocks and the plot of one panel."""
    names = measures.names(results)
    every = {name: costs_of(results, name, COSTS[cost], target) for name in names}
    finite = [value for costs in every.values() for value in costs if math.isfinite(value) and value > 0]
    low, high = (min(finite), max(finite)) if finite else (1.0, 10.0)
    blocks, lines = "", []
    for i, name in enumerate(names):
        points = "".join(f"{x:.6g},{y:.6g}\n" for x, y in profile(every[name], high * 1.2))
        blocks += f"$p{number}_{i} << END\n{points}END\n"
        lines.append(f"$p{number}_{i} with lines {style(name)} title '{name}'")
    text = f"set title '{title}, {tables.count(len(results), 'problem')}'\nset xlabel '{cost}'\n"
    text += f"set xrange [{low / 1.2:.3g}:{high * 1.2:.3g}]\n"
    return blocks + text + f"set ylabel '{label}'\nplot " + ", \\\n  ".join(lines) + "\n"


def picture(folder, name, panels, columns, output):
    """panels: [(results, cost, target, title, label)], by rows; the key is in a row of its own below."""
    rows = -(-len(panels) // columns)
    size = f"{columns * PANEL[0]},{rows * PANEL[1] + KEY}"
    text = "set logscale x\nset termoption enhanced\nset format x '10^{%T}'\nset yrange [0:1]\nset key off\n"
    text += "set multiplot\n"
    low = KEY / (rows * PANEL[1] + KEY)
    for number, (results, cost, target, title, label) in enumerate(panels):
        row, column = divmod(number, columns)
        height = (1 - low) / rows
        text += f"set origin {column / columns:.4f},{1 - (row + 1) * height:.4f}\n"
        text += f"set size {1 / columns:.4f},{height:.4f}\n" + panel(results, cost, target, title, label, number)
    text += key(panels[0][0], low) + "unset multiplot\n"
    pictures.draw(folder, name, size, text, output)


def key(results, height):
    """The names of all lines, in a band at the bottom."""
    lines = [f"NaN with lines {style(name)} title '{name}'" for name in measures.names(results)]
    text = f"set origin 0,0\nset size 1,{height:.4f}\nunset title\nunset xlabel\nunset ylabel\nunset tics\n"
    text += "unset border\nunset grid\nset key center center horizontal maxrows 10 noenhanced\nunset logscale x\n"
    return text + "plot [0:1] [0:1] " + ", \\\n  ".join(lines) + "\n"


def overall(results, folder, output):
    """All problems: a row for each target, a column for each cost."""
    panels = [(results, cost, target, "all", f"solved to {target:g}") for target in measures.TARGETS for cost in COSTS]
    picture(folder, "profiles_all", panels, len(COSTS), output)


def of_factor(results, factor, folder, output):
    """A column for each stratum of a factor, a row for each cost, to the smaller error."""
    target = measures.TARGETS[-1]
    parts = [(title, within(results, factor, levels)) for title, levels in strata(factor)]
    parts = [(title, part) for title, part in parts if part]
    panels = [(part, cost, target, title, f"solved to {target:g}") for cost in COSTS for title, part in parts]
    if panels:  # strain alone has no Poisson's ratio
        picture(folder, f"profiles_{factor}", panels, len(parts), output)
