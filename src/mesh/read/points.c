/*
  CSV "vertex,x,y,z": a mesh of points only. Vertex numbers 0 ... n-1 in any order, each once.
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

static PetscErrorCode read_row(wring_scan *s, wring_raw *raw)
{
  const int64_t line = wring_scan_place(s), vertex = wring_scan_int(s, "a vertex number");

  PetscFunctionBegin;
  if (!wring_count_fits((PetscInt64)raw->n_node + 1, 3, s->file, "vertices", s->e)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_raw_make_nodes(raw, (PetscInt64)raw->n_node + 1));
  for (int c = 0; c < 3; c++) {
    wring_scan_character(s, ',');
    raw->X[3 * (size_t)raw->n_node + (size_t)c] = wring_scan_real(s, "a finite coordinate");
  }
  wring_scan_end_line(s);
  if (!wring_scan_ok(s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (vertex < 0) wring_scan_fail(s, line, "vertex %lld, expected 0 or above", (long long)vertex);
  raw->node_line[raw->n_node]  = line;
  raw->node_tag[raw->n_node++] = vertex;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_points_read(wring_scan *s, wring_raw *raw)
{
  PetscFunctionBegin;
  raw->format = "CSV";
  raw->points = PETSC_TRUE;
  if (!is_header(s)) wring_scan_fail(s, 1, "the first line is not the header of points, expected vertex,x,y,z");
  wring_scan_end_line(s);
  while (wring_scan_ok(s) && s->at < s->end) PetscCall(read_row(s, raw));
  PetscFunctionReturn(PETSC_SUCCESS);
}
