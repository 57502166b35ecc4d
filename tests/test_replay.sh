#!/usr/bin/env bash
# What jobs/replay/record.c records of four ranks is what jobs/performance/count.c counts; the trace made of it is
# replayed by SimGrid (skipped, saying so, where it is missing) and no faster than its longest computation; and the
# messages that jobs/replay/pattern.py makes from geometry are those of the record within a quarter, and their waits in
# order those that jobs/performance/waits.c counts, within 0.6. Fails when the recorder misses a call that sends, when a
# trace leaves a message unmatched, or when the exchanges or sums of an iteration change and jobs/replay/iteration.py
# does not.
# usage: test_replay.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 10
. "$(dirname "$0")/lib.sh"
command -v "$python" >/dev/null && "$python" -c 'import numpy' 2>/dev/null || skip "no python3 with numpy"
command -v mpicc >/dev/null || skip "no mpicc"
[[ ${WRING_SANITIZE:-OFF} = OFF ]] || skip "libraries are preloaded, which a sanitizer does not like"

# without times and communicators
mpicc "$source/tests/jobs/calls.c" -o calls && mpicc -shared -fPIC "$source/jobs/replay/record.c" -o record.so ||
  fail "mpicc"
"$mpiexec" -n 3 env LD_PRELOAD="$work/record.so" RECORD="$work/calls" ./calls >log 2>&1 || fail "calls.c"
awk '$1 != "comm" { NF--; if ($1 != "wait") NF--; print }' calls.1 >found
cat >expected <<'END'
barrier 0
recv 1 0 1048576 8
send 2 2 1048576 8
wait 1 2
recv 3 0 7 8
send 4 2 7 8
wait 3 4
recv 5 0 7 8
send 6 2 7 8
wait 5 6
start 7 barrier 0
wait 7
END
cmp -s found expected || fail "calls of rank 1: $(diff expected found)"

cd "$source" || exit 1
WRING=$wring PYTHONPATH=$source/jobs "$python" -B - "$work" <<'END'
import sys
import numpy as np
from replay import chain, iteration, pattern, record, simgrid, traces, validate

work, ranks, cells = sys.argv[1], 4, (20, 20, 20)
record.LIBRARIES = work
size = (1, 1, 1)
done = record.run(f"{work}/r", ranks, cells, size, events=1000000)
record.run(f"{work}/c", ranks, cells, size, tool="count")
all_ranks = record.read(f"{work}/r", ranks)
for rank, mine in enumerate(all_ranks):
    counted = {}
    for line in open(f"{work}/c/count.{rank}", encoding="utf-8"):
        name, n, bytes_ = line.split()
        counted[name] = (int(n), float(bytes_))
    sent = [float(e[4]) for e in mine.events if e[0] == "send"]
    tags = [v for k, v in counted.items() if k.lstrip("-").isdigit()]
    assert len(sent) == sum(n for n, _ in tags) > 100, (rank, len(sent), tags)
    assert sum(sent) == sum(b for _, b in tags), (rank, sum(sent), tags)
    sums = [float(e[1]) for e in mine.events if e[0] == "allreduce"]
    assert (len(sums), sum(sums)) == counted["allreduce"], (rank, len(sums), counted["allreduce"])
events = record.last_iteration(all_ranks)
messages, sent, sums = np.mean([record.counted(e) for e in events], axis=0)
steps = iteration.steps(pattern.Parts(ranks, done["mesh"]["vertices"], cells, f"{work}/parts"))
made, made_bytes, _, made_sums = traces.count(steps, ranks)
print(f"messages {messages} recorded, {made.mean()} made; bytes {sent:.0f}, {made_bytes.mean():.0f}")
assert made_sums == sums, (made_sums, sums)
assert abs(made.mean() / messages - 1) < 0.25 and abs(made_bytes.mean() / sent - 1) < 0.25
waited, generated = validate.waits(f"{work}/w", ranks, cells, size), chain.waits(steps, ranks)
print(f"waits in order {waited:.1f} counted, {generated} made")
assert abs(generated - waited) < 0.6, (generated, waited)
if not simgrid.is_there():
    print("no SimGrid: nothing is replayed")
    sys.exit()
longest = 1e-6 * max(record.compute(e) for e in events)
ms = simgrid.replay(record.write(f"{work}/t", all_ranks, events), ranks, "fat_tree_100", 2)
assert longest < ms < 10 * longest + 10, (longest, ms)
ms = simgrid.replay(traces.write(f"{work}/g", ranks, steps), ranks, "fat_tree_100", 2)
assert 0.1 < ms < 100, ms
END
[ $? = 0 ] || fail "the recorder, the traces or the generator"
