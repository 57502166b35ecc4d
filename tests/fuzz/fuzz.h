/*
  Fuzzing of the readers: each target passes bytes to one reader, which may refuse them but must not crash, hang or
  leak. libFuzzer generates the bytes (tests/fuzz/run.sh); the test replays those of tests/fuzz/corpus.
*/
#pragma once
#include <wring/io.h>

/* Gives the bytes to the reader. `file` is a name in a folder of its own that may be written. */
void fuzz_target(const char *file, const unsigned char *data, size_t size);

/* Writes the bytes. */
void fuzz_write(const char *file, const unsigned char *data, size_t size);

/* Calls of wring that fail print nothing between the two. */
void fuzz_quiet_begin(void);
void fuzz_quiet_end(void);
