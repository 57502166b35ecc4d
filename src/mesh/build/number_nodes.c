/* Drops nodes, and numbers the others in the order of the file. */
#include "build.h"

enum { IN_TET = 1, IN_GROUP = 2, IN_ELEMENT = 4, IN_MIDDLE = 8 };

/* mark [n_used] of the elements of this rank. */
static void mark_used(const wring_build *b, char *mark)
{
  const wring_raw *raw = b->raw;
  for (size_t i = 0; i < 4 * (size_t)raw->tets.n; i++) mark[b->tets.corner[i]] |= IN_TET;
  for (PetscInt i = 0; i < raw->lower.n; i++) {
    const wring_raw_lower *const e = raw->lower.element + i;
    const PetscBool grouped        = (PetscBool)(raw->sources.start[e->source + 1] > raw->sources.start[e->source]);
    for (int a = 0; a < e->n; a++)
      mark[b->lower.corner[3 * (size_t)i + (size_t)a]] |= (char)(IN_ELEMENT | (e->n > 1 && grouped ? IN_GROUP : 0));
  }
  for (size_t i = 0; b->middle.used && i < 6 * (size_t)raw->tets.n + 3 * (size_t)raw->lower.n; i++)
    if (b->middle.used[i] >= 0) mark[b->middle.used[i]] |= IN_MIDDLE;
}

/* in_tet: the marks of all ranks. */
static void check_middles(wring_build *b)
{
  const wring_raw *raw     = b->raw;
  const PetscInt   of_tets = 6 * raw->tets.n;
  for (PetscInt i = 0; b->middle.used && i < of_tets + 3 * raw->lower.n; i++) {
    const PetscInt e = i < of_tets ? i / 6 : (i - of_tets) / 3;
    if (b->middle.used[i] < 0 || !(b->nodes.in_tet[b->middle.used[i]] & (IN_TET | IN_ELEMENT))) continue;
    wring_build_fail(b, i < of_tets ? raw->tets.line[e] : raw->lower.element[e].line,
                     "element %lld has node %lld at the middle of an edge, which is a corner of another",
                     (long long)(i < of_tets ? raw->tets.number[e] : raw->lower.element[e].number),
                     (long long)b->nodes.tag[b->middle.used[i]]);
  }
}

/*
  Lines and triangles of groups keep their nodes, because a deck can give mass to no other; without tets all elements
  do.
*/
PetscErrorCode wring_build_mark_nodes(wring_build *b)
{
  const wring_raw *raw    = b->raw;
  const int        enough = b->tets.n_global > 0 ? IN_TET | IN_GROUP : IN_ELEMENT;
  char            *mark, *got, *keep;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)raw->nodes.n, &keep));
  b->nodes.keep = keep;
  PetscCall(PetscCalloc1((size_t)b->nodes.n_used, &mark));
  mark_used(b, mark);
  PetscCall(wring_exchange_send(&b->nodes.owners, 1, mark, &got));
  PetscCall(PetscFree(mark));
  for (PetscInt i = 0; i < b->nodes.owners.n_got; i++) keep[b->nodes.owners.asked[i]] |= got[i];
  PetscCall(PetscFree(got));
  PetscCall(PetscMalloc1((size_t)b->nodes.n_used, &b->nodes.in_tet));
  PetscCall(wring_exchange_fetch(&b->nodes.owners, 1, keep, b->nodes.in_tet));
  check_middles(b);
  for (PetscInt i = 0; i < b->nodes.n_used; i++) b->nodes.in_tet[i] &= IN_TET;
  for (PetscInt v = 0; v < raw->nodes.n; v++)
    keep[v] = (char)(keep[v] & IN_MIDDLE ? WRING_BUILD_MIDDLE : raw->points || (keep[v] & enough));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* number [n_node] of the nodes of this slice that are kept, others -1; their coordinates move to the front. */
static PetscErrorCode number_slice(wring_build *b, PetscInt *number, PetscInt *n)
{
  const wring_raw *raw  = b->raw;
  const char      *keep = b->nodes.keep;
  PetscInt64       mine = 0, end = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < raw->nodes.n; v++) mine += keep[v] == 1;
  PetscCallMPI(MPI_Scan(&mine, &end, 1, MPIU_INT64, MPI_SUM, b->comm));
  PetscCallMPI(MPI_Allreduce(&mine, &b->nodes.n_kept, 1, MPIU_INT64, MPI_SUM, b->comm));
  *n = 0;
  for (PetscInt v = 0; v < raw->nodes.n; v++) {
    number[v] = keep[v] == 1 ? (PetscInt)(end - mine + *n) : -1;
    if (keep[v] != 1) continue;
    for (int c = 0; c < 3; c++) raw->nodes.X[3 * (size_t)*n + (size_t)c] = raw->nodes.X[3 * (size_t)v + (size_t)c];
    if (raw->nodes.tag) raw->nodes.tag[*n] = raw->nodes.tag[v];
    ++*n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stores the nodes of this slice at middles of edges. */
static PetscErrorCode store_middles(wring_build *b)
{
  const wring_raw *raw  = b->raw;
  const char      *keep = b->nodes.keep;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < raw->nodes.n; v++) b->middle.n += keep[v] == WRING_BUILD_MIDDLE;
  PetscCall(PetscMalloc1((size_t)b->middle.n, &b->middle.position));
  PetscCall(PetscMalloc1(3 * (size_t)b->middle.n, &b->middle.X));
  b->middle.n = 0;
  for (PetscInt v = 0; v < raw->nodes.n; v++) {
    if (keep[v] != WRING_BUILD_MIDDLE) continue;
    b->middle.position[b->middle.n] = b->nodes.layout->rstart + v;
    PetscCall(PetscArraycpy(b->middle.X + 3 * (size_t)b->middle.n++, raw->nodes.X + 3 * (size_t)v, 3));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_number_nodes(wring_build *b)
{
  wring_mesh_data *d   = b->d;
  wring_raw       *raw = b->raw;
  PetscInt        *number;

  PetscFunctionBegin;
  if (b->middle.any) PetscCall(store_middles(b));
  PetscCall(PetscMalloc1((size_t)raw->nodes.n, &number));
  PetscCall(number_slice(b, number, &d->n_vertex));
  PetscCall(PetscMalloc1((size_t)b->nodes.n_used, &b->nodes.vertex));
  PetscCall(wring_exchange_fetch(&b->nodes.owners, sizeof *number, number, b->nodes.vertex));
  PetscCall(PetscFree(number));
  PetscCall(PetscFree(b->nodes.keep));
  PetscCall(PetscRealloc(3 * (size_t)d->n_vertex * sizeof *raw->nodes.X, &raw->nodes.X));
  d->X         = raw->nodes.X;
  raw->nodes.X = NULL;
  if (raw->nodes.tag) {
    PetscCall(PetscRealloc((size_t)d->n_vertex * sizeof *raw->nodes.tag, &raw->nodes.tag));
    d->tag         = raw->nodes.tag;
    raw->nodes.tag = NULL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
