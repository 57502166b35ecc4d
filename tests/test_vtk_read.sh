#!/bin/bash
# ranks: 1 2 4
# Frames of test_vtk, read by VTK; skipped where VTK is missing. Fails when VTK cannot read a frame, or finds in it another
# time, number or sum than the program wrote, or a tetrahedron of the wrong orientation.
set -eu
build=$1 source=$2
frames=$(mktemp -d)
trap 'rm -rf "$frames"' EXIT
python=${PYTHON:-/usr/bin/python3}
"$python" "$source/tests/read_vtk.py"
for ranks in 1 2 4; do
  "$MPIEXEC" -n "$ranks" "$build/tests/test_vtk" "$source" "$frames/$ranks"
  "$python" "$source/tests/read_vtk.py" "$frames/$ranks"/a/b/*.vtu
done
