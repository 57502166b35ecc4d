"""Draws the last frame of a run with ParaView, coloured by a cell array: the pictures of the README.

    xvfb-run -a pvbatch jobs/picture.py out/beam_twist/frames.pvd docs/images/beam_twist.png energy_density

Debian: paraview, python3-paraview (not beside python3-vtk9) and xvfb.
"""
import sys

from paraview import simple

frames, picture, array = sys.argv[1:]
reader = simple.PVDReader(FileName=frames)
reader.UpdatePipelineInformation()
simple._DisableFirstRenderCameraReset()
view = simple.CreateView("RenderView")
view.ViewSize = [1200, 420]
view.OrientationAxesVisibility = 0
view.UseColorPaletteForBackground = 0
view.Background = [1, 1, 1]
view.ViewTime = reader.TimestepValues[-1]
shown = simple.Show(reader, view)
shown.Representation = "Surface With Edges"
shown.EdgeColor = [0.2, 0.2, 0.2]
shown.Ambient = 0.25
simple.ColorBy(shown, ("CELLS", array))
shown.RescaleTransferFunctionToDataRange(True)
view.ResetCamera()
camera = simple.GetActiveCamera()
camera.Azimuth(20)
camera.Elevation(20)
view.ResetCamera()
view.CameraViewAngle = 11.5
simple.Render(view)
simple.SaveScreenshot(picture, view, CompressionLevel="9")
