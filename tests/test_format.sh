#!/bin/bash
# Sources, scripts, decks and pages have at most 120 characters a line, tables of Markdown aside. C files are as
# clang-format 14 (Debian 12) leaves them; other versions differ in details, and skip that part.
cd "$2" || exit 2
status=0

mapfile -t files < <(find CMakeLists.txt ./*.md cmake docs include inputs jobs src tests -type f \
  \( -name '*.[ch]' -o -name '*.sh' -o -name '*.py' -o -name '*.md' -o -name '*.yaml' -o -name '*.cmake' \
  -o -name CMakeLists.txt \) ! -path 'tests/fuzz/corpus/*' | sed 's|^\./||')
python3 - "${files[@]}" <<'PYTHON' || status=1
import sys
long = 0
for name in sys.argv[1:]:
    for number, line in enumerate(open(name, encoding="utf-8"), 1):
        table = name.endswith(".md") and line.lstrip().startswith("|")
        if len(line.rstrip("\n")) > 120 and not table:
            print(f"{name}:{number}: {len(line) - 1} characters, expected at most 120")
            long += 1
sys.exit(long > 0)
PYTHON

if clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
  clang-format --dry-run --Werror $(find src include tests -name '*.[ch]') || status=1
else
  echo "no clang-format 14: C files were not checked"
  [ $status = 0 ] && status=77
fi
exit $status
