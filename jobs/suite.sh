#!/usr/bin/env bash
# The benchmark of docs/benchmark.md: bash jobs/suite.sh small|medium|large|contact|FILE [ENTRANT,...] [options]
# Runs what is missing in out/suite, after a kill too, and prints a table; --docs docs renews docs/benchmark.md and
# docs/claims.md. Under Slurm, with a job for each problem and more nodes for the larger ones:
#     LAUNCH="sbatch --wait -N 4 --wrap" LAUNCH_1e7="sbatch --wait -N 64 --wrap" bash jobs/suite.sh large
exec python3 "$(dirname "$0")" suite "$@"
