#!/bin/bash
# Seconds a step and iterations to the tolerance of two scenes of Li et al. 2019 (DOT), by solver, as Markdown on the screen and in
# out/bench/time_to_tolerance.md: bar and rabbit of inputs/bench, whose meshes are our own.
#     bash jobs/time_to_tolerance.sh [-m FOLDER] [-r RANKS] [name...]      names of the rows below; without one all of them
# -m FOLDER has bar17K.mesh and bunny5K.mesh, which then take the places of bar and rabbit. -r RANKS runs on so many ranks; OMP_NUM_THREADS
# says how many threads each has. A row is the median of the steps, "-" where a run took more than LIMIT (15) seconds or did not reach the
# tolerance in 1000 iterations of any step; of REPEAT (1) runs the fastest counts. UNDER="taskset -c 0,1" puts every run under a command. WRING=path takes another program.
cd "$(dirname "$0")/.." || exit 1
. jobs/setup.sh

scenes="bar rabbit" meshes= ranks=1
while getopts m:r: option; do
  case $option in
    m) meshes=$OPTARG scenes="bar17K bunny5K" ;;
    r) ranks=$OPTARG ;;
    *) echo "usage: bash jobs/time_to_tolerance.sh [-m FOLDER] [-r RANKS] [name...]" >&2; exit 1 ;;
  esac
done
shift $((OPTIND - 1))
use_ranks "$ranks"
mpi=
[ "$ranks" -gt 1 ] && mpi="${MPIEXEC:-mpiexec} -n $ranks"
if [ -z "$WRING" ]; then
  build build -D CMAKE_BUILD_TYPE=Release || exit 1
  WRING=build/wring
fi

plain="-solver_qn_keep false -solver_qn_refresh 0 -solver_qn_history"
declare -A options=(
  [decks]=""
  [history_20]="-solver_qn_history 20"
  [qn]="$plain 5"
  [qn_10]="$plain 10"
  [qn_20]="$plain 20"
  [keep]="-solver_qn_refresh 0"
  [keep_20]="-solver_qn_refresh 0 -solver_qn_history 20"
  [refresh]="-solver_qn_keep false -solver_qn_history 5"
  [refresh_10]="-solver_qn_refresh 10"
  [refresh_100]="-solver_qn_refresh 100"
  [wolfe]="$plain 5 -solver_qn_line_search wolfe"
  [frame_hessian]="$plain 5 -solver_qn_initial_hessian frame_hessian"
  [frame_hessian_cg]="$plain 5 -solver_qn_initial_hessian frame_hessian -solver_qn_inner cg -solver_qn_inner_preconditioner icholesky"
  [warped_rest_hessian]="$plain 5 -solver_qn_initial_hessian warped_rest_hessian"
  [rest_hessian]="$plain 5 -solver_qn_initial_hessian rest_hessian"
  [newton]="-solver_type newton"
  [admm]="-solver_type admm"
  [anderson_admm]="-solver_type anderson -solver_anderson_inner admm"
  [chebyshev]="-solver_type chebyshev -solver_chebyshev_line_search armijo"
  [gradient_descent]="-solver_type gradient_descent"
)
order="decks history_20 qn qn_10 qn_20 keep keep_20 refresh refresh_10 refresh_100 wolfe frame_hessian frame_hessian_cg warped_rest_hessian rest_hessian
  newton admm anderson_admm chebyshev gradient_descent"
for name; do
  [ -n "${options[$name]+set}" ] || { echo "time_to_tolerance.sh: no row '$name', expected one of" $order >&2; exit 1; }
done

# cells FOLDER: median of seconds, means of iterations and of evaluations of its steps.
cells() {
  awk -F, '
    FNR == 1 { for (i = 1; i <= NF; i++) at[FILENAME, $i] = i; next }
    FILENAME ~ /steps.csv$/ { seconds[n++] = $at[FILENAME, "seconds"]; iterations += $at[FILENAME, "iterations"]
                              if ($at[FILENAME, "reason"] != "converged") failed = 1; next }
    { evaluations[$at[FILENAME, "step"]] = $at[FILENAME, "evaluations"] }
    END {
      if (failed || !n || n < steps) { print " - | - | - |"; exit }
      for (i = 1; i < n; i++) for (j = i; j > 0 && seconds[j] < seconds[j - 1]; j--) { t = seconds[j]; seconds[j] = seconds[j - 1]; seconds[j - 1] = t }
      for (i in evaluations) sum += evaluations[i]
      printf " %.4f | %.1f | %.1f |\n", (seconds[int(n / 2)] + seconds[int((n - 1) / 2)]) / 2, iterations / n, sum / n
    }' steps="$2" "$1/steps.csv" "$1/history.csv"
}

# measure NAME SCENE: a run of a row, its cells.
measure() {
  local out=out/bench/$2-$1 mesh= steps
  [ -n "$meshes" ] && mesh="-mesh_file $meshes/$2.mesh"
  steps=$(sed -n 's/^time: .*steps: \([0-9]*\).*/\1/p' "inputs/bench/$2.yaml")
  rm -rf "$out"
  $UNDER $mpi "$WRING" run "inputs/bench/$2.yaml" $mesh ${options[$1]} -time_limit "${LIMIT:-15}" -output_directory "$out" \
    -output_every 1000000 >"$out.log" 2>&1
  case $? in
    0 | 2 | 3) cells "$out" "$steps" ;;
    *) tail -n 2 "$out.log" >&2; echo " failed | | |" ;;
  esac
}

mkdir -p out/bench
{
  for scene in $scenes; do head+=" $scene: s/step | iterations | evaluations |" rule+="---:|---:|---:|"; done
  echo "| |$head"
  echo "|---|$rule"
  for name in ${*:-$order}; do
    line="| $name |"
    for scene in $scenes; do line+=$(for ((i = 0; i < ${REPEAT:-1}; i++)); do measure "$name" "$scene"; done | sort | head -n 1); done
    echo "$line"
  done
} | tee out/bench/time_to_tolerance.md
