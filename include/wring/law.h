/*
  Layer 2, laws: an energy density psi(z) of one local value z = G x of an element, and its derivatives.

  A law is a table of pure functions of one block of WRING_LANES elements in structure-of-arrays layout; it does not
  depend on vertices, meshes, threads or ranks. z has 3 rows (x, y, z) and q columns: z[q * c + k][lane] is coordinate c
  of column k, so that for q = 3 z is the deformation gradient F row by row. docs/theory.md 3. To add one:
  docs/developer.md, "How to add".

  Map of src/law: one file for each law; functions that several laws share are in src/law/common:
    laws.c             the list of all laws
    strain.c ...       a law: functions, then its table
    pressure.h         what elements keep of a law whose term in J is a function of means
    common/passes.h    functions derived from others of the same law
    common/contract.c  the Hessian of one vertex, and its products with two directions
    common/closed_forms.h  closed forms of these for some laws
    common/isotropic.h laws of the stretches of F: Hessians; then stretch_prox.h (stretch_smooth.c), limit.h
    common/distance.h  laws of the distance to a set; membrane.h: of the stretches of a triangle
    common/length.h    laws of |z|
    common/keys.h      parameters from a deck; lame.h: young and poisson, or mu and lambda
    common/spline.h    the tables of spline; spline_file.c reads them
    common/example.c   the typical parameters of a law as options
  Element loops are in src/term.

  Several threads may call the same function at once, except functions marked collective.
*/
#pragma once
#include <wring/options.h>

typedef struct wring_law wring_law;

/*
  What becomes of a negative eigenvalue e of an element's Hessian: it stays, becomes 0 [Teran et al. 2005], or |e|
  [Chen et al. 2024a, section 4]. The number is the multiple of -e that is added. docs/theory.md 3.4
*/
typedef enum { WRING_FILTER_NONE = 0, WRING_FILTER_CLAMP = 1, WRING_FILTER_ABSOLUTE = 2 } wring_filter;

/*
  Shapes: par [n_par], z, p [3 q], h [(3 q) (3 q)], psi, k, rho [WRING_LANES]; h row by row, symmetric. `self` is the
  law's own table, so that similar laws can share functions that read its rule. Outputs must not overlap inputs. A
  function must not assume that each z is a distinct element: padded lanes repeat one. Results are finite for z of any
  shape (inverted, flat, 0), except psi = +infinity. A NULL entry of a table means that the law lacks the function.
*/
typedef void wring_law_energy(const wring_law *self, wring_in par, wring_in z, double *psi);
typedef void wring_law_map(const wring_law *self, wring_in par, wring_in z, wring_out p);
typedef void wring_law_fused(const wring_law *self, wring_in par, wring_in z, double *psi, wring_out p);
typedef void wring_law_hessian(const wring_law *self, wring_filter filter, wring_in par, wring_in z, wring_out h);
typedef void wring_law_blocks(const wring_law *self, wring_filter filter, wring_in par, wring_in z, wring_in g,
                              wring_out K);
typedef void wring_law_contracted(const wring_law *self, wring_in par, wring_in z, wring_in g, wring_out K);
typedef void wring_law_products(const wring_law *self, wring_filter filter, wring_in par, wring_in z, wring_in a,
                                wring_in b, wring_out sum);
typedef void wring_law_slope(const wring_law *self, wring_in par, double *k);
typedef void wring_law_prox(const wring_law *self, wring_in par, const double *rho, wring_in z, wring_out p);
typedef void wring_law_constraint(const wring_law *self, int j, wring_in par, wring_in z, double *C, wring_out dC,
                                  double *k);
typedef const char *wring_law_fault(const wring_law *self, wring_in par);

/*
  par from the deck's keys with prefix ("material_" or "region_tooth_"), or, if not set there, with fallback
  ("material_"). Collective.
*/
typedef PetscErrorCode wring_law_reader(const wring_law *self, const wring_options *o, const char *prefix,
                                        const char *fallback, double *par);

/* Declares the first parameter in functions of a law that do not use it. */
#define WRING_SELF const wring_law *self __attribute__((unused))

/* The elements that a law applies to. */
typedef enum {
  WRING_LAW_OTHER,    // points, springs, triangles, hinges: not chosen by name in a deck
  WRING_LAW_MATERIAL, // tets, material: {model: NAME}
  WRING_LAW_ON_TOP    // the same tets as a material: q = 3, z = F, or q = 1, z = F d with the direction d of fibres
} wring_law_kind;

/* How to find the nearest rest state of an element in the metric of its vertices' masses. docs/theory.md (5.4) */
typedef enum {
  WRING_POSE_UNKNOWN,
  WRING_POSE_SHAPE,  // a tet: the rest shape, rotated and translated, where psi is minimal
  WRING_POSE_PROJECT // a point or an edge: z becomes the law's projection
} wring_pose;

/*
  How a law is split if its term in J = det F is a function of means of J over patches (volumetric: mean): psi(F) =
  psi_e(F) + U(J), of which an element keeps psi_e and a patch has U of its mean. docs/theory.md 3.12
    element   psi_e, with a last parameter p [Pa] that its derivatives, but not its energy, take as p det F more
    keep      par of `element`, p = 0, from the law's; p takes U'. False: psi has no U, since element keeps all of it
    energy    u = U, U', U'' [Pa] at J, with the law's par; U = +infinity outside the domain
*/
typedef struct {
  const wring_law *element;
  PetscBool (*keep)(const double *par, double *element_par);
  void (*energy)(const double *par, double J, double u[3]);
} wring_volumetric;

struct wring_law {
  const char         *name; // as in a deck: material: {model: strain}
  wring_law_kind      kind;
  int                 q;       // columns of z: 1 for points and edges, 2 for triangles, 3 for tetrahedra
  int                 n_par;   // parameters of an element, in SI units
  const wring_option *options; // deck keys ("young", "volume_min", ...); NULL for WRING_LAW_OTHER
  wring_law_reader   *set_par; // likewise
  /*
    Typical parameters, for `wring bench` and the tests of all laws: words of a deck, key, value, ..., NULL, where the
    value of a WRING_PATH key is the text of the file (wring_law_set_example); or, for a law without keys, example_par
    [n_par].
  */
  const char *const *example;
  const double      *example_par;
  PetscBool          positive; // psi is +infinity where det z <= 0 (neohookean, mooney_rivlin); only with q = 3
  wring_pose         pose;
  wring_law_energy  *energy;  // psi; +infinity outside the domain (neohookean, J <= 0): a value, not an error
  wring_law_fused   *fused;   // psi and d psi/dz, which is any finite value where psi is infinite
  wring_law_hessian *hessian; // d2 psi/dz2, filtered
  /*
    K [6][9] = sum_kl g_ak g_bl d2psi/dz_ck dz_dl, (a, b) = 00 01 02 11 12 22, (c, d) row by row, of rows g [3][3]: the
    Hessian of three vertices of a tet, filtered. NULL: it is computed from `hessian`.
  */
  wring_law_blocks *blocks;
  /*
    K [6] = sum_kl g_k g_l d2psi/dz_ck dz_dl, (c, d) = xx yy zz xy yz xz, g [q]: the Hessian of a vertex, not filtered;
    NULL: wring_law_contract computes it from `hessian`.
  */
  wring_law_contracted *contracted;
  /*
    If not 0: K of a vertex is modelled by definite_mu mu |g|^2 I + lambda c c^T, c = (cof F) g, which has no negative
    eigenvalue [Chen et al. 2024c]; mu and lambda are the first two parameters, lambda < 0 counts as 0. If 0: the model
    is the filtered Hessian.
  */
  double definite_mu;
  /*
    sum [3] = a . h a, a . h b, b . h b of the filtered Hessian h, a and b [3 q], without h; NULL: wring_law_multiply
    computes them from `hessian`.
  */
  wring_law_products *products;
  wring_law_map      *project; // p = closest point of the rest manifold, for laws with psi = k/2 |z - p|^2
  wring_law_slope    *slope;   // k of the quadratic proxy k/2 |z - p|^2, docs/theory.md 4
  wring_law_prox     *prox;    // p = argmin psi(p) + rho/2 |p - z|^2, rho [WRING_LANES] > 0
  /*
    Constraints C_j of psi = sum_j k_j C_j^2/2 up to a constant, j = 0 ... n_constraint - 1: C [WRING_LANES], dC =
    dC_j/dz [3 q], k [WRING_LANES]. The compliance is alpha_j = 1/(w k_j), docs/theory.md 3.6.
  */
  int                   n_constraint;
  wring_law_constraint *constraint;
  /*
    Constraints that are differentiable where they are satisfied, as rows of a linear system require: the same psi, j =
    0 ... n_row - 1. n_row = 0: the law has none. row_fault returns the reason, for a message, why parameters give no
    row, or NULL; a NULL entry means that all parameters do.
  */
  int                   n_row;
  wring_law_constraint *row;
  wring_law_fault      *row_fault;
  const void           *rule; // read by functions in src/law/common: see their headers
  /* Its term in J, NULL: it has none. Whether its energy is that of this element alone: all laws but split ones. */
  const wring_volumetric *volumetric;
  PetscBool               split;
};

/* Materials, q = 3, psi in Pa. par = {mu, lambda [Pa]}: */
extern const wring_law wring_law_corotated, wring_law_fixed_corotated, wring_law_stvk, wring_law_neohookean,
  wring_law_stable_neohookean;
extern const wring_law wring_law_strain;        // par = {k [Pa]}
extern const wring_law wring_law_mooney_rivlin; // par = {c10, c01, kappa [Pa]}
extern const wring_law wring_law_polynomial;    // par = {mu [Pa]}
extern const wring_law wring_law_spline;        // par: tables read from a file; only set_par fills it
/*
  Laws on top of a material, in separate terms of the same tets, psi in Pa: fibre, q = 1, z = F d with the unit rest
  direction d, par = {k [Pa], 1}: k/2 (|z| - 1)^2; volume and strain_limit, q = 3, par = {k [Pa], min, max}: k/2 |F -
  p|^2, p the closest F with det F, or with all stretches, in [min, max].
*/
extern const wring_law wring_law_fibre, wring_law_volume, wring_law_strain_limit;
extern const wring_law wring_law_attachment; // q = 1, par = {k [N/m], target x, y, z [m]}: k/2 |x - t|^2
extern const wring_law wring_law_spring;     // q = 1, par = {k [N/m], rest length [m]}: k/2 (|x_i - x_j| - l)^2

/*
  Membranes, q = 2, psi in N/m: par = {k [N/m]} of strain, {k, min, max} of the others, 0 <= min <= max, min > 0 of
  area.
*/
extern const wring_law wring_law_membrane_strain, wring_law_membrane_strain_limit, wring_law_membrane_area;
/* Bending of hinges, q = 1, psi in N/m: par = {k [N m]}: k/2 |z|^2, and {k, |z_0| [1/m]}: k/2 (|z| - |z_0|)^2. */
extern const wring_law wring_law_bending_isometric, wring_law_bending_rigid;

/* Functions that a law has, or that a solver requires of every law. */
enum {
  WRING_CAN_GRADIENT  = 1 << 0,
  WRING_CAN_HESSIAN   = 1 << 1,
  WRING_CAN_PROJECT   = 1 << 2,
  WRING_CAN_SLOPE     = 1 << 3,
  WRING_CAN_PROX      = 1 << 4,
  WRING_CAN_CONSTRAIN = 1 << 5,
  WRING_CAN_ALONE     = 1 << 6, // its energy is that of this element alone: for sweeps over vertices
};

/* K [6] of `contracted`, or of its model with `definite`, for laws with a Hessian. */
void wring_law_contract(const wring_law *law, PetscBool definite, wring_in par, wring_in z, wring_in g, wring_out K);

/* sum [3] of `products`, for laws with a Hessian. */
void wring_law_multiply(const wring_law *law, wring_filter filter, wring_in par, wring_in z, wring_in a, wring_in b,
                        wring_out sum);

const wring_law  *wring_law_find(const char *name); // a material by name, ignoring case; NULL if there is none
const wring_law  *wring_law_at(int i);              // the i-th law of all, those of plugins last; NULL past the end
extern const char wring_law_names[];                // of wring's own, "|strain|corotated|..."
const wring_law  *wring_law_material(int i);        // the i-th material in the order of help; NULL past the end
const wring_law *wring_law_on_top(int i); // the i-th law on top of materials, in the order of sweeps; NULL past the end
unsigned         wring_law_can(const wring_law *law);
/*
  The response at rest (F = I) of a law with parameters par [n_par], which is isotropic there: wave = d2psi/dF_xx2 =
  lambda + 2 mu, shear = d2psi/dF_xy2 = mu [Pa], both 0 if the law has no stiffness at rest; of fibres, wave is the
  stiffness along them. False if the law has no Hessian.
*/
PetscBool   wring_law_rest_moduli(const wring_law *law, const double *par, double *wave, double *shear);
double      wring_poisson_ratio(double wave, double shear); // lambda/(2 (lambda + mu)); 0 without a stiffness
double      wring_young_modulus(double wave, double shear); // mu (3 lambda + 2 mu)/(lambda + mu); likewise
const char *wring_law_can_name(unsigned can);               // name of the lowest bit, for messages: "projection"

/*
  Sets the keys of law->example in o with a prefix; the text of a WRING_PATH key is written to `file`, which rank 0 of o
  creates. Collective.
*/
PetscErrorCode wring_law_set_example(const wring_law *law, const char *prefix, const char *file, wring_options *o);
