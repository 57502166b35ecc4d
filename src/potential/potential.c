/* Creation and destruction of the potential, its parts, its time, its vectors. */
#include "potential_impl.h"

/* m + h d of owned vertices, and of ghosts from their owners. docs/theory.md (6.9) */
static PetscErrorCode set_masses(wring_potential *g)
{
  const wring_mesh *m = g->mesh;

  PetscFunctionBegin;
  if (g->is_static) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < m->n_owned; i++) g->mass[i] = g->lumped[i] + (g->drag ? g->h * g->drag[i] : 0);
  PetscCall(wring_mesh_update_ghosts(m, 1, g->mass));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_create(const wring_mesh *mesh, const double *mass, wring_phases *phases,
                                      wring_potential **potential)
{
  wring_potential *g;

  PetscFunctionBegin;
  PetscCall(PetscNew(&g));
  g->comm = mesh->comm, g->mesh = mesh, g->phases = phases, g->h = 1, g->part = 1;
  g->begin = INFINITY, g->progress = 1;
  PetscCall(PetscMalloc2(mesh->n_local, &g->mass, mesh->n_owned, &g->lumped));
  PetscCall(PetscArraycpy(g->lumped, mass, mesh->n_owned));
  PetscCall(set_masses(g));
  PetscCall(wring_potential_create_vec(g, &g->y));
  PetscCall(wring_potential_create_vec(g, &g->q));
  *potential = g;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The next Hessian finds its pattern anew. */
static PetscErrorCode forget_pattern(wring_potential *g)
{
  PetscFunctionBegin;
  PetscCall(wring_pattern_destroy(&g->pattern));
  for (int i = 0; g->scatter && i < g->n_term; i++) PetscCall(wring_scatter_destroy(&g->scatter[i]));
  PetscCall(PetscFree(g->scatter));
  PetscCall(wring_block_rows_destroy(&g->rows));
  PetscCall(PetscContainerDestroy(&g->tag));
  PetscCall(MatDestroy(&g->elements));
  PetscCall(MatDestroy(&g->inner));
  PetscCall(wring_potential_destroy_means(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_destroy(wring_potential **potential)
{
  wring_potential *g = *potential;

  PetscFunctionBegin;
  if (!g) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(forget_pattern(g));
  for (int i = 0; i < g->n_term; i++) PetscCall(wring_term_destroy(&g->term[i]));
  PetscCall(PetscFree(g->term));
  for (int i = 0; i < g->n_contact; i++) PetscCall(wring_contact_destroy(&g->contact[i]));
  PetscCall(PetscFree(g->contact));
  PetscCall(PetscFree(g->couplings.at));
  PetscCall(PetscFree2(g->mass, g->lumped));
  PetscCall(PetscFree(g->drag));
  PetscCall(PetscFree(g->ridge));
  for (int c = 0; c < 3; c++) PetscCall(PetscFree(g->made[c].diagonal));
  PetscCall(wring_potential_destroy_held(g));
  PetscCall(VecDestroy(&g->y));
  PetscCall(VecDestroy(&g->q));
  PetscCall(VecDestroy(&g->load));
  PetscCall(PetscFree(*potential));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_add_term(wring_potential *g, wring_term *term)
{
  PetscFunctionBegin;
  PetscCall(forget_pattern(g));
  PetscCall(PetscRealloc(sizeof(wring_term *) * ((size_t)g->n_term + 1), &g->term));
  g->term[g->n_term++] = term;
  wring_term_set_masses(term, g->mass);
  g->revision++;
  g->stiffness++;
  if (!wring_term_is_hard(term)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_list_held(g));
  PetscCall(wring_potential_restore_places(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ", expected material strain, corotated or inner admm": laws of this kind that can, and what else helps. */
static void list_fitting(const wring_law *refused, unsigned can, const char *otherwise, size_t size, char *text)
{
  const char *const words = refused->kind == WRING_LAW_MATERIAL ? ", expected material " : ", expected ";
  const wring_law  *law;
  int               n = 0;
  text[0]             = '\0';
  for (int i = 0; refused->kind != WRING_LAW_OTHER && (law = wring_law_at(i)); i++) {
    const size_t end = strlen(text);
    if (law->kind != refused->kind || (can & ~wring_law_can(law))) continue;
    snprintf(text + end, size - end, "%s%s", n++ ? ", " : words, law->name);
  }
  const size_t end = strlen(text);
  if (otherwise) snprintf(text + end, size - end, "%s%s", n ? " or " : ", expected ", otherwise);
}

PetscBool wring_potential_can(const wring_potential *g, unsigned can)
{
  for (int i = 0; i < g->n_term; i++) {
    if (can & ~wring_law_can(wring_term_law(g->term[i]))) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

PetscErrorCode wring_potential_require(const wring_potential *g, unsigned can, const char *kind, const char *name,
                                       const char *otherwise)
{
  char fitting[512];

  PetscFunctionBegin;
  for (int i = 0; i < g->n_term; i++) {
    const wring_law *law     = wring_term_law(g->term[i]);
    const unsigned   missing = can & ~wring_law_can(law);
    if (!missing) continue;
    if (law->split)
      WRING_REFUSE(g->comm,
                   "%s '%s' cannot use the mean volume of '%s' in '%s': it needs the %s, expected volumetric: full%s%s",
                   kind, name, law->name, wring_term_name(g->term[i]),
                   wring_law_can_name(missing & WRING_CAN_ALONE ? (unsigned)WRING_CAN_ALONE : missing),
                   otherwise ? " or " : "", otherwise ? otherwise : "");
    list_fitting(law, can, otherwise, sizeof fitting, fitting);
    WRING_REFUSE(g->comm, "%s '%s' cannot use material '%s': it has no %s%s", kind, name, law->name,
                 wring_law_can_name(missing), fitting);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_require_rest_pose(const wring_potential *g, const char *solver)
{
  PetscFunctionBegin;
  for (int i = 0; i < g->n_term; i++) {
    if (!wring_term_has_rest_pose(g->term[i]))
      WRING_REFUSE(g->comm, "solver '%s' cannot use material '%s': it has no projection in the metric of masses",
                   solver, wring_term_law(g->term[i])->name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_require_undamped(const wring_potential *g, const char *kind, const char *name)
{
  int damped = g->n_term;

  PetscFunctionBegin;
  for (int i = g->n_term - 1; i >= 0; i--) damped = wring_term_is_damped(g->term[i]) ? i : damped;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &damped, 1, MPI_INT, MPI_MIN, g->comm));
  if (damped < g->n_term)
    WRING_REFUSE(g->comm, "%s '%s' cannot use the damping of spring '%s': expected damping 0", kind, name,
                 wring_term_name(g->term[damped]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_create_vec(const wring_potential *g, Vec *x)
{
  const wring_mesh *m = g->mesh;

  PetscFunctionBegin;
  PetscCall(VecCreateGhostBlock(g->comm, 3, 3 * m->n_owned, PETSC_DETERMINE, m->n_local - m->n_owned,
                                m->number.global + m->n_owned, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_set_step(wring_potential *g, double h)
{
  PetscFunctionBegin;
  PetscCheck(h > 0, g->comm, PETSC_ERR_ARG_OUTOFRANGE, "Time step %.6g is not positive", h);
  if (g->h == h) PetscFunctionReturn(PETSC_SUCCESS);
  g->h = h;
  if (g->is_static) PetscFunctionReturn(PETSC_SUCCESS);
  g->revision++;
  if (g->drag) PetscCall(set_masses(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_set_drag(wring_potential *g, const double *drag)
{
  PetscFunctionBegin;
  if (!g->drag)
    PetscCall(PetscMalloc1(g->mesh->n_owned + 1, &g->drag)); // NULL means no drag, also on a rank without vertices
  PetscCall(PetscArraycpy(g->drag, drag, g->mesh->n_owned));
  PetscCall(set_masses(g));
  g->revision++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = (m y + h d q)/(m + h d): the part of the drag that is not added mass. docs/theory.md (6.9) */
static PetscErrorCode draw_target(wring_potential *g)
{
  const double *q;
  double       *y;

  PetscFunctionBegin;
  if (!g->drag || g->is_static) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(g->q, &q));
  PetscCall(VecGetArray(g->y, &y));
  for (PetscInt i = 0; i < 3 * g->mesh->n_owned; i++) {
    const double part = g->h * g->drag[i / 3] / g->mass[i / 3];
    y[i] += part * (q[i] - y[i]);
  }
  PetscCall(VecRestoreArray(g->y, &y));
  PetscCall(VecRestoreArrayRead(g->q, &q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_set_target(wring_potential *g, Vec y)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(y, g->y));
  PetscCall(draw_target(g));
  PetscCall(wring_potential_hold_target(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_set_load(wring_potential *g, Vec load)
{
  PetscFunctionBegin;
  if (!g->load) PetscCall(VecDuplicate(g->y, &g->load));
  PetscCall(VecCopy(load, g->load));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_potential_set_part(wring_potential *g, double part)
{
  g->part = part;
}

PetscErrorCode wring_potential_set_start(wring_potential *g, Vec q)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(q, g->q));
  g->at_end = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_set_end(wring_potential *g, Vec x)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_set_start(g, x));
  g->at_end = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_potential_set_begin(wring_potential *g, double time)
{
  g->begin = time;
}

/* Ranks without attachments have (empty) terms as well, so that all ranks agree on *changed. */
PetscErrorCode wring_potential_set_time(wring_potential *g, double time, double end, PetscBool *changed)
{
  PetscFunctionBegin;
  *changed = PETSC_FALSE;
  for (int i = 0; i < g->n_term; i++) {
    PetscBool one;
    wring_term_set_time(g->term[i], time, end, &one);
    if (one) *changed = PETSC_TRUE;
  }
  for (int i = 0; i < g->n_contact; i++)
    PetscCall(wring_contact_set_time(g->contact[i], PetscMin(g->begin, time), time, 1));
  g->time     = time;
  g->progress = 1;
  if (*changed) {
    g->revision++;
    g->stiffness++;
    PetscCall(wring_potential_list_held(g));
  }
  PetscCall(wring_potential_restore_places(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_mesh *wring_potential_mesh(const wring_potential *g)
{
  return g->mesh;
}

const double *wring_potential_mass(const wring_potential *g)
{
  return g->mass;
}

const double *wring_potential_body_mass(const wring_potential *g)
{
  return g->lumped;
}

double wring_potential_step(const wring_potential *g)
{
  return g->h;
}

PetscInt wring_potential_revision(const wring_potential *g)
{
  return g->revision;
}

Vec wring_potential_target(const wring_potential *g)
{
  return g->y;
}

Vec wring_potential_load(const wring_potential *g)
{
  return g->load;
}

Vec wring_potential_start(const wring_potential *g)
{
  return g->q;
}

wring_phases *wring_potential_phases(const wring_potential *g)
{
  return g->phases;
}

int wring_potential_terms(const wring_potential *g, wring_term *const **terms)
{
  *terms = g->term;
  return g->n_term;
}

/* ---- statics: no inertia, dead loads, a regularisation. docs/theory.md (2.9) ------------------------------------- */

PetscErrorCode wring_potential_set_regularisation(wring_potential *g, const double *k, const double *ridge)
{
  const wring_mesh *m = g->mesh;

  PetscFunctionBegin;
  PetscCheck(g->is_static, g->comm, PETSC_ERR_ARG_WRONGSTATE, "Only statics has a regularisation");
  for (PetscInt i = 0; i < m->n_owned; i++) g->mass[i] = k ? k[i] : 0;
  PetscCall(wring_mesh_update_ghosts(m, 1, g->mass));
  PetscCall(PetscFree(g->ridge));
  if (ridge) {
    PetscCall(PetscMalloc1(m->n_owned + 1, &g->ridge)); // NULL means none, also on a rank without vertices
    PetscCall(PetscArraycpy(g->ridge, ridge, m->n_owned));
  }
  g->revision++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_set_static(wring_potential *g)
{
  PetscFunctionBegin;
  g->is_static = PETSC_TRUE;
  PetscCall(wring_potential_set_regularisation(g, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_set_origin(wring_potential *g, Vec x)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa)); // attachments read owned vertices only
  for (int i = 0; i < g->n_term; i++) PetscCall(wring_term_set_origin(g->term[i], xa));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_potential_hold_from(wring_potential *g, Vec x, PetscBool fades)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(x, &xa)); // attachments read owned vertices only
  for (int i = 0; i < g->n_term; i++) PetscCall(wring_term_hold_from(g->term[i], xa, fades));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_potential_set_provisional(wring_potential *g, PetscBool provisional)
{
  g->is_provisional = provisional;
}

PetscBool wring_potential_is_provisional(const wring_potential *g)
{
  return g->is_provisional;
}

PetscBool wring_potential_is_static(const wring_potential *g)
{
  return g->is_static;
}
