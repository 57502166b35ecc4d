#include "crossings.h"
#include "base/grow.h"
#include "base/vector3.h"

/* Directions that differ by more than 135 degrees; 90 degrees are usual where a vertex slides over an edge. */
static const double opposite = -0.70710678118654752;

PetscErrorCode wring_crossings_add(wring_crossings *c, PetscInt vertex, PetscInt body, const double n[3])
{
  PetscFunctionBegin;
  PetscCall(wring_grow((PetscInt64)c->n_next + 1, &c->room_next, sizeof *c->next, &c->next));
  c->next[c->n_next++] = (wring_entry){.vertex = vertex, .body = body, .out = {n[0], n[1], n[2]}};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_are_opposite(const double n[3], const double o[3])
{
  return (PetscBool)(wring_dot3(n, o) < opposite);
}

/* The last step's entry of this vertex and body at or after place *at, which advances to the vertex; NULL: none. */
static const wring_entry *find(const wring_crossings *c, const wring_entry *now, PetscInt *at)
{
  while (*at < c->n && c->entry[*at].vertex < now->vertex) (*at)++;
  for (PetscInt i = *at; i < c->n && c->entry[i].vertex == now->vertex; i++)
    if (c->entry[i].body == now->body) return &c->entry[i];
  return NULL;
}

PetscInt64 wring_crossings_count(wring_crossings *c)
{
  wring_entry *const old     = c->entry;
  const PetscInt     room    = c->room;
  PetscInt64         crossed = 0;
  for (PetscInt i = 0, at = 0; i < c->n_next; i++) {
    const wring_entry *const before = find(c, c->next + i, &at);
    if (!before || !wring_are_opposite(before->out, c->next[i].out)) continue;
    for (int k = 0; k < 3; k++) c->next[i].out[k] = before->out[k];
    crossed++;
  }
  c->entry     = c->next;
  c->n         = c->n_next;
  c->room      = c->room_next;
  c->next      = old;
  c->n_next    = 0;
  c->room_next = room;
  return crossed;
}

PetscErrorCode wring_crossings_destroy(wring_crossings *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(c->entry));
  PetscCall(PetscFree(c->next));
  PetscFunctionReturn(PETSC_SUCCESS);
}
