/* What is refused before the first level runs. */
#include "converge.h"
#include <math.h>
#include <string.h>

/* Keys whose tables or states belong to one mesh. */
static PetscErrorCode check_keys(const wring_converge *c)
{
  static const char *const   vertex[] = {"positions", "velocities"};
  const wring_options *const o        = c->o;

  PetscFunctionBegin;
  if (wring_options_has(o, "initial_", "restart"))
    WRING_REFUSE(c->comm,
                 "%s: initial_restart: the mesh of a checkpoint is not refined, and its state is that of one "
                 "level, expected a deck that starts at time 0",
                 wring_options_origin(o, "initial_", "restart"));
  for (int i = 0; i < 2 && c->in_mesh; i++) {
    if (!wring_options_has(o, "initial_", vertex[i])) continue;
    WRING_REFUSE(c->comm,
                 "%s: initial_%s names the vertices of one mesh, expected converge_in 'time', or no such table",
                 wring_options_origin(o, "initial_", vertex[i]), vertex[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The problem of the deck: what its time is, and whether it can have levels. */
static PetscErrorCode check_problem(wring_converge *c)
{
  const char    *origin = wring_options_origin(c->o, "converge_", "in");
  wring_problem *p;

  PetscFunctionBegin;
  PetscCall(wring_problem_create(c->comm, c->o, &p));
  c->is_static = wring_stepper_is_static(p->stepper);
  if (c->is_static && c->in_time)
    WRING_REFUSE(c->comm,
                 "%s: converge_in is '%s', but load steps of time_integrator 'static' have no time, expected "
                 "'mesh'",
                 origin, c->in_mesh ? "both" : "time");
  if (p->mesh->n_tet_global == 0)
    WRING_REFUSE(c->comm, "%s: the mesh has no tetrahedra, over which displacements are compared, expected a body",
                 wring_options_family_origin(c->o, "mesh_"));
  c->tets  = p->mesh->n_tet_global;
  c->order = p->mesh->order;
  if (c->rank == 0) PetscCall(wring_keys_in_force(p, "run", 0, NULL, &c->keys));
  PetscCall(wring_converge_make_decks(c, wring_stepper_steps(p->stepper), wring_stepper_size(p->stepper)));
  PetscCall(wring_problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A level may need more memory than the nodes of the ranks have: measured, a run takes 250 to 1000 bytes for each
  tetrahedron of first order, and seven times as many of second order (3300 and 480 with qn and multigrid).
*/
static PetscErrorCode check_memory(const wring_converge *c)
{
  const double      bytes = (c->order == 2 ? 1750 : 250) * (double)c->tets / c->size, all = wring_node_memory();
  const char *const origin = wring_options_origin(c->o, "converge_", "levels");
  wring_cores       cores;
  int               fits = 0, last = -1; // the finest level that runs

  PetscFunctionBegin;
  if (!c->in_mesh) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < c->n; k++)
    if (!c->level[k].results && (c->only < 0 || k == c->only)) last = k;
  PetscCall(wring_cores_measure(c->comm, &cores));
  for (double b = bytes * cores.node_ranks; fits <= last && (all == 0 || b < all); b *= 8) fits++;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, c->comm));
  if (fits <= last)
    WRING_REFUSE(c->comm,
                 "%s: converge_levels: level %d has %.2g tetrahedra and takes at least %.2g GB, more than the memory "
                 "of these nodes, expected at most %d levels",
                 origin ? origin : wring_options_deck(c->o), last, (double)c->tets * pow(8, last),
                 bytes * c->size * pow(8, last) / 1e9, fits);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The finest mesh may have too many vertices or flat tetrahedra, or vertices that are not those of the table; and a
  refined mesh may not suit the tables and sets of the deck.
*/
static PetscErrorCode check_meshes(const wring_converge *c)
{
  const int      finest = c->only < 0 ? c->n - 1 : c->only;
  wring_mesh    *m;
  wring_problem *p;
  double        *value;

  PetscFunctionBegin;
  PetscCall(wring_problem_make_mesh(c->level[finest].deck, &m));
  PetscCall(PetscMalloc1(3 * (size_t)m->n_owned, &value));
  if (c->table[0] && finest == c->n - 1) PetscCall(wring_nested_read_table(c, m, value));
  PetscCall(PetscFree(value));
  PetscCall(wring_mesh_destroy(&m));
  if (!c->in_mesh) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_problem_create(c->comm, c->level[1].deck, &p));
  PetscCall(wring_problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vertices of a support or contact each have a stiffness, so that refining the mesh changes their sum. */
static PetscErrorCode note_supports(const wring_converge *c)
{
  const char *key, *value, *origin;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < wring_options_count(c->o) && c->in_mesh; i++) {
    wring_options_entry(c->o, i, &key, &value, &origin);
    const char *const end       = strrchr(key, '_');
    const PetscBool   stiffness = (PetscBool)(end && strcmp(end, "_stiffness") == 0);
    const PetscBool   spring    = (PetscBool)(stiffness && strncmp(key, "attach_", 7) == 0);
    const PetscBool   shape     = (PetscBool)(stiffness && strncmp(key, "collider_", 9) == 0);
    if (!spring && !shape && strcmp(key, "self_contact_stiffness") && strcmp(key, "drag_coefficient")) continue;
    PetscCall(wring_note(c->comm, "%s: %s is that of a vertex, so that refining the mesh changes the problem%s", origin,
                         key, spring ? ": hard or stiffness_per_area does not" : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_converge_check(wring_converge *c)
{
  const wring_option *const option = wring_option_find(wring_mesh_options, "refine");
  const char *const         origin = wring_options_origin(c->o, "converge_", "levels");
  char                      text[32];

  PetscFunctionBegin;
  PetscCall(check_keys(c));
  PetscCall(check_problem(c));
  PetscCall(PetscSNPrintf(text, sizeof text, "%" PetscInt_FMT, c->level[c->n - 1].refine));
  if (!wring_option_accepts(option, text))
    WRING_REFUSE(c->comm, "%s: converge_levels: the finest level has mesh_refine %s, expected one in %s",
                 origin ? origin : wring_options_deck(c->o), text, option->range);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_converge_check_finest(const wring_converge *c)
{
  PetscFunctionBegin;
  PetscCall(check_memory(c));
  PetscCall(check_meshes(c));
  PetscCall(note_supports(c));
  if (c->n < 3 && !c->table[0])
    PetscCall(wring_note(c->comm, "converge_levels is %d: orders and limits need 3 levels, or a table", c->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}
