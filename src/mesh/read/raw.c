/* Stores the elements of a file as they are read. */
#include "raw.h"
#include "base/count.h"

PetscErrorCode wring_raw_destroy(wring_raw *raw)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(raw->node_tag));
  PetscCall(PetscFree(raw->node_line));
  PetscCall(PetscFree(raw->X));
  PetscCall(PetscFree(raw->tet_tag));
  PetscCall(PetscFree(raw->tet_source));
  PetscCall(PetscFree(raw->tet_number));
  PetscCall(PetscFree(raw->tet_line));
  PetscCall(PetscFree(raw->tet_mid));
  PetscCall(PetscFree(raw->lower));
  PetscCall(PetscFree(raw->lower_mid));
  PetscCall(PetscFree(raw->source_start));
  PetscCall(PetscFree(raw->source_group));
  PetscCall(wring_names_clear(&raw->groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_raw_make_nodes(wring_raw *raw, size_t n)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &raw->node_tag));
  PetscCall(PetscMalloc1(n, &raw->node_line));
  PetscCall(PetscMalloc1(3 * n, &raw->X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_raw_read_node(wring_raw *raw, wring_scan *s, int64_t line, int64_t tag)
{
  const PetscInt i  = raw->n_node++;
  raw->node_line[i] = line;
  raw->node_tag[i]  = tag;
  for (int c = 0; c < 3; c++) raw->X[3 * (size_t)i + (size_t)c] = wring_scan_real(s, "a finite coordinate");
}

PetscErrorCode wring_raw_make_tets(wring_raw *raw, size_t n)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * n, &raw->tet_tag));
  PetscCall(PetscMalloc1(n, &raw->tet_source));
  PetscCall(PetscMalloc1(n, &raw->tet_number));
  PetscCall(PetscMalloc1(n, &raw->tet_line));
  raw->tet_room = (PetscInt)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes at the middles of the edges of tet n_tet, which has room; a file may have tets of both orders. */
static PetscErrorCode add_tet_mid(wring_raw *raw, const wring_element *e)
{
  PetscFunctionBegin;
  if (!raw->tet_mid && e->n_mid) {
    PetscCall(PetscMalloc1(6 * (size_t)raw->tet_room, &raw->tet_mid));
    for (size_t i = 0; i < 6 * (size_t)raw->n_tet; i++) raw->tet_mid[i] = -1;
  }
  for (size_t k = 0; raw->tet_mid && k < 6; k++)
    raw->tet_mid[6 * (size_t)raw->n_tet + k] = e->n_mid ? e->tag[4 + k] : -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for element n_lower. */
static PetscErrorCode add_lower_mid(wring_raw *raw, const wring_element *e)
{
  const PetscBool first = (PetscBool)!raw->lower_mid;

  PetscFunctionBegin;
  if (first && !e->n_mid) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_grow((PetscInt64)raw->n_lower + 1, &raw->mid_room, 3 * sizeof *raw->lower_mid, &raw->lower_mid));
  for (size_t i = 0; first && i < 3 * (size_t)raw->n_lower; i++) raw->lower_mid[i] = -1;
  for (int k = 0; k < 3; k++)
    raw->lower_mid[3 * (size_t)raw->n_lower + (size_t)k] = k < e->n_mid ? e->tag[e->n + k] : -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void add_tet(wring_raw *raw, const wring_element *e)
{
  for (int a = 0; a < 4; a++) raw->tet_tag[4 * (size_t)raw->n_tet + (size_t)a] = e->tag[a];
  raw->tet_source[raw->n_tet] = e->source;
  raw->tet_number[raw->n_tet] = e->number;
  raw->tet_line[raw->n_tet++] = e->line;
}

static PetscErrorCode add_lower(wring_raw *raw, wring_scan *s, const wring_element *e)
{
  const PetscInt64 needed = (PetscInt64)raw->n_lower + 1;

  PetscFunctionBegin;
  if (!wring_count_fits(needed, 3, s->file, "points, lines and triangles", s->e)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_grow(needed, &raw->lower_room, sizeof *raw->lower, &raw->lower));
  raw->lower[raw->n_lower++] = (wring_raw_lower){
    .tag = {e->tag[0], e->tag[1], e->tag[2]}, .line = e->line, .number = e->number, .source = e->source, .n = e->n};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_raw_add_element(wring_raw *raw, wring_scan *s, const wring_element *e)
{
  PetscFunctionBegin;
  for (int k = e->n; k < e->n + e->n_mid; k++) // -1 stands for none in the tables
    if (e->tag[k] < 0)
      wring_scan_fail(s, e->line, "element %lld refers to node %lld, which does not exist", (long long)e->number,
                      (long long)e->tag[k]);
  if (!wring_scan_ok(s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (e->n == 4) {
    PetscCall(add_tet_mid(raw, e));
    add_tet(raw, e);
  } else {
    PetscCall(add_lower_mid(raw, e));
    PetscCall(add_lower(raw, s, e));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
