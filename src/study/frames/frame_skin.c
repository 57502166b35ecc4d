/* The surface of the tets, with all other cells, in the place of the tets. */
#include "frame.h"

/* Triangles of the surface, before the other cells. */
static PetscErrorCode take_faces(const wring_problem *p, const wring_frame_cells *c, wring_frame_skin *s)
{
  PetscInt n = 0, *face = NULL;

  PetscFunctionBegin;
  PetscCall(wring_mesh_skin(p->mesh, &n, &s->corner[WRING_TETS], &face));
  s->n_cell = n + c->total - c->n[WRING_TETS];
  PetscCall(PetscMalloc1(s->n_cell, &s->cell));
  for (PetscInt i = 0; i < n; i++) s->cell[i] = face[i] / 4;
  for (PetscInt i = n; i < s->n_cell; i++) s->cell[i] = i - n + c->n[WRING_TETS];
  s->cells[WRING_TETS] = (wring_cells){n, 3, s->corner[WRING_TETS]};
  PetscCall(PetscFree(face));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode copy_others(const wring_frame_cells *c, wring_frame_skin *s)
{
  PetscFunctionBegin;
  for (int k = WRING_TRIANGLES; k < WRING_KINDS; k++) {
    const wring_cells *const from = &c->cells[k];
    PetscCall(PetscMalloc1(from->n * from->m, &s->corner[k]));
    PetscCall(PetscArraycpy(s->corner[k], from->corner, from->n * from->m));
    s->cells[k] = (wring_cells){from->n, from->m, s->corner[k]};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vertices of the cells, and their places among them for corners. */
static PetscErrorCode take_points(PetscInt n_local, wring_frame_skin *s)
{
  PetscInt *place;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n_local, &place));
  for (int k = 0; k < WRING_KINDS; k++)
    for (PetscInt i = 0; i < s->cells[k].n * s->cells[k].m; i++) place[s->corner[k][i]] = 1;
  for (PetscInt v = 0; v < n_local; v++) s->n_point += place[v];
  PetscCall(PetscMalloc1(s->n_point, &s->point));
  s->n_point = 0;
  for (PetscInt v = 0; v < n_local; v++) {
    if (!place[v]) continue;
    place[v]               = s->n_point;
    s->point[s->n_point++] = v;
  }
  for (int k = 0; k < WRING_KINDS; k++)
    for (PetscInt i = 0; i < s->cells[k].n * s->cells[k].m; i++) s->corner[k][i] = place[s->corner[k][i]];
  PetscCall(PetscFree(place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_skin_create(const wring_problem *p, const wring_frame_cells *c, wring_frame_skin *s)
{
  PetscFunctionBegin;
  *s = (wring_frame_skin){.n_cell = 0};
  PetscCall(take_faces(p, c, s));
  PetscCall(copy_others(c, s));
  PetscCall(take_points(p->mesh->n_local, s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_frame_skin_destroy(wring_frame_skin *s)
{
  PetscFunctionBegin;
  for (int k = 0; k < WRING_KINDS; k++) PetscCall(PetscFree(s->corner[k]));
  PetscCall(PetscFree(s->cell));
  PetscCall(PetscFree(s->point));
  PetscFunctionReturn(PETSC_SUCCESS);
}
