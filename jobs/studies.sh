#!/bin/bash
# The studies of the papers, whose results stand in docs/results.md: each runs a deck of inputs/studies, in variations, and
# leaves under out/studies/<name> what wring writes, a table (table.txt, also printed) and, with gnuplot, pictures.
#     bash jobs/studies.sh [name...]      without a name all of them; the names are those of the decks
#     bash jobs/studies.sh -l             lists them
# Builds wring in build/; WRING=path takes another program instead. One rank, since some orders are sequential; box_126k has two.
cd "$(dirname "$0")/.." || exit 1
. jobs/setup.sh
for part in thesis liu essay box; do . "jobs/studies/$part.sh"; done

names="thesis_3.2 thesis_3.3 thesis_3.4 thesis_3.8 thesis_sweep thesis_weights
  liu_7 liu_8 liu_9 liu_13 liu_14 liu_15 liu_16 liu_17 essay_6 essay_10 essay_13 essay_14 essay_16 box_126k"

fail() { echo "studies.sh: $study: $*" >&2; exit 1; }

# run_wring COMMAND DECK [option]...: its screen goes to the file log; the status is the program's.
run_wring() { "$WRING" "$1" "inputs/studies/$2.yaml" "${@:3}" >"$out/log" 2>&1; }

# must COMMAND DECK [option]...: the same, and the end of this script when it fails.
must() { run_wring "$@" || { tail -n 5 "$out/log" >&2; fail "wring $*"; }; }

# make_state FOLDER DECK: runs a deck that others start from, unless it has been run since it was written.
make_state() {
  [ "$1/run.json" -nt "$2" ] || "$WRING" run "$2" >"$out/log" 2>&1 || fail "wring run $2"
}

# errors FOLDER ITERATION...: relative errors in % of every solver of a comparison.
errors() {
  awk -F, -v want="${*:2}" '
    BEGIN { n = split(want, at, " "); printf "%-18s", "error in % after"; for (i = 1; i <= n; i++) printf "%11s", at[i]; print "" }
    FNR > 1 { if (!($1 in seen)) { seen[$1]; name[++s] = $1 } error[$1, $2] = $8 }
    END { for (j = 1; j <= s; j++) { printf "%-18s", name[j]
          for (i = 1; i <= n; i++) printf "%11.3g", 100 * error[name[j], at[i]]; print "" } }' "$1/compare.csv"
}

# reach FOLDER ERROR...: iterations to relative errors, "-" where they are not reached.
reach() {
  awk -F, -v want="${*:2}" '
    BEGIN { n = split(want, at, " "); printf "%-18s", "iterations to"; for (i = 1; i <= n; i++) printf "%11s", at[i]; print "" }
    FNR > 1 { if (!($1 in seen)) { seen[$1]; name[++s] = $1 }
              for (i = 1; i <= n; i++) if ($8 <= at[i] + 0 && !(($1, i) in first)) first[$1, i] = $2 }
    END { for (j = 1; j <= s; j++) { printf "%-18s", name[j]
          for (i = 1; i <= n; i++) printf "%11s", ((name[j], i) in first) ? first[name[j], i] : "-"; print "" } }' "$1/compare.csv"
}

# plot PICTURE SIZE: commands of gnuplot from standard input, in the study's folder. of(solver, column) picks rows of compare.csv.
plot() {
  command -v gnuplot >/dev/null || { cat >/dev/null; return; }
  {
    echo "set terminal pngcairo noenhanced font ',10' size $2; set output '$1.png'; set datafile separator ','"
    echo "set datafile missing NaN; set linetype 5 lc rgb '#8c564b'; set grid lc rgb '#dddddd'; set key top right; set style data lines"
    echo "of(name, c) = strcol(1) eq name ? column(c) : NaN"
    cat
  } >"$out/$1.gp"
  (cd "$out" && gnuplot "$1.gp") || fail "gnuplot $1.gp"
  echo "picture: $out/$1.png" >&3
}

[ "$1" = -l ] && { echo $names; exit; }
for study in "${@:-$names}"; do
  for name in $names; do [ "$name" = "$study" ] && continue 2; done
  [ "$study" = "$names" ] || { echo "studies.sh: no study '$study', expected one of" $names >&2; exit 1; }
done
use_ranks 1
exec 3>&1 # pictures are told of on the screen, tables go to a file first
if [ -z "$WRING" ]; then
  build build -D CMAKE_BUILD_TYPE=Release || exit 1
  WRING=build/wring
fi
for study in ${*:-$names}; do
  out=out/studies/$study
  mkdir -p "$out"
  echo "== $study"
  "study_$study" >"$out/table.txt" || fail "no result"
  cat "$out/table.txt"
done
