/*
  Layer 6, the incremental potential of one implicit step,                                     docs/theory.md (2.1)
    g(x) = 1/(2 h^2) sum_i m_i |x_i - y_i|^2 + E(x)   [J],   E = sum over terms and contacts,
  or, in statics, of one load step, (2.9),
    g(x) = 1/2 sum_i k_i |x_i - y_i|^2 + E(x) - sum_i f_i . (x_i - X_i),   k_i = 0 for a body that is held.

  Vectors come from wring_potential_create_vec: [n_owned][3], followed by room for ghosts (VecGhost). Only owned values
  are input; every function that takes x overwrites its ghosts, even if x is otherwise only read. Arguments must be
  different vectors. Functions are collective on the mesh's communicator unless their comments state otherwise; sums do
  not depend on the number of threads. Only one thread at a time may use a potential.

  Coordinates of vertices held by hard attachments (Dirichlet conditions) are not unknowns, (3.10): there y is the
  prescribed value and x must be equal to it, gradients and residuals are 0, and A and H have the rows and columns of
  M/h^2, in statics of a diagonal matrix. Components that are held at different vertices thus have different A.

  Map of src/potential: potential_impl.h (the object), potential.c (its parts and times, statics), contacts.c (contacts,
  a part of g), evaluate.c (values, gradients, residuals: halo, terms, reduction), forces.c (norms of forces, reactions,
  inverted tets), cauchy.c (stresses), rows.c (rows of matrices), matrix.c (A and H), block_matrix.c (H by blocks),
  operator_matrix.c (A by component), products.c (H without a matrix), means.c (means of J over patches), held.c (hard
  attachments). Element loops are in src/term, linear solves in src/operator.
*/
#pragma once
#include <wring/contact.h>

typedef struct wring_potential wring_potential;

typedef struct {
  double objective;         // inertial + elastic; +infinity outside a law's domain
  double inertial, elastic; // J, summed over ranks; in statics inertial is all but E: less the work of the loads
} wring_value;

/* mesh is borrowed and must outlive g; mass [n_owned] kg is copied; phases is borrowed, may be NULL. */
PetscErrorCode wring_potential_create(const wring_mesh *mesh, const double *mass, wring_phases *phases,
                                      wring_potential **g);
PetscErrorCode wring_potential_destroy(wring_potential **g);
PetscErrorCode wring_potential_create_vec(const wring_potential *g, Vec *x);

/*
  Call before the first evaluation, with the same terms in the same order on every rank; g destroys the term. A
  vertex that two hard attachments hold as a whole is refused, as are different targets of one component.
*/
PetscErrorCode wring_potential_add_term(wring_potential *g, wring_term *term);

/* The same for a contact, which g destroys. */
PetscErrorCode wring_potential_add_contact(wring_potential *g, wring_contact *contact);

/*
  Refuses laws that lack what a solver, or another `kind`, needs, and names those that fit: "solver 'pd' cannot use
  material 'neohookean': it has no projection, expected material strain, ...". `otherwise` is what else helps, "inner
  admm"; NULL: nothing.
*/
PetscErrorCode wring_potential_require(const wring_potential *g, unsigned can, const char *kind, const char *name,
                                       const char *otherwise);
PetscBool      wring_potential_can(const wring_potential *g, unsigned can); // whether all laws have it; not collective
PetscBool      wring_potential_has_means(const wring_potential *g); // of J over patches of elements: not collective
/* Refuses damping, which is not part of g: "solver 'qn' cannot use the damping of spring 'net': expected damping 0". */
PetscErrorCode wring_potential_require_undamped(const wring_potential *g, const char *kind, const char *name);

/*
  Why contacts cannot be enforced in this way, for a message "solver 'pd' cannot use ...": "contacts: it may increase
  g"; NULL: they can. Not collective.
*/
const char *wring_potential_refuses_contacts(const wring_potential *g, wring_contact_way way);

PetscErrorCode wring_potential_set_step(wring_potential *g, double h); // s, > 0: the h of g; changes A
/*
  Drag -d v on every vertex, d [n_owned] kg/s >= 0, copied; v = (x - q)/h at x. It enters g as masses m + h d and the
  target (m y + h d q)/(m + h d), docs/theory.md (6.9), and changes A. Call before set_target.
*/
PetscErrorCode wring_potential_set_drag(wring_potential *g, const double *d);
/* Copied. Call after set_step, set_start and set_drag. */
PetscErrorCode wring_potential_set_target(wring_potential *g, Vec y);
PetscErrorCode wring_potential_set_start(wring_potential *g, Vec q); // copied: (x - q)/h is the velocity at x
/* Statics: the start of what is left of the step once x is a solution: colliders do not move any more. Copied. */
PetscErrorCode wring_potential_set_end(wring_potential *g, Vec x);
/*
  The external dead forces of the step [n_owned][3] N, copied. In statics they are part of g; otherwise y contains them
  as h^2 M^{-1} load, and g does not change. wring_potential_forces uses them.
*/
PetscErrorCode wring_potential_set_load(wring_potential *g, Vec load);

/*
  Makes g that of statics: no inertia and no drag, A = L, H = d2E/dx2, the load is part of g. h remains the length of
  the step for colliders. Call before the first evaluation; the terms of g may be added later.
*/
PetscErrorCode wring_potential_set_static(wring_potential *g);
PetscBool      wring_potential_is_static(const wring_potential *g);
/*
  Set by the stepper: g has loads or contacts of a given state that depend on the solution, so that one minimisation is
  not a load step. Not collective.
*/
void      wring_potential_set_provisional(wring_potential *g, PetscBool provisional);
PetscBool wring_potential_is_provisional(const wring_potential *g);
/*
  Statics only: the k_i [n_owned] N/m >= 0 of g, copied; NULL: 0. They are part of A and H, in the place of m_i/h^2.
  ridge, the same, is added to the diagonal of H only.
*/
PetscErrorCode wring_potential_set_regularisation(wring_potential *g, const double *k, const double *ridge);
PetscErrorCode wring_potential_set_origin(wring_potential *g, Vec x); // wring_term_set_origin of every term
PetscErrorCode wring_potential_hold_from(wring_potential *g, Vec x, PetscBool fades); // wring_term_hold_from likewise

/*
  x of g is q + part (q' - q), from the start q to the new positions q' (default 1), for hard attachments. Call before
  set_time.
*/
void wring_potential_set_part(wring_potential *g, double part);

/* The time at which the step begins [s], from where colliders move, if steps are bounded by them. Likewise. */
void wring_potential_set_begin(wring_potential *g, double time);

/*
  Moves targets and colliders to `time`, in a step that ends at `end` [s], which determines releases; *changed: A must
  be rebuilt. No contact is active until the next update.
*/
PetscErrorCode wring_potential_set_time(wring_potential *g, double time, double end, PetscBool *changed);

const wring_mesh *wring_potential_mesh(const wring_potential *g);
/* [n_owned], borrowed: the masses of g, with drag m + h d [kg]; in statics the k_i [N/m]. */
const double *wring_potential_mass(const wring_potential *g);
const double *wring_potential_body_mass(const wring_potential *g); // [n_owned] kg, borrowed: without drag
double        wring_potential_step(const wring_potential *g);
PetscInt      wring_potential_revision(const wring_potential *g); // a new value: A, or H at some x, may have changed
Vec           wring_potential_target(const wring_potential *g);   // y, borrowed
Vec           wring_potential_load(const wring_potential *g);     // as set, borrowed; NULL: not set
Vec           wring_potential_start(const wring_potential *g);    // q, borrowed; damping and newton need it
wring_phases *wring_potential_phases(const wring_potential *g);   // borrowed, may be NULL
int           wring_potential_terms(const wring_potential *g, wring_term *const **terms); // number of terms

/*
  Hard attachments: the number of coordinates that they hold on all ranks; marks [n_local] of the local vertices,
  including ghosts, with bit c set where component c is held, or NULL if there are none; whether some vertex is held in
  some of its components only, on any rank. Not collective.
*/
PetscInt    wring_potential_held(const wring_potential *g);
const char *wring_potential_held_marks(const wring_potential *g);
PetscBool   wring_potential_holds_components(const wring_potential *g);

/* At the held coordinates of this rank: set x to the prescribed values, d to 0, and v to (x - q)/h. */
PetscErrorCode wring_potential_place(wring_potential *g, Vec x);
PetscErrorCode wring_potential_clear(const wring_potential *g, Vec d);
PetscErrorCode wring_potential_hold_velocity(const wring_potential *g, Vec q, Vec x, double h, Vec v);
/* How many contacts there are; *contacts, unless NULL: their list, borrowed. */
int wring_potential_contacts(const wring_potential *g, wring_contact *const **contacts);

/*
  Determines the active contacts at x. g is unchanged if added, released and moved of `change`, which are sums over
  ranks, are 0; NULL: not wanted. first: the first update of a solve. One reduction and one halo exchange, none without
  contacts.
*/
PetscErrorCode wring_potential_update_contacts(wring_potential *g, Vec x, PetscBool first,
                                               wring_contact_change *change);
PetscErrorCode wring_potential_project_contacts(wring_potential *g, Vec x); // moves free vertices out, in place

/*
  The friction in g, a contact, or NULL; not collective. Takes its normal forces and directions at x; first: the step
  begins at x, with colliders where they begin, and the start and h of g are set. A halo exchange and those of contacts.
*/
wring_contact *wring_potential_friction(const wring_potential *g);
PetscErrorCode wring_potential_lag_friction(wring_potential *g, Vec x, PetscBool first);

/* Evaluations at x: one halo exchange for x, one back for gradients, one reduction for values. */
PetscErrorCode wring_potential_value(wring_potential *g, Vec x, wring_value *value);
PetscErrorCode wring_potential_gradient(wring_potential *g, Vec x, Vec grad);                  // N
PetscErrorCode wring_potential_fused(wring_potential *g, Vec x, wring_value *value, Vec grad); // both in one pass
/* The same without the reduction: this rank's inertial and elastic part [J], for callers that reduce other sums too. */
PetscErrorCode wring_potential_fused_local(wring_potential *g, Vec x, double part[2], Vec grad);

/*
  The alpha in (0, 1] at which x + alpha d leaves the domain of a law that is infinite for det F <= 0, given that x is
  inside, or, with bounded contacts, below which surfaces do not meet; INFINITY if there is none: docs/theory.md (5.10),
  (9.23). Two halo exchanges and one reduction, none if no law is of this kind; with bounded contacts six more
  reductions at most.
*/
PetscErrorCode wring_potential_bound(wring_potential *g, Vec x, Vec d, double *bound);
/* The original number of the vertex that moves farthest in the pair that has bounded the last step, -1: none has. */
PetscInt wring_potential_stop(const wring_potential *g);

/*
  With bounded contacts x may change in no other way: a step alpha d begins with alpha = first_step(bound) or less; and
  advance moves x back to from + part (x - from), *part <= 1, where surfaces at `from` are apart. Without, 1, and x.
  Colliders of such contacts move with x, from `progress` to progress + part (1 - progress) of their way in the step;
  set_time sets 1.
*/
PetscBool      wring_potential_has_bounded_contacts(const wring_potential *g);
double         wring_potential_first_step(const wring_potential *g, double bound);
PetscErrorCode wring_potential_advance(wring_potential *g, Vec from, Vec x, double *part);
PetscErrorCode wring_potential_set_progress(wring_potential *g, double progress);
double         wring_potential_progress(const wring_potential *g);

/*
  For held vertices that contacts stop on the way to their places: whether x has them, and colliders are, there; hold_at
  holds them where x has them, until the places are set again by set_time or restore_places.
*/
PetscErrorCode wring_potential_is_placed(const wring_potential *g, Vec x, PetscBool *placed);
PetscErrorCode wring_potential_hold_at(wring_potential *g, Vec x);
PetscErrorCode wring_potential_restore_places(wring_potential *g);

/* The estimated rounding error of a value of g that does not decrease with g: docs/theory.md (2.4). */
typedef struct {
  double fixed;  // J
  double factor; // sqrt(J), of the root of the elastic energy
} wring_rounding;

/* For positions near x. One reduction, three after a change of terms. Collective. */
PetscErrorCode wring_potential_rounding(wring_potential *g, Vec x, wring_rounding *r);
double         wring_rounding_at(const wring_rounding *r, const wring_value *value); // J; not collective

/*
  r = M/h^2 (y - x) + sum_e w_e k_e G_e^T (p_e - z_e): the residual at x of the global step A x = b of projective
  dynamics, whose solution is x + A^{-1} r. docs/theory.md (5.2). Needs WRING_CAN_PROJECT.
*/
PetscErrorCode wring_potential_residual(wring_potential *g, Vec x, Vec r);

/*
  The metric of masses, docs/theory.md (5.3): r = M (y - x) + sum_e M_e (p_e - x_e) [kg m] and, unless value is NULL,
  the E_m that it minimises, with its two parts as inertial and elastic [J]. d = m_i (1 + number of active elements at
  i) [n_owned][3] kg: the diagonal of the global step. Only for terms that wring_potential_require_rest_pose accepts.
*/
PetscErrorCode wring_potential_mass_residual(wring_potential *g, Vec x, wring_value *value, Vec r);
PetscErrorCode wring_potential_mass_diagonal(wring_potential *g, Vec d);
PetscErrorCode wring_potential_require_rest_pose(const wring_potential *g, const char *solver);

/*
  An iteration of alternating directions without its linear solve, docs/theory.md (5.15): updates z and u of every term,
  splitting [terms], from x, and r = M/h^2 (y - x) + sum_e W_e^2 G_e^T (z_e - u_e - z_e(x)), W_e^2 = factor w_e k_e, so
  that the new x is x + A^{-1} r with A = M/h^2 + factor L. residual: |W (D x - z)| and |W (z - z before)| [J^(1/2)].
  Needs WRING_CAN_PROX.
*/
PetscErrorCode wring_potential_split(wring_potential *g, wring_splitting *const *splitting, double factor, Vec x, Vec r,
                                     double residual[2]);

/*
  Douglas-Rachford's form, wring_splitting_move_pass of every term: move = W (D x - z) [J^(1/2)], term after term, and
  the envelope (5.49) with its parts, g0 and the rest. Collective.
*/
PetscErrorCode wring_potential_split_move(wring_potential *g, wring_splitting *const *splitting, double factor, Vec x,
                                          double *move, wring_value *envelope);

/*
  A = M/h^2 + factor sum_e w_e k_e G_e^T G_e [N/m] of x, y and z, one row per vertex, MATAIJ. Components that are held
  at the same vertices have the same matrix, (3.11b): A[1] and A[2] may be references to it. A[c] is created if it is
  NULL, otherwise one of an earlier call, which is refilled or replaced; where only the step or drag has changed since
  the last call, its diagonal alone is set. factor is 1 except for admm, whose weights are scaled. operator_matrix
  computes A of the component x only, which is that of all without `components`.
*/
PetscErrorCode wring_potential_operator_matrices(wring_potential *g, double factor, Mat A[3]);
PetscErrorCode wring_potential_operator_matrix(wring_potential *g, double factor, Mat *A);
PetscErrorCode wring_matrices_destroy(Mat A[3]); // its references, which are NULL afterwards

/*
  A at x: M/h^2 + factor sum_e w_e G_e^T B_e(x) G_e [N/m], B_e the mean over x, y, z of the diagonal blocks of the
  element's semidefinite Hessian, `pressed` as in wring_hessian_choice; contacts are excluded. docs/theory.md (5.13). A
  as in operator_matrices, which may have created it. Needs WRING_CAN_HESSIAN.
*/
PetscErrorCode wring_potential_mean_matrices(wring_potential *g, Vec x, PetscBool pressed, double factor, Mat A[3]);

/* The vertices that share an element: the pattern of the matrices above, with zeros; A is created, MATAIJ. */
PetscErrorCode wring_potential_graph(wring_potential *g, Mat *A);

/*
  Adds the entries of the semidefinite d2E_c/dx2 of contacts that couple vertices, at x, between coordinates of the same
  axis, to A of x, y and z: three matrices of the same rows, which must take new entries.
*/
PetscErrorCode wring_potential_add_contact_components(wring_potential *g, Vec x, const Mat A[3]);

/*
  r = -L d at free vertices and 0 at held ones, with L as it is before rows and columns of held vertices are replaced:
  A^{-1} r continues a displacement d of the held vertices, which is 0 elsewhere, to the free ones, (6.15). A as in
  operator_matrices with factor 1.
*/
PetscErrorCode wring_potential_continue(wring_potential *g, Vec d, Vec r, Mat A[3]);

/*
  H(x) = M/h^2 + d2E/dx2, 3 rows per vertex, MATAIJ with block size 3; the filter is for the part of every element. *H
  is created if it is NULL, or replaced; one of create_blocks is filled as it is, unless means couple more vertices than
  elements do. The last function clamps, and excludes contacts, for uses that must not depend on them.
*/
typedef struct {
  wring_filter filter;    // of all elements, or of those that have a vertex where a component of grad is too large
  Vec          grad;      // N, of create_vec; NULL: the filter is for all elements
  double       threshold; // N; a component is too large if its size exceeds this
  PetscBool    pressed;   // pressures are those of wring_potential_find_pressures, not those at x
  PetscBool    thin;      // the filter is for triangles, hinges and springs only; tets keep their Hessian
} wring_hessian_choice;

PetscErrorCode wring_potential_hessian(wring_potential *g, Vec x, wring_filter filter, Mat *H);
PetscErrorCode wring_potential_hessian_with(wring_potential *g, Vec x, const wring_hessian_choice *how, Mat *H);
PetscErrorCode wring_potential_hessian_without_contacts(wring_potential *g, Vec x, Mat *H);

/*
  wring_term_find_pressures of all terms, d of create_vec or NULL: halo exchanges of x and d, and those of means.
  volume_ratio: the largest wring_term_volume_ratio, 0: there are none; not collective.
*/
PetscErrorCode wring_potential_find_pressures(wring_potential *g, Vec x, Vec d);
double         wring_potential_volume_ratio(const wring_potential *g);

/*
  An H without values that keeps one block of two that are transposes of each other, and no columns of scalars: 40 % of
  the memory of MATAIJ. It has MatMult, MatGetRowMaxAbs and additions by MatDiagonalSet, and must not outlive g.
  Another *H is replaced; with means, which couple more vertices, it stays as it is.
  get_blocks: its blocks, borrowed, in rows of vertices, or NULL for another matrix. get_element_blocks: the same, or,
  where contacts couple vertices that share no element, those of elements with the diagonal blocks of contacts, until
  the next such H of g.
*/
PetscErrorCode wring_potential_create_blocks(const wring_potential *g, Mat *H); // collective
PetscErrorCode wring_potential_get_blocks(Mat H, wring_block_values **v);
PetscErrorCode wring_potential_get_element_blocks(Mat H, wring_block_values **v);

/*
  H(x) without a matrix, contacts included; ghosts of x are up to date, as after an evaluation at x. diagonal: its
  blocks at owned vertices, block [n_owned][6] N/m, xx yy zz xy yz xz, two halo exchanges. products: this rank's parts
  of u . H u, u . H p, p . H p [J] for u and p that are 0 at held coordinates, with ghosts of p up to date; one halo
  exchange, of u. Without the ridge of statics in products. Need WRING_CAN_HESSIAN. Counted as an assembly of H, and as
  two products.
*/
PetscErrorCode wring_potential_diagonal(wring_potential *g, Vec x, wring_filter filter, double *block);
PetscErrorCode wring_potential_products_local(wring_potential *g, Vec x, wring_filter filter, Vec u, Vec p,
                                              double sum[3]);

/* F [n_owned][9], row by row: at each vertex the sum of w_e F over its tets [m^3]; 0 if there are none. */
PetscErrorCode wring_potential_deformation(wring_potential *g, Vec x, double *F);

/*
  Per tet: density [n_tet] J/m^3, the energies of its material and of the laws on top of it; J [n_tet] = det F,
  unchanged for tets without a term. Resultants: force [n_terms][3] N by term; those of hard attachments are from the
  last evaluation of a gradient, (3.12).
*/
PetscErrorCode wring_potential_cell_data(wring_potential *g, Vec x, double *density, double *J);
PetscErrorCode wring_potential_resultants(wring_potential *g, Vec x, double *force);

/*
  Force of all attachments on each vertex [n_owned][3] N, 0 where none acts; their sums are the resultants. x and hard
  attachments as there. No communication.
*/
PetscErrorCode wring_potential_reactions(wring_potential *g, Vec x, double *force);

/*
  Of every tet, with or without a term: F [n_tet][9], row by row, and the Cauchy stress [n_tet][6] Pa of materials and
  laws on top, XX YY ZZ XY YZ XZ, docs/theory.md (3.62); NaN where J <= 0. Recovered: the means at vertices
  [n_local][6], ghosts too, weighted by the rest volumes of their tets, (3.65); NaN at vertices without tets. F may
  be NULL. Collective.
*/
PetscErrorCode wring_potential_stress(wring_potential *g, Vec x, double *F, double *stress);
PetscErrorCode wring_potential_recover_stress(wring_potential *g, Vec x, double *stress);

/* The tet of the largest von Mises stress, of wring_potential_stress, and where its centroid is at rest. */
typedef struct {
  double value, place[3]; // Pa, m; NAN: no tet has a stress
} wring_peak;

/* Of the tets of a region, -1: of all regions; a pass over all tets. Collective. */
PetscErrorCode wring_potential_peak(wring_potential *g, Vec x, PetscInt region, wring_peak *peak);

/*
  The forces that are in balance at a minimiser of g, each as a norm over all vertices [N]; docs/theory.md (2.8). Drag
  counts as inertia; the forces of attachments and contacts are reactions. grad is the gradient at x, and the last one
  that was evaluated. One reduction; with contacts also two halo exchanges.
*/
typedef struct {
  double inertial, internal, external, reaction;
} wring_forces;
PetscErrorCode wring_potential_forces(wring_potential *g, Vec x, Vec grad, wring_forces *forces);
double         wring_forces_largest(const wring_forces *forces);

/*
  Counts the tets of the mesh, on all ranks, with J <= 0 at x and J > 0 at `from`; with bounded, only those with a law
  that is infinite for J <= 0. Two halo exchanges and one reduction.
*/
PetscErrorCode wring_potential_inverted(wring_potential *g, Vec from, Vec x, PetscBool bounded, PetscInt64 *newly);

/* Of contact `i` at x, summed over ranks: see wring_contact_measure; force [parts][3] N. */
PetscErrorCode wring_potential_measure_contact(wring_potential *g, int i, Vec x, wring_contact_report *report,
                                               double *force);

/* Of the friction in g, summed over ranks: see wring_contact_measure_slip; torque and from may be NULL. */
PetscErrorCode wring_potential_measure_slip(wring_potential *g, Vec x, Vec from, wring_slip_report *report,
                                            double *torque);

/* Of bounded contacts and friction at x: force [n_owned][3] N. */
PetscErrorCode wring_potential_contact_force(wring_potential *g, Vec x, double *force);

/*
  Of bounded contacts or their friction: force over area at rest, traction [n_local][3] Pa, 0 inside; x [n_local][3],
  ghosts up to date.
*/
PetscErrorCode wring_potential_contact_traction(wring_potential *g, PetscBool friction, const double *x,
                                                double *traction);

/* Local array [n_local][3] of x with its ghosts up to date, for output; return it by VecRestoreArrayRead. */
PetscErrorCode wring_potential_get_local(wring_potential *g, Vec x, const double **local);
