#!/usr/bin/env bash
# Faults of the file system, made by a library that is loaded before libc: a directory that cannot be opened, or read to
# its end, a file that cannot be opened for reading, or read to its end, a path that cannot be resolved, a signal while
# the space of a file is reserved. A listing that fails is an error, not an empty directory, and a file that cannot be
# read is not a missing one. Fails if a run, with and without resume, ends with status 0 or without its one line, or if
# a checkpoint, frame, table or run.json of before is lost or changed, whichever of its listings and openings fails; if
# a signal ends a run; or if the status of a file that cannot be written is not 4.
# usage: test_faults.sh BUILD_DIR SOURCE_DIR     ranks: 2     cost: 5
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

static int is_fault(const char *function)
{
  const char *const fault = getenv("FAULT");
  return fault && strcmp(fault, function) == 0;
}

static int fails(const char *function)
{
  static int        calls;
  const char *const skip = getenv("SKIP");
  if (!is_fault(function) || calls++ != (skip ? atoi(skip) : 0)) return 0;
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

/* Half a table that ends with a digit, whose conversion sets errno, and then an error. */
static ssize_t read_once(void *file, char *text, size_t size)
{
  if (ftell(file) == 0) {
    ssize_t n = (ssize_t)fread(text, 1, size < 300 ? size : 300, file);
    while (n > 1 && (text[n - 1] < '0' || text[n - 1] > '9')) n--;
    return n;
  }
  errno = EIO;
  return -1;
}

FILE *fopen(const char *path, const char *mode)
{
  FILE *(*const real)(const char *, const char *) = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
  if (mode[0] != 'r' || !is_watched(path)) return real(path, mode);
  if (fails("fopen")) return NULL;
  FILE *const f = real(path, mode);
  return fails("read") ? fopencookie(f, mode, (cookie_io_functions_t){.read = read_once}) : f;
}

char *realpath(const char *path, char *resolved)
{
  char *(*const real)(const char *, char *) = (char *(*)(const char *, char *))dlsym(RTLD_NEXT, "realpath");
  return is_watched(path) && fails("realpath") ? NULL : real(path, resolved);
}

int fallocate(int fd, int mode, off_t from, off_t bytes) // every second call is interrupted
{
  int (*const real)(int, int, off_t, off_t) = (int (*)(int, int, off_t, off_t))dlsym(RTLD_NEXT, "fallocate");
  static int calls;
  if (!is_fault("fallocate") || calls++ % 2) return real(fd, mode, from, bytes);
  FILE *const count = fopen("interrupted", "a");
  fputc('i', count);
  fclose(count);
  errno = EINTR;
  return -1;
}
C
${CC:-cc} -shared -fPIC -o "$base/faults.so" faults.c -ldl 2>log || skip 'no library can be made'
printf '#!/bin/sh\nLD_PRELOAD=%s exec "%s" "$@"\n' "$base/faults.so" "$wring" >"$base/faulty"
chmod +x "$base/faulty"
faulty=$base/faulty

box_deck out
echo 'checkpoint: {every: 2}' >>box.yaml
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

# --- the tables and the list of frames that a run goes on with cannot be read: they would be begun anew. A refusal
# leaves the file, and without one it goes on: run.json with the part before among its segments. Tables are opened to be
# checked, which reads their first lines only, and to be copied; run.json for its deck and for its segments.
for case in 'fopen frames.pvd 1' 'fopen steps.csv 2' 'fopen history.csv 2' 'fopen run.json 2' 'read frames.pvd 1' \
  'read steps.csv 1' 'read history.csv 1' 'read run.json 2'; do
  read -r fault file expected <<<"$case"
  grep -v '</' "out/$file" >rows # without the end of the list
  [ $file != run.json ] || echo '      "first_step": 0,' >rows
  refusals=0
  for skipped in 0 1 2; do # steps.csv is also read for run.json, which a run can do without
    rm -rf run && cp -r out run
    FAULT=$fault FAULT_PATH=run/$file SKIP=$skipped wring=$faulty on 1 run box.yaml -time_steps 5 \
      -output_directory run -checkpoint_resume true
    if [ $? != 0 ]; then
      [ "$(grep -c "^wring: run/$file: cannot be read: Input/output error" log)" = 1 ] ||
        fail "$case, $skipped: no line"
      cmp "out/$file" "run/$file" || fail "$case, $skipped: a refusal changed the file"
      refusals=$((refusals + 1))
    elif [ ! -e "run/$file" ] || grep -vxFf "run/$file" rows; then
      fail "$case, $skipped: rows are lost"
    fi
  done
  [ $refusals = "$expected" ] || fail "$case: $refusals refusals"
done
# --- so does a run.json that is damaged, as a full disk and other programs leave it
: >run/run.json
for keys in '-checkpoint_resume true' '-initial_restart run'; do
  read -ra keys <<<"$keys"
  refused 'run/run.json: cannot be read: .* expected near end of file' run box.yaml -output_directory run "${keys[@]}"
done

# --- the checkpoint of a restart cannot be resolved: it would be taken for one of another directory
FAULT=realpath FAULT_PATH=out/checkpoint_000004.h5 wring=$faulty on 1 run box.yaml -initial_restart out -time_steps 8 \
  -output_overwrite true
[ $? != 0 ] && grep -q '^wring: out/checkpoint_000004.h5: cannot be found: Input' log ||
  fail 'a path that cannot be resolved'
[ "$(states)" = "$before" ] || fail 'a path that cannot be resolved: files are lost'

# --- a signal interrupts each fallocate of a run: those of checkpoints and frames, and of every table of frames.vtkhdf
for case in 'vtu 6' 'vtkhdf 30'; do
  read -r format least <<<"$case"
  FAULT=fallocate wring=$faulty works 1 run box.yaml -output_format "$format" -output_directory "$format"
  [ "$(wc -c <interrupted)" -ge "$least" ] || fail "$format: $(wc -c <interrupted) interruptions"
  rm interrupted
done

# --- files behind links that lead nowhere cannot be created
rm run/steps.csv && ln -s nowhere/steps.csv run
ends_on 4 1 'run/steps.csv: cannot be written: No such file' run box.yaml -output_directory run -output_overwrite true
mkdir bench && ln -s nowhere/bench_spline.csv bench
expect 4 1 bench -bench_tets 384 -bench_budget 1e-3 -bench_materials spline -output_directory bench
grep -q '^wring: bench/bench_spline.csv: cannot be written: No such file' log || fail 'a table of bench'
exit 0
