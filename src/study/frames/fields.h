/* Fields of frames at points and of cells: output.fields. */
#pragma once
#include <wring/problem.h>

/* Those that are computed only if they are chosen come last. */
typedef enum {
  WRING_DISPLACEMENT,
  WRING_VELOCITY,
  WRING_VERTEX,
  WRING_J,
  WRING_ENERGY_DENSITY,
  WRING_REGION,
  WRING_RANK,
  WRING_STRESS,
  WRING_VON_MISES,
  WRING_DEFORMATION_GRADIENT,
  WRING_MEMBRANE_FORCE,
  WRING_N_FIELD
} wring_field_name;

typedef enum { WRING_AT_POINTS, WRING_OF_CELLS } wring_field_place;

/* [cells] of a frame: tets, triangles, then others; 0 in cells where a field is not defined. Those not chosen: NULL. */
typedef struct {
  double *stress;               // [cells][6] Pa, of tets, NaN where J <= 0
  double *von_mises;            // [cells] Pa, likewise
  double *deformation_gradient; // [cells][9] of tets, row by row
  double *membrane_force;       // [cells][6] N/m, of triangles, NaN where the area is 0
} wring_fields;

/* The fields that output.fields names, as bits of `chosen`. Refused: one that no element has. Collective. */
PetscErrorCode wring_fields_choose(const wring_problem *p, unsigned *chosen);

/*
  Bytes of the chosen fields of a point or a cell with real numbers of `real` bytes: of those that are the same in all
  frames, or of the others. Not collective.
*/
double wring_fields_bytes(unsigned chosen, wring_field_place place, PetscBool fixed, double real);
double wring_fields_memory(unsigned chosen); // bytes of a cell in a wring_fields; not collective

/* Computes the fields of the state; J [cells] of the frame. Collective. */
PetscErrorCode wring_fields_create(wring_problem *p, unsigned chosen, PetscInt cells, const double *J, wring_fields *f);
PetscErrorCode wring_fields_destroy(wring_fields *f);

/* Lists the chosen fields at a place, with these values; how many. Not collective. */
int wring_fields_list(unsigned chosen, wring_field_place place, const void *const value[WRING_N_FIELD],
                      wring_field field[WRING_N_FIELD]);
