#include "raw.h"

PetscErrorCode wring_mesh_read(const char *file, double scale, wring_mesh_data **d, wring_error *e, size_t size,
                               char *notes)
{
  wring_scan  s;
  wring_raw   raw = {0};
  const char *word;

  PetscFunctionBegin;
  *d = NULL;
  if (size > 0) notes[0] = '\0';
  PetscCall(wring_scan_open(file, e, &s));
  if (wring_scan_ok(&s)) {
    const size_t length = wring_scan_peek(&s, &word);
    if (length > 0 && word[0] == '$')
      PetscCall(wring_gmsh_read(&s, &raw));
    else if (length > 0 && word[0] == 'v')
      PetscCall(wring_points_read(&s, &raw));
    else
      wring_scan_fail(&s, s.line, "not a mesh: expected Gmsh 2.2 or 4.1 ASCII ($MeshFormat) or CSV (vertex,x,y,z)");
  }
  PetscCall(wring_scan_close(&s)); // the text is no longer needed; faults still go to e
  PetscCall(wring_raw_build(&raw, scale, &s, d, size, notes));
  PetscCall(wring_raw_destroy(&raw));
  PetscFunctionReturn(PETSC_SUCCESS);
}
