/* Lines and triangles of sets, each on the rank that computes it, and the edges shared by two triangles. */
#include "base/sort.h"
#include "mesh/distribute/halo.h"
#include "faces.h"
#include <string.h>

enum { HINGE_WIDTH = 4, EDGE_WIDTH = 3 };

static PetscInt corners_of(const PetscInt *row)
{
  return row[3] < 0 ? 2 : 3;
}

PetscErrorCode wring_mesh_count_elements(const wring_mesh *m, PetscInt set, int corners, PetscInt64 *n)
{
  PetscInt64 mine = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->set.n_element; i++) {
    const PetscInt *const row = m->set.element + 4 * (size_t)i;
    const PetscInt        cut = !m->set.mid || m->set.mid[3 * (size_t)i] < 0 ? 1 : 2 * corners - 2;
    mine += row[0] == set && corners_of(row) == corners ? cut : 0;
  }
  PetscCallMPI(MPI_Allreduce(&mine, n, 1, MPIU_INT64, MPI_SUM, m->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- elements of a set ------------------------------------------------------------------------------------------- */

/* This rank's elements of the set, of order 2 in parts, vertices ascending: row [*n][corners]. */
static PetscErrorCode pick_elements(const wring_mesh *m, PetscInt set, int corners, PetscInt *n, PetscInt **row)
{
  static const PetscInt none[3] = {-1, -1, -1};
  const size_t          parts   = m->tets.order == 1 ? 1 : 4;
  PetscInt              part[16];

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscMalloc1(parts * (size_t)m->set.n_element * (size_t)corners, row));
  for (PetscInt i = 0; i < m->set.n_element; i++) {
    const PetscInt *const element = m->set.element + 4 * (size_t)i;
    const PetscInt *const mid     = m->set.mid ? m->set.mid + 3 * (size_t)i : none;
    if (element[0] != set || corners_of(element) != corners) continue;
    const int n_part = wring_set_element_cut(element, mid, part);
    for (int k = 0; k < n_part; k++) {
      PetscInt *const v = *row + (size_t)*n * (size_t)corners;
      memcpy(v, part + 4 * k + 1, (size_t)corners * sizeof *v);
      PetscCall(PetscSortInt(corners, v));
      (*n)++;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_twice(const wring_mesh *m, PetscInt set, int corners, PetscInt n, const PetscInt *row, wring_error *e)
{
  const size_t bytes = (size_t)corners * sizeof *row;
  for (PetscInt i = 1; i < n && !wring_failed(e); i++) {
    const PetscInt *const v = row + (size_t)i * (size_t)corners;
    if (memcmp(v, v - corners, bytes)) continue;
    char text[128] = "";
    for (int a = 0; a < corners; a++)
      snprintf(text + strlen(text), sizeof text - strlen(text), "%s%" PetscInt_FMT, a ? ", " : "", v[a]);
    wring_error_set(e, "mesh: set '%s' has the %s of vertices %s twice, expected once", m->set.names.name[set],
                    corners == 2 ? "line" : "triangle", text);
  }
}

PetscErrorCode wring_mesh_list_elements(const wring_mesh *m, PetscInt set, int corners, PetscInt *n, PetscInt **vertex)
{
  wring_error error = {""};
  PetscInt   *row, mine;

  PetscFunctionBegin;
  PetscCall(pick_elements(m, set, corners, &mine, &row));
  PetscCall(wring_mesh_send_to_owners(m, mine, corners, 0, row, n, vertex));
  PetscCall(PetscFree(row));
  check_twice(m, set, corners, *n, *vertex, &error);
  PetscCall(wring_error_raise(m->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of edges: ends ascending, opposite vertex. */
static void join_edges(const char *name, PetscInt n, const PetscInt *row, PetscInt *n_hinge, PetscInt *hinge,
                       wring_error *e)
{
  *n_hinge = 0;
  for (PetscInt i = 0, end; i < n; i = end) {
    const PetscInt *const v = row + EDGE_WIDTH * (size_t)i;
    end                     = wring_rows_end(n, 2, EDGE_WIDTH * sizeof *row, row, i);
    if (end > i + 2)
      wring_error_set(e,
                      "%s: the edge of vertices %" PetscInt_FMT " and %" PetscInt_FMT
                      " has three triangles, to vertices "
                      "%" PetscInt_FMT ", %" PetscInt_FMT " and %" PetscInt_FMT ", expected at most two",
                      name, v[0], v[1], v[2], v[5], v[8]);
    if (end != i + 2) continue;
    const PetscInt both[HINGE_WIDTH] = {v[0], v[1], v[2], v[5]};
    memcpy(hinge + HINGE_WIDTH * (size_t)(*n_hinge)++, both, sizeof both);
  }
}

PetscErrorCode wring_mesh_find_hinges(const wring_mesh *m, const char *name, PetscInt n, const PetscInt *triangle,
                                      PetscInt *n_hinge, PetscInt **hinge)
{
  wring_error error = {""};
  PetscInt   *row, *got, n_got = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * EDGE_WIDTH * (size_t)n, &row));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt *const v                    = triangle + 3 * (size_t)i; // ascending
    const PetscInt        edge[3 * EDGE_WIDTH] = {v[0], v[1], v[2], v[0], v[2], v[1], v[1], v[2], v[0]};
    memcpy(row + 3 * EDGE_WIDTH * (size_t)i, edge, sizeof edge);
  }
  PetscCall(wring_mesh_send_to_owners(m, 3 * n, EDGE_WIDTH, 0, row, &n_got, &got));
  PetscCall(PetscFree(row));
  PetscCall(PetscMalloc1(HINGE_WIDTH * (size_t)(n_got / 2), hinge));
  join_edges(name, n_got, got, n_hinge, *hinge, &error);
  PetscCall(PetscFree(got));
  PetscCall(wring_error_raise(m->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
