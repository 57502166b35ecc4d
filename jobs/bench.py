"""python3 jobs bench [--sizes N,...] [--splits RxT,...] [--out FOLDER] [--draw] [-- -key value...]

`wring bench` over sizes, ranks and threads.

Prints a table, and draws the time per tetrahedron and the part of the triad's bandwidth that is reached. For a machine
that has nothing else to do; some minutes for each million tetrahedra. Keys of wring bench come after --, such as
-bench_parts laws,operator.
"""
import os
import re

import pictures
import program
import tables
from outputs import last_line, replace, rows
from program import CORES, Failure, say

# What the table and the picture of sizes show: part, name, work, material (None: any), title.
ROWS = (
    ("law", "none", "scatter", None, "scatter"),
    ("law", "neohookean", "energy+gradient", None, "energy+gradient, neohookean"),
    ("operator", "direct", "solve to 1e-04", None, "direct solve to 1e-4"),
    ("operator", "multigrid", "solve to 1e-04", None, "multigrid to 1e-4"),
    ("solver", "qn", "iteration", "neohookean", "qn, neohookean"),
    ("solver", "admm", "iteration", "neohookean", "admm, neohookean"),
    ("solver", "xpbd", "iteration", "strain", "xpbd, strain"),
)
VALUES = {
    "ns per tetrahedron": lambda row: 1e9 * float(row["seconds"]) / float(row["tets"]),
    "% of the triad": lambda row: 100 * float(row["fraction"]) if row["fraction"] else None,
}


def default_splits():
    """One core; then all of them, as 1, 2, 4, ... ranks."""
    powers = [2**i for i in range(CORES.bit_length()) if CORES > 1 and CORES % 2**i == 0]
    return ["1x1"] + [f"{ranks}x{CORES // ranks}" for ranks in powers]


def parts_of(split):
    found = re.fullmatch(r"([1-9]\d*)x([1-9]\d*)", split, re.ASCII)
    if not found:
        raise Failure(f"--splits: expected ranks x threads, such as 2x1, found {split}")
    return int(found[1]), int(found[2])


def title_of(split):
    ranks, threads = parts_of(split)
    return f"{tables.count(ranks, 'rank')} x {tables.count(threads, 'thread')}"


def measure(out, size, split, options):
    """A run of wring bench into a folder of its own."""
    ranks, threads = parts_of(split)
    folder = f"{out}/{size}_{split}"
    program.run("bench", None, folder, {"bench_tets": size, **options}, ranks=ranks, threads=threads, busy=True)
    say(f"{size} tetrahedra, {split}: {last_line(folder + '/log')}")


def join(out, sizes, splits):
    """
    All rows of the runs with their split; those that a run measured on its small box, which have another size, are
    left out.
    """
    result = []
    for size in sizes:
        for split in splits:
            folder = f"{out}/{size}_{split}"
            if not os.path.exists(f"{folder}/bench.csv"):
                raise Failure(f"no results of {size} tetrahedra, {split} in {out}")
            found = rows(folder, "bench.csv")
            result += [{"split": split, **row} for row in found if row["tets"] == found[0]["tets"]]
    return result


def pick(found, row):
    """Rows of one line of ROWS."""
    part, name, work, material, _ = row
    is_of = lambda r: (r["part"], r["name"], r["work"]) == (part, name, work) and material in (None, r["material"])
    return [r for r in found if is_of(r)]


def table(found, splits, what):
    """One value of every line of ROWS and size, a column a split: head and lines."""
    lines = []
    for row in ROWS:
        chosen = pick(found, row)
        for size in sorted({int(r["tets"]) for r in chosen}):
            value = {r["split"]: VALUES[what](r) for r in chosen if int(r["tets"]) == size}
            lines.append((row[-1], size, *("-" if value.get(s) is None else f"{value[s]:.3g}" for s in splits)))
    return (what, "tets", *splits), lines


def laws(found, splits, work):
    """Of every law, at the largest size that has this work: ns per tetrahedron, a column a split."""
    chosen = [r for r in found if (r["part"], r["work"]) == ("law", work)]
    most = max((int(r["tets"]) for r in chosen), default=0)
    chosen = [r for r in chosen if int(r["tets"]) == most]
    value = {(r["name"], r["split"]): VALUES["ns per tetrahedron"](r) for r in chosen}
    return [(name, *(value.get((name, s), "") for s in splits)) for name in dict.fromkeys(r["name"] for r in chosen)]


def draw_laws(out, found, splits):
    """Bars: every law's energy and gradient, and prox."""
    panels = []
    for work, name in (("energy+gradient", "laws"), ("prox", "laws_prox")):
        lines = laws(found, splits, work)
        pictures.data(f"{out}/{name}.csv", lines)
        bars = [
            f"'{name}.csv' using {i + 2}{':xtic(1)' if i == 0 else ''} title '{title_of(s)}'"
            for i, s in enumerate(splits)
        ]
        panels += [f"set title '{work}'; plot {', '.join(bars)}"] * bool(lines)
    pictures.draw(
        out,
        "laws",
        "1500,520",
        "\n".join(
            [
                "set multiplot layout 1,2; set style data histograms; set style fill solid 0.8",
                "set boxwidth 0.9; set grid y",
                "set xtics rotate by -35; set yrange [0:*]; set ylabel 'ns per tetrahedron'; set key top left",
                *panels,
            ]
        ),
    )


def draw_sizes(out, found, splits):
    """One panel a split: time per tetrahedron above, percent of the triad below."""
    width = len(splits) * 420 + 340
    panels = []
    for j, (what, limits) in enumerate((("ns per tetrahedron", "1:10000"), ("% of the triad", "0.1:300"))):
        panels.append(f"set ylabel '{what}'; set yrange [{limits}]")
        for split in splits:
            curves = []
            for i, row in enumerate(ROWS):
                points = sorted(
                    (int(r["tets"]), VALUES[what](r), float(r["waited_share"]))
                    for r in pick(found, row)
                    if r["split"] == split and VALUES[what](r) is not None
                )
                if points:
                    name = f"curve_{j}_{i}_{split}.csv"
                    pictures.data(f"{out}/{name}", [("tets", "value", "waited_share"), *points])
                    shares = [share for *_, share in points]
                    curves.append(pictures.marked(name, "tets", "column('value')", row[-1], i + 1, shares))
            panels += [f"set title '{title_of(split)}'; plot {', '.join(curves) or 'NaN notitle'}", "unset key"]
    pictures.draw(
        out,
        "sizes",
        f"{width},900",
        "\n".join(
            [
                f"set multiplot layout 2,{len(splits)} margins 0.06,{1 - 290 / width:.3f},0.07,0.95 spacing 0.05,0.1",
                "set logscale xy; set grid; set style data linespoints; set xlabel 'tetrahedra'; set format x '%.0s%c'",
                "set key at screen 0.995,0.95 right top",
                *panels,
            ]
        ),
    )


def parse(arguments):
    ours, keys = program.split_keys(arguments)
    parser = program.parser("bench", __doc__)
    parser.add_argument("--sizes", default="16000,126000,1000000", help="numbers of tetrahedra")
    parser.add_argument("--splits", default=",".join(default_splits()), help="ranks x threads, such as 1x1,2x1")
    parser.add_argument("--out", default="out/bench", help="the folder of the results")
    parser.add_argument("--draw", action="store_true", help="run nothing: table and pictures of what has been run")
    return parser.parse_args(ours), keys


def main(arguments):
    given, options = parse(arguments)
    sizes, splits = given.sizes.split(","), given.splits.split(",")
    for split in splits:
        parts_of(split)  # a wrong one is refused before anything is measured
    if not given.draw:
        for size in sizes:
            for split in splits:
                measure(given.out, size, split, options)
    found = join(given.out, sizes, splits)
    pictures.data(f"{given.out}/bench.csv", [found[0].keys(), *(row.values() for row in found)])
    text = "\n".join(tables.text(*table(found, splits, what)) for what in VALUES)
    replace(f"{given.out}/table.txt", text)
    say(text)
    draw_laws(given.out, found, splits)
    draw_sizes(given.out, found, splits)
    return 0
