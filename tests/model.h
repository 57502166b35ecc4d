/* Small models that several tests use: a jittered box of one material, held at one end, with springs across it. */
#pragma once
#include "check.h"
#include "distribute.h"
#include <wring/potential.h>
#include <math.h>
#include <string.h>

static int test_mesh_order     = 1,
           test_mesh_points    = 0;    // of the tets of test_box; their quadrature points, 0: the default
static double test_mesh_curved = 0.01; // m, by which edges of order 2 are curved at most

/* Raises a mesh to order 2 and moves the middles of edges by up to `amount` m, the same on any partition. */
static inline void test_raise(wring_mesh *m, double amount)
{
  PetscCallAbort(m->comm, wring_mesh_raise(m));
  for (PetscInt i = 0; i < 3 * m->n_local; i++) {
    uint64_t state = 7919u * (uint64_t)m->number.original[i / 3] + (uint64_t)(i % 3);
    if (m->number.original[i / 3] >= m->number.n_corner) m->X[i] += amount * test_random(&state);
  }
}

/* A box of cells[3] distributed over comm. */
static inline wring_mesh *test_box(MPI_Comm comm, const PetscInt cells[3])
{
  wring_box   box = {.size = {2, 1, 1}, .jitter = 0.2};
  wring_mesh *mesh;
  for (int i = 0; i < 3; i++) box.cells[i] = cells[i];
  PetscCallAbort(comm, test_distribute_box(comm, &box, &mesh));
  if (test_mesh_order == 2) test_raise(mesh, test_mesh_curved);
  mesh->tets.points = test_mesh_points;
  return mesh;
}

/*
  Springs from vertex i to n_global - 1 - i, for i < n; they connect ranks. Extends the halo; must be created before any
  other term.
*/
static inline wring_term *test_springs(wring_mesh *m, PetscInt n, double stiffness)
{
  PetscInt    far[64] = {0}, vertex[128], count = 0;
  double      k[64], length[64];
  wring_term *t;
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt local = wring_mesh_local(m, i);
    if (local < 0 || local >= m->n_owned) continue;
    vertex[2 * count] = local, far[count] = m->number.n_global - 1 - i;
    k[count] = stiffness * (1 + 0.1 * (double)i), length[count] = 1.5;
    count++;
  }
  PetscCallAbort(m->comm, wring_mesh_extend_halo(m, count, far));
  for (PetscInt e = 0; e < count; e++) vertex[2 * e + 1] = wring_mesh_local(m, far[e]);
  PetscCallAbort(m->comm, wring_term_create_springs(m, "net", count, vertex, k, length, NULL, &t));
  return t;
}

/* Attaches the set to its rest positions, displaced by `shift`, until a time [s]. */
static inline wring_term *test_hold_until(const wring_mesh *m, const char *set, double stiffness, const double shift[3],
                                          double release)
{
  const wring_motion still = {.until = INFINITY, .release = release};
  const PetscInt     s     = wring_names_find(&m->set.names, set);
  const PetscInt     n     = m->set.count[s];
  double            *k, *target;
  wring_term        *t;
  PetscCallAbort(m->comm, PetscMalloc2(n, &k, 3 * n, &target));
  for (PetscInt i = 0; i < n; i++) {
    k[i] = stiffness;
    for (int c = 0; c < 3; c++) target[3 * i + c] = m->X[3 * m->set.vertex[s][i] + c] + shift[c];
  }
  PetscCallAbort(m->comm, wring_term_create_attachments(m, set, n, m->set.vertex[s], k, target, &still, &t));
  PetscCallAbort(m->comm, PetscFree2(k, target));
  return t;
}

static inline wring_term *test_hold(const wring_mesh *m, const char *set, double stiffness, const double shift[3])
{
  return test_hold_until(m, set, stiffness, shift, INFINITY);
}

/* The potential of the mesh with this density, without terms. */
static inline wring_potential *test_masses(const wring_mesh *m, double density)
{
  double          *mass;
  wring_potential *g;
  PetscCallAbort(m->comm, PetscMalloc1(m->n_owned, &mass));
  PetscCallAbort(m->comm, wring_mesh_lump_masses(m, WRING_MASS_DIAGONAL, &density, NULL, mass));
  PetscCallAbort(m->comm, wring_potential_create(m, mass, NULL, &g));
  PetscCallAbort(m->comm, PetscFree(mass));
  return g;
}

/* The potential of all tets of the mesh with one law, density 1000; par has as many numbers as the law needs. */
static inline wring_potential *test_potential(const wring_mesh *m, const wring_law *law, const double *par)
{
  wring_potential *g = test_masses(m, 1000);
  wring_term      *t;
  PetscCallAbort(m->comm, wring_term_create_tets(m, 0, law, par, 0, NULL, &t));
  PetscCallAbort(m->comm, wring_potential_add_term(g, t));
  return g;
}

/* x = X + amount * r, where r in (-1, 1) depends on (vertex, coordinate, seed): the same on any partition. */
static inline void test_displace(const wring_mesh *m, double amount, uint64_t seed, Vec x)
{
  double *xa;
  PetscCallAbort(m->comm, VecGetArray(x, &xa));
  for (PetscInt i = 0; i < 3 * m->n_owned; i++) {
    uint64_t state = seed * 1000003u + 3 * (uint64_t)m->number.original[i / 3] + (uint64_t)(i % 3);
    xa[i]          = m->X[i] + amount * test_random(&state);
  }
  PetscCallAbort(m->comm, VecRestoreArray(x, &xa));
}

/* d: one number in (-1, 1) per coordinate. */
static inline void test_direction(const wring_mesh *m, uint64_t seed, Vec d)
{
  Vec rest;
  PetscCallAbort(m->comm, VecDuplicate(d, &rest));
  test_displace(m, 0, seed, rest);
  test_displace(m, 1, seed, d);
  PetscCallAbort(m->comm, VecAXPY(d, -1, rest));
  PetscCallAbort(m->comm, VecDestroy(&rest));
}

/*
  Along d, the gradient at x is the derivative of g, and H d that of the gradient, by central differences with a step
  eps, to relative tolerances; 0: not compared.
*/
static inline PetscErrorCode test_differences(wring_potential *g, Vec x, Vec d, const char *name, double eps,
                                              double of_value, double of_gradient)
{
  wring_value value[2];
  Vec         at, grad[2];
  Mat         H = NULL;
  double      slope, size, off;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &at));
  for (int i = 0; i < 2; i++) {
    PetscCall(VecDuplicate(x, &grad[i]));
    PetscCall(VecWAXPY(at, i ? -eps : eps, d, x));
    PetscCall(wring_potential_fused(g, at, &value[i], grad[i]));
    CHECK(value[i].objective == value[i].inertial + value[i].elastic, "%s: parts of g do not add up", name);
  }
  PetscCall(wring_potential_gradient(g, x, at));
  PetscCall(VecDot(at, d, &slope));
  const double difference = (value[0].objective - value[1].objective) / (2 * eps);
  CHECK(of_value == 0 || fabs(difference - slope) <= of_value * fabs(slope), "%s: slope %.12g, by differences %.12g",
        name, slope, difference);
  if (of_gradient > 0) {
    for (int i = 0; i < 2; i++) PetscCall(wring_potential_hessian(g, x, WRING_FILTER_NONE, &H)); // again into it
    PetscCall(MatMult(H, d, at));
    PetscCall(VecNorm(at, NORM_2, &size));
    PetscCall(VecAXPY(grad[0], -1, grad[1]));
    PetscCall(VecAXPY(at, -1 / (2 * eps), grad[0]));
    PetscCall(VecNorm(at, NORM_2, &off));
    CHECK(off <= of_gradient * size, "%s: H d is off by %g of %g", name, off, size);
    PetscCall(MatDestroy(&H));
  }
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&grad[i]));
  PetscCall(VecDestroy(&at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference, of numbers above `size` divided by number/size, to those of a mesh on one rank. */
static inline PetscErrorCode test_distance_to_one(const wring_mesh *m, Vec x, const wring_mesh *one, Vec y, double size,
                                                  double *distance)
{
  const double *xa, *ya;

  PetscFunctionBegin;
  *distance = 0;
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(VecGetArrayRead(y, &ya));
  for (PetscInt i = 0; i < 3 * m->n_owned; i++) {
    const double there = ya[3 * wring_mesh_local(one, m->number.original[i / 3]) + i % 3];
    *distance          = test_worse(*distance, fabs(xa[i] - there) / fmax(1, fabs(there) / size));
  }
  PetscCall(VecRestoreArrayRead(y, &ya));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, distance, 1, MPI_DOUBLE, MPI_MAX, m->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
