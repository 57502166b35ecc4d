#!/bin/bash
# ranks: 2     cost: 4
# An installed wring is found by CMake and by pkg-config, links, and runs. Fails when a dependency is not exported, when
# a public header is not installed or does not stand alone, or when the files contain a path of the build folder; and
# when the program of docs/developer.md, from a deck to a solver, does not make the step that `wring run` makes.
. "$(dirname "$0")/lib.sh"
[ "${WRING_SANITIZE-}" != ON ] || skip "programs would need the sanitizers too"
grep -q -- --coverage "$build/CMakeCache.txt" && skip "programs would need gcov too"
set -e -o pipefail
cmake --install "$build" --prefix "$work/moved" >/dev/null
grep -q solver_type "$work/moved/share/man/man1/wring.1" || fail 'no man page is installed'
bash -n "$work/moved/share/bash-completion/completions/wring" || fail 'completion for bash'
[ -s "$work/moved/share/zsh/site-functions/_wring" ] || fail 'completion for zsh'
mv "$work/moved" "$work/wring" # whoever uses it may have moved it

for header in wring/include/wring/*.h; do echo "#include <wring/$(basename "$header")>"; done >all.c
sort -r all.c >program.c # each header stands alone, so any order will do
echo 'int main(void) { return wring_max_threads() > 0 ? 0 : 1; }' >>program.c
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(program LANGUAGES C)
find_package(wring 0.2 REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE wring::wring)
END
cmake -S . -B by_cmake -D CMAKE_PREFIX_PATH="$work/wring" -D CMAKE_C_COMPILER="${CC:-cc}" >log 2>&1 ||
  { cat log; exit 1; }
cmake --build by_cmake >log 2>&1 || { cat log; exit 1; }
by_cmake/program

PKG_CONFIG_PATH=$(dirname "$(find "$work/wring" -name wring.pc)"):${PKG_CONFIG_PATH-}
export PKG_CONFIG_PATH LD_LIBRARY_PATH=${PKG_CONFIG_PATH%%/pkgconfig*}:${LD_LIBRARY_PATH-}
mpicc -o by_pkg_config program.c $(pkg-config --cflags --libs wring)
./by_pkg_config
sed -n '/^```c$/,/^```$/{/^```/!p}' "$source/docs/developer.md" >step.c
mpicc -Wall -Wextra -Werror -o step step.c $(pkg-config --cflags --libs wring)
works 1 run "$source/inputs/lamp.yaml" -time_steps 1 -output_directory out -output_every 0
for ranks in 1 2; do
  "$mpiexec" -n $ranks ./step "$source/inputs/lamp.yaml" >elastic 2>log ||
    fail "the program of docs/developer.md on $ranks ranks"
  [ $ranks = 2 ] || [ "$(cat elastic)" = "$(last out/steps.csv elastic)" ] ||
    fail "another elastic energy than the run's"
  close "$(cat elastic)" "$(last out/steps.csv elastic)" 1e-5 "elastic energy of the program on $ranks ranks"
done
"$mpiexec" -n 2 ./step "$source/inputs/lamp.yaml" -solver_rtoll 1 >log 2>&1 && fail "an unknown key is taken"
grep -q 'did you mean solver_rtol' log || fail "the refusal of an unknown key"

# A pressure that follows the solution: the program makes the load step of `run`. wring_solver_solve alone would leave
# out the pressure of the solution: fails if it does not refuse.
cat >pressed.yaml <<'END'
mesh:     {box: {size: [1, 0.3, 0.3], cells: [8, 3, 3]}}
material: {model: neohookean, young: 1e6, poisson: 0.3, density: 1000}
attach:   {xmin: {hard: true}}
pressure: {zmax: {value: 3000}}
time:     {integrator: static, steps: 1}
output:   {directory: out, every: 0}
END
works 1 run pressed.yaml
[ "$("$mpiexec" -n 1 ./step pressed.yaml)" = "$(last out/steps.csv elastic)" ] || fail 'another load step than the run'
alone='wring_problem_begin_step(p, x)); PetscCall(wring_solver_solve(solver, x, \&outcome)'
sed "s/wring_problem_step(.*&elastic)/$alone/" step.c >solve.c
mpicc -o solve solve.c $(pkg-config --cflags --libs wring)
! "$mpiexec" -n 1 ./solve pressed.yaml >log 2>&1 || fail 'wring_solver_solve takes a load step under pressure'
grep -q 'depend on the solution of a load step, expected wring_problem_step' log || fail 'its refusal'

# A term and a solver of a program's own, on the first two of three ranks: the same minimum as the deck's solver, lower
# than the start. Fails when something of the library uses the world, or a term that is added does not act.
example=$source/docs/examples/own_solver.c
mpicc -Wall -Wextra -Werror -o own_solver "$example" $(pkg-config --cflags --libs wring) -lm
for ranks in 1 3; do
  "$mpiexec" -n $ranks ./own_solver "$source/inputs/lamp.yaml" -solver_rtol 1e-9 >own 2>log || fail "$example on $ranks"
  read -r _ start _ own _ deck _ <own
  close "$own" "$deck" 1e-9 "the minimum of the own solver on $ranks ranks"
  awk -v a="$own" -v b="$start" 'BEGIN { exit !(a < b - 1e-4) }' || fail "the minimum $own is not below $start"
  [ $ranks = 1 ] || close "$own" "$one" 1e-9 'the minimum on two ranks'
  one=$own
done
"$mpiexec" -n 1 "$wring" evaluate "$source/inputs/lamp.yaml" -output_directory without >log 2>&1
! awk -v a="$start" -v b="$(json_value without/evaluate.json objective)" 'BEGIN { exit !(a - b < 1e-3) }' ||
  fail 'the term of the program does not act'

! grep -rIl "$build" wring/lib* || { echo "the files above name the build folder"; exit 1; }
