/* Values, gradients and residuals; the halo exchange overlaps the work on interior elements. docs/theory.md 2 */
#include "potential_impl.h"
#include <math.h>

PetscErrorCode wring_potential_halo_begin(wring_potential *g, double *x)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_HALO);

  PetscFunctionBegin;
  wring_count(g->phases, WRING_WORK_EXCHANGES, 1);
  PetscCall(PetscSFBcastBegin(g->mesh->forest.coordinates, MPI_DOUBLE, x, x, MPI_REPLACE));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_halo_end(wring_potential *g, double *x)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_HALO);

  PetscFunctionBegin;
  PetscCall(PetscSFBcastEnd(g->mesh->forest.coordinates, MPI_DOUBLE, x, x, MPI_REPLACE));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_sum_ghosts(wring_potential *g, double *f)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_HALO);

  PetscFunctionBegin;
  wring_count(g->phases, WRING_WORK_EXCHANGES, 1);
  PetscCall(PetscSFReduceBegin(g->mesh->forest.coordinates, MPI_DOUBLE, f, f, MPI_SUM));
  PetscCall(PetscSFReduceEnd(g->mesh->forest.coordinates, MPI_DOUBLE, f, f, MPI_SUM));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums a [n] over the ranks. */
static PetscErrorCode reduce(const wring_potential *g, int n, double *a)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_REDUCTION);

  PetscFunctionBegin;
  wring_count(g->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, a, n, MPI_DOUBLE, MPI_SUM, g->comm));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A pass over all terms: their `work`, or an iteration of their splittings. */
typedef struct {
  wring_work              work;
  wring_splitting *const *splitting; // [n_term], or NULL
  double                  factor;
  double                 *move; // of split_move, or NULL
} job;

/* The pass of splitting i. */
static const wring_pass *split_pass(const job *j, int i)
{
  double *move = j->move;
  if (!move) return wring_splitting_pass(j->splitting[i], j->factor);
  for (int k = 0; k < i; k++) move += wring_splitting_size(j->splitting[k]);
  return wring_splitting_move_pass(j->splitting[i], j->factor, move);
}

/* Adds the forces of contacts to f and their energy to this rank's energy. */
static PetscErrorCode add_contacts(wring_potential *g, const job *j, const double *x, double *f, double *energy)
{
  PetscFunctionBegin;
  if (g->n_contact == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!j->splitting && !(j->work & ~(WRING_VALUE | WRING_GRADIENT)), g->comm, PETSC_ERR_SUP,
             "Contacts have a value and a gradient only");
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_CONTACT);
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_add(g->contact[i], j->work, x, f, energy));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Statics: adds sign times the load to f [n_owned][3], unless f is NULL, and its work from the rest positions to x, this
  rank's part, to *work [J]. Displacements keep the sum free of the rounding of positions, which may be far from the
  origin.
*/
static PetscErrorCode add_load(const wring_potential *g, double sign, const double *x, double *f, double *work)
{
  const double *load;

  PetscFunctionBegin;
  if (!g->is_static || !g->load) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(g->load, &load));
  *work += wring_push(3 * g->mesh->n_owned, sign, load, x, g->mesh->X, f);
  PetscCall(VecRestoreArrayRead(g->load, &load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The part of g that is not E, inertia or the load of statics, and its forces at owned vertices; 0 at ghosts. */
static PetscErrorCode start_sums(wring_potential *g, const job *j, const double *x, double *f, double *energy)
{
  const wring_mesh *m      = g->mesh;
  const double      sign   = j->work == WRING_RESIDUAL ? -1 : 1;
  const double      factor = j->work & WRING_MASS ? -1 : sign * wring_potential_inertia_factor(g);
  const double     *y;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(g->y, &y));
  *energy = wring_inertia(m->n_owned, factor, g->mass, x, y, f);
  PetscCall(VecRestoreArrayRead(g->y, &y));
  PetscCall(add_load(g, -sign, x, f, energy));
  if (f) PetscCall(PetscArrayzero(f + (size_t)3 * m->n_owned, (size_t)3 * (m->n_local - m->n_owned)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A pass that gives forces counts as a gradient, and one that gives g as an evaluation. */
static void count(const wring_potential *g, const job *j)
{
  const wring_work forces = (wring_work)(WRING_GRADIENT | WRING_RESIDUAL | WRING_MASS);
  if (j->work & WRING_VALUE) wring_count(g->phases, WRING_WORK_EVALUATIONS, 1);
  if (j->work & forces) wring_count(g->phases, WRING_WORK_GRADIENTS, 1);
}

/*
  Runs a pass at a position while it is sent to ghosts; forces may be NULL; part [3] of this rank: all but the terms,
  then their sums.
*/
static PetscErrorCode pass(wring_potential *g, const job *j, Vec position, Vec forces, double part[3])
{
  const wring_phase old   = wring_phases_switch(g->phases, WRING_PHASE_LOCAL);
  const PetscBool   means = wring_potential_has_means(g); // they need ghosts: nothing overlaps
  const wring_pass *terms[g->n_term + 1];
  double           *x, *f = NULL;

  PetscFunctionBegin;
  count(g, j);
  PetscCall(VecGetArray(position, &x));
  if (forces) PetscCall(VecGetArrayWrite(forces, &f));
  PetscCall(wring_potential_halo_begin(g, x));
  PetscCall(start_sums(g, j, x, f, &part[0]));
  if (means) PetscCall(wring_potential_halo_end(g, x));
  if (means) PetscCall(wring_potential_find_means(g, x));
  for (int i = 0; i < g->n_term; i++) {
    terms[i] = j->splitting ? split_pass(j, i) : wring_term_pass(g->term[i], j->work);
    wring_pass_run(terms[i], WRING_INTERIOR, x, f, NULL);
  }
  if (!means) PetscCall(wring_potential_halo_end(g, x));
  part[1] = part[2] = 0;
  for (int i = 0; i < g->n_term; i++) {
    double sum[2] = {0};
    wring_pass_run(terms[i], WRING_BOUNDARY, x, f, sum);
    part[1] += sum[0];
    part[2] += sum[1];
  }
  PetscCall(add_contacts(g, j, x, f, &part[1]));
  if (forces) PetscCall(wring_potential_sum_ghosts(g, f));
  if (f) wring_potential_clear_held(g, (PetscBool)((j->work & WRING_GRADIENT) != 0), f);
  if (forces) PetscCall(VecRestoreArrayWrite(forces, &f));
  PetscCall(VecRestoreArray(position, &x));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The value of a pass, from the parts of all ranks. */
static PetscErrorCode sum_value(const wring_potential *g, double part[2], wring_value *value)
{
  PetscFunctionBegin;
  PetscCall(reduce(g, 2, part));
  *value = (wring_value){.objective = part[0] + part[1], .inertial = part[0], .elastic = part[1]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_fused_local(wring_potential *g, Vec x, double part[2], Vec grad)
{
  double all[3];

  PetscFunctionBegin;
  PetscCall(pass(g, &(job){.work = WRING_VALUE | WRING_GRADIENT}, x, grad, all));
  part[0] = all[0];
  part[1] = all[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_value(wring_potential *g, Vec x, wring_value *value)
{
  double part[3];

  PetscFunctionBegin;
  PetscCall(pass(g, &(job){.work = WRING_VALUE}, x, NULL, part));
  PetscCall(sum_value(g, part, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_gradient(wring_potential *g, Vec x, Vec grad)
{
  double part[3];

  PetscFunctionBegin;
  PetscCall(pass(g, &(job){.work = WRING_GRADIENT}, x, grad, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_fused(wring_potential *g, Vec x, wring_value *value, Vec grad)
{
  double part[3];

  PetscFunctionBegin;
  PetscCall(pass(g, &(job){.work = WRING_VALUE | WRING_GRADIENT}, x, grad, part));
  PetscCall(sum_value(g, part, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The least bound of this rank's elements and contacts, x and d local arrays; *vertex of wring_contact_bound. */
static PetscErrorCode local_bound(wring_potential *g, double *x, double *d, double advance, double *bound,
                                  PetscInt *vertex)
{
  double   one;
  PetscInt at;

  PetscFunctionBegin;
  PetscCall(wring_potential_halo_begin(g, x));
  PetscCall(wring_potential_halo_begin(g, d));
  PetscCall(wring_potential_halo_end(g, x));
  PetscCall(wring_potential_halo_end(g, d));
  for (int i = 0; i < g->n_term; i++) *bound = PetscMin(*bound, wring_term_bound(g->term[i], x, d));
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_CONTACT);
  for (int i = 0; i < g->n_contact; i++) {
    if (!wring_contact_is_bounded(g->contact[i])) continue;
    PetscCall(wring_contact_bound(g->contact[i], x, d, advance, &one, &at));
    if (one < *bound) *bound = one, *vertex = at;
  }
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_potential_has_bounded_contacts(const wring_potential *g)
{
  for (int i = 0; i < g->n_contact; i++)
    if (wring_contact_is_bounded(g->contact[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* The least bound of all ranks, and the vertex of the rank that has it. */
static PetscErrorCode reduce_bound(const wring_potential *g, double *bound, PetscInt *vertex)
{
  const double mine = *bound;
  PetscInt     most = -1;

  PetscFunctionBegin;
  wring_count(g->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bound, 1, MPI_DOUBLE, MPI_MIN, g->comm));
  if (!wring_potential_has_bounded_contacts(g) || isinf(*bound)) PetscFunctionReturn(PETSC_SUCCESS);
  if (mine == *bound) most = *vertex;
  wring_count(g->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(&most, vertex, 1, MPIU_INT, MPI_MAX, g->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* wring_potential_bound, while colliders move on by `advance` of their way in the step. */
static PetscErrorCode find_bound(wring_potential *g, Vec x, Vec d, double advance, double *bound)
{
  const wring_phase old     = wring_phases_switch(g->phases, WRING_PHASE_LOCAL);
  PetscBool         bounded = wring_potential_has_bounded_contacts(g);
  const double     *xa, *da;

  PetscFunctionBegin;
  *bound  = INFINITY;
  g->stop = -1;
  for (int i = 0; i < g->n_term; i++) bounded = (PetscBool)(bounded || wring_term_is_bounded(g->term[i]));
  if (bounded) {
    PetscCall(VecGetArrayRead(x, &xa)); // PETSc's line search locks both: only ghosts, behind their entries, are filled
    PetscCall(VecGetArrayRead(d, &da));
    PetscCall(local_bound(g, (double *)xa, (double *)da, advance, bound, &g->stop));
    PetscCall(VecRestoreArrayRead(d, &da));
    PetscCall(VecRestoreArrayRead(x, &xa));
    wring_phases_switch(g->phases, WRING_PHASE_REDUCTION);
    PetscCall(reduce_bound(g, bound, &g->stop));
  }
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_bound(wring_potential *g, Vec x, Vec d, double *bound)
{
  PetscFunctionBegin;
  PetscCall(find_bound(g, x, d, 0, bound));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt wring_potential_stop(const wring_potential *g)
{
  return g->stop;
}

double wring_potential_first_step(const wring_potential *g, double bound)
{
  const double short_of_bound = 0.9;
  return wring_potential_has_bounded_contacts(g) && bound <= 1 ? short_of_bound * bound : 1;
}

PetscErrorCode wring_potential_set_progress(wring_potential *g, double progress)
{
  PetscFunctionBegin;
  if (progress == g->progress || !wring_potential_has_bounded_contacts(g)) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < g->n_contact; i++)
    if (wring_contact_is_bounded(g->contact[i]))
      PetscCall(wring_contact_set_time(g->contact[i], PetscMin(g->begin, g->time), g->time, progress));
  g->progress = progress;
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_potential_progress(const wring_potential *g)
{
  return g->progress;
}

PetscErrorCode wring_potential_advance(wring_potential *g, Vec from, Vec x, double *part)
{
  double bound;
  Vec    d;

  PetscFunctionBegin;
  *part = 1;
  if (!wring_potential_has_bounded_contacts(g)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(x, &d));
  PetscCall(VecWAXPY(d, -1, from, x));
  PetscCall(find_bound(g, from, d, 1 - g->progress, &bound));
  *part = wring_potential_first_step(g, bound);
  if (*part < 1) PetscCall(VecWAXPY(x, *part, d, from));
  PetscCall(wring_potential_set_progress(g, *part < 1 ? g->progress + *part * (1 - g->progress) : 1));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums over the terms, which change only with what A is made of. */
static PetscErrorCode sum_rounding(wring_potential *g)
{
  PetscFunctionBegin;
  g->rounding = (wring_term_rounding){0};
  for (int i = 0; i < g->n_term; i++) {
    const wring_term_rounding one = wring_term_find_rounding(g->term[i]);
    g->rounding.squared += one.squared;
    g->rounding.stiffness = PetscMax(g->rounding.stiffness, one.stiffness);
  }
  PetscCall(reduce(g, 1, &g->rounding.squared));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &g->rounding.stiffness, 1, MPI_DOUBLE, MPI_MAX, g->comm));
  wring_count(g->phases, WRING_WORK_REDUCTIONS, 1);
  g->rounding_of = g->stiffness;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_rounding(wring_potential *g, Vec x, wring_rounding *r)
{
  PetscReal largest;

  PetscFunctionBegin;
  if (g->rounding_of != g->stiffness) PetscCall(sum_rounding(g));
  PetscCall(VecNorm(x, NORM_INFINITY, &largest));
  wring_count(g->phases, WRING_WORK_REDUCTIONS, 1);
  r->fixed  = PETSC_MACHINE_EPSILON * PetscSqrtReal(g->rounding.squared);
  r->factor = PETSC_MACHINE_EPSILON * largest * PetscSqrtReal(2 * g->rounding.stiffness);
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_rounding_at(const wring_rounding *r, const wring_value *value)
{
  return r->fixed + r->factor * PetscSqrtReal(PetscMax(value->elastic, 0));
}

PetscErrorCode wring_potential_residual(wring_potential *g, Vec x, Vec r)
{
  double part[3];

  PetscFunctionBegin;
  PetscCall(pass(g, &(job){.work = WRING_RESIDUAL}, x, r, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_split(wring_potential *g, wring_splitting *const *splitting, double factor, Vec x, Vec r,
                                     double residual[2])
{
  const job what = {.work = WRING_RESIDUAL, .splitting = splitting, .factor = factor};
  double    part[3];

  PetscFunctionBegin;
  PetscCall(pass(g, &what, x, r, part));
  PetscCall(reduce(g, 2, part + 1));
  residual[0] = PetscSqrtReal(part[1]);
  residual[1] = PetscSqrtReal(part[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_split_move(wring_potential *g, wring_splitting *const *splitting, double factor, Vec x,
                                          double *move, wring_value *envelope)
{
  double part[3];

  PetscFunctionBegin;
  PetscCall(pass(g, &(job){WRING_VALUE, splitting, factor, move}, x, NULL, part));
  PetscCall(sum_value(g, part, envelope));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_mass_residual(wring_potential *g, Vec x, wring_value *value, Vec r)
{
  const double squared = g->h * g->h;
  double       part[3];

  PetscFunctionBegin;
  PetscCall(pass(g, &(job){.work = WRING_MASS | WRING_VALUE}, x, r, part));
  if (!value) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(reduce(g, 2, part));
  *value           = (wring_value){.inertial = -part[0] / squared, .elastic = part[1] / squared};
  value->objective = value->inertial + value->elastic;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_mass_diagonal(wring_potential *g, Vec d)
{
  const wring_mesh *m   = g->mesh;
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_OPERATOR_SET_UP);
  const double     *ya;
  double           *da;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(g->y, &ya)); // any positions; WRING_COUNT does not use them
  PetscCall(VecGetArrayWrite(d, &da));
  PetscCall(PetscArrayzero(da, (size_t)3 * m->n_local));
  for (int i = 0; i < g->n_term; i++) wring_pass_run(wring_term_pass(g->term[i], WRING_COUNT), WRING_ALL, ya, da, NULL);
  PetscCall(wring_potential_sum_ghosts(g, da));
  for (size_t i = 0; i < 3 * (size_t)m->n_owned; i++) da[i] = g->mass[i / 3] * (1 + da[i]);
  PetscCall(VecRestoreArrayWrite(d, &da));
  PetscCall(VecRestoreArrayRead(g->y, &ya));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_get_local(wring_potential *g, Vec x, const double **local)
{
  double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArray(x, &xa));
  PetscCall(wring_potential_halo_begin(g, xa));
  PetscCall(wring_potential_halo_end(g, xa));
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(VecGetArrayRead(x, local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_cell_data(wring_potential *g, Vec x, double *density, double *J)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_local(g, x, &xa));
  PetscCall(PetscArrayzero(density, g->mesh->tets.n));
  PetscCall(wring_potential_find_means(g, xa));
  for (int i = 0; i < g->n_term; i++) wring_term_cell_data(g->term[i], xa, density, J);
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_deformation(wring_potential *g, Vec x, double *F)
{
  const wring_phase old = wring_phases_switch(g->phases, WRING_PHASE_LOCAL);
  const wring_mesh *m   = g->mesh;
  const double     *xa;
  double           *row;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)3 * m->n_local, &row));
  PetscCall(wring_potential_get_local(g, x, &xa));
  for (int r = 0; r < 3; r++) {
    PetscCall(PetscArrayzero(row, (size_t)3 * m->n_local));
    for (int i = 0; i < g->n_term; i++) wring_term_add_deformation(g->term[i], xa, r, row);
    PetscCall(wring_potential_sum_ghosts(g, row));
    for (size_t i = 0; i < 3 * (size_t)m->n_owned; i++) F[9 * (i / 3) + 3 * r + i % 3] = row[i];
  }
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCall(PetscFree(row));
  wring_phases_switch(g->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_resultants(wring_potential *g, Vec x, double *force)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa)); // attachments read owned vertices only
  for (int i = 0; i < g->n_term; i++) wring_term_resultant(g->term[i], xa, force + 3 * i);
  PetscCall(VecRestoreArrayRead(x, &xa));
  wring_potential_add_held(g, force);
  PetscCall(reduce(g, 3 * g->n_term, force));
  PetscFunctionReturn(PETSC_SUCCESS);
}
