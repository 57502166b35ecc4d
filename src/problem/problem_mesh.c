/* The mesh of a problem: a checkpoint's, else a file or a box. A deck that made a checkpoint may so be restarted as it is. */
#include "mesh_source.h"
#include "problem.h"
#include <math.h>
#include <string.h>

static PetscBool has_box(const wring_options *o)
{
  static const char *const key[] = {"box_size", "box_cells", "box_origin", "box_jitter"};
  for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
    if (wring_options_has(o, "mesh_", key[i])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscErrorCode read_file(const wring_problem *p, wring_mesh_data **data)
{
  char   file[PETSC_MAX_PATH_LEN];
  double scale;

  PetscFunctionBegin;
  PetscCall(wring_options_get_path(p->options, "mesh_", wring_mesh_options, "file", sizeof file, file));
  PetscCall(wring_options_get_real(p->options, "mesh_", wring_mesh_options, "scale", &scale));
  PetscCall(wring_mesh_file_read(p->comm, file, scale, data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_checkpoint(wring_problem *p, wring_mesh_data **data)
{
  const char *path;

  PetscFunctionBegin;
  PetscCall(wring_options_get_word(p->options, "initial_", wring_initial_options, "restart", &path));
  PetscCall(wring_checkpoint_find(p->comm, path, sizeof p->restart, p->restart));
  PetscCall(wring_checkpoint_read_mesh(p->comm, p->restart, data, &p->state.step, &p->state.time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 1e-9 of the largest coordinate: other compilers may round otherwise. */
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
  Whether a checkpoint can have grown from the deck's mesh: refined k times it has 8^k times the tets, 4^k the triangles and 2^k
  the lines of it, behind its own vertices. Checkpoints of wring 0.1 have tets only.
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

/* The mesh of the deck, which goes, and that of its checkpoint: a restart of another one's is a mistake. On rank 0. */
static PetscErrorCode compare_meshes(const wring_problem *p, wring_mesh_data **deck, const wring_mesh_data *stored)
{
  wring_error            error = {""};
  const char *const      says  = wring_options_family_origin(p->options, "mesh_");
  const wring_mesh_data *d     = *deck;

  PetscFunctionBegin;
  if (p->rank == 0 && !descends(d, stored))
    wring_error_set(&error,
                    "%s: holds another mesh (%" PetscInt_FMT " vertices, %" PetscInt_FMT
                    " tets) than the deck's (%s: %" PetscInt_FMT " vertices, %" PetscInt_FMT
                    " tets), expected the same, or a deck without mesh",
                    p->restart, stored->n_vertex, stored->n_tet, says, d->n_vertex, d->n_tet);
  PetscCall(wring_mesh_data_destroy(deck));
  PetscCall(wring_error_raise(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Not of a checkpoint, which has the refined mesh. */
static PetscErrorCode refine_mesh(wring_problem *p, PetscBool restart)
{
  PetscInt times;

  PetscFunctionBegin;
  PetscCall(wring_options_get_int(p->options, "mesh_", wring_mesh_options, "refine", &times));
  if (!restart) PetscCall(wring_mesh_refine(p->mesh, times));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_mesh(wring_problem *p)
{
  const PetscBool  file = wring_options_has(p->options, "mesh_", "file"), box = has_box(p->options);
  const PetscBool  restart = wring_options_has(p->options, "initial_", "restart");
  wring_mesh_data *data = NULL, *deck = NULL;

  PetscFunctionBegin;
  if (file && box)
    WRING_REFUSE(p->comm, "%s: mesh: file and box (%s) are both given, expected one of them",
                 wring_options_origin(p->options, "mesh_", "file"),
                 wring_options_family_origin(p->options, "mesh_box_"));
  if (!file && !box && !restart)
    WRING_REFUSE(p->comm, "%s: mesh: none is given, expected mesh.file, mesh.box or initial.restart",
                 wring_options_deck(p->options));
  if (box && wring_options_has(p->options, "mesh_", "scale"))
    WRING_REFUSE(p->comm, "%s: mesh_scale is for the coordinates of a mesh.file, expected mesh.box alone",
                 wring_options_origin(p->options, "mesh_", "scale"));
  if (!file && !box && wring_options_has(p->options, "mesh_", "refine"))
    WRING_REFUSE(p->comm,
                 "%s: mesh_refine: a mesh is refined before its first step, expected none with initial.restart",
                 wring_options_origin(p->options, "mesh_", "refine"));
  if (file)
    PetscCall(read_file(p, &data));
  else if (box)
    PetscCall(wring_mesh_box_make(p->options, "mesh_box_", &data));
  if (data) p->n_mother = data->n_tet;
  if (restart) {
    deck = data;
    PetscCall(read_checkpoint(p, &data));
    if (data && !deck) p->n_mother = data->n_tet;
    if (file || box) PetscCall(compare_meshes(p, &deck, data));
  }
  PetscCallMPI(MPI_Bcast(&p->n_mother, 1, MPIU_INT, 0, p->comm));
  PetscCall(wring_mesh_distribute(p->comm, &data, &p->mesh));
  PetscCall(refine_mesh(p, restart));
  PetscCall(wring_mesh_add_sets(p->mesh, p->options, p->catalogue->n, p->catalogue->entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}
