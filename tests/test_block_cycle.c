/* ranks: 1 2 3 */
/*
  The V-cycle of a Hessian in blocks: symmetry, rigid motions, iterations that depend neither on the size nor much on
  the ranks, new numbers, other patterns.
*/
#include "body.h"
#include "operator/multigrid/block/block.h"
#include "operator/multigrid/cycle_pc.h"
#include "potential/rows.h"
#include "refused.h"
#include <petscksp.h>

/* A free bar of 2 x 1 x 1 m and its H at a bent position, with a step so long that rigid motions are the softest. */
typedef struct {
  test_body b;
  Mat       H, A[3];
  Vec       x;
  PC        pc;
} bar;

static void bend(const wring_mesh *m, double angle, Vec x)
{
  double *xa;
  PetscCallAbort(m->comm, VecGetArray(x, &xa));
  for (PetscInt i = 0; i < m->n_owned; i++) {
    const double *const X = m->X + 3 * i, t = angle * X[0], r = 1 / angle - X[1];
    xa[3 * i]     = r * sin(t);
    xa[3 * i + 1] = 1 / angle - r * cos(t);
    xa[3 * i + 2] = X[2];
  }
  PetscCallAbort(m->comm, VecRestoreArray(x, &xa));
}

static PetscErrorCode create_bar(PetscInt cells, const char *poisson, bar *a)
{
  const PetscInt n[3] = {4 * cells, cells, cells};
  double         par[8];
  PetscBool      done;

  PetscFunctionBegin;
  *a = (bar){.H = NULL};
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &a->b.o));
  PetscCall(test_set(a->b.o, "material_", "young=1e5 poisson=%s", poisson));
  PetscCall(wring_law_neohookean.set_par(&wring_law_neohookean, a->b.o, "material_", "material_", par));
  a->b.mesh = test_box(PETSC_COMM_WORLD, n);
  a->b.g    = test_potential(a->b.mesh, &wring_law_neohookean, par);
  PetscCall(wring_potential_set_step(a->b.g, 1)); // of a rigid motion M/h^2 is 1e-4 of the stiffness of an edge
  PetscCall(wring_potential_create_vec(a->b.g, &a->b.x));
  PetscCall(wring_potential_create_vec(a->b.g, &a->x));
  bend(a->b.mesh, 0.3, a->x);
  PetscCall(wring_potential_create_blocks(a->b.g, &a->H));
  PetscCall(wring_potential_hessian(a->b.g, a->x, WRING_FILTER_CLAMP, &a->H));
  PetscCall(wring_potential_mean_matrices(a->b.g, a->x, PETSC_FALSE, 1, a->A));
  PetscCall(PCCreate(PETSC_COMM_WORLD, &a->pc));
  PetscCall(wring_cycle_pc_set(a->pc, NULL));
  PetscCall(wring_cycle_pc_set_matrix(a->pc, a->A[0], a->H));
  PetscCall(wring_cycle_pc_set_hessian(a->pc, a->H, a->x, &done));
  CHECK(done, "H has another pattern than A");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_bar(bar *a)
{
  PetscFunctionBegin;
  PetscCall(PCDestroy(&a->pc));
  PetscCall(MatDestroy(&a->H));
  PetscCall(wring_matrices_destroy(a->A));
  PetscCall(VecDestroy(&a->x));
  PetscCall(test_body_destroy(&a->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode random_vec(const bar *a, uint64_t seed, Vec *v)
{
  PetscFunctionBegin;
  PetscCall(VecDuplicate(a->x, v));
  test_displace(a->b.mesh, 1, seed, *v);
  PetscCall(VecAXPY(*v, -1, a->b.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conjugate gradients with the cycle, to 1e-8 of a random right-hand side. */
static PetscErrorCode count_iterations(const bar *a, PetscInt *iterations)
{
  Vec                b, z;
  KSP                ksp;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(random_vec(a, 5, &b));
  PetscCall(VecDuplicate(b, &z));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetPC(ksp, a->pc));
  PetscCall(KSPSetOperators(ksp, a->H, a->H));
  PetscCall(KSPSetNormType(ksp, KSP_NORM_UNPRECONDITIONED));
  PetscCall(KSPSetTolerances(ksp, 1e-8, 0, PETSC_DEFAULT, 1000));
  PetscCall(KSPSolve(ksp, b, z));
  PetscCall(KSPGetIterationNumber(ksp, iterations));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  CHECK(reason > 0 || reason == KSP_DIVERGED_ITS, "conjugate gradients break down: %d", (int)reason);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  M is symmetric and positive in single precision. Fails if R is not the transpose of P, on ranks too, or if smoothing
  before and after differ.
*/
static PetscErrorCode test_symmetry(void)
{
  bar    a;
  Vec    u, v, Mu, Mv;
  double uMv, vMu, uMu, vMv;

  PetscFunctionBegin;
  PetscCall(create_bar(4, "0.3", &a));
  PetscCall(random_vec(&a, 1, &u));
  PetscCall(random_vec(&a, 2, &v));
  PetscCall(VecDuplicate(u, &Mu));
  PetscCall(VecDuplicate(u, &Mv));
  PetscCall(wring_cycle_pc_apply(a.pc, u, Mu));
  PetscCall(wring_cycle_pc_apply(a.pc, v, Mv));
  PetscCall(VecDot(u, Mv, &uMv));
  PetscCall(VecDot(v, Mu, &vMu));
  PetscCall(VecDot(u, Mu, &uMu));
  PetscCall(VecDot(v, Mv, &vMv));
  CHECK(uMu > 0 && vMv > 0, "u M u = %g, v M v = %g", uMu, vMv);
  CHECK(fabs(uMv - vMu) < 1e-4 * sqrt(uMu * vMv), "u M v = %.9g, v M u = %.9g", uMv, vMu);
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&Mu));
  PetscCall(VecDestroy(&Mv));
  PetscCall(destroy_bar(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  At most a half of the iterations of the scalar cycle, and half as many again for more cells. Fails if coarse spaces
  do not have rotations, if their centres or scalings differ between levels or ranks, or if an entry of P^T H P is
  lost.
*/
static PetscErrorCode test_iterations(PetscInt cells, const char *poisson, PetscInt most)
{
  bar      a;
  PetscInt ours, scalar;

  PetscFunctionBegin;
  PetscCall(create_bar(cells, poisson, &a));
  PetscCall(count_iterations(&a, &ours));
  PetscCall(wring_cycle_pc_set_matrix(a.pc, a.A[0], NULL));
  PetscCall(count_iterations(&a, &scalar));
  CHECK(ours <= most, "%d cells, nu = %s: %d iterations", (int)cells, poisson, (int)ours);
  CHECK(2 * ours <= scalar, "%d cells, nu = %s: %d iterations, with the scalar cycle %d", (int)cells, poisson,
        (int)ours, (int)scalar);
  PetscCall(destroy_bar(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  New numbers are those of a new cycle, but for the largest eigenvalue, whose vector begins where it ended. Fails if one
  of them is added to the old ones, or stays.
*/
static PetscErrorCode test_renewal(void)
{
  bar       a, fresh;
  Vec       r, z, again;
  PetscBool done;
  double    size, difference;

  PetscFunctionBegin;
  PetscCall(create_bar(4, "0.3", &a));
  PetscCall(create_bar(4, "0.3", &fresh));
  PetscCall(random_vec(&a, 3, &r));
  PetscCall(VecDuplicate(r, &z));
  PetscCall(VecDuplicate(r, &again));
  PetscCall(wring_cycle_pc_apply(fresh.pc, r, z));
  PetscCall(wring_potential_hessian(a.b.g, a.b.x, WRING_FILTER_CLAMP, &a.H));
  PetscCall(wring_cycle_pc_set_hessian(a.pc, a.H, a.b.x, &done));
  PetscCall(wring_cycle_pc_apply(a.pc, r, again));
  PetscCall(VecAXPY(again, -1, z));
  PetscCall(VecNorm(z, NORM_2, &size));
  PetscCall(VecNorm(again, NORM_2, &difference));
  CHECK(difference > 1e-3 * size, "the straight bar has the cycle of the bent one");
  PetscCall(wring_potential_hessian(a.b.g, a.x, WRING_FILTER_CLAMP, &a.H));
  PetscCall(wring_cycle_pc_set_hessian(a.pc, a.H, a.x, &done));
  PetscCall(wring_cycle_pc_apply(a.pc, r, again));
  PetscCall(VecAXPY(again, -1, z));
  PetscCall(VecNorm(again, NORM_2, &difference));
  CHECK(difference <= 1e-3 * size, "after other numbers it differs by %g of %g", difference, size);
  PetscCall(VecDestroy(&r));
  PetscCall(VecDestroy(&z));
  PetscCall(VecDestroy(&again));
  PetscCall(destroy_bar(&a));
  PetscCall(destroy_bar(&fresh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  H of blocks has the products and the largest entries of the AIJ matrix, also after an addition to its diagonal, with
  ghosts too. Fails if a block is transposed, lost, or counted twice, or if a column of another rank has another place.
*/
static PetscErrorCode test_matrix(void)
{
  bar    a;
  Mat    aij = NULL;
  Vec    u, ours, theirs;
  double size, difference;

  PetscFunctionBegin;
  PetscCall(create_bar(3, "0.3", &a));
  PetscCall(wring_potential_hessian(a.b.g, a.x, WRING_FILTER_CLAMP, &aij));
  PetscCall(random_vec(&a, 4, &u));
  PetscCall(VecDuplicate(u, &ours));
  PetscCall(VecDuplicate(u, &theirs));
  for (int step = 0; step < 4; step++) { // products and largest entries, before and after the addition
    if (step == 2) {
      PetscCall(VecScale(u, 1e6));
      PetscCall(MatDiagonalSet(a.H, u, ADD_VALUES));
      PetscCall(MatDiagonalSet(aij, u, ADD_VALUES));
    }
    for (int i = 0; i < 2; i++) {
      if (step % 2 == 0)
        PetscCall(MatMult(i ? aij : a.H, u, i ? theirs : ours));
      else
        PetscCall(MatGetRowMaxAbs(i ? aij : a.H, i ? theirs : ours, NULL));
    }
    PetscCall(VecNorm(theirs, NORM_2, &size));
    PetscCall(VecAXPY(ours, -1, theirs));
    PetscCall(VecNorm(ours, NORM_2, &difference));
    CHECK(size > 0 && difference <= 1e-14 * size, "%d: %g of %g", step, difference, size);
  }
  PetscCall(MatDestroy(&aij));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&ours));
  PetscCall(VecDestroy(&theirs));
  PetscCall(destroy_bar(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix of another kind, which may have other columns, is refused, on all ranks alike, and the cycle stays. */
static PetscErrorCode test_pattern(void)
{
  bar       a;
  Mat       other = NULL;
  PetscBool done  = PETSC_TRUE;
  PetscInt  before, after;

  PetscFunctionBegin;
  PetscCall(create_bar(4, "0.3", &a));
  PetscCall(count_iterations(&a, &before));
  PetscCall(wring_potential_hessian(a.b.g, a.x, WRING_FILTER_CLAMP, &other));
  PetscCall(wring_cycle_pc_set_hessian(a.pc, other, a.x, &done));
  PetscCall(count_iterations(&a, &after));
  CHECK(!done && before == after, "%d, %d and %d iterations", done, (int)before, (int)after);
  PetscCall(MatDestroy(&other));
  PetscCall(destroy_bar(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number that is not finite is refused on all ranks. Fails if the rank that has it ends the program. */
static PetscErrorCode test_not_finite(void)
{
  bar                 a;
  wring_block_values *v;
  PetscBool           done;

  PetscFunctionBegin;
  PetscCall(create_bar(4, "0.3", &a));
  PetscCall(wring_potential_get_blocks(a.H, &v));
  if (wring_comm_rank(PETSC_COMM_WORLD) == 0) v->value[0] = NAN;
  CHECK_REFUSED(wring_cycle_pc_set_hessian(a.pc, a.H, a.x, &done), "operator: ", "coarsest level");
  PetscCall(destroy_bar(&a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* More blocks than PetscInt counts on one rank, most of which others receive, are refused on all. */
static PetscErrorCode test_too_many(void)
{
  const wring_mesh       m   = {.comm = PETSC_COMM_WORLD};
  PetscInt               own = 0, other = 0;
  const wring_block_rows r = {.mesh = &m, .own = &own, .other = &other, .n_ghost = PETSC_MAX_INT / 9};

  PetscFunctionBegin;
  PetscCall(wring_block_rows_check(&r));
  other = wring_comm_rank(PETSC_COMM_WORLD) == 0;
  CHECK_REFUSED(wring_block_rows_check(&r), "Hessian on one rank", "blocks are too many");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(test_matrix());
  PetscCall(test_symmetry());
  PetscCall(test_iterations(4, "0.3", 30));
  PetscCall(test_iterations(7, "0.3", 34));
  PetscCall(test_iterations(4, "0.45", 46));
  PetscCall(test_renewal());
  PetscCall(test_pattern());
  PetscCall(test_not_finite());
  PetscCall(test_too_many());
  PetscCall(PetscFinalize());
  return 0;
}
