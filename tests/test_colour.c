/* ranks: 1 2 4 */
/*
  Colours of elements with equal keys of the order, an element that two ranks have, and terms with stencils and laws
  that the program itself does not use: a sweep takes every element. Fails if a tie-break depends on the rank or on the
  order of the list, if equal elements on two ranks are not refused (they made the rounds endless), or if a group of
  elements is missing in a sweep.
*/
#include "model.h"
#include "refused.h"
#include "term/sweep/colour.h"
#include "term/sweep/sweep_impl.h"

static PetscErrorCode rank_and_size(PetscMPIInt *rank, PetscMPIInt *size)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- ties -------------------------------------------------------------------------------------------------------- */

/* The bits of the hash of an edge that the order of colouring uses. */
static uint64_t hash_of(PetscInt a, PetscInt b)
{
  return wring_mix(wring_mix(wring_mix(1) + 1 + (uint64_t)a) + 1 + (uint64_t)b) >> 44;
}

/* Two vertices below n whose edge has the same hash in both directions; their sums are equal anyway. */
static void find_tie(PetscInt n, PetscInt tie[2])
{
  for (PetscInt a = 0; a < n; a++) {
    for (PetscInt b = a + 1; b < n; b++) {
      if (hash_of(a, b) != hash_of(b, a)) continue;
      tie[0] = a, tie[1] = b;
      return;
    }
  }
  CHECK(0, "no tie among %d vertices", (int)n);
}

/* Edges (a, b) and (b, a), reversed in the list, or one on each of two ranks: the edge with a < b comes first. */
static PetscErrorCode test_ties(wring_mesh *m)
{
  PetscInt    tie[2], vertex[4], colour[2] = {-1, -1}, n_colour, n;
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCall(rank_and_size(&rank, &size));
  find_tie(m->n_global, tie);
  PetscCall(wring_mesh_extend_halo(m, 2, tie));
  const PetscInt a = wring_mesh_local(m, tie[0]), b = wring_mesh_local(m, tie[1]);
  const PetscInt reversed[4] = {b, a, a, b};
  n                          = size == 1 ? 2 : rank < 2 ? 1 : 0;
  PetscCall(PetscArraycpy(vertex, reversed + 2 * (rank < 2 ? rank : 0), 2 * n));
  PetscCall(wring_colour_elements(m, 2, n, vertex, colour, &n_colour));
  CHECK(n_colour == 2, "%d colours of two edges", (int)n_colour);
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt expected = vertex[2 * i] == a ? 0 : 1;
    CHECK(colour[i] == expected, "edge (%d, %d) has colour %d", (int)vertex[2 * i], (int)vertex[2 * i + 1],
          (int)colour[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same edge on ranks 0 and 1 is refused on all ranks. */
static PetscErrorCode test_equal_elements(wring_mesh *m)
{
  const PetscInt original[2] = {0, m->n_global - 1};
  PetscInt       colour, n_colour;
  PetscMPIInt    rank, size;

  PetscFunctionBegin;
  PetscCall(rank_and_size(&rank, &size));
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_mesh_extend_halo(m, 2, original));
  const PetscInt vertex[2] = {wring_mesh_local(m, original[0]), wring_mesh_local(m, original[1])};
  PetscCall(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
  __lsan_disable();
  const PetscErrorCode code = wring_colour_elements(m, 2, rank < 2, vertex, &colour, &n_colour);
  __lsan_enable();
  PetscCall(PetscPopErrorHandler());
  CHECK(code == PETSC_ERR_USER_INPUT, "an edge on two ranks gives error %d", (int)code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* A term with one number for each triangle that is the first face of an owned tet: m = 3, q = 1. */
static PetscErrorCode create_means(const wring_mesh *m, wring_term **term)
{
  const double par[2] = {1e3, 0.1}, coef[2] = {0.7, -0.4};
  PetscInt    *vertex, n                    = PetscMin(m->n_tet, 40);
  wring_term  *t;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * n, &vertex));
  for (PetscInt i = 0; i < 3 * n; i++) vertex[i] = m->tet[4 * (i / 3) + i % 3];
  PetscCall(
    wring_term_create_listed(m, "means", &wring_law_spring, 3, n, vertex, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, &t));
  for (PetscInt e = 0; e < n; e++) wring_term_set_coef(t, e, coef);
  wring_term_set_par(t, 0, par);
  wring_term_pad(t);
  PetscCall(PetscFree(vertex));
  *term = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A law on top of materials that is not in the list, and an unusual stencil: every element is in one segment, and groups
  are in order.
*/
static PetscErrorCode test_groups(const wring_mesh *m)
{
  const double strain[1] = {1e5}, limit[3] = {1e5, 0.9, 1.1};
  wring_law    scratch = wring_law_volume;
  wring_term  *term[4];
  wring_sweep *s;
  PetscInt     n = 0;

  PetscFunctionBegin;
  scratch.name = "scratch";
  PetscCall(create_means(m, &term[0]));
  PetscCall(wring_term_create_tets(m, 0, &scratch, limit, 0, &term[1]));
  PetscCall(wring_term_create_tets(m, 0, &wring_law_volume, limit, 0, &term[2]));
  PetscCall(wring_term_create_tets(m, 0, &wring_law_strain, strain, 0, &term[3]));
  PetscCall(wring_sweep_create(m, 4, term, WRING_ORDER_COLORED, NULL, &s));
  for (PetscInt i = 0, last = 3; i < s->n_segment; i++) {
    PetscInt which = 3;
    while (which > 0 && s->segment[i].term != term[which]) which--;
    CHECK(which <= last, "term %d comes after term %d", (int)which, (int)last);
    last = which;
    n += s->segment[i].n;
  }
  for (int i = 0; i < 4; i++) n -= wring_term_size(term[i]);
  CHECK(n == 0, "a sweep has %d elements too many", (int)n);
  PetscCall(wring_sweep_destroy(&s));
  for (int i = 0; i < 4; i++) PetscCall(wring_term_destroy(&term[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt large[3] = {20, 14, 14}, small[3] = {4, 3, 3};
  wring_mesh    *m;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  m = test_box(PETSC_COMM_WORLD, large);
  PetscCall(test_ties(m));
  PetscCall(wring_mesh_destroy(&m));
  m = test_box(PETSC_COMM_WORLD, small);
  PetscCall(test_groups(m));
  PetscCall(test_equal_elements(m));
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(PetscFinalize());
  return 0;
}
