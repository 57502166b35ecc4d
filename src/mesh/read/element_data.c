/*
  Values of tets from the $ElementData of a Gmsh file, as rows of a table. Tets and rows go to the rank that the hash
  of the element's number gives.
*/
#include "base/exchange.h"
#include "raw.h"

typedef struct {
  int64_t number, place, tet, given; // in the file; where; among the tets of all ranks; whether a row has it
} tet_row;

/* The first element that this rank finds a second time; tets and rows arrive in the order of the file. */
typedef struct {
  int64_t number, place; // place INT64_MAX: none
} repetition;

static void keep_first(int64_t number, int64_t place, repetition *fault)
{
  if (place < fault->place) *fault = (repetition){number, place};
}

/* The tets whose numbers this rank knows, and by number their places in *got. */
static PetscErrorCode list_tets(MPI_Comm comm, const wring_raw *raw, PetscInt *n, tet_row **got, wring_map *place,
                                repetition *fault)
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
    row[t] = (tet_row){raw->tets.number[t], raw->tets.line[t], begin + t, 0};
  }
  PetscCall(wring_exchange_rows(comm, raw->tets.n, to, sizeof *row, row, n, got));
  PetscCall(PetscFree2(to, row));
  PetscCall(wring_map_create(*n, place));
  for (PetscInt i = 0; i < *n; i++) {
    PetscCall(wring_map_add(place, (*got)[i].number, i, &known));
    if (known != i) keep_first((*got)[i].number, (*got)[i].place, fault);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode send_rows(MPI_Comm comm, const wring_raw_data *d, PetscInt *n_got, wring_raw_cell **got)
{
  const size_t width = 2 + (size_t)d->width;
  PetscInt    *to;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(comm);
  PetscCall(PetscMalloc1((size_t)d->n, &to));
  for (PetscInt i = 0; i < d->n; i++) to[i] = wring_raw_keeper(size, d->row[(size_t)i * width].whole);
  PetscCall(wring_exchange_rows(comm, d->n, to, width * sizeof *d->row, d->row, n_got, got));
  PetscCall(PetscFree(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of tets, which are those of other elements too; each tet at most once. */
static PetscErrorCode pick_tets(MPI_Comm comm, const wring_raw *raw, PetscInt *n, double *row, PetscInt n_got,
                                const wring_raw_cell *got, repetition *fault)
{
  const size_t width = (size_t)raw->data->width;
  tet_row     *tet;
  wring_map    place;
  PetscInt     n_tet;

  PetscFunctionBegin;
  PetscCall(list_tets(comm, raw, &n_tet, &tet, &place, fault));
  for (PetscInt i = 0; i < n_got; i++) {
    const wring_raw_cell *const from = got + (size_t)i * (2 + width);
    double *const               one  = row + (size_t)*n * (1 + width);
    const PetscInt              t    = wring_map_find(&place, from[0].whole);
    if (t < 0) continue;
    if (tet[t].given) keep_first(from[0].whole, from[1].whole, fault);
    tet[t].given = 1;
    one[0]       = (double)tet[t].tet;
    for (size_t c = 0; c < width; c++) one[1 + c] = from[2 + c].real;
    (*n)++;
  }
  PetscCall(PetscFree(tet));
  PetscCall(wring_map_destroy(&place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_table(MPI_Comm comm, wring_scan *s, const wring_raw *raw, PetscInt *n, double **row)
{
  repetition      fault = {0, INT64_MAX};
  int64_t         first;
  PetscInt        n_got;
  wring_raw_cell *got;

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
  PetscCall(PetscFree(data.row));
  PetscCall(wring_raw_destroy(&raw));
  PetscFunctionReturn(PETSC_SUCCESS);
}
