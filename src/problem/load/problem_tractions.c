/*
  Dead loads on sets: traction on triangles; a force in total, spread over the triangles by their area at rest or, in a
  set without triangles, evenly over its vertices. The sets are read before any term is created, because vertices of
  their triangles may become ghosts.
*/
#include "problem/problem_impl.h"
#include <string.h>

const wring_option wring_traction_options[] = {
  {.key   = "value",
   .type  = WRING_REALS,
   .count = 3,
   .unit  = "Pa",
   .help  = "Force per area at rest on the triangles of the set NAME; its direction is constant."},
  {0},
};

const wring_option wring_force_options[] = {
  {.key   = "value",
   .type  = WRING_REALS,
   .count = 3,
   .unit  = "N",
   .help  = "Total force on the set NAME, spread over its triangles by area at rest, or evenly over its vertices if it "
            "has no triangles; its direction is constant."},
  {0},
};

/* ---- shares of vertices ------------------------------------------------------------------------------------------ */

/* area [n_owned]: a third of the area of every triangle at a vertex. triangle [n][3], original numbers. */
static PetscErrorCode lump_areas(const wring_mesh *m, PetscInt n, const PetscInt *triangle, double *area)
{
  wring_lumps l = {.corners = 3, .n = n};
  double     *no_density, B[4];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->regions.n, &no_density));
  PetscCall(PetscMalloc2(3 * n, &l.vertex, n, &l.part));
  for (PetscInt i = 0; i < 3 * n; i++) l.vertex[i] = wring_mesh_local(m, triangle[i]);
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt *const v = l.vertex + 3 * i;
    wring_triangle_rest(m->X + 3 * v[0], m->X + 3 * v[1], m->X + 3 * v[2], B, &l.part[i]);
    l.part[i] /= 3;
  }
  PetscCall(wring_mesh_lump_masses(m, no_density, 1, &l, area));
  PetscCall(PetscFree2(l.vertex, l.part));
  PetscCall(PetscFree(no_density));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_share_area(wring_problem *p, PetscInt set, double *share)
{
  wring_mesh *const m = p->mesh;
  PetscInt          n, *triangle;
  double           *area;

  PetscFunctionBegin;
  PetscCall(wring_mesh_list_elements(m, set, 3, &n, &triangle));
  PetscCall(wring_mesh_extend_halo(m, 3 * n, triangle));
  PetscCall(PetscMalloc1(m->n_owned, &area));
  PetscCall(lump_areas(m, n, triangle, area));
  for (PetscInt i = 0; i < m->set_count[set]; i++) share[i] = area[m->set_vertex[set][i]];
  PetscCall(PetscFree(area));
  PetscCall(PetscFree(triangle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* family: "traction_", which needs triangles, or "force_". */
static PetscErrorCode read_set(wring_problem *p, const char *family, PetscBool needs_triangles, wring_loaded *s)
{
  const wring_mesh *const m         = p->mesh;
  const int               length    = (int)strlen(family) - 1;
  PetscInt64              triangles = 0;
  PetscInt                set;
  char                    prefix[WRING_PREFIX];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "%s%s_", family, s->name));
  PetscCall(wring_problem_find_set(p, family, s->name, needs_triangles ? "a surface" : "a set", &set));
  PetscCall(wring_mesh_count_elements(m, set, 3, &triangles));
  if (needs_triangles && triangles == 0)
    WRING_REFUSE(p->comm, "%s: %.*s: the set '%s' has no triangles, expected a surface of the mesh",
                 wring_options_family_origin(p->options, prefix), length, family, s->name);
  s->n = m->set_count[set];
  PetscCall(PetscMalloc2(s->n, &s->vertex, s->n, &s->share));
  PetscCall(PetscArraycpy(s->vertex, m->set_vertex[set], s->n));
  for (PetscInt i = 0; i < s->n; i++) s->share[i] = 1;
  if (triangles > 0) PetscCall(wring_problem_share_area(p, set, s->share));
  s->total = 0;
  for (PetscInt i = 0; i < s->n; i++) s->total += s->share[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &s->total, 1, MPI_DOUBLE, MPI_SUM, p->comm));
  if (!(s->total > 0))
    WRING_REFUSE(p->comm, "%s: %.*s: the triangles of the set '%s' have area 0 at rest, expected above 0",
                 wring_options_family_origin(p->options, prefix), length, family, s->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_family(wring_problem *p, const char *family, PetscBool needs_triangles,
                                  wring_loaded_sets *all)
{
  PetscFunctionBegin;
  PetscCall(wring_problem_get_names(p, family, &all->n, &all->name));
  PetscCall(PetscCalloc1(all->n, &all->set));
  for (PetscInt i = 0; i < all->n; i++) {
    all->set[i].name = all->name[i];
    PetscCall(read_set(p, family, needs_triangles, &all->set[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_tractions(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(read_family(p, "traction_", PETSC_TRUE, &p->parts->tractions));
  PetscCall(read_family(p, "force_", PETSC_FALSE, &p->parts->forces));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* The force of a vertex is `value` times its share over `whole`. */
static PetscErrorCode add_load(wring_problem *p, const char *family, const wring_option *table, const wring_loaded *s,
                               double whole)
{
  char              prefix[WRING_PREFIX];
  double            value[3], *force;
  wring_load_time   time;
  wring_time_curve *curve;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "%s%s_", family, s->name));
  PetscCall(wring_options_get_reals(p->options, prefix, table, "value", value));
  PetscCall(wring_problem_read_load_time(p, prefix, &curve, &time));
  PetscCall(PetscMalloc1(3 * s->n, &force));
  for (PetscInt i = 0; i < 3 * s->n; i++) force[i] = value[i % 3] * (s->share[i / 3] / whole);
  PetscCall(wring_loads_add_forces(p->parts->loads, &time, s->n, s->vertex, force));
  PetscCall(PetscFree(force));
  PetscCall(wring_time_curve_destroy(&curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_tractions(wring_problem *p)
{
  const wring_loaded_sets *const t = &p->parts->tractions, *const f = &p->parts->forces;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < t->n; i++) PetscCall(add_load(p, "traction_", wring_traction_options, &t->set[i], 1));
  for (PetscInt i = 0; i < f->n; i++)
    PetscCall(add_load(p, "force_", wring_force_options, &f->set[i], f->set[i].total));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_family(wring_loaded_sets *all)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < all->n; i++) PetscCall(PetscFree2(all->set[i].vertex, all->set[i].share));
  PetscCall(PetscFree(all->set));
  PetscCall(wring_words_destroy(all->n, &all->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_destroy_tractions(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(destroy_family(&p->parts->tractions));
  PetscCall(destroy_family(&p->parts->forces));
  PetscFunctionReturn(PETSC_SUCCESS);
}
