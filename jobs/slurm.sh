#!/usr/bin/env bash
# A run under Slurm, which goes on from its last checkpoint until it is done: sbatch jobs/slurm.sh DECK [-key value ...]
# Change the lines below to the cluster: nodes, time, partition, account, modules. `wring check DECK` says how much memory it needs.
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
export OMP_NUM_THREADS=${SLURM_CPUS_PER_TASK:-1} OMP_PROC_BIND=close

# Where the checkpoints are: the deck's output.directory, or one given here.
out=${OUT:-out/$(basename "$deck" .yaml)}
restart=
if compgen -G "$out/checkpoint_*.h5" >/dev/null; then restart="-initial_restart $out"; fi

# Slurm sends SIGUSR1 to the ranks 5 minutes before the end: wring then ends its step, writes a checkpoint and exits with status 3.
status=0
${LAUNCH:-srun} "${WRING:-build/wring}" run "$deck" -output_directory "$out" $restart "$@" || status=$?
if [ "$status" = 3 ] && [ -n "${SLURM_JOB_ID:-}" ]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit "$status"
