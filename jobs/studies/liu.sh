# The studies of Liu, Bouaziz and Kavan 2017; sourced by jobs/studies.sh.

# The frame of the twisting bar that most of them start from is made when missing.
twisted_bar() {
  make_state out/studies/liu_twist inputs/studies/liu_twist.yaml
}

# convergence LAST SOLVER...: relative errors over iterations, and over seconds.
convergence() {
  local style="set logscale y; set format y '%.0e'; set yrange [1e-12:]; set ylabel '(g(x_k) - g*) / (g(x_0) - g*)'"
  plot convergence 640,430 <<END
$style; set xlabel 'iteration'; set xrange [0:$1]
plot for [s in '${*:2}'] 'compare.csv' using (\$8 > 0 ? of(s, 2) : NaN):8 lw 1.5 title s
END
  plot seconds 640,430 <<END
$style; set xlabel 'seconds'; set logscale x; set format x '%g'; set key bottom left
plot for [s in '${*:2}'] 'compare.csv' using (\$8 > 0 ? of(s, 3) : NaN):8 lw 1.5 title s
END
}

# twisting LAST SOLVER...: one frame of the bar by these solvers.
twisting() {
  twisted_bar
  must compare "$study"
  errors "$out" 1 5 10 20 50
  reach "$out" 1e-2 1e-4 1e-6 1e-8
  convergence "$@"
}
study_liu_7() { twisting 50 m0 chebyshev_armijo m2 m5 newton; }
study_liu_8() { twisting 50 identity rest warped_rest frame operator_a newton; }
study_liu_13() {
  twisting 100 m0 m1 m2 m5 m10 m20 m100
  echo "a bar ten times stiffer"
  must run liu_twist -material_young 1e6 -output_directory "$out/stiff_twist" -output_every 0
  must compare liu_13 -material_young 1e6 -initial_restart "$out/stiff_twist" -output_directory "$out/stiff"
  reach "$out/stiff" 1e-2 1e-4 1e-6 1e-8
}
study_liu_17() { twisting 50 a_operator b_direct c_rest_5 d_rest_15 e_operator_5 f_operator_15; }

# rows FOLDER SOLVER NAME: the solver's rows of a comparison under another name, with errors to the g* of this study's own.
rows() {
  local least
  least=$(sed -n 's/^ *"g_star": \([^,]*\).*/\1/p' "$out/compare.json")
  awk -F, -v OFS=, -v solver="$2" -v name="$3" -v least="$least" '
    $1 == solver { if ($2 == 0) start = $4; $1 = name; $8 = ($4 - least) / (start - least); print }' "$1/compare.csv"
}

# The program's comparison, and Newton's method with conjugate gradients beside it, whose steps are options of PETSc.
study_liu_16() {
  local n
  twisted_bar
  for n in 5 15; do
    must compare liu_16 -compare_solvers newton -compare_reference least -output_directory "$out/cg$n" \
      -solver_newton_linear cg -petsc_newton_pc_type jacobi -petsc_newton_ksp_max_it $n
  done
  must compare liu_16
  for n in 5 15; do rows "$out/cg$n" newton newton_cg$n; done >"$out/newton_cg.csv"
  cat "$out/newton_cg.csv" >>"$out/compare.csv"
  errors "$out" 1 5 10 20 50
  reach "$out" 1e-2 1e-4 1e-6 1e-8
  convergence 50 qn_direct qn_cg5 qn_cg15 newton newton_cg5 newton_cg15
}

# steps NAME [option]...: a run by qn; how many of its steps are not 1, and which.
steps() {
  must run liu_14 -output_directory "$out/$1" "${@:2}"
  awk -F, -v name="$1" '
    FNR > 1 && $4 > 0 { n++; evaluations = $10; if ($9 != 1) { other++; if (other <= 8) where = where sprintf(" %d:%.2g", $4, $9) } }
    END { printf "%-18s%3d iterations,%4d evaluations,%3d steps other than 1%s%s\n", name, n, evaluations, other,
          where ? ":" : "", where (other > 8 ? " ..." : "") }' "$out/$1/history.csv"
}

# Armijo's and Wolfe's steps, from A and from a scaled identity.
study_liu_14() {
  local search
  twisted_bar
  for search in armijo wolfe; do
    steps $search -solver_qn_line_search $search
    steps identity_$search -solver_qn_line_search $search -solver_qn_initial_hessian identity
  done
  plot steps 1000,380 <<END
set multiplot layout 1,2; set xlabel 'iteration'; set ylabel 'step length'; set xrange [0:51]; set yrange [0:]
set title 'from A'; plot 'armijo/history.csv' using 4:(\$4 > 0 ? \$9 : NaN) with points pt 6 title 'Armijo', \
  'wolfe/history.csv' using 4:(\$4 > 0 ? \$9 : NaN) with points pt 2 title 'Wolfe'
set title 'from a scaled identity'; plot 'identity_armijo/history.csv' using 4:(\$4 > 0 ? \$9 : NaN) with points pt 6 title 'Armijo', \
  'identity_wolfe/history.csv' using 4:(\$4 > 0 ? \$9 : NaN) with points pt 2 title 'Wolfe'
END
}

# A's stiffness from slopes over intervals about 1 of growing width.
study_liu_15() {
  twisted_bar
  must compare liu_15
  awk -F, '
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; printf "%-14s%11s%11s%11s%14s\n", "k in A [Pa]", "after 5", "10", "20", "to 1e-6"; next }
    { printf "%-14s%10.3g%%%10.3g%%%10.3g%%%14s\n", $1, 100 * $at["error_5"], 100 * $at["error_10"], 100 * $at["error_20"], $at["iterations_to_1e-6"] }
    ' "$out/sweep.csv"
  plot intervals 800,430 <<END
set logscale y; set format y '%.0e'; set yrange [1e-12:]; set xlabel 'iteration'; set ylabel '(g(x_k) - g*) / (g(x_0) - g*)'
k = '379346.5549 382963.164 414697.8681 495358.6196 691947.6192 1453321.603'
start(i) = word('0.99 0.9 0.7 0.5 0.3 0.1', i)
plot for [i = 1:6] 'material_proxy_stiffness='.word(k, i).'/compare.csv' using (\$8 > 0 ? of('qn', 2) : NaN):8 lw 1.5 \
  title sprintf('[%s, %.2f]', start(i), 2 - real(start(i)))
END
}

# The stretched cube as it is, and turned.
study_liu_9() {
  local way
  must compare liu_9
  for way in stretched turned; do
    echo "$way"
    errors "$out/initial_positions=liu_9_$way.csv" 1 5 10 20 30
    awk '/"spectrum_start"/ { start = 1 } start && /"condition"/ { row = row sprintf("%11.4g", $2); start = 0 }
      END { printf "%-18s%s\n", "condition, in turn", row }' "$out/initial_positions=liu_9_$way.csv/compare.json"
  done
  plot convergence 1000,430 <<END
set multiplot layout 1,2; set logscale y; set format y '%.0e'; set yrange [1e-14:]; set xlabel 'iteration'
set ylabel '(g(x_k) - g*) / (g(x_0) - g*)'
set title 'configuration 1'; plot for [s in 'rest ours'] 'initial_positions=liu_9_stretched.csv/compare.csv' using (\$8 > 0 ? of(s, 2) : NaN):8 lw 1.5 title s
set title 'configuration 2'; plot for [s in 'rest ours'] 'initial_positions=liu_9_turned.csv/compare.csv' using (\$8 > 0 ? of(s, 2) : NaN):8 lw 1.5 title s
END
}
