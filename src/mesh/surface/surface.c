/*
  The triangles of a set, oriented outward from their tets, which may be on other ranks: triangles, and the faces of
  tets that may coincide with them, are matched on a rank determined by their smallest vertex.
*/
#include "base/grow.h"
#include "base/parallel/sorting.h"
#include "base/sort.h"
#include "mesh/tet.h"
#include "skin.h"

typedef struct {
  PetscInt v[3], is_face;      // vertices ascending; whether it is a face of a tet: the key
  PetscInt corner[WRING_FACE]; // vertices in their orientation, middles of edges 01 12 20 or -1
} face_row;

typedef struct {
  PetscInt  n, room;
  face_row *row; // [n] original numbers
} faces;

static PetscErrorCode add_face(faces *f, const PetscInt v[WRING_FACE], PetscInt is_face)
{
  PetscFunctionBegin;
  PetscCall(wring_grow((PetscInt64)f->n + 1, &f->room, sizeof *f->row, &f->row));
  f->row[f->n] = (face_row){{v[0], v[1], v[2]}, is_face, {v[0], v[1], v[2], v[3], v[4], v[5]}};
  wring_sort3(f->row[f->n++].v);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faces of this rank's tets whose vertices are all in the set, seen from outside. */
static PetscErrorCode add_tet_faces(const wring_mesh *m, const char *mark, faces *f)
{
  PetscFunctionBegin;
  for (PetscInt e = 0; e < m->tets.n; e++) {
    for (int a = 0; a < 4; a++) {
      PetscInt  v[WRING_FACE], corner[WRING_FACE] = {-1, -1, -1, -1, -1, -1};
      PetscBool in_set = PETSC_TRUE;
      const int n      = wring_mesh_face(m, e, a, v);
      for (int k = 0; k < n; k++) in_set = (PetscBool)(in_set && mark[v[k]]), corner[k] = m->number.original[v[k]];
      if (in_set) PetscCall(add_face(f, corner, 1));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* keep [n] one row for each triangle: the face of a tet, or the triangle itself if there is none. */
static void choose(const char *set, PetscBool inner, PetscInt n, const face_row *r, char *keep, wring_error *e)
{
  for (PetscInt i = 0, end; i < n; i = end) {
    PetscInt n_face = 0;
    end             = wring_rows_end(n, 3, sizeof *r, r, i);
    for (PetscInt k = i; k < end; k++) {
      keep[k] = k == end - 1 && !r[i].is_face;
      n_face += r[k].is_face;
    }
    if (end - i > n_face + 1)
      wring_error_set(e,
                      "mesh: set '%s' has the triangle of vertices %" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT
                      " twice, expected once",
                      set, r[i].v[0], r[i].v[1], r[i].v[2]);
    if (!inner && !r[i].is_face && n_face > 1)
      wring_error_set(e,
                      "surface '%s': the triangle %" PetscInt_FMT " %" PetscInt_FMT " %" PetscInt_FMT
                      " lies between two tetrahedra, expected triangles on the boundary",
                      set, r[i].v[0], r[i].v[1], r[i].v[2]);
  }
}

/* Keeps the rows of this rank that are chosen of those of all ranks, in their order. */
static PetscErrorCode match(const wring_mesh *m, const char *set, PetscBool inner, faces *f)
{
  wring_error   error = {""};
  wring_sorting s;
  PetscInt     *to, kept = 0;
  face_row     *got;
  char         *chosen, *keep;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(m->comm);
  PetscCall(PetscMalloc2((size_t)f->n, &to, (size_t)f->n, &keep));
  for (PetscInt i = 0; i < f->n; i++) to[i] = f->row[i].v[0] % size;
  PetscCall(wring_match_rows(m->comm, f->n, to, 4, sizeof *got, f->row, &s, &got));
  PetscCall(PetscMalloc1((size_t)s.n, &chosen));
  choose(set, inner, s.n, got, chosen, &error);
  PetscCall(wring_error_raise(m->comm, &error));
  PetscCall(wring_sorting_answer(&s, 1, chosen, keep));
  for (PetscInt i = 0; i < f->n; i++)
    if (keep[i]) f->row[kept++] = f->row[i];
  f->n = kept;
  PetscCall(wring_sort_rows(f->n, 4, sizeof *f->row, f->row, NULL));
  PetscCall(PetscFree(chosen));
  PetscCall(PetscFree(got));
  PetscCall(PetscFree2(to, keep));
  PetscCall(wring_sorting_destroy(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Triangles outside of tets are of first order: the four parts of each. */
static PetscErrorCode cut_sheets(faces *f)
{
  PetscFunctionBegin;
  for (PetscInt i = 0, n = f->n; i < n; i++) {
    const face_row r = f->row[i];
    if (r.is_face || r.corner[3] < 0) continue;
    for (int k = 0; k < 4; k++) {
      PetscInt v[WRING_FACE] = {-1, -1, -1, -1, -1, -1};
      for (int a = 0; a < 3; a++) v[a] = r.corner[wring_triangle_part[k][a]];
      if (k > 0)
        PetscCall(add_face(f, v, 0));
      else
        PetscCall(PetscArraycpy(f->row[i].corner, v, WRING_FACE));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_surface(wring_mesh *m, PetscInt set, PetscBool inner, PetscInt *n, PetscInt **triangle)
{
  static const PetscInt none[3] = {-1, -1, -1};
  faces                 f       = {.n = 0};
  char                 *mark; // [n_local] whether a vertex is in the set
  PetscInt             *vertex, n_vertex = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->n_local, &mark));
  for (PetscInt i = 0; i < m->set.count[set]; i++) mark[m->set.vertex[set][i]] = 1;
  PetscCall(PetscSFBcastBegin(m->forest.halo, MPI_CHAR, mark, mark, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->forest.halo, MPI_CHAR, mark, mark, MPI_REPLACE));
  PetscCall(add_tet_faces(m, mark, &f));
  for (PetscInt i = 0; i < m->set.n_element; i++) {
    const PetscInt *const row = m->set.element + 4 * (size_t)i, *const mid = m->set.mid ? m->set.mid + 3 * i : none;
    const PetscInt v[WRING_FACE] = {row[1], row[2], row[3], mid[0], mid[1], mid[2]};
    if (row[0] == set && row[3] >= 0) PetscCall(add_face(&f, v, 0));
  }
  PetscCall(PetscFree(mark));
  PetscCall(match(m, m->set.names.name[set], inner, &f));
  PetscCall(cut_sheets(&f));
  *n = f.n;
  PetscCall(PetscMalloc1(WRING_FACE * f.n, triangle));
  for (PetscInt i = 0; i < WRING_FACE * f.n; i++) (*triangle)[i] = f.row[i / WRING_FACE].corner[i % WRING_FACE];
  PetscCall(PetscFree(f.row));
  PetscCall(PetscMalloc1(WRING_FACE * f.n, &vertex));
  for (PetscInt i = 0; i < WRING_FACE * f.n; i++)
    if ((*triangle)[i] >= 0) vertex[n_vertex++] = (*triangle)[i];
  PetscCall(wring_mesh_extend_halo(m, n_vertex, vertex)); // ghosts
  PetscCall(PetscFree(vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}
