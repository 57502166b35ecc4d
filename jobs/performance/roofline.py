"""
Each kernel against the machine: its arithmetic, counted in the compiled code, its bytes and its time from `wring
bench`.
"""
import glob
import os
import re
import subprocess

import program
from outputs import load
from tables import number

OUT, TETS = "out/performance/roofline", 500000
LANES = 8  # elements of a block
FUNCTION = {"energy+gradient": "fused", "projection": "project"}
# What runs only where a block has an element that needs it, as a call, or inlined: then it is taken off.
RARELY = {"wring_block3_rotation": "wring_block3_svd"}
WIDTH = {"zmm": 8, "ymm": 4, "xmm": 2}
ARITHMETIC = re.compile(r"^v(?:(fn?m(?:add|sub|addsub)\d*)|add|sub|mul|div|sqrt|max|min)(pd|sd)\b")


def objects():
    """Object files by the name of their source, beside the program."""
    build = os.path.dirname(os.path.abspath(program.path()))
    paths = glob.glob(f"{build}/CMakeFiles/wring.dir/src/**/*.c.o", recursive=True)
    return {os.path.basename(path)[:-4]: path for path in paths}


def flops_of(line, operation):
    """Of one instruction, with two for a multiplication and addition."""
    found = ARITHMETIC.match(operation)
    if not found:
        return 0
    widest = max((WIDTH[r] for r in WIDTH if r in line), default=1)
    return (2 if found[1] else 1) * (widest if found[2] == "pd" else 1)


def functions(path):
    """Of an object file: flops of one pass, calls, and whether there is a loop, of every function."""
    text = subprocess.run(
        ["objdump", "-dr", "--no-show-raw-insn", path], check=True, capture_output=True, text=True
    ).stdout
    result, now = {}, None
    for line in text.splitlines():
        head = re.match(r"^[0-9a-f]+ <([\w.]+)>:", line)
        if head:
            now = result.setdefault(head[1], {"flops": 0, "calls": [], "loop": False})
            continue
        relocation = re.search(r"R_X86_64_(?:PLT32|PC32)\s+(wring_\w+)-0x4", line)
        code = re.match(r"^\s*([0-9a-f]+):\s+(\w+)\s*(.*)", line)
        if not now:
            continue
        if relocation and "PLT32" in line:
            now["calls"].append(relocation[1])
        elif code:
            now["flops"] += flops_of(code[3], code[2])
            jump = re.match(r"([0-9a-f]+) <", code[3])
            if code[2].startswith("j") and jump and int(jump[1], 16) < int(code[1], 16):
                now["loop"] = True
            if code[2] == "call" and jump and "+" not in code[3]:
                now["calls"].append(re.search(r"<([\w.]+)>", code[3])[1])
    return result


class Code:
    """The compiled kernels."""

    def __init__(self):
        self.files = {
            name: functions(path) for name, path in objects().items() if "/src/law/" in path or "/src/base/" in path
        }
        self.public = {
            f: (name, body)
            for name, all_of in self.files.items()
            for f, body in all_of.items()
            if f.startswith("wring_")
        }

    def flops(self, source, function):
        """Of a block, with what it calls; None where a loop makes it depend on the data."""
        body = self.files.get(source, {}).get(function) or self.public.get(function, (None, None))[1]
        if body is None or body["loop"]:
            return None
        total, rare = body["flops"], RARELY.get(function)
        if rare and rare not in body["calls"]:
            total -= self.flops(None, rare)
        for callee in body["calls"]:
            if callee == rare:
                continue
            home = source if callee in self.files.get(source, {}) else self.public.get(callee, (None,))[0]
            more = self.flops(home, callee) if home else 0
            if more is None:
                return None
            total += more
        return total


def bound(row, bare):
    """bare: ns of a pass whose law does nothing."""
    if row["fraction"] and row["fraction"] > 0.6:
        return "memory"
    if row["part"] == "law":
        return "arithmetic of the law" if row["ns_per_tet"] > 1.5 * bare else "gather and scatter"
    return "memory and the latency of loads"


def line(row, code, bare):
    flops = None
    if row["part"] == "law" and row["work"] in FUNCTION:
        flops = code.flops(row["name"], FUNCTION[row["work"]])
    per_tet = flops / LANES if flops else None
    rate = per_tet / row["ns_per_tet"] if per_tet else None
    per_byte = f"{row['bytes'] / row['tets']:.0f}" if row["bytes"] else "-"
    share = f"{100 * row['fraction']:.0f}" if row["fraction"] is not None and row["bytes"] else "-"
    return (
        row["name"],
        row["work"],
        f"{row['ns_per_tet']:.2f}",
        per_byte,
        share,
        number(per_tet, 3),
        number(rate, 3),
        bound(row, bare),
    )


def table(_):
    options = {"bench_parts": "laws,operator", "bench_tets": TETS, "bench_budget": 0.2, "operator_type": "multigrid"}
    found = load(program.run("bench", None, OUT, options, threads=2, busy=True), "bench.json")
    rows = [row for row in found["rows"] if row["work"] != "set-up"]
    bare = next(row for row in rows if (row["name"], row["work"]) == ("none", "energy+gradient"))["ns_per_tet"]
    program.say(f"{found['mesh']['tets']:,.0f} tets, two threads; triad {found['bandwidth']['all'] / 1e9:.1f} GB/s")
    head = ("kernel", "work", "ns/tet", "B/tet", "% of triad", "flop/tet", "Gflop/s", "bound by")
    code = Code()
    return 2, head, [line(row, code, bare) for row in rows]
