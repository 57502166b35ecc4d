/* Private to `wring mesh`: its commands, which read and write whole meshes on rank 0. */
#pragma once
#include "problem/mesh_source.h"
#include <wring/io.h>

typedef struct {
  MPI_Comm       comm;
  PetscMPIInt    rank;
  const char    *from, *to; // files, borrowed; NULL if the command has none
  wring_options *o;
  wring_option   table[WRING_MESH_OPTIONS]; // of the command
} wring_mesh_job;

/* Says what a mesh file holds, and how well it would be partitioned. Collective. */
PetscErrorCode wring_mesh_print_info(const wring_mesh_job *job);

/* The file's name ends so. */
PetscBool wring_mesh_ends(const char *file, const char *ending);

/* Writing `to` must not touch the file `from`. Not collective. */
void wring_mesh_protect(const char *from, const char *to, wring_error *e);

/* Prints the keys of every command. Collective. */
PetscErrorCode wring_mesh_help(MPI_Comm comm);
