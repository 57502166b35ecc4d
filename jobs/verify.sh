#!/usr/bin/env bash
# The cases of docs/verification.md: bash jobs/verify.sh [--quick] [--ranks 1,2,4] [CASE...]
exec python3 "$(dirname "$0")" verify "$@"
