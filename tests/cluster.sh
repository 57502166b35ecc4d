#!/usr/bin/env bash
# wring on four hosts under a real Slurm, made on this machine by tests/cluster/hosts.sh: batch jobs by jobs/slurm.sh,
# threads, time limits, lost hosts, files that one host alone has, studies of scaling, and the number of waits in an
# iteration, by links with a delay.
# usage: cluster.sh BUILD_DIR SOURCE_DIR [check]...     the checks are at the end; tests/nightly.sh cluster runs all
# Needs root, slurm-wlm, iproute2, python3; two minutes of waiting for Slurm's clocks.
export TMPDIR=/var/tmp # each host has a /tmp of its own
. "$(dirname "$0")/lib.sh"
. "$source/tests/cluster/hosts.sh"
[ "$(id -u)" = 0 ] || skip 'not root'
for program in slurmctld slurmd srun ip unshare "$python"; do
  command -v "$program" >/dev/null || skip "no $program (Debian: slurm-wlm, iproute2, util-linux, python3)"
done
[ -c /dev/net/tun ] || skip 'no /dev/net/tun'
[ "$(env -u OMP_NUM_THREADS nproc)" -ge 2 ] || skip 'one core only' # nproc follows OMP_NUM_THREADS
unshare --net --pid --fork --mount-proc true 2>/dev/null || skip 'no right to make namespaces'
cluster_lock || skip 'another cluster is up on this machine'
trap 'dismiss; cluster_down; rm -rf "$base"' EXIT

# What lies below /tmp is not on the hosts.
mkdir cluster source
cp "$wring" program
cp -r "$source/jobs" "$source/inputs" source/
export WRING=$PWD/program OMP_WAIT_POLICY=passive OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_btl=tcp,self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none

# ---- jobs ------------------------------------------------------------------------------------------------------------

# deck NAME [line]...: NAME.yaml, whose output directory is out/NAME.
deck() {
  local name=$1
  shift
  {
    cat <<DECK
mesh:       {box: {size: [2, 0.5, 0.5], cells: [6, 2, 2]}}
material:   {model: corotated, young: 1e5, poisson: 0.3, density: 1000}
solver:     {type: qn, rtol: 1e-8}
operator:   {type: multigrid}
attach:     {xmin: {stiffness: 1e5}}
gravity:    [0, 0, -1]
output:     {directory: out/$name, every: 0, state_csv: true}
DECK
    printf '%s\n' "$@"
  } >"$name.yaml"
}

# submit NAME [option of sbatch]...: sets $job.
submit() {
  local name=$1
  shift
  job=$(on_host 0 sbatch --parsable --output="$name.log" "$@" source/jobs/slurm.sh "$name.yaml") || fail "sbatch $name"
}

# job_has NAME VALUE: of the job; its state is JobState.
job_has() { on_host 0 scontrol show job "$job" -o | grep -q " $1=$2 "; }

# ends NAME [STATE=COMPLETED]: waits for the end of the job.
ends() {
  wait_until 240 job_has JobState '\(COMPLETED\|FAILED\|CANCELLED\|TIMEOUT\|NODE_FAIL\)' ||
    { cp "$1.log" log; fail "$1: no end: $(on_host 0 scontrol show job "$job" -o)"; }
  job_has JobState "${2:-COMPLETED}" ||
    { cp "$1.log" log; fail "$1: not ${2:-COMPLETED}: $(on_host 0 scontrol show job "$job" -o)"; }
}

# json NAME EXPRESSION...: Python's, of j, the run.json of a job, must all be true.
json() {
  "$python" - "$@" <<'PYTHON' || fail "$1: out/$1/run.json"
import json, sys
j = json.load(open(f"out/{sys.argv[1]}/run.json"))
def cores(text):
    ends = [part.split("-") for part in text.split(",")]
    return {core for end in ends for core in range(int(end[0]), int(end[-1]) + 1)}
for expression in sys.argv[2:]:
    if not eval(expression):
        shown = ('ranks', 'threads', 'hosts', 'ranks_per_host', 'binding', 'job', 'ended', 'step')
        sys.exit(f"not so: {expression}\n{ {k: j.get(k) for k in shown} }")
PYTHON
}

# in_order NAME: steps.csv has every step once.
in_order() {
  column "out/$1/steps.csv" step | awk '$1 != NR { exit 1 }' || fail "$1: steps.csv has not every step once"
}

# reaches NAME STEP: whether a run has come so far.
reaches() { [ -f "out/$1/steps.csv" ] && [ "$(tail -n 1 "out/$1/steps.csv" | cut -d, -f1)" -ge "$2" ] 2>/dev/null; }

# end_soon NAME: the deck ends a few steps after the last checkpoint; a deck that has been changed goes on.
end_soon() {
  local last
  last=$(find "out/$1" -name 'checkpoint_*.h5' | sed 's/.*checkpoint_0*\([0-9]*\).h5/\1/' | sort -n | tail -n 1)
  sed -i "s/steps: 1000000/steps: $((last + 20))/" "$1.yaml"
}

# A run without end, whose steps cost one exchange each.
march='time: {step: 1e-4, steps: 1000000, integrator: symplectic_euler}'
hosts='[f"host{i}" for i in range(1, 5)]'

# ---- checks ----------------------------------------------------------------------------------------------------------

# 8 ranks on 4 hosts make one world by PMIx, each on a core of its own, write into the deck's directory and give the
# result of one rank. Fails if srun starts singletons, if ranks are not bound, or if the job takes another directory.
check_batch() {
  deck batch 'time: {step: 1e-2, steps: 2}'
  works 1 run batch.yaml -output_directory one
  submit batch --nodes=4 --ntasks-per-node=2
  ends batch
  json batch "j['ranks'] == 8 and j['threads'] == 1 and sorted(j['hosts']) == $hosts" "j['ranks_per_host'] == [2] * 4" \
    "j['job'] == {'system': 'slurm', 'id': '$job', 'name': 'wring'}" \
    'all(len(cores(c)) == 1 for c in j["binding"]["cores"])' \
    'j["binding"]["cores"][0] != j["binding"]["cores"][1] and j["binding"]["omp_places"] == "cores"'
  same out/batch/state.csv one/state.csv 1e-6
}

# 4 ranks x 2 threads, a rank on each host, bound to two cores: the bits of 4 ranks x 1 thread. Fails if srun is not
# told the threads, or if a result depends on them.
check_hybrid() {
  deck hybrid 'time: {step: 1e-2, steps: 2}'
  submit hybrid --nodes=4 --ntasks-per-node=1 --cpus-per-task=1
  ends hybrid
  json hybrid 'j["ranks"] == 4 and j["threads"] == 1'
  mv out/hybrid out/threads_1
  submit hybrid --nodes=4 --ntasks-per-node=1 --cpus-per-task=2
  ends hybrid
  json hybrid "j['ranks'] == 4 and j['threads'] == 2 and j['ranks_per_host'] == [1] * 4" \
    'all(len(cores(c)) == 2 for c in j["binding"]["cores"])'
  cmp -s out/hybrid/state.csv out/threads_1/state.csv || fail 'two threads give other bits than one'
}

# Slurm sends USR1 before the time limit; wring writes a checkpoint and the job is queued again, goes on and ends. Fails
# if the signal does not reach the ranks, if the job is not queued again, or if it begins anew.
check_time_limit() {
  deck limit "$march"
  submit limit --nodes=4 --ntasks-per-node=1 --time=1 --signal=USR1@40
  wait_until 120 job_has Restarts 1 || { cp limit.log log; fail 'the job was not queued again'; }
  end_soon limit
  ends limit
  json limit 'len(j["segments"]) == 1 and j["segments"][0]["ended"] == "stopped by a signal"' 'j["ended"] == "done"' \
    'j["segments"][0]["heartbeat"]["step"] > 1 if "heartbeat" in j["segments"][0] else True' \
    'j["first_step"] == j["segments"][0]["step"] > 0'
  in_order limit
}

# lose NAME COMMAND...: a job of 4 hosts loses one by the command and is queued again.
lose() {
  deck "$1" "$march" 'checkpoint: {every: 100}'
  submit "$1" --nodes=4 --ntasks-per-node=1
  wait_until 120 reaches "$1" 250 || { cp "$1.log" log; fail "$1: no 250 steps"; }
  "${@:2}"
  wait_until 180 job_has Restarts 1 || { cp "$1.log" log; fail "$1: the job was not queued again"; }
  end_soon "$1"
}

# goes_on NAME HOSTS: the job that was queued again ends on so many hosts.
goes_on() {
  ends "$1"
  json "$1" "sorted(j['segments'][0]['hosts']) == $hosts and sorted(j['hosts']) == ${hosts}[:$2]" \
    'j["segments"][0]["ended"] == "stopped by a signal" or j["segments"][0]["heartbeat"]["step"] > 0' \
    'j["segments"][0]["ended"] == "stopped by a signal" or j["first_step"] % 100 == 0' \
    'j["ended"] == "done" and j["first_step"] > 0'
  in_order "$1"
}

# The slurmd of a host dies: Slurm ends the job by SIGTERM, if it can, and queues it again, and it goes on when slurmd
# is there again. Fails if the job begins anew, or if rows of the lost steps stay.
check_lost_slurmd() {
  lose slurmd on_host 4 pkill -KILL -x slurmd
  start_daemon 4
  goes_on slurmd 4
}

# All processes and the network of a host end, while the others wait for its messages; the job goes on with three. The
# last check, since host 4 stays away. Fails also if the checkpoint of 4 ranks cannot be read by 3.
check_lost_host() {
  lose host host_dies 4
  on_host 0 scontrol update JobId="$job" NumNodes=3 NumTasks=3 >log 2>&1 || fail 'the job cannot be changed'
  goes_on host 3
}

# refused_on_hosts PATTERN ARGS...: on a rank of each host, one line of error, and srun ends within a minute.
refused_on_hosts() {
  on_host 0 timeout 60 srun -N4 -n4 ./program "${@:2}" >log 2>&1 && fail "${*:2}: accepted"
  [ "$(grep -c '^wring: ' log)" = 1 ] && grep -Eq "^wring: .*($1)" log || fail "${*:2}: not one line with '$1'"
}

# Of /tmp each host has its own. An output directory there is refused in one line, before the run; so is a mesh that
# host 1 alone has, unless its rank reads all of it. Fails if a run ends without its checkpoint, or if hosts without the
# file wait for the others.
check_files_of_a_host() {
  deck local 'time: {step: 1e-2, steps: 2}'
  refused_on_hosts '/tmp/out: is not there on host[1-4], expected an output.directory' run local.yaml \
    -output_directory /tmp/out
  [ ! -e out/local ] || fail 'a refused run has written'
  works 1 mesh box box.msh -size 2,1,1 -cells 6,3,3
  sed '/^mesh:/s|{.*|{file: /tmp/box.msh}|' local.yaml >shared.yaml
  on_host 1 cp box.msh /tmp/
  on_host 0 timeout 60 srun -N4 -n4 ./program run shared.yaml -output_directory out/shared >log 2>&1 ||
    [ "$(grep -c '^wring: /tmp/box.msh: ' log)" = 1 ] || fail 'a mesh of one host: neither read nor refused'
}

# jobs/scaling.py: jobs for 1, 2 and 4 hosts by one table, a study that goes on after jobs were cancelled, a table with
# a line for each, pictures. Fails if jobs have other numbers of ranks or hosts, if the mesh of weak scaling does not
# grow with them, or if a cancelled job is not made again, or one that is done or queued is.
check_scaling() {
  deck study 'time: {step: 1e-2, steps: 2}'
  cat >scale.yaml <<'TABLE'
deck: study.yaml
repeat: 2
time: "0:05:00"
series:
  strong: {nodes: [1, 2, 4], ranks: 2}
  weak:   {nodes: [1, 2, 4], ranks: 2, grow: true}
TABLE
  local step='on_host 0 '"$python"' -B source/jobs/scaling.py'
  $step submit scale.yaml >log 2>&1 || fail 'submit'
  [ "$(grep -c ': job [0-9]*$' log)" = 6 ] || fail 'not six jobs'
  on_host 0 scancel "$(sed -n 's/^weak 3 .*: job //p' log)"
  $step submit scale.yaml >log 2>&1 || fail 'submit again'
  grep -Eq '^strong 3 .*: job [0-9]+ is (pending|running)$' log && grep -Eq '^weak 3 .*: job [0-9]+$' log ||
    fail 'what is queued is submitted again, or what was cancelled is not'
  $step collect scale.yaml >log 2>&1
  grep -q '^weak 3 (8 ranks x 1): ' log || fail 'collect on the way'
  wait_until 240 no_jobs || fail 'the jobs do not end'
  $step collect scale.yaml >log 2>&1 || fail 'collect'
  $step plot scale.yaml >>log 2>&1 || fail 'plot'
  "$python" - out/scaling/scale/table.csv <<'PYTHON' || fail 'the table'
import csv, sys
lines = list(csv.DictReader(open(sys.argv[1])))
assert [line["ranks"] for line in lines] == ["2", "4", "8"] * 2, lines
assert [line["hosts"] for line in lines] == ["1", "2", "4"] * 2 and {line["runs"] for line in lines} == {"2"}, lines
tets = [int(line["tets"]) / (144 * (int(line["hosts"]) if line["series"] == "weak" else 1)) for line in lines]
assert tets == [1] * 6, tets
PYTHON
  ! command -v gnuplot >/dev/null || [ -s out/scaling/scale/weak.png ] || fail 'no picture'
}
no_jobs() { [ -z "$(on_host 0 squeue -h 2>/dev/null)" ]; }

# ---- waits -----------------------------------------------------------------------------------------------------------

waits_documented=9 # docs/scaling.md, "Measured on hosts"
waits_margin=3

# The time of an iteration against the delay of a link is a line, whose slope is the number of waits in order. Each rank
# is alone on its host, and messages are eager, since a rendezvous takes three ways. Fails if an iteration waits more
# often than docs/scaling.md has it. The delays are long against what other processes of the machine cost; without
# any delay a frame would come earlier by the time that the switch takes to wake up.
check_waits() {
  local i delay runs=() number
  for ((i = 0; i <= cluster_hosts; i++)); do on_host $i sysctl -qw net.ipv4.tcp_slow_start_after_idle=0; done
  for delay in 10000 30000 10000 30000; do
    runs+=("$delay=waits_${#runs[@]}")
    cluster_delay $delay
    OMPI_MCA_btl=tcp,self OMPI_MCA_btl_tcp_eager_limit=1000000 on_host 0 timeout 300 srun -N4 -n4 --cpu-bind=none \
      ./program run source/inputs/bench/box.yaml -mesh_box_size 4,1,1 -mesh_box_cells 48,12,12 \
      -operator_type multigrid -time_steps 1 -solver_max_it 20 -output_directory "${runs[-1]#*=}" >log 2>&1 ||
      fail "a run with a delay of $delay us"
  done
  cluster_delay 0
  number=$("$python" -B "$source/tests/cluster/waits.py" "${runs[@]}") || fail 'waits.py'
  echo "$number"
  awk -v n="${number%% *}" -v most=$((waits_documented + waits_margin)) 'BEGIN { exit !(n > 0 && n <= most) }' ||
    fail "an iteration has ${number%% *} waits in order, expected at most $waits_documented + $waits_margin"
}

# ----------------------------------------------------------------------------------------------------------------------

checks=("${@:3}")
[ ${#checks[@]} != 0 ] || checks=(batch hybrid time_limit files_of_a_host scaling waits lost_slurmd lost_host)
cluster_up "$PWD/cluster" 4 2 >log 2>&1 || fail 'no cluster'
for check in "${checks[@]}"; do
  begin=$SECONDS
  wait_until 60 all_idle || fail "before $check: hosts are not idle: $(on_host 0 sinfo 2>&1)"
  "check_$check"
  echo "$check passed, $((SECONDS - begin)) s"
done
