#!/bin/bash
# build of jobs/setup.sh, which the demonstration and tests/run.sh call: quarters of a build, warnings of the compiler,
# and all of its output with its status when it fails. Fails when a failed build is taken for a good one.
# usage: test_setup.sh BUILD_DIR SOURCE_DIR
. "$(dirname "$0")/lib.sh"
. "$source/jobs/setup.sh"
mkdir bin
cat >bin/cmake <<'CMAKE'
#!/bin/bash
[ "$1" = --build ] || exit 0
printf '[%3d%%] Building\n' 10 30 60 61
echo 'a.c:1: warning: unused'
[ -f works ] && echo '[100%] Built' || { echo 'a.c:2: error: wrong'; exit 2; }
CMAKE
chmod +x bin/cmake
PATH=$PWD/bin:$PATH
build folder >out 2>log && fail 'a failed build is taken for a good one'
grep -q 'error: wrong' log || fail 'the error is not shown'
touch works
build folder >out 2>log || fail 'a good build'
[ "$(tr -s '\n ' ' ' <out)" = 'Building in folder 25 % 50 % 100 % ' ] || fail "the progress: $(cat out)"
[ "$(head -n 1 log)" = 'a.c:1: warning: unused' ] || fail "the warning is not shown"
