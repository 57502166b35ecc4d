#!/bin/bash
# Every test: installs what is missing (Debian), builds with warnings as errors, runs ctest.
#     bash tests/run.sh               optimised, in build-test
#     bash tests/run.sh --sanitize    with address and undefined-behaviour sanitizers, in build-debug
# Further arguments are passed to ctest: bash tests/run.sh -R gmsh
cd "$(dirname "$0")/.." || exit 1
. jobs/setup.sh
install_packages || exit 1
if [ "$1" = --sanitize ]; then
  shift
  folder=build-debug
  build $folder --preset debug || exit 1
else
  folder=build-test
  build $folder -D CMAKE_C_COMPILER=gcc -D CMAKE_BUILD_TYPE=Release -D WRING_WERROR=ON || exit 1
fi
# One test more than cores: a short test spends half of its time waiting for MPI to start.
ctest --test-dir $folder --output-on-failure -j $((cores + 1)) "$@"
