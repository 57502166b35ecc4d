/*
  Nodes at the middles of edges: the rows of all elements are matched by edge on the rank that the edge's hash gives,
  which keeps one of each edge, and these by node on the owners of the nodes, which know their positions.
*/
#include "build.h"
#include "base/count.h"
#include "base/parallel/sorting.h"
#include "base/sort.h"
#include "mesh/distribute/slices.h"
#include "mesh/refine/edges.h"
#include "mesh/tet.h"

/* An element's edge: its key is the numbers of its vertices, ascending, and then the position of its middle. */
typedef struct {
  PetscInt key[2], other[2]; // what it has: the middle, or the vertices; -1, -1: no middle
  int64_t  tag[3];           // of the ends and the middle, in the file
  int64_t  line, number;
} middle_row;

typedef struct {
  PetscInt    n, room;
  middle_row *row;
} middle_list;

/* Edge i of this rank's elements, six for each tet, then three for each other element. */
static middle_row make_row(const wring_build *b, PetscInt i)
{
  const wring_raw *const raw     = b->raw;
  const PetscInt         of_tets = 6 * raw->tets.n, e = i < of_tets ? i / 6 : (i - of_tets) / 3;
  const int              k   = (int)(i < of_tets ? i % 6 : (i - of_tets) % 3);
  const PetscInt         mid = b->middle.used ? b->middle.used[i] : -1;
  const PetscInt *const  v   = i < of_tets ? b->tets.corner + 4 * (size_t)e : b->lower.corner + 3 * (size_t)e;
  if (mid < 0) return (middle_row){.key = {-1, -1}};
  const PetscInt p = v[wring_tet_edge[k][0]], q = v[i < of_tets || k == 0 ? wring_tet_edge[k][1] : (k + 1) % 3];
  const PetscInt u = PetscMin(b->nodes.vertex[p], b->nodes.vertex[q]),
                 w = PetscMax(b->nodes.vertex[p], b->nodes.vertex[q]);
  if (u < 0) return (middle_row){.key = {-1, -1}}; // a node of an element in no group may have been dropped
  return (middle_row){.key    = {u, w},
                      .other  = {b->nodes.used[mid], 0},
                      .tag    = {b->nodes.tag[p], b->nodes.tag[q], b->nodes.tag[mid]},
                      .line   = i < of_tets ? raw->tets.line[e] : raw->lower.element[e].line,
                      .number = i < of_tets ? raw->tets.number[e] : raw->lower.element[e].number};
}

/* Two rows with one edge and two nodes, or with one node and two edges: a fault of the later element. */
static void report(wring_build *b, const middle_row *first, const middle_row *other, PetscBool by_node)
{
  const middle_row *const r = first->line < other->line ? other : first, *const before = r == first ? other : first;
  char its[64];
  if (by_node)
    snprintf(its, sizeof its, "at that of %lld and %lld", (long long)before->tag[0], (long long)before->tag[1]);
  else
    snprintf(its, sizeof its, "node %lld", (long long)before->tag[2]);
  wring_build_fail(b, r->line,
                   "element %lld has node %lld at the middle of the edge of nodes %lld and %lld, another element %s",
                   (long long)r->number, (long long)r->tag[2], (long long)r->tag[0], (long long)r->tag[1], its);
}

/* One row of each edge of this rank's elements. */
static PetscErrorCode list_rows(wring_build *b, middle_list *list)
{
  const PetscInt n = 6 * b->raw->tets.n + 3 * b->raw->lower.n;
  uint64_t      *key;
  PetscInt      *order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)n, &key, (size_t)n, &order));
  for (PetscInt i = 0; i < n; i++) {
    const middle_row r = make_row(b, i);
    key[i]             = r.key[0] < 0 ? UINT64_MAX : wring_edge_key((PetscInt)b->nodes.n_kept, r.key[0], r.key[1]);
  }
  PetscCall(wring_order_keys(n, key, order));
  for (PetscInt i = 0; i < n && key[i] < UINT64_MAX; i++) {
    const middle_row row = make_row(b, order[i]);
    if (i > 0 && key[i] == key[i - 1]) {
      if (list->row[list->n - 1].other[0] != row.other[0]) report(b, &list->row[list->n - 1], &row, PETSC_FALSE);
      continue;
    }
    PetscCall(wring_grow((PetscInt64)list->n + 1, &list->room, sizeof *list->row, &list->row));
    list->row[list->n++] = row;
  }
  PetscCall(PetscFree2(key, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matches rows by edge, or by node, and keeps one of each, the first of the file. */
static PetscErrorCode unite(wring_build *b, PetscBool by_node, middle_list *list)
{
  PetscInt     *to;
  wring_sorting s;
  middle_row   *got;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(b->comm);
  PetscCall(PetscMalloc1((size_t)list->n, &to));
  for (PetscInt i = 0; i < list->n; i++) {
    const PetscInt *const key  = list->row[i].key;
    const uint64_t        edge = wring_edge_key((PetscInt)b->nodes.n_kept, key[0], key[1]);
    to[i]                      = by_node ? key[0] : (PetscInt)(wring_mix(edge) % (uint64_t)size);
  }
  if (by_node) PetscCall(wring_slices_find_owners(b->nodes.layout, list->n, to));
  PetscCall(wring_match_rows(b->comm, list->n, to, 2, sizeof *got, list->row, &s, &got));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(list->row));
  *list = (middle_list){.row = got};
  for (PetscInt i = 0, end; i < s.n; i = end) {
    end = wring_rows_end(s.n, 2, sizeof *got, got, i);
    for (PetscInt k = i + 1; k < end; k++)
      if (got[k].other[0] != got[i].other[0] || got[k].other[1] != got[i].other[1])
        report(b, got + i, got + k, by_node);
    got[list->n++] = got[i];
  }
  PetscCall(wring_sorting_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void exchange_keys(const middle_list *list)
{
  for (PetscInt i = 0; i < list->n; i++) {
    const middle_row row = list->row[i];
    for (int a = 0; a < 2; a++) {
      list->row[i].key[a]   = row.other[a];
      list->row[i].other[a] = row.key[a];
    }
  }
}

/* list: rows in the order of the nodes, which are of this rank's slice. */
static PetscErrorCode fill_table(const wring_build *b, const middle_list *list, wring_middles *t)
{
  PetscFunctionBegin;
  t->n = list->n;
  PetscCall(PetscMalloc1(2 * (size_t)t->n, &t->end));
  PetscCall(PetscMalloc1(3 * (size_t)t->n, &t->X));
  PetscCall(PetscMalloc1((size_t)t->n, &t->tag));
  for (PetscInt i = 0; i < t->n; i++) {
    const middle_row *const row = &list->row[i];
    const PetscInt          at  = wring_first_from(b->middle.n, b->middle.position, row->key[0]);
    t->end[2 * (size_t)i]       = row->other[0];
    t->end[2 * (size_t)i + 1]   = row->other[1];
    t->tag[i]                   = row->tag[2];
    PetscCall(PetscArraycpy(t->X + 3 * (size_t)i, b->middle.X + 3 * (size_t)at, 3));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_find_middles(wring_build *b)
{
  middle_list list = {0};
  PetscBool   ok;

  PetscFunctionBegin;
  if ((uint64_t)b->nodes.n_kept >> 32)
    wring_error_set(b->report.error, "%s: too many corners of second-order elements", b->report.file);
  wring_count_fits(6 * (PetscInt64)b->raw->tets.n + 3 * (PetscInt64)b->raw->lower.n, 1, b->report.file,
                   "edges on a rank", b->report.error);
  PetscCall(wring_build_agree(b, &ok));
  if (!ok) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(list_rows(b, &list));
  PetscCall(unite(b, PETSC_FALSE, &list));
  exchange_keys(&list);
  PetscCall(unite(b, PETSC_TRUE, &list));
  PetscCall(wring_build_agree(b, &ok));
  b->d->order = 2;
  if (ok) PetscCall(fill_table(b, &list, &b->d->middles));
  PetscCall(PetscFree(list.row));
  PetscFunctionReturn(PETSC_SUCCESS);
}
