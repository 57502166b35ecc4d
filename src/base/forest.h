/* Private to the library: connected components by union and find, in arrays of parents. Not collective. */
#pragma once
#include <wring/base.h>

/* The root of i, where parent[root] = root; halves the path to the root. */
static inline PetscInt wring_root(PetscInt *parent, PetscInt i)
{
  for (; parent[i] != i; i = parent[i]) parent[i] = parent[parent[i]];
  return i;
}

/* Joins the components of i and j; the smaller root remains. */
static inline void wring_unite(PetscInt *parent, PetscInt i, PetscInt j)
{
  const PetscInt r = wring_root(parent, i), s = wring_root(parent, j);
  parent[PetscMax(r, s)] = PetscMin(r, s);
}
