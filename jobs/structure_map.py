"""The picture of the sources in docs/developer.md: layers, folders, and the path of one iteration of qn, as SVG."""
import html
import os
import pathlib
import re

# One stop of the path a line: a chain of functions, the first one met before, each named in the text of the one before
# it, and what the last one does. TABLE.ENTRY is the function that a table of functions has at an entry.
PATH = """
wring_solver_qn.iterate: one iteration of qn
qn_iterate > wring_lbfgs_iterate: direction, search, new pair
wring_lbfgs_iterate > step > find_direction: first loop of L-BFGS
qn_iterate > wring_lbfgs_apply_operator > wring_solver_apply_inverse_with_dots: r = A^-1 q
wring_solver_apply_inverse_with_dots > wring_operator_solve_from_zero: solve with A
wring_operator_solve_from_zero > solve > wring_operator_cholmod.solve: by the factor of A
qn_iterate > wring_solver_backtrack: halve the step until g falls
wring_solver_backtrack > wring_solver_try > wring_solver_evaluate_trial > evaluate: g, grad g and sums at a trial
evaluate > wring_potential_fused_local > pass: halo of x, inertia, terms
pass > wring_pass_run > run_chunk > load_chunk: positions of a chunk
run_chunk > run_blocks > load_z: z = G x of 8 elements
pass > wring_term_pass > map_law > wring_law_neohookean.fused: psi and p = dpsi/dz
run_blocks > add_forces: forces of the block
run_chunk > store_chunk: forces of the chunk
wring_pass_run > add_shared: vertices of several chunks
pass > wring_potential_sum_ghosts: forces of ghosts to owners
wring_lbfgs_iterate > keep_pair: s and y of L-BFGS
wring_lbfgs_iterate > wring_solver_end_search > wring_solver_accept: x becomes the trial point
"""
WIDTH, LEFT, GAP, LEAST = 1000, 104, 5, 62  # of the picture; of the layers' names; between boxes; of a box
ROW, MORE, RADIUS, COLUMNS = 37, 24, 8.5, 2  # height of a box; of its points; of a point; of the legend
NO_FUNCTION = re.compile(r"__attribute__\(\(\w+\)\)")


def bodies(text):
    """(name, text between the braces) of every function."""
    start = head = None
    lines = text.split("\n")
    for i, line in enumerate(NO_FUNCTION.sub("", text).split("\n")):
        if re.match(r"^[A-Za-z_].*\(", line) and not line.endswith(";"):
            head = re.search(r"(\w+)\(", line)
        if line == "{":
            start = i
        elif line == "}" and start is not None:
            yield head[1] if head else "?", "\n".join(lines[start + 1 : i])
            start = None


def find(word, near, texts, body):
    """(path, name, how a caller names it) of a function or an entry; of several of a name the one that is near."""
    if "." in word:
        table, entry = word.split(".")
        for path, text in texts.items():
            found = re.search(rf"\b{table} = \{{.*?\.{entry}\s*=\s*(\w+)", text, re.S)
            if found:
                return path, found[1], entry
    paths = [path for path, name in body if name == word]
    paths.sort(key=lambda path: (path != near, os.path.dirname(path) != os.path.dirname(near), path))
    return (paths[0], word, word) if paths else None


def walk(texts):
    """The stops (path, function, what it does), and one line for each that is not so in the sources."""
    body = {(path, name): inside for path, text in texts.items() for name, inside in bodies(text)}
    met, stops, wrong = {}, [], []
    for chain, does in (line.split(": ", 1) for line in PATH.strip().split("\n")):
        here = None
        for word in chain.split(" > "):
            there = (met.get(word) if here is None else None) or find(word, here[0] if here else "", texts, body)
            if not there:
                wrong.append(f"the path of jobs/structure_map.py: there is no {word}")
                break
            if here and not re.search(rf"\b{there[2]}\b", body.get(here[:2], "")):
                wrong.append(f"the path of jobs/structure_map.py: {here[1]} ({here[0]}) does not name {there[2]}")
            here = met[there[1]] = there
        else:
            stops.append((here[0], here[1], does))
    return stops, wrong


def label(x, y, words, style):
    return f'<text x="{x:.0f}" y="{y:.0f}" class="{style}">{html.escape(words)}</text>'


def hundreds(lines):
    return f"{max(round(lines, -2), 100):,}"


def point(x, y, number):
    return f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{RADIUS}"/>' + label(x, y + 3.5, str(number), "number")


def box(x, y, width, height, style):
    return f'<rect x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height}" rx="5" class="{style}"/>'


def bands(folders, layers):
    """(name, folders) from the highest layer to the public headers."""
    yield "main", ["src"]
    for layer in reversed(layers):
        yield layer, sorted(f for f in folders if f"{f}/".startswith(f"src/{layer}/"))
    yield "headers", sorted(f for f in folders if f.startswith("include"))


def boxes(rows, folders, places):
    """Boxes, words, the place of each stop, the height. Widths follow lines, so that the widest row fits."""
    width = lambda f, scale: max(LEAST, scale * folders[f][1])
    fits = lambda scale: all(sum(width(f, scale) + GAP for f in row) <= WIDTH - LEFT for _, row in rows)
    scale = max(s / 1e4 for s in range(2000) if fits(s / 1e4))
    drawn, words, at, y = [], [], {}, 6
    for i, (name, row) in enumerate(rows):
        x, height = LEFT, ROW + (MORE if set(row) & set(places) else 0)
        drawn.append(box(2, y, WIDTH - 4, height + 8, f"band{i % 2}"))
        words.append(label(14, y + 19, name, "layer"))
        words.append(label(14, y + 34, hundreds(sum(folders[f][1] for f in row)), "lines"))
        for f in row:
            stops = [k for k, place in enumerate(places) if place == f]
            drawn.append(box(x, y + 4, width(f, scale), height, "box"))
            words.append(label(x + 5, y + 18, os.path.basename(f), "name"))
            words.append(label(x + 5, y + 32, hundreds(folders[f][1]), "lines"))
            for k, stop in enumerate(stops):
                at[stop] = x + width(f, scale) * (k + 0.5) / len(stops), y + height - 8
            x += width(f, scale) + GAP
        y += height + 12
    return drawn, words, [at[k] for k in range(len(places))], y


def line(points):
    """A curve through the points: vertical where it changes rows, below the points within a row."""
    yield f"M{points[0][0]:.0f} {points[0][1]:.0f}"
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        bend = (y0 + y1) / 2 if y1 != y0 else y0 + 17 * (abs(x1 - x0) > 60)
        yield f"C{x0:.0f} {bend:.0f} {x1:.0f} {bend:.0f} {x1:.0f} {y1:.0f}"


LOOK = """text{font-family:Helvetica,Arial,sans-serif;fill:#1d2a3a}.name,.lines{stroke:#fff;stroke-width:2.5;
stroke-opacity:.7;paint-order:stroke}.layer{font-size:14px;font-weight:bold}
.name{font-size:12px}.lines{font-size:10.5px;fill:#6b7a8d}.box{fill:#fff;stroke:#9db2c9}.band0{fill:#e9f0f7}
.band1{fill:#f3f6fa}path{fill:none;stroke:#c8452f;stroke-width:2;stroke-opacity:.55}
circle{fill:#c8452f;stroke:#fff;stroke-width:1.5}.number{font-size:10px;fill:#fff;text-anchor:middle;font-weight:bold}
.function{font-family:Menlo,Consolas,monospace;font-size:11.5px}"""


def draw(texts, folders, layers):
    stops, rows = walk(texts)[0], list(bands(folders, layers))
    drawn, words, points, top = boxes(rows, folders, [os.path.dirname(path) for path, _, _ in stops])
    per, high = -(-len(stops) // COLUMNS), 34
    for i, (path, name, does) in enumerate(stops):
        x, y = 16 + i // per * WIDTH / COLUMNS, top + 18 + i % per * high
        words += [point(*points[i], i + 1), point(x, y, i + 1), label(x + 16, y - 1, name, "function")]
        words.append(label(x + 16, y + 13, f"{does} ({path})", "lines"))
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top + per * high + 10:.0f}">'
    curve = f'<path d="{" ".join(line(points))}"/>' if points else ""
    paper = '<rect width="100%" height="100%" fill="#fff"/>'
    return "\n".join([head, f"<style>{LOOK}</style>", paper, *drawn, curve, *words, "</svg>", ""])


def faults(texts, picture, path):
    """What is wrong with the path, and with the picture in a file, of which all but numbers is compared."""
    yield from walk(texts)[1]
    shape = lambda svg: re.sub(r"\d[\d.,]*", "#", svg)
    old = pathlib.Path(path)
    if not old.exists() or shape(old.read_text(encoding="utf-8")) != shape(picture):
        yield f"{path} shows other folders or another path: python3 jobs structure --map {path}"
