/* Stores the elements of a file as they are read. */
#include "raw.h"
#include "base/count.h"

PetscErrorCode wring_raw_grow(PetscInt64 needed, PetscInt *room, size_t width, void *array)
{
  PetscFunctionBegin;
  if (needed <= *room) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(needed <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_SUP, "%" PetscInt64_FMT " entries of a table", needed);
  *room = (PetscInt)PetscMin(PetscMax(needed, 2 * (PetscInt64)*room + 64), PETSC_MAX_INT);
  PetscCall(PetscRealloc((size_t)*room * width, (void **)array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_raw_destroy(wring_raw *raw)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(raw->X));
  PetscCall(wring_map_destroy(&raw->node));
  PetscCall(PetscFree(raw->tet));
  PetscCall(PetscFree(raw->tet_source));
  PetscCall(PetscFree(raw->tet_number));
  PetscCall(PetscFree(raw->tet_line));
  PetscCall(PetscFree(raw->corner));
  PetscCall(PetscFree(raw->corner_source));
  PetscCall(PetscFree(raw->triangle));
  PetscCall(PetscFree(raw->segment));
  PetscCall(PetscFree(raw->source_start));
  PetscCall(PetscFree(raw->source_group));
  PetscCall(wring_names_clear(&raw->groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_raw_make_room(wring_raw *raw, PetscInt n_tet)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (size_t)n_tet, &raw->tet));
  PetscCall(PetscMalloc1((size_t)n_tet, &raw->tet_source));
  PetscCall(PetscMalloc1((size_t)n_tet, &raw->tet_number));
  PetscCall(PetscMalloc1((size_t)n_tet, &raw->tet_line));
  raw->tet_room = n_tet;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_nodes(wring_scan *s, const wring_element *e)
{
  for (int a = 0; a < e->n && wring_scan_ok(s); a++) {
    if (e->node[a] < 0)
      wring_scan_fail(s, e->line, "element %lld refers to node %lld, which does not exist", (long long)e->number,
                      (long long)e->tag[a]);
    for (int b = 0; b < a; b++)
      if (e->node[a] == e->node[b])
        wring_scan_fail(s, e->line, "element %lld has node %lld twice", (long long)e->number, (long long)e->tag[a]);
  }
}

static void add_tet(wring_raw *raw, const wring_element *e)
{
  for (int a = 0; a < 4; a++) raw->tet[4 * (size_t)raw->n_tet + (size_t)a] = e->node[a];
  raw->tet_source[raw->n_tet] = e->source;
  raw->tet_number[raw->n_tet] = e->number;
  raw->tet_line[raw->n_tet++] = e->line;
}

static PetscErrorCode add_corners(wring_raw *raw, wring_scan *s, const wring_element *e)
{
  const PetscInt64 needed = (PetscInt64)raw->n_corner + e->n;
  PetscInt         room   = raw->corner_room;

  PetscFunctionBegin;
  if (!wring_count_fits(needed, 1, s->file, "corners of points, lines and triangles", s->e))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_raw_grow(needed, &room, sizeof *raw->corner, &raw->corner));
  PetscCall(wring_raw_grow(needed, &raw->corner_room, sizeof *raw->corner_source, &raw->corner_source));
  if (e->n == 3) {
    PetscCall(wring_raw_grow(raw->n_triangle + 1, &raw->triangle_room, sizeof *raw->triangle, &raw->triangle));
    raw->triangle[raw->n_triangle].corner   = raw->n_corner;
    raw->triangle[raw->n_triangle].line     = e->line;
    raw->triangle[raw->n_triangle++].number = e->number;
  }
  if (e->n == 2) {
    PetscCall(wring_raw_grow(raw->n_segment + 1, &raw->segment_room, sizeof *raw->segment, &raw->segment));
    raw->segment[raw->n_segment++] = raw->n_corner;
  }
  for (int a = 0; a < e->n; a++) {
    raw->corner[raw->n_corner]          = e->node[a];
    raw->corner_source[raw->n_corner++] = e->source;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_raw_add_element(wring_raw *raw, wring_scan *s, const wring_element *e)
{
  PetscFunctionBegin;
  check_nodes(s, e);
  if (!wring_scan_ok(s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (e->n == 4)
    add_tet(raw, e);
  else
    PetscCall(add_corners(raw, s, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
