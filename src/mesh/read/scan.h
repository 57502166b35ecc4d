/*
  Private to src/mesh: a text file in memory, read number by number, with its line for every fault.

  The first fault fills the error and moves to the end of the text, so that whatever is read afterwards is 0 at once and
  adds no other fault: callers test wring_scan_ok where a loop or an allocation depends on what was read.

  A file may have binary parts in this machine's byte order: there, numbers are read as they lie, and a fault is told by
  the offset of its byte.
*/
#pragma once
#include <wring/base.h>

typedef struct {
  const char  *file;     // borrowed
  char        *text;     // whole file and a '\0'
  const char  *at, *end; // not yet read: [at, end)
  int64_t      line;     // of at, from 1
  PetscBool    by_byte;  // the file has binary parts: places are offsets, not lines
  PetscBool    binary;   // at is in such a part
  wring_error *e;        // borrowed
} wring_scan;

/* Reads the file. If it cannot be read, the error says so and the text is empty. Always closed by the caller. */
PetscErrorCode wring_scan_open(const char *file, wring_error *e, wring_scan *s);
PetscErrorCode wring_scan_close(wring_scan *s);

PetscBool   wring_scan_ok(const wring_scan *s);
int64_t     wring_scan_place(const wring_scan *s); // where at is: its line, or its offset in a file with binary parts
const char *wring_scan_unit(const wring_scan *s);  // "line" or "byte"
void wring_scan_fail(wring_scan *s, int64_t place, const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
  The next number of this line; `what` names it in the message, "expected <what>, found 'x'". In binary parts an int has
  4 bytes, a long and a real 8.
*/
int64_t wring_scan_int(wring_scan *s, const char *what);
int64_t wring_scan_long(wring_scan *s, const char *what);
double  wring_scan_real(wring_scan *s, const char *what); // finite

/* A number (int or long) of things of which each takes at least two bytes of the rest of the file: in [0, rest / 2]. */
PetscInt wring_scan_count(wring_scan *s, const char *what);
PetscInt wring_scan_long_count(wring_scan *s, const char *what);

/* This line ends and binary follows at the next byte; text goes on, at the next line that is not blank. */
void wring_scan_begin_binary(wring_scan *s);
void wring_scan_end_binary(wring_scan *s);

/* The rest of this line must be blank; goes to the next line that is not. Nothing in binary parts. */
void wring_scan_end_line(wring_scan *s);
void wring_scan_skip_line(wring_scan *s);

/* The next character of the line that is not blank must be c, and is passed. */
void wring_scan_character(wring_scan *s, char c);

/* The line's next word, empty at its end; not passed. */
size_t wring_scan_peek(wring_scan *s, const char **word);

/* Whether the line's next word is this one, then passed. */
PetscBool wring_scan_word(wring_scan *s, const char *word);

/* This word must stand alone on the line. */
void wring_scan_keyword(wring_scan *s, const char *word);
