/* Stores the elements of a file as they are read. */
#include "raw.h"
#include "base/count.h"

PetscErrorCode wring_raw_destroy(wring_raw *raw)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(raw->nodes.tag));
  PetscCall(PetscFree(raw->nodes.line));
  PetscCall(PetscFree(raw->nodes.X));
  PetscCall(PetscFree(raw->tets.tag));
  PetscCall(PetscFree(raw->tets.source));
  PetscCall(PetscFree(raw->tets.number));
  PetscCall(PetscFree(raw->tets.line));
  PetscCall(PetscFree(raw->tets.mid));
  PetscCall(PetscFree(raw->lower.element));
  PetscCall(PetscFree(raw->sources.start));
  PetscCall(PetscFree(raw->sources.group));
  PetscCall(wring_names_clear(&raw->groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_raw_make_nodes(wring_raw *raw, size_t n)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &raw->nodes.tag));
  PetscCall(PetscMalloc1(n, &raw->nodes.line));
  PetscCall(PetscMalloc1(3 * n, &raw->nodes.X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_raw_read_node(wring_raw *raw, wring_scan *s, int64_t line, int64_t tag)
{
  const PetscInt i   = raw->nodes.n++;
  raw->nodes.line[i] = line;
  raw->nodes.tag[i]  = tag;
  for (int c = 0; c < 3; c++) raw->nodes.X[3 * (size_t)i + (size_t)c] = wring_scan_real(s, "a finite coordinate");
}

PetscErrorCode wring_raw_make_tets(wring_raw *raw, size_t n)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * n, &raw->tets.tag));
  PetscCall(PetscMalloc1(n, &raw->tets.source));
  PetscCall(PetscMalloc1(n, &raw->tets.number));
  PetscCall(PetscMalloc1(n, &raw->tets.line));
  raw->tets.room = (PetscInt)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes at the middles of the edges of tet tets.n, which has room; a file may have tets of both orders. */
static PetscErrorCode add_tet_mid(wring_raw *raw, const wring_element *e)
{
  PetscFunctionBegin;
  if (!raw->tets.mid && e->n_mid) {
    PetscCall(PetscMalloc1(6 * (size_t)raw->tets.room, &raw->tets.mid));
    for (size_t i = 0; i < 6 * (size_t)raw->tets.n; i++) raw->tets.mid[i] = -1;
  }
  for (size_t k = 0; raw->tets.mid && k < 6; k++)
    raw->tets.mid[6 * (size_t)raw->tets.n + k] = e->n_mid ? e->tag[4 + k] : -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_lower(wring_raw *raw, wring_scan *s, const wring_element *e)
{
  const PetscInt64 needed = (PetscInt64)raw->lower.n + 1;

  PetscFunctionBegin;
  if (!wring_count_fits(needed, 3, s->file, "points, lines and triangles", s->e)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_grow(needed, &raw->lower.room, sizeof *raw->lower.element, &raw->lower.element));
  wring_raw_lower *const one = raw->lower.element + raw->lower.n++;
  *one                       = (wring_raw_lower){.line = e->line, .number = e->number, .source = e->source, .n = e->n};
  for (int k = 0; k < 3; k++) {
    one->tag[k] = e->tag[k];
    one->mid[k] = k < e->n_mid ? e->tag[e->n + k] : -1;
  }
  if (e->n_mid > 0) raw->lower.second = PETSC_TRUE;
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
    for (int a = 0; a < 4; a++) raw->tets.tag[4 * (size_t)raw->tets.n + (size_t)a] = e->tag[a];
    raw->tets.source[raw->tets.n] = e->source;
    raw->tets.number[raw->tets.n] = e->number;
    raw->tets.line[raw->tets.n++] = e->line;
  } else {
    PetscCall(add_lower(raw, s, e));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
