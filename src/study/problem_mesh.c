/* The mesh of a problem: a checkpoint's, else a file or a box. A deck that made a checkpoint may so be restarted as it is. */
#include "study/problem.h"
#include <string.h>

enum { NOTES = 4096 };

static PetscBool has_box(const wring_options *o)
{
  static const char *const key[] = {"box_size", "box_cells", "box_origin", "box_jitter"};
  for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
    if (wring_options_has(o, "mesh_", key[i])) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Notices, one a line, are known on rank 0 alone. */
static PetscErrorCode print_notes(const char *notes)
{
  PetscFunctionBegin;
  while (*notes) {
    const int n = (int)strcspn(notes, "\n");
    PetscCall(wring_note(PETSC_COMM_SELF, "%.*s", n, notes));
    notes += n + (notes[n] == '\n');
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_file(const wring_problem *p, wring_mesh_data **data)
{
  wring_error error        = {0};
  char        notes[NOTES] = "", file[PETSC_MAX_PATH_LEN];
  double      scale;

  PetscFunctionBegin;
  PetscCall(wring_options_get_path(p->options, "mesh_", wring_mesh_options, "file", sizeof file, file));
  PetscCall(wring_options_get_real(p->options, "mesh_", wring_mesh_options, "scale", &scale));
  if (p->rank == 0) {
    PetscCall(wring_mesh_read(file, scale, data, &error, sizeof notes, notes));
    PetscCall(print_notes(notes));
  }
  PetscCall(wring_error_raise(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_box(const wring_problem *p, wring_mesh_data **data)
{
  const wring_options *const o     = p->options;
  wring_error                error = {""};
  wring_box                  box;
  PetscInt                   n, *cells;

  PetscFunctionBegin;
  PetscCall(wring_options_get_reals(o, "mesh_", wring_mesh_options, "box_size", box.size));
  PetscCall(wring_options_get_reals(o, "mesh_", wring_mesh_options, "box_origin", box.origin));
  PetscCall(wring_options_get_real(o, "mesh_", wring_mesh_options, "box_jitter", &box.jitter));
  PetscCall(wring_options_get_int_list(o, "mesh_", wring_mesh_options, "box_cells", &n, &cells));
  for (int c = 0; c < 3; c++) box.cells[c] = cells[c];
  PetscCall(PetscFree(cells));
  if (p->rank == 0) PetscCall(wring_mesh_box(&box, data, &error));
  PetscCall(wring_error_raise(p->comm, &error));
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
    PetscCall(make_box(p, &data));
  if (restart && (file || box))
    PetscCall(wring_note(p->comm, "the mesh is that of %s; the deck's is not read", p->restart));
  PetscCall(wring_mesh_distribute(p->comm, &data, &p->mesh));
  PetscCall(refine_mesh(p, restart));
  PetscCall(wring_mesh_add_sets(p->mesh, p->options, p->catalogue->n, p->catalogue->entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}
