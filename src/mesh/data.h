/* Private to src/mesh: making a wring_mesh_data. */
#pragma once
#include <wring/mesh.h>
#include "names.h"

PetscErrorCode wring_mesh_data_create(PetscInt n_vertex, PetscInt n_tet, wring_mesh_data **d); // arrays allocated

/* Six times the signed volume: det [x1-x0, x2-x0, x3-x0]. */
double wring_tet_det(const double *x0, const double *x1, const double *x2, const double *x3);

/* 12 (9 V^2)^(1/3) / sum of the six squared edges: 1 for the regular tet. */
double wring_tet_quality(const double *const x[4], double volume);
