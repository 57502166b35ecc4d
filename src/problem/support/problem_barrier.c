/* Self-contact and colliders by a barrier: keys, what takes part, its stiffness. docs/theory.md (9.20) to (9.27) */
#include "mesh/bodies.h"
#include "problem/problem_impl.h"
#include <math.h>

static const char prefix[] = "self_contact_";

/* ---- what takes part --------------------------------------------------------------------------------------------- */

/* Springs that join nothing but points: others pass through the bodies that they join. */
static PetscErrorCode list_springs(const wring_problem *p, PetscInt n, const PetscInt *triangle, PetscInt *n_line,
                                   PetscInt **line)
{
  const wring_mesh *const m = p->mesh;
  const wring_piece      *s;
  PetscInt                all = 0;
  double                 *tied; // [n_local]: vertices of tets and of the triangles, on all ranks that have them

  PetscFunctionBegin;
  *n_line = 0;
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)); i++) all += s->corners == 2 ? s->n : 0;
  PetscCall(PetscMalloc1(2 * all, line));
  PetscCall(PetscCalloc1(m->n_local, &tied));
  for (PetscInt i = 0; i < 4 * m->tets.n; i++) tied[m->tets.corner[i]] = 1;
  for (PetscInt i = 0; m->tets.mid && i < 6 * m->tets.n; i++) tied[m->tets.mid[i]] = 1;
  for (PetscInt i = 0; i < 3 * n; i++) tied[triangle[i]] = 1;
  PetscCall(wring_mesh_reduce(m, MPI_DOUBLE, MPI_MAX, tied));
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)); i++) {
    for (PetscInt k = 0; s->corners == 2 && k < s->n; k++) {
      const PetscInt *const ends = s->vertex + 2 * k;
      if (tied[ends[0]] || tied[ends[1]]) continue;
      PetscCall(PetscArraycpy(*line + 2 * *n_line, ends, 2));
      ++*n_line;
    }
  }
  PetscCall(PetscFree(tied));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- keys -------------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_problem_wants_barrier(const wring_problem *p, PetscBool *wants)
{
  static const char *const others[2][4] = {{"gap", "friction", "slip_speed"},
                                           {"stiffness", "thickness", "max_depth"}}; // of the other method
  const char              *method;

  PetscFunctionBegin;
  *wants = PETSC_FALSE;
  if (!wring_options_has_any(p->options, prefix, wring_self_contact_options)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_get_word(p->options, prefix, wring_self_contact_options, "method", &method));
  *wants = (PetscBool)!strcmp(method, "barrier");
  for (const char *const *key = others[*wants]; *key; key++)
    if (wring_options_has(p->options, prefix, *key))
      WRING_REFUSE(p->comm, "%s: self_contact_%s is a key of method %s, expected self_contact_method %s, or remove it",
                   wring_options_origin(p->options, prefix, *key), *key, *wants ? "penalty" : "barrier",
                   *wants ? "penalty" : "barrier");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Longer gaps reach from a vertex to parts beyond its neighbours. */
static PetscErrorCode check_gap(const wring_problem *p, const char *of, double gap)
{
  wring_barrier_sizes size;

  PetscFunctionBegin;
  PetscCall(wring_barrier_measure(p->parts->barrier, &size));
  if (gap > size.edge[0] && size.edge[0] > 0)
    WRING_REFUSE(p->comm, "%s: %sgap is %g m, expected at most the shortest edge of the surface, %g m",
                 wring_options_origin(p->options, of, "gap"), of, gap, size.edge[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_barrier(wring_problem *p, PetscBool self, int n, const wring_collider *collider)
{
  wring_barrier_body how = {
    .self = self, .n_collider = n, .collider = collider, .phases = wring_potential_phases(p->g)};
  wring_self_contact keys = {.gap = 0};
  const wring_piece *s;
  PetscInt          *triangle, *line, at = 0;
  wring_contact     *friction;
  char               of[WRING_PREFIX];

  PetscFunctionBegin;
  PetscCall(wring_options_read(p->options, prefix, wring_self_contact_options, &keys));
  how.gap        = keys.gap;
  how.friction   = keys.friction;
  how.slip_speed = keys.slip_speed;
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)) && s->corners == 3; i++) how.n_triangle += s->n;
  PetscCall(PetscMalloc1(3 * how.n_triangle, &triangle));
  for (PetscInt i = 0; (s = wring_problem_piece(p, i)) && s->corners == 3; at += 3 * s->n, i++)
    PetscCall(PetscArraycpy(triangle + at, s->vertex, 3 * s->n));
  PetscCall(list_springs(p, how.n_triangle, triangle, &how.n_line, &line));
  how.triangle = triangle;
  how.line     = line;
  PetscCall(wring_contact_create_barrier(p->mesh, &how, &p->parts->barrier));
  PetscCall(check_gap(p, prefix, how.gap));
  for (int c = 0; c < n; c++) {
    PetscCall(PetscSNPrintf(of, sizeof of, "collider_%s_", collider[c].name));
    PetscCall(check_gap(p, of, collider[c].gap));
  }
  PetscCall(PetscFree(triangle));
  PetscCall(PetscFree(line));
  PetscCall(wring_potential_add_contact(p->g, p->parts->barrier));
  PetscCall(wring_barrier_create_friction(p->parts->barrier, &friction));
  if (friction) PetscCall(wring_potential_add_contact(p->g, friction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- stiffness --------------------------------------------------------------------------------------------------- */

/* E of (9.22) [Pa]. Collective. */
static PetscErrorCode find_modulus(const wring_problem *p, double edge, double *modulus)
{
  wring_term *const *term;
  wring_rest_moduli  m;
  const int          n      = wring_potential_terms(p->g, &term);
  double             all[2] = {0}; // without springs, and with them

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    if (wring_term_rest_moduli(term[i], &m)) {
      const PetscBool shears = (PetscBool)(m.shear > 0 && m.wave > m.shear);
      all[0]                 = fmax(all[0], m.largest_scale * (shears ? wring_young_modulus(m.wave, m.shear) : m.wave));
    }
    if (wring_term_is_attachment(term[i]) || edge == 0) continue;
    all[0] = fmax(all[0], wring_term_find_rounding(term[i]).stiffness / edge);
    all[1] = fmax(all[1], wring_term_stiffness(term[i]) / edge);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_DOUBLE, MPI_MAX, p->comm));
  *modulus = all[0] > 0 ? all[0] : all[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (9.22) */
static PetscErrorCode set_stiffness(wring_problem *p)
{
  const double        part_of_modulus = 0.1, h = wring_stepper_size(p->stepper);
  wring_barrier_sizes size;
  double              modulus = 0, mass = 0;

  PetscFunctionBegin;
  PetscCall(wring_barrier_measure(p->parts->barrier, &size));
  PetscCall(find_modulus(p, size.edge[1], &modulus));
  for (PetscInt v = 0; v < p->mesh->n_owned; v++) mass += p->mass[v] / (double)p->mesh->number.n_global;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &mass, 1, MPI_DOUBLE, MPI_SUM, p->comm));
  const double area    = size.area > 0 ? size.area / size.points : size.gap * size.gap;
  const double inertia = wring_stepper_is_static(p->stepper) ? 0 : mass * size.gap / (h * h * area);
  wring_barrier_set_stiffness(p->parts->barrier, fmax(part_of_modulus * modulus, inertia));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_check_barrier(wring_problem *p)
{
  const double *x;

  PetscFunctionBegin;
  if (!p->parts->barrier) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(set_stiffness(p));
  PetscCall(wring_contact_set_time(p->parts->barrier, p->state.time, p->state.time, 1));
  PetscCall(wring_potential_get_local(p->g, p->state.q, &x));
  PetscCall(wring_contact_check(p->parts->barrier, x));
  PetscCall(VecRestoreArrayRead(p->state.q, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
