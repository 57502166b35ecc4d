"""The table on the screen, those of docs/verification, and the parts of them that docs/verification.md shows."""
import math

import tables
from verify import case

PAGE, FOLDER = "docs/verification.md", "docs/verification"
HEAD = ("exact or published", "ours by level", "order", "difference", "uncertainty", "verdict")


def number(value):
    return "0" if value == 0 else f"{value:.6g}"


def percent(value):
    return f"{value:.1e}" if abs(value) < 1e-4 else f"{100 * value:.2f} %"


def difference(row):
    value = row.difference()
    if math.isnan(value) or row.kind in ("order", "bound", "listed"):
        return "-"
    return ("+" if value > 0 else "") + percent(value)


def order(row):
    value = row.observed() if row.kind in ("order", "limit") else math.nan
    return "-" if math.isnan(value) else f"{value:.2f}"


def cells(row, result):
    expected = f"order {row.order:g}" if row.kind == "order" else f"{number(row.exact)} {row.unit}".strip()
    expected = {"bound": f"at most {expected}", "listed": "-"}.get(row.kind, expected)
    ours = ", ".join(number(value) for value in row.ours)
    uncertain = percent(row.uncertainty()) if row.kind == "limit" else "-"
    return (row.quantity, expected, ours, order(row), difference(row), uncertain, case.verdict(row, result))


def screen(name, result):
    return tables.text((name, *HEAD), [cells(row, result) for row in result.rows])


def fails(result):
    """Ranks differ, or a row is neither met nor explained."""
    unmet = [row for row in result.rows if row.kind not in ("shown", "listed") and not row.reason and not row.met()]
    return result.spread > case.SAME or bool(unmet)


def publish(name, keys, head, lines, order):
    """A table, with the rows that it had of cases that have not been run; order: names of all cases."""
    every = tables.kept(f"{FOLDER}/{name}.csv", "case", head, lines) + lines
    tables.publish(PAGE, FOLDER, name, keys, head, sorted(every, key=lambda line: order.index(line[0])))


def write(results, order):
    """The tables: {name: Result}."""
    lines = []
    for name, result in results.items():
        for row in result.rows:
            quantity, expected, *numbers = cells(row, result)
            lines.append([name, quantity, expected, row.source, *numbers])
    publish("cases", 2, ("case", "quantity", HEAD[0], "source", *HEAD[1:]), lines, order)
    spreads = [
        [name, ", ".join(map(str, result.ranks)), tables.power(result.spread) if result.spread else "0"]
        for name, result in results.items()
    ]
    publish("ranks", 1, ("case", "ranks", "largest difference"), spreads, order)
