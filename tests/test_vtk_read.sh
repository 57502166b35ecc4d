#!/bin/bash
# ranks: 1 2 4
# Frames of test_vtk, read by VTK; skipped where VTK is missing. Fails when VTK cannot read a frame, or reads another
# time, number or sum than the program wrote, or a tetrahedron with negative volume.
. "$(dirname "$0")/lib.sh"
set -e
"$python" "$source/tests/read_vtk.py"
for ranks in 1 2 4; do
  "$mpiexec" -n "$ranks" "$build/tests/test_vtk" "$source" "$work/$ranks"
  "$python" "$source/tests/read_vtk.py" "$work/$ranks"/a/b/*.vtu
done
