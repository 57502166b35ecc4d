#!/usr/bin/env bash
# `wring bench` on small boxes: every law, operator and solver has a row or a reason, on 1, 2 and 3 ranks, also with
# ranks that own nothing; bytes are those of docs/operations.md; rows agree with each other and with the JSON; bad keys
# are refused. Nothing is timed. A law without default parameters, a row that is lost on some rank count, or a
# count of bytes that follows the partition where it should not, fails this test.
# usage: test_bench.sh BUILD_DIR SOURCE_DIR     ranks: 3     cost: 13
. "$(dirname "$0")/lib.sh"
prefix=(bench)

# row PART NAME WORK [MATERIAL]: the number of matching rows of out/bench.csv.
row() { awk -F, -v p="$1" -v n="$2" -v w="$3" -v m="${4:-}" '$1 == p && $2 == n && $3 == w && (m == "" || $4 == m)' \
  out/bench.csv | wc -l; }
bytes() { awk -F, -v p="$1" -v n="$2" -v w="$3" '$1 == p && $2 == n && $3 == w { print $9 }' out/bench.csv; }
has() { [ "$(row "$@")" = 1 ] || fail "on $ranks ranks: no row $*"; }

# The contents of bench.json, and that those of the CSV are the same.
check_json() {
  command -v "$python" >/dev/null || return 0
  "$python" - "$1" <<'PYTHON' || fail "bench.json on $1 ranks"
import csv, json, math, sys
j = json.load(open("out/bench.json"), parse_constant=lambda c: sys.exit("no JSON: " + c))
rows = list(csv.DictReader(open("out/bench.csv")))
assert j["command"] == "bench" and j["ranks"] == int(sys.argv[1]) and j["threads"] >= 1 and j["vector_bits"] >= 64
for key in ("version", "commit", "petsc", "mpi", "compiler", "processor", "last_cache", "options", "seconds", "date"):
    assert key in j, key
assert j["options"]["bench_budget"] == 1e-3 and len(j["options"]["bench_parts"]) == 4
b = j["bandwidth"]
assert all(b[k] > 1e6 and math.isfinite(b[k]) for k in ("thread", "rank", "all", "array_bytes")), b
assert len(j["rows"]) == len(rows) > 30
printed = [line.split(": ")[1] for line in open("log") if line.startswith("Figure of Merit (FOM): ")]
assert len(printed) == 1 and j["fom"] > 0 and math.isclose(float(printed[0]), j["fom"], rel_tol=1e-5), printed
for r, c in zip(j["rows"], rows):
    assert r["seconds"] > 0 and r["repeats"] >= 1 and r["bytes"] >= 0 and math.isfinite(r["fraction"]), r
    assert abs(r["fraction"] * b["all"] * r["seconds"] - r["bytes"]) <= 1e-9 * r["bytes"], r
    assert abs(r["ns_per_tet"] * r["tets"] - 1e9 * r["seconds"]) <= 1e-9 * 1e9 * r["seconds"], r
    assert all(str(r[k] or "") == c[k] for k in ("part", "name", "work", "material")), r
    assert float(c["bytes"]) == r["bytes"], r
    assert (r["iterations"] is None) == (r["part"] in ("law", "exchange") or r["work"] == "set-up"), r
for s in j["not_measured"]:
    assert s["reason"] and s["part"] in ("exchange", "solver"), s
PYTHON
}

solvers=$(choices solver_type) materials=$(materials)

# A launcher that passes output on as a loaded machine's mpiexec does: in pieces, with lines of standard error between.
# Fails if a line of the output is looked for in a file that standard error has cut it in.
cat >pieces <<LAUNCHER
#!/usr/bin/env bash
"$mpiexec" "\$@" >pieces.out
status=\$?
while head -c 400 && echo 'note: between' >&2 && ((++n < 50)); do :; done <pieces.out
exit \$status
LAUNCHER
chmod +x pieces
whole=$mpiexec

# ---- all parts: 4 x 4 x 4 cells ----
for ranks in 1 2 3; do
  [ $ranks = 2 ] && mpiexec=./pieces || mpiexec=$whole
  expect 0 $ranks -bench_tets 384 -bench_budget 1e-3
  awk -F, 'NR == 1 { n = NF }
           NF != n || (NR > 1 && !($8 > 0 && $9 >= 0 && $10 >= 0 && $10 < 1e9 && $12 >= 1)) { print; bad = 1 }
           END { exit bad }' out/bench.csv || fail "numbers on $ranks ranks"
  [ -z "$(find out -name '*.part')" ] || fail 'a .part file was left'
  check_json $ranks
  for law in $materials none volume strain_limit fibre; do has law "$law" energy+gradient; done
  for law in strain volume strain_limit fibre; do has law $law projection; has law $law prox; done
  has law neohookean prox
  [ "$(row law neohookean projection)" = 0 ] || fail 'neohookean has a projection'
  for work in set-up 'solve to 1e-04' 'solve to 1e-12'; do has operator direct "$work"; done
  for work in set-up 'solve to 1e-02' 'solve to 1e-04' 'solve to 1e-08'; do has operator multigrid "$work"; done
  for solver in $solvers; do
    for material in neohookean strain stable_neohookean; do
      said=$(grep -c "^not measured: solver $solver, $material: solver '$solver' cannot use material '$material': " log)
      [ $(($(row solver "$solver" iteration $material) + said)) = 1 ] ||
        fail "$solver on $material has neither a row nor a reason"
    done
  done
  has solver compliant iteration stable_neohookean
  [ "$(row solver pd iteration)" = 1 ] && has solver pd iteration strain
  has law none scatter
  case $ranks in
  1) [ "$(row exchange halo positions)" = 0 ] && grep -q '^not measured: exchange halo: ' log ||
    fail 'a halo on one rank'
     ghosts=0 ;;
  *) has exchange halo forces
     has exchange reduction 'one number'
     # a vertex is read by one rank and written by another, 24 bytes each
     ghosts=$(($(bytes exchange halo positions) / 48))
     [ $ghosts -gt 0 ] || fail 'no ghosts' ;;
  esac
  # 125 vertices: weight, corners and nine coefficients of a tet; x is read, forces are read and written. A prox adds z
  # and u.
  [ "$(bytes law none scatter)" = $((16 * 384 + 48 * (125 + ghosts))) ] || fail "bytes of the scatter on $ranks ranks"
  [ "$(bytes law stvk energy+gradient)" = $((88 * 384 + 72 * (125 + ghosts))) ] ||
    fail "bytes of a pass on $ranks ranks"
  [ "$(bytes law fibre projection)" = $((40 * 384 + 72 * (125 + ghosts))) ] || fail "bytes of a fibre on $ranks ranks"
  [ "$(bytes law stvk prox)" = $(((88 + 288) * 384 + 72 * (125 + ghosts))) ] || fail "bytes of a prox on $ranks ranks"
done

# ---- second order: 2 x 2 x 2 cells, 125 vertices; ten vertices and four points a tetrahedron ----
for ranks in 1 2; do
  expect 0 $ranks -bench_order 2 -bench_tets 48 -bench_budget 1e-3 -bench_parts laws,solvers
  for law in neohookean strain; do has law $law energy+gradient; done
  grep -q 'ns/point' log || fail 'no time of a point'
  [ $ranks = 2 ] || [ "$(bytes law neohookean energy+gradient)" = $(((20 + 4 * (8 + 72)) * 48 + 72 * 125)) ] ||
    fail 'bytes of a pass at order 2'
done

# ---- one cell: six tets, and ranks that own none of them; other files of the directory stay ----
echo kept >out/other
expect 0 3 -bench_tets 1 -bench_budget 1e-3
awk -F, 'NR > 1 && ($5 != 6 || !($8 > 0)) { bad = 1 } END { exit bad || NR < 40 }' out/bench.csv || fail 'one cell'
[ -e out/other ] || fail 'a file of another was removed'

# ---- parts, materials, settings of methods; slow iterations are measured on a small box ----
expect 0 1 -bench_tets 384 -bench_budget 1e-3 -bench_parts operator -output_directory some/where
[ "$(cut -d, -f1 some/where/bench.csv | sort -u | tr '\n' ' ')" = 'operator part ' ] || fail 'parts'
expect 0 1 -bench_tets 21000 -bench_budget 1e-3 -bench_parts solvers -bench_materials strain -solver_qn_history 0 \
  -operator_type multigrid
has solver pd iteration strain
# How slow an iteration is depends on the machine: a row of the small box has a reason, any other row has none.
grep -q '^not measured: solver [a-z_]*, strain: an iteration would take .*; the row is of 16464 tets' log ||
  fail 'small box: no reason'
while IFS=, read -r _ solver _ _ tets _; do
  grep -q "^not measured: solver $solver, strain: .*; the row is of 16464 tets" log && expected=16464 || expected=21600
  [ "$tets" = $expected ] || fail "small box: $solver has a row of $tets tets, expected $expected"
done < <(tail -n +2 out/bench.csv)
rm -rf out

# ---- refusals ----
for ranks in 1 3; do
  refused_on $ranks "unexpected argument 'deck.yaml', expected -key value" deck.yaml
  refused_on $ranks 'bench_tets is "0", expected an integer in \[1,1000000000\]' -bench_tets 0
  refused_on $ranks 'unknown key bench_tts, did you mean bench_tets' -bench_tts 5
  refused_on $ranks 'bench_parts is "laws,all", expected some of laws, exchange, operator, solvers' \
    -bench_parts laws,all
  refused_on $ranks "bench_materials has 'wood', expected some of .*neohookean" -bench_materials strain,wood
done
refused_on 1 'unknown key mesh_file' -mesh_file body.msh
refused_on 1 'unknown key material_young' -material_young 1
refused_on 1 'unknown key solver_rtol' -solver_rtol 1e-3
refused_on 1 'unknown key output_every' -output_every 1
refused_on 1 'solver_qn_history is "-1", expected an integer' -solver_qn_history -1
refused_on 1 'bench_budget is "0", expected a real in \(0,inf\)' -bench_budget 0
refused_on 1 '-bench_tets has no value' -bench_tets
echo file >there
ends_on 4 1 'there: is not a directory' -output_directory there
mkdir -p there2/bench.json
ends_on 4 1 'there2/bench.json: is a directory' -output_directory there2
"$wring" help bench >log || fail 'help bench'
for key in tets parts materials time_step budget; do
  grep -q "^bench_$key: " log || fail "help bench does not list $key"
done
"$wring" help >log && grep -q '^wring bench \[-key value ...\]  ' log || fail usage
exit 0
