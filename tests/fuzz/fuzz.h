/*
  Inputs that nobody wrote: each target gives bytes to one reader, which may refuse them but neither crash, hang nor
  leak. libFuzzer makes the bytes (tests/fuzz/run.sh); the test replays those of tests/fuzz/corpus.
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
