#!/bin/bash
# test_locale under a Turkish and a German locale, generated here if localedef has their sources. Fails where keys,
# words or numbers of a deck are read by functions that depend on the locale.
build=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1 # test_locale writes a deck, also as the test of ctest that may run meanwhile
made=0
for pair in tr_TR:UTF-8 tr_TR:ISO-8859-9 de_DE:UTF-8; do
  localedef -i "${pair%:*}" -f "${pair#*:}" "$folder/${pair%:*}.${pair#*:}" >"$folder/log" 2>&1 || continue
  LOCPATH=$folder "$build/tests/test_locale" >"$folder/out" 2>&1 || { cat "$folder/out"; exit 1; }
  grep -q "^locale ${pair%:*}.${pair#*:}" "$folder/out" || { echo "${pair/:/.} was made and not tried"; exit 1; }
  made=1
done
((made)) || { echo "skipped: localedef makes no locale here"; exit 77; }
