"""Draws frames of a run side by side, as they stand in docs/gallery.md: bodies with their edges, coloured by an array of cells
or points, and the colliders of the run.

    xvfb-run -a python3 jobs/render.py PICTURE.png RUN [option=value]...

RUN is an output directory. Options: times=0,0.5,1 (of the last frame; default 1), colour=energy_density (an array, or none),
range=LOW,HIGH (default: of the last frame), view=X,Y,Z (where the camera is, from the middle), up=0,0,1, size=400,400 (of a
panel), zoom=1, edges=1. Several runs side by side: RUN is a comma-separated list. Debian: python3-vtk9, xvfb and libgl1-mesa-dri.
"""
import json
import os
import re
import sys

import vtk

SHAPES = ("half_space", "sphere", "torus", "capsule", "box", "cylinder")


def options(words):
    given = {"times": "1", "colour": "energy_density", "range": "", "view": "1,-2,0.7", "up": "0,0,1", "size": "400,400",
             "zoom": "1", "edges": "1"}
    for word in words:
        key, value = word.split("=", 1)
        if key not in given:
            sys.exit(f"render.py: unknown option {key}, expected one of {', '.join(given)}")
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


def main():
    picture, runs, given = sys.argv[1], sys.argv[2].split(","), options(sys.argv[3:])
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
        actors = [body(grid, given["colour"], limits, int(given["edges"]))]
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


main()
