#!/usr/bin/env bash
# jobs/paraview.py in a real ParaView: a picture from .vtu frames and the same from frames.vtkhdf, a film, a state file
# of two runs; skipped without pvbatch. Fails when ParaView cannot open the frames, when the two pictures differ, when a
# picture is empty or a body reaches its border, or when a wrong option is taken.
# usage: test_paraview.sh BUILD_DIR SOURCE_DIR     cost: 10
. "$(dirname "$0")/lib.sh"
command -v pvbatch >/dev/null || skip 'no pvbatch (Debian: python3-paraview)'
[ -n "${DISPLAY:-}" ] || command -v xvfb-run >/dev/null || skip 'no screen, and no xvfb-run'
"$python" -c 'import PIL, h5py, numpy' 2>log || skip "$(tail -n 1 log)"

cat >box.yaml <<'DECK'
mesh:     {box: {size: [1, 0.2, 0.2], cells: [8, 2, 2]}}
material: {model: neohookean, young: 1e5, poisson: 0.3, density: 1000}
attach:   {xmin: {hard: true}}
collider: {floor: {shape: half_space, point: [0, 0, -0.5], normal: [0, 0, 1], stiffness: 1e4}}
time:     {step: 0.1, steps: 2}
gravity:  [0, 0, -9.81]
output:   {directory: one, fields: [von_mises]}
DECK
draw() { timeout 200 "$python" -B "$source/jobs" paraview "$@" >log 2>&1 || fail "paraview $*"; }
works 1 run box.yaml
works 1 run box.yaml -output_directory two -output_format vtkhdf
draw one picture=one.png times=0,1 size=200,200 # paths are relative to the working directory
draw "$PWD/two" "picture=$PWD/two.png" times=0,1 size=200,200
draw "$PWD/one" "$PWD/two" "film=$PWD/both.gif" size=120,120 "state=$PWD/both.pvsm" labels=vtu,vtkhdf
[ "$(cat log)" = "film: $PWD/both.gif"$'\n'"state: $PWD/both.pvsm" ] || fail 'paraview does not say what it has made'
"$python" - <<'PYTHON' || fail 'pictures'
from PIL import Image
import numpy as np
one, two = (np.asarray(Image.open(name).convert("RGB")).astype(int) for name in ("one.png", "two.png"))
assert one.shape == two.shape and abs(one - two).mean() < 0.5, abs(one - two).mean()
blue = (one[:, :, 2] - one[:, :, 0] > 60)
assert blue.sum() > 2000, blue.sum()
assert not blue[:4].any() and not blue[:, :8].any() and not blue[:, -4:].any()
assert Image.open("both.gif").n_frames == 3
PYTHON
grep -q PVDReader both.pvsm || fail 'the state file has no reader'
[ "$(grep -c 'Proxy group="views" type="RenderView"' both.pvsm)" -ge 2 ] || fail 'the state file has not two views'
"$python" -B "$source/jobs" paraview one color=J >log 2>&1 && fail 'an unknown option was taken'
grep -q "unknown option color, expected one of" log || fail 'unknown option'
