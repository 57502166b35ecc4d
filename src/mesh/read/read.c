/* Detects the format of a file from its content; TetGen's two files are recognised by their names. */
#include "mesh/build/build.h"
#include <string.h>

static PetscErrorCode read_one(wring_scan *s, wring_raw *raw)
{
  const char  *word;
  const size_t length = wring_scan_peek(s, &word);

  PetscFunctionBegin;
  if (!wring_scan_ok(s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->at >= s->end)
    wring_scan_fail(s, wring_scan_place(s), "the file is empty, expected a mesh");
  else if (length > 0 && word[0] == '$')
    PetscCall(wring_gmsh_read(s, raw));
  else if (length > 0 && word[0] == 'v')
    PetscCall(wring_points_read(s, raw));
  else if (length >= 20 && !memcmp(word, "MeshVersionFormatted", 20))
    PetscCall(wring_medit_read(s, raw));
  else
    wring_scan_fail(s, wring_scan_place(s),
                    "not a mesh: expected Gmsh 2.2 or 4.1 ($MeshFormat), MEDIT ASCII (MeshVersionFormatted), "
                    "TetGen (.node and .ele) or CSV (vertex,x,y,z)");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Faults found after reading are reported with the lines of s, which is the file of elements. */
static PetscErrorCode read_pair(const char *node, wring_scan *s, wring_raw *raw)
{
  wring_scan nodes;

  PetscFunctionBegin;
  PetscCall(wring_scan_open(node, s->e, &nodes));
  if (wring_scan_ok(&nodes)) PetscCall(wring_tetgen_read(&nodes, s, raw));
  PetscCall(wring_scan_close(&nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_read(const char *file, double scale, wring_mesh_data **d, wring_error *e, size_t size,
                               char *notes)
{
  wring_scan s;
  wring_raw  raw = {0};
  char       node[PETSC_MAX_PATH_LEN], ele[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  *d = NULL;
  if (size > 0) notes[0] = '\0';
  const PetscBool pair = wring_tetgen_pair(file, sizeof node, node, ele);
  PetscCall(wring_scan_open(pair ? ele : file, e, &s));
  if (pair)
    PetscCall(read_pair(node, &s, &raw));
  else
    PetscCall(read_one(&s, &raw));
  PetscCall(wring_scan_close(&s)); // the text is no longer needed; faults still go to e
  if (wring_scan_ok(&s)) PetscCall(wring_raw_build(PETSC_COMM_SELF, &raw, scale, &s, d, size, notes));
  PetscCall(wring_raw_destroy(&raw));
  PetscFunctionReturn(PETSC_SUCCESS);
}
