/*
  wring mesh: makes, describes, converts, refines and merges meshes; all ranks read them, rank 0 writes them. Read in
  this order:

    mesh_command.c  the commands: one array of names, files and functions, and their keys
    mesh_files.c    names of files, and writing a mesh
    mesh_info.c     what `wring mesh info` prints

  Not here: readers, measures and refinement (src/mesh), the formats written (src/io).
*/
#pragma once
#include "problem/input/mesh_source.h"
#include "study/common/usage.h"

/* ---- for other commands ------------------------------------------------------------------------------------------ */

extern const wring_usage wring_mesh_usage[]; // its commands

/* Prints the keys of one command of `wring mesh`, refused if there is none of this name; NULL: of all. Collective. */
PetscErrorCode wring_mesh_help(MPI_Comm comm, const char *name);

/* ---- private to this folder -------------------------------------------------------------------------------------- */

/* One command of `wring mesh` under way. */
typedef struct {
  wring_mesh_keys keys; // at the beginning: the entries of wring_mesh_source_options in the table refer to it
  PetscInt        levels;
  PetscBool       binary, merges;
  const char     *json, *map; // files that `info` writes, NULL: not given
  MPI_Comm        comm;
  PetscMPIInt     rank;
  int             n_from; // files that are read
  char          **from;   // [n_from] borrowed
  const char     *to;     // file that is written, borrowed; NULL: none
  wring_options  *o;
  wring_option    table[WRING_MESH_OPTIONS]; // of the command
} wring_mesh_job;

/* Whether a file's name ends in `ending` after at least one character. */
PetscBool wring_mesh_ends(const char *file, const char *ending);

/* Writes job->to and prints its counts; *data is of rank 0, NULL elsewhere, and destroyed. Collective. */
PetscErrorCode wring_mesh_write(const wring_mesh_job *job, wring_mesh_data **data);

/* Prints what a mesh file holds, and how well it would be partitioned. Collective. */
PetscErrorCode wring_mesh_print_info(const wring_mesh_job *job);
