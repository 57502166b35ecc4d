/*
  Layer 5, contacts: energies that push vertices out of forbidden regions, E_c(x) = sum over active contacts of k/2
  min(0, (x - t) . n)^2, or that keep surfaces apart, (9.20). Which of the former are active, and their t and n, follow
  from x in wring_contact_update, which solvers call once per iteration; between two updates they do not change, and E_c
  is a fixed smooth function of x. docs/theory.md 8, 9

  src/contact, in reading order:
    contact_impl.h    the functions that a kind of contacts supplies; contact.c: the functions below, for any kind
    shape/            the shapes of colliders, a file each (map: shape/shape.h), and where colliders are: shape/poses.h
    balls.h           balls around runs of vertices
    colliders.c       the kind "collider" by a penalty
    triangle.h        a point and a triangle
    near.h            vertices near triangles, edges near edges
    pairs.h           from near pairs to pairs in contact; edge_pairs.c: of two edges
    crossings.h       vertices that pass through a wall
    jumps.h           vertices and edges that go through a body in one step
    self_contact.c    the kind "self_contact" by a penalty
    simplices.h       points, edges and triangles of the surface
    search/           pairs of them that come near each other: trees of boxes, a spatial hash over all ranks
    corners.h         values at corners of other ranks; blocks.c: second derivatives of pairs of vertices
    barrier/          self-contact and colliders by a barrier; barrier/closest.h is the map of this folder
  Not here: keys of the deck that create contacts (problem), and when contacts are updated (potential, solver).

  x and f are arrays [n_local][3] of owned vertices then ghosts; lengths in m, forces in N, energies in J. Functions are
  collective on the mesh's communicator unless their comments state otherwise.

  Cost and communication. Colliders send no messages; update, project and measure read the owned vertices once, then
  take O(n_owned / 64) operations per collider, and O(1) for each vertex near it; add and the parts of the Hessian
  O(active). Self-contact: create exchanges the faces between ranks; an update makes one reduction, fetches the corners
  of pairs from other ranks and looks at the pairs that may touch; when a vertex has moved by more than a quarter of the
  mean edge since the last search, it also searches: O(surface) operations and messages between ranks that share cells
  of the hash. measure makes another reduction, and searches to a larger distance when vertices may have been lost. add
  and the parts of the Hessian fetch corners, and add sends their forces back. Memory: O(surface + pairs) of a rank.

  Self-contact by a barrier searches when a way leaves the last one: two reductions, rows of simplices to the ranks of
  their cells and of pairs to the owners of their first corners, to neighbours only; a bound makes two reductions and
  fetches corners at x and d; add and the parts of the Hessian fetch corners, and add and the diagonal send sums back.
  Memory: O(surface + pairs) of a rank. A search takes O(surface) operations per collider, and is made for each bound
  while colliders move.

  Errors: bad input is refused when contacts are created; updates do not refuse input, and vertices with non-finite
  positions are in no contact. Threads: one thread at a time uses a contact, the one that calls MPI; different contacts
  share no state. Search, records and energies of colliders use OpenMP threads internally, with the same bits for any
  number of them.
*/
#pragma once
#include <wring/options.h>
#include <wring/term.h>

typedef struct wring_contact wring_contact;

PetscErrorCode wring_contact_destroy(wring_contact **c);

/* How a solver enforces contacts. */
typedef enum {
  WRING_CONTACT_REFUSED,    // not at all
  WRING_CONTACT_ENERGY,     // by E_c in g
  WRING_CONTACT_BOUNDED,    // by E_c in g, and every x on a straight way from the last that wring_contact_bound allows
  WRING_CONTACT_SINGLE,     // by E_c in g, one vertex after another
  WRING_CONTACT_PROJECTION, // by projecting vertices out after every sweep over constraints
  WRING_N_CONTACT_WAY
} wring_contact_way;

/* "collider 'slope': it has friction": why they cannot be enforced in this way, NULL if they can. Not collective. */
const char *wring_contact_refusal(const wring_contact *c, wring_contact_way way);

/*
  Moves the colliders to `time` [s], the end of a step that begins at `begin` [s]; those of bounded contacts only to
  `part` of the way between. No contact is active until the next update.
*/
PetscErrorCode wring_contact_set_time(wring_contact *c, double begin, double time, double part);

/* Velocities are (x - q)/h, as in g. */
typedef struct {
  double        h; // s; 0: colliders do not move between q and x
  const double *q; // [n_owned][3] m
} wring_contact_step;

/* The changes made by an update, on this rank. E_c is unchanged if added, released and moved are 0. */
typedef struct {
  PetscInt64 active;          // contacts of vertices that are inside
  PetscInt64 added, released; // contacts that were not active before; that are no longer active
  PetscInt64 moved;           // contacts whose t or n changed, including those of vertices that are only monitored
} wring_contact_change;

/*
  Finds the active contacts at x, whose ghosts are up to date. first: first update of a solve, which drops old contacts.
*/
PetscErrorCode wring_contact_update(wring_contact *c, const wring_contact_step *step, const double *x, PetscBool first,
                                    wring_contact_change *change);

/*
  For the active contacts: adds dE_c/dx to f [n_local][3] N with WRING_GRADIENT (the caller sends values of ghosts to
  their owners), and this rank's part of E_c [J] to *energy with WRING_VALUE. Ghosts of x are up to date.
*/
PetscErrorCode wring_contact_add(wring_contact *c, wring_work work, const double *x, double *f, double *energy);

/*
  Adds the energy of one owned vertex at x [3] m to *energy [J], and with GRADIENT its derivatives to f [3] N and K [6]
  N/m, xx yy zz xy yz xz. Only for contacts of vertices that are independent of each other; not collective, and several
  threads may call it.
*/
PetscBool wring_contact_is_single(const wring_contact *c);
void      wring_contact_add_single(const wring_contact *c, wring_work work, PetscInt vertex, const double x[3],
                                   double *energy, double *f, double *K);

/*
  Adds the diagonal blocks of a semidefinite H = d2E_c/dx2 to diagonal [n_owned][3][3] N/m; this rank's parts of
  u . H u, u . H p and p . H p to sum; u and p [n_local][3].
*/
PetscErrorCode wring_contact_add_diagonal(wring_contact *c, const double *x, double *diagonal);
PetscErrorCode wring_contact_add_products(wring_contact *c, const double *x, const double *u, const double *p,
                                          double sum[3]);

/*
  Whether contacts are bounded: E_c depends on x alone, at every x, without updates between, and x must change by
  bounded steps only. Not collective.
*/
PetscBool wring_contact_is_bounded(const wring_contact *c);

/*
  Of bounded contacts, this rank's bound of the steps from x along d, both [n_local][3] with ghosts up to date: surfaces
  do not meet at x + t d for any t in [0, *bound); INFINITY: for any t in [0, 1]. Meanwhile colliders move on by t
  `advance` of the way of wring_contact_set_time. *vertex: the original number of the corner that moves farthest in the
  pair that bounds, -1: none does.
*/
PetscErrorCode wring_contact_bound(wring_contact *c, const double *x, const double *d, double advance, double *bound,
                                   PetscInt *vertex);

/* Of bounded contacts: refuses surfaces that touch or pass through each other at x [n_local][3], ghosts up to date. */
PetscErrorCode wring_contact_check(wring_contact *c, const double *x);

/* Of bounded contacts: divides f [n_owned][3] N by the rest area of each vertex of the surface [Pa]. Not collective. */
void wring_contact_divide_by_area(const wring_contact *c, double *f);

/*
  Friction is a contact of its own (wring_barrier_create_friction): its E_c is a potential of the slip in the step, for
  normal forces, directions and points in contact that wring_contact_lag of the barrier takes at x [n_local][3], ghosts
  up to date, until it is called again. step->q NULL: the step is that of the last call. docs/theory.md (9.28) to (9.31)
*/
PetscErrorCode wring_contact_lag(wring_contact *c, const wring_contact_step *step, const double *x);
PetscBool      wring_contact_is_friction(const wring_contact *c); // not collective

/*
  Of friction, this rank's parts at x [n_local][3]: its potential, which is in E_c and is no energy of the bodies; the
  sum of the sizes of its forces; its work on the bodies on the way from `from` [n_owned][3], or 0 if this is NULL. Adds
  the torque on the bodies at each collider, about its centre, to torque [colliders][3] N m, which may be NULL.
*/
typedef struct {
  double potential, work, force; // J, J, N
} wring_slip_report;
PetscErrorCode wring_contact_measure_slip(wring_contact *c, const double *x, const double *from,
                                          wring_slip_report *report, double *torque);

/* Moves owned vertices out of the colliders, x [n_owned][3] in place. Refused kinds: see wring_contact_refusal. */
PetscErrorCode wring_contact_project(wring_contact *c, const wring_contact_step *step, double *x);

const char *wring_contact_kind(const wring_contact *c); // "collider", as in reports; borrowed, not collective

/* Parts that are reported separately, such as colliders; names are borrowed. Not collective. */
int         wring_contact_parts(const wring_contact *c);
const char *wring_contact_part_name(const wring_contact *c, int part);

/*
  On this rank, at x [n_local][3]: the number of vertices inside and the depth of the deepest [m], and the number lost.
  The force of each part's active contacts on the body is added to force [parts][3] N. To be called once at the end of
  every step: lost vertices are found by what has changed since the last call.
*/
typedef struct {
  PetscInt64 inside;
  double     depth;
  PetscInt64 lost; // vertices that pass through a body; 0 for kinds that lose none

  /* of bounded contacts */
  PetscInt64 pairs; // nearer than the gap
  double     least; // m: distance of the nearest pair; INFINITY: none within twice the gap
  double     force; // N: sum of the sizes of normal forces of pairs
} wring_contact_report;
PetscErrorCode wring_contact_measure(wring_contact *c, const double *x, wring_contact_report *report, double *force);

/*
  How contacts of this kind lose vertices and what prevents it, for a note after "3 vertices are"; NULL: they lose none.
  Not collective.
*/
const char *wring_contact_losing(const wring_contact *c);

double wring_contact_stiffness(const wring_contact *c); // N/m, the largest of a vertex in contact; not collective

/* ---- matrices of contacts ---------------------------------------------------------------------------------------- */

typedef struct {
  PetscInt row, column; // vertex of this rank, global number of a vertex
  double   block[9];    // N/m
} wring_coupling;

typedef struct {
  PetscInt        n, room;
  wring_coupling *at; // [room], freed by PetscFree
} wring_couplings;

/*
  Appends the blocks of d2E_c/dx2, semidefinite, in rows of this rank: one for each pair that couples two vertices, or a
  vertex with itself, so that some belong to the same place. Rows and columns of components c of vertices with bit c of
  held [n_owned] set are 0; blocks of vertices that are held as a whole are left out. held may be NULL on all ranks.
  Collective.
*/
PetscErrorCode wring_contact_list_blocks(wring_contact *c, const double *x, const char *held, wring_couplings *list);

/* ---- colliders: bodies of analytic shapes with a given motion (colliders.c, shape/) ------------------------------ */

typedef struct wring_collider wring_collider;

/*
  A part of the surface of a shape, in the shape's frame, with a distance from points, edges or triangles of a body that
  is smooth where it is above 0. docs/theory.md (9.25)
*/
typedef enum {
  WRING_FEATURE_PLANE,   // points: n . p - radius, with the unit vector n = a
  WRING_FEATURE_TUBE,    // points: radius - the distance from the segment ab, of the inside
  WRING_FEATURE_SOLID,   // points: `nearest` of the shape; edges may be up to the radius behind it
  WRING_FEATURE_POINT,   // triangles, and edges without triangles: the distance from a - radius
  WRING_FEATURE_SEGMENT, // edges: the distance from the segment ab - radius
} wring_feature_kind;

typedef struct {
  wring_feature_kind kind;
  double             a[3], b[3], radius; // m
} wring_feature;

enum { WRING_MOST_FEATURES = 2200 };

/*
  A shape in its own frame: centre at 0, axis along z. size [3] is set by `read`. tests/test_shapes.c tests the
  properties stated here for every shape. docs/theory.md (8.6)
*/
typedef struct wring_shape {
  const char         *name;    // "sphere", as in the deck
  const wring_option *options; // keys of its place and size, after "collider_NAME_"

  /*
    Sets c->centre, c->frame (the identity on entry) and c->size from the deck's keys. Refuses values without a valid
    shape. Collective.
  */
  PetscErrorCode (*read)(const wring_options *deck, const char *prefix, wring_collider *c);

  /*
    The tangent plane n . p = offset [m] at the point of the surface nearest to p, n the unit normal out of the shape.
    Returns the signed distance n . p - offset, < 0 inside: exact, with gradient n. If several points are nearest, one
    is chosen. Thread-safe.
  */
  double (*nearest)(const double size[3], const double p[3], double n[3], double *offset);

  /*
    Radius of the smallest ball about the centre that contains the shape; NULL: unbounded, and `inside` is refused.
    Thread-safe.
  */
  double (*bound)(const double size[3]);

  /*
    Sets the features [WRING_MOST_FEATURES] of the surface, seen from outside or inside, and returns their number: no
    body whose parts are all at a distance above 0 from their features meets the surface. The first is a plane, tube or
    solid; `a` of the one after a solid is a point of the shape. NULL: the barrier is refused. Thread-safe.
  */
  int (*features)(const double size[3], PetscBool inside, wring_feature *feature);
} wring_shape;

/* The i-th shape, NULL after the last; the shape of this name, or NULL. Not collective. */
const wring_shape *wring_shape_at(int i);
const wring_shape *wring_shape_find(const char *name);

/* Keys of every collider, after "collider_NAME_", in addition to those of its shape. */
extern const wring_option wring_collider_options[];

struct wring_collider {
  char               name[128];
  const wring_shape *shape;
  double             size[3];    // as the shape defines it: lengths [m]
  PetscBool          inside;     // vertices are kept inside; needs shape->bound
  double             centre[3];  // m at time 0
  double             frame[9];   // rotation at time 0, row by row: column 2 is the axis, columns are the edges of a box
  double             stiffness;  // N/m of each vertex in contact, by the penalty
  double             gap;        // m: of the barrier; 0: that of all
  double             friction;   // coefficient of Coulomb's law; by projection or the barrier
  double             slip_speed; // m/s: of the barrier, below which friction is less; 0: that of all
  wring_motion       motion;     // of the collider about its centre; motion.centre and motion.release are ignored
};

/* frame = a rotation whose column 2 is the direction of axis, not 0. */
void wring_frame_of_axis(const double axis[3], double frame[9]);

/* By the penalty. collider [n] and its path are copied; every collider is a part. Not collective. */
PetscErrorCode wring_colliders_create(const wring_mesh *mesh, int n, const wring_collider *collider, wring_contact **c);

/*
  Of colliders by the penalty: inside [n] is the number of vertices of this rank inside each collider at x [n_owned][3],
  at the time set last. x is remembered as the beginning of the step that the next wring_contact_measure ends. Not
  collective.
*/
void wring_colliders_count(wring_contact *c, const double *x, PetscInt64 *inside);

/*
  Sets mark [n_owned] of the vertices that a collider may stop on their way from x [n_owned][3] m: along `direction`, a
  unit vector, or any way if it is NULL. A collider that moves, or that vertices are inside, may stop all of them.
  Colliders of either kind; not collective.
*/
void wring_colliders_mark_stopped(const wring_contact *c, const double *direction, const double *x, char *mark);

/* ---- self-contact (self_contact.c) ------------------------------------------------------------------------------- */

/* Deck keys with prefix self_contact_: method, gap, friction, slip_speed, stiffness, thickness, max_depth. */
extern const wring_option wring_self_contact_options[];

typedef struct {
  double        gap, friction, slip_speed; // of wring_barrier_body
  double        stiffness;                 // N/m of every vertex that touches a triangle
  double        thickness;                 // m: vertices and triangles nearer than this push each other, >= 0
  double        max_depth; // m: a vertex deeper inside is not pushed out; 0: half the mean edge of the surface at rest
  wring_phases *phases;    // to which searches and messages are counted; borrowed, may be NULL
} wring_self_contact;

/*
  Vertices of the surface of the mesh's tets against its triangles, and edges, of the same body or another. Any
  extension of the halo must precede this call. Collective. docs/theory.md (9.1) to (9.9)
*/
PetscErrorCode wring_contact_create_self(const wring_mesh *mesh, const wring_self_contact *how, wring_contact **c);
/* Of self-contact: notes vertices deeper than max_depth inside a body at x [n_local][3], the start. Collective. */
PetscErrorCode wring_self_contact_note_lost(wring_contact *c, const double *x);

/* ---- self-contact and colliders by a barrier (barrier/self_barrier.c) -------------------------------------------- */

typedef struct {
  PetscBool             self;               // the surface meets itself
  double                gap;                // m: pairs nearer than this repel each other; 0: chosen by (9.22)
  double                friction;           // Coulomb's coefficient between surfaces
  double                slip_speed;         // m/s: below it friction is less; 0: 1e-3 of the diagonal per second
  PetscInt              n_triangle, n_line; // elements beside the surface of tets, on any ranks with their vertices
  const PetscInt       *triangle, *line;    // [n_triangle][3], [n_line][2] local vertices
  int                   n_collider;
  const wring_collider *collider; // [n_collider] with features; copied, every one is a part
  wring_phases         *phases;   // to which searches and messages are counted; borrowed, may be NULL
} wring_barrier_body;

/*
  Points, edges and triangles of the surface of the mesh's tets and of the other elements against each other and
  colliders, by a barrier that is infinite where they touch. Gaps must not exceed the shortest edge; surfaces that
  touch at rest are refused. Any extension of the halo must precede this call. The stiffness is to be set before the
  first evaluation. Collective. docs/theory.md (9.13) to (9.27)
*/
PetscErrorCode wring_contact_create_barrier(const wring_mesh *mesh, const wring_barrier_body *how, wring_contact **c);
void           wring_barrier_set_stiffness(wring_contact *c, double stiffness); // Pa, > 0; not collective

/* Friction, a contact that the caller owns, or NULL if all coefficients are 0. Collective. */
PetscErrorCode wring_barrier_create_friction(wring_contact *barrier, wring_contact **friction);

typedef struct {
  double gap;          // m: the largest
  double edge[2];      // m: the least and the mean edge of the surface; 0: there is none
  double stiffness;    // Pa
  double points, area; // vertices of the surface, and their areas together [m^2]
} wring_barrier_sizes;
PetscErrorCode wring_barrier_measure(const wring_contact *c, wring_barrier_sizes *sizes); // collective
