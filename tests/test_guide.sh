#!/usr/bin/env bash
# The decks and commands of the tutorial, the user guide, the operations and the page on contact work as printed, in
# this order: blocks that begin with "# NAME" or "// NAME" become files; indented lines that begin with wring, mpiexec,
# gmsh or gnuplot are run. Fails when one of them fails, when the guide's list of solvers for self-contact is not what
# `wring check` accepts, or when a deck of inputs has an unknown key or one twice.
# usage: test_guide.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 9
. "$(dirname "$0")/lib.sh"
guide=$base/guide.md
cat "$source"/docs/{tutorial,user,operations,contact}.md >"$guide"
export PATH=$build:$PATH

awk '/^```(yaml|csv|geo)$/ {
  getline
  deck = $0 ~ /^(#|\/\/) [a-z]+\.(yaml|csv|geo)$/ ? $2 : "/dev/null"
  while ($0 != "```") { if (deck !~ /null/) print > deck; getline }
  if (deck !~ /null/) close(deck) }' "$guide"
[ -f beam.yaml ] && [ -f chain.yaml ] && [ -f links.csv ] || fail 'the guide has no decks'

# run COMMAND: as typed; a terminal is not needed for pictures.
run() {
  echo "$1"
  eval "$1" >log 2>&1 || fail "$1"
  grep -E 'warning|rose' log
  return 0
}
run='wring [rc][uoh].*\|wring mesh .*\|mpiexec .*\|gmsh .*\|gnuplot .*'
mapfile -t commands < <(sed -n "s/^    \($run\)\$/\1/p" "$guide" |
  grep -v 'DECK\|FILE\|FROM\|box TO\|inputs/\|deck.yaml')
[ ${#commands[@]} -ge 8 ] || fail "${#commands[@]} commands in the guide"
for deck in pulled chain drop; do
  run "wring check $deck.yaml"
  run "wring run $deck.yaml"
done
run "wring run press.yaml -time_steps 2"
for command in "${commands[@]}"; do
  if [[ $command = gnuplot* ]]; then
    command -v gnuplot >/dev/null || continue
    command=${command/ -p -e \"/ -e \"set terminal dumb; }
  fi
  if [[ $command = *bracket* ]] && ! command -v gmsh >/dev/null; then continue; fi
  run "$command"
done

cat >touch.yaml <<'DECK'
mesh:         {box: {size: [1, 1, 1], cells: [1, 1, 1]}}
material:     {model: strain, stiffness: 1e5, density: 1000}
time:         {step: 1e-2, steps: 1}
DECK
methods() { # KEY: of the method by this key of self_contact
  for type in $(choices solver_type); do
    ! on 1 check touch.yaml $1 -solver_type "$type" || echo "$type"
  done | sort
}
for method in "penalty -self_contact_stiffness 1e5" "barrier -self_contact_method barrier"; do
  listed=$(tr '\n' ' ' <"$guide" | grep -o "The ${method%% *} works with [^;]*;" | grep -o '`[a-z_]*`' | tr -d '`' |
    sort)
  accepted=$(methods "${method#* }")
  [ -n "$accepted" ] && [ "$listed" = "$accepted" ] || fail "solvers for the ${method%% *}: $listed, not $accepted"
done
[ "$(tail -1 out/later/steps.csv | cut -d, -f1)" = 80 ] || fail 'the restart did not reach step 80'

# Every deck of inputs has known keys, once each: the key that is added is the first one that is refused.
mapfile -t decks < <(find "$source/inputs" -name '*.yaml' -not -path "$source/inputs/suite/*")
[ ${#decks[@]} -gt 50 ] || fail "${#decks[@]} decks in inputs"
for deck in "${decks[@]}"; do
  expect 1 1 check "$deck" -added 1
  grep -q 'unknown key added' log || fail "$deck"
done
exit 0
