"""Pictures by gnuplot: the script stays beside each, so that it can be changed and drawn again."""
import os
import shutil
import subprocess

import outputs
from program import Failure, say

HEAD = """# gnuplot {name}.gp, in this directory, makes {name}.png
set terminal pngcairo noenhanced font ',10' size {size}; set output '{output}'; set datafile separator ','
set datafile missing NaN; set linetype 5 lc rgb '#8c564b'; set grid lc rgb '#dddddd'; set style data lines
of(name, c) = strcol(1) eq name ? column(c) : NaN
"""


def data(path, lines):
    """A file of numbers or words for gnuplot, separated by commas."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    outputs.write_lines(path, lines)


SHARED = 0.05  # of the time of threads: above, others had their cores


def marked(file, x, y, title, colour, shares):
    """A curve over a column of a file; its points are hollow where `shares`, its column waited_share, say so."""
    parts = [f"({y}) with lines lc {colour} title '{title}'"]
    for point, sign, there in ((7, "<=", min(shares) <= SHARED), (6, ">", max(shares) > SHARED)):
        only = f"(column('waited_share'){sign}{SHARED}?({y}):NaN)"
        parts += [f"{only} with points pt {point} lc {colour} notitle"] * there
    return ", ".join(f"'{file}' using '{x}':{part}" for part in parts)


def draw(folder, name, size, commands, output=None):
    """
    NAME.png of "width,height" pixels in a folder, or `output` elsewhere. of(solver, column) picks the rows of
    compare.csv. Without gnuplot only the script is written.
    """
    script = f"{name}.gp"
    target = os.path.relpath(output, folder) if output else f"{name}.png"
    with open(os.path.join(folder, script), "w", encoding="utf-8") as file:
        file.write(HEAD.format(name=name, size=size, output=target) + commands.strip() + "\n")
    if not shutil.which("gnuplot"):
        say(f"no gnuplot: {os.path.join(folder, script)} is not drawn")
    elif subprocess.call(["gnuplot", script], cwd=folder):
        raise Failure(f"gnuplot {os.path.join(folder, script)}")
    else:
        say(f"picture: {output or os.path.join(folder, name + '.png')}")
