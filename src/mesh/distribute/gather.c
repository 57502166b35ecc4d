/* The mesh in original order: in slices, and as a whole on rank 0, for files. */
#include "base/count.h"
#include "base/parallel/sorting.h"
#include "base/sort.h"
#include "mesh/data.h"

/* Number, region, four original vertices, and six of order 2; tets that a rank sends in one round. */
enum { TET_ROW = 6, MIDS = 6, ROUND = 1 << 16 };

/* Sends the tets [first, end) of this rank. */
static PetscErrorCode send_tets(const wring_mesh *m, size_t first, size_t end, PetscInt64 begin, wring_mesh_data *d)
{
  const size_t width = m->tets.order > 1 ? TET_ROW + MIDS : TET_ROW;
  PetscInt64  *row, *got;
  PetscInt    *to, n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(width * (end - first), &row, end - first, &to));
  for (size_t e = first; e < end; e++) {
    PetscInt64 *const one = row + width * (e - first);
    one[0]                = m->tets.original[e];
    one[1]                = m->tets.region[e];
    for (size_t a = 0; a < 4; a++) one[2 + a] = m->number.original[m->tets.corner[4 * e + a]];
    for (size_t k = 0; k < width - TET_ROW; k++) one[TET_ROW + k] = m->number.original[m->tets.mid[MIDS * e + k]];
    to[e - first] = wring_share_holder(m->comm, m->tets.n_global, one[0]);
  }
  PetscCall(wring_exchange_rows(m->comm, (PetscInt)(end - first), to, width * sizeof *row, row, &n, &got));
  PetscCall(PetscFree2(row, to));
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

/* ---- sets -------------------------------------------------------------------------------------------------------- */

/*
  Members on any ranks, key [n] = set x n_global + original number. d->set_start becomes that of the whole mesh,
  d->set_vertex [*n_member] an equal part of the members of all ranks, in the order of keys.
*/
static PetscErrorCode slice_members(MPI_Comm comm, PetscInt64 n_global, PetscInt n, const uint64_t *key,
                                    wring_mesh_data *d, PetscInt *n_member)
{
  wring_sorting s;

  PetscFunctionBegin;
  PetscCall(wring_sorting_create(comm, n, key, PETSC_FALSE, NULL, &s));
  PetscCall(PetscFree(d->set_start));
  PetscCall(PetscFree(d->set_vertex));
  PetscCall(PetscCalloc1((size_t)d->sets.n + 1, &d->set_start));
  PetscCall(PetscMalloc1((size_t)s.n, &d->set_vertex));
  for (PetscInt i = 0; i < s.n; i++) {
    d->set_start[s.key[i] / (uint64_t)n_global + 1]++;
    d->set_vertex[i] = (PetscInt)(s.key[i] % (uint64_t)n_global);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, d->set_start + 1, (PetscMPIInt)d->sets.n, MPIU_INT, MPI_SUM, comm));
  for (PetscInt k = 0; k < d->sets.n; k++) d->set_start[k + 1] += d->set_start[k];
  *n_member = s.n;
  PetscCall(wring_sorting_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode slice_sets(const wring_mesh *m, wring_mesh_data *d, PetscInt *n_member)
{
  PetscInt  all = 0; // does not overflow: wring_mesh_slice has counted the members of all ranks
  uint64_t *key;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < m->set.names.n; s++) all += m->set.count[s];
  PetscCall(PetscMalloc1((size_t)all, &key));
  all = 0;
  for (PetscInt s = 0; s < m->set.names.n; s++)
    for (PetscInt i = 0; i < m->set.count[s]; i++)
      key[all++] = (uint64_t)s * (uint64_t)m->number.n_global + (uint64_t)m->number.original[m->set.vertex[s][i]];
  PetscCall(slice_members(m->comm, m->number.n_global, all, key, d, n_member));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of lines and triangles begin with the vertices, by which and then by the set they are sorted. */
static PetscErrorCode slice_set_elements(const wring_mesh *m, wring_mesh_data *d)
{
  const size_t n = (size_t)m->set.n_element, width = m->tets.order > 1 ? 7 : 4;
  PetscInt    *row, *got, *to;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(width * n, &row, n, &to));
  for (size_t i = 0; i < n; i++) {
    for (size_t a = 0; a < 4; a++) row[width * i + a] = m->set.element[4 * i + (a + 1) % 4];
    for (size_t k = 0; k < width - 4; k++) row[width * i + 4 + k] = m->set.mid[3 * i + k];
    to[i] = wring_share_holder(m->comm, m->number.n_global, row[width * i]); // as in m->forest.natural
  }
  PetscCall(wring_exchange_rows(m->comm, (PetscInt)n, to, width * sizeof *row, row, &d->n_set_element, &got));
  PetscCall(PetscFree2(row, to));
  PetscCall(wring_sort_rows(d->n_set_element, 4, width * sizeof *got, got, NULL));
  PetscCall(PetscMalloc1(4 * (size_t)d->n_set_element, &d->set_element));
  if (width > 4) PetscCall(PetscMalloc1(3 * (size_t)d->n_set_element, &d->set_mid));
  for (size_t i = 0; i < (size_t)d->n_set_element; i++) {
    for (size_t a = 0; a < 4; a++) d->set_element[4 * i + (a + 1) % 4] = got[width * i + a];
    for (size_t k = 0; k < width - 4; k++) d->set_mid[3 * i + k] = got[width * i + 4 + k];
  }
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_slice(const wring_mesh *m, wring_mesh_data **slice, PetscInt *n_set_vertex)
{
  const wring_share tets    = wring_equal_share(m->comm, m->tets.n_global);
  PetscInt64        members = 0;
  PetscInt          n_vertex, rounds = m->tets.n / ROUND + 1; // limit the memory of messages at the end of a run

  PetscFunctionBegin;
  for (PetscInt s = 0; s < m->set.names.n; s++) members += m->set.count[s];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &members, 1, MPIU_INT64, MPI_SUM, m->comm));
  PetscCall(wring_count_check(m->comm, members, 1, "mesh", "vertices of all sets"));
  PetscCall(PetscSFGetGraph(m->forest.natural, &n_vertex, NULL, NULL, NULL));
  PetscCall(wring_mesh_data_create(n_vertex, tets.n, slice));
  wring_mesh_data *const d = *slice;
  if (m->tets.order > 1) PetscCall(PetscMalloc1(MIDS * (size_t)d->n_tet, &d->mid));
  PetscCall(wring_names_copy(&m->regions, &d->regions));
  PetscCall(wring_names_copy(&m->set.names, &d->sets));
  PetscCall(PetscSFReduceBegin(m->forest.natural, m->forest.vector, m->X, d->X, MPI_REPLACE));
  PetscCall(PetscSFReduceEnd(m->forest.natural, m->forest.vector, m->X, d->X, MPI_REPLACE));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &rounds, 1, MPIU_INT, MPI_MAX, m->comm));
  for (size_t r = 0, n = (size_t)m->tets.n; r < (size_t)rounds; r++)
    PetscCall(send_tets(m, PetscMin(r * ROUND, n), PetscMin((r + 1) * ROUND, n), tets.begin, d));
  PetscCall(slice_set_elements(m, d));
  PetscCall(slice_sets(m, d, n_set_vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Slices, with members as of wring_mesh_slice, become the whole on rank 0, NULL elsewhere. */
static PetscErrorCode collect(MPI_Comm comm, PetscBool second, PetscInt n_member, wring_mesh_data **data)
{
  wring_mesh_data *const d = *data;
  PetscInt               n = d->n_tet, n_mid = d->n_tet, n_row = d->n_set_element;

  PetscFunctionBegin;
  PetscCall(wring_exchange_collect(comm, &d->n_vertex, 3 * sizeof *d->X, &d->X));
  PetscCall(wring_exchange_collect(comm, &d->n_tet, 4 * sizeof *d->tet, &d->tet));
  if (second) PetscCall(wring_exchange_collect(comm, &n_mid, MIDS * sizeof *d->mid, &d->mid));
  PetscCall(wring_exchange_collect(comm, &n, sizeof *d->region, &d->region));
  PetscCall(wring_exchange_collect(comm, &n_member, sizeof *d->set_vertex, &d->set_vertex));
  PetscCall(wring_exchange_collect(comm, &d->n_set_element, 4 * sizeof *d->set_element, &d->set_element));
  if (second) PetscCall(wring_exchange_collect(comm, &n_row, 3 * sizeof *d->set_mid, &d->set_mid));
  if (wring_comm_rank(comm)) PetscCall(wring_mesh_data_destroy(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refuses a mesh that one rank cannot count; elements: of this rank's sets. */
static PetscErrorCode check_whole(MPI_Comm comm, const char *where, PetscInt64 vertices, PetscInt64 tets,
                                  PetscInt64 elements)
{
  wring_error error = {""};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &elements, 1, MPIU_INT64, MPI_SUM, comm));
  if (wring_mesh_data_fits(where, vertices, tets, &error))
    wring_count_fits(elements, 4, where, "lines and triangles of sets", &error);
  PetscCall(wring_error_raise(comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_gather(const wring_mesh *m, wring_mesh_data **data)
{
  PetscInt members, *order;

  PetscFunctionBegin;
  PetscCall(check_whole(m->comm, "mesh on one rank", m->number.n_global, m->tets.n_global, m->set.n_element));
  PetscCall(wring_mesh_slice(m, data, &members));
  PetscCall(collect(m->comm, (PetscBool)(m->tets.order > 1), members, data));
  if (!*data) PetscFunctionReturn(PETSC_SUCCESS);
  wring_mesh_data *const d = *data;
  PetscCall(PetscMalloc1((size_t)d->n_set_element, &order)); // by set, then by vertices
  PetscCall(wring_sort_rows(d->n_set_element, 4, 4 * sizeof *d->set_element, d->set_element, order));
  if (d->set_mid) PetscCall(wring_permute_rows(d->n_set_element, order, 3 * sizeof *d->set_mid, &d->set_mid));
  PetscCall(PetscFree(order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_collect(MPI_Comm comm, wring_mesh_data **data)
{
  wring_mesh_data *const d      = *data;
  const PetscInt         n      = d->set_start ? d->set_start[d->sets.n] : 0;
  PetscInt64             sum[2] = {d->n_vertex, d->n_tet};
  PetscInt               members;
  uint64_t              *key;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_INT64, MPI_SUM, comm));
  PetscCall(check_whole(comm, "the mesh on one rank", sum[0], sum[1], d->n_set_element));
  d->order = 1; // the middles and tags of all slices are not collected
  PetscCall(wring_middles_clear(&d->middles));
  PetscCall(PetscFree(d->tag));
  PetscCall(PetscMalloc1((size_t)n, &key));
  for (PetscInt s = 0; n > 0 && s < d->sets.n; s++)
    for (PetscInt i = d->set_start[s]; i < d->set_start[s + 1]; i++)
      key[i] = (uint64_t)s * (uint64_t)sum[0] + (uint64_t)d->set_vertex[i];
  PetscCall(slice_members(comm, sum[0], n, key, d, &members));
  PetscCall(PetscFree(key));
  PetscCall(collect(comm, PETSC_FALSE, members, data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
