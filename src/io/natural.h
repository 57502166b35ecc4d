/*
  Vertex values between their owners and the natural layout: blocks of the original order, one per rank, as in files.
*/
#pragma once
#include <wring/mesh.h>

/* The values of one vertex; freed with MPI_Type_free. */
PetscErrorCode wring_natural_unit(int width, MPI_Datatype *unit);

/* The rows of this rank in the natural layout. Collective. */
PetscErrorCode wring_natural_rows(const wring_mesh *m, PetscInt *begin, PetscInt *n);

/* Sends value [n_owned][width] to *row [n][width], freed by the caller. Collective. */
PetscErrorCode wring_natural_gather(const wring_mesh *m, int width, const double *value, double **row);

/* Sends row [n][width] to value [n_owned][width]. Collective. */
PetscErrorCode wring_natural_scatter(const wring_mesh *m, int width, const double *row, double *value);
