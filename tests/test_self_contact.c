/* ranks: 1 2 4
   Self-contact as a part of g: forces, momenta, the Hessian, two blocks pressed together, the same on any number of
   ranks. Fails if a force goes to a wrong vertex or rank, if weights are not those of the contact point, or if a pair
   between ranks is dropped. */
#include "blocks_model.h"
#include "contact/crossings.h"
#include "contact/pairs.h"
#include <wring/solver.h>

static const double k_contact = 3e4, thickness = 0.02;

/*
  The upper box overlaps the lower one by 0.03 m; it is smaller, and its vertices lie between those of the lower one.
*/
static const wring_box overlap[2] = {{{1, 1, 0.5}, {4, 4, 2}, {0, 0, 0}, 0.1},
                                     {{0.63, 0.57, 0.5}, {3, 3, 2}, {0.171, 0.193, 0.47}, 0.1}};
/* The same with a gap of 0.06 m. */
static const wring_box apart[2] = {{{1, 1, 0.5}, {4, 4, 2}, {0, 0, 0}, 0.1},
                                   {{0.63, 0.57, 0.5}, {3, 3, 2}, {0.171, 0.193, 0.56}, 0.1}};

static PetscErrorCode model_create(MPI_Comm comm, const wring_box *box, PetscBool on, model *m)
{
  const wring_self_contact how = {.stiffness = k_contact, .thickness = thickness, .max_depth = 0.15};
  PetscBool                changed;

  PetscFunctionBegin;
  PetscCall(model_begin(comm, 2, box, m));
  if (on) PetscCall(wring_contact_create_self(m->mesh, &how, &m->contact));
  PetscCall(model_end(m));
  PetscCall(wring_potential_set_time(m->g, 0, 0, &changed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode update(model *m, wring_contact_change *change)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_update_contacts(m->g, m->x, PETSC_TRUE, change));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- derivatives and momenta ------------------------------------------------------------------------------------- */

static PetscErrorCode check_gradient(model *m)
{
  double slope = 0, here, sum[8], *f;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * m->mesh->n_local, &f));
  PetscCall(contact_slope(m, 1e-5, contact_alone, &slope, &here, f));
  PetscCall(contact_sums(m, f, sum));
  CHECK(here > 0, "no contact has energy");
  CHECK(fabs(slope - sum[7]) <= 1e-7 * fabs(sum[7]), "difference %.12g, force %.12g", slope, sum[7]);
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Sums of forces and of their moments, relative to the sum of their magnitudes. At positions where pairs have just been
  found, the contact point c lies on the line of the force.
*/
static PetscErrorCode check_momenta(model *m)
{
  double energy, sum[8], *f;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * m->mesh->n_local, &f));
  PetscCall(contact_alone(m, m->x, &energy, f));
  PetscCall(contact_sums(m, f, sum));
  CHECK(sum[6] > 100, "forces of %g N only", sum[6]);
  for (int c = 0; c < 6; c++) CHECK(fabs(sum[c]) <= 1e-12 * sum[6], "sum %d is %g of %g", c, sum[c], sum[6]);
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Trace of H from blocks, and products with d and grad, without and with the matrix. */
static PetscErrorCode check_products(model *m, Mat H)
{
  const Vec     of[] = {m->d, m->grad};
  Vec           Hd, diagonal;
  double        sum[4] = {0}, expected[3], *block;
  const double *local;
  PetscScalar   trace;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(m->x, &Hd));
  PetscCall(VecDuplicate(m->x, &diagonal));
  PetscCall(PetscMalloc1(6 * m->mesh->n_owned, &block));
  for (int i = 0; i < 3; i++) {
    PetscCall(MatMult(H, of[i / 2], Hd));
    PetscCall(VecDot(Hd, of[(i + 1) / 2], &expected[i]));
  }
  PetscCall(MatGetDiagonal(H, diagonal));
  PetscCall(VecSum(diagonal, &trace));
  for (int i = 0; i < 2; i++) { // ghosts
    PetscCall(wring_potential_get_local(m->g, i ? m->x : m->grad, &local));
    PetscCall(VecRestoreArrayRead(i ? m->x : m->grad, &local));
  }
  PetscCall(wring_potential_products_local(m->g, m->x, WRING_FILTER_NONE, m->d, m->grad, sum));
  PetscCall(wring_potential_diagonal(m->g, m->x, WRING_FILTER_NONE, block));
  for (PetscInt i = 0; i < 6 * m->mesh->n_owned; i++) sum[3] += i % 6 < 3 ? block[i] : 0;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, m->mesh->comm));
  for (int i = 0; i < 3; i++)
    CHECK(fabs(sum[i] - expected[i]) <= 1e-11 * (expected[0] + fabs(expected[i])), "product %d: %.15g, %.15g", i,
          sum[i], expected[i]);
  CHECK(fabs(sum[3] - trace) <= 1e-12 * trace, "trace %.15g by blocks, %.15g", sum[3], trace);
  PetscCall(PetscFree(block));
  PetscCall(VecDestroy(&Hd));
  PetscCall(VecDestroy(&diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H d and differences of grad g, including entries between different bodies and different ranks. */
static PetscErrorCode check_hessian(model *m)
{
  Mat H = NULL;

  PetscFunctionBegin;
  PetscCall(test_differences(m->g, m->x, m->d, "self-contact", 1e-6, 0, 1e-7));
  PetscCall(wring_potential_hessian(m->g, m->x, WRING_FILTER_NONE, &H));
  PetscCall(wring_potential_gradient(m->g, m->x, m->grad));
  PetscCall(check_products(m, H));
  PetscCall(MatDestroy(&H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_derivatives(void)
{
  model                m;
  wring_contact_change change;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, overlap, PETSC_TRUE, &m));
  PetscCall(update(&m, &change));
  CHECK(change.active >= 16 && change.added == change.active && change.released == 0, "%d contacts",
        (int)change.active);
  PetscCall(check_gradient(&m));
  PetscCall(check_momenta(&m));
  PetscCall(check_hessian(&m));
  PetscCall(wring_potential_update_contacts(m.g, m.x, PETSC_FALSE, &change));
  CHECK(change.added + change.released + change.moved == 0, "the same positions have other contacts");
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pairs kept over iterations ---------------------------------------------------------------------------------- */

/* Positions after some iterations of a motion: the upper box slides and sinks, all vertices tremble. */
static void wander(const wring_mesh *m, int iteration, double *x)
{
  const double way = 0.008 + 0.001 * iteration;
  for (PetscInt i = 0; i < 3 * m->n_local; i++) {
    uint64_t  seed  = 31u * (uint64_t)m->number.original[i / 3] + (uint64_t)(i % 3) + 100003u * (uint64_t)iteration;
    const int upper = m->X[3 * (i / 3) + 2] > 0.515;
    x[i]            = m->X[i] + 0.001 * test_random(&seed) + (upper ? (i % 3 == 2 ? -way : 0.5 * way) : 0);
  }
}

/*
  The pairs that touch, found among those kept since an earlier search, are those of a search at these positions, bit
  for bit. Fails if the margin or the bound on the motion loses a pair. Every other time by three threads.
*/
static PetscErrorCode test_kept(void)
{
  static const wring_box fine[2] = {{{1, 1, 0.5}, {12, 12, 3}, {0, 0, 0}, 0.1},
                                    {{0.63, 0.57, 0.5}, {9, 8, 3}, {0.171, 0.193, 0.53}, 0.1}};
  const int              threads = wring_max_threads();
  wring_mesh            *m       = test_blocks(PETSC_COMM_WORLD, 2, fine);
  wring_pairs           *kept, *anew;
  PetscInt               most = 0;
  double                *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * m->n_local, &x));
  PetscCall(wring_pairs_create(m, thickness, 0.05, &kept));
  for (int i = 0; i < 40; i++) {
    wander(m, i, x);
    wring_set_threads(i % 2 ? 3 : 1);
    PetscCall(wring_pairs_append(kept, x));
    wring_set_threads(1);
    PetscCall(wring_pairs_create(m, thickness, 0.05, &anew));
    PetscCall(wring_pairs_append(anew, x));
    CHECK(kept->n_pair == anew->n_pair, "iteration %d: %d pairs, anew %d", i, (int)kept->n_pair, (int)anew->n_pair);
    for (PetscInt k = 0; k < anew->n_pair; k++) {
      const wring_pair *a = &kept->pair[k], *b = &anew->pair[k];
      CHECK(a->near.vertex == b->near.vertex && !memcmp(a->near.original, b->near.original, sizeof a->near.original) &&
              !memcmp(a->w, b->w, sizeof a->w) && !memcmp(a->n, b->n, sizeof a->n) && a->d == b->d,
            "iteration %d: pair %d differs", i, (int)k);
    }
    most         = PetscMax(most, kept->n_pair);
    kept->n_pair = 0;
    PetscCall(wring_pairs_destroy(&anew));
  }
  wring_set_threads(threads);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  CHECK(most > 60 && kept->searches < 20, "%d pairs, %d searches", (int)most, (int)kept->searches);
  PetscCall(wring_pairs_destroy(&kept));
  PetscCall(PetscFree(x));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- depth and side ---------------------------------------------------------------------------------------------- */

/*
  Inside and depth of x do not depend on the ranks: compared with one rank that has everything. Fails if a side of a
  body is confused with another.
*/
static PetscErrorCode test_report(void)
{
  model                m, one;
  wring_contact_report all, alone;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, overlap, PETSC_TRUE, &m));
  PetscCall(model_create(PETSC_COMM_SELF, overlap, PETSC_TRUE, &one));
  PetscCall(wring_potential_measure_contact(m.g, 0, m.x, &all, NULL));
  PetscCall(wring_potential_measure_contact(one.g, 0, one.x, &alone, NULL));
  CHECK(all.inside == alone.inside && all.depth == alone.depth, "%d at %g, alone %d at %g", (int)all.inside, all.depth,
        (int)alone.inside, alone.depth);
  // 16 vertices of the upper box are below 0.5 m, 9 of the lower box in the upper one; noise is below 0.004 m
  CHECK(all.inside >= 16 && all.inside <= 25, "%d inside", (int)all.inside);
  CHECK(all.depth > 0.03 - 0.001 && all.depth < 0.03 + 0.008, "depth %g", all.depth);
  PetscCall(model_destroy(&m));
  PetscCall(model_destroy(&one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices deeper than the limit are counted and are in no pair. */
static PetscErrorCode test_lost(void)
{
  const double *xa;
  double        depth[2] = {0.02, 0.15};
  model         m;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, overlap, PETSC_FALSE, &m));
  PetscCall(wring_potential_get_local(m.g, m.x, &xa));
  for (int i = 0; i < 2; i++) {
    wring_pairs *pairs;
    PetscInt64   n[2];
    PetscCall(wring_pairs_create(m.mesh, 0, depth[i], &pairs));
    PetscCall(wring_pairs_count_lost(pairs, xa, &n[0]));
    PetscCall(wring_pairs_update(pairs, xa, PETSC_TRUE));
    n[1] = pairs->n_pair;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 2, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
    // two of the lower box's vertices are near the side of the upper one
    CHECK(n[i] >= 16 && n[1 - i] <= (i ? 0 : 2), "depth %g: %d lost, %d pairs", depth[i], (int)n[0], (int)n[1]);
    PetscCall(wring_pairs_destroy(&pairs));
  }
  PetscCall(VecRestoreArrayRead(m.x, &xa));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Depth of a point in a box, negative outside. */
static double depth_in(const wring_box *b, const double shift, const double p[3])
{
  double depth = INFINITY;
  for (int c = 0; c < 3; c++) {
    const double low = b->origin[c] + (c == 2 ? shift : 0);
    depth            = fmin(depth, fmin(p[c] - low, low + b->size[c] - p[c]));
  }
  return depth;
}

/* The owned vertices of the surfaces of both boxes that are deeper than depth in the other one, at most four times. */
static PetscInt64 count_deep(const wring_mesh *m, const double *x, double shift, double depth)
{
  PetscInt64 n = 0;
  for (PetscInt i = 0; i < m->n_owned; i++) {
    const int    upper = m->X[3 * i + 2] > 0.53;
    const double other = depth_in(&apart[!upper], upper ? 0 : shift, x + 3 * i);
    if (fabs(depth_in(&apart[upper], 0, m->X + 3 * i)) < 1e-9) n += other > depth && other <= 4 * depth;
  }
  return n;
}

/*
  The upper box passes through the lower one, slowly and in jumps: in each position the lost vertices are those that are
  too deep by the formula. Fails if the conditions under which nothing is searched for overlook one, or if a vertex that
  only touches counts.
*/
static PetscErrorCode test_passing(void)
{
  static const double depth = 0.05, slow[2] = {0.02, 0.11};
  wring_pairs        *pairs;
  PetscInt64          n[2], largest = 0;
  model               m;
  double             *x;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, apart, PETSC_FALSE, &m));
  PetscCall(PetscMalloc1(3 * m.mesh->n_local, &x));
  for (int i = 0; i < 2; i++) {
    PetscCall(wring_pairs_create(m.mesh, 0, depth, &pairs));
    for (double shift = 0; shift > -1.2; shift -= slow[i]) {
      for (PetscInt k = 0; k < 3 * m.mesh->n_local; k++)
        x[k] = m.mesh->X[k] + (k % 3 == 2 && m.mesh->X[k] > 0.53 ? shift : 0);
      PetscCall(wring_pairs_append(pairs, x)); // as at the end of a step
      pairs->n_pair = 0;
      PetscCall(wring_pairs_count_lost(pairs, x, &n[0]));
      n[1] = count_deep(m.mesh, x, shift, depth);
      PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 2, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD));
      CHECK(n[0] == n[1], "shift %g: %d lost, %d are too deep", shift, (int)n[0], (int)n[1]);
      largest = PetscMax(largest, n[0]);
    }
    CHECK(largest > 20, "%d lost at most", (int)largest);
    PetscCall(wring_pairs_destroy(&pairs));
  }
  PetscCall(PetscFree(x));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Vertices that are pushed against the direction in which they came in are counted until they are out; those that slide
  over an edge, or touch another body, are not.
*/
static PetscErrorCode test_crossings(void)
{
  wring_crossings c = {0};
  /* Directions in degrees of three pairs, of vertices 2, 2 (another body), 5, in a row of steps; -1: not inside. */
  static const int way[6][3] = {{0, -1, 0}, {90, 180, 130}, {180, 180, 140}, {0, 0, 270}, {-1, 0, 90}, {180, -1, 90}};
  static const PetscInt64 expected[6] = {0, 0, 0, 2, 2, 1};

  PetscFunctionBegin;
  for (int step = 0; step < 6; step++) {
    for (int i = 0; i < 3; i++) {
      const double angle = way[step][i] * PETSC_PI / 180, n[3] = {cos(angle), 0, sin(angle)};
      if (way[step][i] >= 0) PetscCall(wring_crossings_add(&c, i < 2 ? 2 : 5, i, n));
    }
    const PetscInt64 crossed = wring_crossings_count(&c);
    CHECK(crossed == expected[step], "step %d: %d crossed, expected %d", step, (int)crossed, (int)expected[step]);
  }
  PetscCall(wring_crossings_destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A body at rest, or rotated as a whole, does not touch itself. Fails if neighbours or the far side count as contacts.
*/
static PetscErrorCode test_rest(void)
{
  static const wring_box one = {{1, 0.6, 0.4}, {5, 3, 2}, {0, 0, 0}, 0.3};
  double                 r[9], at[3];
  uint64_t               state = 5;
  wring_contact_change   change;
  model                  m;
  double                *x;

  PetscFunctionBegin;
  PetscCall(
    model_create(PETSC_COMM_WORLD, (const wring_box[]){one, {{1, 1, 1}, {1, 1, 1}, {5, 5, 5}, 0}}, PETSC_TRUE, &m));
  test_displace(m.mesh, 0, 0, m.x);
  PetscCall(update(&m, &change));
  CHECK(change.active == 0, "%d contacts at rest", (int)change.active);
  test_rotation(&state, r);
  PetscCall(VecGetArray(m.x, &x));
  for (PetscInt i = 0; i < m.mesh->n_owned; i++) {
    for (int c = 0; c < 3; c++) at[c] = x[3 * i + c];
    for (int c = 0; c < 3; c++) x[3 * i + c] = r[3 * c] * at[0] + r[3 * c + 1] * at[1] + r[3 * c + 2] * at[2] + 3;
  }
  PetscCall(VecRestoreArray(m.x, &x));
  PetscCall(update(&m, &change));
  CHECK(change.active == 0, "%d contacts after a turn", (int)change.active);
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- a bar bent onto itself -------------------------------------------------------------------------------------- */

/* A bar of 2 m bent to a ring in the xz plane, with `gap` metres between its ends. */
static void bend(const double *X, double gap, double *x)
{
  const double radius = 2 / (2 * PETSC_PI), part = 1 - gap / 2, a = X[0] / radius * part;
  x[0] = (radius - X[2]) * sin(a);
  x[1] = X[1];
  x[2] = radius - (radius - X[2]) * cos(a);
}

/*
  The ends touch if and only if they are closer than thickness: two sides of one body that face away from each other at
  rest.
*/
static PetscErrorCode test_bent(void)
{
  static const wring_box bar[2] = {{{2, 0.2, 0.1}, {20, 2, 1}, {0, 0, 0}, 0}, {{1, 1, 1}, {1, 1, 1}, {9, 9, 9}, 0}};
  wring_contact_change   change;
  model                  m;
  double                *x;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, bar, PETSC_TRUE, &m));
  for (int near = 0; near < 2; near++) {
    test_displace(m.mesh, 0, 0, m.x);
    PetscCall(VecGetArray(m.x, &x));
    for (PetscInt i = 0; i < m.mesh->n_owned; i++)
      if (m.mesh->X[3 * i] < 5) bend(m.mesh->X + 3 * i, near ? 0.01 : 0.06, x + 3 * i);
    PetscCall(VecRestoreArray(m.x, &x));
    PetscCall(update(&m, &change));
    CHECK(near ? change.active == 12 : change.active == 0, "near %d: %d contacts", near, (int)change.active);
  }
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A bar whose right part is turned and laid across its left part: edges cross between vertices, and push if they are
  nearer than thickness. Fails if edges of one body are left out, or if those of a bar at rest push each other.
*/
static PetscErrorCode test_crossed(void)
{
  static const wring_box bar[2] = {{{2, 0.1, 0.1}, {10, 1, 1}, {0, 0, 0}, 0}, {{1, 1, 1}, {1, 1, 1}, {9, 9, 9}, 0}};
  wring_contact_change   change;
  model                  m;
  double                *x;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, bar, PETSC_TRUE, &m));
  for (int near = 0; near < 3; near++) {
    test_displace(m.mesh, 0, 0, m.x);
    PetscCall(VecGetArray(m.x, &x));
    for (PetscInt i = 0; i < m.mesh->n_owned && near > 0; i++) {
      const double *const X = m.mesh->X + 3 * i;
      if (X[0] < 0.9 || X[0] > 5) continue;
      const int link = X[0] < 1.1 ? 1 : X[0] < 1.3 ? 2 : 0; // sections of the loop; then across the cell 0.4 to 0.6 m
      x[3 * i]       = link == 1 ? 1.3 : link == 2 ? 0.9 : 0.55 - X[1];
      x[3 * i + 1]   = link == 1 ? X[1] - 0.5 : link == 2 ? -0.8 - X[1] : X[0] - 1.65;
      x[3 * i + 2]   = X[2] + (near == 2 ? 0.11 : 0.13);
    }
    PetscCall(VecRestoreArray(m.x, &x));
    PetscCall(update(&m, &change));
    CHECK(near == 2 ? change.active == 4 : change.active == 0, "near %d: %d contacts", near, (int)change.active);
    if (near == 2) PetscCall(check_momenta(&m));
  }
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- solves ------------------------------------------------------------------------------------------------------ */

/*
  Attaches the vertices with rest heights in [low, high] m to targets `down` below their rest positions, by springs or
  exactly.
*/
static PetscErrorCode hold(model *m, double low, double high, double down, PetscBool hard)
{
  const wring_motion still = {.until = INFINITY, .release = INFINITY};
  PetscInt          *vertex, n = 0;
  double            *k, *target;
  wring_term        *t;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(m->mesh->n_owned, &vertex, m->mesh->n_owned, &k, 3 * m->mesh->n_owned, &target));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) {
    const double *X = m->mesh->X + 3 * i;
    if (X[2] < low || X[2] > high) continue;
    for (int c = 0; c < 3; c++) target[3 * n + c] = X[c];
    target[3 * n + 2] -= down;
    k[n]        = 1e6;
    vertex[n++] = i;
  }
  if (hard)
    PetscCall(wring_term_create_hard_attachments(m->mesh, "hard", n, vertex, target, &still, &t));
  else
    PetscCall(wring_term_create_attachments(m->mesh, "soft", n, vertex, k, target, &still, &t));
  PetscCall(wring_potential_add_term(m->g, t));
  PetscCall(PetscFree3(vertex, k, target));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(model *m, const char *type, PetscInt max_it, wring_outcome *outcome)
{
  wring_options  *o;
  wring_operator *op;
  wring_solver   *s;
  Mat             A = NULL;

  PetscFunctionBegin;
  PetscCall(wring_options_create(m->mesh->comm, &o));
  PetscCall(test_set(o, "", "operator_type=direct solver_newton_linear=direct"));
  PetscCall(wring_operator_create(m->mesh->comm, o, NULL, &op));
  PetscCall(wring_solver_create(m->mesh->comm, m->g, op, NULL, &s));
  PetscCall(wring_solver_set_from_options(s, o, type));
  if (wring_solver_operator_factor(s) > 0) {
    PetscCall(wring_potential_operator_matrix(m->g, 1, &A));
    PetscCall(wring_operator_set_matrix(op, A));
  }
  PetscCall(wring_solver_set_up(s));
  wring_solver_set_limits(s, max_it, 1e-11, 0, 1);
  PetscCall(wring_solver_solve(s, m->x, outcome));
  PetscCall(wring_solver_destroy(&s));
  PetscCall(wring_operator_destroy(&op));
  PetscCall(MatDestroy(&A));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Presses b onto a by 0.1 m, of which 0.04 m is the gap before contact, by its top, or with b held as a whole. Static: h
  is so large that masses have no effect.
*/
static PetscErrorCode press(MPI_Comm comm, const char *type, PetscBool hard, PetscInt max_it, model *m,
                            wring_outcome *outcome)
{
  PetscBool changed;

  PetscFunctionBegin;
  PetscCall(model_create(comm, apart, PETSC_TRUE, m));
  PetscCall(hold(m, -1, 1e-9, 0, PETSC_FALSE));
  PetscCall(hold(m, hard ? 0.55 : 1.059, 2, 0.1, hard));
  PetscCall(wring_potential_set_step(m->g, 100));
  PetscCall(wring_potential_set_time(m->g, 0, 0, &changed));
  test_displace(m->mesh, 0, 0, m->x);
  PetscCall(wring_potential_set_target(m->g, m->x));
  PetscCall(solve(m, type, max_it, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The contact force on either body is sum k (thickness - d) over the vertices that are closer than `thickness`, and
  balances the forces of the attachments. Fails if contacts act on one side only.
*/
static PetscErrorCode check_equilibrium(model *m)
{
  double               energy, *f, sum[2] = {0};
  wring_contact_change change;
  wring_contact_report report;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * m->mesh->n_local, &f));
  PetscCall(update(m, &change));
  PetscCall(contact_alone(m, m->x, &energy, f));
  for (PetscInt i = 0; i < m->mesh->n_owned; i++) sum[m->mesh->number.original[i] >= 75] += f[3 * i + 2];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 2, MPI_DOUBLE, MPI_SUM, m->mesh->comm));
  CHECK(sum[0] > 100 && fabs(sum[0] + sum[1]) < 1e-9 * sum[0], "forces %g and %g N", sum[0], sum[1]);
  wring_term *const *term;
  double             force[3 * 4];
  const int          n = wring_potential_terms(m->g, &term);
  PetscCall(wring_potential_resultants(m->g, m->x, force));
  const double off = fabs(force[3 * n - 1] + force[3 * n - 4]);
  CHECK(fabs(force[3 * n - 1]) > 100 && off < 1e-4 * sum[0], "forces of attachments %g, %g N, of contacts %g N",
        force[3 * n - 4], force[3 * n - 1], sum[0]);
  PetscCall(wring_potential_measure_contact(m->g, 0, m->x, &report, NULL));
  CHECK(report.depth < thickness, "depth %g", report.depth);
  // all pairs carry the force: their number times k times the mean of thickness - d;
  // E_c = sum k/2 (thickness - d)^2 is no less than with equal terms
  CHECK(energy >= 0.5 * sum[0] * sum[0] / (k_contact * (double)change.active) * (1 - 1e-3), "energy %g J", energy);
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From now on the hard attachment of body b holds these components. */
static PetscErrorCode set_components(model *m, unsigned components)
{
  wring_term *const *term;

  PetscFunctionBegin;
  for (int i = 0; i < wring_potential_terms(m->g, &term); i++)
    if (wring_term_is_hard(term[i])) wring_term_set_components(term[i], components);
  PetscCall(wring_potential_list_held(m->g));
  PetscCall(wring_potential_restore_places(m->g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Rows of H of what is held of body b are those of M/h^2, the others those of the free body without the columns of what
  is held. Fails if contacts add to eliminated rows or columns, or leave out those of free components.
*/
static PetscErrorCode check_eliminated(model *m, unsigned components)
{
  const double *mass = wring_potential_mass(m->g), h = wring_potential_step(m->g);
  Mat           H = NULL;
  Vec           whole;
  const double *y, *d, *w;
  PetscReal     size;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(m->d, &whole));
  PetscCall(VecCopy(m->d, m->work));
  PetscCall(set_components(m, components));
  PetscCall(wring_potential_clear(m->g, m->work));
  PetscCall(set_components(m, 0));
  PetscCall(wring_potential_hessian(m->g, m->x, WRING_FILTER_CLAMP, &H));
  PetscCall(MatMult(H, m->work, whole));
  PetscCall(VecNorm(whole, NORM_INFINITY, &size));
  PetscCall(set_components(m, components));
  PetscCall(wring_potential_hessian(m->g, m->x, WRING_FILTER_CLAMP, &H));
  PetscCall(MatMult(H, m->d, m->work));
  const char *const mark = wring_potential_held_marks(m->g);
  PetscCall(VecGetArrayRead(m->work, &y));
  PetscCall(VecGetArrayRead(m->d, &d));
  PetscCall(VecGetArrayRead(whole, &w));
  for (PetscInt i = 0; i < 3 * m->mesh->n_owned; i++) {
    const PetscBool held     = (PetscBool)(mark[i / 3] >> i % 3 & 1);
    const double    expected = held ? mass[i / 3] / (h * h) * d[i] : w[i];
    CHECK(fabs(y[i] - expected) <= 1e-12 * (held ? fabs(expected) : size), "components %u, row %d: %g, expected %g",
          components, (int)i, y[i], expected);
  }
  PetscCall(VecRestoreArrayRead(whole, &w));
  PetscCall(VecRestoreArrayRead(m->d, &d));
  PetscCall(VecRestoreArrayRead(m->work, &y));
  PetscCall(VecDestroy(&whole));
  PetscCall(MatDestroy(&H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton reaches the same state on any number of ranks to 1e-12 m; quasi-Newton converges to it too. */
static PetscErrorCode test_pressed(PetscBool hard)
{
  model         m, one;
  wring_outcome outcome;
  double        most;

  PetscFunctionBegin;
  PetscCall(press(PETSC_COMM_WORLD, "newton", hard, 60, &m, &outcome));
  CHECK(outcome.reason == WRING_CONVERGED || outcome.reason == WRING_AT_ROUND_OFF, "newton: %s, |grad g| %g of %g",
        wring_reason_name(outcome.reason), outcome.last.gradient_norm, outcome.first.gradient_norm);
  PetscCall(check_equilibrium(&m));
  if (hard) PetscCall(check_eliminated(&m, WRING_XYZ));
  PetscCall(press(PETSC_COMM_SELF, "newton", hard, 60, &one, &outcome));
  PetscCall(test_distance_to_one(m.mesh, m.x, one.mesh, one.x, INFINITY, &most));
  CHECK(most <= 1e-12, "the state differs by %g m from that of one rank", most);
  PetscCall(model_destroy(&one));
  PetscCall(press(PETSC_COMM_WORLD, "qn", hard, 2000, &one, &outcome));
  CHECK(outcome.last.gradient_norm < 1e-6 * outcome.first.gradient_norm, "qn: %s, |grad g| %g of %g",
        wring_reason_name(outcome.reason), outcome.last.gradient_norm, outcome.first.gradient_norm);
  PetscCall(check_equilibrium(&one));
  if (hard) PetscCall(check_eliminated(&m, WRING_Z));
  if (hard) PetscCall(check_eliminated(&m, WRING_X | WRING_Y));
  PetscCall(model_destroy(&one));
  PetscCall(model_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bodies apart ------------------------------------------------------------------------------------------------ */

/* Without contact between bodies, g and its gradient are bitwise those without self-contact. */
static PetscErrorCode test_apart(void)
{
  model       with, without;
  wring_value a, b;
  PetscBool   same;

  PetscFunctionBegin;
  PetscCall(model_create(PETSC_COMM_WORLD, apart, PETSC_TRUE, &with));
  PetscCall(model_create(PETSC_COMM_WORLD, apart, PETSC_FALSE, &without));
  wring_contact_change change;
  PetscCall(update(&with, &change));
  PetscCall(wring_potential_fused(with.g, with.x, &a, with.grad));
  PetscCall(wring_potential_fused(without.g, with.x, &b, without.grad));
  PetscCall(VecEqual(with.grad, without.grad, &same));
  CHECK(change.active == 0 && a.objective == b.objective && same, "contacts of bodies apart change g");
  PetscCall(model_destroy(&with));
  PetscCall(model_destroy(&without));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(test_derivatives());
  PetscCall(test_kept());
  PetscCall(test_report());
  PetscCall(test_lost());
  PetscCall(test_passing());
  PetscCall(test_crossings());
  PetscCall(test_rest());
  PetscCall(test_bent());
  PetscCall(test_crossed());
  PetscCall(test_apart());
  PetscCall(test_pressed(PETSC_FALSE));
  PetscCall(test_pressed(PETSC_TRUE));
  PetscCall(PetscFinalize());
  return 0;
}
