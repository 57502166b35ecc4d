#!/usr/bin/env bash
# The suite of problems: bash jobs/suite.sh small|medium|large
exec python3 "$(dirname "$0")" suite "$@"
