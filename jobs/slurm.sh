#!/usr/bin/env bash
# A run under Slurm that continues from its last checkpoint until it is done: sbatch jobs/slurm.sh DECK [-key value ...]
# Adapt the lines below to the cluster: nodes, time, partition, account, modules. `wring check DECK` estimates the
# memory. The output directory is the deck's, or that of -output_directory; jobs with the same one must not run at the
# same time, and a run of another deck there is refused. The program is $WRING, else build/wring below the directory of
# sbatch, else the wring in PATH.
#SBATCH --job-name=wring
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=32
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=2G
#SBATCH --time=12:00:00
#SBATCH --signal=USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append
case ${1:-} in -h | --help) exec sed -n '1d; /^# /!q; s/^# //p' "$0" ;; esac
set -eu
deck=${1:?usage: sbatch jobs/slurm.sh DECK [-key value ...]}
shift

# module load gcc openmpi petsc        # those that wring was built with
program=${WRING:-$([ -x build/wring ] && echo build/wring || command -v wring || true)}
[ -n "$program" ] || { echo "no program: neither build/wring nor wring in PATH; give WRING=FILE" >&2 && exit 1; }
# A rank is bound to its cores, and each of its threads to one of them. srun does not inherit --cpus-per-task since
# Slurm 22.05. Where it does not start MPI programs, LAUNCH='mpiexec --map-by ...' takes its place.
threads=${SLURM_CPUS_PER_TASK:-1}
export OMP_NUM_THREADS=$threads OMP_PLACES=cores OMP_PROC_BIND=close
launch=${LAUNCH:-srun --cpus-per-task=$threads --cpu-bind=cores}

# Slurm sends SIGUSR1 to the ranks 5 minutes before the end: wring then ends its step, writes a checkpoint and exits
# with status 3. The job is queued again then, by Slurm itself when a node is lost, and by hand in any other case.
status=0
$launch "$program" run "$deck" -checkpoint_resume true "$@" || status=$?
if [ "$status" = 3 ] && [ -n "${SLURM_JOB_ID:-}" ]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit "$status"
