/*
  Private to src/term: the layout of a descent in memory.

  An incidence is a vertex of an element, in an element at this vertex. Incidences are evaluated in blocks of
  WRING_LANES of one term; their vertex is called own, the others of the element are numbered without it. Blocks belong
  to batches: up to BATCH vertices of one colour, processed by one thread.
*/
#pragma once
#include "term/term_impl.h"
#include <wring/descent.h>

enum { BATCH = 16, OTHERS = QUADRATIC - 1 };

/*
  Blocks of one term in a batch. Rows of a block: weight and coefficients [others][q] of each point, parameters of an
  element.
*/
typedef struct {
  wring_term *term;
  PetscInt    n_block, first_block;
  size_t      other, data; // where the first block begins
} descent_segment;

typedef struct {
  PetscInt begin, end;         // vertices, places in `vertex`
  PetscInt segment, n_segment; // first, number
} descent_batch;

typedef struct {
  PetscInt begin, end; // batches
  PetscSF  copy;       // from owners to the ranks that read the vertices of this colour; NULL: none
} descent_colour;

struct wring_descent {
  const wring_mesh  *mesh;
  wring_phases      *phases;
  int                n_term;
  wring_term *const *term;
  wring_descent_rule rule;
  PetscInt           n_here;  // n_local + vertices of elements of other ranks that are no ghosts
  PetscSF            all;     // from owners to [n_owned, n_here)
  double            *x;       // [n_here][4]
  PetscInt          *vertex;  // [n_owned] by colour
  PetscInt          *colours; // [n_here] of a vertex
  double            *tiny;    // [n_owned] m, steps up to this length are not compared
  PetscInt           n_colour, n_batch, n_segment, n_block;
  descent_colour    *colour;
  descent_batch     *batch;
  descent_segment   *segment;
  double            *data;  // rows of blocks [WRING_LANES]
  PetscInt          *other; // [others][WRING_LANES] of each block; of points: their positions in the term
  unsigned char     *slot;  // [n_block][WRING_LANES] number of the own vertex in its batch
  MPI_Datatype       four;  // 4 doubles
};

/* ---- while a descent is built ------------------------------------------------------------------------------------ */

/* A vertex of an element: local number and corner, in an element of this rank or in a row from another rank. */
typedef struct {
  PetscInt  vertex, at; // owned; position of the element in its term, or number of the row
  int       term, corner;
  PetscBool is_row;
} descent_incidence;

typedef struct {
  wring_descent     *d;
  PetscInt           n;
  descent_incidence *incidence; // [n]
  PetscInt           n_row;
  int                width;
  double            *row;      // [n_row][width] from other ranks
  PetscInt          *original; // [n_here]
  PetscInt          *start;    // [n_owned + 1] of the incidences of a vertex in `order`
  PetscInt          *order;    // [n]
} descent_build;

/*
  An incidence: the others' numbers in [0, n_here); of its row, or of room: weights [points], coefficients [others][q]
  of each point, [n_par] unless the parameters of the term are uniform.
*/
typedef struct {
  PetscInt      other[OTHERS];
  const double *weight, *coef, *par;
} descent_element;

static inline int descent_others(const wring_term *t)
{
  return t->m - 1;
}

static inline int descent_par_rows(const wring_term *t)
{
  return t->par_stride ? t->law->n_par : 0;
}

/* The coefficients of a point. */
static inline int descent_coefs(const wring_term *t)
{
  return descent_others(t) * t->law->q;
}

static inline int descent_rows(const wring_term *t)
{
  return t->points * (1 + descent_coefs(t)) + descent_par_rows(t);
}

/* Numbers of `other` of a block: those of points are positions in the term. */
static inline int descent_other_rows(const wring_term *t)
{
  return t->m > 1 ? t->m - 1 : 1;
}

PetscErrorCode wring_descent_share(descent_build *b); // incidences of owned vertices, n_here, all (descent_share.c)
/* room [width] for those of own elements. */
void wring_descent_describe(const descent_build *b, const descent_incidence *i, double *room, descent_element *e);
void wring_descent_find_others(const descent_build *b, const descent_incidence *i, PetscInt other[OTHERS]);
PetscErrorCode wring_descent_colour(descent_build *b); // colours, n_colour (descent_colour.c)
PetscErrorCode wring_descent_build(wring_descent *d);  // all of d but the rule (descent_build.c)
