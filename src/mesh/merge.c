/*
  Several meshes in slices become one. Rows go to the ranks with equal shares of the whole; those of a mesh arrive in
  the order of its numbers, because the slices of ranks are in this order.
*/
#include "data.h"
#include "base/count.h"
#include "base/exchange.h"
#include <string.h>

typedef struct {
  MPI_Comm         comm;
  wring_mesh_data *d;         // the whole
  PetscInt64       all[2];    // vertices and tets of all meshes
  PetscInt64       first[2];  // number of the first ones of the mesh that is added
  PetscInt         filled[2]; // of this rank's share
  PetscInt         n_member;  // of sets, of the vertices of this rank's share, by mesh
  PetscInt        *member;    // [n_member][2] set, original number
} merger;

/* Rows [n][width bytes] of this rank, vertices or tets (kind 0, 1) of the mesh, to the holders of their numbers. */
static PetscErrorCode move_rows(const merger *j, int kind, PetscInt n, size_t width, const void *row, void *table)
{
  PetscInt64 mine = n, begin;
  PetscInt   n_got, *to;
  char      *got;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&mine, &begin, 1, MPIU_INT64, MPI_SUM, j->comm));
  begin += j->first[kind] - mine;
  PetscCall(PetscMalloc1((size_t)n, &to));
  for (PetscInt i = 0; i < n; i++) to[i] = wring_share_holder(j->comm, j->all[kind], begin + i);
  PetscCall(wring_exchange_rows(j->comm, n, to, width, row, &n_got, &got));
  if (n_got) memcpy((char *)table + (size_t)j->filled[kind] * width, got, (size_t)n_got * width);
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode count_rows(MPI_Comm comm, const wring_mesh_data *part, PetscInt64 n[2])
{
  PetscFunctionBegin;
  n[0] = part->n_vertex;
  n[1] = part->n_tet;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 2, MPIU_INT64, MPI_SUM, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- names and sets ---------------------------------------------------------------------------------------------- */

/* The name of the group that is the whole mesh: its only region, or the set of a box without tets; NULL: none. */
static const char *whole_name(const wring_mesh_data *part)
{
  if (part->regions.n == 1) return part->regions.name[0];
  return part->regions.n == 0 && !part->format ? "box" : NULL;
}

/* Adds the names `from` of the mesh `name`. */
static PetscErrorCode add_names(const wring_names *from, const char *name, const char *whole, wring_names *to)
{
  char *text;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < from->n; i++) {
    const size_t size = strlen(name) + strlen(from->name[i]) + 2;
    PetscCall(PetscMalloc1(size, &text));
    if (whole && !wring_ascii_compare(from->name[i], whole))
      PetscCall(PetscStrncpy(text, name, size));
    else
      PetscCall(PetscSNPrintf(text, size, "%s.%s", name, from->name[i]));
    PetscCall(wring_names_add(to, text, strlen(text)));
    PetscCall(PetscFree(text));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Members of this rank's slice of the mesh, with all its vertices in one more set if `more`, to the holders. */
static PetscErrorCode add_members(merger *j, const wring_mesh_data *part, PetscBool more)
{
  const PetscInt listed = part->sets.n ? part->set_start[part->sets.n] : 0, n = listed + (more ? part->n_vertex : 0);
  const PetscInt first_set = j->d->sets.n - part->sets.n - (more ? 1 : 0);
  PetscInt64     end, mine = part->n_vertex;
  PetscInt      *row, *to, *got, n_got, set = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&mine, &end, 1, MPIU_INT64, MPI_SUM, j->comm));
  PetscCall(PetscMalloc2(2 * (size_t)n, &row, (size_t)n, &to));
  for (PetscInt i = 0; i < n; i++) {
    while (i < listed && i >= part->set_start[set + 1]) set++;
    const PetscInt64 v     = i < listed ? part->set_vertex[i] : end - mine + i - listed;
    row[2 * (size_t)i]     = first_set + (i < listed ? set : part->sets.n);
    row[2 * (size_t)i + 1] = (PetscInt)(j->first[0] + v);
    to[i]                  = wring_share_holder(j->comm, j->all[0], j->first[0] + v);
  }
  PetscCall(wring_exchange_rows(j->comm, n, to, 2 * sizeof *row, row, &n_got, &got));
  PetscCall(PetscFree2(row, to));
  PetscCall(PetscRealloc(2 * (size_t)(j->n_member + n_got) * sizeof *got, &j->member));
  PetscCall(PetscArraycpy(j->member + 2 * (size_t)j->n_member, got, 2 * (size_t)n_got));
  j->n_member += n_got;
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

/* Lines and triangles stay on their rank. */
static PetscErrorCode add_elements(merger *j, const wring_mesh_data *part, PetscInt first_set)
{
  wring_mesh_data *const d = j->d;

  PetscFunctionBegin;
  PetscCall(
    PetscRealloc(4 * (size_t)(d->n_set_element + part->n_set_element) * sizeof *d->set_element, &d->set_element));
  PetscInt *const row = d->set_element + 4 * (size_t)d->n_set_element;
  for (size_t i = 0; i < 4 * (size_t)part->n_set_element; i++) {
    const PetscInt value = part->set_element[i];
    row[i]               = value + (i % 4 == 0 ? first_set : value < 0 ? 0 : (PetscInt)j->first[0]);
  }
  d->n_set_element += part->n_set_element;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Middles stay on their rank, too. */
static PetscErrorCode add_middles(merger *j, const wring_middles *from)
{
  wring_middles *const to = &j->d->middles;
  const size_t         n = (size_t)to->n, more = (size_t)from->n;

  PetscFunctionBegin;
  PetscCall(PetscRealloc(2 * (n + more) * sizeof *to->end, &to->end));
  PetscCall(PetscRealloc(3 * (n + more) * sizeof *to->X, &to->X));
  for (size_t i = 0; i < 2 * more; i++) to->end[2 * n + i] = from->end[i] + (PetscInt)j->first[0];
  PetscCall(PetscArraycpy(to->X + 3 * n, from->X, 3 * more));
  to->n += from->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds a mesh, whose numbers of vertices and regions change in place. */
static PetscErrorCode add_part(merger *j, const char *name, wring_mesh_data *part)
{
  wring_mesh_data *const d         = j->d;
  const PetscInt         first_set = d->sets.n, first_region = d->regions.n;
  const char *const      whole    = whole_name(part);
  const PetscBool        more     = (PetscBool)(whole ? wring_names_find(&part->sets, whole) < 0 : !part->sets.n);
  const wring_share      share[2] = {wring_equal_share(j->comm, j->all[0]), wring_equal_share(j->comm, j->all[1])};
  PetscInt64             n[2];

  PetscFunctionBegin;
  PetscCall(count_rows(j->comm, part, n));
  PetscCall(add_names(&part->regions, name, whole, &d->regions));
  PetscCall(add_names(&part->sets, name, whole, &d->sets));
  if (more) PetscCall(wring_names_add(&d->sets, name, strlen(name)));
  PetscCall(add_members(j, part, more));
  PetscCall(add_elements(j, part, first_set));
  PetscCall(add_middles(j, &part->middles));
  for (size_t i = 0; i < 4 * (size_t)part->n_tet; i++) part->tet[i] += (PetscInt)j->first[0];
  for (PetscInt e = 0; e < part->n_tet; e++) part->region[e] += first_region;
  PetscCall(move_rows(j, 0, part->n_vertex, 3 * sizeof *d->X, part->X, d->X));
  PetscCall(move_rows(j, 1, part->n_tet, 4 * sizeof *d->tet, part->tet, d->tet));
  PetscCall(move_rows(j, 1, part->n_tet, sizeof *d->region, part->region, d->region));
  for (int k = 0; k < 2; k++) {
    j->first[k] += n[k];
    j->filled[k] = (PetscInt)PetscMax(0, PetscMin(share[k].n, j->first[k] - share[k].begin));
  }
  d->order = PetscMax(d->order, part->order);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_merge(MPI_Comm comm, PetscInt n, const char *const *name, wring_mesh_data **part,
                                wring_mesh_data **d, wring_error *e)
{
  merger     j = {.comm = comm};
  PetscInt64 one[2];

  PetscFunctionBegin;
  *d = NULL;
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(count_rows(comm, part[i], one));
    for (int k = 0; k < 2; k++) j.all[k] = wring_count_plus(j.all[k], one[k]);
  }
  const wring_share tets = wring_equal_share(comm, j.all[1]);
  if (wring_mesh_data_fits("body", j.all[0], tets.all > 0 ? tets.all / wring_comm_size(comm) + 1 : 0, e)) {
    PetscCall(wring_mesh_data_create(wring_equal_share(comm, j.all[0]).n, tets.n, &j.d));
    for (PetscInt i = 0; i < n; i++) {
      PetscCall(add_part(&j, name[i], part[i]));
      PetscCall(wring_mesh_data_destroy(&part[i]));
    }
    PetscCall(wring_mesh_data_fill_sets(j.d, j.n_member, j.member)); // in ascending order, as they have come
    PetscCall(PetscFree(j.member));
  }
  for (PetscInt i = 0; i < n; i++) PetscCall(wring_mesh_data_destroy(&part[i]));
  *d = j.d;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_mesh_place(wring_mesh_data *d, const double R[9], const double at[3])
{
  double *const  table[2] = {d->X, d->middles.X};
  const PetscInt n[2]     = {d->n_vertex, d->middles.n};
  for (int t = 0; t < 2; t++)
    for (PetscInt v = 0; v < n[t]; v++) {
      double *const X = table[t] + 3 * (size_t)v, Y[3] = {X[0], X[1], X[2]};
      for (int c = 0; c < 3; c++) X[c] = at[c] + R[3 * c] * Y[0] + R[3 * c + 1] * Y[1] + R[3 * c + 2] * Y[2];
    }
}
