/* Private to src/mesh: making a wring_mesh_data. */
#pragma once
#include <wring/mesh.h>
#include "names.h"

PetscErrorCode wring_mesh_data_create(PetscInt n_vertex, PetscInt n_tet, wring_mesh_data **d); // arrays allocated

/* Six times the signed volume: det [x1-x0, x2-x0, x3-x0]. */
double wring_tet_det(const double *x0, const double *x1, const double *x2, const double *x3);
