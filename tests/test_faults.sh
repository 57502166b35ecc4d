#!/usr/bin/env bash
# Faults of the file system, made by a library that is loaded before libc: a directory that cannot be opened, or read to
# its end, a file that cannot be opened for reading, a path that cannot be resolved, a signal while the space of a file
# is reserved. A listing that fails is an error, not an empty directory, and a file that cannot be read is not a missing
# one. Fails if a run, with and without resume, ends with status 0 or without its one line, or if a checkpoint, frame or
# table of before is lost or changed, whichever of its listings and openings fails; if a signal ends a run; or if the
# status of a file that cannot be written is not 4.
# usage: test_faults.sh BUILD_DIR SOURCE_DIR     ranks: 2
. "$(dirname "$0")/lib.sh"
[ "${WRING_SANITIZE:-OFF}" = OFF ] || skip 'a sanitizer is loaded first'
overwrite=()

# FAULT: the function that fails with EIO for the path FAULT_PATH, once, after SKIP calls of it that succeed.
cat >faults.c <<'C'
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static DIR *watched; // FAULT_PATH, while it is open
static int  entries; // read of it

static int is_watched(const char *path)
{
  const char *const want = getenv("FAULT_PATH");
  return want && path && strcmp(path, want) == 0;
}

static int fails(const char *function)
{
  static int        calls;
  const char *const fault = getenv("FAULT"), *const skip = getenv("SKIP");
  if (!fault || strcmp(fault, function) != 0 || calls++ != (skip ? atoi(skip) : 0)) return 0;
  errno = EIO;
  return 1;
}

DIR *opendir(const char *path)
{
  DIR *(*const real)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
  if (is_watched(path) && fails("opendir")) return NULL;
  DIR *const d = real(path);
  if (d && is_watched(path)) watched = d, entries = 0;
  return d;
}

struct dirent *readdir(DIR *d) // a listing fails behind its first entry
{
  struct dirent *(*const real)(DIR *) = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
  return d == watched && entries++ == 1 && fails("readdir") ? NULL : real(d);
}

FILE *fopen(const char *path, const char *mode)
{
  FILE *(*const real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
  return mode[0] == 'r' && is_watched(path) && fails("fopen") ? NULL : real(path, mode);
}

char *realpath(const char *path, char *resolved)
{
  char *(*const real)(const char *, char *) = (char *(*)(const char *, char *))dlsym(RTLD_NEXT, "realpath");
  return is_watched(path) && fails("realpath") ? NULL : real(path, resolved);
}

int fallocate(int fd, int mode, off_t from, off_t bytes) // interrupted
{
  int (*const real)(int, int, off_t, off_t) = (int (*)(int, int, off_t, off_t))dlsym(RTLD_NEXT, "fallocate");
  if (!fails("fallocate")) return real(fd, mode, from, bytes);
  errno = EINTR;
  return -1;
}
C
${CC:-cc} -shared -fPIC -o "$base/faults.so" faults.c -ldl 2>log || skip 'no library can be made'
printf '#!/bin/sh\nLD_PRELOAD=%s exec "%s" "$@"\n' "$base/faults.so" "$wring" >"$base/faulty"
chmod +x "$base/faulty"
faulty=$base/faulty

cat >box.yaml <<'END'
mesh:       {box: {size: [1, 1, 1], cells: [1, 1, 1]}}
material:   {model: corotated, young: 1e4, poisson: 0.3, density: 1000}
gravity:    [0, 0, -9.81]
attach:     {zmin: {stiffness: 1e4}}
time:       {step: 1e-2, steps: 4}
checkpoint: {every: 2}
output:     {directory: out, every: 1}
END
works 1 run box.yaml
states() { (cd out && sha256sum checkpoint_00000[24].h5 checkpoints_mesh.h5 frame_00000[0-4].vtu); }
before=$(states) || fail 'the files of the first run'

# --- the first listing fails: nothing is written
for fault in opendir readdir; do
  for ranks in 1 2; do
    for keys in '-checkpoint_resume true' '-checkpoint_resume false' '-initial_restart out -output_directory other'; do
      read -ra keys <<<"$keys"
      FAULT=$fault FAULT_PATH=out wring=$faulty refused_on $ranks 'out: the directory cannot be read: Input' \
        run box.yaml -time_steps 8 "${keys[@]}"
    done
  done
done

# --- each of the listings of a run that goes on, one after another, until none is left to fail
for fault in opendir readdir; do
  for ((skipped = 0; skipped < 20; skipped++)); do
    rm -rf run && cp -r out run
    FAULT=$fault FAULT_PATH=run SKIP=$skipped wring=$faulty on 1 run box.yaml -time_steps 5 -checkpoint_resume true \
      -output_directory run -checkpoint_every 0
    status=$?
    [ $status != 0 ] || break
    [ "$(grep -c '^wring: run: the directory cannot be read: Input/output error' log)" = 1 ] ||
      fail "listing $skipped, $fault: status $status"
    (cd run && sha256sum --quiet -c <<<"$before") || fail "listing $skipped, $fault: files are lost"
  done
  [ $skipped -ge 4 ] || fail "only $skipped listings of a run can fail by $fault"
  [ "$(last run/steps.csv step)" = 5 ] || fail 'a run without a fault'
done

# --- the tables and the list of frames that a run goes on with cannot be read: they would be begun anew
for case in 'frames.pvd 1' 'steps.csv 2' 'history.csv 2' 'run.json 1'; do # tables are read to be checked, and copied
  read -r file expected <<<"$case"
  grep -v '</' "out/$file" >rows # without the end of the list
  [ $file != run.json ] || : >rows # it is replaced
  refusals=0
  for skipped in 0 1 2; do # steps.csv is also read for run.json, which a run can do without
    rm -rf run && cp -r out run
    FAULT=fopen FAULT_PATH=run/$file SKIP=$skipped wring=$faulty on 1 run box.yaml -time_steps 5 -output_directory run \
      -checkpoint_resume true
    [ $? = 0 ] || [ "$(grep -c "^wring: run/$file: cannot be read: Input/output error" log)" = 1 ] ||
      fail "run/$file, $skipped: no line"
    grep -q '^wring: ' log && refusals=$((refusals + 1))
    head -n "$(wc -l <rows)" "run/$file" | diff rows - || fail "run/$file, $skipped: rows are lost"
  done
  [ $refusals = "$expected" ] || fail "run/$file: $refusals refusals"
done

# --- the checkpoint of a restart cannot be resolved: it would be taken for one of another directory
FAULT=realpath FAULT_PATH=out/checkpoint_000004.h5 wring=$faulty on 1 run box.yaml -initial_restart out -time_steps 8 \
  -output_overwrite true
[ $? != 0 ] && grep -q '^wring: out/checkpoint_000004.h5: cannot be found: Input' log ||
  fail 'a path that cannot be resolved'
[ "$(states)" = "$before" ] || fail 'a path that cannot be resolved: files are lost'

# --- a signal interrupts the first or the second fallocate of a run
for skipped in 0 1; do
  FAULT=fallocate SKIP=$skipped wring=$faulty works 1 run box.yaml -output_directory signal$skipped
done

# --- files behind links that lead nowhere cannot be created
rm run/steps.csv && ln -s nowhere/steps.csv run
ends_on 4 1 'run/steps.csv: cannot be written: No such file' run box.yaml -output_directory run -output_overwrite true
mkdir bench && ln -s nowhere/bench_spline.csv bench
expect 4 1 bench -bench_tets 384 -bench_budget 1e-3 -bench_materials spline -output_directory bench
grep -q '^wring: bench/bench_spline.csv: cannot be written: No such file' log || fail 'a table of bench'
exit 0
