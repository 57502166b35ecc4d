/* Finds the nodes of elements by their numbers in the file. */
#include "build.h"
#include "base/map.h"

static PetscErrorCode list_nodes(const wring_build *b, wring_map *node)
{
  const wring_raw *raw = b->raw;
  PetscInt         known;

  PetscFunctionBegin;
  PetscCall(wring_map_create(raw->n_node, node));
  for (PetscInt v = 0; v < raw->n_node && wring_scan_ok(b->s); v++) {
    PetscCall(wring_map_add(node, raw->node_tag[v], v, &known));
    if (known != v)
      wring_scan_fail(b->s, raw->node_line[v], "%s %lld is given twice", raw->points ? "vertex" : "node",
                      (long long)raw->node_tag[v]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The nodes of an element: node [n]. */
static void find_nodes(wring_scan *s, const wring_map *map, const wring_element *e, PetscInt *node)
{
  for (int a = 0; a < e->n && wring_scan_ok(s); a++) {
    node[a] = wring_map_find(map, e->tag[a]);
    if (node[a] < 0)
      wring_scan_fail(s, e->line, "element %lld refers to node %lld, which does not exist", (long long)e->number,
                      (long long)e->tag[a]);
    for (int b = 0; b < a; b++)
      if (e->tag[a] == e->tag[b])
        wring_scan_fail(s, e->line, "element %lld has node %lld twice", (long long)e->number, (long long)e->tag[a]);
  }
}

static wring_element get_tet(const wring_raw *raw, PetscInt t)
{
  const int64_t *const tag = raw->tet_tag + 4 * (size_t)t;
  return (wring_element){
    .n = 4, .line = raw->tet_line[t], .number = raw->tet_number[t], .tag = {tag[0], tag[1], tag[2], tag[3]}};
}

static wring_element get_lower(const wring_raw *raw, PetscInt i)
{
  const wring_raw_lower *const e = raw->lower + i;
  return (wring_element){.n = e->n, .line = e->line, .number = e->number, .tag = {e->tag[0], e->tag[1], e->tag[2]}};
}

/* All elements in the order of the file, so that the first fault is reported. */
static void find_elements(wring_build *b, const wring_map *map)
{
  const wring_raw *raw = b->raw;
  for (PetscInt t = 0, i = 0; (t < raw->n_tet || i < raw->n_lower) && wring_scan_ok(b->s);) {
    const PetscBool is_tet =
      (PetscBool)(i >= raw->n_lower || (t < raw->n_tet && raw->tet_line[t] < raw->lower[i].line));
    const wring_element e = is_tet ? get_tet(raw, t) : get_lower(raw, i);
    find_nodes(b->s, map, &e, is_tet ? b->tet + 4 * (size_t)t++ : b->lower + 3 * (size_t)i++);
  }
}

/* Sorts points by their numbers, which must have no gap. */
static PetscErrorCode order_points(wring_build *b, const wring_map *map)
{
  wring_raw *raw = b->raw;
  double    *X;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)raw->n_node, &X));
  for (PetscInt v = 0; v < raw->n_node && wring_scan_ok(b->s); v++) {
    const PetscInt row = wring_map_find(map, v);
    if (row < 0)
      wring_error_set(b->s->e, "%s: vertex %" PetscInt_FMT " is missing, expected 0 to %" PetscInt_FMT, b->s->file, v,
                      raw->n_node - 1);
    for (int c = 0; c < 3 && row >= 0; c++) X[3 * (size_t)v + (size_t)c] = raw->X[3 * (size_t)row + (size_t)c];
  }
  PetscCall(PetscFree(raw->X));
  raw->X = X;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_find_nodes(wring_build *b)
{
  wring_map map;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (size_t)b->raw->n_tet, &b->tet));
  PetscCall(PetscMalloc1(3 * (size_t)b->raw->n_lower, &b->lower));
  PetscCall(list_nodes(b, &map));
  find_elements(b, &map);
  if (b->raw->points && wring_scan_ok(b->s)) PetscCall(order_points(b, &map));
  PetscCall(wring_map_destroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_destroy(wring_build *b)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(b->tet));
  PetscCall(PetscFree(b->lower));
  PetscFunctionReturn(PETSC_SUCCESS);
}
