#!/usr/bin/env bash
# Usage: test_vtk_read.sh BUILD_DIR SOURCE_DIR. Frames of test_vtk on 1, 2 and 4 ranks, read by VTK; 77 if VTK is missing.
set -eu
build=$1 source=$2
export OMP_NUM_THREADS=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
frames=$(mktemp -d)
trap 'rm -rf "$frames"' EXIT
python=${PYTHON:-/usr/bin/python3}
"$python" "$source/tests/read_vtk.py"
for ranks in 1 2 4; do
  mpiexec -n "$ranks" "$build/tests/test_vtk" "$source" "$frames/$ranks"
  "$python" "$source/tests/read_vtk.py" "$frames/$ranks"/a/b/*.vtu
done
