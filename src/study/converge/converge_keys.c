/* The keys of converge_, the deck of each level, and what is refused before the first level runs. */
#include "converge.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct {
  PetscInt levels, level;
  enum { MESH, TIME, BOTH } in;
} keys;

const wring_option wring_converge_options[] = {
  {"levels", WRING_INT, .value = "3", .range = "[2,11]", .at = WRING_AT(keys, levels),
   .help = "Number of levels, the deck's own mesh and step included; an order needs three, or two with a table."},
  {"in", WRING_WORD, .choices = "mesh|time|both", .value = "mesh", .at = WRING_AT(keys, in),
   .help = "What becomes finer from level to level: the mesh, refined once more; time.step, halved; or both."},
  {"against", WRING_PATH, .value = "finest",
   .help =
     "What displacements are compared with: `finest`, the finest level; `exact`, the table converge.table; or the "
     "file name of such a table."},
  {"table", WRING_PATH,
   .help = "CSV `vertex,x,y,z` [m]: exact positions at the end, of all vertices of the finest level."},
  {"level", WRING_INT, .value = "-1", .range = "[-1,10]", .at = WRING_AT(keys, level),
   .help = "The one level to run, from 0, for levels as separate jobs; -1: all levels, and the results."},
  {0},
};

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode get_table(wring_converge *c)
{
  const wring_options *const o = c->o;
  const char                *against;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, "converge_", wring_converge_options, "against", &against));
  const char *const key = wring_ascii_compare(against, "exact") == 0 ? "table" : "against";
  if (wring_options_has(o, "converge_", "table") && strcmp(key, "table") != 0)
    WRING_REFUSE(c->comm, "%s: converge_table belongs to converge_against 'exact', but that is '%s'",
                 wring_options_origin(o, "converge_", "table"), against);
  if (wring_ascii_compare(against, "finest") != 0)
    PetscCall(wring_options_get_path(o, "converge_", wring_converge_options, key, sizeof c->table, c->table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_converge_get_keys(const wring_options *o, wring_converge *c)
{
  keys k;

  PetscFunctionBegin;
  c->o    = o;
  c->comm = wring_options_comm(o);
  PetscCall(wring_options_read(o, "converge_", wring_converge_options, &k));
  PetscCall(wring_output_read(o, &c->output));
  PetscCall(get_table(c));
  if (k.level >= k.levels)
    WRING_REFUSE(c->comm, "%s: converge_level is %d, but levels are 0 to %d, expected one of them",
                 wring_options_origin(o, "converge_", "level"), (int)k.level, (int)k.levels - 1);
  c->n       = (int)k.levels;
  c->first   = k.level < 0 ? 0 : (int)k.level;
  c->end     = k.level < 0 ? c->n : (int)k.level + 1;
  c->in_mesh = (PetscBool)(k.in != TIME);
  c->in_time = (PetscBool)(k.in != MESH);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- decks ------------------------------------------------------------------------------------------------------- */

/* A key of the level's deck, with the origin that the deck's own key has. */
static PetscErrorCode set(const wring_converge *c, wring_converge_level *l, const char *key, const char *format, ...)
{
  const char *const origin = wring_options_origin(c->o, "", key);
  char              value[PETSC_MAX_PATH_LEN];
  va_list           args;

  PetscFunctionBegin;
  va_start(args, format);
  vsnprintf(value, sizeof value, format, args);
  va_end(args);
  PetscCall(wring_options_set(l->deck, key, value, origin ? origin : "wring converge"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_deck(const wring_converge *c, int k, wring_converge_level *l)
{
  static const char *const replaced[] = {"time_end", "time_more_steps"}; // by time_steps
  wring_options           *with;

  PetscFunctionBegin;
  PetscCall(wring_options_copy(c->o, "converge_", &l->deck));
  if (c->in_time) { // h/2^k and 2^k times the steps: the same time at the end
    for (int i = 0; i < 2; i++) {
      with = l->deck;
      PetscCall(wring_options_copy(with, replaced[i], &l->deck));
      PetscCall(wring_options_destroy(&with));
    }
    PetscCall(set(c, l, "time_step", "%.17g", l->step));
    PetscCall(set(c, l, "time_steps", "%" PetscInt_FMT, l->steps));
  }
  if (c->in_mesh) PetscCall(set(c, l, "mesh_refine", "%" PetscInt_FMT, l->refine));
  PetscCall(PetscSNPrintf(l->directory, sizeof l->directory, "%s/level_%d", c->output.directory, k));
  PetscCall(set(c, l, "output_directory", "%s", l->directory));
  PetscCall(set(c, l, "output_every", "0"));
  PetscCall(set(c, l, "checkpoint_resume", "false"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_decks(wring_converge *c, PetscInt steps, double step)
{
  PetscInt refine;

  PetscFunctionBegin;
  if (c->in_time && steps > PETSC_MAX_INT >> c->n)
    WRING_REFUSE(c->comm,
                 "%s: converge_in: %" PetscInt_FMT " steps, doubled from level to level, are too many at level %d, "
                 "expected fewer steps or levels",
                 wring_options_origin(c->o, "converge_", "in"), steps, c->n - 1);
  PetscCall(wring_options_get_int(c->o, "mesh_", wring_mesh_options, "refine", &refine));
  for (int k = 0; k < c->n; k++) {
    wring_converge_level *const l = &c->level[k];
    l->refine                     = refine + (c->in_mesh ? k : 0);
    l->steps                      = steps << (c->in_time ? k : 0);
    l->step                       = step / (c->in_time ? (double)(1 << k) : 1);
    PetscCall(make_deck(c, k, l));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what is refused before the first level runs ----------------------------------------------------------------- */

/* The problem of the deck: what its time is, and whether it can have levels. */
static PetscErrorCode check_problem(wring_converge *c)
{
  wring_problem *p;

  PetscFunctionBegin;
  PetscCall(wring_problem_create(c->comm, c->o, &p));
  c->is_static = wring_stepper_is_static(p->stepper);
  if (c->is_static && c->in_time)
    WRING_REFUSE(c->comm,
                 "%s: converge_in is '%s', but load steps of time_integrator 'static' have no time, expected "
                 "'mesh'",
                 wring_options_origin(c->o, "converge_", "in"), c->in_mesh ? "both" : "time");
  if (p->mesh->tets.n_global == 0)
    WRING_REFUSE(c->comm, "%s: the mesh has no tetrahedra, over which displacements are compared, expected a body",
                 wring_options_family_origin(c->o, "mesh_"));
  c->tets  = p->mesh->tets.n_global;
  c->order = p->mesh->tets.order;
  if (c->output.rank == 0) PetscCall(wring_keys_in_force(p, "run", 0, NULL, &c->keys));
  PetscCall(make_decks(c, wring_stepper_steps(p->stepper), wring_stepper_size(p->stepper)));
  PetscCall(wring_problem_destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A level may need more memory than the nodes of the ranks have: measured, a run takes 250 to 1000 bytes for each
  tetrahedron of first order, and seven times as many of second order (3300 and 480 with qn and multigrid).
*/
static PetscErrorCode check_memory(const wring_converge *c)
{
  const double size = wring_comm_size(c->comm), all = wring_node_memory();
  const double bytes = (c->order == 2 ? 1750 : 250) * (double)c->tets / size;
  wring_cores  cores;
  int          fits = 0, last = -1; // the finest level that runs

  PetscFunctionBegin;
  if (!c->in_mesh) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = c->first; k < c->end; k++)
    if (!c->level[k].results) last = k;
  PetscCall(wring_cores_measure(c->comm, &cores));
  for (double b = bytes * cores.node_ranks; fits <= last && (all == 0 || b < all); b *= 8) fits++;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &fits, 1, MPI_INT, MPI_MIN, c->comm));
  if (fits <= last)
    WRING_REFUSE(c->comm,
                 "%s: converge_levels: level %d has %.2g tetrahedra and takes at least %.2g GB, more than the memory "
                 "of these nodes, expected at most %d levels",
                 wring_options_family_origin(c->o, "converge_levels"), last, (double)c->tets * pow(8, last),
                 bytes * size * pow(8, last) / 1e9, fits);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The finest mesh may have too many vertices or flat tetrahedra, or vertices that are not those of the table; and a
  refined mesh may not suit the tables and sets of the deck.
*/
static PetscErrorCode check_meshes(const wring_converge *c)
{
  wring_mesh    *m;
  wring_problem *p;
  double        *value;

  PetscFunctionBegin;
  PetscCall(wring_problem_make_mesh(c->level[c->end - 1].deck, &m));
  PetscCall(PetscMalloc1(3 * (size_t)m->n_owned, &value));
  if (c->table[0] && c->end == c->n) PetscCall(wring_problem_read_vectors(m, c->table, PETSC_FALSE, value));
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
  if (!c->in_mesh) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt i = 0; i < wring_options_count(c->o); i++) {
    wring_options_entry(c->o, i, &key, &value, &origin);
    const char *const end       = strrchr(key, '_');
    const PetscBool   stiffness = (PetscBool)(end && !wring_ascii_compare(end, "_stiffness"));
    const PetscBool   spring    = (PetscBool)(stiffness && !wring_ascii_compare_n(key, "attach_", 7));
    const PetscBool   shape     = (PetscBool)(stiffness && !wring_ascii_compare_n(key, "collider_", 9));
    if (!spring && !shape && wring_ascii_compare(key, "self_contact_stiffness") &&
        wring_ascii_compare(key, "drag_coefficient"))
      continue;
    PetscCall(wring_note(c->comm, "%s: %s is that of a vertex, so that refining the mesh changes the problem%s", origin,
                         key, spring ? "; hard and stiffness_per_area are the same on every mesh" : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_converge_check(wring_converge *c)
{
  static const char *const   vertex[] = {"positions", "velocities"}; // tables of one mesh
  const wring_option *const  option   = wring_option_find(wring_mesh_options, "refine");
  const wring_options *const o        = c->o;
  char                       text[32];

  PetscFunctionBegin;
  if (wring_options_has(o, "initial_", "restart"))
    WRING_REFUSE(c->comm,
                 "%s: initial_restart: the mesh of a checkpoint is not refined, and its state is that of one "
                 "level, expected a deck that starts at time 0",
                 wring_options_origin(o, "initial_", "restart"));
  for (int i = 0; i < 2; i++)
    if (c->in_mesh && wring_options_has(o, "initial_", vertex[i]))
      WRING_REFUSE(c->comm,
                   "%s: initial_%s names the vertices of one mesh, expected converge_in 'time', or no such table",
                   wring_options_origin(o, "initial_", vertex[i]), vertex[i]);
  PetscCall(check_problem(c));
  PetscCall(PetscSNPrintf(text, sizeof text, "%" PetscInt_FMT, c->level[c->n - 1].refine));
  if (!wring_option_accepts(option, text))
    WRING_REFUSE(c->comm, "%s: converge_levels: the finest level has mesh_refine %s, expected one in %s",
                 wring_options_family_origin(o, "converge_levels"), text, option->range);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_converge_check_finest(const wring_converge *c)
{
  PetscFunctionBegin;
  PetscCall(check_memory(c));
  PetscCall(check_meshes(c));
  PetscCall(note_supports(c));
  if (c->n < 3 && !c->table[0])
    PetscCall(wring_note(c->comm, "converge_levels is %d: orders need 3 levels, or a table, and limits 4", c->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}
