#include "meet_faces.h"
#include <stdlib.h>

/* ---- faces that meet --------------------------------------------------------------------------------------------- */

static int compare_faces(const void *pa, const void *pb)
{
  const wring_face *a = pa, *b = pb;
  for (int i = 1; i < 3; i++)
    if (a->v[i] != b->v[i]) return a->v[i] < b->v[i] ? -1 : 1;
  return (a->tet > b->tet) - (a->tet < b->tet);
}

/* Sorts faces with the same lowest node. */
static void sort_faces(PetscInt n, wring_face *f)
{
  if (n > 48) {
    qsort(f, (size_t)n, sizeof *f, compare_faces);
    return;
  }
  for (PetscInt i = 1; i < n; i++) {
    const wring_face moved = f[i];
    PetscInt         at    = i;
    for (; at > 0 && compare_faces(f + at - 1, &moved) > 0; at--) f[at] = f[at - 1];
    f[at] = moved;
  }
}

static int compare_opposites(const void *pa, const void *pb)
{
  const wring_face *a = pa, *b = pb;
  if (a->opposite != b->opposite) return a->opposite < b->opposite ? -1 : 1;
  return (a->tet > b->tet) - (a->tet < b->tet);
}

/* Finds two tets with this face and the same opposite node; sorts f if there are more than two. */
static void find_repeated(wring_meeting *m, PetscInt n, wring_face *f)
{
  if (n > 2) qsort(f, (size_t)n, sizeof *f, compare_opposites);
  for (PetscInt i = 1; i < n; i++) {
    const int64_t first = f[i - 1].tet, second = f[i].tet;
    if (f[i - 1].opposite != f[i].opposite || first > m->repeated[0]) continue;
    if (first == m->repeated[0] && second >= m->repeated[1]) continue;
    m->repeated[0] = first;
    m->repeated[1] = second;
  }
}

/* Three tets with the same face. */
static void keep_crowd(wring_meeting *m, const wring_face *f)
{
  for (int k = 0; k < 3; k++) {
    if (f->v[k] > m->crowd[k]) return;
    if (f->v[k] < m->crowd[k]) break;
  }
  for (int k = 0; k < 3; k++) {
    m->crowd[k]     = f->v[k];
    m->crowd[3 + k] = f[k].tet;
  }
}

/* The same face n times, triangles first; answer: whether they are faces of tets. */
static void meet(wring_meeting *m, PetscInt n, wring_face *f, char *answer)
{
  PetscInt n_triangle = 0;
  while (n_triangle < n && f[n_triangle].tet < 0) n_triangle++;
  for (PetscInt i = 0; i < n_triangle; i++) answer[-1 - f[i].tet] = n_triangle < n;
  if (n - n_triangle > 2) keep_crowd(m, f + n_triangle);
  find_repeated(m, n - n_triangle, f + n_triangle);
}

wring_meeting wring_meeting_begin(void)
{
  wring_meeting m = {.repeated = {INT64_MAX, INT64_MAX}};
  for (int k = 0; k < 6; k++) m.crowd[k] = INT64_MAX;
  return m;
}

void wring_meet_faces(wring_meeting *m, PetscInt n, wring_face *f, char *answer)
{
  sort_faces(n, f);
  for (PetscInt i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && f[end].v[1] == f[i].v[1] && f[end].v[2] == f[i].v[2];) end++;
    meet(m, end - i, f + i, answer);
  }
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* Numbers and places in the file of n tets of any ranks. */
static PetscErrorCode describe(const wring_build *b, int n, const int64_t *tet, int64_t *number, int64_t *place)
{
  int64_t mine[6], all[6];

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    const int64_t   t    = tet[i] - b->tet_begin;
    const PetscBool here = (PetscBool)(t >= 0 && t < b->raw->n_tet);
    mine[2 * i]          = here ? b->raw->tet_number[t] : INT64_MIN;
    mine[2 * i + 1]      = here ? b->raw->tet_line[t] : INT64_MIN;
  }
  PetscCallMPI(MPI_Allreduce(mine, all, 2 * n, MPI_INT64_T, MPI_MAX, b->comm));
  for (int i = 0; i < n; i++) {
    number[i] = all[2 * i];
    place[i]  = all[2 * i + 1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode report_repeated(const wring_meeting *m, wring_build *b, PetscBool *found)
{
  int64_t tet[2], number[2] = {0}, place[2] = {0};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(&m->repeated[0], &tet[0], 1, MPI_INT64_T, MPI_MIN, b->comm));
  *found = (PetscBool)(tet[0] < INT64_MAX);
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  const int64_t other = m->repeated[0] > tet[0] ? INT64_MAX : m->repeated[1];
  PetscCallMPI(MPI_Allreduce(&other, &tet[1], 1, MPI_INT64_T, MPI_MIN, b->comm));
  PetscCall(describe(b, 2, tet, number, place));
  wring_build_fail(b, place[1], "element %lld has the nodes of element %lld (%s %lld)", (long long)number[1],
                   (long long)number[0], wring_build_unit(b), (long long)place[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first face of all ranks; one rank found it. */
static PetscErrorCode agree_on_crowd(MPI_Comm comm, wring_meeting *m)
{
  PetscBool mine = PETSC_TRUE; // whether the first face may be that of this rank

  PetscFunctionBegin;
  for (int k = 0; k < 6; k++) {
    int64_t here = mine ? m->crowd[k] : INT64_MAX, least;
    PetscCallMPI(MPI_Allreduce(&here, &least, 1, MPI_INT64_T, MPI_MIN, comm));
    mine        = (PetscBool)(mine && here == least);
    m->crowd[k] = least;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode report_crowd(wring_meeting *m, wring_build *b)
{
  int64_t number[3] = {0}, place[3] = {0};

  PetscFunctionBegin;
  PetscCall(agree_on_crowd(b->comm, m));
  if (m->crowd[0] == INT64_MAX) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(describe(b, 3, m->crowd + 3, number, place));
  wring_build_fail(b, place[2], "elements %lld (%s %lld), %lld (%s %lld) and %lld share a face, expected at most two",
                   (long long)number[0], wring_build_unit(b), (long long)place[0], (long long)number[1],
                   wring_build_unit(b), (long long)place[1], (long long)number[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_meeting_report(wring_meeting *m, wring_build *b)
{
  PetscBool repeated;

  PetscFunctionBegin;
  PetscCall(report_repeated(m, b, &repeated));
  if (!repeated) PetscCall(report_crowd(m, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}
