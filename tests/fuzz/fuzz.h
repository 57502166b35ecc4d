/*
  Arbitrary inputs: each target passes bytes to one reader, which may refuse them but must not crash, hang or leak.
  libFuzzer generates the bytes (tests/fuzz/run.sh); the test replays those of tests/fuzz/corpus.
*/
#pragma once
#include <wring/io.h>

/* Passes the bytes to the reader. `file` is a name in a scratch folder, where files may be written. */
void fuzz_target(const char *file, const unsigned char *data, size_t size);

/* Writes the bytes to the file. */
void fuzz_write(const char *file, const unsigned char *data, size_t size);

/* Between the two calls, errors of wring functions print nothing. */
void fuzz_quiet_begin(void);
void fuzz_quiet_end(void);
