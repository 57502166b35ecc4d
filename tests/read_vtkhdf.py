"""Reads a file of frames by the published layout of VTKHDF 2.0 (unstructured grid, temporal data), without VTK:

    python3 read_vtkhdf.py FILE.vtkhdf             checks every frame, prints the number of frames and of layouts
    python3 read_vtkhdf.py FILE.vtkhdf DIRECTORY   and compares them with frames.pvd there, value by value
    python3 read_vtkhdf.py A.vtkhdf B.vtkhdf       and compares them with those of another file, by vertex number
    python3 read_vtkhdf.py A.vtkhdf B.vtkhdf first     and compares them with the first ones of the other file
"""
import os
import re
import sys

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing} (Debian: python3-h5py python3-numpy)")
    sys.exit(77)

CORNERS = {1: 1, 3: 2, 5: 3, 10: 4, 22: 6, 24: 10}
TYPES = {"Float64": "<f8", "Float32": "<f4", "Int64": "<i8", "Int32": "<i4", "UInt8": "u1"}


def need(condition, message):
    if not condition:
        sys.exit(f"{sys.argv[1]}: {message}")


# ---- VTKHDF ----------------------------------------------------------------------------------------------------------


def part(root, step, p, first):
    """Part p of a step: where its rows begin follows from the offsets of the step and the sizes of parts before it."""
    steps = root["Steps"]
    before = slice(first, first + p)
    sizes = {name: root[f"NumberOf{name}"] for name in ("Points", "Cells", "ConnectivityIds")}
    points, cells, ids = (int(sizes[name][first + p]) for name in sizes)
    point, cell, index = (int(sizes[name][before].sum()) for name in sizes)
    to_point = int(steps["PointOffsets"][step]) + point
    to_cell = int(steps["CellOffsets"][step, 0]) + cell
    to_index = int(steps["ConnectivityIdOffsets"][step, 0]) + index
    offset = root["Offsets"][to_cell + first + p :][: cells + 1]
    found = {
        "Points": root["Points"][to_point:][:points],
        "connectivity": root["Connectivity"][to_index:][:ids],
        "offsets": offset[1:],
        "types": root["Types"][to_cell:][:cells],
    }
    need(offset[0] == 0 and offset[-1] == ids and len(offset) == cells + 1, f"step {step}: offsets of part {p}")
    need(len(found["connectivity"]) == ids and len(found["types"]) == cells, f"step {step}: cells of part {p} are cut")
    for group, rows, begin in (("PointData", points, point), ("CellData", cells, cell)):
        for name, table in root[group].items():
            at = int(steps[f"{group}Offsets"][name][step]) + begin
            found[name] = table[at:][:rows]
            need(len(found[name]) == rows, f"step {step}: {name} of part {p} is cut")
    need(len(found["Points"]) == points, f"step {step}: points of part {p} are cut")
    need(cells == 0 or found["connectivity"].min() >= 0 and found["connectivity"].max() < points, "corners")
    expected = [CORNERS[kind] for kind in found["types"]]
    need((np.diff(offset) == expected).all(), f"step {step}: types do not fit the offsets of part {p}")
    return found


def load(group):
    """All tables of a group, and of the groups in it: to read them row by row takes minutes."""
    return {name: load(one) if isinstance(one, h5py.Group) else one[()] for name, one in group.items()}


def frames(path):
    """[(time, [part])] of a file."""
    with h5py.File(path) as file:
        root = file["VTKHDF"]
        need(root.attrs["Type"] == b"UnstructuredGrid" and list(root.attrs["Version"]) == [2, 0], "type or version")
        count = int(root["Steps"].attrs["NSteps"])
        root = load(root)
        steps = root["Steps"]
        need(steps["Values"].shape == (count,), f"{steps['Values'].shape} times, NSteps {count}")
        for name in ("PartOffsets", "NumberOfParts", "PointOffsets", "CellOffsets", "ConnectivityIdOffsets"):
            need(len(steps[name]) >= count, f"Steps/{name} is short")
        found = []
        for step in range(count):
            first, parts = int(steps["PartOffsets"][step]), int(steps["NumberOfParts"][step])
            found.append((float(steps["Values"][step]), [part(root, step, p, first) for p in range(parts)]))
        layouts = len(set(steps["PartOffsets"][:count]))
    return found, layouts


# ---- .vtu, raw and not compressed ------------------------------------------------------------------------------------


def pieces(path):
    with open(path, "rb") as file:
        data = file.read()
    text, _, raw = data.partition(b'<AppendedData encoding="raw">\n_')
    found = []
    for piece in text.decode().split("<Piece ")[1:]:
        arrays = {}
        for kind, name, width, offset in re.findall(
            r'type="(\w+)" Name="(\w+)" NumberOfComponents="(\d+)".*?offset="(\d+)"', piece
        ):
            begin = int(offset) + 8
            bytes_ = int(np.frombuffer(raw, "<u8", 1, int(offset))[0])
            values = np.frombuffer(raw[begin : begin + bytes_], TYPES[kind])
            arrays[name] = values.reshape(-1, int(width)) if int(width) > 1 else values
        found.append(arrays)
    return found


def equal(one, other):
    """Two runs differ by the order of sums on several ranks."""
    if one.size == 0 or one.dtype.kind != "f":
        return np.array_equal(one, other)
    close = 1e-5 if one.dtype.itemsize == 4 else 1e-8
    return np.allclose(one, other, 0, close * max(abs(other).max(), 1e-3), equal_nan=True)


def compare_vtu(mine, folder):
    with open(os.path.join(folder, "frames.pvd"), encoding="utf-8") as pvd:
        listed = re.findall(r'timestep="([^"]*)".*?file="([^"]*)"', pvd.read())
    need([time for time, _ in mine] == [float(time) for time, _ in listed], "times are not those of frames.pvd")
    for (_, parts), (_, name) in zip(mine, listed):
        for p, (one, other) in enumerate(zip(parts, pieces(os.path.join(folder, name)))):
            need(set(one) == set(other), f"{name}: arrays {sorted(set(one) ^ set(other))}")
            for array, value in one.items():
                need(value.shape == other[array].shape, f"{name}: {array} of part {p} has another shape")
                need(equal(value, other[array]), f"{name}: {array} of part {p} differs")
                need(array in ("connectivity", "offsets") or value.dtype == other[array].dtype, f"{array}: its type")


# ---- two files -------------------------------------------------------------------------------------------------------


def by_vertex(parts):
    """Points and displacements, sorted by vertex number, each vertex once."""
    number = np.concatenate([p["vertex"] for p in parts])
    value = np.concatenate([np.hstack([p["Points"], p["displacement"]]) for p in parts])
    number, place = np.unique(number, return_index=True)
    return number, value[place]


def compare_hdf(mine, theirs):
    need([time for time, _ in mine] == [time for time, _ in theirs], "times are not those of the other file")
    for (time, one), (_, other) in zip(mine, theirs):
        (number, value), (same, expected) = by_vertex(one), by_vertex(other)
        need(np.array_equal(number, same), f"time {time}: other vertices")
        need(abs(value - expected).max() < 1e-6, f"time {time}: positions differ by {abs(value - expected).max()}")
        cells = [sum(len(p["types"]) for p in parts) for parts in (one, other)]
        need(cells[0] == cells[1], f"time {time}: {cells[0]} cells, expected {cells[1]}")


def main():
    mine, layouts = frames(sys.argv[1])
    if len(sys.argv) > 2 and os.path.isdir(sys.argv[2]):
        compare_vtu(mine, sys.argv[2])
    elif len(sys.argv) > 2:
        theirs = frames(sys.argv[2])[0]
        compare_hdf(mine, theirs[: len(mine)] if sys.argv[3:] == ["first"] else theirs)
    print(f"{len(mine)} frames, {layouts} layouts")


main()
