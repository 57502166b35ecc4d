/*
  Layer 4, terms: a batch of elements that share a stencil and a law,
    E(x) = sum_e w_e psi(z_e),   z_e = G_e x_e,   x_e the m vertices of element e.             docs/theory.md (2.1)

  All element loops and their threads are in this layer. Elements are processed in chunks (docs/developer.md): the order
  of sums does not depend on the number of threads. Functions are local to the rank unless marked collective; x and f
  are arrays [n_local][3] of owned vertices, then ghosts.

  What the caller does between ranks:
    - Every rank creates the same terms in the same order, including empty ones, since the functions of a potential are
      collective.
    - An element belongs to exactly one rank. A tet is on the rank that the mesh assigns to it; a spring, triangle or
      hinge on any one rank that has all of its vertices, owned or ghost; an attachment on the rank that owns its
      vertex. An element whose vertices no single rank has needs wring_mesh_extend_halo, before any term is created.
    - Ghosts of x are up to date before WRING_BOUNDARY and all functions that take x. f of ghosts is this rank's
      contribution: the caller sends it to the owners.

  Threads: only one thread at a time may use a term or a splitting; functions start OpenMP threads themselves. No
  function here changes settings of the process.

  Map of src/term, in reading order:
    term_impl.h              the data structures of a term
    chunk.c                  a term's blocks and chunks
    tets.c listed.c attachments.c   the builders; copies.c: rows of vertices from one rank to others
    vertex_rows.h kernels.h  gather, z = G x and scatter of one block
    pass.c                   the loops: energy, gradient, residual
    mass.c deformation.c bound.c splitting.c   other passes: metric of masses, F at vertices, longest step, admm
    stress.c                 F and stresses of elements; tets that are inverted
    assembly.c hessian.c constraint_rows.c     matrices; constraints as rows
    curvature.c                                the Hessian without a matrix: diagonal blocks, products
    term.c                   destruction and queries; components, moduli at rest, stiffness of points and edges
    pattern.c                the pattern of vertices that share an element, and A in it
    mean.c                   means of J over patches, for laws that are split
    linear_pressure.c        pressures that are linear in a step, of materials that are nearly incompressible
    sweep/                   Gauss-Seidel over constraints: wring/sweep.h
    descent/                 Gauss-Seidel over vertices: wring/descent.h
  Functions of laws are in src/law, exchanges of x and f between ranks in src/potential.
*/
#pragma once
#include <wring/curve.h>
#include <wring/law.h>
#include <wring/mesh.h>

typedef struct wring_term wring_term;

/* ---- builders (one file each); everything is copied; not collective ---------------------------------------------- */
/* A law with other columns than a builder's elements is an error, PETSC_ERR_ARG_WRONG. */

/*
  Tets of one region under a material law, of the mesh's order: those of order 2 have several quadrature points,
  wring_mesh_quadrature, at each of which the law is evaluated; what is one number for each tet below is then the mean
  over its points, by volume. docs/theory.md (3.1b). par [law->n_par]; proxy [Pa] replaces the law's slope k unless it
  is 0. w_e = scale times the rest volume, scale [mesh->tets.n] > 0 of every tet, which scales psi and the proxy; NULL:
  1. A law on top of materials (wring_law_on_top) is a second term of the same tets.
*/
PetscErrorCode wring_term_create_tets(const wring_mesh *mesh, PetscInt region, const wring_law *law, const double *par,
                                      double proxy, const double *scale, wring_term **t);

/*
  The same with means of J over patches, those of wring_mesh_patches or, at order 2, single tets: sum_e w_e psi_e(F_e) +
  sum_p W_p U(mean of J), W_p = sum of w_e, for laws with `volumetric`; docs/theory.md 3.12. Before each function below
  that takes x, but for bound, the caller finds the means there: wring_term_find_means. Without U, the term above.
  Collective.
*/
PetscErrorCode wring_term_create_mean_tets(const wring_mesh *mesh, PetscInt region, const wring_law *law,
                                           const double *par, double proxy, const double *scale, wring_term **t);

/*
  Fibres of the tets of one region under a law with q = 1: z = F d, d = direction [mesh->tets.n][3], unit vectors at
  rest.
*/
PetscErrorCode wring_term_create_fibres(const wring_mesh *mesh, PetscInt region, const wring_law *law,
                                        const double *par, const double *direction, wring_term **t);

/*
  Springs vertex [n][2] between local vertices (owned or ghost), each on one rank only; stiffness [N/m], length [m],
  damping [n] N s/m each, NULL: none; used by methods with damping, not part of the energy.
*/
PetscErrorCode wring_term_create_springs(const wring_mesh *mesh, const char *name, PetscInt n, const PetscInt *vertex,
                                         const double *stiffness, const double *length, const double *damping,
                                         wring_term **t);

/*
  Triangles vertex [n][3] of local vertices (owned or ghost) under a law with q = 2, par [law->n_par]. Their rest areas,
  which must be above 0, are the weights; docs/theory.md 3.9.
*/
PetscErrorCode wring_term_create_triangles(const wring_mesh *mesh, const char *name, const wring_law *law,
                                           const double *par, PetscInt n, const PetscInt *vertex, wring_term **t);

/*
  Hinges vertex [n][4] (wring_hinge_rest) of local vertices under a law of bending; stiffness [N m]. docs/theory.md 3.10
*/
PetscErrorCode wring_term_create_hinges(const wring_mesh *mesh, const char *name, const wring_law *law,
                                        double stiffness, PetscInt n, const PetscInt *vertex, wring_term **t);

/* The motion of an attachment's targets: rigid, with the velocity and the spin about the centre, until a time. */
typedef struct {
  double            velocity[3]; // m/s
  double            spin[3];     // deg/s: a rotation by |spin| t about the direction of spin through centre
  double            centre[3];   // m
  double            until;       // s; INFINITY: always
  double            release;     // s; active in steps that end by release; INFINITY: never released
  wring_time_curve *path;        // of three values, m: displacement of all targets, replaces velocity; or NULL
  PetscBool         grows;       // in statics: targets go linearly from the start to `target` at pseudo-time 1
} wring_motion;

void      wring_motion_shift(const wring_motion *m, double time, double shift[3]); // [m] of the centre, since time 0
PetscBool wring_motion_moves(const wring_motion *m);

/* Attachments of owned vertices: stiffness [n] N/m, target [n][3] m at time 0. */
PetscErrorCode wring_term_create_attachments(const wring_mesh *mesh, const char *name, PetscInt n,
                                             const PetscInt *vertex, const double *stiffness, const double *target,
                                             const wring_motion *motion, wring_term **t);

/*
  Hard attachments (Dirichlet conditions): owned vertices that are at their targets at the end of every step. The term
  has no elements and no energy; a potential with this term eliminates these vertices from its unknowns. docs/theory.md
  (3.10)
*/
PetscErrorCode wring_term_create_hard_attachments(const wring_mesh *mesh, const char *name, PetscInt n,
                                                  const PetscInt *vertex, const double *target,
                                                  const wring_motion *motion, wring_term **t);

/*
  Components of a vertex: bit c is set for component c. A hard attachment holds all of them unless this is called before
  it is added to a potential; the others of its vertices stay free.
*/
enum { WRING_X = 1, WRING_Y = 2, WRING_Z = 4, WRING_XYZ = 7 };
void     wring_term_set_components(wring_term *t, unsigned components);
unsigned wring_term_components(const wring_term *t); // that an attachment acts on; WRING_XYZ for other terms

/*
  Statics: the positions at pseudo-time 0, x [n_local][3] m, from which targets that grow start; copied where needed.
*/
PetscErrorCode wring_term_set_origin(wring_term *t, const double *x);
/*
  Targets of a hard attachment start from x [n_local][3] m: they are shifted by x less the target at time 0, in full, or
  with `fades` by the part 1 - t of it at pseudo-time t. No effect on other terms. docs/theory.md (6.19)
*/
PetscErrorCode wring_term_hold_from(wring_term *t, const double *x, PetscBool fades);
PetscErrorCode wring_term_destroy(wring_term **t);

const char      *wring_term_name(const wring_term *t); // region, set or spring name; borrowed
const wring_law *wring_term_law(const wring_term *t);
PetscInt         wring_term_size(const wring_term *t); // elements on this rank
PetscBool        wring_term_is_attachment(const wring_term *t);
PetscBool        wring_term_is_hard(const wring_term *t);
/*
  The vertices that a hard attachment holds: their number, 0 for other terms and after release; borrowed [n], [n][3] m.
*/
PetscInt wring_term_held(const wring_term *t, const PetscInt **vertex, const double **target);
/* The vertices [n] of a hard or other attachment, and whether it is active in a step that ends at `end`. */
PetscInt  wring_term_attached(const wring_term *t, const PetscInt **vertex);
PetscBool wring_term_holds(const wring_term *t, double end);
PetscBool wring_term_is_damped(const wring_term *t); // has springs with damping on this rank

/*
  Moves targets to `time`, those of hard attachments to `end`, and switches the term on or off for a step that ends at
  `end` [s]; *changed: its part of A is no longer valid.
*/
void wring_term_set_time(wring_term *t, double time, double end, PetscBool *changed);

/* ---- element loops ----------------------------------------------------------------------------------------------- */

/*
  What a pass over the elements computes. Valid: VALUE, GRADIENT, VALUE | GRADIENT (one pass), RESIDUAL, MASS, VALUE |
  MASS, COUNT.
    VALUE     sum_e w_e psi(z_e) [J], the sum of wring_pass_run
    GRADIENT  f += dE/dx [N]
    RESIDUAL  f += sum_e w_e k_e G_e^T (p_e - z_e) [N]; needs law->project
    MASS      f += sum_e M_e (p_e - x_e) [kg m], p_e the vertex positions of the nearest rest state in the metric
              of their masses; the energy is sum_e |p_e - x_e|_M^2/2 [kg m^2]. docs/theory.md (5.3). Needs
              wring_term_set_masses and wring_term_has_rest_pose.
    COUNT     f[v] += 1, all three numbers, for each element at v
*/
typedef enum { WRING_VALUE = 1, WRING_GRADIENT = 2, WRING_RESIDUAL = 4, WRING_MASS = 8, WRING_COUNT = 16 } wring_work;

typedef struct wring_pass wring_pass;
const wring_pass         *wring_term_pass(wring_term *t, wring_work work); // borrowed, valid until the next one of t

/*
  Runs a pass over the elements that touch owned vertices only, then over the others, which need ghosts of x; the second
  group also adds what chunks share. f is NULL with VALUE alone; sum, of the second group, [1] with VALUE, [2] of
  splittings; NULL if it is not needed.
*/
typedef enum { WRING_INTERIOR = 1, WRING_BOUNDARY = 2, WRING_ALL = 3 } wring_group;
void wring_pass_run(const wring_pass *pass, wring_group group, const double *x, double *f, double *sum);

/* mass [n_local] kg of vertices, borrowed. */
void wring_term_set_masses(wring_term *t, const double *mass);

/* Whether the law defines the nearest rest state in the metric of masses: law->pose. */
PetscBool wring_term_has_rest_pose(const wring_term *t);

/* ---- means over patches ------------------------------------------------------------------------------------------ */

/* The patches of this rank: one for each owned vertex, most of which are no centre, or at order 2 for each tet. */
typedef struct {
  PetscInt n;
  double  *volume; // [n] rest volumes, m^3; 0: there is none
} wring_patches;

const wring_patches *wring_term_patches(const wring_term *t); // NULL: it has no means, or is off; borrowed
/* Finds the means at x for all functions that follow; nothing for other terms. phases may be NULL. Collective. */
PetscErrorCode wring_term_find_means(wring_term *t, wring_phases *phases, const double *x);

/*
  A Hessian has the pressures U'(J) of a material in its geometric part. Where U'' is large, those at x_k are mostly
  what the last step d has left to second order in d; those of the mixed form, (5.17g), are U'(J) + U''(J) dJ/dx . d at
  the x where d began. find_pressures keeps them for Hessians that are `pressed`; d NULL: 0. Nothing for other terms.
  take_pressures is called after find_means at the x of such a Hessian. find_pressures is collective with means.
    volume_ratio   (lambda + 2 mu)/mu at rest of a material with U where this is above 20, else 0; equal on all ranks
*/
double         wring_term_volume_ratio(const wring_term *t);
PetscErrorCode wring_term_find_pressures(wring_term *t, wring_phases *phases, const double *x, const double *d);
void           wring_term_take_pressures(wring_term *t);

/*
  The Hessian's part of the patches is sum_p D_p g_p g_p^T with g_p [1/m] the gradient of the mean of J, D_p = W_p U''.
    curvatures   D [patches.n] J after the filter, 0 where there is no patch
    gradients    value [n][m][3]: each element's part of g_p, at the vertices of `patch_vertices`
    changes      a, b [patches.n]: sums of V_e dJ_e along u and p. Collective
*/
void     wring_term_patch_curvatures(const wring_term *t, wring_filter filter, double *D);
PetscInt wring_term_corners(const wring_term *t); // m, the vertices of an element
/* number [n] of the patch of each element over all ranks, vertex [n][m] local. */
void           wring_term_patch_vertices(const wring_term *t, PetscInt *number, PetscInt *vertex);
void           wring_term_patch_gradients(const wring_term *t, const double *x, double *value);
PetscErrorCode wring_term_patch_changes(const wring_term *t, wring_phases *phases, const double *x, const double *u,
                                        const double *p, double *a, double *b);

/*
  Symmetric sparsity pattern of local vertices that share an element, including the diagonal; the columns of a row are
  sorted.
*/
typedef struct {
  PetscInt  n;      // n_local
  PetscInt *start;  // [n + 1]
  PetscInt *column; // [start[n]]
} wring_pattern;

PetscErrorCode wring_pattern_create(MPI_Comm comm, PetscInt n_local, PetscInt n_terms, wring_term *const *terms,
                                    wring_pattern **p); // refuses more entries than PetscInt counts; collective
PetscErrorCode wring_pattern_destroy(wring_pattern **p);
PetscInt       wring_pattern_find(const wring_pattern *p, PetscInt u, PetscInt v); // the position of column v in row u

/*
  Blocks [3][3], row by row, of a symmetric matrix with the pattern p, in one array: of each owned row the columns of
  this rank from the diagonal on, then of each the columns of others; the rows of ghosts, for their owners, as in p.
*/
typedef struct {
  PetscInt        n_owned;
  const PetscInt *own, *other; // [n_owned + 1] first columns of rows, of this rank and of others
  const PetscInt *upper;       // [n_owned + 1] the diagonal blocks
  const int32_t  *place;       // [nnz] of the entries of p: their positions among own, then other columns of owned rows
  double         *value;       // [blocks][9]
} wring_block_values;

/* The number of the block at a place of an owned row, or -1: its transpose is kept. */
static inline PetscInt wring_block_of_place(const wring_block_values *b, PetscInt i, PetscInt place)
{
  const PetscInt at = place - (b->own[i + 1] - b->own[i]);
  if (at >= 0) return b->upper[b->n_owned] + b->other[i] + at;
  return at >= b->upper[i] - b->upper[i + 1] ? b->upper[i + 1] + at : -1;
}

/* The same of entry k in row i of p. */
static inline PetscInt wring_block_of_entry(const wring_block_values *b, const wring_pattern *p, PetscInt i, PetscInt k)
{
  const PetscInt n = b->n_owned;
  return i < n ? wring_block_of_place(b, i, b->place[k]) : b->upper[n] + b->other[n] + k - p->start[n];
}

/* y += block x. */
static inline void wring_block_add_product(const double *block, const double *x, double *y)
{
  for (int r = 0; r < 3; r++) y[r] += block[3 * r] * x[0] + block[3 * r + 1] * x[1] + block[3 * r + 2] * x[2];
}

/*
  y [n_owned][3] = the product with x [n_owned][3] in columns of this rank. column: of a row those of this rank, begin +
  i, then the others; below [own - upper]: the blocks whose transposes are below the diagonal, by row. Threaded
  by strips of rows.
*/
enum { WRING_BLOCK_STRIP = 4096 };
void wring_block_values_multiply(const wring_block_values *v, const PetscInt *column, PetscInt begin,
                                 const PetscInt *below, const double *x, double *y);

/*
  The pattern p of all terms, and value [nnz] = factor w k G^T G of those that are active, freed by the caller with
  PetscFree. Threaded; sums do not depend on the threads. Refuses and collective as wring_pattern_create.
*/
PetscErrorCode wring_laplacian_create(MPI_Comm comm, PetscInt n_local, PetscInt n_terms, wring_term *const *terms,
                                      double factor, wring_pattern **p, double **value);
/*
  [nnz] += factor w G^T B G, B_kl [q][q] the mean over d = x, y, z of the clamped Hessian's entries (dk, dl) at x.
  docs/theory.md (5.13)
*/
void wring_term_add_mean_hessian(const wring_term *t, PetscBool pressed, double factor, const double *x,
                                 const wring_pattern *p, double *value);
/* The filter of element Hessians, the elements that it is for, and their pressures. */
typedef struct {
  wring_filter filter;
  const char  *marks;   // [n_local] those with a vertex where it is not 0; NULL: all
  PetscBool    pressed; // with the pressures of wring_term_find_pressures, after wring_term_take_pressures
  PetscBool    thin;    // it is for triangles, hinges and springs only; tets keep their Hessian
} wring_filtering;

/* Which element matrices of a term are added to each block of v, whose pattern p must contain its elements; work. */
typedef struct wring_scatter wring_scatter;
PetscErrorCode wring_scatter_create(const wring_term *t, const wring_pattern *p, const wring_block_values *v,
                                    wring_scatter **s);
PetscErrorCode wring_scatter_destroy(wring_scatter **s);

/* Blocks [][3][3] += the Hessian at x, as s says. Threaded; sums do not depend on the threads. */
void wring_term_add_hessian(const wring_term *t, wring_filtering which, const double *x, wring_scatter *s,
                            double *value);

/*
  The Hessian at x without a matrix, as add_hessian would fill it; needs law->hessian. add_diagonal: the blocks of the
  vertices, value [n_local][6] N/m += xx yy zz xy yz xz. products: u . H u, u . H p, p . H p of this rank's elements, u
  and p [n_local][3] with ghosts.
*/
void wring_term_add_diagonal(const wring_term *t, wring_filter filter, const double *x, double *value);
void wring_term_products(const wring_term *t, wring_filter filter, const double *x, const double *u, const double *p,
                         double sum[3]);

/*
  Constraints of a term as rows of a linear system, by law->row or law->constraint: C_j, dC_j/dx at the m vertices of
  its element, and w_e k_j = 1/alpha_j. docs/theory.md 3.6. Rows of an element are consecutive.
*/
typedef struct {
  wring_law_constraint *find;
  int                   each; // rows of an element, or of one of its points

  PetscInt  n;      // rows of this rank, 0 while the term is off
  int       m;      // vertices of a row
  PetscInt *vertex; // [n][m] local
  double   *C, *k;  // [n] m or a pure number; N/m or J
  double   *dC;     // [n][m][3]
} wring_constraint_rows;

/* The reason why the term has no rows, for a message, or NULL if it has. Not collective. */
const char *wring_term_no_rows(const wring_term *t);

/* Room for all n rows; any: by law->constraint, which the law must have, where the term has no rows. Collective. */
PetscErrorCode wring_constraint_rows_create(MPI_Comm comm, const wring_term *t, PetscBool any,
                                            wring_constraint_rows *r);
PetscErrorCode wring_constraint_rows_destroy(wring_constraint_rows *r);
void           wring_term_rows(const wring_term *t, const double *x, wring_constraint_rows *r); // at x [n_local][3]

/*
  Adds each tet's energy per rest volume [J/m^3] to density, and sets J = det F, both [mesh->tets.n]; only density for
  fibres, and neither for elements other than tets.
*/
void wring_term_cell_data(const wring_term *t, const double *x, double *density, double *J);

/*
  count[0]: tets of this rank with J <= 0 at x [n_local][3], with ghosts, at order 2 at a corner or quadrature point;
  count[1]: those of them whose mark [n_tet] is 0. Sets the marks of these tets to 1, of others to 0. All tets of the
  mesh, with or without a material.
*/
void wring_mark_inverted(const wring_mesh *m, const double *x, char *mark, PetscInt64 count[2]);

/* energy[e] += w psi [J] of the e-th spring, triangle or hinge in the list from which the term was created, at x. */
void wring_term_add_energies(const wring_term *t, const double *x, double *energy);

/*
  Adds the Kirchhoff stress tau = (dpsi/dF) F^T of the term's law, docs/theory.md (3.62), XX YY ZZ XY YZ XZ: for tets,
  of materials and laws on top, in Pa to tau [mesh->tets.n][6] or, at each of their points,
  [mesh->tets.n][wring_mesh_quadrature(mesh)->n][6]; for membranes, in N/m, to tau [n][6] of the list from which the
  term was created; nothing for other terms and terms that are off. Any finite value where psi is infinite.
*/
void wring_term_add_stress(const wring_term *t, const double *x, PetscBool at_points, double *tau);

/* F [mesh->tets.n][9] of every tet, row by row, with or without a term; and J = det F. */
void   wring_deformation_gradients(const wring_mesh *m, const double *x, double *F);
double wring_volume_ratio(const double F[9]);

/* The Cauchy stress tau/J, in place, of one element, and of every tet, tau as above; NaN unless J > 0. Von Mises. */
void   wring_cauchy_stress(double J, double tau[6]);
void   wring_cauchy_stresses(const wring_mesh *m, const double *x, PetscBool at_points, double *tau);
double wring_von_mises(const double stress[6]);

/*
  Adds at each vertex V_e times the stress of this rank's tets there to normal (XX YY ZZ) and shear (XY YZ XZ), and
  their rest volumes V_e to volume, thrice, all [n_local][3]. Of stress [mesh->tets.n][points][6], each tet has the
  nearest linear function, docs/theory.md (3.65a).
*/
void wring_add_at_vertices(const wring_mesh *m, const double *stress, double *normal, double *shear, double *volume);

/*
  f += sum over this rank's tets at each vertex of w_e times row 0, 1 or 2 of F; f as of the loops above. Materials
  only.
*/
void wring_term_add_deformation(const wring_term *t, const double *x, int row, double *f);

/*
  Where the rounding of a term's energy is from, over this rank's elements; 0 for laws with q = 1. docs/theory.md (2.4)
    squared    sum of (w_e k_e)^2 [J^2]: psi is a difference of terms of magnitude k, so that every element adds an
               error of about eps w_e k_e, however small the energy is. 0 for laws with a projection.
    stiffness  the largest w_e k_e |G_e|^2 [N/m] of laws with a projection: psi = k/2 |z - p|^2 is exact but for the
               error of z, which is about eps |G_e| |x|. 0 for other laws.
*/
typedef struct {
  double squared, stiffness;
} wring_term_rounding;

wring_term_rounding wring_term_find_rounding(const wring_term *t);
double              wring_term_stiffness(const wring_term *t); // N/m: the same w_e k_e |G_e|^2, of laws with q = 1 too

/*
  The largest alpha in (0, 1] such that no tet of a law that is infinite for det F <= 0 becomes flat between x and x +
  alpha d, ghosts of x and d up to date; INFINITY if none becomes flat, or if the law is finite. docs/theory.md (5.10).
  is_bounded: the law is infinite there, and the term is active.
*/
PetscBool wring_term_is_bounded(const wring_term *t);
void      wring_term_mark_cells(const wring_term *t, char *mark); // sets mark [mesh->tets.n] of the term's tets to 1
double    wring_term_bound(const wring_term *t, const double *x, const double *d);

/* Sum over this rank's elements of -dE/dx over all their vertices: the force of an attachment on the body [N]. */
void wring_term_resultant(const wring_term *t, const double *x, double force[3]);

/* ---- inspection, without an evaluation --------------------------------------------------------------------------- */

/*
  Joins the vertices of every element of an active term in parent [n_local], a forest of local vertices in which
  parent[i] <= i (base/forest.h); the caller begins with parent[i] = i. Not collective.
*/
void wring_term_unite(const wring_term *t, PetscInt *parent);

/*
  k [n_local] N/m += the stiffness of each spring, and of each soft attachment, at its vertices; nothing for elements of
  more than two vertices and for terms that are off.
*/
void wring_term_add_stiffness(const wring_term *t, double *k);

/*
  wring_law_rest_moduli of the law on tets. The moduli of an element are these times its factor on the energy, between
  the two scales on this rank. False if the term has no tets on this rank, or the law no Hessian.
*/
typedef struct {
  double wave, shear; // Pa
  double least_scale, largest_scale;
} wring_rest_moduli;

PetscBool wring_term_rest_moduli(const wring_term *t, wring_rest_moduli *moduli);

/* ---- splittings: the state of alternating directions (admm) in every element ------------------------------------- */

/*
  One local value z_e and one scaled dual u_e for every element of a term; a term may have several splittings. An
  iteration is a pass, with W_e^2 = factor w_e k_e:                                           docs/theory.md (5.15)
    z <- prox(D x + u, factor k_e),   u <- u + D x - z,   f += sum_e W_e^2 G_e^T (z - u - D x) [N].
  Its sums over this rank's elements are those of W^2 |D x - z|^2 and W^2 |z - z before|^2 [J]. After put_dual with
  `whole`, or a move pass, it holds s = D x + u in the place of u, which then does not follow x.
*/
typedef struct wring_splitting wring_splitting;

PetscErrorCode    wring_splitting_create(wring_term *t, wring_splitting **s); // t is borrowed; needs law->prox; u = 0
PetscErrorCode    wring_splitting_destroy(wring_splitting **s);
void              wring_splitting_start(wring_splitting *s, double keep);  // z = D x of the next iteration, u <- keep u
const wring_pass *wring_splitting_pass(wring_splitting *s, double factor); // of one iteration, borrowed

/*
  Of Douglas-Rachford's form: move [size] = W (D x - z), and the sum of this rank's part of the envelope (5.49) but
  g0. Before the first iteration of a solve it sets s = D x + u; both mean nothing then. Borrowed.
*/
const wring_pass *wring_splitting_move_pass(wring_splitting *s, double factor, double *move);

/*
  The duals as one array W u [size] [J^(1/2)], W_e^2 = factor w_e k_e, for methods that combine iterates; get and put
  with equal factors are inverse. Its length includes padded entries, which are 0 and which put ignores. whole: put does
  s += dual/W instead.
*/
PetscInt wring_splitting_size(const wring_splitting *s);
void     wring_splitting_get_dual(const wring_splitting *s, double factor, double *dual);
void     wring_splitting_put_dual(wring_splitting *s, double factor, const double *dual, PetscBool whole);
