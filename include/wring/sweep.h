/*
  Layer 4, sweeps: Gauss-Seidel over the constraints C_j of terms, element by element, each of which moves its vertices
  along M^{-1} grad C_j. docs/theory.md (5.25)-(5.28)

  Elements come in groups: tets under materials, then under each law on top of them in the order of the list of laws;
  fibres; triangles; hinges; springs; attachments: tets first, then by columns of z and by vertices, both descending.
  Every element of every term is in one group. The constraints of an element are consecutive.

  All functions are collective unless their comments state otherwise. Only one thread at a time may use a sweep; it
  starts OpenMP threads.

  Map of src/term/sweep: sweep_impl.h (the data structures of a sweep), sweep_build.c (groups, blocks, their order),
  colour.h (elements that share no vertex), used.c (colours and shared numbers that are taken), sweep.c (one block; the
  loops), sweep_halo.c (exchange between ranks). The length of a constraint's move is computed here; the constraints
  themselves are in src/law.
*/
#pragma once
#include <wring/term.h>

typedef struct wring_sweep wring_sweep;

typedef enum {
  /*
    By colours of elements that share no vertex, computed from original vertex numbers: iterates depend neither on the
    number of ranks nor of threads. One halo exchange per colour.
  */
  WRING_ORDER_COLORED,
  /*
    The same colours inside each rank without exchange; then a vertex moves by the average of its moves on the ranks
    with elements there. One exchange per sweep. Depends on the partition; conserves momentum on one rank only.
  */
  WRING_ORDER_HYBRID,
  /* Tets by original number, springs and attachments as given. One rank, one thread: for tests. */
  WRING_ORDER_SEQUENTIAL
} wring_order;

typedef enum { WRING_SWEEP_COMPLIANT, WRING_SWEEP_RIGID, WRING_SWEEP_PENALTY } wring_sweep_type;

/* How far a constraint moves its vertices: COMPLIANT (5.26), RIGID (5.27), PENALTY (5.28). */
typedef struct {
  wring_sweep_type type;
  double           h;       // s
  double           factor;  // RIGID: part of the way to C = 0
  double           damping; // beta or c of constraints without their own damping, N s/m where C is in m
} wring_sweep_rule;

/* mesh, terms and phases are borrowed; phases may be NULL. SEQUENTIAL on several ranks is an error. */
PetscErrorCode wring_sweep_create(const wring_mesh *mesh, int n_term, wring_term *const *term, wring_order order,
                                  wring_phases *phases, wring_sweep **s);
PetscErrorCode wring_sweep_destroy(wring_sweep **s);

/*
  Call before the sweeps of a step: reads the targets and the active terms, and sets all multipliers to 0. mass
  [n_owned] kg > 0, INFINITY: never moved; held [n_local], borrowed until the last sweep: components of vertices that
  are never moved, as wring_potential_held_marks, or NULL: none; reference [n_owned][3]: positions q [m] at the start of
  the step (COMPLIANT), or velocities [m/s] (PENALTY), to which damping refers; RIGID ignores it.
*/
PetscErrorCode wring_sweep_begin(wring_sweep *s, const wring_sweep_rule *rule, const double *mass, const char *held,
                                 const double *reference);

PetscErrorCode wring_sweep_run(wring_sweep *s, double *x); // one sweep, x [n_owned][3] in place

/* Constraints skipped because C or its gradient was not finite, on this rank, in all sweeps. Not collective. */
PetscInt64 wring_sweep_not_finite(const wring_sweep *s);
