/*
  Private to src/operator: rows that other ranks own, and persistent messages with the ranks that own them or hold
  copies. Every message has its own place in memory and is sent again with one call; nothing is allocated after set-up.
*/
#pragma once
#include "base/exchange.h"

/* Which ranks own the ghosts of this rank, and which hold ghosts of its rows. Ranks ascend. */
typedef struct {
  PetscInt       n_ghost;
  PetscInt      *global; // [n_ghost] ascending
  wring_exchange asked;  // its rows sent are the ghosts, by owner; asked.asked [n_got] local rows that other ranks hold
} wring_neighbours;

/* Refuses more rows of three numbers on a rank, those of others among them, than 32 bits can address. Collective. */
PetscErrorCode wring_neighbours_check(MPI_Comm comm, PetscInt64 rows);

/* rows: the layout of the rows; global [n_ghost]: ascending, none of this rank's. Checks n_ghost. Collective. */
PetscErrorCode wring_neighbours_create(PetscLayout rows, PetscInt n_ghost, const PetscInt *global, wring_neighbours *n);
PetscErrorCode wring_neighbours_destroy(wring_neighbours *n);
double         wring_neighbours_memory(const wring_neighbours *n); // bytes, this rank

/* ghost [n_ghost][size bytes] from x [rows of this rank][size] of the owners, for set-up. Collective. */
PetscErrorCode wring_neighbours_fetch(const wring_neighbours *n, size_t size, const void *x, void *ghost);

/* Messages that fill ghosts from their owners (fetch) or bring ghosts to their owners (give). */
typedef struct {
  const wring_neighbours *of;      // borrowed
  MPI_Comm                comm;    // own duplicate of PETSc, with its own tag
  size_t                  size;    // of a number
  int                     width;   // numbers of a row
  void                   *ghost;   // [n_ghost][width] and a spare number, received by fetch, sent by give
  void                   *shared;  // [asked.n_got][width] sent by fetch, received by give
  int                     n;       // requests
  MPI_Request            *request; // [n]
} wring_messages;

/*
  `width` numbers of type MPI_FLOAT or MPI_DOUBLE a row. fetch: towards the ghosts. The structure must not move, nor n
  be destroyed, while it is used. Collective.
*/
PetscErrorCode wring_messages_create(const wring_neighbours *n, MPI_Datatype type, int width, PetscBool fetch,
                                     wring_messages *m);
PetscErrorCode wring_messages_destroy(wring_messages *m);
double         wring_messages_memory(const wring_messages *m); // bytes, this rank

/*
  Copies the shared rows of x [n][width] and starts; x may change then. The end copies m->ghost to ghost
  [n_ghost][width] unless that is NULL. Collective.
*/
PetscErrorCode wring_fetch_begin(wring_messages *m, const void *x);
PetscErrorCode wring_fetch_end(wring_messages *m, void *ghost);

/*
  Starts to send m->ghost, which must not change before the end. The end adds to x [n][width] in the order of ranks,
  whichever message arrives first. Float. Collective.
*/
PetscErrorCode wring_give_begin(wring_messages *m);
PetscErrorCode wring_give_end(wring_messages *m, float *x);
