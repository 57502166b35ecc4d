/* Private to src/mesh/read: the elements of a file with the places of their nodes in place of their numbers. */
#pragma once
#include "raw.h"

typedef struct {
  wring_raw  *raw; // borrowed, as is s
  wring_scan *s;
  PetscInt   *tet;   // [n_tet][4] nodes
  PetscInt   *lower; // [n_lower][3] nodes
} wring_build;

/*
  Looks up the nodes of all elements. A node that is given twice, one that does not exist and an element that has a node
  twice are faults of the scanner. Points are put into the order of their numbers.
*/
PetscErrorCode wring_build_find_nodes(wring_build *b);
PetscErrorCode wring_build_destroy(wring_build *b);

/* Checks that each triangle between three nodes of tets is a face of a tet. */
PetscErrorCode wring_build_check_triangles(const wring_build *b);

/*
  Sets d->set_element to the triangles and lines of the groups, which are the sets of d; vertex [n_node]: numbers in d,
  or -1.
*/
PetscErrorCode wring_build_keep_elements(const wring_build *b, const PetscInt *vertex, wring_mesh_data *d);
