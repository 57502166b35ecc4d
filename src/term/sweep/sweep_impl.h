/*
  Private to src/term: the layout of a sweep in memory.

  Elements of one colour and one term are stored in blocks of WRING_LANES; the last block is filled with copies of its
  last element, which compute and store the same numbers. A block is one record of rows double [WRING_LANES], read
  sequentially: weight, damping, multipliers, parameters (unless they are the same for all elements of the term),
  coefficients of G; blocks of second-order tets have one record for each point. Positions are [n_local][4], with the
  inverse mass after x, y, z: one cache line holds all data of a vertex.
*/
#pragma once
#include "term/term_impl.h"
#include <wring/sweep.h>

enum { SWEEP_WEIGHT, SWEEP_DAMPING, SWEEP_LAMBDA }; // first rows of a record

/* Blocks of one colour and one term. */
typedef struct {
  wring_term *term;
  PetscInt    n, lanes, n_block; // elements; elements per block: WRING_LANES, or 1 in sequential order
  PetscInt    first_block;       // number of the first block
  size_t      corner, data;      // where the first block begins
  int         n_row;             // rows of a record
  PetscBool   damped;            // some element has damping
} sweep_segment;

typedef struct {
  PetscInt begin, end; // segments
  PetscSF  copy;       // from the rank that moves a vertex in this colour to all others that have it; NULL: none
} sweep_colour;

struct wring_sweep {
  const wring_mesh  *mesh;
  wring_order        order;
  wring_phases      *phases;
  int                n_term;
  wring_term *const *term;
  wring_sweep_rule   rule;
  PetscInt           n_segment, n_colour, n_block;
  sweep_segment     *segment;
  sweep_colour      *colour;
  double            *data;              // records
  PetscInt          *corner;            // [m][WRING_LANES] local vertices of each block
  PetscInt          *position;          // [n_block][WRING_LANES] of elements in their term
  double            *x;                 // [n_local][4] positions and inverse masses
  double            *reference, *start; // [n_local][4]; start: hybrid, positions before a sweep, then moves
  double            *share;             // [n_owned] hybrid: 1 / ranks with elements at a vertex that has ghosts, else 0
  const char        *held;              // [n_local] components that do not move, bit by bit; NULL: none
  MPI_Datatype       four;              // 4 doubles
  PetscInt64         not_finite;
};

/* Rows of parameters in a record. */
static inline int sweep_par_rows(const wring_term *t)
{
  return t->par_stride ? t->law->n_par : 0;
}

static inline int sweep_coef_rows(const wring_term *t)
{
  return t->coef ? columns_of(t->m) * t->law->q : 0;
}

PetscErrorCode wring_sweep_build(wring_sweep *s);      // segments, colours, records (sweep_build.c)
PetscErrorCode wring_sweep_build_halo(wring_sweep *s); // copy, share (sweep_halo.c)

PetscErrorCode wring_sweep_average(wring_sweep *s); // x after a hybrid sweep
