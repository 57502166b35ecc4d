/* Drops nodes, and numbers the others in the order of the file. */
#include "build.h"

enum { IN_TET = 1, IN_GROUP = 2, IN_ELEMENT = 4, IN_MIDDLE = 8 };

/* mark [n_used] of the elements of this rank. */
static void mark_used(const wring_build *b, char *mark)
{
  const wring_raw *raw = b->raw;
  for (size_t i = 0; i < 4 * (size_t)raw->n_tet; i++) mark[b->tet[i]] |= IN_TET;
  for (PetscInt i = 0; i < raw->n_lower; i++) {
    const wring_raw_lower *const e       = raw->lower + i;
    const PetscBool              grouped = (PetscBool)(raw->source_start[e->source + 1] > raw->source_start[e->source]);
    for (int a = 0; a < e->n; a++)
      mark[b->lower[3 * (size_t)i + (size_t)a]] |= (char)(IN_ELEMENT | (e->n > 1 && grouped ? IN_GROUP : 0));
  }
  for (size_t i = 0; b->mid && i < 6 * (size_t)raw->n_tet + 3 * (size_t)raw->n_lower; i++)
    if (b->mid[i] >= 0) mark[b->mid[i]] |= IN_MIDDLE;
}

/* in_tet: the marks of all ranks. */
static void check_middles(wring_build *b)
{
  const wring_raw *raw     = b->raw;
  const PetscInt   of_tets = 6 * raw->n_tet;
  for (PetscInt i = 0; b->mid && i < of_tets + 3 * raw->n_lower; i++) {
    const PetscInt e = i < of_tets ? i / 6 : (i - of_tets) / 3;
    if (b->mid[i] < 0 || !(b->in_tet[b->mid[i]] & (IN_TET | IN_ELEMENT))) continue;
    wring_build_fail(b, i < of_tets ? raw->tet_line[e] : raw->lower[e].line,
                     "element %lld has node %lld at the middle of an edge, which is a corner of another",
                     (long long)(i < of_tets ? raw->tet_number[e] : raw->lower[e].number),
                     (long long)b->tag[b->mid[i]]);
  }
}

/*
  Lines and triangles of groups keep their nodes, because a deck can give mass to no other; without tets all elements
  do.
*/
PetscErrorCode wring_build_mark_nodes(wring_build *b)
{
  const wring_raw *raw    = b->raw;
  const int        enough = b->n_tet > 0 ? IN_TET | IN_GROUP : IN_ELEMENT;
  char            *mark, *got, *keep;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)raw->n_node, &keep));
  b->keep = keep;
  PetscCall(PetscCalloc1((size_t)b->n_used, &mark));
  mark_used(b, mark);
  PetscCall(wring_exchange_send(&b->owners, 1, mark, &got));
  PetscCall(PetscFree(mark));
  for (PetscInt i = 0; i < b->owners.n_got; i++) keep[b->asked[i]] |= got[i];
  PetscCall(PetscFree(got));
  PetscCall(PetscMalloc1((size_t)b->n_used, &b->in_tet));
  PetscCall(wring_exchange_fetch(&b->owners, b->asked, 1, keep, b->in_tet));
  check_middles(b);
  for (PetscInt i = 0; i < b->n_used; i++) b->in_tet[i] &= IN_TET;
  for (PetscInt v = 0; v < raw->n_node; v++)
    keep[v] = (char)(keep[v] & IN_MIDDLE ? WRING_BUILD_MIDDLE : raw->points || (keep[v] & enough));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* number [n_node] of the nodes of this slice that are kept, others -1; their coordinates move to the front. */
static PetscErrorCode number_slice(wring_build *b, PetscInt *number, PetscInt *n)
{
  const wring_raw *raw  = b->raw;
  const char      *keep = b->keep;
  PetscInt64       mine = 0, end = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < raw->n_node; v++) mine += keep[v] == 1;
  PetscCallMPI(MPI_Scan(&mine, &end, 1, MPIU_INT64, MPI_SUM, b->comm));
  PetscCallMPI(MPI_Allreduce(&mine, &b->n_vertex, 1, MPIU_INT64, MPI_SUM, b->comm));
  *n = 0;
  for (PetscInt v = 0; v < raw->n_node; v++) {
    number[v] = keep[v] == 1 ? (PetscInt)(end - mine + *n) : -1;
    if (keep[v] != 1) continue;
    for (int c = 0; c < 3; c++) raw->X[3 * (size_t)*n + (size_t)c] = raw->X[3 * (size_t)v + (size_t)c];
    if (raw->keep_tags) raw->node_tag[*n] = raw->node_tag[v];
    ++*n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stores the nodes of this slice at middles of edges. */
static PetscErrorCode store_middles(wring_build *b)
{
  const wring_raw *raw  = b->raw;
  const char      *keep = b->keep;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < raw->n_node; v++) b->n_middle += keep[v] == WRING_BUILD_MIDDLE;
  PetscCall(PetscMalloc1((size_t)b->n_middle, &b->middle));
  PetscCall(PetscMalloc1(3 * (size_t)b->n_middle, &b->middle_X));
  b->n_middle = 0;
  for (PetscInt v = 0; v < raw->n_node; v++) {
    if (keep[v] != WRING_BUILD_MIDDLE) continue;
    b->middle[b->n_middle] = b->node->rstart + v;
    PetscCall(PetscArraycpy(b->middle_X + 3 * (size_t)b->n_middle++, raw->X + 3 * (size_t)v, 3));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_number_nodes(wring_build *b)
{
  wring_mesh_data *d   = b->d;
  wring_raw       *raw = b->raw;
  PetscInt        *number;

  PetscFunctionBegin;
  if (b->second) PetscCall(store_middles(b));
  PetscCall(PetscMalloc1((size_t)raw->n_node, &number));
  PetscCall(number_slice(b, number, &d->n_vertex));
  PetscCall(PetscMalloc1((size_t)b->n_used, &b->vertex));
  PetscCall(wring_exchange_fetch(&b->owners, b->asked, sizeof *number, number, b->vertex));
  PetscCall(PetscFree(number));
  PetscCall(PetscFree(b->keep));
  PetscCall(PetscRealloc(3 * (size_t)d->n_vertex * sizeof *raw->X, &raw->X));
  d->X   = raw->X;
  raw->X = NULL;
  if (raw->keep_tags && raw->node_tag) {
    PetscCall(PetscRealloc((size_t)d->n_vertex * sizeof *raw->node_tag, &raw->node_tag));
    d->tag        = raw->node_tag;
    raw->node_tag = NULL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
