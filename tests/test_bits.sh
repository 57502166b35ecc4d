#!/usr/bin/env bash
# Every solver gives the same bits on 1, 2 and 3 threads, and nearly the same numbers on 1, 2, 3 and 4 ranks. Fails when
# the order of a sum depends on the threads, when a thread reads what another one writes, or when a method takes
# decisions from numbers of one rank.
# usage: test_bits.sh BUILD_DIR SOURCE_DIR     ranks: 4     cost: 11
. "$(dirname "$0")/lib.sh"

# 1620 tets: more than one chunk of tets and of vertices for each thread.
cat >box.yaml <<'DECK'
mesh:     {box: {size: [2, 1, 1], cells: [10, 5, 5], jitter: 0.2}}
material: {density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {stiffness: 1e6}}
initial:  {velocity: [1, 2, -8]}
time:     {step: 1e-2, steps: 1}
operator: {type: direct}
variant:
  colored:     {type: xpbd, order: colored}
  hybrid:      {type: xpbd, order: hybrid}
  mass:        {type: pd, metric: mass}
  mixed_admm:  {type: anderson, inner: admm}
  rest:        {type: qn, initial_hessian: rest_hessian}
DECK

# The solvers of the program's own help and the variants above; compliant cannot use the law of the others.
solvers=$(choices solver_type | tr ' ' ,)
solvers=${solvers/,compliant/}
case $solvers in auto,qn,*anderson*) ;; *) fail "solvers in the help: $solvers" ;; esac
solvers+=,colored,hybrid,mass,mixed_admm,rest

# compare RANKS THREADS ARGS...: compare.csv without its seconds, which differ from run to run.
compare() {
  local ranks=$1 threads=$2
  shift 2
  rm -rf out
  [ "$threads" = 1 ] && served=true || served=false # the server of calls has one thread
  OMP_NUM_THREADS=$threads works "$ranks" compare box.yaml -compare_iterations 6 -output_directory out \
    -output_plots false "$@"
  cut -d, -f1,2,4-20 out/compare.csv
}
both() {
  compare "$@" -compare_solvers "$solvers" -material_model strain -material_stiffness 1e6 \
    -solver_mgpbd_rtol 1e-13 -solver_mgpbd_inner_max_it 1000
  compare "$@" -compare_solvers compliant,admm,qn -material_model stable_neohookean -material_young 1e6 \
    -material_poisson 0.3 | sed '1d; s/^/stable_/'
}

both 1 1 >one
expected=$(($(echo "$solvers" | tr ',' '\n' | wc -l) + 4))
[ "$(cut -d, -f1 one | sort -u | wc -l)" = $expected ] || fail 'solvers in the table'
for threads in 2 3; do
  both 1 $threads >many
  diff one many >differ || fail "$threads threads: $(cut -d, -f1 differ | sort -u | tr '\n' ' ')"
done

# The hybrid order depends on the partition.
for ranks in 2 3 4; do
  both $ranks 1 >many
  paste -d, one many | awk -F, 'NR > 1 && $1 != "hybrid" {
    n = NF / 2
    for (k = 3; k <= 5; k++) { d = $k - $(k + n); if (d < 0) d = -d; if (!(d <= 1e-9 * $3)) bad[$1] = d / $3 } }
    END { for (s in bad) { print s, bad[s]; status = 1 } exit status || NR < 50 }' >differ ||
    fail "$ranks ranks: $(cat differ)"
done
