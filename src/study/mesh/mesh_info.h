/* wring mesh info. */
#pragma once
#include "mesh_files.h"

/* Prints what a mesh file holds, and how well it would be partitioned. Collective. */
PetscErrorCode wring_mesh_print_info(const wring_mesh_job *job);
