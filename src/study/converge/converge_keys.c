/* The keys of converge_, and the deck of each level. */
#include "converge.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const wring_option wring_converge_options[] = {
  {.key   = "levels",
   .type  = WRING_INT,
   .value = "3",
   .range = "[2,11]",
   .help  = "Number of levels, the deck's own mesh and step included; an order needs three, or two with a table."},
  {.key     = "in",
   .type    = WRING_WORD,
   .choices = "mesh|time|both",
   .value   = "mesh",
   .help    = "What becomes finer from level to level: the mesh, refined once more; time.step, halved; or both."},
  {.key   = "against",
   .type  = WRING_PATH,
   .value = "finest",
   .help =
     "What displacements are compared with: `finest`, the finest level; `exact`, the table converge.table; or the "
     "file name of such a table."},
  {.key  = "table",
   .type = WRING_PATH,
   .help = "CSV `vertex,x,y,z` [m]: exact positions at the end, of all vertices of the finest level."},
  {.key   = "level",
   .type  = WRING_INT,
   .value = "-1",
   .range = "[-1,10]",
   .help  = "The one level to run, from 0, for levels as separate jobs; -1: all levels, and the results."},
  {0},
};

/* ---- keys -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode get_table(wring_converge *c)
{
  const wring_options *const o         = c->o;
  const PetscBool            has_table = wring_options_has(o, "converge_", "table");
  const char                *against;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(o, "converge_", wring_converge_options, "against", &against));
  const PetscBool exact  = (PetscBool)(wring_ascii_compare(against, "exact") == 0);
  const PetscBool finest = (PetscBool)(wring_ascii_compare(against, "finest") == 0);
  if (has_table && !exact)
    WRING_REFUSE(c->comm, "%s: converge_table belongs to converge_against 'exact', but that is '%s'",
                 wring_options_origin(o, "converge_", "table"), against);
  if (exact)
    PetscCall(wring_options_get_path(o, "converge_", wring_converge_options, "table", sizeof c->table, c->table));
  else if (!finest)
    PetscCall(wring_options_get_path(o, "converge_", wring_converge_options, "against", sizeof c->table, c->table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_converge_get_keys(const wring_options *o, wring_converge *c)
{
  const char *in;
  PetscInt    levels, only;

  PetscFunctionBegin;
  c->o    = o;
  c->comm = wring_options_comm(o);
  PetscCallMPI(MPI_Comm_rank(c->comm, &c->rank));
  PetscCallMPI(MPI_Comm_size(c->comm, &c->size));
  PetscCall(wring_options_get_int(o, "converge_", wring_converge_options, "levels", &levels));
  PetscCall(wring_options_get_int(o, "converge_", wring_converge_options, "level", &only));
  PetscCall(wring_options_get_word(o, "converge_", wring_converge_options, "in", &in));
  PetscCall(wring_options_get_word(o, "output_", wring_output_options, "directory", &c->directory));
  PetscCall(get_table(c));
  if (only >= levels)
    WRING_REFUSE(c->comm, "%s: converge_level is %d, but levels are 0 to %d, expected one of them",
                 wring_options_origin(o, "converge_", "level"), (int)only, (int)levels - 1);
  c->n       = (int)levels;
  c->only    = (int)only;
  c->in_mesh = (PetscBool)(strcmp(in, "time") != 0);
  c->in_time = (PetscBool)(strcmp(in, "mesh") != 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- decks ------------------------------------------------------------------------------------------------------- */

/* A key of the level's deck, with the origin that the deck's own key has. */
static PetscErrorCode set(const wring_converge *c, wring_level *l, const char *key, const char *format, ...)
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

static PetscErrorCode make_deck(const wring_converge *c, int k, wring_level *l)
{
  wring_options *with_end;

  PetscFunctionBegin;
  PetscCall(wring_options_copy(c->o, "converge_", &l->deck));
  if (c->in_time) { // h/2^k and 2^k times the steps: the same time at the end
    with_end = l->deck;
    PetscCall(wring_options_copy(with_end, "time_end", &l->deck));
    PetscCall(wring_options_destroy(&with_end));
    PetscCall(set(c, l, "time_step", "%.17g", l->step));
    PetscCall(set(c, l, "time_steps", "%" PetscInt_FMT, l->steps));
  }
  if (c->in_mesh) PetscCall(set(c, l, "mesh_refine", "%" PetscInt_FMT, l->refine));
  PetscCall(PetscSNPrintf(l->directory, sizeof l->directory, "%s/level_%d", c->directory, k));
  PetscCall(set(c, l, "output_directory", "%s", l->directory));
  PetscCall(set(c, l, "output_every", "0"));
  PetscCall(set(c, l, "checkpoint_resume", "false"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_converge_make_decks(wring_converge *c, PetscInt steps, double step)
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
    wring_level *const l = &c->level[k];
    l->refine            = refine + (c->in_mesh ? k : 0);
    l->steps             = steps << (c->in_time ? k : 0);
    l->step              = step / (c->in_time ? (double)(1 << k) : 1);
    PetscCall(make_deck(c, k, l));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
