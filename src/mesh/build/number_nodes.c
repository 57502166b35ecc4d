/* Drops nodes, and numbers the others in the order of the file. */
#include "build.h"

enum { IN_TET = 1, IN_GROUP = 2, IN_ELEMENT = 4 };

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
}

/*
  Lines and triangles of groups keep their nodes, because a deck can give mass to no other; without tets all elements
  do.
*/
PetscErrorCode wring_build_mark_nodes(wring_build *b, char *keep)
{
  const wring_raw *raw    = b->raw;
  const int        enough = b->n_tet > 0 ? IN_TET | IN_GROUP : IN_ELEMENT;
  const PetscInt   n_got  = b->owners.n_got;
  char            *mark, *got;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)b->n_used, &mark));
  mark_used(b, mark);
  PetscCall(wring_exchange_send(&b->owners, 1, mark, &got));
  PetscCall(PetscFree(mark));
  for (PetscInt i = 0; i < n_got; i++) keep[b->asked[i]] |= got[i];
  for (PetscInt i = 0; i < n_got; i++) got[i] = (char)(keep[b->asked[i]] & IN_TET);
  PetscCall(PetscMalloc1((size_t)b->n_used, &b->in_tet));
  PetscCall(wring_exchange_answer(&b->owners, 1, got, b->in_tet));
  PetscCall(PetscFree(got));
  for (PetscInt v = 0; v < raw->n_node; v++) keep[v] = raw->points || (keep[v] & enough);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* number [n_node] of the nodes of this block that are kept, others -1; their coordinates move to the front. */
static PetscErrorCode number_block(wring_build *b, const char *keep, PetscInt *number, PetscInt *n)
{
  const wring_raw *raw  = b->raw;
  PetscInt64       mine = 0, end = 0;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < raw->n_node; v++) mine += keep[v];
  PetscCallMPI(MPI_Scan(&mine, &end, 1, MPIU_INT64, MPI_SUM, b->comm));
  PetscCallMPI(MPI_Allreduce(&mine, &b->n_vertex, 1, MPIU_INT64, MPI_SUM, b->comm));
  *n = 0;
  for (PetscInt v = 0; v < raw->n_node; v++) {
    number[v] = keep[v] ? (PetscInt)(end - mine + *n) : -1;
    for (int c = 0; c < 3 && keep[v]; c++) raw->X[3 * (size_t)*n + (size_t)c] = raw->X[3 * (size_t)v + (size_t)c];
    *n += keep[v];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_build_number_nodes(wring_build *b, const char *keep, wring_mesh_data *d)
{
  wring_raw *raw = b->raw;
  PetscInt  *number, *answer;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)raw->n_node, &number));
  PetscCall(number_block(b, keep, number, &d->n_vertex));
  PetscCall(PetscMalloc1((size_t)b->owners.n_got, &answer));
  for (PetscInt i = 0; i < b->owners.n_got; i++) answer[i] = number[b->asked[i]];
  PetscCall(PetscFree(number));
  PetscCall(PetscMalloc1((size_t)b->n_used, &b->vertex));
  PetscCall(wring_exchange_answer(&b->owners, sizeof *answer, answer, b->vertex));
  PetscCall(PetscFree(answer));
  PetscCall(PetscRealloc(3 * (size_t)d->n_vertex * sizeof *raw->X, &raw->X));
  d->X   = raw->X;
  raw->X = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
