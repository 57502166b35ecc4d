#!/usr/bin/env bash
# The messages that jobs/replay/pattern.py makes from geometry are those that jobs/replay/messages.c counts in runs of
# four ranks within a quarter, and their waits in order those that it counts, within 0.6; SimGrid replays
# their trace (skipped, saying so, where it is missing). Fails when a counter misses a call that sends, or when the
# exchanges or sums of an iteration change and jobs/replay/iteration.py does not.
# usage: test_replay.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 2
. "$(dirname "$0")/lib.sh"
command -v "$python" >/dev/null && "$python" -c 'import numpy' 2>/dev/null || skip "no python3 with numpy"
command -v mpicc >/dev/null || skip "no mpicc"
[[ ${WRING_SANITIZE:-OFF} = OFF ]] || skip "libraries are preloaded, which a sanitizer does not like"

cd "$source" || exit 1
WRING=$wring PYTHONPATH=$source/jobs "$python" -B - "$work" <<'END'
import sys
from replay import chain, iteration, pattern, runs, simgrid, traces

work, ranks, cells = sys.argv[1], 4, (20, 20, 20)
runs.LIBRARIES = work
vertices, (messages, sent, waited) = runs.of_an_iteration(f"{work}/r", ranks, cells, (1, 1, 1))
steps = iteration.steps(pattern.Parts(ranks, vertices, cells, f"{work}/parts"))
made, made_bytes, _, _ = traces.count(steps, ranks)
print(f"messages {messages} counted, {made.mean()} made; bytes {sent:.0f}, {made_bytes.mean():.0f}")
assert abs(made.mean() / messages - 1) < 0.25 and abs(made_bytes.mean() / sent - 1) < 0.25
generated = chain.waits(steps, ranks)
print(f"waits in order {waited:.1f} counted, {generated} made")
assert abs(generated - waited) < 0.6, (generated, waited)
if not simgrid.is_there():
    print("no SimGrid: nothing is replayed")
    sys.exit()
longest = 1e-6 * sum(step[1] for step in steps if step[0] == "compute").max()
ms = simgrid.replay(traces.write(f"{work}/g", ranks, steps), ranks, "fat_tree_100", 2)
assert longest < ms < 100, (longest, ms)
END
[ $? = 0 ] || fail "the counters or the generator"
