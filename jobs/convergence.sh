#!/usr/bin/env bash
# The levels of a convergence study as separate runs or jobs, then their results together:
#     bash jobs/convergence.sh DECK LEVELS [-key value ...]
# LAUNCH_0, LAUNCH_1, ... start a level, and LAUNCH the others and the end; default: mpiexec -n 2. Under Slurm, with
# more nodes for each finer level and all jobs in the queue at once, the last one after the others:
#     LAUNCH="sbatch --wait -N 1 --wrap" LAUNCH_2="sbatch --wait -N 8 --wrap" bash jobs/convergence.sh deck.yaml 3
# A launcher that ends with --wrap gets the command as one text that begins with srun. Finished levels are taken as they
# are.
case ${1:-} in -h | --help) exec sed -n '1d; /^# /!q; s/^# //p' "$0" ;; esac
set -eu
usage="usage: bash jobs/convergence.sh DECK LEVELS [-key value ...]"
deck=${1:?$usage}
levels=${2:?$usage}
case $levels in *[!0-9]* | 0*) echo "LEVELS is $levels, expected a whole number above 0; $usage" >&2 && exit 1 ;; esac
shift 2
wring=${WRING:-build/wring}
all=${LAUNCH:-mpiexec -n 2}

# start LAUNCHER ARGS...
start() {
  local launcher=$1 words
  shift
  case $launcher in
  *--wrap)
    printf -v words ' %q' "$wring" converge "$deck" -converge_levels "$levels" "$@"
    $launcher "srun$words"
    ;;
  *) $launcher "$wring" converge "$deck" -converge_levels "$levels" "$@" ;;
  esac
}

queued=()
for ((k = 0; k < levels; k++)); do
  name=LAUNCH_$k
  launcher=${!name:-$all}
  case $launcher in
  *--wrap)
    start "$launcher" "$@" -converge_level "$k" &
    queued+=($!)
    ;;
  *) start "$launcher" "$@" -converge_level "$k" ;;
  esac
done
status=0
for job in ${queued[@]+"${queued[@]}"}; do wait "$job" || status=$?; done
[ "$status" = 0 ] || exit "$status"
start "$all" "$@"
