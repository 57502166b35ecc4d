/* Private to src/mesh: the assignment of tets and vertices to parts. Serial. */
#pragma once
#include <wring/mesh.h>

/* tet_part [n_tet] and vertex_part [n_vertex] in [0, n_part). A part may be empty. */
PetscErrorCode wring_mesh_partition(const wring_mesh_data *d, PetscInt n_part, PetscInt *tet_part,
                                    PetscInt *vertex_part);
