/*
  Private to src/term/pattern: the elements at each vertex, and a set of columns for each thread. Threads share the
  rows; a row sums over the elements at its vertex in their order, so that sums do not depend on the number of threads.
*/
#pragma once
#include "../kernels.h"
#include <omp.h>

/* ---- the elements at a vertex: pattern.c ------------------------------------------------------------------------ */

/* Of one term. */
typedef struct {
  PetscInt *start; // [n_local + 1]
  PetscInt *item;  // positions of the elements, ascending; without padded ones
} incidence;

typedef struct {
  PetscInt           n, n_term;
  wring_term *const *term;
  incidence         *in; // [n_term]
} wring_elements;

/* For all terms. Threads read it. */
PetscErrorCode wring_elements_create(PetscInt n, PetscInt n_term, wring_term *const *term, wring_elements *e);
PetscErrorCode wring_elements_destroy(wring_elements *e);

static inline PetscInt chunk_of(const wring_term *t, PetscInt block)
{
  const PetscInt boundary = term_boundary(t) / LANES;
  if (block < boundary) return block / t->chunk_blocks;
  return t->n_chunk_interior + (block - boundary) / t->chunk_blocks;
}

/* v [m]: the vertices of the element at a position. */
static inline void vertices_of(const wring_term *t, PetscInt position, PetscInt *v)
{
  const PetscInt block = position / LANES, chunk = chunk_of(t, block);
  for (int a = 0; a < t->m; a++) v[a] = term_corner(t, chunk, block, a, (int)(position % LANES));
}

/* ---- a set of columns ------------------------------------------------------------------------------------------- */

/* A hash table with open addresses. An empty place has the key -1. */
typedef struct {
  uint32_t  mask;
  PetscInt *key, *value; // [mask + 1]
} table;

/* The place of key, or the empty one where it belongs. */
static inline uint32_t find_place(const table *h, PetscInt key)
{
  uint32_t at = (uint32_t)key * 2654435769u >> 7 & h->mask;
  while (h->key[at] != key && h->key[at] >= 0) at = (at + 1) & h->mask;
  return at;
}

/* Adds key with a value unless it is there. */
static inline PetscBool put(table *h, PetscInt key, PetscInt value)
{
  const uint32_t at = find_place(h, key);
  if (h->key[at] == key) return PETSC_FALSE;
  h->key[at]   = key;
  h->value[at] = value;
  return PETSC_TRUE;
}

/* Memory of all threads: a table and a list each, for rows of at most `most` columns. */
typedef struct {
  size_t    size; // of a table
  PetscInt *memory;
} tables;

PetscErrorCode wring_tables_create(const wring_elements *e, tables *all);

/* Of the calling thread; list: as many numbers. */
static inline table get_table(const tables *all, PetscInt **list)
{
  PetscInt *const first = all->memory + 3 * all->size * (size_t)omp_get_thread_num();
  *list                 = first + 2 * all->size;
  return (table){(uint32_t)all->size - 1, first, first + all->size};
}

/* ---- the pattern: pattern.c ------------------------------------------------------------------------------------- */

/* The sorted columns of all rows. Threaded. */
PetscErrorCode wring_pattern_of(const wring_elements *e, const tables *all, wring_pattern **pattern);
