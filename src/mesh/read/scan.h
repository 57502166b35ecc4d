/*
  Private to src/mesh: a text file, read number by number through a window of it; messages name the line. All ranks open
  the file, and each goes to the parts that it needs. A row is a line that is not blank. A file may have binary parts in
  this machine's byte order, in which numbers are copied; then messages name byte offsets.

  The window has every line whole in which wring_scan_end_line, wring_scan_skip_line or wring_scan_go ends, so that
  words of this line may be pointed at until one of them is called again. The first fault on this rank sets the error
  and moves to the end of the file, so that later reads return 0 and add no other fault: callers test wring_scan_ok
  where a loop or an allocation depends on a value that was read.
*/
#pragma once
#include "lines.h"

/* Of faults at the same offset, which is then the end of the file, the one of the lowest stage is reported. */
enum { WRING_SCAN_ROWS, WRING_SCAN_COORDINATES, WRING_SCAN_HEADS };

typedef struct {
  MPI_Comm     comm;
  const char  *file; // borrowed
  int          handle;
  int64_t      size, changed; // of the file in bytes; its time of change, when it was opened
  char        *text;          // the window and a terminating '\0', allocated by malloc
  size_t       room, ahead;   // bytes of the window; of the next part that is read
  int64_t      base;          // offset of the window in the file
  const char  *at, *end;      // not yet read, of the window; at = end: the end of the file
  const char  *whole;         // lines that begin before this place end in the window
  int64_t      line;          // of at, from 1
  int64_t      row;           // of at, from 0; in a text
  PetscBool    by_byte;       // the file has binary parts: places are offsets, not lines
  PetscBool    binary;        // at is in such a part
  PetscBool    comments;      // lines that begin with # are no rows, and skipped like blank ones
  int          stage;         // one of those above
  int64_t      fault;         // orders the faults of all ranks
  wring_lines  lines;         // n = 0: none
  wring_error *e;             // borrowed
} wring_scan;

/*
  Collective. wring_scan_open, after which s is at the first row; on a fault, which every rank then has, the file
  appears to be empty, and is closed likewise. wring_scan_close checks that the file has not changed. wring_scan_index
  counts the rows of a text, for wring_scan_go. wring_scan_share gives every rank the fault with the smallest offset.
*/
PetscErrorCode wring_scan_open(MPI_Comm comm, const char *file, wring_error *e, wring_scan *s);
PetscErrorCode wring_scan_close(wring_scan *s);
PetscErrorCode wring_scan_index(wring_scan *s, PetscBool comments);
PetscErrorCode wring_scan_share(wring_scan *s);

PetscBool wring_scan_ok(const wring_scan *s);
int64_t   wring_scan_offset(const wring_scan *s); // of at, in the file
int64_t   wring_scan_place(const wring_scan *s);  // of at: its line, or its offset in a file with binary parts
void      wring_scan_fail(wring_scan *s, int64_t place, const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
  Moves to a row of a text, for which it must have been indexed unless the row follows; in binary parts, to an offset.
  wring_scan_where: of at.
*/
void    wring_scan_go(wring_scan *s, int64_t where);
int64_t wring_scan_where(const wring_scan *s);

/* Moves to the first row of the file. */
void wring_scan_rewind(wring_scan *s);

/* Moves over blank lines, and comments if they are skipped; from the end of a line to the next row. */
void wring_scan_skip_blank(wring_scan *s);

/* Reads ahead, if the file does not end: the window then has at least one more byte after at. */
PetscBool wring_scan_fill(wring_scan *s);

/*
  The next number of this line; `what` names it in the message, "expected <what>, found 'x'". In binary parts an int has
  4 bytes, a long and a real 8.
*/
int64_t wring_scan_int(wring_scan *s, const char *what);
int64_t wring_scan_long(wring_scan *s, const char *what);
double  wring_scan_real(wring_scan *s, const char *what); // finite

/* A number (int or long) of items, each of which takes at least two bytes of the rest of the file: in [0, rest / 2]. */
int64_t wring_scan_count(wring_scan *s, const char *what);
int64_t wring_scan_long_count(wring_scan *s, const char *what);

/* Ends this line: a binary part begins at the next byte. Ends that part: text continues at the next row. */
void wring_scan_begin_binary(wring_scan *s);
void wring_scan_end_binary(wring_scan *s);

/* The rest of this line must be blank; moves to the next row. Does nothing in binary parts. */
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
