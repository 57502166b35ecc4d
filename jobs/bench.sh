#!/bin/bash
# `wring bench` over sizes and over splits of the cores into ranks and threads: a table, and pictures of the time per tetrahedron and
# of the part of the bandwidth that is reached. For a machine that has nothing else to do; some minutes for each million tetrahedra.
#     bash jobs/bench.sh [-key value ...]       keys of wring bench, such as -bench_parts laws,operator
# SIZES="16000 126000" takes other numbers of tetrahedra, SPLITS="1x1 2x1" other ranks x threads, OUT=folder another one than out/bench,
# RUN=no draws what has been run. Builds wring in build/; WRING=path takes another program instead. Pictures need gnuplot.
cd "$(dirname "$0")/.." || exit 1
. jobs/setup.sh

cores=$(env -u OMP_NUM_THREADS nproc 2>/dev/null || echo 1)
out=${OUT:-out/bench}
sizes=${SIZES:-16000 126000 1000000}
if [ -z "$SPLITS" ]; then # one core; then all of them, as 1, 2, 4, ... ranks
  SPLITS=1x1
  for ((ranks = 1; ranks <= cores; ranks *= 2)); do
    ((cores > 1 && cores % ranks == 0)) && SPLITS+=" ${ranks}x$((cores / ranks))"
  done
fi

fail() { echo "bench.sh: $*" >&2; exit 1; }

# run SIZE SPLIT [option]...: into $out/SIZE_SPLIT; its screen goes to the file log there.
run() (
  folder=$out/$1_$2 ranks=${2%x*} threads=${2#*x}
  mkdir -p "$folder"
  export OMP_NUM_THREADS=$threads GOMP_SPINCOUNT=${GOMP_SPINCOUNT:-10000}
  use_ranks "$ranks"
  mpiexec -n "$ranks" "$WRING" bench -bench_tets "$1" -output_directory "$folder" "${@:3}" >"$folder/log" 2>&1 ||
    { tail -n 5 "$folder/log" >&2; fail "wring bench -bench_tets $1 on $2"; }
  echo "$1 tetrahedra, $2: $(tail -n 1 "$folder/log")"
)

# What the table and the pictures show: PART,NAME,WORK,MATERIAL,TITLE (a material "*" is any).
rows="law,none,scatter,*,scatter
law,neohookean,energy+gradient,*,energy+gradient, neohookean
operator,direct,solve to 1e-04,*,direct solve to 1e-4
operator,multigrid,solve to 1e-04,*,multigrid to 1e-4
solver,qn,iteration,neohookean,qn, neohookean
solver,admm,iteration,neohookean,admm, neohookean
solver,xpbd,iteration,strain,xpbd, strain"

# All rows behind one another, rows that the runs had in a small box apart; with the split, by which they are found.
join() {
  echo split,part,name,work,material,tets,ranks,threads,seconds,bytes,fraction,iterations,repeats
  for size in $sizes; do
    for split in $SPLITS; do
      awk -F, -v name="$split" 'NR == 2 { all = $5 } NR > 1 && $5 == all { print name "," $0 }' "$out/${size}_$split/bench.csv" || return 1
    done
  done
}

# table COLUMN HEAD: of every row and size, a column a split: ns (nanoseconds per tetrahedron) or percent (of the triad).
table() {
  awk -F, -v what="$1" -v head="$2" -v rows="$rows" -v splits="$SPLITS" '
    BEGIN { n = split(rows, row, "\n"); m = split(splits, at, " ") }
    NR > 1 { for (i = 1; i <= n; i++) { split(row[i], want, ",")
               if ($2 != want[1] || $3 != want[2] || $4 != want[3] || (want[4] != "*" && want[4] != $5)) continue
               if (!(($6, i) in seen)) { seen[$6, i]; size[i, ++sizes[i]] = $6 }
               value[i, $6, $1] = what == "ns" ? 1e9 * $9 / $6 : 100 * $11 } }
    END { printf "%-32s%10s", head, "tets"; for (k = 1; k <= m; k++) printf "%9s", at[k]; print ""
          for (i = 1; i <= n; i++) { title = row[i]; for (k = 1; k <= 4; k++) sub(/^[^,]*,/, "", title)
            for (j = 1; j <= sizes[i]; j++) { printf "%-32s%10d", title, size[i, j]
              for (k = 1; k <= m; k++) printf "%9s", ((i, size[i, j], at[k]) in value) ? sprintf("%.3g", value[i, size[i, j], at[k]]) : "-"
              print "" } } }' "$out/bench.csv"
}

# laws WORK: a line a law, at the largest size: ns per tetrahedron, a column a split.
laws() {
  awk -F, -v work="$1" -v splits="$SPLITS" '
    NR > 1 && $2 == "law" && $4 == work { if ($6 + 0 > most) { most = $6 + 0; n = 0; split("", place) }
      if ($6 + 0 < most) next
      if (!($3 in place)) { place[$3] = ++n; law[n] = $3 }
      value[$3, $1] = 1e9 * $9 / $6 }
    END { m = split(splits, at, " "); for (i = 1; i <= n; i++) { printf "%s", law[i]
          for (k = 1; k <= m; k++) printf ",%s", value[law[i], at[k]]; print "" } }' "$out/bench.csv"
}

# name SPLIT: 1 rank x 2 threads
name() {
  local ranks=${1%x*} threads=${1#*x}
  echo "$ranks rank$([ "$ranks" = 1 ] || echo s) x $threads thread$([ "$threads" = 1 ] || echo s)"
}

plot_laws() {
  local columns split work
  laws energy+gradient >"$out/laws.csv"
  laws prox >"$out/laws_prox.csv"
  {
    echo "# gnuplot laws.gp, in this directory, makes laws.png"
    echo "set terminal pngcairo noenhanced font ',10' size 1500,520; set output 'laws.png'; set datafile separator ','"
    echo "set multiplot layout 1,2; set style data histograms; set style fill solid 0.8; set boxwidth 0.9; set grid y"
    echo "set xtics rotate by -35; set yrange [0:*]; set ylabel 'ns per tetrahedron'; set key top left"
    for work in 'energy and gradient:laws' 'prox:laws_prox'; do
      [ -s "$out/${work#*:}.csv" ] || continue
      echo "set title '${work%:*}'"
      printf 'plot'
      columns=2
      for split in $SPLITS; do
        printf "%s '%s.csv' using %d:xtic(1) title '%s'" "$([ $columns -gt 2 ] && echo ,)" "${work#*:}" $columns "$(name "$split")"
        columns=$((columns + 1))
      done
      echo
    done
    echo "unset multiplot"
  } >"$out/laws.gp"
  (cd "$out" && gnuplot laws.gp) || fail "gnuplot laws.gp"
  echo "picture: $out/laws.png"
}

# One panel for each split: time per tetrahedron above, percent of the triad below.
plot_sizes() {
  local n split right value label range part name work material title separator
  n=$(wc -w <<<"$SPLITS")
  {
    echo "# gnuplot sizes.gp, in this directory, makes sizes.png"
    echo "set terminal pngcairo noenhanced font ',10' size $((n * 420 + 340)),900; set output 'sizes.png'; set datafile separator ','"
    echo "set datafile missing NaN; set linetype 5 lc rgb '#8c564b'; set logscale xy; set grid"
    right=$(awk -v n="$n" 'BEGIN { printf "%.3f", 1 - 290 / (n * 420 + 340) }') # what is left is the key's
    echo "set multiplot layout 2,$n margins 0.06,$right,0.07,0.95 spacing 0.05,0.1"
    echo "set style data linespoints; set xlabel 'tetrahedra'; set format x '%.0s%c'; set key at screen 0.995,0.95 right top"
    echo "row(s, p, n, w, m, v) = strcol(1) eq s && strcol(2) eq p && strcol(3) eq n && strcol(4) eq w && (m eq '*' || strcol(5) eq m) ? v : NaN"
    for value in '1e9*$9/$6|ns per tetrahedron|1:10000' '100*$11|% of the triad|0.1:300'; do
      IFS='|' read -r value label range <<<"$value"
      echo "set ylabel '$label'; set yrange [$range]"
      for split in $SPLITS; do
        echo "set title '$(name "$split")'"
        printf 'plot'
        separator=
        while IFS=, read -r part name work material title; do
          printf "%s 'bench.csv' using 6:(row('%s','%s','%s','%s','%s',%s)) title '%s' pt 7" "$separator" "$split" "$part" "$name" \
            "$work" "$material" "$value" "$title"
          separator=,
        done <<<"$rows"
        echo
        echo "unset key"
      done
    done
    echo "unset multiplot"
  } >"$out/sizes.gp"
  (cd "$out" && gnuplot sizes.gp) || fail "gnuplot sizes.gp"
  echo "picture: $out/sizes.png"
}

if [ "$RUN" != no ]; then
  if [ -z "$WRING" ]; then
    build build -D CMAKE_BUILD_TYPE=Release || exit 1
    WRING=build/wring
  fi
  for size in $sizes; do
    for split in $SPLITS; do run "$size" "$split" "$@" || exit 1; done
  done
fi
join >"$out/bench.csv" || fail "no results in $out for SIZES='$sizes' SPLITS='$SPLITS'"
{ table ns "ns per tetrahedron" && echo && table percent "% of the triad"; } >"$out/table.txt"
cat "$out/table.txt"
command -v gnuplot >/dev/null || { echo "no gnuplot, no pictures"; exit; }
plot_laws
plot_sizes
