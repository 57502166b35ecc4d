/*
  The mesh of a problem: from a checkpoint, or else from a file or a box. A deck can be restarted unchanged from its own
  checkpoint: its file or box is then read only to check that the checkpoint belongs to it.
*/
#include "mesh_source.h"
#include "problem/problem_impl.h"
#include <math.h>
#include <string.h>

/* The sources that the deck gives. */
typedef struct {
  PetscBool file, box, restart;
} sources;

static sources get_sources(const wring_options *o)
{
  static const char *const key[] = {"box_size", "box_cells", "box_origin", "box_jitter"};
  sources                  s     = {.file = wring_options_has(o, "mesh_", "file")};
  s.restart                      = wring_options_has(o, "initial_", "restart");
  for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
    if (wring_options_has(o, "mesh_", key[i])) s.box = PETSC_TRUE;
  }
  return s;
}

static PetscErrorCode check_sources(const wring_options *o, sources s)
{
  const MPI_Comm comm = wring_options_comm(o);

  PetscFunctionBegin;
  if (s.file && s.box)
    WRING_REFUSE(comm, "%s: mesh: file and box (%s) are both given, expected one of them",
                 wring_options_origin(o, "mesh_", "file"), wring_options_family_origin(o, "mesh_box_"));
  if (!s.file && !s.box && !s.restart)
    WRING_REFUSE(comm, "%s: mesh: none is given, expected mesh.file, mesh.box or initial.restart",
                 wring_options_deck(o));
  if (s.box && wring_options_has(o, "mesh_", "scale"))
    WRING_REFUSE(comm, "%s: mesh_scale applies to mesh.file only, remove it for mesh.box",
                 wring_options_origin(o, "mesh_", "scale"));
  if (!s.file && !s.box && wring_options_has(o, "mesh_", "refine"))
    WRING_REFUSE(comm, "%s: mesh_refine: the mesh of a checkpoint is not refined again, remove the key",
                 wring_options_origin(o, "mesh_", "refine"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh of the deck on rank 0, NULL if it has none. */
static PetscErrorCode read_deck_mesh(const wring_options *o, sources s, wring_mesh_data **data)
{
  char   file[PETSC_MAX_PATH_LEN];
  double scale;

  PetscFunctionBegin;
  *data = NULL;
  if (s.box) PetscCall(wring_mesh_box_make(o, "mesh_box_", data));
  if (!s.file) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_get_path(o, "mesh_", wring_mesh_options, "file", sizeof file, file));
  PetscCall(wring_options_get_real(o, "mesh_", wring_mesh_options, "scale", &scale));
  PetscCall(wring_mesh_file_read(wring_options_comm(o), file, scale, data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- restarts ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode read_checkpoint(wring_problem *p, wring_mesh_data **data)
{
  wring_mesh_origin *const origin = &p->parts->origin;
  const char              *path;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(p->options, "initial_", wring_initial_options, "restart", &path));
  PetscCall(wring_checkpoint_find(p->comm, path, sizeof origin->restart, origin->restart));
  PetscCall(wring_checkpoint_read_mesh(p->comm, origin->restart, data, &p->state.step, &p->state.time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To 1e-9 of the largest coordinate, because compilers round differently. */
static PetscBool same_positions(PetscInt n, const double *X, const double *Y)
{
  double largest = 0, difference = 0;
  for (size_t i = 0; i < 3 * (size_t)n; i++) {
    largest    = PetscMax(largest, fabs(X[i]));
    difference = PetscMax(difference, fabs(X[i] - Y[i]));
  }
  return (PetscBool)(difference <= 1e-9 * largest);
}

/* Lines (corners 2) or triangles (3) of the sets of a mesh. */
static PetscInt64 count_elements(const wring_mesh_data *d, int corners)
{
  PetscInt64 n = 0;
  for (PetscInt i = 0; i < d->n_set_element; i++) n += (d->set_element[4 * (size_t)i + 3] < 0) == (corners == 2);
  return n;
}

/*
  Whether the mesh of a checkpoint can be the deck's mesh, refined k times: it then has 8^k times the tets, 4^k times
  the triangles and 2^k times the lines, and its first vertices are those of the deck. Checkpoints of wring 0.1 have
  tets only.
*/
static PetscBool descends(const wring_mesh_data *deck, const wring_mesh_data *stored)
{
  PetscInt64      tets = deck->n_tet, triangles = count_elements(deck, 3), lines = count_elements(deck, 2);
  const PetscBool complete = (PetscBool)(stored->n_set_element > 0);
  for (int k = 0; k <= (tets > 0 || complete ? 10 : 0); k++, tets *= 8, triangles *= 4, lines *= 2) {
    if (tets != stored->n_tet || (k == 0 && deck->n_vertex != stored->n_vertex)) continue;
    if (complete && (triangles != count_elements(stored, 3) || lines != count_elements(stored, 2))) continue;
    if (deck->n_vertex > stored->n_vertex) continue;
    return same_positions(deck->n_vertex, deck->X, stored->X);
  }
  return PETSC_FALSE;
}

/* Refuses a checkpoint whose mesh differs from the deck's. Destroys the mesh of the deck. Both are on rank 0. */
static PetscErrorCode compare_meshes(const wring_problem *p, wring_mesh_data **deck, const wring_mesh_data *stored)
{
  wring_error            error = {""};
  const char *const      line  = wring_options_family_origin(p->options, "mesh_");
  const wring_mesh_data *d     = *deck;

  PetscFunctionBegin;
  if (p->rank == 0 && !descends(d, stored))
    wring_error_set(&error,
                    "%s: holds another mesh (%" PetscInt_FMT " vertices, %" PetscInt_FMT
                    " tets) than the deck's (%s: %" PetscInt_FMT " vertices, %" PetscInt_FMT
                    " tets), expected the same, or a deck without mesh",
                    p->parts->origin.restart, stored->n_vertex, stored->n_tet, line, d->n_vertex, d->n_tet);
  PetscCall(wring_mesh_data_destroy(deck));
  PetscCall(wring_error_raise(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the mesh ---------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_problem_read_mesh(wring_problem *p)
{
  const sources    s        = get_sources(p->options);
  PetscInt *const  n_mother = &p->parts->origin.n_mother;
  PetscInt         times;
  wring_mesh_data *data, *deck;

  PetscFunctionBegin;
  PetscCall(check_sources(p->options, s));
  PetscCall(read_deck_mesh(p->options, s, &deck));
  data = deck;
  if (s.restart) PetscCall(read_checkpoint(p, &data));
  if (p->rank == 0) *n_mother = deck ? deck->n_tet : data->n_tet;
  if (s.restart && (s.file || s.box)) PetscCall(compare_meshes(p, &deck, data));
  PetscCallMPI(MPI_Bcast(n_mother, 1, MPIU_INT, 0, p->comm));
  PetscCall(wring_mesh_distribute(p->comm, &data, &p->mesh));
  PetscCall(wring_options_get_int(p->options, "mesh_", wring_mesh_options, "refine", &times));
  if (!s.restart) PetscCall(wring_mesh_refine(p->mesh, times)); // the mesh of a checkpoint is already refined
  PetscCall(wring_mesh_add_sets(p->mesh, p->options, p->parts->keys->n, p->parts->keys->entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_make_mesh(const wring_options *o, wring_mesh **m)
{
  const sources    s = get_sources(o);
  PetscInt         times;
  wring_mesh_data *data;

  PetscFunctionBegin;
  PetscCall(check_sources(o, s));
  PetscCall(read_deck_mesh(o, s, &data));
  PetscCall(wring_mesh_distribute(wring_options_comm(o), &data, m));
  PetscCall(wring_options_get_int(o, "mesh_", wring_mesh_options, "refine", &times));
  PetscCall(wring_mesh_refine(*m, times));
  PetscFunctionReturn(PETSC_SUCCESS);
}
