/* The surface of a mesh. */
#include "skin.h"
#include "base/exchange.h"
#include "base/forest.h"
#include "base/sort.h"
#include "mesh/bodies.h"
#include "faces.h"

int wring_mesh_face(const wring_mesh *m, PetscInt e, int a, PetscInt *v)
{
  for (int k = 0; k < 3; k++) v[k] = m->tets.corner[4 * (size_t)e + (size_t)wring_face_corner[a][k]];
  for (int k = 0; k < 3 && m->tets.mid; k++) v[3 + k] = m->tets.mid[6 * (size_t)e + (size_t)wring_face_mid[a][k]];
  return m->tets.mid ? 6 : 3;
}

/* The face of tet e opposite to corner a, of order 2 its parts: triangle [4][3] local vertices. Returns how many. */
static int cut_face(const wring_mesh *m, PetscInt e, int a, PetscInt *triangle)
{
  PetscInt  v[WRING_FACE];
  const int n = wring_mesh_face(m, e, a, v) > 3 ? 4 : 1;
  for (int i = 0; i < 3 * n; i++) triangle[i] = v[n == 1 ? i : wring_triangle_part[i / 3][i % 3]];
  return n;
}

static PetscErrorCode find_homes(const wring_mesh *m, wring_skin *s)
{
  const PetscSFNode *remote;
  const PetscInt    *leaf;
  PetscInt           n;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(m->comm);
  PetscCall(PetscMalloc1(m->n_local, &s->home));
  for (PetscInt i = 0; i < m->n_owned; i++) s->home[i] = (PetscSFNode){.rank = rank, .index = i};
  PetscCall(PetscSFGetGraph(m->forest.halo, NULL, &n, &leaf, &remote));
  for (PetscInt i = 0; i < n; i++) s->home[leaf ? leaf[i] : i] = remote[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- triangles --------------------------------------------------------------------------------------------------- */

/* neighbour [n_tet][4]: -1 of the faces that no other tet of any rank has. */
static PetscErrorCode find_neighbours(const wring_mesh *m, PetscInt *neighbour)
{
  PetscInt    n = 0;
  PetscInt64 *other;
  PetscLayout slice;

  PetscFunctionBegin;
  PetscCall(wring_faces_match(m->n_local, m->tets.n, m->tets.corner, neighbour));
  PetscCall(PetscLayoutCreateFromSizes(m->comm, PETSC_DECIDE, m->number.n_global, 1, &slice));
  PetscCall(wring_faces_match_ranks(slice, m->number.original, m->tets.n, m->tets.corner, neighbour, &n, &other));
  PetscCall(PetscLayoutDestroy(&slice));
  n = 0;
  for (PetscInt i = 0; i < 4 * m->tets.n; i++)
    if (neighbour[i] < 0 && other[n++] >= 0) neighbour[i] = m->tets.n;
  PetscCall(PetscFree(other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The faces that belong to one tet, of order 2 in parts. */
static PetscErrorCode find_faces(const wring_mesh *m, wring_skin *s)
{
  const size_t parts = m->tets.mid ? 4 : 1;
  PetscInt    *neighbour;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (size_t)m->tets.n, &neighbour));
  PetscCall(find_neighbours(m, neighbour));
  for (size_t i = 0; i < 4 * (size_t)m->tets.n; i++) s->n += neighbour[i] < 0;
  PetscCall(PetscMalloc1(3 * parts * (size_t)s->n, &s->corner));
  PetscCall(PetscMalloc1(parts * (size_t)s->n, &s->face));
  s->n = 0;
  for (PetscInt i = 0; i < 4 * m->tets.n; i++) {
    if (neighbour[i] >= 0) continue;
    const int n = cut_face(m, i / 4, (int)(i % 4), s->corner + 3 * (size_t)s->n);
    for (int k = 0; k < n; k++) s->face[s->n++] = i;
  }
  PetscCall(PetscFree(neighbour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt vertex, original; // local number of a vertex; a vertex that shares a triangle with it
} neighbour;

/* Sends each corner of a triangle to its owner, by its number there, with the original number of each neighbour. */
static PetscErrorCode send_neighbours(const wring_mesh *m, const wring_skin *s, PetscInt *n, neighbour **got)
{
  PetscInt  *to;
  neighbour *row;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(6 * (size_t)s->n, &to, 6 * (size_t)s->n, &row));
  for (PetscInt i = 0; i < 6 * s->n; i++) {
    const PetscInt   *v  = s->corner + i / 6 * 3;
    const PetscSFNode at = s->home[v[i % 3]];
    to[i]                = at.rank;
    row[i]               = (neighbour){at.index, m->number.original[v[(i + 1 + i % 6 / 3) % 3]]};
  }
  PetscCall(wring_exchange_rows(m->comm, 6 * s->n, to, sizeof *row, row, n, got));
  PetscCall(PetscFree2(to, row));
  PetscCall(wring_sort_rows(*n, 2, sizeof **got, *got, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_vertices(const wring_mesh *m, wring_skin *s)
{
  neighbour *row;
  PetscInt   n = 0, kept = 0;

  PetscFunctionBegin;
  PetscCall(send_neighbours(m, s, &n, &row));
  for (PetscInt i = 0; i < n; i++) s->n_vertex += i == 0 || row[i].vertex != row[i - 1].vertex;
  PetscCall(PetscMalloc3(s->n_vertex, &s->vertex, s->n_vertex + 1, &s->ring_start, (size_t)n, &s->ring));
  s->n_vertex = 0;
  for (PetscInt i = 0; i < n; i++) {
    const PetscBool first = (PetscBool)(i == 0 || row[i].vertex != row[i - 1].vertex);
    if (first) {
      s->vertex[s->n_vertex]       = row[i].vertex;
      s->ring_start[s->n_vertex++] = kept;
    }
    if (first || row[i].original != row[i - 1].original) s->ring[kept++] = row[i].original;
  }
  s->ring_start[s->n_vertex] = kept;
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* body [n_local]: the lowest original number of the vertices that tets of all ranks connect to each vertex. */
static PetscErrorCode find_bodies(const wring_mesh *m, wring_skin *s)
{
  PetscInt *parent;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->n_local, &s->body));
  PetscCall(PetscMalloc1(m->n_local, &parent));
  PetscCall(PetscArraycpy(s->body, m->number.original, m->n_local));
  for (PetscInt v = 0; v < m->n_local; v++) parent[v] = v;
  for (size_t e = 0; e < (size_t)m->tets.n; e++) {
    for (size_t a = 1; a < 4; a++) wring_unite(parent, m->tets.corner[4 * e], m->tets.corner[4 * e + a]);
    for (size_t k = 0; m->tets.mid && k < 6; k++) wring_unite(parent, m->tets.corner[4 * e], m->tets.mid[6 * e + k]);
  }
  PetscCall(wring_mesh_spread_least(m, parent, s->body));
  PetscCall(PetscFree(parent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_skin_create(const wring_mesh *m, wring_skin **skin)
{
  wring_skin *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *skin = s;
  PetscCall(find_homes(m, s));
  PetscCall(find_faces(m, s));
  PetscCall(find_vertices(m, s));
  PetscCall(find_bodies(m, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_skin_destroy(wring_skin **skin)
{
  wring_skin *s = *skin;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(s->corner));
  PetscCall(PetscFree(s->face));
  PetscCall(PetscFree3(s->vertex, s->ring_start, s->ring));
  PetscCall(PetscFree(s->body));
  PetscCall(PetscFree(s->home));
  PetscCall(PetscFree(*skin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_skin(const wring_mesh *m, PetscInt *n, PetscInt **corner, PetscInt **number)
{
  wring_skin s = {.n = 0};

  PetscFunctionBegin;
  PetscCall(find_faces(m, &s));
  *n      = s.n;
  *corner = s.corner;
  *number = s.face;
  PetscFunctionReturn(PETSC_SUCCESS);
}
