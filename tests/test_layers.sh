#!/bin/bash
# The rules of docs/developer.md, "Layers", that `python3 jobs structure` checks: a file includes and calls only its own
# layer and lower ones, files form no circles, folders and functions have limits, a law is a pure function, one kind of
# parallelism per layer; docs/structure.svg shows the folders and the path that are there. Then rules on words. Fails
# on the first file that breaks a rule, which it names.
cd "$2" || exit 2
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
status=0
fault() { echo "$1"; status=1; }
python3 -B jobs/structure.py --check || status=1
# Words and numbers of decks and files mean the same in every locale: base/text.h.
locale='<ctype\.h>|\b(strn?casecmp|PetscStrn?casecmp|strto(d|f|l|ld)|atof|strcoll|to(lower|upper)'
locale+='|is(alnum|alpha|blank|cntrl|digit|graph|lower|print|punct|space|upper|xdigit)) *\('
locale+='|scanf *\([^;]*%[0-9*]*[lL]?[aefgAEFG]'
if grep -rnE "$locale" src include | grep -v '^src/base/text\.c:'; then
  fault "a function that depends on the locale"
fi
# Whether there is an error is asked in one way: include/wring/base.h, "One rule".
if grep -rnE '(\.|->)text\[0\]' src; then fault "an error that is asked by its text: wring_failed"; fi
# Rows between ranks go by src/base/exchange.h, to neighbours only.
if grep -rnE 'MPI_I?(Neighbor_a|A)lltoall' src; then fault "an exchange between all pairs of ranks"; fi
# Characters and bytes have no order in MPI's reductions: only its types of small integers do.
reductions='MPI_(I?(All)?[Rr]educe|I?(Ex)?[Ss]can|I?Reduce_scatter(_block)?)\([^;]*MPI_(CHAR|BYTE)\b[^;]*;'
if grep -rzoE "$reductions" src | tr '\0' '\n' | grep .; then fault "a reduction of MPI_CHAR or MPI_BYTE"; fi
# Messages go over a communicator of PETSc's, where none of a program's own can be taken for them.
messages='MPI_(I?[SBR]?[Ss]end|I?M?[Rr]ecv|Sendrecv|I?M?[Pp]robe|(Send|Recv)_init)\b'
if grep -rlE "$messages" src | xargs grep -L PetscCommDuplicate | grep .; then
  fault "a message on the communicator of the caller"
fi
# Keys are read once, by their table, at the beginning of a family; a command may read one key of another family.
if grep -rnE 'wring_options_get_(bool|int)\(' src --include='*.c' | grep -vE '^src/(base|study)/'; then
  fault "a key that is asked for apart from its table: WRING_AT and wring_options_read"
fi
# A type has one meaning.
twice=$(grep -rohE '^} wring_[a-z0-9_]+;' src include | sort | uniq -d)
if [ "$twice" ]; then fault "two types with one name: $twice"; fi
# The map of a folder names all of its files.
maps=0
while read -r map; do
  folder=$(grep -oE 'src/[a-z/]*[a-z]' <<< "${map#*:*:}" | head -1)
  [ "$folder" = src/law ] || [ "$folder" = src/solver ] || [ "$folder" = src/step ] && continue # a file per member
  maps=$((maps + 1))
  text=$(sed -n "$(cut -d: -f2 <<< "$map"),/Not here:\|^\*\//p" "${map%%:*}")
  for file in "$folder"/*.c; do
    name=$(basename "$file" .c)
    grep -qE "(^|[^a-z_])$name\.[ch]\b" <<< "$text" || fault "${map%%:*}: the map of $folder lacks $name.c"
  done
done < <(grep -rnE 'Map of src/|^  src/[a-z]+, in reading order' include src --include='*.h')
[ $maps -ge 8 ] || fault "only $maps maps of folders"
# A member at offset 0 would not be read: WRING_AT counts from 1.
if grep -rnE '\.at *= *offsetof' src tests docs; then fault "a key at offsetof: WRING_AT"; fi
exit $status
