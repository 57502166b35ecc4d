#!/usr/bin/env bash
# A directory with checkpoints or frames of another run is refused before anything is written; overwrite, restarts from
# there and checkpoint.resume are not. So are results of a comparison or of a parameter grid. Fails if a file of the
# other run or comparison changes or is lost unasked, or before a new one is there; if a mixture of two remains after
# overwrite, if files of other names are removed, or if a way that the message names does not work; if two runs write to
# one directory, or a killed run keeps its own.
# usage: test_overwrite.sh BUILD_DIR SOURCE_DIR     ranks: 3
. "$(dirname "$0")/lib.sh"
overwrite=()

box_deck one

# --- refused, with what is there and the ways out; the same on all ranks; check says so and writes nothing
works 1 run box.yaml
ways='add -output_overwrite true .* -initial_restart one .* -output_directory'
refused_everywhere "one: holds 1 checkpoint \(the last of step 4\) and 5 frames of another run: $ways" run box.yaml
before=$(files)
works 1 check box.yaml
grep -q '^note: a run would be refused: one: holds' log || fail 'check does not mention the files of another run'
[ "$before" = "$(files)" ] || fail 'check wrote files'
# --- frames alone, as a run leaves that was killed before its first checkpoint: no restart is offered
mkdir frames && cp one/frame_00000[01].vtu frames
refused 'frames: holds 2 frames of another run: add -output_overwrite true' run box.yaml -output_directory frames
! grep -q initial_restart log || fail 'a restart is offered without a checkpoint'
works 1 run box.yaml -output_directory frames -checkpoint_resume true

# --- checkpoints alone
mkdir states && cp one/checkpoint_000004.h5 states
refused 'states: holds 1 checkpoint' run box.yaml -output_directory states
# --- a restart from elsewhere does not allow it either, one from there does, by directory or by file
refused 'one: holds' run box.yaml -initial_restart states -time_steps 6
works 2 run box.yaml -initial_restart one -time_steps 6
works 1 run box.yaml -initial_restart ./one/../one/checkpoint_000006.h5 -time_steps 7
works 1 run box.yaml -checkpoint_resume true -time_steps 8
[ "$(column one/steps.csv step | tr '\n' ' ')" = '1 2 3 4 5 6 7 8 ' ] || fail 'a restart lost rows'
[ "$(ls one/frame_*.vtu | wc -l)" = 9 ] || fail 'a restart lost frames'

# --- overwrite: nothing of the run before is left, and nothing else is touched
touch one/notes.txt one/frame_final.vtu one/checkpoint_000003.h5.mine
works 3 run box.yaml -output_overwrite true -time_steps 2 -output_every 2
left='frame_000000.vtu frame_000002.vtu checkpoint_000002.h5 checkpoint_000003.h5.mine'
[ "$(cd one && echo frame_0* checkpoint_0*)" = "$left" ] ||
  fail "after overwrite: $(ls one)"
[ "$(grep -c '<DataSet' one/frames.pvd)" = 2 ] || fail 'frames.pvd lists frames of the run before'
[ "$(column one/steps.csv step | tr '\n' ' ')" = '1 2 ' ] || fail 'steps.csv has rows of the run before'
[ -f one/notes.txt ] && [ -f one/frame_final.vtu ] || fail 'files of other names were removed'
# --- a restart from there goes on, whatever overwrite is
works 1 run box.yaml -output_overwrite true -initial_restart one -output_every 2
[ "$(column one/steps.csv step | tr '\n' ' ')" = '1 2 3 4 ' ] || fail 'overwrite removed what a restart continues'

# --- a directory where another run writes, here one that is held up: neither overwrite nor resume takes it, and check
# says so; when that run is killed, it goes on at once
"$wring" run box.yaml -time_steps 1000000 -output_every 0 -checkpoint_every 1 -output_directory busy >first 2>&1 &
pid=$!
wait_for busy/steps.csv 9
kill -STOP $pid
for ranks in 1 2; do
  for way in output_overwrite checkpoint_resume; do
    refused_on $ranks "busy: another run, process $pid, writes here" run box.yaml -output_directory busy -$way true
  done
done
works 1 check box.yaml -output_directory busy -output_overwrite true
grep -q "^note: a run would be refused: busy: another run, process $pid" log || fail 'check does not name another run'
{ kill -KILL $pid && wait $pid; } 2>/dev/null
steps=$(column busy/steps.csv step | grep -c .)
works 1 run box.yaml -output_directory busy -checkpoint_resume true -time_steps $((steps + 5))
[ "$(column busy/steps.csv step)" = "$(seq $((steps + 5)))" ] || fail 'the killed run does not go on'

# --- a directory of other files is used; so is one of another command
mkdir other && touch other/a.txt
works 1 run box.yaml -output_directory other
sed 's/model: corotated, young: 1e4, poisson: 0.3/model: strain, stiffness: 1e4/' box.yaml >strain.yaml
compare=(compare strain.yaml -compare_solvers qn -compare_iterations 2 -compare_report 2 -output_plots false)
works 1 "${compare[@]}" -output_directory both
works 1 run box.yaml -output_directory both

# --- results of a comparison, whatever the keys are, and of a grid, from which a folder or the table alone is left
ways='of another comparison: add -output_overwrite true to replace it, or -output_directory with another name'
refused_everywhere "both: holds compare.json $ways" "${compare[@]}" -output_directory both
refused "both: holds compare.json $ways" "${compare[@]}" -output_directory both -compare_solvers pd
works 1 "${compare[@]}" -output_directory both -output_overwrite true -compare_solvers admm
[ -e both/compare_residuals.csv ] && [ -e both/frame_000004.vtu ] || fail 'a comparison over another one'
works 1 "${compare[@]}" -output_directory both -output_overwrite true
[ ! -e both/compare_residuals.csv ] && grep -q '^qn,' both/compare.csv || fail 'a mixture of two comparisons'
grid=("${compare[@]}" -compare_sweep_time_step 1e-2,2e-2 -output_directory grid)
works 1 "${grid[@]}"
refused "grid/time_step=1e-2: holds compare.json $ways" "${grid[@]}"
refused "grid: holds sweep.json $ways" "${compare[@]}" -output_directory grid
refused "grid: holds sweep.json $ways" "${grid[@]}" -compare_sweep_time_step 1e-3,2e-3
refused "both: holds compare.json $ways" "${grid[@]}" -output_directory both
works 1 "${grid[@]}" -output_overwrite true
works 1 "${compare[@]}" -output_directory grid -output_overwrite true
[ ! -e grid/sweep.json ] && [ -e grid/time_step=1e-2/compare.json ] || fail 'a comparison over a grid'
# --- a new file that cannot be written: the old ones stay
old=(compare.csv compare.json compare.gp)
ln -s /dev/full both/compare.csv.part
before=$(cd both && sha256sum "${old[@]}")
expect 4 1 "${compare[@]}" -output_directory both -output_overwrite true -compare_solvers pd
[ "$(cd both && sha256sum "${old[@]}")" = "$before" ] || fail 'old results are removed before new ones are there'
exit 0
