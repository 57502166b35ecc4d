#!/usr/bin/env bash
# The decks and commands of docs/user.md work as printed: blocks that begin with "# NAME" become files; indented lines
# that begin with wring, mpiexec or gnuplot are run. Fails when one of them fails.
# usage: test_guide.sh BUILD_DIR SOURCE_DIR     ranks: 2
. "$(dirname "$0")/lib.sh"
guide=$source/docs/user.md
export PATH=$build:$PATH

awk '/^```(yaml|csv)$/ {
  getline
  deck = $0 ~ /^# [a-z]+\.(yaml|csv)$/ ? $2 : "/dev/null"
  if (deck ~ /csv$/) getline
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
mapfile -t commands < <(sed -n 's/^    \(wring [rc][uoh].*\|mpiexec .*\|gnuplot .*\)$/\1/p' "$guide" |
  grep -v 'DECK\|inputs/\|deck.yaml')
[ ${#commands[@]} -ge 8 ] || fail "${#commands[@]} commands in the guide"
for deck in pulled chain drop; do
  run "wring check $deck.yaml"
  run "wring run $deck.yaml"
done
for command in "${commands[@]}"; do
  if [[ $command = gnuplot* ]]; then
    command -v gnuplot >/dev/null || continue
    command=${command/ -p -e \"/ -e \"set terminal dumb; }
  fi
  run "$command"
done
[ "$(tail -1 out/later/steps.csv | cut -d, -f1)" = 80 ] || fail 'the restart did not reach step 80'
exit 0
