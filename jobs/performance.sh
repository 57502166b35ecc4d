#!/bin/bash
# The tables of docs/performance.md, as Markdown: each leaves out/performance/<name>.md, and pictures in docs/images. On a quiet
# machine, since everything here is timed; each takes less than five minutes on two cores.
#     bash jobs/performance.sh [-w] [-m FOLDER] name...      all: every table; -w puts them into docs/performance.md, too
#     bash jobs/performance.sh -l                            lists them
# -m FOLDER has the meshes of Liu, Bouaziz and Kavan 2017 (hippo, ditto, squirrel_modified and bunny, .mesh) for the table liu; lines
# whose mesh is not there are left out. UNDER="taskset -c 0,1" puts every run under a command.
# Builds wring in build/; WRING=path takes another program instead. Debian: python3-numpy, gnuplot-nox.
cd "$(dirname "$0")/.." || exit 1
. jobs/setup.sh

names="targets sizes liu solvers roofline model"
[ "$1" = -l ] && { echo $names; exit; }
[ "$1" = -w ] && { into_page=1; shift; }
[ "$1" = -m ] && { meshes=$2; shift 2; }
[ "$*" = all ] && set -- $names
for name; do
  [[ " $names " = *" $name "* ]] || { echo "performance.sh: no table '$name', expected one of $names" >&2; exit 1; }
done
[ $# -gt 0 ] || { echo "usage: bash jobs/performance.sh [-w] [-m FOLDER] $(tr ' ' '|' <<<"$names")|all" >&2; exit 1; }
use_ranks 1
if [ -z "$WRING" ]; then
  build build -D CMAKE_BUILD_TYPE=Release || exit 1
  WRING=build/wring
fi
mkdir -p out/performance docs/images
for name; do
  echo "== $name"
  WRING=$WRING MESHES=$meshes INTO_PAGE=$into_page "${PYTHON:-/usr/bin/python3}" -B jobs/performance "$name" || exit 1
done
