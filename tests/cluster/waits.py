"""The number of waits in order in an iteration, from runs of the same iterations over links with different delays:

    waits.py DELAY=FOLDER...        delay in microseconds, one way; the folder has history.csv

A wait is one way over a link, on which everything that follows depends: the time of an iteration grows by waits times
delay. The waits of one iteration are the slope of the straight line through the least times at each delay, since other
processes only add to them; those of iterations with the same number of inner ones are summed up by their median. Prints
the mean over all iterations, and the medians, each with half of the distance between its quartiles.
"""
import csv
import statistics
import sys


def read(folder):
    """Seconds and inner iterations of every iteration but the first, in which TCP still finds its window."""
    with open(f"{folder}/history.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    pairs = list(zip(rows, rows[1:]))[1:]
    inner = [int(b["linear_iterations"]) - int(a["linear_iterations"]) for a, b in pairs]
    return [float(b["seconds"]) - float(a["seconds"]) for a, b in pairs], inner


def slope(points):
    """Of the straight line with the least squares."""
    x, y = statistics.mean(p[0] for p in points), statistics.mean(p[1] for p in points)
    return sum((p[0] - x) * (p[1] - y) for p in points) / sum((p[0] - x) ** 2 for p in points)


def scatter(values):
    if len(values) < 2:
        return 0
    low, _, high = statistics.quantiles(values, method="inclusive")
    return (high - low) / 2


def main(words):
    least, inner = {}, None
    for word in words:
        delay, folder = word.split("=", 1)
        times, counts = read(folder)
        if inner not in (None, counts):
            sys.exit(f"{folder}: other inner iterations than in the run before")
        inner = counts
        least[float(delay)] = [min(pair) for pair in zip(times, least.get(float(delay), times))]
    waits = [slope([(1e-6 * d, t[i]) for d, t in least.items()]) for i in range(len(inner))]
    classes = {k: [w for w, n in zip(waits, inner) if n == k] for k in sorted(set(inner))}
    mean = sum(statistics.median(of) * len(of) for of in classes.values()) / len(waits)
    medians = ", ".join(
        f"{k}: {statistics.median(of):.1f} +- {scatter(of):.1f} of {len(of)}" for k, of in classes.items()
    )
    print(f"{mean:.1f} waits in order in an iteration of {statistics.mean(inner):.2f} inner ones ({medians})")


main(sys.argv[1:])
