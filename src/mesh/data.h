/* Private to src/mesh and src/io: wring_names, creating a wring_mesh_data; measures of tets and meshes. */
#pragma once
#include <wring/mesh.h>
#include "base/vector3.h"

/* The new name, which is copied, has number names->n. */
PetscErrorCode wring_names_add(wring_names *names, const char *name, size_t length);
PetscErrorCode wring_names_copy(const wring_names *from, wring_names *to); // to: zero on input
PetscErrorCode wring_names_clear(wring_names *names);

/* From rank 0 to the others, whose names are replaced. Collective. */
PetscErrorCode wring_names_broadcast(MPI_Comm comm, wring_names *names);

/*
  Whether all vertices, in rows of 3, and the tets of a rank can be counted. If not, the error names `where`
  (base/count.h).
*/
PetscBool wring_mesh_data_fits(const char *where, PetscInt64 n_vertex, PetscInt64 n_tet, wring_error *e);

/*
  Whether the tables of a distributed mesh can be counted: the coordinates of all `whole` vertices, the 3 x 3 blocks of
  n_local vertices of one rank with ghosts, and its n_tet tets. If not, sets the error. Other tables of a mesh have at
  most these entries.
*/
PetscBool wring_mesh_part_fits(PetscInt64 whole, PetscInt64 n_local, PetscInt64 n_tet, wring_error *e);

/* Allocates the arrays for this many vertices and tets, which must fit, and sets nothing else. Serial. */
PetscErrorCode wring_mesh_data_create(PetscInt64 n_vertex, PetscInt64 n_tet, wring_mesh_data **d);

/*
  d->set_start and d->set_vertex from member [n][2] set and original number of vertices of this slice, those of a set in
  ascending order. Serial.
*/
PetscErrorCode wring_mesh_data_fill_sets(wring_mesh_data *d, PetscInt n, const PetscInt *member);

/* Six times the signed volume: det [x1-x0, x2-x0, x3-x0]. */
double wring_tet_det(const double *x0, const double *x1, const double *x2, const double *x3);

/* The inverse B of D = [a, b, c], columns: its rows are b x c, c x a, a x b over det D; volume = -det D/6. */
static inline void wring_tet_invert(const double a[3], const double b[3], const double c[3], double B[9],
                                    double *volume)
{
  wring_cross3(b, c, B);
  wring_cross3(c, a, B + 3);
  wring_cross3(a, b, B + 6);
  const double det = wring_dot3(a, B);
  for (int i = 0; i < 9; i++) B[i] /= det;
  *volume = -det / 6;
}

/* 12 (9 V^2)^(1/3) / sum of the six squared edges: 1 for the regular tet. */
double wring_tet_quality(const double *const x[4], double volume);

/* The volume of wring_tet_rest_at, from the Jacobians at the corners. */
double wring_tet_volume_at(const double corner[4][9], const double L[4]);

/*
  Of a second-order tet of ten points X [10][3] m: the least of the volumes of wring_tet_rest_at at its corners and at
  the points of a rule; its volume.
*/
double wring_tet_least(const double X[30], const wring_quadrature *rule, double *volume);

/* The bounding box of the mesh at rest, and 1e-9 of its diagonal: within it, points are the same. Collective. */
PetscErrorCode wring_mesh_tolerance(const wring_mesh *m, double *tolerance, double low[3], double high[3]);
