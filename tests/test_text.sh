#!/bin/bash
# Committed text is finished and does not depend on one machine: no notes to self, dead code, absolute paths of a
# machine, references to documents that are not here, white space at the ends of lines, or tabs.
cd "$2" || exit 2
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || { echo "skipped: no git checkout"; exit 77; }
status=0
# refuse <what> <extended regular expression> [files]: in no text file of the checkout except this one
refuse() {
  git grep -nIE "$2" -- "${@:3}" ':!tests/test_text.sh' ':!*.msh'
  case $? in
  0) echo "found $1"; status=1 ;;
  1) ;;
  *) echo "git grep failed on $1"; status=1 ;;
  esac
}
refuse "a note to self" '\b(TODO|FIXME|XXX|HACK)\b'
refuse "dead code" '^ *# *if 0'
refuse "a path of one machine" '(^|[^A-Za-z0-9_.])/(home|work|root|Users)/[A-Za-z]'
refuse "a document that is not here (see docs/)" '\b(PHYSICS|INTERFACE|DESIGN|STYLE)\b' '*.[ch]' '*.sh' '*.py' '*.md' \
  '*.yaml'
refuse "white space at the end of a line" '[[:blank:]]+$'
refuse "a tab" $'\t'
exit $status
