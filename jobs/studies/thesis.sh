# The studies of the thesis (Ledwon 2024); sourced by jobs/studies.sh.

# The beam that all of them start from is twisted when missing.
twisted_beam() { make_state out/beam_twist inputs/beam_twist.yaml; }

# outline NAME TYPE ITERATIONS [option]...: a step by one solver; edges and cross-sections of the beam, seen askew, as <name>.csv.
outline() {
  must run thesis_3.4 -solver_type "$2" -solver_max_it "$3" -solver_rtol 0 -solver_measure 0 -output_directory "$out/$1" \
    -output_every 0 -output_state_csv true "${@:4}"
  awk -F, '
    function out(i, j, l, v) { v = (l * 8 + j) * 41 + i; print u[v] "," w[v] }
    FNR > 1 { u[$1] = $2 + 0.35 * $4; w[$1] = $3 + 0.2 * $4 }
    END { for (l = 0; l < 8; l += 7) for (j = 0; j < 8; j += 7) { for (i = 0; i <= 40; i++) out(i, j, l); print "" }
          for (i = 0; i <= 40; i += 8) {
            out(i, 0, 0); out(i, 7, 0); out(i, 7, 7); out(i, 0, 7); out(i, 0, 0); print "" } }' "$out/$1/state.csv" >"$out/$1.csv"
}

# One panel of outlines: panel TITLE FILE FILE, the second one in front.
panel() {
  echo "set title '$1'; plot '$2.csv' lc rgb '#d62728' lw 2 title '${2%%_*}', '$3.csv' lc rgb '#17becf' lw 1.5 title '${3%%_*}'"
}
outline_style="set size ratio -1; unset grid; unset border; unset tics; set xrange [-0.2:4.5]; set yrange [-0.6:1]; set key bottom right horizontal
set margins 0, 0, 0, 1.5"

study_thesis_3.2() {
  local h
  twisted_beam
  must compare thesis_3.2
  echo "elastic energy left, % of the start's"
  printf '%-12s%8s%11s%11s%11s%11s\n' h solver 'after 1' 10 100 1000
  for h in 1e-2 1e-3; do
    awk -F, -v h=$h '
      FNR > 1 && $2 == 0 { start[$1] = $6 }
      FNR > 1 && $2 ~ /^10*$/ { row[$1] = row[$1] sprintf("%11.3g", 100 * $6 / start[$1]) }
      END { for (s in row) printf "%-12s%8s%s\n", h, s, row[s] }' "$out/time_step=$h/compare.csv"
    outline pbd_h$h pbd 1000 -time_step $h
    outline qn_h$h qn 1000 -time_step $h
  done
  plot shapes 840,200 <<END
$outline_style; set multiplot layout 1,2
$(panel 'after 1000 iterations, h = 0.01 s' pbd_h1e-2 qn_h1e-2)
$(panel 'after 1000 iterations, h = 0.001 s' pbd_h1e-3 qn_h1e-3)
END
}

study_thesis_3.3() {
  local h start weights='a0.1 a0.2 a0.3 a0.4 a0.6 a0.8 a1.0 a1.5'
  twisted_beam
  must compare thesis_3.3
  for h in 1e-2 1e-3; do
    start+=" $(awk -F, 'NR == 2 { print $4 }' "$out/time_step=$h/compare.csv")"
    echo "h = $h s"
    errors "$out/time_step=$h" 20 60 100 200
  done
  plot weights 1000,430 <<END
set multiplot layout 1,2; set xlabel 'iteration'; set ylabel 'g / g(x_0)'; set xrange [0:100]
set yrange [0:2]; set title 'h = 0.01 s'; plot for [s in '$weights'] 'time_step=1e-2/compare.csv' using (of(s, 2)):(\$4 / word('$start', 1)) lw 1.5 title s
set yrange [0.88:1.08]; set title 'h = 0.001 s'; plot for [s in '$weights'] 'time_step=1e-3/compare.csv' using (of(s, 2)):(\$4 / word('$start', 2)) lw 1.5 title s
END
}

# by_scale COLUMN: a column of sweep.csv by h^2 k (rows) and solver, in %, the least and the largest of all pairs (h, k) that have it.
by_scale() {
  awk -F, -v column="$1" '
    FNR == 1 { for (i = 1; i <= NF; i++) if ($i == column) c = i; next }
    { scale = sprintf("%.0e", $1 * $2 ^ 2); i = scale SUBSEP $3; v = 100 * $c
      if (!($3 in seen)) { seen[$3]; name[++n] = $3 } rows[scale]
      if (!(i in least) || v < least[i]) least[i] = v; if (!(i in most) || v > most[i]) most[i] = v }
    END { printf "%-12s", "h^2 k"; for (j = 1; j <= n; j++) printf "%22s", name[j]; print ""
          for (e = -3; e <= 10; e++) { scale = sprintf("%.0e", 10 ^ e); printf "%-12s", scale
            for (j = 1; j <= n; j++) printf "%22s", sprintf("%.3g to %.3g", least[scale, name[j]], most[scale, name[j]]); print "" } }
    ' "$out/sweep.csv"
}

study_thesis_sweep() {
  local n
  twisted_beam
  must compare thesis_sweep
  for n in 60 260; do echo "error in % after $n iterations"; by_scale error_$n; done
}

# The weight that needs the fewest iterations to 1e-6, or else has the least error after 60, for every pair (h, k).
study_thesis_weights() {
  twisted_beam
  must compare thesis_weights
  awk -F, '
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { if (!($1 in seen)) { seen[$1]; k[++rows] = $1 } if (!($2 in step)) { step[$2]; h[++columns] = $2 }
      n = $at["iterations_to_1e-6"]; i = $1 SUBSEP $2; rank = n == "" ? 1e3 + $at["error_60"] : n
      if (!(i in best) || rank < best[i]) { best[i] = rank; weight[i] = substr($3, 2) (n == "" ? "" : " in " n) } }
    END { printf "%-14s", "best weight"; for (j = 1; j <= columns; j++) printf "%14s", "h=" h[j]; print ""
          for (i = 1; i <= rows; i++) { printf "k=%-12s", k[i]; for (j = 1; j <= columns; j++) printf "%14s", weight[k[i], h[j]]; print "" } }
    ' "$out/sweep.csv"
}

# The objective and its parts over iterations: curves LAST.
curves() {
  local solvers='qn admm_0.4 pd xpbd_sequential xpbd'
  plot objective 900,420 <<END
set xlabel 'iteration'; set ylabel 'objective g [J]'; set xrange [0:$1]
plot for [s in '$solvers'] 'compare.csv' using (of(s, 2)):4 lw 1.5 title s
END
  plot parts 1000,420 <<END
set multiplot layout 1,2; set xlabel 'iteration'; set xrange [0:$1]
set ylabel 'elastic part [J]'; plot for [s in '$solvers'] 'compare.csv' using (of(s, 2)):6 lw 1.5 title s
set ylabel 'inertial part [J]'; set key bottom right
plot for [s in '$solvers'] 'compare.csv' using (of(s, 2)):5 lw 1.5 title s
END
}

# The objective and its parts at the last iteration: ends FOLDER.
ends() {
  awk -F, '
    FNR > 1 { if (!($1 in last)) name[++n] = $1; last[$1] = sprintf("%14.6g%14.6g%14.6g", $4, $6, $5) }
    END { printf "%-18s%14s%14s%14s\n", "at the end [J]", "objective", "elastic", "inertial"
          for (j = 1; j <= n; j++) printf "%-18s%s\n", name[j], last[name[j]] }' "$1/compare.csv"
}

study_thesis_3.4() {
  local s
  twisted_beam
  must compare thesis_3.4
  errors "$out" 10 40 60 260 1000
  reach "$out" 1e-1 1e-2 1e-3 1e-6
  ends "$out"
  curves 500
  for s in qn pd admm xpbd; do outline ${s}_10 $s 10 -solver_admm_weight 0.4 -solver_xpbd_order sequential; done
  for s in qn xpbd; do outline ${s}_1000 $s 1000 -solver_xpbd_order sequential; done
  plot shapes 760,330 <<END
$outline_style; set multiplot layout 2,2
$(panel 'after 1000 iterations' xpbd_1000 qn_1000)
$(panel 'after 10 iterations' xpbd_10 qn_10)
$(panel 'after 10 iterations' pd_10 qn_10)
$(panel 'after 10 iterations' admm_10 qn_10)
END
}

study_thesis_3.8() {
  local turns="-attach_xmin_spin -180,0,0 -attach_xmax_spin 180,0,0"
  twisted_beam
  must compare thesis_3.8
  errors "$out" 20 60 400 680 1000
  ends "$out"
  curves 1000
  echo "from a beam that is twisted twice as far"
  "$WRING" run inputs/beam_twist.yaml $turns -output_directory "$out/twist" -output_every 0 >"$out/log" 2>&1 || fail "wring run inputs/beam_twist.yaml $turns"
  must compare thesis_3.8 -initial_restart "$out/twist" -output_directory "$out/twisted_further"
  errors "$out/twisted_further" 20 60 400 680 1000
  ends "$out/twisted_further"
}
