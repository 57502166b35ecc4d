/* The mesh of a problem: a checkpoint's, else a file or a box. A deck that made a checkpoint may so be restarted as it is. */
#include "mesh_file.h"
#include "study/problem.h"

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
  wring_mesh_data *data    = NULL;

  PetscFunctionBegin;
  if (file && box) WRING_REFUSE(p->comm, "mesh: file and box are both given, expected one of them");
  if (!file && !box && !restart)
    WRING_REFUSE(p->comm, "mesh: none is given, expected mesh.file, mesh.box or initial.restart");
  if (!file && !box && wring_options_has(p->options, "mesh_", "refine"))
    WRING_REFUSE(p->comm,
                 "%s: mesh_refine: a mesh is refined before its first step, expected none with initial.restart",
                 wring_options_origin(p->options, "mesh_", "refine"));
  if (restart)
    PetscCall(read_checkpoint(p, &data));
  else if (file)
    PetscCall(read_file(p, &data));
  else
    PetscCall(wring_mesh_box_make(p->options, "mesh_box_", &data));
  if (restart && (file || box))
    PetscCall(wring_note(p->comm, "the mesh is that of %s; the deck's is not read", p->restart));
  PetscCall(wring_mesh_distribute(p->comm, &data, &p->mesh));
  PetscCall(refine_mesh(p, restart));
  PetscCall(wring_mesh_add_sets(p->mesh, p->options, p->catalogue->n, p->catalogue->entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}
