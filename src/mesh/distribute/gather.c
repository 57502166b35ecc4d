/* The mesh in original order: distributed in pieces, one for each rank, and gathered from these on rank 0. */
#include "base/count.h"
#include "base/exchange.h"
#include "base/sort.h"
#include "mesh/data.h"
#include <stdlib.h>

/* Cuts n items into equal pieces: piece [size + 1], the first item of each. */
static void cut_evenly(PetscInt64 n, PetscMPIInt size, PetscInt64 *piece)
{
  for (PetscMPIInt p = 0; p <= size; p++) piece[p] = n / size * p + PetscMin(p, n % size);
}

static PetscInt find_piece(PetscMPIInt size, const PetscInt64 *piece, PetscInt64 i)
{
  PetscInt first = 0, last = size - 1; // the last piece that does not begin after i
  while (first < last) {
    const PetscInt middle = last - (last - first) / 2;
    if (piece[middle] <= i)
      first = middle;
    else
      last = middle - 1;
  }
  return first;
}

/*
  Sends rows [n][width] of PetscInt64, whose first entry is the position of the row among all, to the piece with this
  position: *got [*n_got][width], freed by the caller. Frees row. Collective.
*/
static PetscErrorCode send_to_pieces(MPI_Comm comm, const PetscInt64 *piece, PetscInt n, int width, PetscInt64 *row,
                                     PetscInt *n_got, PetscInt64 **got)
{
  PetscInt   *part;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc1((size_t)n, &part));
  for (PetscInt i = 0; i < n; i++) part[i] = find_piece(size, piece, row[(size_t)i * (size_t)width]);
  PetscCall(wring_exchange_rows(comm, n, part, (size_t)width * sizeof *row, row, n_got, got));
  PetscCall(PetscFree(part));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode slice_vertices(const wring_mesh *m, wring_mesh_data *d)
{
  PetscFunctionBegin;
  PetscCall(PetscSFReduceBegin(m->natural, m->vector, m->X, d->X, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(m->natural, m->vector, m->X, d->X, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Number, region, four original vertices, and six of order 2; tets that a rank sends in one round. */
enum { TET_ROW = 6, MIDS = 6, ROUND = 1 << 16 };

/* Sends the tets [first, end) of this rank. */
static PetscErrorCode send_tets(const wring_mesh *m, const PetscInt64 *piece, size_t first, size_t end,
                                PetscInt64 begin, wring_mesh_data *d)
{
  const size_t width = m->mid ? TET_ROW + MIDS : TET_ROW;
  PetscInt64  *row, *got;
  PetscInt     n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(width * (end - first), &row));
  for (size_t e = first; e < end; e++) {
    PetscInt64 *const to = row + width * (e - first);
    to[0]                = m->tet_original[e];
    to[1]                = m->region[e];
    for (size_t a = 0; a < 4; a++) to[2 + a] = m->original[m->tet[4 * e + a]];
    for (size_t k = 0; k < width - TET_ROW; k++) to[TET_ROW + k] = m->original[m->mid[MIDS * e + k]];
  }
  PetscCall(send_to_pieces(m->comm, piece, (PetscInt)(end - first), (int)width, row, &n, &got));
  for (size_t i = 0; i < (size_t)n; i++) {
    const PetscInt64 *const from = got + width * i;
    const size_t            e    = (size_t)(from[0] - begin);
    d->region[e]                 = (PetscInt)from[1];
    for (size_t a = 0; a < 4; a++) d->tet[4 * e + a] = (PetscInt)from[2 + a];
    for (size_t k = 0; k < width - TET_ROW; k++) d->mid[MIDS * e + k] = (PetscInt)from[TET_ROW + k];
  }
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In rounds, to limit the memory of the messages at the end of a run. */
static PetscErrorCode slice_tets(const wring_mesh *m, const PetscInt64 *piece, PetscInt64 begin, wring_mesh_data *d)
{
  PetscInt rounds = m->n_tet / ROUND + 1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPIU_INT, MPI_MAX, m->comm));
  for (size_t r = 0; r < (size_t)rounds; r++) {
    const size_t first = PetscMin(r * ROUND, (size_t)m->n_tet), end = PetscMin((r + 1) * ROUND, (size_t)m->n_tet);
    PetscCall(send_tets(m, piece, first, end, begin, d));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Members of all sets, sorted by set and original number: key = set x n_global + original number. */
static PetscErrorCode sort_members(const wring_mesh *m, const PetscInt64 *piece, PetscInt *n, uint64_t **key)
{
  PetscInt64 *row, *got;
  PetscInt   *index, all = 0, k = 0; // counted without overflow: check_members

  PetscFunctionBegin;
  for (PetscInt s = 0; s < m->sets.n; s++) all += m->set_count[s];
  PetscCall(PetscMalloc1(2 * (size_t)all, &row));
  for (PetscInt s = 0; s < m->sets.n; s++) {
    for (PetscInt i = 0; i < m->set_count[s]; i++, k++) {
      row[2 * (size_t)k]     = m->original[m->set_vertex[s][i]];
      row[2 * (size_t)k + 1] = s;
    }
  }
  PetscCall(send_to_pieces(m->comm, piece, all, 2, row, n, &got));
  PetscCall(PetscMalloc1((size_t)*n, key));
  for (size_t i = 0; i < (size_t)*n; i++)
    (*key)[i] = (uint64_t)got[2 * i + 1] * (uint64_t)m->n_global + (uint64_t)got[2 * i];
  PetscCall(PetscMalloc1((size_t)*n, &index));
  PetscCall(wring_order_keys(*n, *key, index));
  PetscCall(PetscFree(index));
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  set_start of the whole mesh; next [sets.n]: the position in it at which the members of this rank's piece of the
  vertices begin.
*/
static PetscErrorCode place_members(const wring_mesh *m, PetscInt n, const uint64_t *key, wring_mesh_data *d,
                                    PetscInt *next)
{
  PetscInt *here;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)m->sets.n, &here));
  PetscCall(PetscCalloc1((size_t)m->sets.n + 1, &d->set_start));
  for (PetscInt i = 0; i < n; i++) here[key[i] / (uint64_t)m->n_global]++;
  PetscCallMPI(MPI_Scan(here, next, (PetscMPIInt)m->sets.n, MPIU_INT, MPI_SUM, m->comm));
  PetscCallMPI(MPI_Allreduce(here, d->set_start + 1, (PetscMPIInt)m->sets.n, MPIU_INT, MPI_SUM, m->comm));
  for (PetscInt s = 0; s < m->sets.n; s++) {
    next[s] += d->set_start[s] - here[s];
    d->set_start[s + 1] += d->set_start[s];
  }
  PetscCall(PetscFree(here));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* piece [size + 1]: of the vertices, then of the members. */
static PetscErrorCode slice_sets(const wring_mesh *m, PetscMPIInt size, PetscMPIInt rank, PetscInt64 *piece,
                                 wring_mesh_data *d, PetscInt *n_member)
{
  PetscInt    n = 0, *next;
  PetscInt64 *row, *got;
  uint64_t   *key;

  PetscFunctionBegin;
  PetscCall(sort_members(m, piece, &n, &key));
  PetscCall(PetscMalloc1((size_t)m->sets.n, &next));
  PetscCall(place_members(m, n, key, d, next));
  PetscCall(PetscMalloc1(2 * (size_t)n, &row));
  for (size_t i = 0; i < (size_t)n; i++) {
    row[2 * i]     = next[key[i] / (uint64_t)m->n_global]++;
    row[2 * i + 1] = (PetscInt64)(key[i] % (uint64_t)m->n_global);
  }
  cut_evenly(d->set_start[m->sets.n], size, piece);
  PetscCall(send_to_pieces(m->comm, piece, n, 2, row, n_member, &got));
  PetscCall(PetscMalloc1((size_t)*n_member, &d->set_vertex));
  for (size_t i = 0; i < (size_t)*n_member; i++) d->set_vertex[got[2 * i] - piece[rank]] = (PetscInt)got[2 * i + 1];
  PetscCall(PetscFree(key));
  PetscCall(PetscFree(next));
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of triangles and lines, vertices first: by vertices, then by set. */
static int compare_by_vertices(const void *a, const void *b)
{
  const PetscInt64 *const x = a, *const y = b;
  for (int i = 0; i < 4; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* piece [size + 1]: of the vertices. */
static PetscErrorCode slice_set_elements(const wring_mesh *m, const PetscInt64 *piece, wring_mesh_data *d)
{
  const size_t width = m->set_mid ? 7 : 4;
  PetscInt64  *row, *got;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(width * (size_t)m->n_set_element, &row));
  for (size_t i = 0; i < (size_t)m->n_set_element; i++) {
    for (size_t a = 0; a < 4; a++) row[width * i + a] = m->set_element[4 * i + (a + 1) % 4];
    for (size_t k = 0; k < width - 4; k++) row[width * i + 4 + k] = m->set_mid[3 * i + k];
  }
  PetscCall(send_to_pieces(m->comm, piece, m->n_set_element, (int)width, row, &d->n_set_element, &got));
  if (d->n_set_element) qsort(got, (size_t)d->n_set_element, width * sizeof *got, compare_by_vertices);
  PetscCall(PetscMalloc1(4 * (size_t)d->n_set_element, &d->set_element));
  if (m->set_mid) PetscCall(PetscMalloc1(3 * (size_t)d->n_set_element, &d->set_mid));
  for (size_t i = 0; i < (size_t)d->n_set_element; i++) {
    for (size_t a = 0; a < 4; a++) d->set_element[4 * i + (a + 1) % 4] = (PetscInt)got[width * i + a];
    for (size_t k = 0; k < width - 4; k++) d->set_mid[3 * i + k] = (PetscInt)got[width * i + 4 + k];
  }
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checks that the members of all sets on all ranks can be counted by PetscInt. */
static PetscErrorCode check_members(const wring_mesh *m)
{
  wring_error error = {""};
  PetscInt64  all   = 0;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < m->sets.n; s++) all += m->set_count[s];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPIU_INT64, MPI_SUM, m->comm));
  wring_count_fits(all, 1, "mesh", "vertices of all sets", &error);
  PetscCall(wring_error_raise(m->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_slice(const wring_mesh *m, wring_mesh_data **slice, PetscInt *n_set_vertex)
{
  PetscInt64 *piece;
  PetscInt    n_vertex;
  PetscMPIInt size, rank;

  PetscFunctionBegin;
  PetscCall(check_members(m));
  PetscCallMPI(MPI_Comm_size(m->comm, &size));
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  PetscCall(PetscMalloc1((size_t)size + 1, &piece));
  cut_evenly(m->n_tet_global, size, piece);
  PetscCall(PetscSFGetGraph(m->natural, &n_vertex, NULL, NULL, NULL));
  PetscCall(wring_mesh_data_create(n_vertex, piece[rank + 1] - piece[rank], slice));
  if (m->mid) PetscCall(PetscMalloc1(MIDS * (size_t)(*slice)->n_tet, &(*slice)->mid));
  PetscCall(wring_names_copy(&m->regions, &(*slice)->regions));
  PetscCall(wring_names_copy(&m->sets, &(*slice)->sets));
  PetscCall(slice_vertices(m, *slice));
  PetscCall(slice_tets(m, piece, piece[rank], *slice));
  cut_evenly(m->n_global, size, piece);
  PetscCall(slice_set_elements(m, piece, *slice));
  PetscCall(slice_sets(m, size, rank, piece, *slice, n_set_vertex));
  PetscCall(PetscFree(piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b)
{
  const PetscInt *const x = a, *const y = b;
  for (int i = 0; i < 4; i++)
    if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
  return 0;
}

/* On rank 0: by set, then by vertices. */
static PetscErrorCode sort_set_elements(wring_mesh_data *d)
{
  const size_t width = d->set_mid ? 7 : 4;
  PetscInt    *row;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(width * (size_t)d->n_set_element, &row));
  for (size_t i = 0; i < (size_t)d->n_set_element; i++) {
    for (size_t a = 0; a < 4; a++) row[width * i + a] = d->set_element[4 * i + a];
    for (size_t k = 0; k < width - 4; k++) row[width * i + 4 + k] = d->set_mid[3 * i + k];
  }
  if (d->n_set_element) qsort(row, (size_t)d->n_set_element, width * sizeof *row, compare_rows);
  for (size_t i = 0; i < (size_t)d->n_set_element; i++) {
    for (size_t a = 0; a < 4; a++) d->set_element[4 * i + a] = row[width * i + a];
    for (size_t k = 0; k < width - 4; k++) d->set_mid[3 * i + k] = row[width * i + 4 + k];
  }
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_gather(const wring_mesh *m, wring_mesh_data **data)
{
  wring_error error = {""};
  PetscInt    members, n, n_mid, n_row;
  PetscInt64  elements = m->n_set_element;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &elements, 1, MPIU_INT64, MPI_SUM, m->comm));
  if (wring_count_fits(m->n_tet_global, WRING_TET_ENTRIES, "mesh on one rank", "tetrahedra", &error))
    wring_count_fits(elements, 4, "mesh on one rank", "lines and triangles of sets", &error);
  PetscCall(wring_error_raise(m->comm, &error));
  PetscCall(wring_mesh_slice(m, data, &members));
  wring_mesh_data *const d = *data;
  n = n_mid = d->n_tet;
  n_row     = d->n_set_element;
  PetscCall(wring_exchange_collect(m->comm, &d->n_vertex, 3 * sizeof *d->X, &d->X));
  PetscCall(wring_exchange_collect(m->comm, &d->n_tet, 4 * sizeof *d->tet, &d->tet));
  if (m->mid) PetscCall(wring_exchange_collect(m->comm, &n_mid, MIDS * sizeof *d->mid, &d->mid));
  PetscCall(wring_exchange_collect(m->comm, &n, sizeof *d->region, &d->region));
  PetscCall(wring_exchange_collect(m->comm, &members, sizeof *d->set_vertex, &d->set_vertex));
  PetscCall(wring_exchange_collect(m->comm, &d->n_set_element, 4 * sizeof *d->set_element, &d->set_element));
  if (m->set_mid) PetscCall(wring_exchange_collect(m->comm, &n_row, 3 * sizeof *d->set_mid, &d->set_mid));
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  if (rank)
    PetscCall(wring_mesh_data_destroy(data));
  else
    PetscCall(sort_set_elements(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
