/* Sets of vertices by rest position. */
#include "data.h"
#include <string.h>

typedef PetscBool region_test(const double *p, const double *x, double tolerance);

static PetscBool in_box(const double *p, const double *x, double tolerance)
{
  for (int c = 0; c < 3; c++)
    if (x[c] < p[c] - tolerance || x[c] > p[c + 3] + tolerance) return PETSC_FALSE;
  return PETSC_TRUE;
}

static PetscBool in_sphere(const double *p, const double *x, double tolerance)
{
  return (PetscBool)(wring_distance3(x, p) <= p[3] + tolerance);
}

static PetscBool above_plane(const double *p, const double *x, double tolerance)
{
  double height = 0, length = 0;
  for (int c = 0; c < 3; c++) {
    height += (x[c] - p[c]) * p[c + 3];
    length += PetscSqr(p[c + 3]);
  }
  return (PetscBool)(height >= -tolerance * PetscSqrtReal(length));
}

/* A shape has one key with all its numbers, or two keys like those of colliders. */
typedef struct {
  const char  *key;
  region_test *contains;
  const char  *place, *extent;
} shape;

static const shape shapes[] = {{"box", in_box, "centre", "size"},
                               {"sphere", in_sphere, "centre", "radius"},
                               {"plane", above_plane, "point", "normal"}};

enum { N_SHAPE = sizeof shapes / sizeof shapes[0], MAX_PARAMETERS = 6 };

/*
  Refuses a second set of this name with other vertices. A checkpoint already has the sets of its deck, so that equal
  sets are accepted. Frees vertex.
*/
static PetscErrorCode compare_set(const wring_mesh *m, const char *origin, const char *name, const shape *s, PetscInt n,
                                  PetscInt *vertex)
{
  const PetscInt k = wring_names_find(&m->set.names, name);
  int differs      = n != m->set.count[k] || (n > 0 && memcmp(vertex, m->set.vertex[k], (size_t)n * sizeof *vertex));

  PetscFunctionBegin;
  PetscCall(PetscFree(vertex));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &differs, 1, MPI_INT, MPI_MAX, m->comm));
  if (differs)
    WRING_REFUSE(m->comm, "%s: set_%s_%s: the mesh already has a set '%s', expected another name", origin, name, s->key,
                 name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_set(wring_mesh *m, const char *origin, const char *name, const shape *s, const double *p,
                              double tolerance)
{
  PetscInt *vertex, n = 0, n_all, k = m->set.names.n;
  double    low[3], high[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)m->n_owned, &vertex));
  for (PetscInt v = 0; v < m->n_owned; v++)
    if (s->contains(p, m->X + 3 * v, tolerance)) vertex[n++] = v;
  PetscCallMPI(MPI_Allreduce(&n, &n_all, 1, MPIU_INT, MPI_SUM, m->comm));
  if (n_all == 0) {
    PetscCall(PetscFree(vertex));
    PetscCall(wring_mesh_tolerance(m, &tolerance, low, high));
    WRING_REFUSE(m->comm,
                 "%s: set_%s_%s: no vertex of the mesh lies in it, expected at least one; the mesh extends from "
                 "%.4g,%.4g,%.4g to %.4g,%.4g,%.4g m",
                 origin, name, s->key, low[0], low[1], low[2], high[0], high[1], high[2]);
  }
  if (wring_names_find(&m->set.names, name) >= 0) {
    PetscCall(compare_set(m, origin, name, s, n, vertex));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscRealloc((size_t)n * sizeof *vertex, &vertex));
  PetscCall(PetscRealloc((size_t)(k + 1) * sizeof *m->set.vertex, &m->set.vertex));
  PetscCall(PetscRealloc((size_t)(k + 1) * sizeof *m->set.count, &m->set.count));
  m->set.vertex[k] = vertex;
  m->set.count[k]  = n;
  PetscCall(wring_names_add(&m->set.names, name, strlen(name)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers of a shape that is given by two keys. */
static PetscErrorCode read_parts(const wring_options *o, const char *prefix, const shape *s, double *p)
{
  PetscFunctionBegin;
  PetscCall(wring_options_get_reals(o, prefix, wring_set_options, s->place, p));
  PetscCall(wring_options_get_reals(o, prefix, wring_set_options, s->extent, &p[3]));
  for (int c = 0; c < 3 && s->contains == in_box; c++) {
    const double centre = p[c], half = p[c + 3] / 2;
    p[c]     = centre - half;
    p[c + 3] = centre + half;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The shape that the deck defines for a set, and its numbers; origin: of its key. */
static PetscErrorCode get_shape(const wring_mesh *m, const wring_options *o, const char *name, const shape **s,
                                double *p, const char **origin)
{
  char prefix[256];

  PetscFunctionBegin;
  *s = NULL;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "set_%s_", name));
  for (int k = 0; k < 2 * N_SHAPE; k++) {
    const shape *const each  = &shapes[k / 2];
    const PetscBool    parts = (PetscBool)(k % 2);
    const char *const  key   = parts ? each->extent : each->key;
    if (!wring_options_has(o, prefix, key)) continue;
    if (*s)
      WRING_REFUSE(m->comm, "%s: set_%s_%s: the set already has a %s, expected one of box, sphere, plane",
                   wring_options_origin(o, prefix, key), name, key, (*s)->key);
    *s      = each;
    *origin = wring_options_origin(o, prefix, key);
    if (parts)
      PetscCall(read_parts(o, prefix, each, p));
    else
      PetscCall(wring_options_get_reals(o, prefix, wring_set_options, key, p));
  }
  if (!*s)
    WRING_REFUSE(m->comm, "%s: set_%s has no extent, expected centre with size or radius, or point with normal",
                 wring_options_family_origin(o, prefix), name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_shape(const wring_mesh *m, const char *origin, const char *name, const shape *s,
                                  const double *p)
{
  PetscFunctionBegin;
  for (int c = 0; c < 3 && s->contains == in_box; c++)
    if (p[c] > p[c + 3])
      WRING_REFUSE(m->comm, "%s: set_%s_box: %.6g > %.6g, expected x0,y0,z0,x1,y1,z1 with x0 <= x1, y0 <= y1, z0 <= z1",
                   origin, name, p[c], p[c + 3]);
  if (s->contains == in_sphere && p[3] < 0)
    WRING_REFUSE(m->comm, "%s: set_%s_sphere: radius %.6g, expected at least 0", origin, name, p[3]);
  if (s->contains == above_plane && p[3] == 0 && p[4] == 0 && p[5] == 0)
    WRING_REFUSE(m->comm, "%s: set_%s_plane: normal 0,0,0, expected a direction", origin, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_set_of_deck(wring_mesh *m, const wring_options *o, const char *name, double tolerance)
{
  const shape *s;
  const char  *origin;
  double       p[MAX_PARAMETERS];

  PetscFunctionBegin;
  PetscCall(get_shape(m, o, name, &s, p, &origin));
  PetscCall(check_shape(m, origin, name, s, p));
  PetscCall(add_set(m, origin, name, s, p, tolerance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_add_sets(wring_mesh *m, const wring_options *o, PetscInt n_schema, const wring_schema *schema)
{
  PetscInt       n;
  char         **name;
  double         tolerance = 0, low[3], high[3];
  PetscErrorCode status    = PETSC_SUCCESS;

  PetscFunctionBegin;
  PetscCall(wring_mesh_tolerance(m, &tolerance, low, high));
  PetscCall(wring_options_names(o, "set_", n_schema, schema, m->set.names.n, (const char *const *)m->set.names.name, &n,
                                &name));
  for (PetscInt i = 0; i < n && !status; i++) status = add_set_of_deck(m, o, name[i], tolerance);
  PetscCall(wring_words_destroy(n, &name));
  PetscCall(status);
  PetscFunctionReturn(PETSC_SUCCESS);
}
