#!/usr/bin/env bash
# Frames of large runs: one file of all (format vtkhdf), the surface alone, single precision, given steps and fields.
# Fails when a frame of frames.vtkhdf is not that of frame_NNNNNN.vtu value by value, or does not follow the published
# layout; when a frame has other fields than the deck names, or other bytes than `wring check` says; when a restart
# loses a frame or keeps one of a step that it makes again; when a killed run leaves a file that cannot be read or has
# fewer frames than it has made; when a wrong key is taken; when the error does not name a /dev/shm that cannot be
# written (where namespaces are allowed). Without h5py, what reads frames.vtkhdf is left out.
# usage: test_output.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 9
. "$(dirname "$0")/lib.sh"

cat >box.yaml <<'DECK'
mesh:     {box: {size: [1, 0.2, 0.2], cells: [8, 2, 2]}}
material: {model: neohookean, young: 1e5, poisson: 0.3, density: 1000}
attach:   {xmin: {hard: true}}
time:     {step: 0.02, steps: 4}
gravity:  [0, 0, -9.81]
solver:   {rtol: 1e-9}
output:   {directory: out, fields: [displacement, velocity, vertex, J, energy_density, region, rank, stress, von_mises]}
DECK

# check FILE [OTHER] EXPECTED: the last word is what the reader must print.
check() {
  local got status
  got=$("$python" "$source/tests/read_vtkhdf.py" "${@:1:$#-1}" 2>&1)
  status=$?
  [ $status = 77 ] && unread=$got && return
  [ $status = 0 ] && [[ $got =~ ^(${!#})$ ]] || fail "$*: $got"
}
unread= # why frames.vtkhdf cannot be read here

# --- every value of every frame is that of the .vtu, on any number of ranks
for case in '1 volume double' '1 surface single' '2 volume single' '4 surface double'; do
  read -r ranks kind precision <<<"$case"
  keys=(-output_kind "$kind" -output_precision "$precision")
  works "$ranks" run box.yaml "${keys[@]}" -output_directory vtu
  works "$ranks" run box.yaml "${keys[@]}" -output_directory hdf -output_format vtkhdf
  [ -z "$(ls hdf/frame_* hdf/frames.pvd hdf/*.part 2>/dev/null)" ] || fail "$case: $(ls hdf)"
  check hdf/frames.vtkhdf vtu '5 frames, 1 layouts'
done

# --- bytes: 81 vertices with 9 real numbers, 192 tets with 9 and 5 integers; the surface has 74 vertices and 144
# triangles
line() { sed -n 's/^frames *//p' log; }
bytes='25.9 kB, 129 kB'
"$wring" version | grep -q '64-bit' && bytes='29.7 kB, 149 kB'
works 1 check box.yaml
[ "$(line)" = "every 1 steps; vtu of the volume, double precision: 5 of $bytes in all" ] || fail "$(line)"
works 1 check box.yaml -output_kind surface -output_precision single -output_format vtkhdf -output_every 2
[ "$(line)" = 'every 2 steps; vtkhdf of the surface, single precision: 3 of 7.85 kB, 30 kB in all' ] ||
  fail "$(line)"
works 1 check box.yaml -output_steps 3,1,3
line | grep -q '^of 3 given steps and the last; .*: 3 of' || fail "$(line)"
works 1 check box.yaml -output_every 0
[ "$(line)" = none ] || fail "$(line)"


# --- fields: those that are named, and no others; 81 vertices with 6 real numbers, 192 tets with an integer
for format in vtu vtkhdf; do
  works 2 run box.yaml -output_fields velocity,rank -output_format $format -output_directory few_$format
done
check few_vtkhdf/frames.vtkhdf few_vtu '5 frames, 1 layouts'
[ "$(grep -ao ' Name="[a-zA-Z_]*"' few_vtu/frame_000004.vtu | sed 's/ Name="//; s/"//' | sort -u | xargs)" = \
  'Points TimeValue connectivity offsets rank types velocity' ] || fail 'other fields'
works 1 check box.yaml -output_fields velocity,rank -output_format vtkhdf
[ "$(line)" = 'every 1 steps; vtkhdf of the volume, double precision: 5 of 3.89 kB, 28.1 kB in all' ] || fail "$(line)"

# --- given steps, and the last
works 1 run box.yaml -output_steps 3,1,3 -output_directory steps
[ "$(cd steps && echo frame_*)" = 'frame_000001.vtu frame_000003.vtu frame_000004.vtu' ] || fail "$(ls steps)"

# --- restarts: on the same ranks the file goes on; on others it gets a layout; from an earlier step, frames are dropped
works 2 run box.yaml -time_steps 8 -output_format vtkhdf -output_directory whole
works 2 run box.yaml -time_steps 4 -output_format vtkhdf -output_directory parts -checkpoint_every 2
inode=$(stat -c %i parts/frames.vtkhdf)
works 2 run box.yaml -time_steps 6 -output_format vtkhdf -output_directory parts -initial_restart parts
[ "$(stat -c %i parts/frames.vtkhdf)" = "$inode" ] || fail 'a restart on the same ranks copies the file'
check parts/frames.vtkhdf '7 frames, 1 layouts'
works 3 run box.yaml -time_steps 8 -output_format vtkhdf -output_directory parts -initial_restart parts
check parts/frames.vtkhdf whole/frames.vtkhdf '9 frames, 2 layouts'
works 1 run box.yaml -time_steps 8 -output_format vtkhdf -output_directory parts -initial_restart \
  parts/checkpoint_000006.h5
check parts/frames.vtkhdf whole/frames.vtkhdf '9 frames, 2 layouts'
expect 1 1 run box.yaml -time_steps 9 -output_format vtkhdf -output_directory parts -initial_restart parts \
  -output_precision single
grep -q 'parts/frames.vtkhdf: its fields are not those of this run, expected another output' log || fail 'other fields'
expect 1 1 run box.yaml -output_overwrite false -output_directory parts
grep -q 'parts: holds .* and frames.vtkhdf of another run' log || fail 'a file of frames is replaced'

# --- kills of all ranks after some steps, of many more than are ever made: frames.vtkhdf has the frame of the step
# before the last row of steps.csv, and at most that of the last row
cp box.yaml long.yaml
sed -i 's/steps: 4/steps: 4000/; s/rtol: 1e-9/rtol: 1e-3/; s/step: 0.02/step: 1e-3/' long.yaml
for case in '1 3' '1 60' '2 20' '4 6'; do
  read -r ranks step <<<"$case"
  rm -rf killed
  "$mpiexec" -n "$ranks" "$wring" run long.yaml -output_format vtkhdf -output_directory killed >log 2>&1 &
  pid=$!
  until [ -f killed/steps.csv ] && [ "$(wc -l <killed/steps.csv)" -gt "$step" ]; do
    kill -0 $pid 2>/dev/null || fail "$case: the run has ended"
    sleep 0.05
  done
  victims=$(pgrep -P $pid -x wring)
  [ "$(wc -w <<<"$victims")" = "$ranks" ] || fail "$ranks ranks: processes $victims"
  kill -9 $victims
  wait $pid 2>/dev/null
  rows=$(($(wc -l <killed/steps.csv) - 1)) # and a frame of step 0
  check killed/frames.vtkhdf "$rows frames, 1 layouts|$((rows + 1)) frames, 1 layouts"
done

# --- without a /dev/shm that can be written, Open MPI cannot open files on two ranks; the line says so, and what helps.
# LLVM's OpenMP does not start without it.
if ! objdump -p "$wring" | grep -q 'NEEDED.*libomp' && unshare -m mount -t tmpfs -o ro none /dev/shm 2>/dev/null; then
  cat >no_shm <<'SH'
mount -t tmpfs -o ro none /dev/shm && exec "$@"
SH
  unshare -m sh no_shm timeout 60 "$mpiexec" -n 2 "$wring" run box.yaml -output_directory no_shm_1 >log 2>&1
  got=$?
  if [ $got != 0 ]; then
    [ $got = 4 ] && grep -q '^wring: .*HDF5 cannot create it; /dev/shm cannot be written' log || fail 'no /dev/shm'
    OMPI_MCA_sharedfp=^sm unshare -m sh no_shm timeout 60 "$mpiexec" -n 2 "$wring" run box.yaml \
      -output_directory no_shm_2 >log 2>&1 || fail 'no /dev/shm, sharedfp ^sm'
  fi
fi

# --- wrong keys, each in one line
refused() { # TEXT ARGS...
  expect 1 1 check box.yaml "${@:2}"
  grep -q -- "$1" log && [ "$(wc -l <log)" = 1 ] || fail "$*"
}
refused 'output_format is "vtk", expected one of vtu, vtkhdf' -output_format vtk
refused 'output_kind is "skin", expected one of auto, volume, surface' -output_kind skin
names='displacement, velocity, vertex, J, energy_density, region, rank, stress, von_mises, deformation_gradient'
refused "output_fields is \"J,strain\", expected some of $names, membrane_force" -output_fields J,strain
refused 'output_precision is "half", expected one of double, single' -output_precision half
refused 'output_steps' -output_steps 1,-2
refused 'output_steps is given beside output_every, expected one of them' -output_steps 1 -output_every 2
refused 'output_compress is true, expected false with output_format vtkhdf' -output_format vtkhdf -output_compress true
[ -z "$unread" ] || echo "frames.vtkhdf was written, but not read: $unread"
