/*
  CSV "vertex,x,y,z": a mesh of points only. Vertex numbers 0 ... n-1 in any order, each once; each point is an element.
*/
#include "raw.h"
#include "base/count.h"

static PetscBool is_header(wring_scan *s)
{
  static const char *const column[] = {"vertex", "x", "y", "z"};
  for (int c = 0; c < 4; c++) {
    if (c > 0) wring_scan_character(s, ',');
    if (!wring_scan_word(s, column[c])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Stores rows in the order of the file; raw->node maps the vertex number to the row. */
static PetscErrorCode read_row(wring_scan *s, wring_raw *raw)
{
  const int64_t line = wring_scan_place(s), vertex = wring_scan_int(s, "a vertex number");
  PetscInt      known;

  PetscFunctionBegin;
  if (!wring_count_fits((PetscInt64)raw->n_node + 1, 3, s->file, "vertices", s->e)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_raw_grow(3 * ((PetscInt64)raw->n_node + 1), &raw->node_room, sizeof *raw->X, &raw->X));
  for (int c = 0; c < 3; c++) {
    wring_scan_character(s, ',');
    raw->X[3 * (size_t)raw->n_node + (size_t)c] = wring_scan_real(s, "a finite coordinate");
  }
  wring_scan_end_line(s);
  if (!wring_scan_ok(s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (vertex < 0) wring_scan_fail(s, line, "vertex %lld, expected 0 or above", (long long)vertex);
  PetscCall(wring_map_add(&raw->node, vertex, raw->n_node, &known));
  if (known != raw->n_node) wring_scan_fail(s, line, "vertex %lld is given twice", (long long)vertex);
  raw->n_node++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorts the points by their numbers, which must have no gap. */
static PetscErrorCode order_points(wring_scan *s, wring_raw *raw)
{
  double *X;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)raw->n_node, &X));
  for (PetscInt v = 0; v < raw->n_node; v++) {
    const PetscInt row = wring_map_find(&raw->node, v);
    if (row < 0) {
      wring_error_set(s->e, "%s: vertex %" PetscInt_FMT " is missing, expected 0 to %" PetscInt_FMT, s->file, v,
                      raw->n_node - 1);
      break;
    }
    for (int c = 0; c < 3; c++) X[3 * (size_t)v + (size_t)c] = raw->X[3 * (size_t)row + (size_t)c];
  }
  PetscCall(PetscFree(raw->X));
  raw->X = X;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_points_read(wring_scan *s, wring_raw *raw)
{
  PetscFunctionBegin;
  raw->format = "CSV";
  if (!is_header(s)) wring_scan_fail(s, 1, "the first line is not the header of points, expected vertex,x,y,z");
  wring_scan_end_line(s);
  while (wring_scan_ok(s) && s->at < s->end) PetscCall(read_row(s, raw));
  if (wring_scan_ok(s)) PetscCall(order_points(s, raw));
  PetscCall(PetscMalloc1((size_t)raw->n_node, &raw->corner));
  PetscCall(PetscCalloc1((size_t)raw->n_node, &raw->corner_source));
  for (PetscInt v = 0; v < raw->n_node; v++) raw->corner[v] = v;
  raw->n_corner = raw->n_node;
  raw->n_source = 1; // which belongs to no group
  PetscCall(PetscCalloc1(2, &raw->source_start));
  PetscFunctionReturn(PETSC_SUCCESS);
}
