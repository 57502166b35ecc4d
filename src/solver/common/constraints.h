/* Private to src/solver: the constraints of all terms as rows, for methods that solve one system for all of them. */
#pragma once
#include "solver_impl.h"

enum { WRING_MAX_ROW = 30 }; // coordinates of a row: those of a tet of order 2

typedef struct {
  int                    n_term;
  wring_constraint_rows *rows; // [n_term]
  double                *root; // [n_local][3] M^(-1/2), kg^(-1/2)
} wring_constraints;

/* In set_up; any: as in wring_constraint_rows_create. Collective. */
PetscErrorCode wring_constraints_create(wring_solver *s, PetscBool any, wring_constraints *c);
/* In begin: root of the present masses, 0 of coordinates that hard attachments hold. Collective. */
PetscErrorCode wring_constraints_set_masses(wring_solver *s, wring_constraints *c);
/* The rows at x; counted as work. *n: those of this rank. Collective. */
PetscErrorCode wring_constraints_find(wring_solver *s, Vec x, wring_constraints *c, PetscInt *n);
PetscErrorCode wring_constraints_destroy(wring_constraints *c);

/* |dC/dx M^(-1/2)|^2 of row j of r; entry = dC/dx M^(-1/2). */
double wring_constraint_inertia(const wring_constraints *c, const wring_constraint_rows *r, PetscInt j,
                                double entry[WRING_MAX_ROW]);
