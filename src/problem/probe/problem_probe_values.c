/* The values of probes: each rank adds its part of every column, then one reduction. */
#include "problem/problem_impl.h"

/* What probes are computed from: local arrays, ghosts up to date. */
typedef struct {
  const wring_mesh *m;
  const double     *x, *v;   // [n_local][3]
  double           *force;   // [n_owned][3], or NULL
  double           *stress;  // [n_local][6], or NULL
  double           *contact; // [n_owned][3], or NULL
} fields;

/* value [6 or more] += weight times the displacement and velocity of a vertex. */
static void add_motion(const fields *f, PetscInt i, double weight, double *value)
{
  for (int c = 0; c < 3; c++) {
    value[c] += weight * (f->x[3 * i + c] - f->m->X[3 * i + c]);
    value[3 + c] += weight * f->v[3 * i + c];
  }
}

static void add_stress(const fields *f, PetscInt i, double weight, double *value)
{
  for (int c = 0; c < 6; c++) value[c] += weight * f->stress[6 * i + c];
}

/* One rank has the tetrahedron. */
static void add_point(const fields *f, const wring_probe *b, const wring_place *place, double *value)
{
  PetscInt v[10];
  double   weight[10];
  if (place->tet < 0) return;
  const int n = wring_tet_vertices(f->m, place->tet, v);
  wring_tet_shape(n, place->weight, weight);
  for (int a = 0; a < n; a++) {
    add_motion(f, v[a], weight[a], value);
    if (b->stress) add_stress(f, v[a], weight[a], value + 6);
  }
}

static void add_set(const fields *f, const wring_probe *b, const wring_probe_at *at, double *value)
{
  const PetscInt *const vertex = f->m->set.vertex[at->set];
  for (PetscInt k = 0; k < f->m->set.count[at->set]; k++) {
    add_motion(f, vertex[k], 1 / at->total, value);
    for (int c = 0; c < 3; c++) value[6 + c] += f->force[3 * vertex[k] + c];
    if (b->stress) add_stress(f, vertex[k], 1 / at->total, value + 9);
    for (int c = 0; c < 3 && f->contact; c++) value[b->n - 3 + c] += f->contact[3 * vertex[k] + c];
  }
}

/* Adds this rank's part of all columns. */
static PetscErrorCode add_values(wring_problem *p, Vec q, Vec v, fields *f, double *value)
{
  const wring_probes *const a = &p->parts->probes;

  PetscFunctionBegin;
  if (a->reaction) PetscCall(wring_potential_reactions(p->g, q, f->force));
  if (f->contact) PetscCall(wring_potential_contact_force(p->g, q, f->contact));
  if (a->stress) PetscCall(wring_potential_recover_stress(p->g, q, f->stress));
  PetscCall(wring_potential_get_local(p->g, q, &f->x));
  PetscCall(wring_potential_get_local(p->g, v, &f->v));
  for (PetscInt i = 0; i < a->n; i++) {
    const wring_probe *const b = &a->probe[i];
    if (b->largest) continue;
    if (b->is_point)
      add_point(f, b, &a->at[i].place, value + b->first);
    else
      add_set(f, b, &a->at[i], value + b->first);
  }
  PetscCall(VecRestoreArrayRead(v, &f->v));
  PetscCall(VecRestoreArrayRead(q, &f->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of probes of the largest stress, the same on all ranks. */
static PetscErrorCode set_peaks(wring_problem *p, Vec q, double *value)
{
  const wring_probes *const a = &p->parts->probes;
  wring_peak                peak;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->n; i++) {
    double *const column = value + a->probe[i].first;
    if (!a->probe[i].largest) continue;
    PetscCall(wring_potential_peak(p->g, q, a->at[i].region, &peak));
    column[0] = peak.value;
    for (int c = 0; c < 3; c++) column[1 + c] = peak.place[c];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_measure_probes(wring_problem *p, Vec q, Vec v, double *value)
{
  const wring_probes *const a = &p->parts->probes;
  fields                    f = {.m = p->mesh};

  PetscFunctionBegin;
  PetscCall(
    PetscMalloc2(a->reaction ? 3 * p->mesh->n_owned : 0, &f.force, a->stress ? 6 * p->mesh->n_local : 0, &f.stress));
  if (a->reaction && wring_potential_has_bounded_contacts(p->g))
    PetscCall(PetscMalloc1(3 * (size_t)p->mesh->n_owned + 1, &f.contact));
  PetscCall(PetscArrayzero(value, a->n_column));
  PetscCall(add_values(p, q, v, &f, value));
  PetscCall(PetscFree2(f.force, f.stress));
  PetscCall(PetscFree(f.contact));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, (PetscMPIInt)a->n_column, MPI_DOUBLE, MPI_SUM, p->comm));
  for (PetscInt i = 0; i < a->n; i++) {
    const wring_probe *const b = &a->probe[i];
    double *const            s = value + b->first + (b->is_point ? 6 : 9);
    if (b->stress) s[6] = wring_von_mises(s);
  }
  PetscCall(set_peaks(p, q, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}
