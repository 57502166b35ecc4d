#!/bin/bash
# ranks: 2     cost: 9
# docs/examples/plugin, a law, a solver, an integrator and a shape of colliders, built against an installed wring and
# loaded by it, works in every command as members of src do, and passes the tests of its families. Fails if a header
# that a member needs is not installed, if the program lacks a name that it may call, if a part of it has a list of its
# own instead of the family's, if a key of the plugin has no effect, or if a wrong plugin is taken.
. "$(dirname "$0")/lib.sh"
for test in law prox materials stress solver_types integrators shapes contact; do
  "$build/tests/plugin/plugin_$test" "$source" >log 2>&1 || fail "test_$test with the members of the plugin"
done
[ "${WRING_SANITIZE-}" != ON ] || skip "a plugin of an installed wring would need the sanitizers too"
grep -q -- --coverage "$build/CMakeCache.txt" && skip "a plugin of an installed wring would need gcov too"

# ---- build and load -------------------------------------------------------------------------------------------------

cmake --install "$build" --prefix "$work/installed" >log || fail "no installed tree"
cmake -S "$source/docs/examples/plugin" -B mine -D CMAKE_PREFIX_PATH="$work/installed" -D CMAKE_C_COMPILER="${CC:-cc}" \
  -D CMAKE_C_FLAGS='-Wall -Wextra -Werror' >log 2>&1 || fail "the plugin finds no wring"
cmake --build mine >log 2>&1 || fail "the plugin does not build"
wring=$work/installed/bin/wring
pc=$(dirname "$(find "$work/installed" -name wring.pc)")
plugin=(-plugin mine/mine.so)
works 1 help deck "${plugin[@]}"
for word in green momentum backward disc; do
  grep -q "$word" log || fail "help does not name $word"
done
works 1 help solver_momentum "${plugin[@]}"
grep -q 'solver_momentum_beta' log || fail "help does not name a key of the plugin"

# ---- every command --------------------------------------------------------------------------------------------------

cat >deck.yaml <<'END'
mesh: {box: {size: [1, 1, 1], cells: [3, 3, 3], origin: [0, 0, 0.21]}}
material: {model: green, stiffness: 1e5, density: 1000}
collider: {disc: {shape: disc, centre: [0.5, 0.5, 0], radius: 1, rounding: 0.2, stiffness: 1e5}}
gravity: [0, 0, -9.81]
time: {step: 0.02, steps: 10, integrator: backward}
solver: {type: momentum, rtol: 1e-8, max_it: 1000}
END
for ranks in 1 2; do
  works $ranks run deck.yaml "${plugin[@]}" -output_directory on$ranks
  grep -q '^solver *momentum' log || fail "the run does not name the solver"
  awk -v f="$(last on$ranks/steps.csv collider_disc_fz)" 'BEGIN { exit !(f > 1000) }' || fail "the disc does not push"
done
close "$(last on2/steps.csv elastic)" "$(last on1/steps.csv elastic)" 1e-5 "elastic energy on two ranks"
grep -q '"plugin_1"' on1/run.json || fail "run.json does not record the plugin"
works 1 run deck.yaml --plugin=mine/mine.so -solver_momentum_beta 0.9 -output_directory beta
[ "$(last beta/steps.csv iterations)" != "$(last on1/steps.csv iterations)" ] || fail "beta has no effect"
works 2 run deck.yaml "${plugin[@]}" -time_integrator implicit_euler -time_steps 10 -output_directory euler
close "$(last euler/steps.csv elastic)" "$(last on2/steps.csv elastic)" 1e-12 "elastic energy of implicit_euler"
works 1 check deck.yaml "${plugin[@]}"
works 1 evaluate deck.yaml "${plugin[@]}" -time_integrator implicit_euler -output_directory evaluated
works 2 compare deck.yaml "${plugin[@]}" -compare_solvers momentum,qn -compare_iterations 5 -output_directory compared
works 1 bench "${plugin[@]}" -bench_tets 500 -bench_parts laws -bench_budget 0.001 -output_directory bench
grep -q green log || fail "bench leaves the law green out"

# ---- what is refused ------------------------------------------------------------------------------------------------

# refused TEXT ARGS...: one line with the text, on two ranks too.
refused() {
  local text=$1
  shift
  for ranks in 1 2; do
    expect 1 $ranks "$@"
    [ "$(grep -c "^wring: " log)" = 1 ] && ! grep -q PETSC log || fail "not one line"
    grep -qF -- "$text" log || fail "the refusal does not say '$text'"
  done
}

refused 'collider_disc_shape is "disc", expected one of' check deck.yaml
refused "plugin none.so: cannot be loaded" check deck.yaml -plugin none.so
refused "plugin deck.yaml: cannot be loaded" check deck.yaml -plugin deck.yaml
refused "-plugin : expected a file name" check deck.yaml -plugin
refused "there is a law 'green' already" check deck.yaml "${plugin[@]}" "${plugin[@]}"
sed '$a plugin: mine/mine.so' deck.yaml >named.yaml
refused "a deck has no plugins" check named.yaml "${plugin[@]}"
echo 'int nothing;' | mpicc -shared -fPIC -o empty.so -x c -
refused "expected a library that defines wring_plugin_table" check deck.yaml -plugin empty.so
echo '#include <wring/plugin.h>
const wring_plugin wring_plugin_table = {.interface = "wring 0.1, interface 0"};' >old.c
sed 's/{.*}/{0}/' old.c >bare.c
for name in old bare; do
  mpicc $(PKG_CONFIG_PATH=$pc:${PKG_CONFIG_PATH-} pkg-config --cflags wring) -shared -fPIC -o $name.so $name.c
done
refused "plugin old.so: made for wring 0.1, interface 0, expected wring 0." check deck.yaml -plugin old.so
refused "plugin bare.so: made for no interface, expected wring 0." check deck.yaml -plugin bare.so
echo 'extern void no_such_name(void); void call(void); void call(void) { no_such_name(); }' |
  mpicc -shared -fPIC -o undefined.so -x c -
refused "undefined symbol: no_such_name" check deck.yaml -plugin undefined.so
