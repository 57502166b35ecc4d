/* ranks: 1 2 4 */
/*
  volumetric: mean. For every law with a term in J, at both orders: gradient and Hessian are those of the energy, by
  finite differences; products and diagonal blocks are those of the Hessian; the energy does not change in a rigid
  motion; where J is equal everywhere, energy and forces are those without means; nothing depends on ranks, nor a bit on
  threads. Patches are stars around vertices, and few enough that no pressure but the constant one is without forces on
  the free vertices. Fails if a patch's sum misses a rank, if its volume and its pressure belong to different means, if
  the Hessian lacks the part of two elements of a patch, or if a patch is made of elements of single vertices.

  With pressures that are linear in a step of length s, with means and without, the Hessian differs from that at x by
  s^2. Fails if they lack U'', the change of J along the step, or that of the other elements of a patch.
*/
#include "model.h"
#include <petscksp.h>
#include <omp.h>

static const PetscInt cells[3] = {4, 3, 3};
static int            order    = 1; // of the meshes
static PetscBool      nearly;       // incompressible

/* Parameters of Poisson's ratio 0.45, or 0.4995, 1e5 Pa; the limit is exceeded by small displacements. */
static const double *parameters(const wring_law *law)
{
  static const double stiff[] = {34482.8, 3.4e7}, stiff_rivlin[] = {1.4e4, 3e3, 3.4e7};
  static const double lame[] = {34482.8, 310344.8}, rivlin[] = {1.4e4, 3e3, 3.3e5}, limit[] = {3e5, 0.98, 1.01};
  if (law == &wring_law_volume) return limit;
  if (nearly) return law == &wring_law_mooney_rivlin ? stiff_rivlin : stiff;
  return law == &wring_law_mooney_rivlin ? rivlin : lame;
}

typedef struct {
  wring_mesh      *mesh;
  wring_potential *g;
  wring_term      *term;
  Vec              x;
} body;

/* The mesh with its mean term, or with the term of all elements, with different factors on the energy. */
static PetscErrorCode create(MPI_Comm comm, const wring_law *law, PetscBool mean, PetscBool scaled, body *b)
{
  double *scale;

  PetscFunctionBegin;
  b->mesh = test_box(comm, cells);
  if (order == 2) PetscCall(wring_mesh_raise(b->mesh));
  PetscCall(PetscMalloc1(b->mesh->tets.n, &scale));
  for (PetscInt e = 0; e < b->mesh->tets.n; e++)
    scale[e] = scaled ? 1 + 0.5 * sin((double)b->mesh->tets.original[e]) : 1;
  b->g = test_masses(b->mesh, 1);
  if (mean)
    PetscCall(wring_term_create_mean_tets(b->mesh, 0, law, parameters(law), 0, scaled ? scale : NULL, &b->term));
  else
    PetscCall(wring_term_create_tets(b->mesh, 0, law, parameters(law), 0, scaled ? scale : NULL, &b->term));
  PetscCall(wring_potential_add_term(b->g, b->term));
  PetscCall(PetscFree(scale));
  PetscCall(wring_potential_set_step(b->g, 10));
  PetscCall(wring_potential_create_vec(b->g, &b->x));
  test_displace(b->mesh, 0.03, 5, b->x);
  PetscCall(wring_potential_set_target(b->g, b->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(body *b)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&b->x));
  PetscCall(wring_potential_destroy(&b->g));
  PetscCall(wring_mesh_destroy(&b->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

/* Blocks of the diagonal and u . H p against H. */
static PetscErrorCode check_parts(const wring_law *law, body *b, wring_filter filter, Vec u, Vec p)
{
  static const int row[] = {0, 1, 2, 0, 1, 0}, column[] = {0, 1, 2, 1, 2, 2};
  double           sum[3], expected[3], *block, error = 0, largest = 0;
  PetscInt         begin;
  Mat              H = NULL;
  Vec              hu, hp;

  PetscFunctionBegin;
  PetscCall(wring_potential_hessian(b->g, b->x, filter, &H));
  PetscCall(wring_potential_hessian(b->g, b->x, filter, &H)); // into the same matrix
  PetscCall(MatCreateVecs(H, &hu, &hp));
  PetscCall(MatMult(H, u, hu));
  PetscCall(MatMult(H, p, hp));
  PetscCall(VecDot(u, hu, &expected[0]));
  PetscCall(VecDot(u, hp, &expected[1]));
  PetscCall(VecDot(p, hp, &expected[2]));
  const double *pa;
  PetscCall(wring_potential_get_local(b->g, p, &pa)); // fills ghosts
  PetscCall(VecRestoreArrayRead(p, &pa));
  PetscCall(wring_potential_products_local(b->g, b->x, filter, u, p, sum));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, b->mesh->comm));
  for (int i = 0; i < 3; i++)
    CHECK(fabs(sum[i] - expected[i]) <= 1e-10 * expected[2], "%s: product %d is %.15g, not %.15g", law->name, i, sum[i],
          expected[i]);
  PetscCall(PetscMalloc1(6 * b->mesh->n_owned, &block));
  PetscCall(wring_potential_diagonal(b->g, b->x, filter, block));
  PetscCall(MatGetOwnershipRange(H, &begin, NULL));
  for (PetscInt i = 0; i < 6 * b->mesh->n_owned; i++) {
    const PetscInt at = begin + 3 * (i / 6);
    double         one;
    PetscCall(MatGetValue(H, at + row[i % 6], at + column[i % 6], &one));
    error   = test_worse(error, fabs(one - block[i]));
    largest = fmax(largest, fabs(one));
  }
  CHECK(error <= 1e-12 * largest, "%s: diagonal blocks differ from H by %g of %g", law->name, error, largest);
  PetscCall(PetscFree(block));
  PetscCall(VecDestroy(&hu));
  PetscCall(VecDestroy(&hp));
  PetscCall(MatDestroy(&H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_derivatives(const wring_law *law, body *b)
{
  Vec d, u;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b->x, &d));
  PetscCall(VecDuplicate(b->x, &u));
  test_direction(b->mesh, 7, d);
  test_direction(b->mesh, 8, u);
  // U'' of a volume jumps at its limits
  PetscCall(test_differences(b->g, b->x, d, law->name, 1e-5, 1e-6, law == &wring_law_volume ? 0 : 1e-5));
  PetscCall(check_parts(law, b, WRING_FILTER_NONE, u, d));
  PetscCall(check_parts(law, b, WRING_FILTER_CLAMP, u, d));
  PetscCall(VecDestroy(&d));
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- motions ----------------------------------------------------------------------------------------------------- */

/* x = R x + shift, or scaled. */
static PetscErrorCode move(const double R[9], const double shift[3], Vec x)
{
  PetscInt n;
  double  *a;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArray(x, &a));
  for (PetscInt i = 0; i < n; i += 3) {
    const double v[3] = {a[i], a[i + 1], a[i + 2]};
    for (int c = 0; c < 3; c++) a[i + c] = R[3 * c] * v[0] + R[3 * c + 1] * v[1] + R[3 * c + 2] * v[2] + shift[c];
  }
  PetscCall(VecRestoreArray(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_rigid(const wring_law *law, body *b)
{
  const double shift[3] = {3, -2, 5}, zero[3] = {0, 0, 0};
  uint64_t     state = 3;
  double       R[9], error, length;
  wring_value  value[2];
  Vec          x, grad[2];

  PetscFunctionBegin;
  test_rotation(&state, R);
  PetscCall(VecDuplicate(b->x, &x));
  for (int i = 0; i < 2; i++) PetscCall(VecDuplicate(b->x, &grad[i]));
  PetscCall(VecCopy(b->x, x));
  PetscCall(wring_potential_fused(b->g, x, &value[0], grad[0])); // no inertia: x is the target
  PetscCall(move(R, shift, x));
  PetscCall(wring_potential_set_target(b->g, x));
  PetscCall(wring_potential_fused(b->g, x, &value[1], grad[1]));
  PetscCall(wring_potential_set_target(b->g, b->x));
  PetscCall(move(R, zero, grad[0]));
  PetscCall(VecNorm(grad[0], NORM_2, &length));
  PetscCall(VecAXPY(grad[1], -1, grad[0]));
  PetscCall(VecNorm(grad[1], NORM_2, &error));
  CHECK(fabs(value[1].elastic - value[0].elastic) <= 1e-9 * value[0].elastic, "%s: %.15g J, moved %.15g J", law->name,
        value[0].elastic, value[1].elastic);
  CHECK(error <= 1e-9 * length, "%s: forces do not turn with the body: %g of %g", law->name, error, length);
  PetscCall(VecDestroy(&x));
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&grad[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The patch test: a homogeneous deformation; equal factors, since a patch has their mean. */
static PetscErrorCode check_homogeneous(const wring_law *law)
{
  static const double F[9] = {1.05, 0.1, 0, -0.07, 1.02, 0.05, 0.03, 0, 1.08}, shift[3] = {0, 0, 0};
  body                b[2];
  wring_value         value[2];
  Vec                 grad[2];
  double              error, length;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(create(PETSC_COMM_WORLD, law, (PetscBool)(i == 1), PETSC_FALSE, &b[i]));
    PetscCall(VecDuplicate(b[i].x, &grad[i]));
    test_displace(b[i].mesh, 0, 0, b[i].x);
    PetscCall(move(F, shift, b[i].x));
    PetscCall(wring_potential_set_target(b[i].g, b[i].x));
    PetscCall(wring_potential_fused(b[i].g, b[i].x, &value[i], grad[i]));
  }
  PetscCall(VecNorm(grad[0], NORM_2, &length));
  PetscCall(VecAXPY(grad[1], -1, grad[0]));
  PetscCall(VecNorm(grad[1], NORM_2, &error));
  CHECK(fabs(value[1].elastic - value[0].elastic) <= 1e-12 * value[0].elastic, "%s: %.15g J, of means %.15g J",
        law->name, value[0].elastic, value[1].elastic);
  CHECK(error <= 1e-10 * length, "%s: forces of means differ by %g of %g", law->name, error, length);
  for (int i = 0; i < 2; i++) PetscCall(VecDestroy(&grad[i]));
  for (int i = 0; i < 2; i++) PetscCall(destroy(&b[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- ranks and threads ------------------------------------------------------------------------------------------- */

static PetscErrorCode check_ranks(const wring_law *law, body *b)
{
  const int   threads = omp_get_max_threads();
  body        alone;
  wring_value value[3];
  Vec         grad[3];
  double      norm[2], error;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(create(PETSC_COMM_SELF, law, PETSC_TRUE, PETSC_TRUE, &alone));
  PetscCall(VecDuplicate(alone.x, &grad[2]));
  PetscCall(wring_potential_fused(alone.g, alone.x, &value[2], grad[2]));
  for (int t = 0; t < 2; t++) {
    omp_set_num_threads(1 + 2 * t);
    PetscCall(VecDuplicate(b->x, &grad[t]));
    PetscCall(wring_potential_fused(b->g, b->x, &value[t], grad[t]));
  }
  omp_set_num_threads(threads);
  PetscCall(VecNorm(grad[0], NORM_2, &norm[0]));
  PetscCall(VecNorm(grad[2], NORM_2, &norm[1]));
  CHECK(fabs(value[0].elastic - value[2].elastic) <= 1e-12 * value[2].elastic, "%s: %.15g J, on one rank %.15g J",
        law->name, value[0].elastic, value[2].elastic);
  CHECK(fabs(norm[0] - norm[1]) <= 1e-11 * norm[1], "%s: |grad| %.15g, on one rank %.15g", law->name, norm[0], norm[1]);
  PetscCall(VecAXPY(grad[1], -1, grad[0]));
  PetscCall(VecNorm(grad[1], NORM_INFINITY, &error));
  CHECK(size > 1 || (error == 0 && value[0].elastic == value[1].elastic), "%s: threads change the result", law->name);
  for (int t = 0; t < 3; t++) PetscCall(VecDestroy(&grad[t]));
  PetscCall(destroy(&alone));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pressures --------------------------------------------------------------------------------------------------- */

/* Patches are the same on any ranks: the sum over tets of a number of their centres' original numbers. */
static PetscErrorCode check_patches(void)
{
  wring_mesh *m[2]   = {test_box(PETSC_COMM_WORLD, cells), test_box(PETSC_COMM_SELF, cells)};
  double      sum[2] = {0, 0};
  PetscInt   *centre, *original;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    PetscCall(PetscMalloc2(m[i]->tets.n, &centre, m[i]->number.n_global, &original));
    PetscCall(wring_mesh_patches(m[i], 0, centre));
    for (PetscInt v = 0; v < m[i]->number.n_global; v++) original[v] = 0;
    for (PetscInt v = 0; v < m[i]->n_owned; v++) original[m[i]->number.global[v]] = m[i]->number.original[v];
    PetscCallMPI(
      MPI_Allreduce(MPI_IN_PLACE, original, (PetscMPIInt)m[i]->number.n_global, MPIU_INT, MPI_SUM, m[i]->comm));
    for (PetscInt e = 0; e < m[i]->tets.n; e++)
      sum[i] += (double)((original[centre[e]] + 1) * (m[i]->tets.original[e] + 1) % 1009);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum[i], 1, MPI_DOUBLE, MPI_SUM, m[i]->comm));
    PetscCall(PetscFree2(centre, original));
  }
  CHECK(sum[0] == sum[1], "patches depend on ranks: %g, %g", sum[0], sum[1]);
  for (int i = 0; i < 2; i++) PetscCall(wring_mesh_destroy(&m[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of free vertices, those not on a side of the box 2 x 1 x 1; -1: held. */
static PetscInt number_free(const wring_mesh *m, PetscInt *row)
{
  PetscInt n = 0;
  for (PetscInt v = 0; v < m->n_owned; v++) {
    const double *X    = m->X + 3 * v;
    int           side = 0;
    for (int c = 0; c < 3; c++) side |= X[c] < 1e-9 || X[c] > (c ? 1 : 2) - 1e-9;
    row[v] = side ? -1 : n++;
  }
  return n;
}

/* S [k][n] from G, whose rows belong to patches, scaled to unit volume; returns the patches with a free vertex. */
static PetscErrorCode fill_forces(body *b, const PetscInt *row, PetscInt n, double *S, PetscInt *k)
{
  const wring_patches *const p    = wring_term_patches(b->term);
  const PetscInt             size = wring_term_size(b->term);
  PetscInt                  *number, *vertex, *place;
  double                    *value;
  const double              *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(size, &number, 4 * size, &vertex, 12 * size, &value, p->n, &place));
  PetscCall(VecGetArrayRead(b->x, &x));
  wring_term_patch_vertices(b->term, number, vertex);
  wring_term_patch_gradients(b->term, x, value);
  PetscCall(VecRestoreArrayRead(b->x, &x));
  for (PetscInt i = 0; i < p->n; i++) place[i] = -1;
  *k = 0;
  for (PetscInt i = 0; i < 12 * size; i++) {
    const PetscInt at = row[vertex[i / 3]], patch = number[i / 12];
    if (at < 0) continue;
    if (place[patch] < 0) place[patch] = (*k)++;
    S[place[patch] * 3 * n + 3 * at + i % 3] += sqrt(p->volume[patch]) * value[i];
  }
  PetscCall(PetscFree4(number, vertex, value, place));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The eigenvalues of M [k][k], ascending. */
static PetscErrorCode find_eigenvalues(PetscInt k, double *M, double *eigen)
{
  double *imaginary;
  Mat     A;
  KSP     ksp;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(k, &imaginary));
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, k, k, M, &A));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PC pc;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetUp(ksp));
  PetscCall(KSPComputeEigenvaluesExplicitly(ksp, k, eigen, imaginary));
  PetscCall(PetscSortReal(k, eigen));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFree(imaginary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The checkerboard test: with all sides held, pressures q of patches that have a free vertex, sum_p V_p q_p^2 = 1, exert
  the forces S^T q. The least eigenvalues of S S^T are the constant pressure's, 0 up to what patches without free
  vertices take of it, and then the square of an inf-sup constant in the norm |force|/h^(1/2): not small. Averages at
  vertices instead have dozens of modes without forces on this mesh.
*/
static PetscErrorCode check_pressures(void)
{
  body      b;
  PetscInt *row, k = 0;
  double   *S, *M, *eigen;

  PetscFunctionBegin;
  const PetscInt fine[3] = {12, 6, 6};
  b.mesh                 = test_box(PETSC_COMM_SELF, fine);
  PetscCall(
    wring_term_create_mean_tets(b.mesh, 0, &wring_law_neohookean, parameters(&wring_law_neohookean), 0, NULL, &b.term));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, 3 * b.mesh->n_owned, &b.x));
  test_displace(b.mesh, 0, 0, b.x);
  PetscCall(PetscMalloc1(b.mesh->n_owned, &row));
  const PetscInt n_free = number_free(b.mesh, row), most = b.mesh->n_owned;
  PetscCall(PetscCalloc1(3 * n_free * most, &S));
  PetscCall(fill_forces(&b, row, n_free, S, &k));
  PetscCall(PetscCalloc2(k * k, &M, k, &eigen));
  for (PetscInt i = 0; i < k * k; i++)
    for (PetscInt c = 0; c < 3 * n_free; c++) M[i] += S[i / k * 3 * n_free + c] * S[i % k * 3 * n_free + c];
  PetscCall(find_eigenvalues(k, M, eigen));
  if (getenv("TEST_PRINT"))
    printf("%d patches of %d vertices, eigenvalues %g %g %g ... %g\n", (int)k, (int)most, eigen[0], eigen[1], eigen[2],
           eigen[k - 1]);
  CHECK(k < most, "%d patches, %d vertices", (int)k, (int)most);
  CHECK(eigen[1] > 1e-3 * eigen[k - 1], "a pressure but the constant one has small forces: %g, %g of %g", eigen[0],
        eigen[1], eigen[k - 1]);
  PetscCall(PetscFree2(M, eigen));
  PetscCall(PetscFree(S));
  PetscCall(PetscFree(row));
  PetscCall(VecDestroy(&b.x));
  PetscCall(wring_term_destroy(&b.term));
  PetscCall(wring_mesh_destroy(&b.mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- pressures that are linear in a step ------------------------------------------------------------------------- */

/* |P - H|/|H| at x + s d, P with the pressures of the step s d from x. */
static PetscErrorCode pressed_error(body *b, Vec d, double s, double *error)
{
  const wring_hessian_choice how = {.pressed = PETSC_TRUE};
  Mat                        H = NULL, P = NULL;
  double                     size;
  Vec                        step, x;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(d, &step));
  PetscCall(VecDuplicate(d, &x));
  PetscCall(VecAXPBY(step, s, 0, d));
  PetscCall(VecWAXPY(x, 1, step, b->x));
  PetscCall(wring_potential_find_pressures(b->g, b->x, step));
  PetscCall(wring_potential_hessian_with(b->g, x, &how, &P));
  PetscCall(wring_potential_hessian(b->g, x, WRING_FILTER_NONE, &H));
  PetscCall(MatAXPY(P, -1, H, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(P, NORM_FROBENIUS, error));
  PetscCall(MatNorm(H, NORM_FROBENIUS, &size));
  *error /= size;
  PetscCall(MatDestroy(&H));
  PetscCall(MatDestroy(&P));
  PetscCall(VecDestroy(&step));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_pressed(const wring_law *law, PetscBool mean)
{
  body   b;
  double error[3];
  Vec    d;

  PetscFunctionBegin;
  nearly = PETSC_TRUE;
  PetscCall(create(PETSC_COMM_WORLD, law, mean, PETSC_TRUE, &b));
  nearly = PETSC_FALSE;
  CHECK((wring_potential_volume_ratio(b.g) > 0) == (law->kind == WRING_LAW_MATERIAL), "%s: ratio %g", law->name,
        wring_potential_volume_ratio(b.g));
  PetscCall(VecDuplicate(b.x, &d));
  test_displace(b.mesh, 0.031, 7, d);
  PetscCall(VecAXPY(d, -1, b.x));
  for (int i = 0; i < 3; i++) PetscCall(pressed_error(&b, d, 0.05 * i, &error[i]));
  CHECK(law->kind != WRING_LAW_MATERIAL || (error[0] < 1e-12 && error[1] > 1e-9 && fabs(error[2] / error[1] - 4) < 1),
        "%s, order %d%s: %g, %g and %g after no step and two", law->name, order, mean ? ", means" : "", error[0],
        error[1], error[2]);
  PetscCall(VecDestroy(&d));
  PetscCall(destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const wring_law *law;
  int              found = 0;
  body             b;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (int i = 0; (law = wring_law_at(i / 2)); i++) {
    if (!law->volumetric) continue;
    found++;
    order = 1 + i % 2;
    PetscCall(create(PETSC_COMM_WORLD, law, PETSC_TRUE, PETSC_TRUE, &b));
    PetscCall(check_derivatives(law, &b));
    PetscCall(check_rigid(law, &b));
    PetscCall(check_ranks(law, &b));
    PetscCall(destroy(&b));
    PetscCall(check_pressed(law, PETSC_TRUE));
    PetscCall(check_pressed(law, PETSC_FALSE));
    if (law != &wring_law_volume) PetscCall(check_homogeneous(law)); // U is not what psi is for any F
  }
  CHECK(found == 10, "%d laws and orders have a term in J", found);
  PetscCall(check_patches());
  PetscCall(check_pressures());
  return PetscFinalize();
}
