#include "smaller.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wring/problem.h>

/* At least the sizes from which on operators and systems of newton are never factored by choice. */
enum { MOST = 100000 };

/* Of messages, connections and arrays that each rank has, and of ghosts: measured on 2 to 32 ranks of a node. */
double wring_smaller_ranks(double n, int ranks)
{
  const double p = ranks, each = 9e6 + 0.2e6 * fmin(p, 64);
  return ranks == 1 ? 0 : p * each + 17e3 * p * pow(n / p, 2. / 3) * (1 - pow(p, -1. / 3));
}

/* Whether a file of the deck is about vertices or tetrahedra by numbers, or the mesh is that of a checkpoint. */
static PetscBool has_numbers(const wring_options *o)
{
  static const char *const end[] = {"_stiffness_file", "_fibre_file", "_file", "_positions", "_velocities", "_restart"};
  const char              *key, *value, *origin;
  for (PetscInt i = 0; i < wring_options_count(o); i++) {
    wring_options_entry(o, i, &key, &value, &origin);
    const PetscBool law = (PetscBool)(!wring_ascii_compare_n(key, "material", 8) ||
                                      !wring_ascii_compare_n(key, "region", 6)); // whose `file` is a spline
    if (wring_ascii_compare(key, "mesh_file") == 0) continue;
    for (size_t k = 0; k < (law ? 2 : sizeof end / sizeof end[0]); k++)
      if (strlen(key) > strlen(end[k]) && !wring_ascii_compare(key + strlen(key) - strlen(end[k]), end[k]))
        return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static double count_vertices(const double cells[3], int order)
{
  double n = 1;
  for (int i = 0; i < 3; i++) n *= order * cells[i] + 1;
  return n;
}

/* The same box in larger cells; not of one that so many ranks refuse. */
static PetscErrorCode shrink_box(const wring_mesh_keys *m, PetscInt ranks, wring_smaller *s)
{
  const int    order = m->order == 2 ? 2 : 1, fine = 1 << m->refine;
  const double all[3] = {fine * (double)m->source.box.cells[0], fine * (double)m->source.box.cells[1],
                         fine * (double)m->source.box.cells[2]};
  const int    axes   = (all[0] > 0) + (all[1] > 0) + (all[2] > 0);
  const double rows   = 96 * all[0] * all[1] * all[2] / (double)ranks; // 16 for each of six tets a cell
  const double n = count_vertices(all, order), by = pow(MOST / n, 1. / PetscMax(axes, 1));
  double       few[3];
  char         text[128];

  PetscFunctionBegin;
  if (n <= MOST || fmax(n, rows) > PETSC_MAX_INT) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < 3; i++) few[i] = all[i] > 0 ? fmax(1, floor(by * all[i])) : 0;
  snprintf(text, sizeof text, "%.0f,%.0f,%.0f", few[0], few[1], few[2]);
  PetscCall(wring_options_set(s->o, "mesh_box_cells", text, "wring check"));
  s->growth = n / count_vertices(few, order);
  s->tets   = axes == 3 ? all[0] * all[1] * all[2] / (few[0] * few[1] * few[2]) : s->growth;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file of tetrahedra with fewer refinements, each of which makes eight of one. */
static PetscErrorCode refine_less(const wring_mesh_keys *m, wring_smaller *s)
{
  PetscInt    levels = m->refine;
  wring_mesh *mesh;
  char        text[16];

  PetscFunctionBegin;
  if (m->refine == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_problem_make_mesh(s->o, &mesh));
  const double    n     = (double)mesh->number.n_global;
  const PetscBool solid = (PetscBool)(mesh->tets.n_global > 0); // others have four times the triangles, or less
  PetscCall(wring_mesh_destroy(&mesh));
  while (solid && levels > 0 && n * pow(8, (double)levels) > MOST) levels--;
  snprintf(text, sizeof text, "%d", (int)levels);
  PetscCall(wring_options_set(s->o, "mesh_refine", text, "wring check"));
  s->growth = s->tets = pow(8, (double)(m->refine - levels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether no set with a place lies between the vertices of the smaller body. */
static PetscErrorCode keeps_sets(const wring_options *small, PetscBool *keeps)
{
  wring_error      refusal = {""};
  wring_mesh      *mesh;
  wring_catalogue *c;

  PetscFunctionBegin;
  *keeps = PETSC_TRUE;
  if (!wring_options_has_family(small, "set_")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_catalogue_create(&c));
  PetscCall(wring_problem_make_mesh(small, &mesh));
  PetscCall(PetscPushErrorHandler(wring_error_catch, &refusal));
  const PetscErrorCode code = wring_mesh_add_sets(mesh, small, c->n, c->entry);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(!code || code == PETSC_ERR_USER_INPUT, wring_options_comm(small), code, "%s", refusal.text);
  *keeps = (PetscBool)!code;
  PetscCall(wring_mesh_destroy(&mesh));
  PetscCall(wring_catalogue_destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_smaller_find(const wring_options *o, PetscInt ranks, wring_smaller *s)
{
  const PetscBool box = wring_options_has(o, "mesh_", "box_cells"), numbers = has_numbers(o);
  PetscBool       keeps = PETSC_TRUE;
  wring_mesh_keys m     = {0};

  PetscFunctionBegin;
  *s = (wring_smaller){.growth = 1, .tets = 1};
  PetscCall(wring_options_read(o, "mesh_", wring_mesh_options, &m));
  PetscCall(wring_options_read(o, "mesh_", wring_mesh_source_options, &m.source));
  if (numbers || (!box && !m.source.file)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_copy(o, "check_", &s->o));
  PetscCall(wring_options_set(s->o, "mesh_refine", "0", "wring check"));
  PetscCall(box ? shrink_box(&m, ranks, s) : refine_less(&m, s));
  if (s->growth > 1) PetscCall(keeps_sets(s->o, &keeps));
  if (!keeps) s->growth = s->tets = 1;
  if (s->growth == 1) PetscCall(wring_options_destroy(&s->o));
  if (s->o && !wring_options_has(o, "operator_", "type"))
    PetscCall(wring_options_set(s->o, "operator_type", "multigrid", "wring check"));
  PetscFunctionReturn(PETSC_SUCCESS);
}
