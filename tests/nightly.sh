#!/bin/bash
# Checks that take too long for every change. Installs what they need (Debian) and builds in build-nightly/<part>.
#     bash tests/nightly.sh               all parts, each at low priority; ends with one line per part
#     bash tests/nightly.sh PART...       clang sanitize threads petsc64 ranks growth fuzz kills prox random contact
#                                        cluster coverage
# clang      the suite built by clang with -Werror
# sanitize   the suite with address, leak and undefined-behaviour sanitizers; tests/leaks.supp names Open MPI and its
#            libraries
# threads    data races of the OpenMP loops. gcc's libgomp is not instrumented, so that ThreadSanitizer reports every
#            barrier as a race; here clang compiles, and LLVM's OpenMP runtime reports to ThreadSanitizer its barriers,
#            tasks and reductions through the OMPT tool archer. The C tests with "ranks:" and one step of every solver
#            run on 3 threads.
# petsc64    the suite with a PETSc of 64-bit indices (libpetsc64-real-dev)
# ranks      the C tests that run on 4 or 7 ranks, and a short run, on 3, 7 and 16 ranks
# growth     memory and messages of a rank on 16, 64 and 256 ranks (15 GiB), which may grow like the logarithm of ranks;
#            GROWTH_RANKS gives others
# fuzz       each target of tests/fuzz/run.sh for FUZZ_SECONDS (30)
# kills      test_kill.sh with KILLS kills (200) from the seed KILL_SEED (another one each time, printed)
# prox       test_prox with WRING_PROX_SEEDS random sequences (100)
# random     tests/random: RANDOM_DECKS decks (50) from the seed RANDOM_SEED (another one each time, printed)
# contact    self-contact by a barrier: CCD_QUERIES queries (1,000,000) in exact arithmetic, every scene on 1, 2 and 4
#            ranks, and FALLS falls (10,000) of small bodies from the seed FALL_SEED (another one each time, printed)
# cluster    tests/cluster.sh: four hosts under Slurm, made on this machine (needs root)
# coverage   lines of src that the suite runs, by gcov; fails below COVERAGE percent (95)
cd "$(dirname "$0")/.." || exit 1
. jobs/setup.sh
renice -n 10 -p $$ >/dev/null
top=build-nightly
folder= # of the current part

# configure_and_build PART OPTION...
configure_and_build() {
  folder=$top/$1
  build "$folder" -D WRING_WERROR=ON -D WRING_TEST_PATIENCE=10 "${@:2}"
}
suite() { ctest --test-dir "$folder" --output-on-failure -j $((cores + 1)) "$@"; }

# programs RANKS: the C tests that run on that many ranks; "ranks:" in their first lines lists them.
programs() { grep -lE "ranks:.*\b$1\b" tests/test_*.c | sed 's|tests/\(.*\)\.c|\1|'; }

# quiet COMMAND...: shows the output when the command fails.
quiet() {
  local log status
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null
  status=$?
  if [ $status != 0 ] && [ $status != 77 ]; then
    echo "failed with status $status: $*"
    tail -n 40 "$log"
  fi
  rm -f "$log"
  [ $status = 0 ] || [ $status = 77 ]
}

part_clang() {
  debian_packages+=' clang libomp-dev'
  install_packages && configure_and_build clang -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_COMPILER=clang && suite
}

# Plugins of Open MPI are kept open: stacks in closed plugins have no names. PETSc has no frame pointers.
part_sanitize() {
  local keep=$top/keep.so
  mkdir -p $top
  echo 'int dlclose(void *handle) { (void)handle; return 0; }' | gcc -x c -shared -fPIC -o "$keep" - || return
  install_packages && configure_and_build sanitize -D CMAKE_BUILD_TYPE=Debug -D CMAKE_C_COMPILER=gcc \
    -D WRING_SANITIZE=ON -D WRING_TEST_LEAKS="$PWD/$keep" || return
  suite
  local status=$? out
  # Shell tests do not look for leaks, since a refusal ends the program without freeing: calls that succeed do.
  export LSAN_OPTIONS=suppressions=$PWD/tests/leaks.supp:print_suppressions=0
  export ASAN_OPTIONS=detect_leaks=1:fast_unwind_on_malloc=0:verify_asan_link_order=0
  use_ranks 2
  out=$(mktemp -d)
  while read -r command; do
    # shellcheck disable=SC2086
    quiet env LD_PRELOAD="$PWD/$keep" mpiexec -n 2 "$folder/wring" $command || status=1
  done <<CALLS
help deck
check inputs/lamp.yaml
run inputs/lamp.yaml -time_steps 2 -output_directory $out/run
run inputs/lamp.yaml -time_steps 3 -output_directory $out/run -initial_restart $out/run
run inputs/scenes/two_blocks.yaml -time_steps 2 -output_directory $out/blocks
evaluate inputs/lamp.yaml -output_directory $out/evaluate
compare inputs/lamp.yaml -compare_solvers qn,newton,admm,xpbd -compare_iterations 3 -output_directory $out/compare
converge inputs/lamp.yaml -converge_levels 2 -time_steps 2 -output_directory $out/converge
bench -bench_tets 384 -bench_budget 1e-3 -output_directory $out/bench
mesh box $out/box.msh -size 1,1,1 -cells 2,2,2
mesh refine $out/box.msh $out/fine.msh
mesh info $out/fine.msh -parts 2,3
mesh convert $out/fine.msh $out/fine.vtu
CALLS
  rm -rf "$out"
  return $status
}

part_threads() {
  local archer program solver solvers failed=0 out fixed=()
  debian_packages+=' clang libomp-dev libclang-rt-14-dev'
  install_packages || return
  configure_and_build threads -D CMAKE_BUILD_TYPE=Debug -D CMAKE_C_COMPILER=clang \
    -D CMAKE_C_FLAGS='-fsanitize=thread -O1 -g -Wno-pass-failed' || return
  archer=$(find /usr/lib/llvm* -name libarcher.so 2>/dev/null | sort -V | tail -n 1)
  [ -n "$archer" ] || { echo 'libarcher.so is not there'; return 1; }
  # ThreadSanitizer of clang 14 needs the address space that it expects.
  setarch -R true 2>/dev/null && fixed=(setarch -R)
  export OMP_TOOL_LIBRARIES=$archer ARCHER_OPTIONS='verbose=0'
  export TSAN_OPTIONS="ignore_noninstrumented_modules=1:suppressions=$PWD/tests/races.supp:exitcode=66:history_size=4"
  use_ranks 1
  export OMP_NUM_THREADS=3 OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_pml=ob1
  # A deliberate race must be found; otherwise the tool does not work.
  out=$(mktemp -d)
  cat >"$out/race.c" <<'C'
int main(void)
{
  int sum = 0;
#pragma omp parallel for
  for (int i = 0; i < 1000; i++) sum += i;
  return sum == 1;
}
C
  sed 's/parallel for/& reduction(+ : sum)/' "$out/race.c" >"$out/sound.c"
  for program in race sound; do
    clang -fopenmp -fsanitize=thread -g -O1 -o "$out/$program" "$out/$program.c" || return
  done
  "${fixed[@]}" "$out/race" 2>/dev/null && { echo 'a race was not found'; return 1; }
  quiet "${fixed[@]}" "$out/sound" || { echo 'a reduction is reported as a race'; return 1; }
  # test_allocation replaces malloc, as ThreadSanitizer does.
  for program in $(programs '[0-9]+' | grep -v test_allocation); do
    quiet "${fixed[@]}" "$folder/tests/$program" "$PWD" || failed=1
  done
  cat >"$out/box.yaml" <<'DECK'
mesh:     {box: {size: [2, 1, 1], cells: [10, 5, 5], jitter: 0.2}}
gravity:  [0, 0, -9.81]
attach:   {xmin: {stiffness: 1e6}}
initial:  {velocity: [1, 2, -8]}
time:     {step: 1e-3, steps: 1}
solver:   {max_it: 3, accept: true}
DECK
  solvers=$("$folder/wring" help solver_type | sed -n 's/^solver_type: one of \([^;]*\);.*/\1/p' | tr -d ',')
  [ -n "$solvers" ] || { echo "help does not name the solvers"; return 1; }
  for solver in $solvers; do
    set -- -material_density 1000 -material_model strain -material_stiffness 1e6
    [ "$solver" = compliant ] &&
      set -- -material_density 1000 -material_model stable_neohookean -material_young 1e6 -material_poisson 0.3
    quiet "${fixed[@]}" "$folder/wring" run "$out/box.yaml" "$@" -solver_type "$solver" \
      -output_directory "$out/$solver" || failed=1
  done
  rm -rf "$out"
  return $failed
}

part_petsc64() {
  local petsc
  debian_packages+=' libpetsc64-real-dev'
  install_packages || return
  petsc=$(find /usr/lib/petscdir -maxdepth 2 -path '*petsc64*real' | sort -V | tail -n 1)
  [ -n "$petsc" ] || { echo 'no PETSc with 64-bit indices'; return 1; }
  configure_and_build petsc64 -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_COMPILER=gcc -D PETSC_DIR="$petsc" || return
  "$folder/wring" version | grep '64-bit PetscInt' || { echo 'the program has 32-bit indices'; return 1; }
  suite
}

part_ranks() {
  local n program failed=0 out
  install_packages && configure_and_build ranks -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_COMPILER=gcc || return
  use_ranks 16
  out=$(mktemp -d)
  for n in 3 7 16; do
    for program in $(programs '[47]'); do
      quiet timeout 600 mpiexec -n $n "$folder/tests/$program" "$PWD" || failed=1
    done
    quiet timeout 600 mpiexec -n $n "$folder/wring" run inputs/lamp.yaml -time_steps 3 -output_directory "$out/$n" ||
      failed=1
  done
  rm -rf "$out"
  return $failed
}

part_growth() {
  install_packages && configure_and_build growth -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_COMPILER=gcc || return
  use_ranks 256
  python3 tests/growth/growth.py "$folder/wring" ${GROWTH_RANKS:-16 64 256}
}

part_fuzz() { bash tests/fuzz/run.sh "${FUZZ_SECONDS:-30}"; }

part_kills() {
  install_packages && configure_and_build kills -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_COMPILER=gcc || return
  use_ranks 3
  bash tests/test_kill.sh "$folder" . "${KILLS:-200}" "${KILL_SEED:-$((RANDOM + 32768 * RANDOM))}" # which it prints
}

part_prox() {
  install_packages && configure_and_build prox -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_COMPILER=gcc || return
  use_ranks 1
  WRING_PROX_SEEDS=${WRING_PROX_SEEDS:-100} "$folder/tests/test_prox"
}

part_random() {
  install_packages && configure_and_build random -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_COMPILER=gcc || return
  use_ranks 1
  python3 tests/random/random_decks.py "$folder/wring" "${RANDOM_DECKS:-50}" \
    "${RANDOM_SEED:-$((RANDOM + 32768 * RANDOM))}"
}

part_cluster() {
  local status
  debian_packages+=' slurm-wlm iproute2'
  install_packages && configure_and_build cluster -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_COMPILER=gcc || return
  bash tests/cluster.sh "$folder" .
  status=$?
  [ $status = 0 ] || [ $status = 77 ]
}

part_coverage() {
  install_packages && configure_and_build coverage -D CMAKE_BUILD_TYPE=Debug -D CMAKE_C_COMPILER=gcc \
    -D CMAKE_C_FLAGS='-O1 --coverage -fprofile-update=atomic' || return
  find $folder -name '*.gcda' -delete
  suite # a failed check of time or of vector code does not change the figure
  python3 tests/coverage.py "$folder" "${COVERAGE:-95}"
}

part_contact() {
  install_packages && configure_and_build contact -D CMAKE_BUILD_TYPE=Release -D CMAKE_C_COMPILER=gcc || return
  use_ranks 4
  "$folder/tests/test_ccd" . "${CCD_QUERIES:-1000000}" &&
    WRING_SCENES=all bash tests/test_contact_scenes.sh "$folder" . &&
    /usr/bin/python3 tests/contact/random_falls.py "$folder/wring" "${FALLS:-10000}" \
      "${FALL_SEED:-$((RANDOM + 32768 * RANDOM))}"
}

main() {
  local all=(clang sanitize threads petsc64 ranks growth fuzz kills prox random contact cluster coverage) parts=("$@")
  local part begin result status=0 summary=
  [ $# != 0 ] || parts=("${all[@]}")
  for part in "${parts[@]}"; do
    if ! declare -F "part_$part" >/dev/null; then
      echo "no part $part, expected some of ${all[*]}"
      return 2
    fi
    echo "==== $part"
    begin=$SECONDS
    if (part_"$part"); then result=passed; else result=FAILED status=1; fi
    summary+="$part $result, $((SECONDS - begin)) s"$'\n'
  done
  printf '%s' "$summary"
  return $status
}
main "$@"; exit # in one line: bash reads the rest of a script that is edited meanwhile
