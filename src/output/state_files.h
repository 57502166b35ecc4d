/* Files of one state: checkpoints, state.csv. Functions are collective unless their comments state otherwise. */
#pragma once
#include <jansson.h>
#include <wring/problem.h>

/* The checkpoints that a run writes; all zero before the first one, mesh_seal known or "". */
typedef struct {
  char     mesh_seal[WRING_SEAL_TEXT]; // of the mesh file that they name
  PetscInt n, latest;                  // step of the last one
  double   seconds, mesh_seconds;      // of all of them, and of the mesh file; by rank 0's clock
} wring_checkpoints;

/*
  Writes the mesh file of the checkpoints, unless it is there: before the first step, when memory is free that solves
  need. A run that goes on keeps the one that its state names, whose bytes were verified when its mesh was read.
*/
PetscErrorCode wring_checkpoints_write_mesh(wring_checkpoints *c, const char *directory, wring_problem *p);

/*
  Writes a checkpoint of the state and keeps two; the mesh too if its file is no longer there. iterate: that of an
  interrupted solve of a method that minimises g, from which the next run goes on; NULL: none.
*/
PetscErrorCode wring_checkpoints_write(wring_checkpoints *c, const char *directory, wring_problem *p, Vec iterate);

/* Bytes of the last checkpoint and of the mesh, and the seconds they took. New reference. Not collective: rank 0. */
json_t *wring_checkpoints_json(const wring_checkpoints *c, const char *directory);

/* Writes state.csv: positions [m] and velocities [m/s] by original vertex number. */
PetscErrorCode wring_state_csv_write(const char *directory, wring_problem *p);
