/* Private to src/potential. */
#pragma once
#include "rows.h"
#include <wring/potential.h>

/* Coordinates of owned vertices that hard attachments hold. */
typedef struct {
  PetscInt  n, n_all; // of this rank, of all
  PetscInt  n_twice;  // of all: held by a second attachment as well
  PetscInt *at;       // [n] 3 vertex + component, of local vertices, term by term
  PetscInt *index;    // [n_local][3] the place of a coordinate in this list, -1: free; NULL before the first list
  int      *term;     // [n] the term that holds it
  double   *place;    // [n] their values in x, m
  double   *free;     // [n] their y if they were free, m
  double   *force;    // [n] forces that hold them, at the last gradient, N
  char     *mark;     // [n_local] bit c: component c is held; NULL before the first list
  int       like[3];  // the first component that is held at the same vertices, on all ranks
  PetscBool whole;    // every vertex is held in all components or in none
} wring_held;

/* A matrix of the operator as it was made last, without inertia, m_i/h^2, which is on the diagonal only. */
typedef struct {
  PetscObjectId    id;        // of the matrix; 0: none was made
  PetscObjectState state;     // of the matrix when its diagonal was set last
  double           factor;    // of L in it
  PetscInt         stiffness; // of the potential when L was summed
  double          *diagonal;  // [n_owned] N/m
} wring_made;

/* Matrices of the patches of a term (means.c). */
typedef struct wring_means wring_means;

struct wring_potential {
  MPI_Comm          comm;
  const wring_mesh *mesh;   // borrowed
  wring_phases     *phases; // borrowed, may be NULL
  double            h;      // s
  PetscInt          revision;
  PetscInt          stiffness;     // a new value: L or what is held may have changed
  double            part;          // fraction of the step at which x is: 1/2 is its middle
  double           *mass;          // [n_local] kg: lumped + h drag; in statics N/m: the regularisation
  double           *lumped, *drag; // [n_owned] kg, kg/s; drag NULL: none
  wring_held        held;
  Vec               y, q;   // target, start of the step
  PetscBool         at_end; // q is at the end of the step, where colliders have stopped
  Vec               load;   // external dead forces, N; NULL: not set
  PetscBool         is_static, is_provisional;
  double           *ridge; // [n_owned] N/m, added to the diagonal of H; NULL: none
  int               n_term;
  wring_term      **term; // [n_term] owned
  int               n_contact;
  wring_contact   **contact;     // [n_contact] owned
  PetscInt          stop;        // vertex that bounded the last step, -1: none
  double            begin, time; // s: of the step, INFINITY: not known; of set_time
  double            progress;    // of colliders on their way in the step
  wring_pattern    *pattern;     // of the Hessian, built with the first one
  wring_scatter   **scatter;     // [n_term] of the pattern
  wring_block_rows *rows;        // of the matrices of this pattern; of A alone not kept
  PetscContainer    tag;         // of rows of these terms
  wring_means      *means;       // [n_term] with the first one that has patches
  Mat               elements;    // with patches: the Hessian without their part
  wring_couplings   couplings;   // of contacts in the last H: their room is used again
  Mat               inner;       // where contacts couple further vertices: the last H, with diagonal blocks of theirs
  wring_made        made[3];     // by component

  wring_term_rounding rounding;    // of all terms on all ranks
  PetscInt            rounding_of; // the value of stiffness that it is of
};

/* Sends owned values of x to the ghosts; between the two calls only owned values may be read. */
PetscErrorCode wring_potential_halo_begin(wring_potential *g, double *x);
PetscErrorCode wring_potential_halo_end(wring_potential *g, double *x);
/* Adds the forces on ghosts in f to those of their owners. */
PetscErrorCode wring_potential_sum_ghosts(wring_potential *g, double *f);

/* The factor of g->mass in g, A and H: 1/h^2, or 1 in statics. */
static inline double wring_potential_inertia_factor(const wring_potential *g)
{
  return g->is_static ? 1 : 1 / (g->h * g->h);
}

/* ---- matrix.c ---------------------------------------------------------------------------------------------------- */

/* g->rows of p, the pattern of the terms, unless they are there. Collective. */
PetscErrorCode wring_potential_make_rows(wring_potential *g, const wring_pattern *p);
/* g->pattern of H, and its rows. Refuses more entries than can be counted. Collective. */
PetscErrorCode wring_potential_make_pattern(wring_potential *g);
/* Appends the blocks of contacts at xa, a local array, in rows of this rank, as wring_contact_list_blocks does. */
PetscErrorCode wring_potential_list_contacts(wring_potential *g, const double *xa, wring_couplings *list);
/* definite: A is positive definite. Collective. */
PetscErrorCode wring_matrix_assemble(Mat A, PetscBool definite);
/* Adds m_i/h^2, in statics the regularisation, to the diagonal of owned vertices. */
void wring_matrix_add_mass(const wring_potential *g, const wring_pattern *p, double *value);

/* ---- means of J over patches (means.c) --------------------------------------------------------------------------- */

/* Before every pass of terms at x, a local array with ghosts up to date. */
PetscErrorCode wring_potential_find_means(wring_potential *g, const double *x);
/*
  The patches' part of the Hessian at x, where the means have been found: H = elements + that part, a matrix of another
  pattern that is made if *H is NULL; of its products with two directions; of its diagonal blocks [n_owned][6].
*/
PetscErrorCode wring_potential_add_means(wring_potential *g, wring_filter filter, const double *x, Mat elements,
                                         Mat *H);
PetscErrorCode wring_potential_add_mean_products(wring_potential *g, wring_filter filter, const double *x,
                                                 const double *u, const double *p, double sum[3]);
PetscErrorCode wring_potential_add_mean_diagonal(wring_potential *g, wring_filter filter, const double *x,
                                                 double *block);
PetscErrorCode wring_potential_destroy_means(wring_potential *g);

/* ---- coordinates that hard attachments hold (held.c) ------------------------------------------------------------- */

PetscErrorCode
wring_potential_list_held(wring_potential *g); // after a change of terms; refuses a vertex held as a whole twice
PetscErrorCode wring_potential_hold_target(wring_potential *g); // after y was set
PetscErrorCode wring_potential_destroy_held(wring_potential *g);
void wring_potential_clear_held(wring_potential *g, PetscBool gradient, double *f); // f = 0; stores their forces
void wring_potential_add_held(const wring_potential *g, double *force);             // force [n_term][3]

/* Rows and columns of held coordinates become those of M/h^2; value [nnz] of a component, or blocks, of this rank. */
void wring_potential_eliminate(const wring_potential *g, const wring_pattern *p, int component, double *value);
void wring_potential_eliminate_diagonal(const wring_potential *g, double *block); // [n_owned][6]
void wring_potential_eliminate_blocks(const wring_potential *g, const wring_pattern *p, const wring_block_values *v);
