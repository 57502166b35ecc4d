# The studies of the essay on particle systems, in 3D with springs; sourced by jobs/studies.sh.

# pinned H: the stiffness m/h^2 at which one projection of a penalty constraint puts a held vertex of 10^6 kg back in its place.
pinned() { awk -v h="$1" 'BEGIN { printf "%.17g", 1e6 / h ^ 2 }'; }

# springs MESH K: the springs of a mesh with another stiffness; prints the file.
springs() {
  awk -F, -v OFS=, -v k="$2" 'NR > 1 { $4 = k } 1' "inputs/meshes/$1_springs.csv" >"$out/springs_$2.csv"
  echo "$out/springs_$2.csv"
}

# drop COUNT REST: how far `COUNT` unit masses hang below their rest on average over the last half of a run [m], or `diverges` when
# the run failed or threw them off. REST: their rest energy and that of what is held [J].
drop() {
  [ "$status" = 0 ] || { echo diverges; return; }
  awk -F, -v count="$1" -v rest="$2" '
    FNR > 1 { drop[++n] = (rest - $5) / (count * 9.81); if (!($3 < 1e8)) wild = 1 }
    END { for (i = int(n / 2) + 1; i <= n; i++) mean += drop[i] / (n - int(n / 2))
          if (wild || !(mean < 1e3)) print "diverges"; else printf "%.3f", mean }' "$out/run/steps.csv"
}

# Height of the swinging mass from the external energy, after steps of three sizes: swings NAME.
swings() {
  local h
  printf '%-10s%16s%16s%22s\n' 'h [s]' 'y after 10 s' 'highest, 8-10 s' 'energy lost, % of mgl'
  for h in 0.0002 0.002 0.008; do
    must run "$study" -time_step $h -attach_pivot_stiffness "$(pinned $h)" -output_directory "$out/h$h"
    awk -F, -v h=$h '
      FNR > 1 { y = $5 / 9.81; total = $3 + $5 + $4; if ($2 >= 8 && (top == "" || y > top)) top = y }
      END { printf "%-10s%16.4f%16.4f%22.3g\n", h, y, top, -100 * total / 9.81 }' "$out/h$h/steps.csv"
  done
  plot swings 900,700 >&2 <<END
set multiplot layout 3,1; set xrange [0:10]; set yrange [-1.1:0.1]; set ylabel 'y [m]'; unset key
set title 'h = 0.0002 s'; plot 'h0.0002/steps.csv' using 2:(\$5 / 9.81) every 10
set title 'h = 0.002 s'; plot 'h0.002/steps.csv' using 2:(\$5 / 9.81)
set title 'h = 0.008 s'; set xlabel 't [s]'; plot 'h0.008/steps.csv' using 2:(\$5 / 9.81)
END
}

# Figures 10 and 11.
study_essay_10() {
  local h=0.008 k c status
  swings
  echo; echo "highest kinetic energy within 2 s at h = $h s [J], by stiffness and damping [N s/m]"
  printf '%-10s%12s%12s%12s%12s\n' 'k [N/m]' c=0 10 50 100
  for k in 1e4 2e4 3e4 4e4 1e5; do
    printf '%-10s' $k
    for c in 0 10 50 100; do
      run_wring run essay_10 -time_step $h -time_end 2 -attach_pivot_stiffness "$(pinned $h)" -spring_rod_file "$(springs rod $k)" \
        -solver_penalty_damping $c -output_directory "$out/run"
      status=$?
      awk -F, -v status=$status '
        FNR > 1 && $3 > top { top = $3 }
        END { if (status || top > 1e3) printf "%12s", "diverges"; else printf "%12.2f", top }' "$out/run/steps.csv"
    done
    echo
  done
}
study_essay_16() { swings; }

# Figures 6 to 8: the cantilever's mean drop by stiffness and iterations, at a short step and at a long one.
study_essay_6() {
  local h k n status rest
  rest=$(awk 'BEGIN { print 9.81 * (16 + 2e6) }')
  for h in 0.002 0.008; do
    echo "mean drop [m] at h = $h s, by stiffness and iterations of a step"
    printf '%-10s%12s%12s%12s%12s%12s\n' 'k [N/m]' n=1 2 5 10 20
    for k in 1e3 1e4 1e5 1e6; do
      printf '%-10s' $k
      for n in 1 2 5 10 20; do
        run_wring run essay_6 -time_step $h -attach_wall_stiffness "$(pinned $h)" -spring_truss_file "$(springs truss $k)" \
          -solver_max_it $n -solver_penalty_damping 2 -output_directory "$out/run"
        status=$?
        printf '%12s' "$(drop 32 "$rest")"
      done
      echo
    done
  done
}

# Figure 13: the same of relaxed constraints, by factor and iterations.
study_essay_13() {
  local n s status rest
  rest=$(awk 'BEGIN { print 9.81 * (16 + 2e6) }')
  echo "mean drop [m] at h = 0.008 s, by factor and iterations of a step"
  printf '%-10s%12s%12s%12s%12s%12s\n' factor n=1 2 5 10 50
  for s in 0.1 0.25 0.5 1 1.1 1.5 1.9; do
    printf '%-10s' $s
    for n in 1 2 5 10 50; do
      run_wring run essay_13 -attach_wall_stiffness "$(pinned 0.008)" -solver_rgc_factor $s -solver_max_it $n -output_directory "$out/run"
      status=$?
      printf '%12s' "$(drop 32 "$rest")"
    done
    echo
  done
}

# Figures 14 and 15: the cloth's mean drop by iterations and step.
study_essay_14() {
  local h n status
  echo "mean drop [m], by step and iterations of a step"
  printf '%-10s%12s%12s%12s%12s%12s%12s\n' 'h [s]' n=1 2 5 10 20 50
  for h in 0.002 0.004 0.008 0.016; do
    printf '%-10s' $h
    for n in 1 2 5 10 20 50; do
      run_wring run essay_14 -time_step $h -attach_left_stiffness "$(pinned $h)" -attach_right_stiffness "$(pinned $h)" -solver_max_it $n \
        -output_directory "$out/run"
      status=$?
      printf '%12s' "$(drop 119 0)"
    done
    echo
  done
}
