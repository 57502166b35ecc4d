#!/bin/bash
# The demonstration of the README: a beam is twisted by quasi-Newton steps, then let go, and one implicit step is solved
# by several methods that are measured on the same objective. Installs what is missing (Debian), builds, and runs on 2
# ranks:
#     bash jobs/demo.sh
case ${1:-} in -h | --help) exec sed -n '1d; /^# /!q; s/^# //p' "$0" ;; esac
cd "$(dirname "$0")/.." || exit 1
. jobs/setup.sh
install_packages || exit 1
build build -D CMAKE_BUILD_TYPE=Release || exit 1
use_ranks 2

echo
echo "1. The beam is twisted by its ends, 150 steps (inputs/beam_twist.yaml)"
mpiexec -n 2 build/wring run inputs/beam_twist.yaml -output_overwrite true || exit
echo
echo "2. Its ends are let go: one step by several solvers (inputs/beam_untwist.yaml)"
mpiexec -n 2 build/wring compare inputs/beam_untwist.yaml -output_overwrite true || exit
cat <<'END'

To look at the beam: open out/beam_twist/frames.pvd in ParaView, press Apply, colour by "energy_density", press Play.
The comparison: out/beam_untwist/compare.png (over iterations and over seconds), compare.csv (every iteration).
END
