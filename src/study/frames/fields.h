/* Cell data of frames by choice: output.fields. */
#pragma once
#include <wring/problem.h>

enum { WRING_MAX_FIELDS = 4 };

/* [cells] of a frame: tets, triangles, then others; 0 in cells where a field is not defined. Those not chosen: NULL. */
typedef struct {
  double *stress;               // [cells][6] Pa, of tets, NaN where J <= 0
  double *von_mises;            // [cells] Pa, likewise
  double *deformation_gradient; // [cells][9] of tets, row by row
  double *membrane_force;       // [cells][6] N/m, of triangles, NaN where the area is 0
} wring_fields;

/* The fields that output.fields names, as bits of `chosen`. Refused: one that no element has. Collective. */
PetscErrorCode wring_fields_choose(const wring_problem *p, unsigned *chosen);
double         wring_fields_bytes(unsigned chosen); // memory of a cell; not collective
int            wring_fields_reals(unsigned chosen); // numbers of a cell in a frame; not collective

/* Fields with the value 0. Not collective. */
PetscErrorCode wring_fields_allocate(unsigned chosen, PetscInt cells, wring_fields *f);

/* Computes the fields of the state; J [cells] of the frame. Collective. */
PetscErrorCode wring_fields_create(wring_problem *p, unsigned chosen, PetscInt cells, const double *J, wring_fields *f);
PetscErrorCode wring_fields_destroy(wring_fields *f);
int wring_fields_list(const wring_fields *f, wring_field field[WRING_MAX_FIELDS]); // how many; not collective
