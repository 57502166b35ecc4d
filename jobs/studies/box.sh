# All solvers on a box of 127,008 tetrahedra, on two ranks; sourced by jobs/studies.sh.

# times FOLDER: iterations and seconds to errors of 1e-2, 1e-4 and 1e-6, for every solver.
times() {
  awk -F, '
    BEGIN { n = split("1e-2 1e-4 1e-6", at, " "); printf "%-18s", "iterations, s to"; for (i = 1; i <= n; i++) printf "%18s", at[i]; print "" }
    FNR > 1 { if (!($1 in seen)) { seen[$1]; name[++s] = $1 }
              for (i = 1; i <= n; i++) if ($8 + 0 == $8 && $8 <= at[i] + 0 && !(($1, i) in first)) first[$1, i] = sprintf("%d, %.3g", $2, $3) }
    END { for (j = 1; j <= s; j++) { printf "%-18s", name[j]
          for (i = 1; i <= n; i++) printf "%18s", ((name[j], i) in first) ? first[name[j], i] : "-"; print "" } }' "$1/compare.csv"
}

# Status 2 is that of the methods that diverge at this step.
study_box_126k() {
  local deck status
  use_ranks 2
  mpiexec -n 2 "$WRING" run inputs/studies/box_126k_twist.yaml >"$out/log" 2>&1 || fail "wring run inputs/studies/box_126k_twist.yaml"
  for deck in box_126k box_126k_strain; do
    mpiexec -n 2 "$WRING" compare inputs/studies/$deck.yaml >"$out/log_$deck" 2>&1
    status=$?
    ((status == 0 || status == 2)) || fail "wring compare inputs/studies/$deck.yaml"
    echo "$deck"
    times "out/studies/$deck"
  done
}
