#!/bin/bash
# The order of the layers, docs/developer.md: a file includes only its own layer and lower ones; a law is a pure
# function; one kind of parallelism per layer. Fails on an include of a higher layer and on
# a thread in a law.
cd "$2" || exit 2
layers=(base law mesh term contact potential operator solver step io problem study)
declare -A level=([options]=0 [curve]=0 [sweep]=3 [load]=8)
for i in "${!layers[@]}"; do level[${layers[i]}]=$i; done
status=0
fault() { echo "$1"; status=1; }

# check <file> <layer>: of wring headers and private headers ("layer/x.h" or, inside a layer, "x.h")
check() {
  local part
  for part in $(sed -nE 's|^ *# *include [<"]wring/([a-z_]+)\.h[>"].*|\1|p; s|^ *# *include "([a-z]+)/[a-z0-9_/]+\.h".*|\1|p' "$1"); do
    if [ -z "${level[$part]}" ]; then fault "$1 includes '$part', which is no layer of tests/test_layers.sh"
    elif ((level[$part] > level[$2])); then fault "$1 (layer $2) looks up to layer $part"; fi
  done
}

for file in include/wring/*.h; do
  part=$(basename "$file" .h)
  if [ -z "${level[$part]}" ]; then fault "$file belongs to no layer"; else check "$file" "${layers[level[$part]]}"; fi
done
for folder in src/*/; do
  layer=$(basename "$folder")
  if [ -z "${level[$layer]}" ]; then fault "$folder is no layer"; continue; fi
  for file in $(find "$folder" -name "*.[ch]"); do check "$file" "$layer"; done
done

# The tables of laws read options, and so return a PetscErrorCode; they may use nothing else of PETSc or MPI.
if grep -nE '\b(MPI_[A-Z][a-z]|Vec[A-Z]|Mat[A-Z]|KSP|PetscSF)|omp (parallel|for|task)|omp\.h' -r src/law; then
  fault "a law is a pure function of one block"
fi
if grep -rnE 'pragma omp (parallel|for|task)' src include | grep -vE '^src/(base|term|operator)/'; then
  fault "threads live in base, term and operator"
fi
# Words and numbers of decks and files mean the same in every locale: base/text.h.
if grep -rnE '\b(strn?casecmp|PetscStrcasecmp|strtod|strtof|isspace|tolower|toupper) *\(' src include | grep -vE '^src/(base/text\.[ch]|study/)'; then
  fault "a function that depends on the locale"
fi
# Rows between ranks go by src/base/exchange.h, to neighbours only.
if grep -rnE 'MPI_I?(Neighbor_a|A)lltoall' src; then fault "an exchange between all pairs of ranks"; fi
exit $status
