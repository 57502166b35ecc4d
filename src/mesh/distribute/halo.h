/* Private to src/mesh: ghosts and the two PetscSFs of a distributed mesh. */
#pragma once
#include <wring/mesh.h>

/* m->halo from m->global [n_local]; through it the ghosts' original numbers and rest positions, and m->by_original. Collective. */
PetscErrorCode wring_mesh_build_halo(wring_mesh *m);

/* m->natural from m->original, and m->global from m->begin, of the owned vertices. Collective. */
PetscErrorCode wring_mesh_build_natural(wring_mesh *m);

/* m->tet has global numbers, and the rest what owned vertices have: finds the ghosts, makes m->tet local, m->halo and all
  that wring_mesh_build_halo does. Collective. */
PetscErrorCode wring_mesh_join(wring_mesh *m);

/* Global numbers of any original numbers, by m->natural and m->global of the owned vertices. Collective. */
PetscErrorCode wring_mesh_find_globals(const wring_mesh *m, PetscInt n, const PetscInt *original, PetscInt *global);
