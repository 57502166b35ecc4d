/* Private to src/potential. */
#pragma once
#include <wring/potential.h>

struct wring_potential {
  MPI_Comm          comm;
  const wring_mesh *mesh;   // borrowed
  wring_phases     *phases; // borrowed, may be NULL
  double            h;      // s
  PetscInt          revision;
  double           *mass; // [n_local] kg
  Vec               y, q; // target, start of the step
  int               n_term;
  wring_term      **term; // [n_term] owned
  int               n_contact;
  wring_contact   **contact; // [n_contact] owned
  wring_pattern    *pattern; // of the Hessian, built at the first one
  double           *block;   // [nnz][3][3] values of the Hessian's local rows
};

/* Values at ghosts of x from their owners; between the two calls only owned values may be read. */
PetscErrorCode wring_potential_halo_begin(wring_potential *g, double *x);
PetscErrorCode wring_potential_halo_end(wring_potential *g, double *x);
