/* wring help and wring version. */
#include "study/common/command_keys.h"
#include "study/mesh/mesh_command.h"
#include "study/record/provenance.h"
#include <string.h>
#include <wring/study.h>

static const char family_help[] =
  "\n---- region NAME ----\nregion_NAME_KEY: every KEY of material_, for the region NAME of the mesh.\n"
  "\n---- variant NAME ----\nvariant_NAME_KEY: every KEY of the solver type in variant_NAME_type.\n";

/* Keys may be written as in the documentation: time.limit is time_limit. */
PetscErrorCode wring_study_help(MPI_Comm comm, const char *key)
{
  wring_catalogue *catalogue;
  PetscInt         n;
  char             asked[256];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(asked, strcmp(key, "deck") == 0 ? "" : key, sizeof asked));
  for (char *c = asked; *c; c++) *c = *c == '.' ? '_' : *c;
  if (strcmp(asked, "mesh") == 0) PetscCall(wring_mesh_help(comm));
  PetscCall(wring_keys_create(&catalogue));
  PetscCall(wring_options_help(comm, catalogue->n, catalogue->entry, asked[0] ? asked : NULL, &n));
  if (n == 0) PetscCall(wring_options_refuse_help(comm, catalogue->n, catalogue->entry, asked));
  if (!asked[0]) PetscCall(PetscPrintf(comm, "%s", family_help));
  PetscCall(wring_catalogue_destroy(&catalogue));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_version(MPI_Comm comm)
{
  char line[512];

  PetscFunctionBegin;
  PetscCall(wring_version_line(sizeof line, line));
  PetscCall(PetscPrintf(comm, "%s, OpenMP %d, %d-bit PetscInt\n", line, (int)_OPENMP, (int)(8 * sizeof(PetscInt))));
  PetscFunctionReturn(PETSC_SUCCESS);
}
