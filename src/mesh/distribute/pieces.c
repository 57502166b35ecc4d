#include "pieces.h"
#include "base/parallel/sorting.h"
#include "slices.h"
#include "order.h"

/* ---- keys -------------------------------------------------------------------------------------------------------- */

enum { ROUND = 1 << 16 }; // tets whose corners a rank asks for at a time

/* Whether all corners of a tet are in this rank's slice; near: their places in it. */
static PetscBool is_near(const wring_pieces *p, const PetscInt tet[4], PetscInt near[4])
{
  for (int a = 0; a < 4; a++) {
    near[a] = tet[a] - p->slice->rstart;
    if (near[a] < 0 || near[a] >= p->slice->n) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* The keys of near tets; other entries of key [d->n_tet] are without meaning. *n_far: tets that are not near. */
static void find_near_keys(const wring_pieces *p, const wring_mesh_data *d, uint64_t *key, PetscInt *n_far)
{
  PetscInt      near[4];
  wring_hilbert h = wring_hilbert_begin(p->low, p->side, key);
  *n_far          = 0;
  for (PetscInt e = 0; e < d->n_tet; e++) {
    if (is_near(p, d->tet + 4 * (size_t)e, near)) {
      wring_hilbert_add_tet(&h, p->X, near);
    } else {
      wring_hilbert_add(&h, p->low);
      ++*n_far;
    }
  }
  wring_hilbert_end(&h);
}

/* The keys of tets [n][4] (original numbers), which become places: fetches their corners. */
static PetscErrorCode find_keys(const wring_pieces *p, PetscInt n_tet, PetscInt *tet, uint64_t *key)
{
  PetscInt *vertex, n;
  double   *X;

  PetscFunctionBegin;
  PetscCall(wring_slices_compact(n_tet, tet, &n, &vertex));
  PetscCall(PetscMalloc1(3 * (size_t)n, &X));
  PetscCall(wring_slices_fetch(p->slice, n, vertex, 3 * sizeof *X, p->X, X));
  wring_hilbert h = wring_hilbert_begin(p->low, p->side, key);
  for (PetscInt e = 0; e < n_tet; e++) wring_hilbert_add_tet(&h, X, tet + 4 * (size_t)e);
  wring_hilbert_end(&h);
  PetscCall(PetscFree(X));
  PetscCall(PetscFree(vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next tets from *e on that are not near, at most ROUND: number [*n], and their corners. */
static void list_far(const wring_pieces *p, const wring_mesh_data *d, PetscInt *e, PetscInt *n, PetscInt *number,
                     PetscInt *tet)
{
  PetscInt near[4];
  for (*n = 0; *e < d->n_tet && *n < ROUND; ++*e) {
    const PetscInt *const v = d->tet + 4 * (size_t)*e;
    if (is_near(p, v, near)) continue;
    for (int a = 0; a < 4; a++) tet[4 * *n + a] = v[a];
    number[(*n)++] = *e;
  }
}

/* key [d->n_tet] */
static PetscErrorCode find_all_keys(const wring_pieces *p, const wring_mesh_data *d, uint64_t *key)
{
  PetscInt  n_far, rounds, next = 0, n, *number, *tet;
  uint64_t *far;

  PetscFunctionBegin;
  find_near_keys(p, d, key, &n_far);
  rounds = (n_far + ROUND - 1) / ROUND;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPIU_INT, MPI_MAX, p->comm));
  n_far = PetscMin(n_far, ROUND);
  PetscCall(PetscMalloc3((size_t)n_far, &number, 4 * (size_t)n_far, &tet, (size_t)n_far, &far));
  for (PetscInt r = 0; r < rounds; r++) {
    list_far(p, d, &next, &n, number, tet);
    PetscCall(find_keys(p, n, tet, far));
    for (PetscInt i = 0; i < n; i++) key[number[i]] = far[i];
  }
  PetscCall(PetscFree3(number, tet, far));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* *table [n][width] becomes the sorted one; the old one is freed. */
static PetscErrorCode sort_table(const wring_sorting *s, size_t width, void *table)
{
  void *sorted;

  PetscFunctionBegin;
  PetscCall(wring_sorting_send(s, width, *(void **)table, &sorted));
  PetscCall(PetscFree(*(void **)table));
  *(void **)table = sorted;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tets with equal keys are in the order of their numbers, since those ascend from rank to rank. */
static PetscErrorCode sort_tets(wring_pieces *p, wring_mesh_data *d)
{
  wring_sorting s;
  uint64_t     *key;
  PetscInt64   *first, end, mine = d->n_tet, all; // first [size]: the first tet of each rank, where a section begins

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(p->comm);
  PetscCall(PetscMalloc1((size_t)d->n_tet, &key));
  PetscCall(find_all_keys(p, d, key));
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPIU_INT64, MPI_SUM, p->comm));
  PetscCall(PetscMalloc1((size_t)size, &first));
  for (PetscMPIInt r = 0; r < size; r++)
    first[r] = wring_section_begin(all, p->n_section, (PetscInt)((PetscInt64)r * p->n_section / size));
  PetscCall(wring_sorting_create(p->comm, d->n_tet, key, PETSC_FALSE, first, &s));
  PetscCall(PetscFree(first));
  PetscCall(PetscFree(key));
  p->n      = s.n;
  p->tet    = d->tet;
  p->region = d->region;
  d->tet = d->region = NULL;
  PetscCall(sort_table(&s, 4 * sizeof *p->tet, &p->tet));
  PetscCall(sort_table(&s, sizeof *p->region, &p->region));
  PetscCallMPI(MPI_Scan(&mine, &end, 1, MPIU_INT64, MPI_SUM, p->comm));
  PetscCall(PetscMalloc1((size_t)mine, &p->number));
  for (PetscInt64 e = 0; e < mine; e++) p->number[e] = end - mine + e;
  PetscCall(sort_table(&s, sizeof *p->number, &p->number));
  PetscCall(wring_sorting_destroy(&s));
  d->n_tet = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pieces_create(MPI_Comm comm, PetscInt n_section, wring_mesh_data *d, wring_pieces *p)
{
  double high[3];

  PetscFunctionBegin;
  *p = (wring_pieces){.comm = comm, .X = d->X, .n_section = n_section};
  PetscCall(PetscLayoutCreateFromSizes(comm, d->n_vertex, PETSC_DETERMINE, 1, &p->slice));
  PetscCall(wring_bounds_find(comm, d->n_vertex, d->X, p->low, high));
  p->side = wring_hilbert_side(p->low, high);
  PetscCall(sort_tets(p, d));
  PetscCall(wring_slices_compact(p->n, p->tet, &p->n_vertex, &p->vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_pieces_destroy(wring_pieces *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(p->tet));
  PetscCall(PetscFree(p->region));
  PetscCall(PetscFree(p->number));
  PetscCall(PetscFree(p->vertex));
  PetscCall(PetscLayoutDestroy(&p->slice));
  PetscFunctionReturn(PETSC_SUCCESS);
}
