#include "state_files.h"
#include "io/json.h"
#include <sys/stat.h>

enum { FIELDS = 11 }; // of a checkpoint: positions, velocities, memory of rules and of chains, an iterate, two numbers

PetscErrorCode wring_checkpoints_write_mesh(wring_checkpoints *c, const char *directory, wring_problem *p)
{
  const wring_phase old   = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  const double      start = MPI_Wtime();

  PetscFunctionBegin;
  PetscCall(wring_checkpoint_write_mesh(directory, p->mesh, c->mesh_seal));
  c->mesh_seconds += MPI_Wtime() - start;
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Names and vectors of 3 numbers a vertex; returns their number. */
static int list_vectors(const wring_problem *p, Vec iterate, wring_memory vector[FIELDS])
{
  int n     = 2;
  vector[0] = (wring_memory){"position", p->state.q}, vector[1] = (wring_memory){"velocity", p->state.v};
  if (wring_stepper_remembers(p->stepper)) n += wring_stepper_memory(p->stepper, vector + n, NULL);
  n += wring_stepper_chain_memory(p->stepper, vector + n);
  if (iterate) vector[n++] = (wring_memory){WRING_CHECKPOINT_ITERATE, iterate};
  return n;
}

PetscErrorCode wring_checkpoints_write(wring_checkpoints *c, const char *directory, wring_problem *p, Vec iterate)
{
  wring_checkpoint_field field[FIELDS];
  wring_memory           vector[FIELDS];
  char                   file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(wring_checkpoints_write_mesh(c, directory, p));
  const wring_phase old   = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  const double      start = MPI_Wtime();
  const int         n     = list_vectors(p, iterate, vector);
  wring_checkpoint_name(directory, p->state.step, sizeof file, file);
  for (int i = 0; i < n; i++) {
    field[i] = (wring_checkpoint_field){vector[i].name, 3, NULL};
    PetscCall(VecGetArray(vector[i].value, &field[i].value));
  }
  field[n]     = (wring_checkpoint_field){"work", 0, &p->state.work};
  field[n + 1] = (wring_checkpoint_field){"usual_start", 0, wring_stepper_usual_start(p->stepper)};
  PetscCall(wring_checkpoint_write(file, p->mesh, c->mesh_seal, p->state.step, p->state.time, n + 2, field));
  for (int i = 0; i < n; i++) PetscCall(VecRestoreArray(vector[i].value, &field[i].value));
  PetscCall(wring_checkpoint_prune(p->comm, directory, 2));
  c->n++;
  c->seconds += MPI_Wtime() - start;
  c->latest = p->state.step;
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Null if there is no such file. */
static json_t *size_of(const char *directory, const char *name)
{
  char        path[2 * PETSC_MAX_PATH_LEN];
  struct stat status;
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return stat(path, &status) ? json_null() : JSON((json_int_t)status.st_size);
}

json_t *wring_checkpoints_json(const wring_checkpoints *c, const char *directory)
{
  char last[64];
  snprintf(last, sizeof last, "checkpoint_%06" PetscInt_FMT ".h5", c->latest);
  return wring_json_object("written", JSON(c->n), "bytes", c->n ? size_of(directory, last) : json_null(), "seconds",
                           JSON(c->seconds), "mesh", JSON(WRING_CHECKPOINT_MESH), "mesh_seal", JSON(c->mesh_seal),
                           "mesh_bytes", size_of(directory, WRING_CHECKPOINT_MESH), "mesh_seconds",
                           JSON(c->mesh_seconds), NULL);
}

PetscErrorCode wring_state_csv_write(const char *directory, wring_problem *p)
{
  const wring_phase  old = wring_phases_switch(&p->phases, WRING_PHASE_OUTPUT);
  const PetscScalar *q, *v;
  double            *row;
  char               file[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(6 * p->mesh->n_owned, &row));
  PetscCall(VecGetArrayRead(p->state.q, &q));
  PetscCall(VecGetArrayRead(p->state.v, &v));
  for (PetscInt i = 0; i < p->mesh->n_owned; i++) {
    PetscCall(PetscArraycpy(row + 6 * i, q + 3 * i, 3));
    PetscCall(PetscArraycpy(row + 6 * i + 3, v + 3 * i, 3));
  }
  PetscCall(VecRestoreArrayRead(p->state.v, &v));
  PetscCall(VecRestoreArrayRead(p->state.q, &q));
  snprintf(file, sizeof file, "%s/state.csv", directory);
  PetscCall(wring_csv_write_vertices(file, p->mesh, "x,y,z,vx,vy,vz", 6, row));
  PetscCall(PetscFree(row));
  wring_phases_switch(&p->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}
