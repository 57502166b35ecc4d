"""python3 jobs structure [--check] [--functions] [--map FILE]: folders and arrows of the sources, and their rules.

A file includes, and calls functions of, its own layer and lower ones. Two files form a circle when each includes or
calls the other, directly or through files between them; a header and the source of the same name count as one file.
Calls through tables of functions and tables of a registry are no arrows: they are how a lower layer reaches what it
does not know. --check prints only what breaks the rules and exits with 1 if anything does. --functions lists the
longest functions. --map draws the picture of docs/developer.md, which --check compares with the sources.
"""
import argparse
import collections
import os
import re
import sys

import structure_map

LAYERS = ("base", "law", "mesh", "term", "contact", "potential", "operator", "solver", "step", "io", "problem")
LAYERS += ("output", "study", "python")
HEADERS = {
    "options": "base",
    "plugin": "base",
    "curve": "base",
    "sweep": "term",
    "descent": "term",
    "load": "step",
    "sanity": "problem",
}  # public headers with another name than their layer's
MAP = "docs/structure.svg"
FAMILIES = ("src/law", "src/solver")  # one file a member: the limit on files does not hold
MOST_FILES, MOST_SHARE, MOST_LINES = 25, 0.15, 40  # of a folder; of all lines in a folder; of a function
MEDIAN, NINETIETH = 10, 20  # lines of functions

INCLUDE = re.compile(r'^\s*#\s*include\s+[<"]([^">]+)[">]', re.M)
DEFINITION = re.compile(r"^(?!static|typedef|extern|#)[A-Za-z_][\w \*]*?\b(wring_\w+)\s*\([^;{}]*\)\s*\{", re.M)
NOISE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
NAME = re.compile(r"\bwring_\w+")
THREADS = re.compile(r"#\s*pragma omp (parallel|for|task)")
IMPURE = re.compile(r"\b(MPI_[A-Z][a-z]|Vec[A-Z]|Mat[A-Z]|KSP|PetscSF)|omp\.h")


def sources(root):
    """Text of every C file below src and include, by path."""
    found = {}
    for top in ("src", "include"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        found[os.path.relpath(path, root)] = file.read()
    return dict(sorted(found.items()))


def layer_of(path):
    """The layer of a file, "main" of the program's, None of a file that belongs to none."""
    part = path.split("/")
    if path == "src/main.c":
        return "main"
    name = HEADERS.get(part[-1][:-2], part[-1][:-2]) if part[0] == "include" else part[1]
    return name if name in LAYERS else None


def rank(layer):
    return len(LAYERS) if layer == "main" else LAYERS.index(layer)


def included(path, name, texts):
    """The file of ours that an include means, None for one of the system."""
    for candidate in (os.path.normpath(os.path.join(os.path.dirname(path), name)), f"src/{name}", f"include/{name}"):
        if candidate in texts:
            return candidate
    return None


def unit(path):
    """A source with its header: one node of the graph."""
    return path[:-2] if path.startswith("src/") else path


def include_arrows(texts):
    """(from, to) by file for every include of ours."""
    for path, text in texts.items():
        for name in INCLUDE.findall(text):
            target = included(path, name, texts)
            if target:
                yield path, target


def call_arrows(texts):
    """(from, to, function) for every function of ours that a file names and another one defines."""
    plain = {path: NOISE.sub(" ", text) for path, text in texts.items() if path.endswith(".c")}
    home = {name: path for path, text in plain.items() for name in DEFINITION.findall(text)}
    for path, text in plain.items():
        for name in sorted(set(NAME.findall(text))):
            if home.get(name, path) != path:
                yield path, home[name], name


def circles(arrows):
    """Sets of nodes that reach each other, largest first [Tarjan 1972]."""
    graph = collections.defaultdict(set)
    for a, b in arrows:
        if a != b:
            graph[a].add(b)
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in graph[node]:
            if other not in number:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for node in list(graph):
        if node not in number:
            visit(node)
    return sorted(found, key=len, reverse=True)


def functions(texts):
    """(lines, path, name) of every function: the lines between its braces."""
    result = [
        (body.count("\n") + (body != ""), path, name)
        for path, text in texts.items()
        for name, body in structure_map.bodies(text)
    ]
    return sorted(result, reverse=True)


def folders(texts):
    """{folder: [files, lines]}"""
    result = {}
    for path, text in texts.items():
        entry = result.setdefault(os.path.dirname(path), [0, 0])
        entry[0] += 1
        entry[1] += text.count("\n")
    return result


def faults(texts):
    """One line for everything that breaks the rules."""
    for path in texts:
        if layer_of(path) is None:
            yield f"{path} belongs to no layer: {' < '.join(LAYERS)}"
    known = {path: layer_of(path) for path in texts if layer_of(path)}
    for kind, arrows in (("includes", [(a, b, "") for a, b in include_arrows(texts)]), ("calls", call_arrows(texts))):
        for a, b, name in arrows:
            if a in known and b in known and rank(known[a]) < rank(known[b]):
                yield f"{a} (layer {known[a]}) {kind} {name or b} of layer {known[b]}, which is above it"
    for circle in circles((unit(a), unit(b)) for a, b in include_arrows(texts)):
        yield f"circle of includes: {', '.join(circle)}"
    for circle in circles((a, b) for a, b, _ in call_arrows(texts)):
        yield f"circle of calls: {', '.join(circle)}"
    total = sum(lines for _, lines in folders(texts).values())
    for folder, (files, lines) in folders(texts).items():
        if files > MOST_FILES and folder not in FAMILIES:
            yield f"{folder} has {files} files, expected at most {MOST_FILES}"
        if lines > MOST_SHARE * total:
            yield f"{folder} has {100 * lines / total:.0f} % of the lines, expected at most {100 * MOST_SHARE:.0f}"
    names = collections.defaultdict(list)
    for path in texts:
        if path.startswith("src/"):
            names[os.path.basename(path)].append(path)
    for paths in names.values():
        if len(paths) > 1:
            yield f"one name for several files: {', '.join(paths)}"
    yield from function_faults(texts)
    yield from threading_faults(texts)


def function_faults(texts):
    lengths = functions(texts)
    for lines, path, name in lengths:
        if lines > MOST_LINES:
            yield f"{path}: {name} has {lines} lines, expected at most {MOST_LINES}"
    for part, most in ((0.5, MEDIAN), (0.9, NINETIETH)):
        if quantile(lengths, part) > most:
            percent, lines = 100 * part, quantile(lengths, part)
            yield f"{percent:.0f} % of the functions have up to {lines} lines, expected at most {most}"


def threading_faults(texts):
    """One kind of parallelism a layer."""
    for path, text in texts.items():
        if path.startswith("src/law/") and (IMPURE.search(text) or THREADS.search(text)):
            yield f"{path}: a law is a pure function of one block, without MPI, PETSc's objects and threads"
        elif THREADS.search(text) and layer_of(path) not in ("base", "term", "potential", "contact", "operator"):
            yield f"{path} starts threads, which only base, term, potential, contact and operator do"


def quantile(lengths, part):
    ordered = sorted(lines for lines, _, _ in lengths)
    return ordered[int(part * (len(ordered) - 1))] if ordered else 0


def report(texts):
    total = sum(lines for _, lines in folders(texts).values())
    print(f"{'folder':<28}{'files':>6}{'lines':>8}{'%':>6}  includes from")
    arrows = collections.defaultdict(collections.Counter)
    for a, b in include_arrows(texts):
        if os.path.dirname(a) != os.path.dirname(b):
            arrows[os.path.dirname(a)][b if b.startswith("include/") else os.path.dirname(b)] += 1
    for folder, (files, lines) in folders(texts).items():
        short = lambda target: os.path.basename(target) if target.startswith("include/") else target[4:] + "/"
        to = ", ".join(f"{short(target)} {count}" for target, count in arrows[folder].most_common())
        print(f"{folder:<28}{files:>6}{lines:>8}{100 * lines / total:>6.1f}  {to}")
    lengths = functions(texts)
    print(f"{'all':<28}{len(texts):>6}{total:>8}")
    print(
        f"{len(lengths)} functions; lines: median {quantile(lengths, 0.5)}, 90th percentile {quantile(lengths, 0.9)}, "
        f"longest {lengths[0][0]}"
    )


def main(arguments):
    parser = argparse.ArgumentParser(prog="python3 jobs structure", description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="print only what breaks the rules; exit 1 if anything does"
    )
    parser.add_argument("--functions", action="store_true", help="list the twenty longest functions")
    parser.add_argument("--map", metavar="FILE", help="write the picture of folders and of an iteration of qn as SVG")
    given = parser.parse_args(arguments)
    texts = sources(".")
    picture = structure_map.draw(texts, folders(texts), LAYERS)
    if given.map:
        with open(given.map, "w", encoding="utf-8") as file:
            file.write(picture)
        return 0
    if not given.check:
        report(texts)
    if given.functions:
        for lines, path, name in functions(texts)[:20]:
            print(f"{lines:>4}  {name}  {path}")
    broken = [*faults(texts), *structure_map.faults(texts, picture, MAP)]
    print("\n".join(broken) if broken else "no arrow up, no circle, no folder or function too large")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
