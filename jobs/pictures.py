"""Pictures by gnuplot: the script stays beside each, so that it can be changed and drawn again."""
import csv
import os
import shutil
import subprocess

from program import Failure, say

HEAD = """# gnuplot {name}.gp, in this directory, makes {name}.png
set terminal pngcairo noenhanced font ',10' size {size}; set output '{output}'; set datafile separator ','
set datafile missing NaN; set linetype 5 lc rgb '#8c564b'; set grid lc rgb '#dddddd'; set style data lines
of(name, c) = strcol(1) eq name ? column(c) : NaN
"""


def data(path, lines):
    """A file of numbers or words for gnuplot, separated by commas."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(lines)


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
