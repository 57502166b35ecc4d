/* Private to src/mesh: making a wring_mesh_data. */
#pragma once
#include <wring/mesh.h>
#include "names.h"

PetscErrorCode wring_mesh_data_create(PetscInt n_vertex, PetscInt n_tet, wring_mesh_data **d); // arrays allocated

/* Six times the signed volume: det [x0-x3, x1-x3, x2-x3]. */
double wring_tet_det(const double *x0, const double *x1, const double *x2, const double *x3);
