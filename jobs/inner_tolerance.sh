#!/bin/bash
# How accurate qn's solves with A should be: one step of a twisted box by qn with operator.type multigrid, for operator.rtol from 1e-1 to
# 1e-8 and h^2 k/(density dx^2) from 1 to 1e6. Writes out/bench/inner_tolerance/table.csv (ratio, rtol, error, iterations, linear
# iterations, seconds) and prints it as docs/performance.md has it: "iterations/linear iterations/seconds" to two relative errors.
#     bash jobs/inner_tolerance.sh [ratio...]      without a ratio all seven
# Builds wring in build/; WRING=path takes another program instead. One rank; OMP_NUM_THREADS says how many threads.
cd "$(dirname "$0")/.." || exit 1
. jobs/setup.sh
out=out/bench/inner_tolerance
if [ -z "$WRING" ]; then
  build build -D CMAKE_BUILD_TYPE=Release || exit 1
  WRING=build/wring
fi
use_ranks 1
fail() { echo "inner_tolerance.sh: $*" >&2; exit 1; }

rtols="1e-1 1e-2 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8"
mkdir -p "$out"
[ out/bench/inner_state/run.json -nt inputs/bench/inner_state.yaml ] ||
  "$WRING" run inputs/bench/inner_state.yaml >"$out/log" 2>&1 || fail "wring run inputs/bench/inner_state.yaml"

# solve RATIO RTOL FOLDER [option]...: the step. Young's modulus of ratio 1 is 687 Pa: k = 2.71 E, dx = 1/22 m, h = 1/30 s.
solve() {
  "$WRING" run inputs/bench/inner_tolerance.yaml -material_young "$(awk "BEGIN { print 687 * $1 }")" -operator_rtol "$2" \
    -output_directory "$3" "${@:4}" >"$out/log" 2>&1 || fail "wring run inputs/bench/inner_tolerance.yaml, ratio $1, rtol $2"
}

# rows RATIO: of the table, errors relative to g(x_0) - g*, where g* is the least g of all runs.
rows() {
  local r files=()
  for r in reference $rtols; do files+=("$out/$1/$r/history.csv"); done
  awk -F, -v ratio="$1" '
    FNR == 1 { n = split(FILENAME, part, "/"); rtol = part[n - 1]; next }
    { if (FNR == 2) first = $5; if (NR == 2 || $5 < least) least = $5 }
    rtol != "reference" { k = ++rows; of[k] = rtol; it[k] = $4; g[k] = $5; lin[k] = $11; s[k] = $12 }
    END { for (e = 4; e <= 8; e += 4) for (k = 1; k <= rows; k++)
            if (!((of[k], e) in done) && g[k] - least <= 10 ^ -e * (first - least)) {
              done[of[k], e]; printf "%s,%s,1e-%d,%d,%d,%.4f\n", ratio, of[k], e, it[k], lin[k], s[k] } }' "${files[@]}"
}

for ratio in "${@:-1 10 1e2 1e3 1e4 1e5 1e6}"; do
  for r in $ratio; do
    solve "$r" 1e-6 "$out/$r/reference" -solver_rtol 1e-10 -solver_max_it 300
    for rtol in $rtols; do solve "$r" "$rtol" "$out/$r/$rtol"; done
    rows "$r" >"$out/$r.csv"
  done
done
{
  echo "ratio,rtol,error,iterations,linear_iterations,seconds"
  for r in 1 10 1e2 1e3 1e4 1e5 1e6; do [ -f "$out/$r.csv" ] && cat "$out/$r.csv"; done
} >"$out/table.csv"
awk -F, 'NR > 1 { cell[$3, $1, $2] = sprintf("%d/%d/%.2f", $4, $5, $6); if (!($1 in ratios)) { ratios[$1]; ratio[++n] = $1 } }
  END { m = split("1e-1 1e-2 1e-3 1e-4 1e-5 1e-6 1e-7 1e-8", rtol, " ")
    for (e = 4; e <= 8; e += 4) { printf "| to 1e-%d |", e; for (j = 1; j <= m; j++) printf " %s |", rtol[j]; print ""
      for (i = 1; i <= n; i++) { printf "| %s |", ratio[i]
        for (j = 1; j <= m; j++) printf " %s |", (("1e-" e, ratio[i], rtol[j]) in cell) ? cell["1e-" e, ratio[i], rtol[j]] : "-"; print "" } } }' "$out/table.csv" |
  tee "$out/table.md"
