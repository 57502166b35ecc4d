#include "mesh_source.h"
#include <string.h>

enum { NOTES = 4096 };

PetscErrorCode wring_mesh_file_read(MPI_Comm comm, const char *file, double scale, PetscBool tags,
                                    wring_mesh_data **data)
{
  wring_error error        = {0};
  char        notes[NOTES] = "";

  PetscFunctionBegin;
  PetscCall(wring_mesh_read(comm, file, scale, tags, data, &error, sizeof notes, notes));
  for (int i = 0, n; wring_comm_rank(comm) == 0 && notes[i]; i += n + (notes[i + n] == '\n')) {
    n = (int)strcspn(notes + i, "\n");
    PetscCall(wring_note(PETSC_COMM_SELF, "%.*s", n, notes + i));
  }
  PetscCall(wring_error_raise(comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int wring_mesh_select_options(const char *head, wring_option *table)
{
  const size_t size = strlen(head);
  int          n    = 0;
  for (const wring_option *p = wring_mesh_source_options; p->key; p++) {
    if (strncmp(p->key, head, size)) continue;
    table[n] = *p;
    table[n++].key += head[size - 1] == '_' ? size : 0;
  }
  table[n] = (wring_option){.key = NULL};
  return n;
}

PetscErrorCode wring_mesh_box_make(const wring_options *o, const char *prefix, const wring_box *box,
                                   wring_mesh_data **data)
{
  wring_error  fault = {""}, error = {""};
  wring_option table[WRING_MESH_OPTIONS];

  PetscFunctionBegin;
  wring_mesh_select_options("box_", table);
  PetscCall(wring_options_require(o, prefix, table, "size"));
  PetscCall(wring_options_require(o, prefix, table, "cells"));
  PetscCall(wring_mesh_box(wring_options_comm(o), box, data, &fault));
  if (wring_failed(&fault))
    wring_error_set(&error, "%s: %s%s", wring_options_origin(o, prefix, "cells"), prefix, fault.text);
  PetscCall(wring_error_raise(wring_options_comm(o), &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
