#!/usr/bin/env bash
# Every solver refuses, in one line at set-up, a material or term that it cannot use, and every key of a solver a value
# out of its range; what is not refused runs. New solvers, materials and keys are found in the program's own help: a
# solver that cannot use every material is added to `cannot` below, a material to `parameters`.
# usage: test_refusals.sh BUILD_DIR SOURCE_DIR     ranks: 3     cost: 14
. "$(dirname "$0")/lib.sh"

# Keys of every material.
declare -A parameters=(
  [strain]="-material_stiffness 1e5"
  [corotated]="-material_young 1e5 -material_poisson 0.3"
  [neohookean]="-material_young 1e5 -material_poisson 0.3"
  [stable_neohookean]="-material_young 1e5 -material_poisson 0.3"
  [fixed_corotated]="-material_young 1e5 -material_poisson 0.3"
  [stvk]="-material_young 1e5 -material_poisson 0.3"
  [mooney_rivlin]="-material_c10 1.5e4 -material_c01 3e3 -material_kappa 1e5"
  [polynomial]="-material_mu 1e6"
  [spline]="-material_file $(realpath "$2")/inputs/materials/stiff_in_compression.csv"
)

# SOLVER MATERIAL PATTERN: pairs that are refused; * is every material without its own line, - accepts it.
cannot="
pd        strain            -
pd        *                 it has no projection
anderson  strain            -
anderson  *                 it has no projection
compliant stable_neohookean -
compliant *                 its constraint has no gradient where it is satisfied
"

damps="xpbd penalty" # solvers that use the damping of springs

cat >box.yaml <<'DECK'
mesh:     {box: {size: [1, 1, 1], cells: [2, 1, 1]}}
material: {density: 1000}
gravity:  [0, 0, -9.81]
attach:
  xmin:   {stiffness: 1e6}
time:     {step: 1e-2, steps: 1}
output:   {directory: out, every: 0, plots: false}
DECK

solvers=$(choices solver_type) materials=$(materials)

# why SOLVER MATERIAL: the pattern of its refusal, or nothing.
why() {
  local solver material pattern
  while read -r solver material pattern; do
    [ "$solver" = "$1" ] || continue
    [ "$material" = "$2" ] || [ "$material" = '*' ] || continue
    [ "$pattern" = - ] || echo "$pattern"
    return
  done <<<"$cannot"
}

# ---- materials: refused by some, used by the rest -------------------------------------------------------------------

for material in $materials; do
  [ -n "${parameters[$material]-}" ] || fail "material $material: its keys are not in this test's table"
  read -ra keys <<<"-material_model $material ${parameters[$material]}"
  able=
  for solver in $solvers; do
    pattern=$(why "$solver" "$material")
    if [ -z "$pattern" ]; then
      able=${able:+$able,}$solver
    else
      refused "solver '$solver' cannot use material '$material': $pattern" check box.yaml "${keys[@]}" \
        -solver_type "$solver"
    fi
  done
  works 1 compare box.yaml "${keys[@]}" -compare_solvers "$able" -compare_iterations 1 -compare_reference least
done
read -ra strain <<<"-material_model strain ${parameters[strain]}"
read -ra stable <<<"-material_model stable_neohookean ${parameters[stable_neohookean]}"
refused_on 3 "solver 'compliant' cannot use material 'strain'" run box.yaml "${strain[@]}" -solver_type compliant
refused_on 3 "solver 'pd' cannot use material 'stable_neohookean'" run box.yaml "${stable[@]}" -solver_type pd

# Parameters for which the energy has no lower bound, or rest is not a minimum; the others of test_domain.
for model in neohookean fixed_corotated; do
  refused_on 3 "material_poisson is -0.3; $model expects poisson or lambda of at least 0: below, its energy has no" \
    check box.yaml -material_model $model -material_young 1e5 -material_poisson -0.3
  refused "material_lambda is -1; $model expects" check box.yaml -material_model $model -material_mu 3 \
    -material_lambda -1
done
refused "material_lambda is -2.1; corotated expects lambda of at least -2/3 mu: below" check box.yaml \
  -material_model corotated -material_mu 3 -material_lambda -2.1
refused "material_lambda is 1; stable_neohookean expects lambda above mu/3: otherwise rest is not a minimum" check \
  box.yaml -material_model stable_neohookean -material_mu 3 -material_lambda 1
works 2 check box.yaml "${stable[@]}" -material_poisson -0.3
[ "$(grep -c 'material_poisson is -0.3: an element of stable_neohookean that is crushed to a point' log)" = 1 ] ||
  fail 'no note that rest is a local minimum'
works 1 check box.yaml "${stable[@]}" -material_poisson 0
for solver in compliant mgpbd; do works 2 check box.yaml "${stable[@]}" -solver_type $solver; done # their memory
if grep -q 'crushed to a point' log; then fail 'rest is a minimum, but said to be a local one'; fi
works 1 compare box.yaml "${strain[@]}" -compare_solvers qn,light -compare_iterations 1 -variant_light_type compliant
grep -q "^note: 'light' is left out: solver 'light' cannot use material 'strain'" log || fail 'light is not left out'

# ---- keys: every value outside the range in help ---------------------------------------------------------------------

# outside "WHAT": values next to the range; ends beside a square bracket belong to it. Kinds of values are test_options'
# matter.
outside() {
  local range=${1##* in } low high
  case $1 in
    "one of "*) echo nonesuch; return ;;
    "true or false"*) echo perhaps; return ;;
    "a real"* | "an integer"*) ;;
    *) return ;;
  esac
  [ "$range" != "$1" ] || return
  low=${range:1}; low=${low%%,*}; high=${range##*,}; high=${high%%[])]*}
  [[ $low = *inf ]] || { if [ "${range:0:1}" = '(' ]; then echo "$low"; else awk "BEGIN { print $low - 1 }"; fi; }
  [[ $high = inf ]] || { if [[ $range = *"$high)"* ]]; then echo "$high"; else awk "BEGIN { print $high + 1 }"; fi; }
}

n=0
for solver in $solvers; do
  read -ra keys <<<"${strain[*]}"
  [ -z "$(why "$solver" strain)" ] || keys=("${stable[@]}")
  while IFS=: read -r key what; do
    what=${what# }
    for value in $(outside "${what%;*}"); do
      refused "$key is \"$value\", expected " check box.yaml "${keys[@]}" -solver_type "$solver" "-$key" "$value"
      n=$((n + 1))
    done
  done < <("$wring" help "solver_${solver}_" 2>/dev/null | grep "^solver_${solver}_")
done
[ $n -ge 25 ] || fail "only $n values of keys were tried"
for key in max_it rtol atol measure; do
  refused "solver_$key is \"-1\", expected " check box.yaml "${strain[@]}" "-solver_$key" -1
done
refused 'solver_rtol is "1", expected ' check box.yaml "${strain[@]}" -solver_rtol 1
refused 'solver_type is "nonesuch", expected one of ' check box.yaml "${strain[@]}" -solver_type nonesuch
refused 'variant_light_weight is "0", expected ' compare box.yaml "${strain[@]}" -compare_solvers light \
  -variant_light_type admm -variant_light_weight 0

# ---- springs, ranks, hard constraints --------------------------------------------------------------------------------

cat >points.csv <<'CSV'
vertex,x,y,z
0,0,0,0
1,1,0,0
2,2,0.5,0
3,3,0,0.5
CSV
printf 'vertex,mass\n0,1\n1,2\n2,1\n3,1\n' >mass.csv
cat >net.yaml <<'DECK'
mesh:    {file: points.csv}
mass:    {file: mass.csv}
gravity: [0, 0, -9.81]
spring:  {net: {file: springs.csv}}
attach:
  grip:  {file: grip.csv}
time:    {step: 1e-2, steps: 2}
output:  {directory: out, every: 0}
DECK
printf 'vertex,x,y,z,stiffness\n0,0,0,0,1e4\n' >grip.csv
printf 'a,b,length,stiffness,damping\n0,1,1,1e4,0\n1,2,1,1e4,0.5\n2,3,1,1e4,0\n' >springs.csv
for solver in $solvers; do
  case " $damps " in
    *" $solver "*) works 1 check net.yaml -solver_type "$solver" ;;
    *) refused "solver '$solver' cannot use the damping of spring 'net'" check net.yaml -solver_type "$solver" ;;
  esac
done
refused_on 3 "damping of spring 'net'" run net.yaml -solver_type compliant

printf 'a,b,length,stiffness\n0,1,1,1e4\n1,2,0,1e4\n2,3,1,1e4\n' >springs.csv
refused "cannot use material 'spring': a spring of length 0" check net.yaml -solver_type compliant
refused_on 3 "cannot use material 'spring': a spring of length 0" run net.yaml -solver_type compliant

hard="-solver_type compliant -solver_compliant_compliance 0"
printf 'a,b,length,stiffness\n0,1,1,1e4\n1,2,1,1e4\n2,3,1,1e4\n' >springs.csv
# shellcheck disable=SC2086
works 3 run net.yaml $hard # a hard chain
printf 'vertex,x,y,z,stiffness\n0,0,0,0,1e4\n1,1,0,0,1e4\n' >grip.csv
for ranks in 1 3; do # found in the first step, when files exist
  # shellcheck disable=SC2086
  expect 1 $ranks run net.yaml $hard
  [ "$(grep -c '^wring: .*1 of 9 constraints are redundant.*compliance > 0' log)" = 1 ] ||
    fail "redundant constraints on $ranks"
done
works 3 run net.yaml -solver_type compliant -solver_compliant_compliance 1e-9 # a stiff chain

for solver in xpbd pbd rgc penalty; do
  refused_on 3 'order sequential on 3 ranks' check box.yaml "${strain[@]}" -solver_type $solver \
    "-solver_${solver}_order" sequential
done

# Means of the volume: methods that process single elements, constraints or vertices refuse them, others run.
mean=(-material_model neohookean -material_young 1e5 -material_poisson 0.4 -material_volumetric mean)
for solver in pd admm xpbd mgpbd pbd rgc penalty vbd anderson compliant; do
  refused 'cannot use (the mean volume|material .neohookean).*expected volumetric: full' run box.yaml "${mean[@]}" \
    -solver_type $solver
done
for solver in auto qn newton trust_region pncg gradient_descent chebyshev; do
  works 2 run box.yaml "${mean[@]}" -solver_type $solver -solver_max_it 20
done
exit 0
