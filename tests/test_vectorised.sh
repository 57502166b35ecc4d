#!/bin/bash
# The loops over lanes of laws and of 3x3 blocks are vector code: read from the instructions of this build's objects,
# for any compiler. Fails if "#pragma omp simd" was ignored, as happens when the loop takes the address of a struct or
# calls a function that is not inlined, or when compiler flags are lost. The element loops, which move rows of vertices,
# store whole vectors: a compiler that takes a vector apart stores numbers and halves, for which the next load waits.
. "$(dirname "$0")/lib.sh"
objects=$build/CMakeFiles/wring.dir/src
command -v objdump > /dev/null || skip "no objdump"
[ "$(uname -m)" = x86_64 ] || skip "only the instructions of x86-64 are known here, not those of $(uname -m)"
[ -d "$objects" ] || skip "no objects in $objects"
grep -q 'CMAKE_BUILD_TYPE:[A-Z]*=Debug' "$build/CMakeCache.txt" && skip "a build without optimisation"
grep -q 'WRING_\(SANITIZE\|FUZZ\):[A-Z]*=ON' "$build/CMakeCache.txt" && skip "a build with sanitizers"

# Names of the functions of a C file that have a loop under "#pragma omp simd".
with_simd() {
  awk '/^[a-z].*[(]/ { name = $0; sub(/[(].*/, "", name); sub(/.*[ *]/, "", name) }
       /pragma omp simd/ { print name }' "$1" | sort -u
}

# Operations on one number that may stay. clang takes the maximum of lanes one by one, as one of them might be NaN:
# these are not counted in a file with such a reduction. The other arithmetic of a loop that was not vectorised is.
single() {
  grep -q 'clang version' "$2" && grep -q 'pragma omp simd reduction(max' "$1" && echo 'v?maxsd ' || echo 'none'
}

# "name packed scalar" for an object and what may stay: arithmetic of doubles in each function. Where registers have 256
# or 512 bits, 128 bits do not count as a vector.
arithmetic() {
  objdump -d --no-show-raw-insn "$1" | awk -v wide="$wide" -v may_stay="\t$2" '
    /^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/[<>:]/, "", name); sub(/[.].*/, "", name); seen[name] = 1 }
    /\tv?(add|sub|mul|div|sqrt|min|max)pd |\tvfn?m(add|sub)(132|213|231)pd / {
      if ($0 ~ wide) packed[name]++; else scalar[name]++ }
    $0 ~ may_stay { next }
    /\tv?(add|sub|mul|div|sqrt|min|max)sd |\tvfn?m(add|sub)(132|213|231)sd / { scalar[name]++ }
    END { for (name in seen) print name, packed[name] + 0, scalar[name] + 0 }'
}

wide='%xmm'
objdump -d --no-show-raw-insn "$objects/base/block3.c.o" | grep -q '%[yz]mm' && wide='%[yz]mm'
checked=0
failed=0
for file in "$source"/src/law/*.c "$source"/src/law/common/*.c "$source/src/base/block3.c"; do
  object=$objects/${file#"$source"/src/}.o
  [ -f "$object" ] || { echo "no $object"; exit 1; }
  list=$(arithmetic "$object" "$(single "$file" "$object")")
  for name in $(with_simd "$file"); do
    set -- $(echo "$list" | awk -v name="$name" '$1 == name { print $2, $3 }')
    [ $# = 2 ] || continue # inlined: counted where it is
    checked=$((checked + 1))
    [ $(($2 * 8)) -le "$1" ] && continue
    echo "${file#"$source"/}: $name has $1 vector and $2 scalar instructions of arithmetic"
    failed=1
  done
done
echo "$checked functions, vectors in $wide"

# A function of prefetches alone that is not inlined at once is left out by gcc, for it returns nothing.
for object in term/sweep/sweep term/descent/descent term/splitting; do
  objdump -d --no-show-raw-insn "$objects/$object.c.o" | grep -q '[[:space:]]prefetch' && continue
  echo "src/$object.c: no prefetch is left"
  failed=1
done

# Stores of a part of a vector in the element loops, hundreds when vectors are taken apart.
stores() {
  objdump -d --no-show-raw-insn "$objects/term/pass.c.o" |
    grep -cE '[[:space:]]vmov([hl]pd|[au]p[sd]|dq[au]) +%xmm[0-9]+,.*\('
}

if [ "$wide" != %xmm ]; then
  parts=$(stores)
  echo "element loops: $parts stores of parts of a vector"
  [ "$parts" -le 100 ] || { echo "expected 100 or fewer; src/term/vertex_rows.h"; failed=1; }
fi
[ $checked -ge 60 ] || { echo "expected 60 functions or more"; exit 1; }
exit $failed
