/*
  Finds the nodes of elements by their numbers in the file. If the numbers of all nodes are consecutive in the file's
  order, positions follow from them; otherwise the rank that a number's hash gives knows its position.
*/
#include "build.h"
#include "base/sort.h"

/* ---- the directory ----------------------------------------------------------------------------------------------- */

typedef struct {
  MPI_Comm    comm;
  PetscMPIInt size;
  PetscBool   consecutive;
  int64_t     first, n; // consecutive: the number of the first node; of all nodes
  wring_map   position; // of the numbers that this rank knows
} directory;

typedef struct {
  int64_t tag, line, position;
} node_row;

/* Whether node i of all has the number first + i. */
static PetscErrorCode find_first(const wring_build *b, directory *d)
{
  const wring_raw *raw    = b->raw;
  int64_t          end[2] = {INT64_MAX, INT64_MAX}, all[2]; // of the first number: the least, and minus the largest

  PetscFunctionBegin;
  d->n           = b->nodes.layout->N;
  d->consecutive = PETSC_TRUE;
  for (PetscInt i = 1; i < raw->nodes.n && d->consecutive; i++)
    d->consecutive = (PetscBool)((uint64_t)raw->nodes.tag[i] - (uint64_t)raw->nodes.tag[0] == (uint64_t)i);
  if (raw->nodes.n > 0) end[0] = d->consecutive ? raw->nodes.tag[0] - b->nodes.layout->rstart : INT64_MIN + 1;
  if (raw->nodes.n > 0) end[1] = d->consecutive ? -end[0] : INT64_MIN + 1;
  PetscCallMPI(MPI_Allreduce(end, all, 2, MPI_INT64_T, MPI_MIN, b->comm));
  d->consecutive = (PetscBool)(d->n > 0 && all[0] == -all[1]);
  d->first       = all[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_directory(wring_build *b, directory *d)
{
  const wring_raw *raw = b->raw;
  PetscInt        *to, n_got, known;
  node_row        *row, *got;

  PetscFunctionBegin;
  *d = (directory){.comm = b->comm, .size = wring_comm_size(b->comm)};
  PetscCall(find_first(b, d));
  if (d->consecutive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2((size_t)raw->nodes.n, &to, (size_t)raw->nodes.n, &row));
  for (PetscInt i = 0; i < raw->nodes.n; i++) {
    to[i]  = wring_raw_keeper(d->size, raw->nodes.tag[i]);
    row[i] = (node_row){raw->nodes.tag[i], raw->nodes.line[i], b->nodes.layout->rstart + i};
  }
  PetscCall(wring_exchange_rows(b->comm, raw->nodes.n, to, sizeof *row, row, &n_got, &got));
  PetscCall(PetscFree2(to, row));
  PetscCall(wring_map_create(n_got, &d->position));
  for (PetscInt i = 0; i < n_got; i++) { // in the order of the file: of two equal numbers, the second is the fault
    PetscCall(wring_map_add(&d->position, got[i].tag, (PetscInt)got[i].position, &known));
    if (known != got[i].position)
      wring_build_fail(b, got[i].line, "%s %lld is given twice", raw->points ? "vertex" : "node",
                       (long long)got[i].tag);
  }
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Positions of n numbers, -1: there is no such node. Collective. */
static PetscErrorCode look_up(const directory *d, PetscInt n, const int64_t *tag, PetscInt *position)
{
  wring_exchange x;
  PetscInt      *to, *answer;
  int64_t       *asked;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n && d->consecutive; i++)
    position[i] = tag[i] >= d->first && tag[i] - d->first < d->n ? (PetscInt)(tag[i] - d->first) : -1;
  if (d->consecutive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)n, &to));
  for (PetscInt i = 0; i < n; i++) to[i] = wring_raw_keeper(d->size, tag[i]);
  PetscCall(wring_exchange_create(d->comm, n, to, &x));
  PetscCall(PetscFree(to));
  PetscCall(wring_exchange_send(&x, sizeof *tag, tag, &asked));
  PetscCall(PetscMalloc1((size_t)x.n_got, &answer));
  for (PetscInt i = 0; i < x.n_got; i++) answer[i] = wring_map_find(&d->position, asked[i]);
  PetscCall(wring_exchange_answer(&x, sizeof *answer, answer, position));
  PetscCall(PetscFree(answer));
  PetscCall(PetscFree(asked));
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the nodes of this rank's elements --------------------------------------------------------------------------- */

/* The different numbers in elements, in the order in which they appear. */
typedef struct {
  wring_map place;
  PetscInt  n, room;
  int64_t  *tag; // [n]
} tag_list;

static PetscErrorCode add_tag(tag_list *list, int64_t tag, PetscInt *place)
{
  PetscFunctionBegin;
  PetscCall(wring_map_add(&list->place, tag, list->n, place));
  if (*place < list->n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_grow((PetscInt64)list->n + 1, &list->room, sizeof *list->tag, &list->tag));
  list->tag[list->n++] = tag;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same for nodes at the middles of edges: b->middle.used. */
static PetscErrorCode list_middles(wring_build *b, tag_list *list)
{
  wring_raw   *raw     = b->raw;
  const size_t of_tets = 6 * (size_t)raw->tets.n, n = of_tets + 3 * (size_t)raw->lower.n;

  PetscFunctionBegin;
  if (!raw->tets.mid && !raw->lower.second) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &b->middle.used));
  for (size_t i = 0; i < n; i++) {
    int64_t tag = -1;
    if (i >= of_tets)
      tag = raw->lower.element[(i - of_tets) / 3].mid[(i - of_tets) % 3];
    else if (raw->tets.mid)
      tag = raw->tets.mid[i];
    b->middle.used[i] = -1;
    if (tag >= 0) PetscCall(add_tag(list, tag, &b->middle.used[i]));
  }
  PetscCall(PetscFree(raw->tets.mid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Numbers become places in the list. b->tets.corner takes the memory of raw->tets.tag: a PetscInt is not longer than a
  number, so that none is overwritten before it is read.
*/
static PetscErrorCode list_tags(wring_build *b, tag_list *list)
{
  wring_raw   *raw = b->raw;
  const size_t n   = 4 * (size_t)raw->tets.n;

  PetscFunctionBegin;
  b->tets.corner = (PetscInt *)(void *)raw->tets.tag;
  for (size_t i = 0; i < n; i++) {
    PetscInt place;
    PetscCall(add_tag(list, raw->tets.tag[i], &place));
    b->tets.corner[i] = place;
  }
  raw->tets.tag = NULL;
  PetscCall(PetscRealloc(n * sizeof *b->tets.corner, &b->tets.corner));
  PetscCall(PetscMalloc1(3 * (size_t)raw->lower.n, &b->lower.corner));
  for (PetscInt i = 0; i < raw->lower.n; i++)
    for (int a = 0; a < 3; a++) {
      PetscInt *const place = b->lower.corner + 3 * (size_t)i + a;
      *place                = -1;
      if (a < raw->lower.element[i].n) PetscCall(add_tag(list, raw->lower.element[i].tag[a], place));
    }
  PetscCall(list_middles(b, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Checks the n nodes of an element. */
static void check_nodes(wring_build *b, const tag_list *list, const PetscInt *position, int n, const PetscInt *node,
                        int64_t line, int64_t number)
{
  for (int a = 0; a < n; a++) {
    const long long tag = (long long)list->tag[node[a]];
    if (position[node[a]] < 0)
      wring_build_fail(b, line, "element %lld refers to node %lld, which does not exist", (long long)number, tag);
    for (int c = 0; c < a; c++)
      if (node[a] == node[c]) wring_build_fail(b, line, "element %lld has node %lld twice", (long long)number, tag);
  }
}

/* The corners of an element and the nodes at the middles of its edges, if it has them. Returns their number. */
static int join_nodes(int n, const PetscInt *corner, int n_mid, const PetscInt *mid, PetscInt node[10])
{
  for (int a = 0; a < n; a++) node[a] = corner[a];
  for (int k = 0; mid && k < n_mid; k++)
    if (mid[k] >= 0) node[n++] = mid[k];
  return n;
}

static void check_elements(wring_build *b, const tag_list *list, const PetscInt *position)
{
  const wring_raw *raw = b->raw;
  PetscInt         node[10];
  for (PetscInt t = 0; t < raw->tets.n; t++) {
    const int n =
      join_nodes(4, b->tets.corner + 4 * (size_t)t, 6, b->middle.used ? b->middle.used + 6 * (size_t)t : NULL, node);
    check_nodes(b, list, position, n, node, raw->tets.line[t], raw->tets.number[t]);
  }
  for (PetscInt i = 0; i < raw->lower.n; i++) {
    const PetscInt *const mid = b->middle.used ? b->middle.used + 6 * (size_t)raw->tets.n + 3 * (size_t)i : NULL;
    const int             n   = join_nodes(raw->lower.element[i].n, b->lower.corner + 3 * (size_t)i, 3, mid, node);
    check_nodes(b, list, position, n, node, raw->lower.element[i].line, raw->lower.element[i].number);
  }
}

/* Sorts the used nodes by position, and moves the places in elements, and tag [n_used], with them. */
static PetscErrorCode sort_used(wring_build *b, const PetscInt *position, const int64_t *tag)
{
  const wring_raw *raw = b->raw;
  PetscInt        *order, *place;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)b->nodes.n_used, &order, (size_t)b->nodes.n_used, &place));
  PetscCall(PetscMalloc1((size_t)b->nodes.n_used, &b->nodes.used));
  PetscCall(wring_order_numbers(b->nodes.n_used, position, order));
  if (b->middle.any) PetscCall(PetscMalloc1((size_t)b->nodes.n_used, &b->nodes.tag));
  for (PetscInt i = 0; i < b->nodes.n_used; i++) {
    b->nodes.used[i] = position[order[i]];
    place[order[i]]  = i;
    if (b->middle.any) b->nodes.tag[i] = tag[order[i]];
  }
  for (size_t i = 0; b->middle.used && i < 6 * (size_t)raw->tets.n + 3 * (size_t)raw->lower.n; i++)
    if (b->middle.used[i] >= 0) b->middle.used[i] = place[b->middle.used[i]];
  for (size_t i = 0; i < 4 * (size_t)raw->tets.n; i++) b->tets.corner[i] = place[b->tets.corner[i]];
  for (PetscInt i = 0; i < raw->lower.n; i++)
    for (int a = 0; a < raw->lower.element[i].n; a++)
      b->lower.corner[3 * (size_t)i + (size_t)a] = place[b->lower.corner[3 * (size_t)i + (size_t)a]];
  PetscCall(PetscFree2(order, place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With faults, used and owners remain empty. */
static PetscErrorCode find_used(wring_build *b, const directory *d)
{
  tag_list  list = {.n = 0};
  PetscInt *position;
  PetscBool ok;

  PetscFunctionBegin;
  PetscCall(list_tags(b, &list));
  b->middle.any = (PetscBool)(b->middle.used != NULL);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &b->middle.any, 1, WRING_MPI_BOOL, MPI_LOR, b->comm));
  PetscCall(wring_map_destroy(&list.place));
  PetscCall(PetscMalloc1((size_t)list.n, &position));
  PetscCall(look_up(d, list.n, list.tag, position));
  check_elements(b, &list, position);
  PetscCall(wring_build_agree(b, &ok));
  if (ok) {
    b->nodes.n_used = list.n;
    PetscCall(sort_used(b, position, list.tag));
    PetscCall(wring_exchange_ask(b->nodes.layout, b->nodes.n_used, b->nodes.used, &b->nodes.owners));
  }
  PetscCall(PetscFree(list.tag));
  PetscCall(PetscFree(position));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_find_nodes(wring_build *b)
{
  wring_raw *raw = b->raw;
  directory  d;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(b->comm, raw->nodes.n, PETSC_DETERMINE, 1, &b->nodes.layout));
  PetscCall(create_directory(b, &d));
  if (!raw->points && !raw->nodes.keep_tag) PetscCall(PetscFree(raw->nodes.tag));
  PetscCall(PetscFree(raw->nodes.line));
  PetscCall(find_used(b, &d));
  PetscCall(wring_map_destroy(&d.position));
  PetscFunctionReturn(PETSC_SUCCESS);
}
