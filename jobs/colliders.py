"""The colliders of a run as surfaces of VTK, for jobs/paraview.py."""
import math

import vtk

from outputs import load
from program import numbers, text_of


def keys_of(run):
    """Of every collider, from run.json."""
    options = load(run, "run.json")["options"]
    for shape in options:
        if shape.startswith("collider_") and shape.endswith("_shape"):
            prefix = shape[: -len("shape")]
            yield {key[len(prefix) :]: text_of(value) for key, value in options.items() if key.startswith(prefix)}


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


def moved(c, time, low, high):
    """The surface moved by its velocity; spins are not drawn."""
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
    source, surface = source_of(c, low, high), vtk.vtkTransformPolyDataFilter()
    surface.SetInputConnection(source.GetOutputPort())
    surface.SetTransform(turn)
    surface.Update()
    return surface.GetOutput()


def surfaces(run, time, bounds):
    """Of every collider of a run: whether it ends, and its surface."""
    return [(c["shape"] != "half_space", moved(c, time, bounds[0::2], bounds[1::2])) for c in keys_of(run)]
