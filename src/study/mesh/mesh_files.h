/*
  wring mesh: makes, describes, converts and refines meshes; all ranks read them, rank 0 writes them. Read in this
  order:

    mesh_files.h    a command's files, and writing a mesh (mesh_files.c)
    mesh_info.h     what `wring mesh info` prints (mesh_info.c)
    mesh_command.c  the commands: one array of names, files, keys and functions

  Not here: readers, measures and refinement (src/mesh), the formats written (src/io).
*/
#pragma once
#include "problem/input/mesh_source.h"

/* One command of `wring mesh` under way. */
typedef struct {
  MPI_Comm       comm;
  PetscMPIInt    rank;
  const char    *from, *to; // files, borrowed; NULL if the command has none
  wring_options *o;
  wring_option   table[WRING_MESH_OPTIONS]; // of the command
} wring_mesh_job;

/* Whether a file's name ends in `ending` after at least one character. */
PetscBool wring_mesh_ends(const char *file, const char *ending);

/* Refuses to write `to` where that would destroy `from`. Not collective: rank 0. */
void wring_mesh_protect(const char *from, const char *to, wring_error *e);

/* Writes job->to and prints its counts; *data is of rank 0, NULL elsewhere, and destroyed. Collective. */
PetscErrorCode wring_mesh_write(const wring_mesh_job *job, wring_mesh_data **data);
