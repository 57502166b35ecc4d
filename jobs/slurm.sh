#!/usr/bin/env bash
# A run under Slurm that continues from its last checkpoint until it is done: sbatch jobs/slurm.sh DECK [-key value ...]
# Adapt the lines below to the cluster: nodes, time, partition, account, modules. `wring check DECK` estimates the
# memory. The output directory is the deck's, or that of -output_directory; jobs with the same one must not run at the
# same time.
#SBATCH --job-name=wring
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=32
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=2G
#SBATCH --time=12:00:00
#SBATCH --signal=USR1@300
#SBATCH --requeue
#SBATCH --open-mode=append
set -eu
deck=${1:?usage: sbatch jobs/slurm.sh DECK [-key value ...]}
shift

# module load gcc openmpi petsc        # those that wring was built with
# srun does not inherit --cpus-per-task since Slurm 22.05, but reads this variable.
export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-1} OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1} OMP_PROC_BIND=close

# Slurm sends SIGUSR1 to the ranks 5 minutes before the end: wring then ends its step, writes a checkpoint and exits
# with status 3.
status=0
${LAUNCH:-srun} "${WRING:-build/wring}" run "$deck" -checkpoint_resume true "$@" || status=$?
if [ "$status" = 3 ] && [ -n "${SLURM_JOB_ID:-}" ]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit "$status"
