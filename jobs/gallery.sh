#!/bin/bash
# The scenes of docs/gallery.md: runs the decks of inputs/scenes on 2 ranks, into out/gallery/<name>, and draws their frames with VTK
# into docs/images/gallery/<name>.png.
#     bash jobs/gallery.sh [name...]      without a name all of them
#     bash jobs/gallery.sh -l             lists them
# RANKS=1 runs on another number of ranks, DRAW=only draws what has been run.
# Builds wring in build/; WRING=path takes another program instead. Debian: python3-vtk9, python3-numpy, xvfb, libgl1-mesa-dri.
cd "$(dirname "$0")/.." || exit 1
. jobs/setup.sh

python=${PYTHON:-/usr/bin/python3} # the one that has VTK and numpy
names="head spheres cube twist torus cloth random pendulum bridge blocks"

fail() { echo "gallery.sh: $name: $*" >&2; exit 1; }

# run DECK FOLDER [option]...: into out/gallery/FOLDER; its screen goes to the file log there.
run() {
  [ "$DRAW" = only ] && return
  mkdir -p "out/gallery/$2"
  mpiexec -n "${RANKS:-2}" "$WRING" run "$1" -output_directory "out/gallery/$2" "${@:3}" >"out/gallery/$2/log" 2>&1 ||
    { tail -n 5 "out/gallery/$2/log" >&2; fail "wring run $1"; }
  grep '^done' "out/gallery/$2/log"
}

# draw FOLDER[,FOLDER...] [option]...: options of jobs/render.py.
draw() {
  local runs
  runs=$(printf ',out/gallery/%s' ${1//,/ })
  mkdir -p docs/images/gallery
  xvfb-run -a "$python" jobs/render.py "docs/images/gallery/$name.png" "${runs:1}" "${@:2}" || fail "no picture"
  echo "docs/images/gallery/$name.png"
}

scene() { run "inputs/scenes/$name.yaml" "$name"; }

# ---- one function a scene --------------------------------------------------------------------------------------------

head() { scene && draw head times=0,0.2,0.35,0.5,1 size=240,280 view=2,0.3,0.5 zoom=1.2; }

spheres() {
  for material in tension compression; do
    run inputs/scenes/spheres.yaml spheres/$material -material_file "$PWD/inputs/materials/stiff_in_$material.csv"
  done
  run inputs/scenes/spheres.yaml spheres/neohookean -material_model neohookean -material_young 1e5 -material_poisson 0.3
  draw spheres/tension,spheres/compression,spheres/neohookean times=0.45,1 size=220,280 view=2,0.3,0.5 zoom=1.2 range=0,80000
}

cube() { scene && draw cube times=0,0.35,0.6,1 size=280,260 view=0.3,-2,0.3; }

torus() { scene && draw torus times=0,0.35,0.5,0.65,1 size=220,400 view=1,-2,0.5 edges=0 range=0,3000; }

cloth() {
  local k
  for k in 1e4 1e3 1e2; do run inputs/scenes/cloth.yaml cloth/$k -membrane_box_stiffness $k; done
  draw cloth/1e4,cloth/1e3,cloth/1e2 times=0.4,1 size=220,260 view=1,-2,0.5 edges=0
}

bridge() { scene && draw bridge times=0,0.5,1 size=420,240 view=0.4,-2,0.5 zoom=1.8; }

twist() { scene && draw twist times=0,0.4,1 size=420,200 view=0.6,-2,0.6 zoom=2; }

random() {
  local vertices seed distance good=0
  vertices=$("$WRING" mesh info inputs/meshes/head.msh | awk '$1 == "vertices" { print $2 }')
  for seed in {1..10}; do
    mkdir -p out/gallery/random/$seed
    "$python" jobs/random_start.py positions "$vertices" $seed >out/gallery/random/$seed.csv
    run inputs/scenes/random.yaml random/$seed -initial_positions "$PWD/out/gallery/random/$seed.csv"
    distance=$("$python" jobs/random_start.py distance out/gallery/random/$seed)
    echo "seed $seed: largest distance from the rest shape $distance of the diagonal"
    good=$((good + $(awk -v d="$distance" 'BEGIN { print (d < 0.01) }')))
  done
  echo "$good of 10 seeds find back to 1 % of the diagonal"
  draw random/1 times=0,0.05,0.2,1 size=300,300 colour=none view=1,-2,0.4
}

blocks() { run inputs/scenes/two_blocks.yaml blocks; draw blocks times=0,0.24,0.3,0.4,0.75 size=300,300 view=0.5,-2,0.5 zoom=1.4; }

pendulum() {
  run inputs/pendulum.yaml pendulum -time_integrator implicit_midpoint
  draw pendulum times=0,0.15,0.3,0.45,0.6 size=240,240 colour=none view=0,-1,0
}

# ------------------------------------------------------------------------------------------------------------------------

[ "$1" = -l ] && { echo $names; exit; }
debian_packages+=' xvfb libgl1-mesa-dri'
install_packages || exit 1
use_ranks 2
if [ -z "$WRING" ]; then
  build build || exit 1
  WRING=build/wring
fi
for name in ${*:-$names}; do
  [[ " $names " = *" $name "* ]] || fail "no such scene; expected one of $names"
  echo "== $name"
  $name || exit 1
done
