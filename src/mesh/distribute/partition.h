/* Private to src/mesh: which part gets each tet and each vertex. Serial. */
#pragma once
#include <wring/mesh.h>

/* tet_part [n_tet] and vertex_part [n_vertex] in [0, n_part). Any part may get nothing. */
PetscErrorCode wring_mesh_partition(const wring_mesh_data *d, PetscInt n_part, PetscInt *tet_part,
                                    PetscInt *vertex_part);
