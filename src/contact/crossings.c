#include "crossings.h"
#include "base/vector3.h"

/* Directions that differ by more than 135 degrees; 90 degrees are usual where a vertex slides over an edge. */
static const double opposite = -0.70710678118654752;

/* The entry of this vertex and body at or after place *at, which advances to the vertex; NULL: none. */
static const wring_entry *find(const wring_crossings *c, const wring_near *near, PetscInt *at)
{
  while (*at < c->n && c->entry[*at].vertex < near->vertex) (*at)++;
  for (PetscInt i = *at; i < c->n && c->entry[i].vertex == near->vertex; i++)
    if (c->entry[i].body == near->body) return &c->entry[i];
  return NULL;
}

PetscErrorCode wring_crossings_update(wring_crossings *c, PetscInt n, const wring_pair *pair, PetscInt64 *crossed)
{
  wring_crossings now = {0};

  PetscFunctionBegin;
  *crossed = 0;
  PetscCall(PetscMalloc1(n, &now.entry));
  for (PetscInt i = 0, at = 0; i < n; i++) {
    if (pair[i].d >= 0) continue;
    const wring_entry *const before  = find(c, &pair[i].near, &at);
    wring_entry *const       entry   = &now.entry[now.n++];
    const PetscBool          against = (PetscBool)(before && wring_dot3(before->out, pair[i].n) < opposite);
    *entry                           = (wring_entry){.vertex = pair[i].near.vertex, .body = pair[i].near.body};
    for (int k = 0; k < 3; k++) entry->out[k] = against ? before->out[k] : pair[i].n[k];
    *crossed += against;
  }
  PetscCall(PetscFree(c->entry));
  *c = now;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_crossings_destroy(wring_crossings *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(c->entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}
