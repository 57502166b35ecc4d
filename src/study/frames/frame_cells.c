/* The cells of frames: all, or those on the surface of the tets with all that are no tets. */
#include "frame.h"

/* The vertices of tets: of order 2 ten each, in an array of their own. */
static PetscErrorCode list_tets(const wring_mesh *m, wring_frame_cells *c)
{
  PetscInt *vertex;

  PetscFunctionBegin;
  c->kind[WRING_TETS] = (wring_cells){m->n_tet, 4, m->tet};
  if (m->order == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(10 * (size_t)m->n_tet, &vertex));
  for (size_t e = 0; e < (size_t)m->n_tet; e++) {
    PetscCall(PetscArraycpy(vertex + 10 * e, m->tet + 4 * e, 4));
    PetscCall(PetscArraycpy(vertex + 10 * e + 4, m->mid + 6 * e, 6));
  }
  c->kind[WRING_TETS] = (wring_cells){m->n_tet, 10, c->own[WRING_TETS] = vertex};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Triangles of the surface in the place of the tets: rows of cells. */
static PetscErrorCode list_skin(const wring_mesh *m, wring_frame_cells *c)
{
  PetscInt n = 0, *face = NULL;

  PetscFunctionBegin;
  PetscCall(wring_mesh_skin(m, &n, &c->own[WRING_TETS], &face));
  c->kind[WRING_TETS] = (wring_cells){n, 3, c->own[WRING_TETS]};
  c->n_cell           = n + c->total - m->n_tet;
  PetscCall(PetscMalloc1(c->n_cell, &c->cell));
  for (PetscInt i = 0; i < c->n_cell; i++) c->cell[i] = i < n ? face[i] / 4 : i - n + m->n_tet;
  PetscCall(PetscFree(face));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vertices of these cells, all corners in own arrays, and their places among them for corners. */
static PetscErrorCode choose_points(PetscInt n_local, wring_frame_cells *c)
{
  PetscInt *place;

  PetscFunctionBegin;
  c->n_point = 0;
  PetscCall(PetscCalloc1(n_local, &place));
  for (int k = 0; k < WRING_KINDS; k++)
    for (PetscInt i = 0; i < c->kind[k].n * c->kind[k].m; i++) place[c->own[k][i]] = 1;
  for (PetscInt v = 0; v < n_local; v++) c->n_point += place[v];
  PetscCall(PetscMalloc1(c->n_point, &c->point));
  for (PetscInt v = 0, n = 0; v < n_local; v++) {
    if (!place[v]) continue;
    place[v]      = n;
    c->point[n++] = v;
  }
  for (int k = 0; k < WRING_KINDS; k++)
    for (PetscInt i = 0; i < c->kind[k].n * c->kind[k].m; i++) c->own[k][i] = place[c->own[k][i]];
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_cells_create(const wring_problem *p, PetscBool surface, wring_frame_cells *c)
{
  const wring_mesh *const   m = p->mesh;
  const wring_surface      *s;
  const wring_spring_lines *l;
  const PetscInt            n_surface = wring_problem_surfaces(p, &s), n_line = wring_problem_springs(p, &l);
  const PetscBool           alone          = (PetscBool)(m->n_tet_global == 0 && n_surface == 0);
  PetscInt                  n[WRING_KINDS] = {[WRING_POINTS] = alone ? m->n_owned : 0}, at[WRING_KINDS] = {0};

  PetscFunctionBegin;
  *c = (wring_frame_cells){.n_point = m->n_local};
  for (PetscInt i = 0; i < n_surface; i++) n[WRING_TRIANGLES] += s[i].n;
  for (PetscInt i = 0; i < n_line; i++) n[WRING_LINES] += l[i].n;
  for (int k = WRING_TRIANGLES; k < WRING_KINDS; k++) {
    PetscCall(PetscMalloc1((4 - k) * n[k], &c->own[k]));
    c->kind[k] = (wring_cells){n[k], 4 - k, c->own[k]};
  }
  for (PetscInt i = 0; i < n_surface; at[WRING_TRIANGLES] += 3 * s[i++].n)
    PetscCall(PetscArraycpy(c->own[WRING_TRIANGLES] + at[WRING_TRIANGLES], s[i].vertex, 3 * s[i].n));
  for (PetscInt i = 0; i < n_line; at[WRING_LINES] += 2 * l[i++].n)
    PetscCall(PetscArraycpy(c->own[WRING_LINES] + at[WRING_LINES], l[i].vertex, 2 * l[i].n));
  for (PetscInt i = 0; i < n[WRING_POINTS]; i++) c->own[WRING_POINTS][i] = i;
  c->n_cell = c->total = m->n_tet + n[WRING_TRIANGLES] + n[WRING_LINES] + n[WRING_POINTS];
  if (surface) {
    PetscCall(list_skin(m, c));
    PetscCall(choose_points(m->n_local, c));
  } else {
    PetscCall(list_tets(m, c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_cells_destroy(wring_frame_cells *c)
{
  PetscFunctionBegin;
  for (int k = 0; k < WRING_KINDS; k++) PetscCall(PetscFree(c->own[k]));
  PetscCall(PetscFree(c->cell));
  PetscCall(PetscFree(c->point));
  *c = (wring_frame_cells){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}
