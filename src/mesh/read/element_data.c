/* Values of tets from the $ElementData of a Gmsh file, as rows of a table. */
#include "raw.h"

/* Selects the rows of tets among those of the section; each tet at most once. */
static PetscErrorCode pick_tets(wring_scan *s, const wring_raw *raw, PetscInt *n, double *row)
{
  const wring_raw_data *d = raw->data;
  const size_t          w = (size_t)d->width;
  wring_map             number;
  PetscBool            *given;
  PetscInt              known;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(raw->n_tet, &given));
  PetscCall(wring_map_create(raw->n_tet, &number));
  for (PetscInt t = 0; t < raw->n_tet; t++) PetscCall(wring_map_add(&number, raw->tet_number[t], t, &known));
  for (PetscInt i = 0; i < d->n; i++) {
    const PetscInt t = wring_map_find(&number, d->number[i]);
    if (t < 0) continue;
    if (given[t]) wring_scan_fail(s, d->place[i], "element %lld is given twice", (long long)d->number[i]);
    given[t]          = PETSC_TRUE;
    double *const one = row + (size_t)(*n)++ * (w + 1);
    one[0]            = (double)t;
    for (size_t k = 0; k < w; k++) one[1 + k] = d->value[(size_t)i * w + k];
  }
  PetscCall(wring_map_destroy(&number));
  PetscCall(PetscFree(given));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_read_data(const char *file, const char *name, int width, PetscInt *n, double **row,
                                    wring_error *e)
{
  wring_scan     s;
  const char    *word;
  wring_raw_data data = {.name = name, .width = width};
  wring_raw      raw  = {.data = &data};

  PetscFunctionBegin;
  *n   = 0;
  *row = NULL;
  PetscCall(wring_scan_open(PETSC_COMM_SELF, file, e, &s));
  if (wring_scan_ok(&s) && (wring_scan_peek(&s, &word) == 0 || word[0] != '$'))
    wring_error_set(e, "%s: not a Gmsh file, expected one with the $ElementData \"%s\"", file, name);
  else if (wring_scan_ok(&s))
    PetscCall(wring_gmsh_read(&s, &raw));
  if (wring_scan_ok(&s) && !data.found)
    wring_error_set(e, "%s: has no $ElementData \"%s\", expected one of that name", file, name);
  if (data.found && wring_scan_ok(&s)) {
    PetscCall(PetscMalloc1((size_t)data.n * (size_t)(width + 1) + 1, row));
    PetscCall(pick_tets(&s, &raw, n, *row));
  }
  PetscCall(wring_scan_close(&s));
  if (e->text[0]) PetscCall(PetscFree(*row));
  PetscCall(PetscFree3(data.number, data.place, data.value));
  PetscCall(wring_raw_destroy(&raw));
  PetscFunctionReturn(PETSC_SUCCESS);
}
