"""docs/verification.md and the table on the screen."""
import math

import tables
from verify import case

PAGE = "docs/verification.md"
HEAD = """# Verification

`python3 jobs verify` (or `bash jobs/verify.sh`) makes this page: it runs the decks of
[inputs/verification](../inputs/verification) on 1, 2 and 4 ranks and compares them with closed forms and with numbers
that others have published. `python3 jobs verify CASE` repeats one case. `tests/test_verification.sh` runs the quick
part in the test suite.

**The rule** is the same for all cases. Solves end at 1e-11 of the largest force or below, those of xpbd apart. The
sizes of bodies and loads and the levels were chosen such that the finest meshes resolve the solution.

- An *identity* holds on any mesh: the relative difference is at most 1e-8.
- An *order* is that of the errors of the two finest levels: it is within 0.1 of the expected one.
- A *limit* is approached by refinement: b + (b - a)/(2^p - 1), from the values a and b of the last two levels, is
  within 2 % of the value of the theory or of the other code. p is the order of the quantity: 2 for displacements,
  energies and frequencies, 1 for recovered stresses (2 of tetrahedra of order 2) and for the time steps of xpbd. The
  column "difference" is that of the finest level itself.
- Every number is the same on 1, 2 and 4 ranks to 1e-9 of the size of its quantity; the table at the end has the largest
  difference that was found.

What does not meet the rule is in the table with its difference and the reason.
"""


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
    """The page of all cases: {name: Result}."""
    head = ("case", "quantity", "exact or published", "source", "ours by level", "difference", "verdict")
    lines = []
    for name, result in results.items():
        for row in result.rows:
            quantity, expected, ours, apart, said = cells(row, result)
            lines.append((name, quantity, expected, row.source, ours, apart, said))
    spreads = [
        (name, ", ".join(map(str, result.ranks)), tables.power(result.spread) if result.spread else "0")
        for name, result in results.items()
    ]
    with open(PAGE, "w", encoding="utf-8") as out:
        out.write(HEAD + "\n" + tables.markdown(head, lines))
        out.write("\n" + tables.markdown(("case", "ranks", "largest difference"), spreads))
