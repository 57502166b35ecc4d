/*
  The triangles of a set, oriented outward from their tets, which may be on other ranks: triangles, and the faces of
  tets that may coincide with them, are sent to a rank determined by their smallest vertex.
*/
#include "base/exchange.h"
#include "base/sort.h"
#include "skin.h"
#include <stdlib.h>

/*
  Columns: vertices ascending, vertices in their orientation, the rank of origin, whether the row is a face of a tet.
*/
enum { SORTED, CORNER = 3, RANK = 6, IS_FACE, WIDTH };

typedef struct {
  PetscInt  n, room;
  PetscInt *row; // [n][WIDTH] original numbers
} faces;

static PetscErrorCode add_face(faces *f, const PetscInt corner[3], PetscInt rank, PetscInt is_face)
{
  PetscFunctionBegin;
  if (f->n == f->room) {
    f->room = 2 * f->room + 64;
    PetscCall(PetscRealloc(WIDTH * (size_t)f->room * sizeof *f->row, &f->row));
  }
  PetscInt *const row = f->row + WIDTH * (size_t)f->n++;
  for (int a = 0; a < 3; a++) row[SORTED + a] = row[CORNER + a] = corner[a];
  wring_sort3(row + SORTED);
  row[RANK]    = rank;
  row[IS_FACE] = is_face;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mark [n_local]: whether a vertex is in the set. */
static PetscErrorCode mark_set(const wring_mesh *m, PetscInt set, char *mark)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(mark, m->n_local));
  for (PetscInt i = 0; i < m->set_count[set]; i++) mark[m->set_vertex[set][i]] = 1;
  PetscCall(PetscSFBcastBegin(m->halo, MPI_CHAR, mark, mark, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->halo, MPI_CHAR, mark, mark, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faces of this rank's tets whose vertices are all in the set, seen from outside. */
static PetscErrorCode add_tet_faces(const wring_mesh *m, const char *mark, PetscInt rank, faces *f)
{
  PetscFunctionBegin;
  for (PetscInt e = 0; e < m->n_tet; e++) {
    for (int a = 0; a < 4; a++) {
      PetscInt  v[12];
      const int n = wring_mesh_cut_face(m, e, a, v);
      for (int k = 0; k < 3 * n; k += 3) {
        if (!mark[v[k]] || !mark[v[k + 1]] || !mark[v[k + 2]]) continue;
        const PetscInt corner[3] = {m->original[v[k]], m->original[v[k + 1]], m->original[v[k + 2]]};
        PetscCall(add_face(f, corner, rank, 1));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_triangles(const wring_mesh *m, PetscInt set, PetscInt rank, faces *f)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->n_set_element; i++) {
    const PetscInt *const row = m->set_element + 4 * (size_t)i;
    PetscInt              part[16];
    if (row[0] != set || row[3] < 0) continue;
    const int n = wring_mesh_cut_set_element(m, i, part);
    for (int k = 0; k < n; k++) PetscCall(add_face(f, part + 4 * k + 1, rank, 0));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By vertices, then triangles before faces, then by rank. */
static int compare(const void *a, const void *b)
{
  static const int order[] = {SORTED, SORTED + 1, SORTED + 2, IS_FACE, RANK};
  for (int i = 0; i < 5; i++) {
    const PetscInt x = ((const PetscInt *)a)[order[i]], y = ((const PetscInt *)b)[order[i]];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

static PetscBool same_vertices(const PetscInt *a, const PetscInt *b)
{
  return (PetscBool)(a[SORTED] == b[SORTED] && a[SORTED + 1] == b[SORTED + 1] && a[SORTED + 2] == b[SORTED + 2]);
}

/* Keeps one row for each triangle: the face of a tet, or the triangle itself if there is none; drops other faces. */
static void match(const char *set, faces *f, wring_error *e)
{
  PetscInt kept = 0;
  if (f->n) qsort(f->row, (size_t)f->n, WIDTH * sizeof *f->row, compare);
  for (PetscInt i = 0, end; i < f->n; i = end) {
    const PetscInt *const first = f->row + WIDTH * (size_t)i, *last = first;
    PetscInt              n_face = 0;
    for (end = i; end < f->n && same_vertices(first, f->row + WIDTH * (size_t)end); end++) {
      last = f->row + WIDTH * (size_t)end;
      n_face += last[IS_FACE];
    }
    if (first[IS_FACE]) continue;
    if (n_face > 1)
      wring_error_set(e,
                      "surface '%s': the triangle %" PetscInt_FMT " %" PetscInt_FMT " %" PetscInt_FMT
                      " lies between two tetrahedra, expected triangles on the boundary",
                      set, first[SORTED], first[SORTED + 1], first[SORTED + 2]);
    for (int k = 0; k < WIDTH; k++) f->row[WIDTH * (size_t)kept + (size_t)k] = last[k];
    kept++;
  }
  f->n = kept;
}

/* Sends rows to their rank of origin, or to the rank that matches them; f has the rows received. */
static PetscErrorCode exchange(const wring_mesh *m, PetscBool home, faces *f)
{
  PetscInt   *to, *row = f->row;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(m->comm, &size));
  PetscCall(PetscMalloc1((size_t)f->n, &to));
  for (PetscInt i = 0; i < f->n; i++)
    to[i] = home ? row[WIDTH * (size_t)i + RANK] : row[WIDTH * (size_t)i + SORTED] % size;
  PetscCall(wring_exchange_rows(m->comm, f->n, to, WIDTH * sizeof *row, row, &f->n, &f->row));
  f->room = f->n;
  PetscCall(PetscFree(row));
  PetscCall(PetscFree(to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_surface(wring_mesh *m, PetscInt set, PetscInt *n, PetscInt **triangle)
{
  faces       f     = {.n = 0};
  wring_error error = {""};
  PetscMPIInt rank;
  char       *mark;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  PetscCall(PetscMalloc1(m->n_local, &mark));
  PetscCall(mark_set(m, set, mark));
  PetscCall(add_tet_faces(m, mark, rank, &f));
  PetscCall(add_triangles(m, set, rank, &f));
  PetscCall(PetscFree(mark));
  PetscCall(exchange(m, PETSC_FALSE, &f));
  match(m->sets.name[set], &f, &error);
  PetscCall(wring_error_raise(m->comm, &error));
  PetscCall(exchange(m, PETSC_TRUE, &f));
  if (f.n) qsort(f.row, (size_t)f.n, WIDTH * sizeof *f.row, compare);
  *n = f.n;
  PetscCall(PetscMalloc1(3 * f.n, triangle));
  for (PetscInt i = 0; i < 3 * f.n; i++) (*triangle)[i] = f.row[WIDTH * (size_t)(i / 3) + CORNER + (size_t)(i % 3)];
  PetscCall(PetscFree(f.row));
  PetscCall(wring_mesh_extend_halo(m, 3 * *n, *triangle));
  PetscFunctionReturn(PETSC_SUCCESS);
}
