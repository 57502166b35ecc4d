/*
  Layer 4, terms: a batch of elements that share a stencil and a law,
    E(x) = sum_e w_e psi(z_e),   z_e = G_e x_e,   x_e the m vertices of element e.             docs/theory.md (2.1)

  The one place with element loops and threads. Elements are worked on in chunks (docs/developer.md): sums have one
  order at any number of threads. All functions are local to the rank; x and f are arrays [n_local][3] of owned
  vertices, then ghosts.

  What the caller does between ranks:
    - Every rank makes the same terms in the same order, empty ones too: what uses terms is collective.
    - An element belongs to exactly one rank. A tet is on the rank that the mesh gives it; a spring, triangle or hinge
      on any one rank that has all of its vertices, owned or ghost; an attachment on the rank that owns its vertex. An
      element with vertices that no rank has together needs wring_mesh_extend_halo, before any term is made.
    - Ghosts of x are up to date before `boundary` and all functions that take x. f of ghosts is this rank's part: the
      caller sends it to the owners.

  Threads: a term or a splitting is used by one thread at a time; functions start OpenMP threads themselves. Nothing
  here changes settings of the process.

  Map of src/term, in the order of reading:
    term_impl.h              how a term lies in memory
    chunk.c                  a term's blocks and chunks
    tets.c membranes.c hinges.c springs.c attachments.c   the builders, one for each kind of element
    vertex_rows.h kernels.h  gather, z = G x and scatter of one block
    pass.c                   the loops: energy, gradient, residual
    mass.c deformation.c bound.c splitting.c   other passes: metric of masses, F at vertices, longest step, admm
    assembly.c constraint_rows.c               matrices; constraints as rows
    term.c                   destruction and queries
    sweep/                   Gauss-Seidel over constraints: wring/sweep.h
  What a law computes is in src/law, what ranks exchange in src/potential.
*/
#pragma once
#include <wring/curve.h>
#include <wring/law.h>
#include <wring/mesh.h>

typedef struct wring_term wring_term;

/* ---- builders (one file each); everything is copied; not collective ---------------------------------------------- */

/* Tets of one region under a material law; par [law->n_par]; proxy [Pa] replaces the law's slope k unless it is 0. */
PetscErrorCode wring_term_create_tets(const wring_mesh *mesh, PetscInt region, const wring_law *law, const double *par,
                                      double proxy, wring_term **t);

/*
  The same with w_e = scale times the rest volume, scale [mesh->n_tet] > 0 of every tet: it scales psi and the proxy.
  NULL: 1. A law on top of materials (wring_law_on_top) is a second term of the same tets.
*/
PetscErrorCode wring_term_create_scaled_tets(const wring_mesh *mesh, PetscInt region, const wring_law *law,
                                             const double *par, double proxy, const double *scale, wring_term **t);

/*
  Fibres of the tets of one region under a law with q = 1: z = F d, d = direction [mesh->n_tet][3], unit vectors at
  rest.
*/
PetscErrorCode wring_term_create_fibres(const wring_mesh *mesh, PetscInt region, const wring_law *law,
                                        const double *par, const double *direction, wring_term **t);

/* Springs between local vertices (owned or ghost) a[e], b[e], each on one rank only; stiffness [N/m], length [m]. */
PetscErrorCode wring_term_create_springs(const wring_mesh *mesh, const char *name, PetscInt n, const PetscInt *a,
                                         const PetscInt *b, const double *stiffness, const double *length,
                                         wring_term **t);

/* The same with damping [n] N s/m each, 0: none; it enters methods with damping, never the energy. */
PetscErrorCode wring_term_create_damped_springs(const wring_mesh *mesh, const char *name, PetscInt n, const PetscInt *a,
                                                const PetscInt *b, const double *stiffness, const double *length,
                                                const double *damping, wring_term **t);

/*
  Triangles vertex [n][3] of local vertices (owned or ghost) under a law with q = 2, par [law->n_par]. Their rest areas,
  which are above 0, are weights; docs/theory.md 3.9.
*/
PetscErrorCode wring_term_create_triangles(const wring_mesh *mesh, const char *name, const wring_law *law,
                                           const double *par, PetscInt n, const PetscInt *vertex, wring_term **t);

/*
  Hinges vertex [n][4] (wring_hinge_rest) of local vertices under a law of bending; stiffness [N m]. docs/theory.md 3.10
*/
PetscErrorCode wring_term_create_hinges(const wring_mesh *mesh, const char *name, const wring_law *law,
                                        double stiffness, PetscInt n, const PetscInt *vertex, wring_term **t);

/* How the targets of an attachment move: rigidly with the velocity and the spin about the centre, until a time. */
typedef struct {
  double                  velocity[3]; // m/s
  double                  spin[3];     // deg/s: a rotation by |spin| t about the direction of spin through centre
  double                  centre[3];   // m
  double                  until;       // s; INFINITY: always
  double                  release;     // s; active in steps that end by release; INFINITY: never released
  const wring_time_curve *path;        // of three values, m: the shift of all targets instead of velocity; or NULL
} wring_motion;

/* Attachments of owned vertices: stiffness [n] N/m, target [n][3] m at time 0. */
PetscErrorCode wring_term_create_attachments(const wring_mesh *mesh, const char *name, PetscInt n,
                                             const PetscInt *vertex, const double *stiffness, const double *target,
                                             const wring_motion *motion, wring_term **t);

/*
  Hard attachments: owned vertices that are at their targets at the end of every step. The term has no elements
  and no energy; a potential that has it eliminates these vertices from its unknowns. docs/theory.md (3.10)
*/
PetscErrorCode wring_term_create_hard_attachments(const wring_mesh *mesh, const char *name, PetscInt n,
                                                  const PetscInt *vertex, const double *target,
                                                  const wring_motion *motion, wring_term **t);
PetscErrorCode wring_term_destroy(wring_term **t);

const char      *wring_term_name(const wring_term *t); // region, set or spring name; borrowed
const wring_law *wring_term_law(const wring_term *t);
PetscInt         wring_term_size(const wring_term *t); // elements on this rank
PetscBool        wring_term_active(const wring_term *t);
PetscBool        wring_term_is_attachment(const wring_term *t);
PetscBool        wring_term_is_hard(const wring_term *t);
/*
  What a hard attachment holds now: the number of vertices, 0 of other terms and after release; borrowed [n], [n][3] m.
*/
PetscInt  wring_term_held(const wring_term *t, const PetscInt **vertex, const double **target);
PetscBool wring_term_is_damped(const wring_term *t); // has springs with damping on this rank

/*
  Moves targets to `time`, those of hard attachments to `end`, and switches the term on or off for a step that ends at
  `end` [s]; *changed: its part of A is no longer valid.
*/
void wring_term_set_time(wring_term *t, double time, double end, PetscBool *changed);

/* ---- element loops ----------------------------------------------------------------------------------------------- */

/*
  What a loop computes. Valid: VALUE, GRADIENT, VALUE | GRADIENT (one pass), RESIDUAL, MASS, VALUE | MASS, COUNT. The
  same work in interior, boundary and finish.
*/
typedef enum { WRING_VALUE = 1, WRING_GRADIENT = 2, WRING_RESIDUAL = 4, WRING_MASS = 8, WRING_COUNT = 16 } wring_work;

/*
  interior: elements that touch owned vertices only; boundary: the others, which need ghosts of x. finish adds to f what
  chunks share and returns the energy of both passes [J] (0 without VALUE). f is NULL with VALUE alone.
    VALUE     sum_e w_e psi(z_e), the return value of finish
    GRADIENT  f += dE/dx [N]
    RESIDUAL  f += sum_e w_e k_e G_e^T (p_e - z_e) [N]; needs law->project
    MASS      f += sum_e M_e (p_e - x_e) [kg m], p_e the places of the vertices in the nearest rest state in the metric
              of their masses; the energy is sum_e |p_e - x_e|_M^2/2 [kg m^2]. docs/theory.md (5.3). Needs
              wring_term_set_masses and wring_term_has_rest_pose.
    COUNT     f[v] += 1, all three numbers, for each element at v
*/
void   wring_term_interior(wring_term *t, wring_work work, const double *x, double *f);
void   wring_term_boundary(wring_term *t, wring_work work, const double *x, double *f);
double wring_term_finish(wring_term *t, wring_work work, double *f);

/* mass [n_local] kg of vertices, borrowed. */
void wring_term_set_masses(wring_term *t, const double *mass);

/* Whether the nearest rest state in the metric of masses is known: law->pose. */
PetscBool wring_term_has_rest_pose(const wring_term *t);

/* Symmetric pattern of local vertices that share an element, diagonal included: row a's columns are sorted. */
typedef struct {
  PetscInt  n;      // n_local
  PetscInt *start;  // [n + 1]
  PetscInt *column; // [start[n]]
} wring_pattern;

PetscErrorCode wring_pattern_create(PetscInt n_local, PetscInt n_terms, wring_term *const *terms, wring_pattern **p);
PetscErrorCode wring_pattern_destroy(wring_pattern **p);
void           wring_term_add_laplacian(const wring_term *t, const wring_pattern *p, double factor,
                                        double *value); // [nnz] += factor w k G^T G
/*
  [nnz] += factor w G^T B G, B_kl [q][q] the mean over d = x, y, z of the psd Hessian's entries (dk, dl) at x.
  docs/theory.md (5.13)
*/
void wring_term_add_mean_hessian(const wring_term *t, double factor, const double *x, const wring_pattern *p,
                                 double *value);
void wring_term_add_hessian(const wring_term *t, PetscBool psd, const double *x, const wring_pattern *p,
                            double *value); // [nnz][3][3]

/*
  Constraints of a term as rows of a linear system, by law->row: C_j, dC_j/dx at the m vertices of its element, and
  w_e k_j = 1/alpha_j. docs/theory.md 3.6. Rows of an element follow one another.
*/
typedef struct {
  PetscInt  n;      // rows of this rank, 0 while the term is off
  int       m;      // vertices of a row
  PetscInt *vertex; // [n][m] local
  double   *C, *k;  // [n] m or a pure number; N/m or J
  double   *dC;     // [n][m][3]
} wring_constraint_rows;

/* Why the term cannot give rows: words for a message, or NULL where it can. Not collective. */
const char *wring_term_no_rows(const wring_term *t);

PetscErrorCode wring_constraint_rows_create(const wring_term      *t,
                                            wring_constraint_rows *r); // room for all rows; not collective
PetscErrorCode wring_constraint_rows_destroy(wring_constraint_rows *r);
void           wring_term_rows(const wring_term *t, const double *x, wring_constraint_rows *r); // at x [n_local][3]

/*
  Adds each tet's energy per rest volume [J/m^3] to density, and sets J = det F, both [mesh->n_tet]; nothing but density
  for fibres, and nothing at all for elements that are not tets.
*/
void wring_term_cell_data(const wring_term *t, const double *x, double *density, double *J);

/* energy[e] += w psi [J] of the e-th spring, triangle or hinge of the list that the term was made from, at x. */
void wring_term_add_energies(const wring_term *t, const double *x, double *energy);

/*
  f += sum over this rank's tets at each vertex of w_e times row 0, 1 or 2 of F; f as of the loops above. Materials
  only.
*/
void wring_term_add_deformation(wring_term *t, const double *x, int row, double *f);

/*
  Sum over this rank's tets of (w_e k_e)^2 [J^2]: psi of a law is a difference of terms of the size of k, so that every
  element adds a rounding error of about eps w_e k_e to the energy, however small the energy is. 0 for laws with q = 1:
  theirs is not.
*/
double wring_term_squared_scale(const wring_term *t);

/*
  The largest alpha in (0, 1] up to which no tet of a law that is infinite for det F <= 0 becomes flat on the way to
  x + alpha d, ghosts of x and d up to date; INFINITY if none does, or if the law is finite. docs/theory.md (5.10).
  is_bounded: the law is infinite there, and the term is active.
*/
PetscBool wring_term_is_bounded(const wring_term *t);
double    wring_term_bound(const wring_term *t, const double *x, const double *d);

/* Sum over this rank's elements of -dE/dx over all their vertices: what the attachment exerts on the body [N]. */
void wring_term_resultant(const wring_term *t, const double *x, double force[3]);

/* ---- splittings: what alternating directions (admm) keeps of every element --------------------------------------- */

/*
  One local value z_e and one scaled dual u_e for every element of a term; a term may have several splittings. An
  iteration is interior, boundary, finish, as above, with W_e^2 = factor w_e k_e:             docs/theory.md (5.15)
    z <- prox(D x + u, factor k_e),   u <- u + D x - z,   f += sum_e W_e^2 G_e^T (z - u - D x) [N].
*/
typedef struct wring_splitting wring_splitting;

PetscErrorCode wring_splitting_create(wring_term *t, wring_splitting **s); // t is borrowed; needs law->prox; u = 0
PetscErrorCode wring_splitting_destroy(wring_splitting **s);
void           wring_splitting_start(wring_splitting *s, double keep); // z = D x of the next iteration, u <- keep u
void           wring_splitting_interior(wring_splitting *s, double factor, const double *x, double *f);
void           wring_splitting_boundary(wring_splitting *s, const double *x, double *f);
/* residual: sums over this rank's elements of W^2 |D x - z|^2 and W^2 |z - z before|^2 [J]. */
void wring_splitting_finish(wring_splitting *s, double *f, double residual[2]);

/*
  The duals as one array W u [size] [J^(1/2)], W_e^2 = factor w_e k_e, for methods that mix iterates: equal factors undo
  each other. Its length counts padded places, which are 0 and which put leaves alone.
*/
PetscInt wring_splitting_size(const wring_splitting *s);
void     wring_splitting_get_dual(const wring_splitting *s, double factor, double *dual);
void     wring_splitting_put_dual(wring_splitting *s, double factor, const double *dual);
