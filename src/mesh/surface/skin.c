/*
  The surface of a mesh. Each rank matches the faces of its own tets; a face whose three corners are also on other ranks
  is matched by the owner of the corner with the lowest original number.
*/
#include "skin.h"
#include "base/exchange.h"
#include "base/forest.h"
#include "base/sort.h"
#include "faces.h"
#include <stdlib.h>

static PetscErrorCode find_homes(const wring_mesh *m, wring_skin *s)
{
  const PetscSFNode *remote;
  const PetscInt    *leaf;
  PetscInt           n;
  PetscMPIInt        rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  PetscCall(PetscMalloc1(m->n_local, &s->home));
  for (PetscInt i = 0; i < m->n_owned; i++) s->home[i] = (PetscSFNode){.rank = rank, .index = i};
  PetscCall(PetscSFGetGraph(m->halo, NULL, &n, &leaf, &remote));
  for (PetscInt i = 0; i < n; i++) s->home[leaf ? leaf[i] : i] = remote[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- triangles --------------------------------------------------------------------------------------------------- */

/* The faces that belong to only one tet of this rank, of order 2 in parts. */
static PetscErrorCode find_local_faces(const wring_mesh *m, wring_skin *s)
{
  PetscInt *neighbour, crowd[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 * (size_t)m->n_tet, &neighbour));
  PetscCall(wring_faces_match(m->n_local, m->n_tet, m->tet, neighbour, crowd));
  for (size_t i = 0; i < 4 * (size_t)m->n_tet; i++) s->n += neighbour[i] < 0;
  PetscCall(PetscMalloc1((m->mid ? 12 : 3) * (size_t)s->n, &s->corner));
  PetscCall(PetscMalloc1((m->mid ? 4 : 1) * (size_t)s->n, &s->face));
  s->n = 0;
  for (PetscInt i = 0; i < 4 * m->n_tet; i++) {
    if (neighbour[i] >= 0) continue;
    const int parts = wring_mesh_cut_face(m, i / 4, (int)(i % 4), s->corner + 3 * (size_t)s->n);
    for (int k = 0; k < parts; k++) s->face[s->n++] = i;
  }
  PetscCall(PetscFree(neighbour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A face in a form that is the same on all ranks. */
typedef struct {
  PetscInt original[3]; // ascending
  PetscInt place;       // on the requesting rank
} face;

static int compare_faces(const void *pa, const void *pb)
{
  const face *a = *(const face *const *)pa, *b = *(const face *const *)pb;
  for (int i = 0; i < 3; i++)
    if (a->original[i] != b->original[i]) return a->original[i] < b->original[i] ? -1 : 1;
  return 0;
}

/* matched [n]: whether another of the faces [n] is the same. */
static PetscErrorCode match_faces(PetscInt n, const face *f, char *matched)
{
  const face **sorted;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &sorted));
  for (PetscInt i = 0; i < n; i++) sorted[i] = f + i;
  if (n > 0) qsort(sorted, (size_t)n, sizeof *sorted, compare_faces);
  for (PetscInt i = 0; i + 1 < n; i++)
    if (compare_faces(sorted + i, sorted + i + 1) == 0) matched[sorted[i] - f] = matched[sorted[i + 1] - f] = 1;
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* shared [n_local]: whether another rank has the vertex. */
static PetscErrorCode mark_shared(const wring_mesh *m, char *shared)
{
  const PetscInt *leaves;

  PetscFunctionBegin;
  PetscCall(PetscSFComputeDegreeBegin(m->halo, &leaves));
  PetscCall(PetscSFComputeDegreeEnd(m->halo, &leaves));
  for (PetscInt i = 0; i < m->n_local; i++) shared[i] = (char)(i >= m->n_owned || leaves[i] > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The face of triangle t with its vertices in ascending order; *first is the local vertex of the least. */
static face make_face(const wring_mesh *m, const wring_skin *s, PetscInt t, PetscInt *first)
{
  const PetscInt *v = s->corner + 3 * t;
  face            f = {.original = {m->original[v[0]], m->original[v[1]], m->original[v[2]]}, .place = t};
  *first            = v[0];
  for (int a = 1; a < 3; a++)
    if (m->original[v[a]] < m->original[*first]) *first = v[a];
  wring_sort3(f.original);
  return f;
}

/* Sends the faces asked [n] to ranks to [n] and stores whether they are matched in inner [s->n]. Collective. */
static PetscErrorCode ask_faces(const wring_mesh *m, PetscInt n, const face *asked, const PetscInt *to, char *inner)
{
  wring_exchange x;
  face          *got;
  char          *matched, *answer;

  PetscFunctionBegin;
  PetscCall(wring_exchange_create(m->comm, n, to, &x));
  PetscCall(wring_exchange_send(&x, sizeof *asked, asked, &got));
  PetscCall(PetscCalloc1((size_t)x.n_got, &matched));
  PetscCall(PetscMalloc1((size_t)n, &answer));
  PetscCall(match_faces(x.n_got, got, matched));
  PetscCall(wring_exchange_answer(&x, sizeof *matched, matched, answer));
  for (PetscInt i = 0; i < n; i++) inner[asked[i].place] = answer[i];
  PetscCall(PetscFree(answer));
  PetscCall(PetscFree(matched));
  PetscCall(PetscFree(got));
  PetscCall(wring_exchange_destroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Drops the faces that also belong to a tet of another rank. */
static PetscErrorCode drop_shared_faces(const wring_mesh *m, wring_skin *s)
{
  face     *asked;
  PetscInt *to, first, n = 0, kept = 0;
  char     *shared, *inner;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(m->n_local, &shared, s->n, &inner, s->n, &asked, s->n, &to));
  PetscCall(PetscArrayzero(inner, s->n));
  PetscCall(mark_shared(m, shared));
  for (PetscInt t = 0; t < s->n; t++) {
    const PetscInt *v = s->corner + 3 * t;
    if (!shared[v[0]] || !shared[v[1]] || !shared[v[2]]) continue;
    asked[n] = make_face(m, s, t, &first);
    to[n++]  = s->home[first].rank;
  }
  PetscCall(ask_faces(m, n, asked, to, inner));
  for (PetscInt t = 0; t < s->n; t++) {
    if (inner[t]) continue;
    for (int a = 0; a < 3; a++) s->corner[3 * kept + a] = s->corner[3 * t + a];
    s->face[kept++] = s->face[t];
  }
  s->n = kept;
  PetscCall(PetscFree4(shared, inner, asked, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- vertices and their rings ------------------------------------------------------------------------------------ */

/* Sends to the owner of each corner of a triangle: its number there, and the original numbers of its two neighbours. */
static PetscErrorCode send_corners(const wring_mesh *m, const wring_skin *s, PetscInt *n, PetscInt **row)
{
  PetscInt *to, *mine;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(3 * (size_t)s->n, &to, 9 * (size_t)s->n, &mine));
  for (PetscInt i = 0; i < 3 * s->n; i++) {
    const PetscInt   *v  = s->corner + i - i % 3;
    const PetscSFNode at = s->home[v[i % 3]];
    to[i]                = at.rank;
    mine[3 * i]          = at.index;
    for (int k = 1; k < 3; k++) mine[3 * i + k] = m->original[v[(i + k) % 3]];
  }
  PetscCall(wring_exchange_rows(m->comm, 3 * s->n, to, 3 * sizeof *mine, mine, n, row));
  PetscCall(PetscFree2(to, mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vertices, and rings with repetitions: row [n][3], slot [n_owned] is work space. */
static PetscErrorCode collect_rings(wring_skin *s, PetscInt n_owned, PetscInt n, const PetscInt *row, PetscInt *slot)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(slot, n_owned));
  for (PetscInt i = 0; i < n; i++) slot[row[3 * i]] += 2;
  for (PetscInt v = 0; v < n_owned; v++) s->n_vertex += slot[v] > 0;
  PetscCall(PetscMalloc3(s->n_vertex, &s->vertex, s->n_vertex + 1, &s->ring_start, 2 * (size_t)n, &s->ring));
  s->ring_start[0] = 0;
  for (PetscInt v = 0, k = 0; v < n_owned; v++) {
    if (slot[v] == 0) continue;
    s->vertex[k]         = v;
    s->ring_start[k + 1] = s->ring_start[k] + slot[v];
    slot[v]              = s->ring_start[k++];
  }
  for (PetscInt i = 0; i < n; i++)
    for (int k = 1; k < 3; k++) s->ring[slot[row[3 * i]]++] = row[3 * i + k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_vertices(const wring_mesh *m, wring_skin *s)
{
  PetscInt *row, *slot, n, kept = 0;

  PetscFunctionBegin;
  PetscCall(send_corners(m, s, &n, &row));
  PetscCall(PetscMalloc1(m->n_owned, &slot));
  PetscCall(collect_rings(s, m->n_owned, n, row, slot));
  for (PetscInt k = 0; k < s->n_vertex; k++) {
    const PetscInt begin = s->ring_start[k];
    PetscInt       count = s->ring_start[k + 1] - begin;
    PetscCall(wring_sort_unique(&count, s->ring + begin));
    PetscCall(PetscArraymove(s->ring + kept, s->ring + begin, count));
    s->ring_start[k] = kept;
    kept += count;
  }
  s->ring_start[s->n_vertex] = kept;
  PetscCall(PetscFree(slot));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* parent [n_local]: the root of the component that this rank's tets connect to each vertex. */
static void join_tets(const wring_mesh *m, PetscInt *parent)
{
  for (PetscInt v = 0; v < m->n_local; v++) parent[v] = v;
  for (size_t e = 0; e < (size_t)m->n_tet; e++) {
    for (size_t a = 1; a < 4; a++) wring_unite(parent, m->tet[4 * e], m->tet[4 * e + a]);
    for (size_t k = 0; m->mid && k < 6; k++) wring_unite(parent, m->tet[4 * e], m->mid[6 * e + k]);
  }
  for (PetscInt v = 0; v < m->n_local; v++) parent[v] = wring_root(parent, v);
}

/* The lowest number is passed between ranks until nothing changes. */
static PetscErrorCode find_bodies(const wring_mesh *m, wring_skin *s)
{
  PetscInt *root, changed;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(m->n_local, &s->body));
  PetscCall(PetscMalloc1(m->n_local, &root));
  PetscCall(PetscArraycpy(s->body, m->original, m->n_local));
  join_tets(m, root);
  do {
    changed = 0;
    for (PetscInt v = 0; v < m->n_local; v++) s->body[root[v]] = PetscMin(s->body[root[v]], s->body[v]);
    for (PetscInt v = 0; v < m->n_local; v++) {
      changed |= s->body[v] != s->body[root[v]];
      s->body[v] = s->body[root[v]];
    }
    PetscCall(PetscSFReduceBegin(m->halo, MPIU_INT, s->body, s->body, MPI_MIN));
    PetscCall(PetscSFReduceEnd(m->halo, MPIU_INT, s->body, s->body, MPI_MIN));
    PetscCall(PetscSFBcastBegin(m->halo, MPIU_INT, s->body, s->body, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(m->halo, MPIU_INT, s->body, s->body, MPI_REPLACE));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &changed, 1, MPIU_INT, MPI_MAX, m->comm));
  } while (changed);
  PetscCall(PetscFree(root));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_skin_create(const wring_mesh *m, wring_skin **skin)
{
  wring_skin *s;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *skin = s;
  PetscCall(find_homes(m, s));
  PetscCall(find_local_faces(m, s));
  PetscCall(drop_shared_faces(m, s));
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
  PetscCall(find_homes(m, &s));
  PetscCall(find_local_faces(m, &s));
  PetscCall(drop_shared_faces(m, &s));
  PetscCall(PetscFree(s.home));
  *n      = s.n;
  *corner = s.corner;
  *number = s.face;
  PetscFunctionReturn(PETSC_SUCCESS);
}
