#!/bin/bash
# Passes generated inputs to the readers of meshes, tables and decks, with libFuzzer and the sanitizers (Debian:
# clang, libclang-rt-14-dev, libomp-dev).
#     bash tests/fuzz/run.sh [seconds [target...]]      60 seconds each of mesh, tetgen, csv, spline, deck and
#     checkpoint
# What it finds lies in build-fuzz/found/<target>/; small inputs that tell something new belong into
# tests/fuzz/corpus/<target>.
cd "$(dirname "$0")/../.." || exit 1
. jobs/setup.sh
debian_packages+=' clang libclang-rt-14-dev libomp-dev'
install_packages || exit 1
seconds=${1:-60}
shift
build build-fuzz --preset fuzz || exit 1
use_ranks 1
for target in ${*:-mesh tetgen csv spline deck checkpoint}; do
  found=build-fuzz/found/$target
  mkdir -p "$found/corpus"
  echo "$target: $seconds s"
  ASAN_OPTIONS=detect_leaks=0 build-fuzz/tests/fuzz/fuzz_"$target" -max_total_time="$seconds" -timeout=10 \
    -rss_limit_mb=8192 -max_len=4096 -print_final_stats=1 -verbosity=0 -artifact_prefix="$found/" \
    "$found/corpus" tests/fuzz/corpus/"$target" 2>&1 | tee "$found/log" | grep -E '^(stat::|==|SUMMARY|[A-Z].*ERROR)' &&
    [ "${PIPESTATUS[0]}" = 0 ] || exit 1
done
