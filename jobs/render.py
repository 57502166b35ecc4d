"""python3 jobs render PICTURE.png RUN [option=value]...: frames of runs side by side, with the colliders.

RUN is an output directory; several runs side by side are a comma-separated list. Bodies have their edges and are
coloured by an array of cells or points. Without a screen: xvfb-run -a python3 jobs render ... Debian: python3-vtk9,
xvfb and libgl1-mesa-dri.

    times=0,0.5,1          of the last frame; default 1
    colour=energy_density  an array, or none
    range=LOW,HIGH         of the colours; default: that of the last frame
    view=X,Y,Z             direction from the middle to the camera; default 1,-2,0.7
    up=0,0,1   size=400,400 (pixels of a panel)   zoom=1   edges=1
"""
import json
import math
import os
import re

import vtk

from program import Failure


def options(words):
    given = {
        "times": "1",
        "colour": "energy_density",
        "range": "",
        "view": "1,-2,0.7",
        "up": "0,0,1",
        "size": "400,400",
        "zoom": "1",
        "edges": "1",
    }
    for word in words:
        key, _, value = word.partition("=")
        if key not in given:
            raise Failure(f"unknown option {key}, expected one of {', '.join(given)}")
        given[key] = value
    return given


def numbers(text):
    return [float(word) for word in text.split(",")]


def frames(run):
    """Times and files of a run."""
    with open(os.path.join(run, "frames.pvd")) as pvd:
        found = re.findall(r'timestep="([^"]*)".*?file="([^"]*)"', pvd.read())
    return [(float(time), os.path.join(run, name)) for time, name in found]


def read(file):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(file)
    reader.Update()
    return reader.GetOutput()


def body(grid, colour, limits, edges):
    surface = vtk.vtkDataSetSurfaceFilter()
    surface.SetInputData(grid)
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputConnection(surface.GetOutputPort())
    table = vtk.vtkColorTransferFunction()  # "cool to warm" of K. Moreland
    low, high = limits
    for part, rgb in ((0, (0.230, 0.299, 0.754)), (0.5, (0.865, 0.865, 0.865)), (1, (0.706, 0.016, 0.150))):
        table.AddRGBPoint(low + part * (high - low), *rgb)
    cells = grid.GetCellData().HasArray(colour)
    if cells or grid.GetPointData().HasArray(colour):
        (mapper.SetScalarModeToUseCellFieldData if cells else mapper.SetScalarModeToUsePointFieldData)()
        mapper.SelectColorArray(colour)
        mapper.SetLookupTable(table)
    else:
        mapper.ScalarVisibilityOff()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    look = actor.GetProperty()
    look.SetColor(0.55, 0.65, 0.8)
    look.SetEdgeVisibility(edges)
    look.SetEdgeColor(0.2, 0.2, 0.2)
    look.SetLineWidth(1 if edges else 2)
    look.SetAmbient(0.25)
    return actor


def lines(grid):
    """Springs, thicker than edges."""
    chosen = vtk.vtkExtractCellsByType()
    chosen.SetInputData(grid)
    chosen.AddCellType(vtk.VTK_LINE)
    mapper = vtk.vtkDataSetMapper()
    mapper.SetInputConnection(chosen.GetOutputPort())
    mapper.ScalarVisibilityOff()
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(0.35, 0.3, 0.25)
    actor.GetProperty().SetLineWidth(4)
    actor.GetProperty().SetRenderLinesAsTubes(True)
    return actor


# ---- colliders ------------------------------------------------------------------------------------------------------


def deck(run):
    """Every key in force, from run.json."""
    with open(os.path.join(run, "run.json")) as file:
        return json.load(file)["options"]


def text(value):
    """A value as in a deck."""
    return ",".join(str(item) for item in value) if isinstance(value, list) else str(value).lower()


def colliders(run):
    """Their keys, by name."""
    found = {}
    keys = deck(run)
    names = [
        key[len("collider_") : -len("_shape")] for key in keys if key.startswith("collider_") and key.endswith("_shape")
    ]
    for name in names:
        prefix = f"collider_{name}_"
        found[name] = {key[len(prefix) :]: text(value) for key, value in keys.items() if key.startswith(prefix)}
    return found


def source_of(c, low, high):
    """The shape about the origin, its axis along z; a half_space as a square plate as large as the bodies."""
    shape, size = c["shape"], max(b - a for a, b in zip(low, high))
    if shape == "half_space":
        source = vtk.vtkPlaneSource()
        source.SetOrigin(-size, -size, 0)
        source.SetPoint1(size, -size, 0)
        source.SetPoint2(-size, size, 0)
    elif shape == "sphere":
        source = vtk.vtkSphereSource()
        source.SetRadius(float(c["radius"]))
        source.SetThetaResolution(48)
        source.SetPhiResolution(48)
    elif shape == "torus":
        function = vtk.vtkParametricTorus()
        function.SetRingRadius(float(c["major_radius"]))
        function.SetCrossSectionRadius(float(c["minor_radius"]))
        source = vtk.vtkParametricFunctionSource()
        source.SetParametricFunction(function)
    elif shape == "box":
        source = vtk.vtkCubeSource()
        source.SetXLength(numbers(c["size"])[0])
        source.SetYLength(numbers(c["size"])[1])
        source.SetZLength(numbers(c["size"])[2])
    else:  # a capsule's round ends are left out
        line = vtk.vtkLineSource()
        line.SetPoint1(0, 0, -float(c["length"]) / 2)
        line.SetPoint2(0, 0, float(c["length"]) / 2)
        source = vtk.vtkTubeFilter()
        source.SetInputConnection(line.GetOutputPort())
        source.SetRadius(float(c["radius"]))
        source.SetNumberOfSides(48)
        source.CappingOn()
    return source


def collider(c, time, low, high):
    """Moved by its velocity; spins are not drawn."""
    axis = numbers(c.get("normal" if c["shape"] == "half_space" else "axis", "0,0,1"))
    start = numbers(c.get("point" if c["shape"] == "half_space" else "centre", "0,0,0"))
    moving = min(time, float(c.get("until", "inf")))
    place = [x + moving * v for x, v in zip(start, numbers(c.get("velocity", "0,0,0")))]
    middle = [(a + b) / 2 for a, b in zip(low, high)]
    length = sum(a * a for a in axis) ** 0.5
    unit = [a / length for a in axis]
    if c["shape"] == "half_space":  # the point of the face below the bodies
        depth = sum(u * (m - p) for u, m, p in zip(unit, middle, place))
        place = [m - depth * u for u, m in zip(unit, middle)]
    turn = vtk.vtkTransform()
    turn.Translate(*place)
    angle = math.degrees(math.acos(max(-1, min(1, unit[2]))))
    around = [-unit[1], unit[0], 0] if abs(unit[2]) < 1 else [1, 0, 0]
    turn.RotateWXYZ(angle, *around)
    mapper = vtk.vtkPolyDataMapper()
    source = source_of(c, low, high)  # its port does not keep it alive
    mapper.SetInputConnection(source.GetOutputPort())
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    actor.SetUserTransform(turn)
    actor.GetProperty().SetColor(0.75, 0.75, 0.7)
    actor.GetProperty().SetOpacity(0.6)
    return actor


# ---- the picture ----------------------------------------------------------------------------------------------------


def bounds_of(grids):
    box = vtk.vtkBoundingBox()
    for grid in grids:
        box.AddBounds(grid.GetBounds())
    low, high = [0] * 3, [0] * 3
    box.GetMinPoint(low)
    box.GetMaxPoint(high)
    return low, high


def limits_of(grid, colour):
    for data in (grid.GetCellData(), grid.GetPointData()):
        if data.HasArray(colour):
            array = data.GetArray(colour)
            return array.GetRange(-1 if array.GetNumberOfComponents() > 1 else 0)
    return 0, 1


def panel(window, actors, place, given, low, high):
    renderer = vtk.vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    renderer.SetViewport(*place)
    for actor in actors:
        renderer.AddActor(actor)
    middle = [(a + b) / 2 for a, b in zip(low, high)]
    camera = renderer.GetActiveCamera()
    camera.SetFocalPoint(middle)
    camera.SetPosition([m + v for m, v in zip(middle, numbers(given["view"]))])
    camera.SetViewUp(numbers(given["up"]))
    renderer.ResetCamera([value for pair in zip(low, high) for value in pair])
    camera.Zoom(float(given["zoom"]))
    renderer.ResetCameraClippingRange()
    window.AddRenderer(renderer)


def main(arguments):
    if len(arguments) < 2 or "--help" in arguments:
        raise Failure(__doc__)
    picture, runs, given = arguments[0], arguments[1].split(","), options(arguments[2:])
    panels = []
    for run in runs:
        steps = frames(run)
        for part in numbers(given["times"]):
            panels.append((run, *min(steps, key=lambda step: abs(step[0] - part * steps[-1][0]))))
    grids = [read(file) for _, _, file in panels]
    limits = numbers(given["range"]) if given["range"] else limits_of(grids[-1], given["colour"])
    low, high = bounds_of(grids)
    width, height = (int(value) for value in numbers(given["size"]))
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(8)
    window.SetSize(width * len(grids), height)
    for i, ((run, time, _), grid) in enumerate(zip(panels, grids)):
        actors = [body(grid, given["colour"], limits, int(given["edges"])), lines(grid)]
        actors += [collider(c, time, low, high) for c in colliders(run).values()]
        panel(window, actors, (i / len(grids), 0, (i + 1) / len(grids), 1), given, low, high)
    window.Render()
    image = vtk.vtkWindowToImageFilter()
    image.SetInput(window)
    image.ReadFrontBufferOff()
    writer = vtk.vtkPNGWriter()
    writer.SetFileName(picture)
    writer.SetInputConnection(image.GetOutputPort())
    writer.SetCompressionLevel(9)
    writer.Write()
    return 0
