/*
  Layer 4, block descent: Gauss-Seidel over vertices. A sweep visits the vertices by colours and moves each by a Newton
  step of the energy in its own three coordinates, the others fixed. docs/theory.md (5.29) to (5.31)

  No element joins two vertices of a colour, so that the vertices of a colour are independent: results depend neither on
  the number of threads, to the last bit, nor on the number of ranks, but for rounding. Colours follow from original
  numbers. The owner of a vertex has a copy of all elements at the vertex, also of those that belong to other ranks;
  each colour ends with one exchange of the vertices that it has moved.

  All functions are collective unless their comments state otherwise. Only one thread at a time may use a descent; it
  starts OpenMP threads.

  Map of src/term/descent: descent_impl.h (the data structures), descent_share.c (elements of other ranks),
  descent_colour.c (colours), descent_build.c (blocks and their order), descent_solve.h (the system of one vertex),
  descent.c (sums over the elements at a vertex, the search, the loops).
*/
#pragma once
#include <wring/term.h>

typedef struct wring_descent wring_descent;

/* Energy at x [3] of an owned vertex, gradient f [3] and Hessian K [6] (xx yy zz xy yz xz). */
typedef struct {
  double energy, f[3], K[6];
} wring_descent_sum;

/* Adds the energy of a vertex at x to *sum, without derivatives if only VALUE is set; threads call it at once. */
typedef void wring_descent_more(void *context, wring_work work, PetscInt vertex, const double x[3],
                                wring_descent_sum *sum);

/* What a sweep minimises in addition to the terms, and how; everything is borrowed until the last sweep. */
typedef struct {
  double              factor;     // of mass |x - y|^2/2: 1/h^2, in statics 1
  const double       *mass;       // [n_owned]
  const double       *target;     // y [n_owned][3] m
  const double       *load;       // [n_owned][3] N, or NULL: 0
  const char         *held;       // [n_local] components that do not move, as wring_potential_held_marks, or NULL: none
  wring_descent_more *more;       // other energies of single vertices, or NULL
  void               *context;    // of more
  PetscBool           definite;   // use the definite model of each element's Hessian
  double              relaxation; // factor of every step: over-relaxation above 1
  PetscBool           search;     // halve steps that raise the energy; otherwise every step is taken, as in the paper
} wring_descent_rule;

/* mesh, terms and phases are borrowed; phases may be NULL. Every law has a Hessian. */
PetscErrorCode wring_descent_create(const wring_mesh *mesh, int n_term, wring_term *const *term, wring_phases *phases,
                                    wring_descent **d);
PetscErrorCode wring_descent_destroy(wring_descent **d);

/* Call before the sweeps of a step, at the start x [n_owned][3] m: reads targets and active terms. */
PetscErrorCode wring_descent_begin(wring_descent *d, const wring_descent_rule *rule, const double *x);

/* Replaces the rule, whose arrays may have moved. Not collective. */
void wring_descent_set_rule(wring_descent *d, const wring_descent_rule *rule);

PetscErrorCode wring_descent_run(wring_descent *d, double *x); // one sweep, x [n_owned][3] in place
