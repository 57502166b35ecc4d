/*
  The layout of the tables of law spline in its parameters, private to spline.c and spline_file.c.

  Rows of par: the modulus, two numbers at rest, then a block for each of the functions a, b and c. A function's
  derivative, minus its value at 1, is a cubic on every piece between breaks, which are the points of the table and 1;
  pieces 0 and n_break are the lines beyond them. On piece p it is y + m t + c t^2 + d t^3, t = s - base, and its
  integral from 1 is `integral` at t = 0. The base is the end of the piece that is nearer to 1, which avoids
  cancellation near 1.
*/
#pragma once
#include <wring/law.h>

enum { SPLINE_A, SPLINE_B, SPLINE_C, SPLINE_FUNCTIONS };

enum {
  SPLINE_POINTS  = 64,                // per table, at most
  SPLINE_BREAKS  = SPLINE_POINTS + 1, // 1 is a break too
  SPLINE_PIECES  = SPLINE_POINTS + 2,
  SPLINE_MODULUS = 0,                            // k of the quadratic proxy
  SPLINE_PAIR,                                   // b'(1) + c'(1)
  SPLINE_VOLUME,                                 // c'(1)
  SPLINE_COUNT,                                  // number of breaks of a, b and c
  SPLINE_FIRST = SPLINE_COUNT + SPLINE_FUNCTIONS // row of the first block
};

/* Break p is the lower end of piece p, p > 0, and is stored in row p - 1 of the breaks; NaN after the last. */
enum { PIECE_BASE, PIECE_Y, PIECE_M, PIECE_C, PIECE_D, PIECE_INTEGRAL, PIECE_LOWER, PIECE_ROWS };

enum {
  SPLINE_BLOCK = SPLINE_BREAKS + PIECE_ROWS * SPLINE_PIECES,
  SPLINE_N_PAR = SPLINE_FIRST + SPLINE_FUNCTIONS * SPLINE_BLOCK
};

/*
  The row of the first break of a function, and the row of a number of its piece 0; those of the other pieces follow.
*/
static inline int spline_break_row(int function)
{
  return SPLINE_FIRST + function * SPLINE_BLOCK;
}

static inline int spline_piece_row(int function, int row)
{
  return spline_break_row(function) + SPLINE_BREAKS + row * SPLINE_PIECES;
}

/*
  par [SPLINE_N_PAR] from a CSV `function,x,value[,slope]`, where function is a, b or c and value its derivative at x. A
  faulty file is refused with one line. Collective on the ranks of o.
*/
PetscErrorCode wring_spline_read(const wring_options *o, const char *file, double *par);
