"""Tables: for the screen, as Markdown for the pages of docs/, and as CSV files beside them."""
import os
import re

import outputs
from program import Failure


def text(head, lines):
    """
    Columns as wide as their longest cell, two blanks apart; the first is aligned to the left, the others to the
    right.
    """
    cells = [[str(cell) for cell in line] for line in [head, *lines]]
    width = [max(len(line[i]) for line in cells if i < len(line)) for i in range(max(map(len, cells)))]
    aligned = lambda line: [cell.ljust(width[0]) if i == 0 else cell.rjust(width[i]) for i, cell in enumerate(line)]
    return "".join("  ".join(aligned(line)).rstrip() + "\n" for line in cells)


def markdown(head, lines):
    out = ["| " + " | ".join(str(cell) for cell in head) + " |", "|" + "---|" * len(head)]
    return "\n".join(out + ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]) + "\n"


def number(value, digits=2):
    """Some significant digits, without an exponent where that is short; "-" for what was not measured."""
    if value is None:
        return "-"
    if value and not 1e-3 <= abs(value) < 1e6:
        return power(value, digits)
    text = f"{value:.{digits}g}"
    return f"{value:,.0f}" if "e" in text else text


def power(value, digits=2):
    """Some digits and an exponent."""
    return f"{value:.{digits - 1}e}".replace("e-0", "e-").replace("e+0", "e")


def count(value, noun):
    """ "1 rank", "2 ranks"."""
    return f"{value} {noun}" if value == 1 else f"{value} {noun}s"


def between(page, name, make):
    """A page with make(text) for the text between the marks of a table, and the number of such places."""
    with open(page, encoding="utf-8") as file:
        old = file.read()
    marks = rf"(<!-- table {name} -->\n)(.*?)(<!-- end -->)"
    return re.subn(marks, lambda found: found[1] + make(found[2]) + found[3], old, flags=re.DOTALL)


def paste(page, name, table):
    """Puts a table between its marks in a page."""
    new, found = between(page, name, lambda _: table)
    if found != 1:
        raise Failure(f"{page} has {found} places for the table {name}, expected 1")
    outputs.replace(page, new)


def write(path, head, lines):
    """A CSV file; numbers without separators, empty cells for what was not measured."""
    plain = lambda cell: "" if cell == "-" else re.sub(r"(?<=\d),(?=\d{3}\b)", "", str(cell))
    outputs.write_lines(path, [[plain(cell) for cell in line] for line in [head, *lines]])


def kept(path, column, head, lines):
    """Lines of a CSV file, if it is there, whose value of a column none of some new lines has."""
    at = head.index(column)
    new = {line[at] for line in lines}
    old = outputs.read(path) if os.path.exists(path) else []
    return [[row[name] or "-" for name in head] for row in old if (row[column] or "-") not in new]


def renew(page, name, keys, head, lines):
    """
    Puts a table's numbers into the parts of it that a page shows between its marks, if it shows any: its columns by
    their heads, and its rows by the first `keys` columns of the table. Rows and columns that the table lacks stay as
    they are.
    """
    known = {tuple(map(str, line[:keys])): dict(zip(head, line)) for line in lines}

    def renewed(shown):
        cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in shown.splitlines()]
        rows = [dict(zip(cells[0], row)) for row in cells[2:]]
        rows = [{**row, **known.get(tuple(row[key] for key in head[:keys]), {})} for row in rows]
        return markdown(cells[0], [[row[column] for column in cells[0]] for row in rows])

    outputs.replace(page, between(page, name, renewed)[0])


def publish(page, folder, name, keys, head, lines):
    """A table as FOLDER/NAME.csv, and in the page that shows parts of it."""
    os.makedirs(folder, exist_ok=True)
    write(f"{folder}/{name}.csv", head, lines)
    renew(page, name, keys, head, lines)
