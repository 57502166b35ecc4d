/* Private to src/term: means of J over patches, of a term whose law is split. docs/theory.md 3.12 */
#pragma once
#include "term_impl.h"

typedef struct wring_mean {
  wring_patches    patches; // those of this rank, the roots of sf
  PetscSF          sf;      // its leaves: the patches of this rank's elements
  PetscInt         n;       // leaves
  PetscInt        *number;  // [n] over all ranks: global numbers of the centres, or of the tets
  double          *sum;     // [n] m^3: sums of V_e J_e
  double          *root;    // [patches.n] the same, then the means
  const wring_law *law;     // the whole law, of which t->law is the element's part
  double          *par;     // [law->n_par]
  PetscInt        *patch;   // [elements] their patches
  PetscInt        *start;   // [n + 1] of the elements of each patch in `element`
  PetscInt        *element; // [elements] by patch, in their order
  double          *J;       // [n_block][WRING_LANES] a number of each element: J, or its change
  double          *volume;  // [n] rest volumes V_p of whole patches, m^3
  double          *scale;   // [n] mean factors on psi
  double (*u)[3];           // [n] U, U', U'' at the means, times scale, Pa
  double *own_scale;        // [patches.n] mean factors
  double *own_energy;       // [patches.n] J
} wring_mean;

/* V_e of an element: its weights without the factor on psi. */
static inline double mean_volume(const wring_term *t, PetscInt e)
{
  double sum = 0;
  for (int p = 0; p < t->points; p++) sum += t->weight[point_position(t, term_position(t, e), p)];
  return t->scale ? sum / t->scale[e] : sum;
}

/*
  Makes t->mean from the numbers of the elements' patches [elements]: patches are numbered over all ranks, of which this
  one has n_root in the order of ranks. Collective.
*/
PetscErrorCode wring_mean_create(MPI_Comm comm, const wring_law *law, const double *par, PetscInt n_root,
                                 const PetscInt *number, wring_term *t);
/* wring_term_find_pressures of the patches; the means are to be found anew after it. */
PetscErrorCode wring_mean_find_pressures(wring_term *t, wring_phases *phases, const double *x, const double *d);
PetscErrorCode wring_mean_destroy(wring_mean **mean);
