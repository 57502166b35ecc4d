/*
  Values of tets from the $ElementData of a Gmsh file, as rows of a table. Tets and rows go to the rank that the hash
  of the element's number gives.
*/
#include "base/exchange.h"
#include "base/map.h"
#include "raw.h"
#include <string.h>

typedef struct {
  int64_t number, tet; // in the file; among the tets of all ranks
} tet_row;

/* The tets whose numbers this rank knows, and their places in *got. */
static PetscErrorCode list_tets(MPI_Comm comm, const wring_raw *raw, PetscInt *n, tet_row **got, wring_map *place)
{
  PetscInt64 begin = 0;
  PetscInt  *to, known;
  tet_row   *row;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(comm);
  const PetscInt64  mine = raw->tets.n;
  PetscCallMPI(MPI_Scan(&mine, &begin, 1, MPIU_INT64, MPI_SUM, comm));
  begin -= mine;
  PetscCall(PetscMalloc2((size_t)raw->tets.n, &to, (size_t)raw->tets.n, &row));
  for (PetscInt t = 0; t < raw->tets.n; t++) {
    to[t]  = wring_raw_keeper(size, raw->tets.number[t]);
    row[t] = (tet_row){raw->tets.number[t], begin + t};
  }
  PetscCall(wring_exchange_rows(comm, raw->tets.n, to, sizeof *row, row, n, got));
  PetscCall(PetscFree2(to, row));
  PetscCall(wring_map_create(*n, place));
  for (PetscInt i = 0; i < *n; i++) PetscCall(wring_map_add(place, (*got)[i].number, i, &known));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* A row as bytes [row_size]: number, place, values. */
static size_t row_size(const wring_raw_data *d)
{
  return 2 * sizeof(int64_t) + (size_t)d->width * sizeof(double);
}

static PetscErrorCode send_rows(MPI_Comm comm, const wring_raw_data *d, PetscInt *n_got, char **got)
{
  const size_t size = row_size(d), values = (size_t)d->width * sizeof(double);
  PetscInt    *to;
  char        *row;

  PetscFunctionBegin;
  const PetscMPIInt ranks = wring_comm_size(comm);
  PetscCall(PetscMalloc2((size_t)d->n, &to, (size_t)d->n * size, &row));
  for (PetscInt i = 0; i < d->n; i++) {
    char *const at = row + (size_t)i * size;
    to[i]          = wring_raw_keeper(ranks, d->number[i]);
    memcpy(at, &d->number[i], sizeof(int64_t));
    memcpy(at + sizeof(int64_t), &d->place[i], sizeof(int64_t));
    memcpy(at + 2 * sizeof(int64_t), d->value + (size_t)i * (size_t)d->width, values);
  }
  PetscCall(wring_exchange_rows(comm, d->n, to, size, row, n_got, got));
  PetscCall(PetscFree2(to, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first fault of this rank; rows arrive in the order of the file. */
typedef struct {
  int64_t number, place; // place INT64_MAX: none
} repeated_row;

/* The rows of tets, which are those of other elements too; each tet at most once. */
static PetscErrorCode pick_tets(MPI_Comm comm, const wring_raw *raw, PetscInt *n, double *row, PetscInt n_got,
                                const char *got, repeated_row *fault)
{
  const size_t size = row_size(raw->data), w = (size_t)raw->data->width;
  tet_row     *tet;
  wring_map    place;
  PetscBool   *given;
  PetscInt     n_tet;

  PetscFunctionBegin;
  PetscCall(list_tets(comm, raw, &n_tet, &tet, &place));
  PetscCall(PetscCalloc1((size_t)n_tet, &given));
  for (PetscInt i = 0; i < n_got; i++) {
    const char *const at  = got + (size_t)i * size;
    double *const     one = row + (size_t)*n * (w + 1);
    repeated_row this;
    memcpy(&this, at, sizeof this);
    const PetscInt t = wring_map_find(&place, this.number);
    if (t < 0) continue;
    if (given[t] && this.place < fault->place) *fault = this;
    given[t] = PETSC_TRUE;
    one[0]   = (double)tet[t].tet;
    memcpy(one + 1, at + 2 * sizeof(int64_t), w * sizeof(double));
    (*n)++;
  }
  PetscCall(PetscFree(given));
  PetscCall(PetscFree(tet));
  PetscCall(wring_map_destroy(&place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_table(MPI_Comm comm, wring_scan *s, const wring_raw *raw, PetscInt *n, double **row)
{
  repeated_row fault = {0, INT64_MAX};
  int64_t      first;
  PetscInt     n_got;
  char        *got;

  PetscFunctionBegin;
  PetscCall(send_rows(comm, raw->data, &n_got, &got));
  PetscCall(PetscMalloc1((size_t)n_got * (size_t)(raw->data->width + 1) + 1, row));
  PetscCall(pick_tets(comm, raw, n, *row, n_got, got, &fault));
  PetscCall(PetscFree(got));
  PetscCallMPI(MPI_Allreduce(&fault.place, &first, 1, MPI_INT64_T, MPI_MIN, comm));
  if (first < INT64_MAX && fault.place == first)
    wring_scan_fail(s, first, "element %lld is given twice", (long long)fault.number);
  PetscCall(wring_error_share(comm, s->e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_read_data(MPI_Comm comm, const char *file, const char *name, int width, PetscInt *n,
                                    double **row, wring_error *e)
{
  wring_scan     s;
  wring_raw_data data = {.name = name, .width = width};
  wring_raw      raw  = {.data = &data};
  const char    *word;

  PetscFunctionBegin;
  *n   = 0;
  *row = NULL;
  PetscCall(wring_scan_open(comm, file, e, &s));
  if (wring_comm_rank(comm) == 0 && wring_scan_ok(&s) && (wring_scan_peek(&s, &word) == 0 || word[0] != '$'))
    wring_error_set(e, "%s: not a Gmsh file, expected one with the $ElementData \"%s\"", file, name);
  PetscCall(wring_error_share(comm, e));
  if (wring_scan_ok(&s)) PetscCall(wring_gmsh_read(&s, &raw));
  if (wring_scan_ok(&s) && !data.found)
    wring_error_set(e, "%s: has no $ElementData \"%s\", expected one of that name", file, name);
  PetscCall(wring_scan_close(&s)); // faults still go to e
  if (wring_scan_ok(&s)) PetscCall(make_table(comm, &s, &raw, n, row));
  if (wring_failed(e)) PetscCall(PetscFree(*row));
  PetscCall(PetscFree3(data.number, data.place, data.value));
  PetscCall(wring_raw_destroy(&raw));
  PetscFunctionReturn(PETSC_SUCCESS);
}
