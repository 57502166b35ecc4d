/*
  Private to src/mesh: a text file in memory, read number by number; messages name the line.

  The first fault sets the error and moves to the end of the text, so that later reads return 0 and add no other fault:
  callers test wring_scan_ok where a loop or an allocation depends on a value that was read.

  A file may have binary parts in this machine's byte order, in which numbers are copied. In such a file messages name
  the byte offset of the fault.
*/
#pragma once
#include <wring/base.h>

typedef struct {
  const char  *file;     // borrowed
  char        *text;     // the whole file and a terminating '\0'
  const char  *at, *end; // not yet read: [at, end)
  int64_t      line;     // of at, from 1
  PetscBool    by_byte;  // the file has binary parts: places are offsets, not lines
  PetscBool    binary;   // at is in such a part
  wring_error *e;        // borrowed
} wring_scan;

/* Reads the file. If it cannot be read, the error is set and the text is empty. The caller closes it in both cases. */
PetscErrorCode wring_scan_open(const char *file, wring_error *e, wring_scan *s);
PetscErrorCode wring_scan_close(wring_scan *s);

PetscBool   wring_scan_ok(const wring_scan *s);
int64_t     wring_scan_place(const wring_scan *s); // of at: its line, or its offset in a file with binary parts
const char *wring_scan_unit(const wring_scan *s);  // "line" or "byte"
void wring_scan_fail(wring_scan *s, int64_t place, const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
  The next number of this line; `what` names it in the message, "expected <what>, found 'x'". In binary parts an int has
  4 bytes, a long and a real 8.
*/
int64_t wring_scan_int(wring_scan *s, const char *what);
int64_t wring_scan_long(wring_scan *s, const char *what);
double  wring_scan_real(wring_scan *s, const char *what); // finite

/* A number (int or long) of items, each of which takes at least two bytes of the rest of the file: in [0, rest / 2]. */
PetscInt wring_scan_count(wring_scan *s, const char *what);
PetscInt wring_scan_long_count(wring_scan *s, const char *what);

/*
  Ends this line; a binary part begins at the next byte. Ends the binary part; text continues at the next non-blank
  line.
*/
void wring_scan_begin_binary(wring_scan *s);
void wring_scan_end_binary(wring_scan *s);

/* The rest of this line must be blank; moves to the next non-blank line. Does nothing in binary parts. */
void wring_scan_end_line(wring_scan *s);
void wring_scan_skip_line(wring_scan *s);

/* Moves past the next non-blank character of the line, which must be c. */
void wring_scan_character(wring_scan *s, char c);

/* The line's next word, empty at the end of the line; does not move past it. */
size_t wring_scan_peek(wring_scan *s, const char **word);

/* Whether the line's next word is this one; if so, moves past it. */
PetscBool wring_scan_word(wring_scan *s, const char *word);

/* The line must consist of this word only. */
void wring_scan_keyword(wring_scan *s, const char *word);
