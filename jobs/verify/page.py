"""The table on the screen, those of docs/verification, and the parts of them that docs/verification.md shows."""
import math

import tables
from verify import case

PAGE, FOLDER = "docs/verification.md", "docs/verification"


def number(value):
    return "0" if value == 0 else f"{value:.6g}"


def difference(row):
    value = row.difference()
    if row.kind == "order":
        return f"order {row.observed():.2f}"
    if math.isnan(value) or row.kind in ("bound", "listed"):
        return "-"
    return f"{value:.1e}" if abs(value) < 1e-4 else f"{100 * value:+.2f} %"


def cells(row, result):
    expected = f"order {row.order:g}" if row.kind == "order" else f"{number(row.exact)} {row.unit}".strip()
    expected = {"bound": f"at most {expected}", "listed": "-"}.get(row.kind, expected)
    ours = ", ".join(number(value) for value in row.ours)
    return (row.quantity, expected, ours, difference(row), case.verdict(row, result))


def screen(name, result):
    head = (name, "exact or published", "ours by level", "difference", "verdict")
    return tables.text(head, [cells(row, result) for row in result.rows])


def fails(result):
    """Ranks differ, or a row is neither met nor explained."""
    unmet = [row for row in result.rows if row.kind not in ("shown", "listed") and not row.reason and not row.met()]
    return result.spread > case.SAME or bool(unmet)


def write(results):
    """The tables of all cases: {name: Result}."""
    head = ("case", "quantity", "exact or published", "source", "ours by level", "difference", "verdict")
    lines = []
    for name, result in results.items():
        for row in result.rows:
            quantity, expected, ours, apart, said = cells(row, result)
            lines.append((name, quantity, expected, row.source, ours, apart, said))
    tables.publish(PAGE, FOLDER, "cases", 2, head, lines)
    spreads = [
        (name, ", ".join(map(str, result.ranks)), tables.power(result.spread) if result.spread else "0")
        for name, result in results.items()
    ]
    tables.publish(PAGE, FOLDER, "ranks", 1, ("case", "ranks", "largest difference"), spreads)
