/* Fields of tets: numbers per tet from a table, in the order of the mesh file. */
#include "base/count.h"
#include "problem/problem_impl.h"
#include <math.h>

enum { ALL_REGIONS = -1, NO_TABLE = -2 }; // sources of a field besides the regions

/* Prefix of the keys of region r, or of all regions. */
static void prefix_of(const wring_problem *p, const wring_tet_field *f, PetscInt r, size_t size, char *prefix)
{
  if (r == ALL_REGIONS)
    PetscStrncpy(prefix, f->fallback, size);
  else
    wring_region_prefix(p, r, size, prefix);
}

/* The one key under a prefix that gives the field, or NULL. */
static PetscErrorCode find_key(const wring_problem *p, const wring_tet_field *f, const char *prefix, const char **key)
{
  const char *const keys[3] = {f->constant, f->file, f->data};

  PetscFunctionBegin;
  *key = NULL;
  for (int i = 0; i < 3; i++) {
    if (!keys[i] || !wring_options_has(p->options, prefix, keys[i])) continue;
    if (*key)
      WRING_REFUSE(p->comm, "%s: %s%s and %s%s are both given, expected one of them",
                   wring_options_origin(p->options, prefix, keys[i]), prefix, keys[i], prefix, *key);
    *key = keys[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* source [regions.n]: the region whose keys give the field of region r: r itself or ALL_REGIONS; or NO_TABLE. */
static PetscErrorCode find_sources(const wring_problem *p, const wring_tet_field *f, wring_region_choice *wanted,
                                   PetscInt *source)
{
  char        prefix[WRING_PREFIX];
  const char *key;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < p->mesh->regions.n; r++) {
    source[r] = r;
    prefix_of(p, f, r, sizeof prefix, prefix);
    PetscCall(find_key(p, f, prefix, &key));
    if (!key) {
      source[r] = ALL_REGIONS;
      PetscCall(find_key(p, f, f->fallback, &key));
    }
    if (!key || key == f->constant || !wanted(p, r)) source[r] = NO_TABLE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* On rank 0: refuses a row with invalid numbers. */
static void check_rows(const wring_tet_field *f, const char *name, PetscBool csv, PetscInt n, const double *row,
                       wring_error *e)
{
  char where[32] = "";
  for (PetscInt i = 0; i < n; i++, row += 1 + f->width) {
    const char *const expected = f->fault(row + 1);
    if (!expected) continue;
    if (csv) snprintf(where, sizeof where, ":%" PetscInt64_FMT, wring_csv_line(name, i));
    wring_error_set(e, "%s%s: tet %.0f has %.6g%s, expected %s", name, where, row[0], row[1],
                    f->width > 1 ? ", ..." : "", expected);
    return;
  }
}

/* Tables [n][1 + width], of a file on rank 0, of data on all ranks, and their names in messages. */
static PetscErrorCode read_csv(const wring_problem *p, const wring_tet_field *f, const char *prefix, size_t size,
                               char *name, PetscInt *n, double **row)
{
  wring_error error = {0};
  int         width;

  PetscFunctionBegin;
  PetscCall(wring_options_get_path(p->options, prefix, f->table, f->file, size, name));
  if (p->rank == 0) {
    PetscCall(wring_csv_read(name, f->header, (PetscInt)p->parts->origin.n_mother, PETSC_TRUE, PETSC_FALSE, n, &width,
                             row, &error));
    if (*row) check_rows(f, name, PETSC_TRUE, *n, *row, &error);
  }
  PetscCall(wring_error_raise(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refuses the row with the lowest tet of those with a bad value, on whatever rank it is. */
static PetscErrorCode check_data(const wring_problem *p, const wring_tet_field *f, const char *name, PetscInt n,
                                 const double *row)
{
  const size_t  size   = 1 + (size_t)f->width;
  const double *lowest = NULL;
  wring_error   error  = {""};
  double        mine   = INFINITY, all;

  PetscFunctionBegin;
  for (const double *one = row; one < row + (size_t)n * size; one += size) {
    if (!f->fault(one + 1) || one[0] >= mine) continue;
    lowest = one;
    mine   = one[0];
  }
  PetscCallMPI(MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MIN, p->comm));
  if (lowest && mine <= all) check_rows(f, name, PETSC_FALSE, 1, lowest, &error);
  PetscCall(wring_error_raise(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_data(const wring_problem *p, const wring_tet_field *f, const char *prefix, size_t size,
                                char *name, PetscInt *n, double **row)
{
  const char *section;
  char        file[PETSC_MAX_PATH_LEN];
  wring_error error = {0};

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(p->options, prefix, f->table, f->data, &section));
  if (!wring_options_has(p->options, "mesh_", "file"))
    WRING_REFUSE(p->comm, "%s: %s%s names data in a mesh file, expected mesh.file too, or a table (%s%s)",
                 wring_options_origin(p->options, prefix, f->data), prefix, f->data, prefix, f->file);
  PetscCall(wring_options_get_path(p->options, "mesh_", wring_mesh_source_options, "file", sizeof file, file));
  PetscCall(PetscSNPrintf(name, size, "%s: $ElementData \"%s\"", file, section));
  PetscCall(wring_mesh_read_data(p->comm, file, section, f->width, n, row, &error));
  PetscCall(wring_error_raise(p->comm, &error));
  PetscCall(check_data(p, f, name, *n, *row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refuses a source that lacks a tet of the regions that use it. */
static PetscErrorCode check_complete(const wring_problem *p, const wring_tet_field *f, const char *name,
                                     const PetscInt *source, PetscInt s, const double *value)
{
  const wring_mesh *const m        = p->mesh;
  const PetscInt64        children = m->tets.n_global / PetscMax(p->parts->origin.n_mother, 1);
  PetscInt64              missing  = PETSC_MAX_INT;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < m->tets.n; e++) {
    if (source[m->tets.region[e]] != s || !isnan(value[f->width * e])) continue;
    missing = PetscMin(missing, m->tets.original[e] / children);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &missing, 1, MPIU_INT64, MPI_MIN, p->comm));
  if (missing < PETSC_MAX_INT)
    WRING_REFUSE(p->comm, "%s: tet %lld is missing, expected every tet of the regions that use the table", name,
                 (long long)missing);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_source(const wring_problem *p, const wring_tet_field *f, const PetscInt *source, PetscInt s,
                                  double *value)
{
  const wring_mesh *const m = p->mesh;
  char                    prefix[WRING_PREFIX], name[PETSC_MAX_PATH_LEN + 256];
  PetscInt                n     = 0;
  double                 *row   = NULL, *read;
  wring_error             error = {""};

  PetscFunctionBegin;
  prefix_of(p, f, s, sizeof prefix, prefix);
  wring_count_fits(p->parts->origin.n_mother, 1, wring_options_family_origin(p->options, prefix), "tetrahedra", &error);
  PetscCall(wring_error_raise(p->comm, &error));
  if (wring_options_has(p->options, prefix, f->file))
    PetscCall(read_csv(p, f, prefix, sizeof name, name, &n, &row));
  else
    PetscCall(read_data(p, f, prefix, sizeof name, name, &n, &row));
  PetscCall(PetscMalloc1((size_t)f->width * (size_t)m->tets.n, &read));
  PetscCall(wring_mesh_route_tets(m, (PetscInt)p->parts->origin.n_mother, n, f->width, row, read));
  PetscCall(PetscFree(row));
  PetscCall(check_complete(p, f, name, source, s, read));
  for (PetscInt e = 0; e < m->tets.n; e++) {
    for (int k = 0; k < f->width && source[m->tets.region[e]] == s; k++)
      value[f->width * e + k] = read[f->width * e + k];
  }
  PetscCall(PetscFree(read));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_field(const wring_problem *p, const wring_tet_field *f, wring_region_choice *wanted,
                                        PetscBool *any, double *value)
{
  const PetscInt n = p->mesh->regions.n;
  PetscInt      *source;

  PetscFunctionBegin;
  *any = PETSC_FALSE;
  PetscCall(PetscMalloc1(n, &source));
  PetscCall(find_sources(p, f, wanted, source));
  for (PetscInt s = ALL_REGIONS; s < n; s++) {
    PetscBool used = PETSC_FALSE;
    for (PetscInt r = 0; r < n; r++) used = (PetscBool)(used || source[r] == s);
    if (used) PetscCall(read_source(p, f, source, s, value));
    *any = (PetscBool)(*any || used);
  }
  PetscCall(PetscFree(source));
  PetscFunctionReturn(PETSC_SUCCESS);
}
