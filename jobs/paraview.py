"""Runs in ParaView: pictures, films, state files, with light, legend, scale and titles.

    python3 jobs paraview RUN [RUN...] [option=value]...      finds pvbatch, and starts a screen where there is none
    pvbatch jobs/paraview.py RUN [RUN...] [option=value]...   the same, with a screen
    Macros > Import new macro... > jobs/paraview.py           in ParaView: applies the look to the active source

RUN is an output directory with frames.pvd or frames.vtkhdf; several are shown side by side, with the same colours and
scale. Options:

    picture=FILE.png       a row of panels: every run at every one of times=
    film=FILE.gif          all runs side by side over all frames; fps=12, seconds=5, width=800 (pixels of the film)
    state=FILE.pvsm        a state file: one view for each run, with linked cameras; open it with File > Load State
    times=0,0.5,1          of the last frame; default 1
    colour=auto            an array of cells or points, or none; auto: von_mises, else energy_density
    range=LOW,HIGH         default: from 0 (J: its least value) to what 99.5 % of the values of all frames are below
    view=1,-2,0.7          from the middle to the camera   up=0,0,1   edges=0 or 1   zoom=1   smooth=1: means at points
    size=400,400           pixels of a panel, at most: a panel is cut to its bodies
    title=TEXT             above all   labels=A,B,...: of the runs (default: their names, if they are several; or none)

Debian: python3-paraview (which takes the place of python3-vtk9), xvfb, xauth, libgl1-mesa-dri, python3-pil, and
python3-h5py for frames.vtkhdf in ParaView before 5.12.
"""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__)) if "__file__" in globals() else None
TITLES = {
    "von_mises": ("von Mises stress", "Pa"),
    "energy_density": ("Energy density", "J/m³"),
    "stress": ("Cauchy stress", "Pa"),
    "membrane_force": ("Membrane force", "N/m"),
    "displacement": ("Displacement", "m"),
    "velocity": ("Speed", "m/s"),
    "J": ("Volume ratio J", ""),
}
DEFAULTS = """picture= film= state= times=1 colour=auto range= view=1,-2,0.7 up=0,0,1 size=400,400 zoom=1 edges=0
smooth=1 title= labels= fps=12 seconds=5 width=800"""
MADE = ("picture", "film", "state")
NUMBERS = ("times", "view", "up", "size", "range", "zoom", "edges", "smooth", "fps", "seconds", "width")
POSITIVE = ("size", "zoom", "fps", "seconds", "width")


def parse(words):
    """Runs and options."""
    import program

    runs, given = program.parse_values(program.parser("paraview", __doc__), words, "RUN", DEFAULTS)
    for run in runs:
        if not any(os.path.exists(os.path.join(run, name)) for name in ("frames.pvd", "frames.vtkhdf")):
            raise program.Failure(f"{run} has neither frames.pvd nor frames.vtkhdf")
    if not runs or not any(given[what] for what in MADE):
        raise program.Failure(f"expected RUN and {'=FILE, '.join(MADE)}=FILE; --help describes the command")
    for key in NUMBERS:
        if not are_numbers(key, given[key]):
            raise program.Failure(f"{key}={given[key]}: expected numbers as in {key}={like(key)}")
    labels = given["labels"].split(",")
    if given["labels"] not in ("", "none") and len(labels) != len(runs):
        raise program.Failure(f"labels={given['labels']}: {len(labels)} labels of {len(runs)} runs, expected as many")
    return [run.rstrip("/") for run in runs], given


def like(key):
    """A value of an option of numbers: the default, of which range has none."""
    return "0,1" if key == "range" else dict(word.split("=") for word in DEFAULTS.split())[key]


def are_numbers(key, text):
    """As many as by default, of times any; range may have none."""
    try:
        found = numbers(text)
    except ValueError:
        return key == "range" and not text
    count = len(found) if key == "times" else like(key).count(",") + 1
    return len(found) == count and (key not in POSITIVE or min(found) > 0)


def numbers(text):
    return [float(word) for word in text.split(",")]


# ---- reading ---------------------------------------------------------------------------------------------------------

READ_TIMES = """
import h5py
executive, info = self.GetExecutive(), self.GetOutputInformation(0)
with h5py.File(FILE) as file:
    times = [float(t) for t in file["VTKHDF/Steps/Values"][:]]
info.Remove(executive.TIME_STEPS())
for t in times:
    info.Append(executive.TIME_STEPS(), t)
info.Remove(executive.TIME_RANGE())
info.Append(executive.TIME_RANGE(), times[0])
info.Append(executive.TIME_RANGE(), times[-1])
"""
READ_FRAME = """
import h5py
import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray
executive, info = self.GetExecutive(), self.GetOutputInformation(0)
with h5py.File(FILE) as file:
    root = file["VTKHDF"]
    steps, times = root["Steps"], root["Steps/Values"][:]
    wanted = info.Get(executive.UPDATE_TIME_STEP()) if info.Has(executive.UPDATE_TIME_STEP()) else times[0]
    k = int(abs(times - wanted).argmin())
    first, parts = int(steps["PartOffsets"][k]), int(steps["NumberOfParts"][k])
    points, cells, ids = (
        root[name][first : first + parts] for name in ("NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds")
    )
    at = int(steps["PointOffsets"][k])
    x = root["Points"][at : at + points.sum()]
    at = int(steps["ConnectivityIdOffsets"][k, 0])
    corner = root["Connectivity"][at : at + ids.sum()] + np.repeat(np.cumsum(points) - points, ids)
    at = int(steps["CellOffsets"][k, 0])
    types = root["Types"][at : at + cells.sum()]
    offset = root["Offsets"][at + first : at + first + cells.sum() + parts]
    keep = np.ones(len(offset), bool)
    keep[np.cumsum(cells + 1) - cells - 1] = False
    offset = np.concatenate([[0], offset[keep] + np.repeat(np.cumsum(ids) - ids, cells)])
    place = vtkPoints()
    place.SetData(numpy_to_vtk(x, deep=1))
    array = vtkCellArray()
    array.SetData(numpy_to_vtkIdTypeArray(offset, deep=1), numpy_to_vtkIdTypeArray(corner, deep=1))
    grid = self.GetUnstructuredGridOutput()
    grid.SetPoints(place)
    grid.SetCells(numpy_to_vtk(types, deep=1), array)
    for group, data, n in (("PointData", grid.GetPointData(), points), ("CellData", grid.GetCellData(), cells)):
        for name, table in root[group].items():
            at = int(steps[group + "Offsets/" + name][k])
            value = numpy_to_vtk(table[at : at + n.sum()], deep=1)
            value.SetName(name)
            data.AddArray(value)
"""


def open_run(pv, run):
    """The source of a run's frames."""
    pvd, hdf = (os.path.abspath(os.path.join(run, name)) for name in ("frames.pvd", "frames.vtkhdf"))
    if os.path.exists(pvd):
        source = pv.PVDReader(FileName=pvd)
    elif pv.GetParaViewVersion() >= (5, 12):
        source = pv.OpenDataFile(hdf)
    else:
        source = pv.ProgrammableSource()
        source.OutputDataSetType = "vtkUnstructuredGrid"
        source.ScriptRequestInformation = READ_TIMES.replace("FILE", repr(hdf))
        source.Script = READ_FRAME.replace("FILE", repr(hdf))
    source.UpdatePipelineInformation()
    pv.RenameSource(os.path.basename(run), source)
    return source


def times_of(source):
    times = source.TimestepValues
    return list(times) if hasattr(times, "__len__") else [times]


def grid_at(pv, source, time):
    """The frame of a time, in this process."""
    source.UpdatePipeline(time)
    data = pv.servermanager.Fetch(source)
    copy = data.NewInstance()
    copy.ShallowCopy(data)
    return copy


# ---- colours ---------------------------------------------------------------------------------------------------------


def data_of(grid, name):
    for data in (grid.GetCellData(), grid.GetPointData()):
        if data.HasArray(name):
            return data.GetArray(name)
    return None


def choose_colour(grid, given):
    if given["colour"] != "auto":
        return "" if given["colour"] == "none" else given["colour"]
    return next((name for name in ("von_mises", "energy_density") if data_of(grid, name)), "")


def limits_of(grids, colour, given):
    """The range of the colours of all frames."""
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy

    if given["range"]:
        return numbers(given["range"])
    values = [vtk_to_numpy(data_of(grid, colour)) for grid in grids if data_of(grid, colour)]
    if not values:
        raise SystemExit(f"paraview: no array {colour} in the frames")
    values = [np.linalg.norm(v, axis=1) if v.ndim > 1 else v for v in values]
    values = [v[np.isfinite(v)] for v in values]
    low = 0 if colour != "J" else min(np.percentile(v, 0.5) for v in values)
    high = max(np.percentile(v, 99.5) for v in values)
    return [low, high if high > low else low + 1]


def colour_map(pv, colour, limits):
    table = pv.GetColorTransferFunction(colour)
    table.ApplyPreset("Cool to Warm", True)
    table.RescaleTransferFunction(*limits)
    table.NanColor = [0.85, 0.1, 0.6]
    return table


# ---- a view ----------------------------------------------------------------------------------------------------------


def create_view(pv):
    view = pv.CreateView("RenderView")
    view.UseColorPaletteForBackground = 0
    view.Background = [1, 1, 1]
    view.OrientationAxesVisibility = 0
    view.CenterAxesVisibility = 0
    view.CameraParallelProjection = 1
    view.UseLight = 1
    view.KeyLightIntensity = 0.9
    view.HeadLightKHRatio = 2
    return view


def show_body(pv, view, source, colour, limits, edges):
    """The look: colours of an array, dull surface, dark edges by choice."""
    shown = pv.Show(source, view)
    shown.SetRepresentationType("Surface With Edges" if edges else "Surface")
    shown.EdgeColor = [0.25, 0.25, 0.28]
    shown.LineWidth = 1
    shown.Specular = 0.15
    shown.Ambient = 0.12
    if colour:
        info = source.GetCellDataInformation().GetArray(colour)
        pv.ColorBy(shown, ("CELLS" if info else "POINTS", colour))
        colour_map(pv, colour, limits)
    else:
        plain(shown, [0.45, 0.6, 0.8])
    return shown


def plain(shown, rgb):
    """One colour."""
    shown.ColorArrayName = [None, ""]
    shown.AmbientColor = shown.DiffuseColor = rgb


def producer(pv, data):
    source = pv.TrivialProducer()
    source.GetClientSideObject().SetOutput(data)
    source.UpdatePipeline()
    return source


def surface_of(grid, smooth):
    """The surface of a frame, with values of cells as means at points, and its springs."""
    import vtk

    lines = vtk.vtkExtractCellsByType()
    lines.SetInputData(grid)
    lines.AddCellType(vtk.VTK_LINE)
    lines.Update()
    if smooth:
        means = vtk.vtkCellDataToPointData()
        means.SetInputData(grid)
        means.ProcessAllArraysOn()
        means.Update()
        grid = means.GetOutput()
    skin = vtk.vtkDataSetSurfaceFilter()
    skin.SetInputData(grid)
    normals = vtk.vtkPolyDataNormals()  # smooth but at edges of more than this angle
    normals.SetInputConnection(skin.GetOutputPort())
    normals.SetFeatureAngle(40)
    normals.Update()
    return normals.GetOutput(), lines.GetOutput()


def axes_of(given):
    """Right, up and towards the camera: unit vectors."""
    import numpy as np

    toward = np.array(numbers(given["view"]))
    toward = toward / np.linalg.norm(toward)
    right = np.cross(numbers(given["up"]), toward)
    right = right / np.linalg.norm(right)
    return right, np.cross(toward, right), toward


def box_of(grids, axes):
    """Least and largest coordinates of all points along the axes of the picture."""
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy

    found = [vtk_to_numpy(grid.GetPoints().GetData()) @ np.array(axes).T for grid in grids]
    return np.min([x.min(0) for x in found], 0), np.max([x.max(0) for x in found], 0)


class Frame:
    """What all panels have in common: the box of the bodies, pixels, metres a pixel."""

    def __init__(self, grids, given, most):
        self.axes = axes_of(given)
        low, high = box_of(grids, self.axes)
        size = (high - low)[:2] * 1.06 / float(given["zoom"])
        self.metres = max(size[0] / most[0], size[1] / most[1])
        self.pixels = [max(2 * int(value / self.metres / 2), 32) for value in size]
        self.middle = sum((a + b) / 2 * axis for a, b, axis in zip(low, high, self.axes))
        self.depth = max(high - low)

    def aim(self, view):
        view.CameraFocalPoint = list(self.middle)
        view.CameraPosition = list(self.middle + 5 * self.depth * self.axes[2])
        view.CameraViewUp = list(self.axes[1])
        view.CameraParallelScale = self.pixels[1] * self.metres / 2


# ---- pictures --------------------------------------------------------------------------------------------------------


def finite(panels, look):
    """The bodies of panels, and the colliders that end."""
    from colliders import surfaces

    shapes = [shape for run, _, time, _ in panels for shape in surfaces(run, time, look["bounds"])]
    return [grid for *_, grid in panels] + [surface for ends, surface in shapes if ends]


def draw_panel(pv, run, time, grid, look, frame, file):
    from colliders import surfaces

    view = create_view(pv)
    body, lines = surface_of(grid, look["smooth"])
    show_body(pv, view, producer(pv, body), look["colour"], look["limits"], look["edges"])
    if lines.GetNumberOfCells():
        shown = pv.Show(producer(pv, lines), view, "UnstructuredGridRepresentation")
        plain(shown, [0.35, 0.3, 0.25])
        shown.LineWidth = 5
        shown.RenderLinesAsTubes = 1
    for _, surface in surfaces(run, time, look["bounds"]):
        shown = pv.Show(producer(pv, surface), view, "GeometryRepresentation")
        plain(shown, [0.8, 0.8, 0.76])
        shown.Opacity = 0.55
    frame.aim(view)
    pv.SaveScreenshot(file, view, ImageResolution=[2 * n for n in frame.pixels], OverrideColorPalette="")
    pv.Delete(view)


def font(size, bold=False):
    from PIL import ImageFont

    try:
        return ImageFont.truetype(f"DejaVuSans{'-Bold' if bold else ''}.ttf", size)
    except OSError:
        return ImageFont.load_default()


def nice(value):
    """The largest of 1, 2, 5 times a power of ten that is at most a value."""
    import math

    power = 10 ** math.floor(math.log10(value))
    return max(step * power for step in (1, 2, 5) if step * power <= value * 1.0001)


def draw_legend(image, look, place):
    """A bar of the colours from left to right, its title with unit, its ends and its middle."""
    from PIL import ImageDraw

    draw, (x, y, width) = ImageDraw.Draw(image), place
    low, high = look["limits"]
    for i in range(width):
        rgb = look["rgb"][i * (len(look["rgb"]) - 1) // max(width - 1, 1)]
        draw.line([(x + i, y), (x + i, y + 12)], fill=tuple(int(255 * c) for c in rgb))
    name, unit = look["title"]
    factor, prefix = next((f, p) for f, p in ((1e9, "G"), (1e6, "M"), (1e3, "k"), (0, "")) if abs(high) >= f)
    if not unit or not factor:
        factor, prefix = 1, ""
    draw.text((x + width / 2, y - 5), f"{name} [{prefix}{unit}]" if unit else name, (0, 0, 0), font(15), anchor="ms")
    for i in range(3):
        text = f"{(low + i * (high - low) / 2) / factor:.3g}" + ("" if i < 2 or look["given"] else " or more")
        draw.text((x + i * width / 2, y + 16), text, (0, 0, 0), font(13), anchor=("lt", "mt", "rt")[i])


def draw_scale(image, metres, place):
    from PIL import ImageDraw

    draw, (x, y, most) = ImageDraw.Draw(image), place
    length = nice(most * metres)
    pixels = length / metres
    draw.line([(x, y + 6), (x + pixels, y + 6)], fill=(0, 0, 0), width=3)
    for end in (x, x + pixels):
        draw.line([(end, y), (end, y + 12)], fill=(0, 0, 0), width=2)
    draw.text((x + pixels / 2, y + 16), f"{length:g} m", (0, 0, 0), font(13), anchor="mt")


def compose(panels, captions, look, frame, title):
    """A row of panels with captions below them, a title above, legend and scale at the bottom."""
    from PIL import Image, ImageDraw

    gap, top, foot = 12, 34 if title else 6, 62
    width, height = frame.pixels
    total = max(len(panels) * (width + gap) + gap, 430)
    image = Image.new("RGB", (total, top + height + 26 + foot), "white")
    draw = ImageDraw.Draw(image)
    if title:
        draw.text((total / 2, 8), title, (0, 0, 0), font(18, True), anchor="mt")
    left = (total - len(panels) * (width + gap) + gap) // 2
    for i, (file, caption) in enumerate(zip(panels, captions)):
        at = left + i * (width + gap)
        image.paste(Image.open(file).convert("RGB").resize((width, height), Image.LANCZOS), (at, top))
        draw.text((at + width / 2, top + height + 6), caption, (0, 0, 0), font(14), anchor="mt")
    y = top + height + 26 + 20
    if look["colour"]:
        draw_legend(image, look, (total - 260, y, 240))
    draw_scale(image, frame.metres, (20, y, min(width, 160)))
    return image


def caption_of(run, label, time):
    with open(os.path.join(run, "run.json"), encoding="utf-8") as file:
        static = json.load(file).get("integrator") == "static"
    return f"{label + ', ' if label else ''}" + (f"load factor {time:.3g}" if static else f"t = {time:.3g} s")


def labels_of(runs, given):
    if given["labels"] == "none" or (not given["labels"] and len(runs) == 1):
        return [""] * len(runs)
    return given["labels"].split(",") if given["labels"] else [os.path.basename(run) for run in runs]


def render_row(pv, panels, look, frame, given, folder):
    """panels: (run, label, time, grid)."""
    files, captions = [], []
    for i, (run, label, time, grid) in enumerate(panels):
        files.append(os.path.join(folder, f"{i}.png"))
        captions.append(caption_of(run, label, time))
        draw_panel(pv, run, time, grid, look, frame, files[-1])
    return compose(files, captions, look, frame, given["title"])


def look_of(pv, runs, grids, given):
    colour = choose_colour(grids[-1], given)
    limits = limits_of(grids, colour, given) if colour else [0, 1]
    table = colour_map(pv, colour, limits) if colour else None
    rgb = [[0, 0, 0] for _ in range(256)]
    for i, entry in enumerate(rgb if table else []):
        table.GetClientSideObject().GetColor(limits[0] + i * (limits[1] - limits[0]) / 255, entry)
    bounds = grids[0].GetBounds()
    for grid in grids:
        other = grid.GetBounds()
        bounds = [(min, max)[i % 2](a, b) for i, (a, b) in enumerate(zip(bounds, other))]
    edges, smooth = (float(given[key]) != 0 for key in ("edges", "smooth"))
    title = TITLES.get(colour, (colour, ""))
    if colour == "energy_density" and not any(has_volume(run) for run in runs):
        title = (title[0], "J/m²")
    return {"colour": colour, "limits": limits, "rgb": rgb, "given": bool(given["range"]), "bounds": bounds,
            "edges": edges, "smooth": smooth, "title": title}  # fmt: skip


def has_volume(run):
    """Whether a run has tetrahedra; frames of their surface alone have triangles."""
    with open(os.path.join(run, "run.json"), encoding="utf-8") as file:
        return json.load(file)["mesh"]["tets"] > 0


def nearest(times, time):
    return min(times, key=lambda t: abs(t - time))


def picture(pv, runs, sources, given, folder):
    panels = []
    for run, label, source in zip(runs, labels_of(runs, given), sources):
        times = times_of(source)
        for part in numbers(given["times"]):
            time = nearest(times, part * times[-1])
            panels.append((run, label, time, grid_at(pv, source, time)))
    look = look_of(pv, runs, [grid for *_, grid in panels], given)
    frame = Frame(finite(panels, look), given, numbers(given["size"]))
    image = render_row(pv, panels, look, frame, given, folder)
    image.save(given["picture"], optimize=True)


def film(pv, runs, sources, given, folder):
    from PIL import Image

    times = times_of(sources[0])
    count = min(len(times), max(1, int(float(given["fps"]) * float(given["seconds"]))))
    chosen = [times[i * (len(times) - 1) // max(count - 1, 1)] for i in range(count)]
    frames = [[(run, label, nearest(times_of(s), t), grid_at(pv, s, nearest(times_of(s), t)))
               for run, label, s in zip(runs, labels_of(runs, given), sources)] for t in chosen]  # fmt: skip
    every = [panel for panels in frames for panel in panels]
    look = look_of(pv, runs, [grid for *_, grid in every], given)
    frame = Frame(finite(every, look), given, numbers(given["size"]))
    images = [render_row(pv, panels, look, frame, given, folder) for panels in frames]
    width = min(int(float(given["width"])), images[0].width)
    size = (width, width * images[0].height // images[0].width)
    images = [image.resize(size, Image.LANCZOS) for image in images]
    images = [image.quantize(256) for image in images]
    pause = [round(1000 / float(given["fps"]))] * (len(images) - 1) + [1200]
    images[0].save(given["film"], save_all=True, append_images=images[1:], duration=pause, loop=0, optimize=True)


# ---- state files, macro ----------------------------------------------------------------------------------------------


def state(pv, runs, sources, given):
    """A view for each run, side by side, with the same colours, cameras linked."""
    grids = [grid_at(pv, s, times_of(s)[-1]) for s in sources]
    frame, look = Frame(grids, given, numbers(given["size"])), look_of(pv, runs, grids, given)
    layout = pv.CreateLayout("wring")
    first, place = None, 0
    for i, (run, source) in enumerate(zip(runs, sources)):
        view = create_view(pv)
        pv.AssignViewToLayout(view, layout, place)
        if i + 1 < len(runs):
            layout.SplitHorizontal(place, 1 / (len(runs) - i))
            place = 2 * place + 2
        show_body(pv, view, source, look["colour"], look["limits"], look["edges"])
        frame.aim(view)
        text = pv.Text(Text=labels_of(runs, given)[i] or os.path.basename(run))
        pv.Show(text, view).Color = [0, 0, 0]
        if look["colour"]:
            add_bar(pv, view, look["colour"], look["title"])
        if first:
            pv.AddCameraLink(first, view, f"camera {i}")
        first = first or view
    scene = pv.GetAnimationScene()
    scene.UpdateAnimationUsingDataTimeSteps()
    scene.GoToLast()
    pv.SaveState(given["state"])


def add_bar(pv, view, colour, title):
    name, unit = title
    bar = pv.GetScalarBar(pv.GetColorTransferFunction(colour), view)
    bar.Title, bar.ComponentTitle = f"{name} [{unit}]" if unit else name, ""
    bar.TitleColor = bar.LabelColor = [0, 0, 0]
    bar.Visibility = 1


def macro(pv):
    """Of the active source: its colours, their range over all times, light and legend."""
    source, view = pv.GetActiveSource(), pv.GetActiveViewOrCreate("RenderView")
    if source is None:
        raise RuntimeError("open frames.pvd or frames.vtkhdf of a run first, and select it")
    source.UpdatePipeline()
    arrays = source.GetCellDataInformation()
    colour = next((name for name in ("von_mises", "energy_density") if arrays.GetArray(name)), "")
    shown = pv.Show(source, view)
    if colour:
        pv.ColorBy(shown, ("CELLS", colour))
        shown.RescaleTransferFunctionToDataRangeOverTime()
        pv.GetColorTransferFunction(colour).ApplyPreset("Cool to Warm", True)
        add_bar(pv, view, colour, TITLES[colour])
    shown.Specular = 0.15
    view.ResetCamera()
    pv.Render(view)


# ---- the command -----------------------------------------------------------------------------------------------------


def inside(words):
    """In pvbatch or ParaView."""
    if HERE:  # this file has the name of ParaView's package
        sys.path[:] = [path for path in sys.path if os.path.realpath(path or ".") != os.path.realpath(HERE)]
    import paraview.simple as pv

    if not words:
        return macro(pv)
    import tempfile

    sys.path.append(HERE)
    runs, given = parse(words)  # main has refused what is wrong
    pv._DisableFirstRenderCameraReset()
    sources = [open_run(pv, run) for run in runs]
    with tempfile.TemporaryDirectory() as folder:
        if given["picture"]:
            picture(pv, runs, sources, given, folder)
        if given["film"]:
            film(pv, runs, sources, given, folder)
    if given["state"]:
        state(pv, runs, sources, given)
    return 0


def main(words):
    """Outside: starts pvbatch. Xvfb, without -noreset, refuses clients that come while it resets after the last."""
    from program import Failure, say

    given = parse(words)[1]
    pvbatch = shutil.which("pvbatch")
    if not pvbatch:
        raise Failure("pvbatch is not installed (Debian: python3-paraview xvfb xauth libgl1-mesa-dri python3-pil)")
    line = [pvbatch, "--force-offscreen-rendering", os.path.join(HERE, "paraview.py"), *words]
    if not os.environ.get("DISPLAY") and shutil.which("xvfb-run"):
        line = ["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24 -noreset", *line]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        last = [text for text in done.stdout.splitlines() if text.strip()]
        raise Failure(f"pvbatch ended with status {done.returncode}: {last[-1] if last else 'no message'}")
    for what in MADE:
        if given[what]:
            say(f"{what}: {given[what]}")
    return 0


def start(words):
    """ParaView runs scripts of programmable sources among the names of __main__, where they hide min, max and sum."""
    if not HERE:
        return inside(words)
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("wring_paraview", os.path.join(HERE, "paraview.py"))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.inside(words)


if __name__ == "__main__":
    start(sys.argv[1:] if hasattr(sys, "argv") else [])
