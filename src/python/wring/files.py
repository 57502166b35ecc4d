"""Files that wring writes, as NumPy arrays; needs neither the library nor VTK."""
import collections
import csv
import os
import re
import zlib

import numpy


class Error(Exception):
    """One line: what is wrong, and what is expected."""


def table(path):
    """{column: array} of steps.csv, history.csv, compare.csv, ...: integers, reals (nan where none is given), words."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
    except (OSError, ValueError, csv.Error) as reason:
        raise Error(f"{path}: no table: {reason}") from None
    if any(len(row) != len(header) for row in rows):
        raise Error(f"{path}: a row has another number of columns than the header")
    return {name: _column([row[i] for row in rows]) for i, name in enumerate(header)}


def _column(texts):
    for kind in int, float:
        try:
            return numpy.array([kind(text or "nan") for text in texts], kind)
        except ValueError:
            pass
    return numpy.array(texts)


Frame = collections.namedtuple("Frame", "time points cells")
Frame.__doc__ = """A state; s. points {name: array}: x, vertex, fields, each vertex once, by number in the file.
cells {name: array}: connectivity (rows of points, cell after cell), offsets (where a cell ends there), types of
VTK, fields."""

_TYPES = {"Float64": "<f8", "Float32": "<f4", "Int64": "<i8", "Int32": "<i4", "UInt8": "u1"}
_ARRAY = re.compile(r'<DataArray type="(\w+)" Name="(\w+)" NumberOfComponents="(\d+)"[^>]*offset="(\d+)"')
_FIELDS_OF_POINTS = re.compile(r"<PointData>.*?</PointData>|<Points>.*?</Points>", re.S)


def frames(path):
    """Yields a Frame for each frame of an output directory, in the order of frames.pvd, or that of one .vtu."""
    try:
        files = [path]
        if os.path.isdir(path):
            with open(os.path.join(path, "frames.pvd"), encoding="utf-8") as file:
                files = [os.path.join(path, name) for name in re.findall(r'file="([^"]*)"', file.read())]
        yield from map(_frame, files)
    except (OSError, LookupError, TypeError, ValueError, zlib.error) as reason:
        raise Error(f"{path}: not frames of output_format vtu: {reason}") from None


def _frame(path):
    with open(path, "rb") as file:
        text, _, raw = file.read().partition(b'<AppendedData encoding="raw">\n_')
    head, *pieces = text.decode().split("<Piece ")
    packed = "vtkZLibDataCompressor" in head
    time = float(re.search(r'Name="TimeValue"[^>]*>([^<]*)<', head)[1])
    parts = [[_arrays(" ".join(_FIELDS_OF_POINTS.findall(p)), raw, packed) for p in pieces]]
    parts.append([_arrays(_FIELDS_OF_POINTS.sub(" ", p), raw, packed) for p in pieces])
    points, cells = ({name: numpy.concatenate([p[name] for p in part]) for name in part[0]} for part in parts)
    for name, part, of in (("connectivity", parts[0], "Points"), ("offsets", parts[1], "connectivity")):
        begin = numpy.cumsum([0] + [len(p[of]) for p in part])  # where the arrays of a piece begin in the frame
        cells[name] = numpy.concatenate([p[name] + b for p, b in zip(parts[1], begin)])
    points["x"] = points.pop("Points")
    _, place, row = numpy.unique(points["vertex"], return_index=True, return_inverse=True)
    cells["connectivity"] = row[cells["connectivity"]]
    return Frame(time, {name: values[place] for name, values in points.items()}, cells)


def _arrays(text, raw, packed):
    """{name: array} of the DataArrays of a text."""
    result = {}
    for kind, name, width, offset in _ARRAY.findall(text):
        data = numpy.frombuffer(_bytes(raw, int(offset), packed), _TYPES[kind])
        result[name] = data.reshape(-1, int(width)) if int(width) > 1 else data
    return result


def _bytes(raw, at, packed):
    """Before an array: its bytes; or, packed by zlib, how many blocks, two sizes, and the packed bytes of each."""
    first = int(numpy.frombuffer(raw, "<u8", 1, at)[0])
    if not packed:
        return raw[at + 8 : at + 8 + first]
    ends = at + 24 + 8 * first + numpy.cumsum([0, *numpy.frombuffer(raw, "<u8", first, at + 24)])
    return b"".join(zlib.decompress(raw[int(a) : int(b)]) for a, b in zip(ends, ends[1:]))
