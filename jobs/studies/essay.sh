# The studies of the essay on particle systems, in 3D with springs; sourced by jobs/studies.sh.

# pinned H: the stiffness m/h^2 at which one projection of a penalty constraint puts a held vertex of 10^6 kg back in its place.
pinned() { awk -v h="$1" 'BEGIN { printf "%.17g", 1e6 / h ^ 2 }'; }

# springs MESH K: the springs of a mesh with another stiffness; prints the file.
springs() {
  awk -F, -v OFS=, -v k="$2" 'NR > 1 { $4 = k } 1' "inputs/meshes/$1_springs.csv" >"$out/springs_$2.csv"
  echo "$out/springs_$2.csv"
}

# drop MESH: how far the unit masses of a mesh hang below their rest, averaged over the last half of a run [m]: from the energy in
# gravity, less that of the held masses, which do not move by then. `diverges` when the run failed or threw them off.
# stretch MESH: how much longer its springs are on average at the end [%].
drop() {
  [ "$status" = 0 ] || { echo diverges; return; }
  awk -F, 'FNR == 1 { file++; next }
    file == 1 { rest[$1] = $4 }
    file == 2 { mass[$1] = $2; if ($2 == 1) { n++; level += 9.81 * rest[$1] } }
    file == 3 && mass[$1] != 1 { level += 9.81 * mass[$1] * $4 }
    file == 4 { external[++steps] = $5; if ($3 > 1e6) wild = 1 }
    END { for (i = int(steps / 2) + 1; i <= steps; i++) mean += external[i] / (steps - int(steps / 2))
          printf wild ? "diverges" : "%.3f", (level - mean) / (9.81 * n) }
    ' "inputs/meshes/$1_points.csv" "inputs/meshes/$1_masses.csv" "$out/run/state.csv" "$out/run/steps.csv"
}
stretch() {
  [ "$status" = 0 ] || { echo diverges; return; }
  awk -F, 'FNR == 1 { file++; next }
    file == 1 { x[$1] = $2; y[$1] = $3; z[$1] = $4 }
    file == 2 { n++; sum += sqrt((x[$1] - x[$2]) ^ 2 + (y[$1] - y[$2]) ^ 2 + (z[$1] - z[$2]) ^ 2) / $3 - 1 }
    END { printf sum / n < 10 ? "%.2f" : "diverges", 100 * sum / n }' "$out/run/state.csv" "inputs/meshes/$1_springs.csv"
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
  plot swings 900,700 <<END
set multiplot layout 3,1; set xrange [0:10]; set yrange [-1.1:0.1]; set ylabel 'y [m]'; unset key
set title 'h = 0.0002 s'; plot 'h0.0002/steps.csv' using 2:(\$5 / 9.81) every 10
set title 'h = 0.002 s'; plot 'h0.002/steps.csv' using 2:(\$5 / 9.81)
set title 'h = 0.008 s'; set xlabel 't [s]'; plot 'h0.008/steps.csv' using 2:(\$5 / 9.81)
END
}

# fastest K [option]...: the pendulum's highest kinetic energy within 2 s at a long step [J], or `diverges`.
fastest() {
  local status
  run_wring run essay_10 -time_step 0.008 -time_end 2 -attach_pivot_stiffness "$(pinned 0.008)" -spring_rod_file "$(springs rod "$1")" \
    -output_directory "$out/run" "${@:2}"
  status=$?
  awk -F, -v status=$status '
    FNR > 1 && $3 > top { top = $3 }
    END { if (status || top > 1e3) printf "%12s", "diverges"; else printf "%12.2f", top }' "$out/run/steps.csv"
}

# Figures 10 and 11.
study_essay_10() {
  local k c n
  swings
  echo; echo "highest kinetic energy [J] within 2 s at h = 0.008 s, by stiffness and damping [N s/m], then by stiffness and iterations"
  printf '%-10s%12s%12s%12s%12s\n' 'k [N/m]' c=0 10 50 100
  for k in 1e3 1e4 1.5e4 2e4 2.2e4 3e4 1e5; do
    printf '%-10s' $k
    for c in 0 10 50 100; do fastest $k -solver_penalty_damping $c; done
    echo
  done
  printf '%-10s%12s%12s%12s%12s\n' 'k [N/m]' n=1 2 3 10
  for k in 2e4 2.2e4 2.5e4 3e4 1e5; do
    printf '%-10s' $k
    for n in 1 2 3 10; do fastest $k -solver_max_it $n; done
    echo
  done
}
study_essay_16() { swings; }

# Figures 6 to 8: the cantilever's mean drop by stiffness and iterations, at a short step and at a long one.
study_essay_6() {
  local h k n status
  for h in 0.002 0.008; do
    echo "mean drop [m] at h = $h s, by stiffness and iterations of a step"
    printf '%-10s%12s%12s%12s%12s%12s\n' 'k [N/m]' n=1 2 5 10 20
    for k in 1e3 1e4 1e5 1e6; do
      printf '%-10s' $k
      for n in 1 2 5 10 20; do
        run_wring run essay_6 -time_step $h -attach_wall_stiffness "$(pinned $h)" -spring_truss_file "$(springs truss $k)" \
          -solver_max_it $n -solver_penalty_damping 2 -output_directory "$out/run"
        status=$?
        printf '%12s' "$(drop truss)"
      done
      echo
    done
  done
}

# Figure 13: the same of relaxed constraints, by factor and iterations.
study_essay_13() {
  local n s status
  echo "mean drop [m] at h = 0.008 s, by factor and iterations of a step"
  printf '%-10s%12s%12s%12s%12s%12s\n' factor n=1 2 5 10 50
  for s in 0.25 0.5 1 1.1 1.5 1.9; do
    printf '%-10s' $s
    for n in 1 2 5 10 50; do
      run_wring run essay_13 -attach_wall_stiffness "$(pinned 0.008)" -solver_rgc_factor $s -solver_max_it $n -output_directory "$out/run"
      status=$?
      printf '%12s' "$(drop truss)"
    done
    echo
  done
}

# Figures 14 and 15: how much the cloth is stretched, by step and iterations.
study_essay_14() {
  local h n status
  echo "mean stretch of the springs, %, by step and iterations of a step"
  printf '%-10s%12s%12s%12s%12s%12s\n' 'h [s]' n=1 2 5 10 20
  for h in 0.004 0.008 0.016; do
    printf '%-10s' $h
    for n in 1 2 5 10 20; do
      run_wring run essay_14 -time_step $h -attach_left_stiffness "$(pinned $h)" -attach_right_stiffness "$(pinned $h)" -solver_max_it $n \
        -output_directory "$out/run"
      status=$?
      printf '%12s' "$(stretch cloth)"
    done
    echo
  done
}
