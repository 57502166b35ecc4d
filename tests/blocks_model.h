/* Blocks with or without contacts, for the tests of self-contact. */
#pragma once
#include "blocks.h"
#include "keys.h"
#include "model.h"
#include "potential/potential_impl.h"

typedef struct {
  wring_mesh      *mesh;
  wring_potential *g;
  wring_contact   *contact; // NULL: none
  Vec              x, d, grad, work;
} model;

/* n blocks of corotated material and their g, without contacts and vectors. */
static inline PetscErrorCode model_begin(MPI_Comm comm, int n, const wring_box *box, model *m)
{
  wring_options *o;
  double         law_par[8];

  PetscFunctionBegin;
  *m      = (model){0};
  m->mesh = test_blocks(comm, n, box);
  PetscCall(wring_options_create(comm, &o));
  PetscCall(test_set(o, "material_", "young=1e5 poisson=0.3"));
  PetscCall(wring_law_corotated.set_par(&wring_law_corotated, o, "material_", "material_", law_par));
  PetscCall(wring_options_destroy(&o));
  m->g = test_potential(m->mesh, &wring_law_corotated, law_par);
  PetscCall(wring_potential_set_step(m->g, 0.01));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds the contact, unless it is NULL; x near rest, which is the target, and a direction d. */
static inline PetscErrorCode model_end(model *m)
{
  PetscFunctionBegin;
  if (m->contact) PetscCall(wring_potential_add_contact(m->g, m->contact));
  PetscCall(wring_potential_create_vec(m->g, &m->x));
  PetscCall(VecDuplicate(m->x, &m->d));
  PetscCall(VecDuplicate(m->x, &m->grad));
  PetscCall(VecDuplicate(m->x, &m->work));
  test_displace(m->mesh, 0.004, 1, m->x);
  test_direction(m->mesh, 2, m->d);
  PetscCall(wring_potential_set_target(m->g, m->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode model_destroy(model *m)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&m->x));
  PetscCall(VecDestroy(&m->d));
  PetscCall(VecDestroy(&m->grad));
  PetscCall(VecDestroy(&m->work));
  PetscCall(wring_potential_destroy(&m->g));
  PetscCall(wring_mesh_destroy(&m->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Energy and this rank's forces [n_local][3] of the contacts alone at x, with the contacts of the last update. */
static inline PetscErrorCode contact_alone(model *m, Vec x, double *energy, double *f)
{
  const double *xa;

  PetscFunctionBegin;
  *energy = 0;
  PetscCall(PetscArrayzero(f, 3 * m->mesh->n_local));
  PetscCall(wring_potential_get_local(m->g, x, &xa));
  PetscCall(wring_contact_add(m->contact, (wring_work)(WRING_VALUE | WRING_GRADIENT), xa, f, energy));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, energy, 1, MPI_DOUBLE, MPI_SUM, m->mesh->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* contact_alone with the pairs at x. */
static inline PetscErrorCode updated_alone(model *m, Vec x, double *energy, double *f)
{
  PetscFunctionBegin;
  PetscCall(wring_potential_update_contacts(m->g, x, PETSC_TRUE, NULL));
  PetscCall(contact_alone(m, x, energy, f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* contact_alone or updated_alone. */
typedef PetscErrorCode contact_energy(model *, Vec, double *, double *);

/* The derivative of the energy of the contacts along d by differences, and at x their energy and this rank's forces. */
static inline PetscErrorCode contact_slope(model *m, double eps, contact_energy *alone, double *slope, double *energy,
                                           double *f)
{
  double up, down;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(m->work, eps, m->d, m->x));
  PetscCall(alone(m, m->work, &up, f));
  PetscCall(VecWAXPY(m->work, -eps, m->d, m->x));
  PetscCall(alone(m, m->work, &down, f));
  PetscCall(alone(m, m->x, energy, f));
  *slope = (up - down) / (2 * eps);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums over all ranks of forces [n_owned][3]: [0 ... 2] of them, [3 ... 5] of moments, [6] of magnitudes; [7] f . d. */
static inline PetscErrorCode contact_sums(model *m, const double *f, double sum[8])
{
  const double *x, *d;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(sum, 8));
  PetscCall(VecGetArrayRead(m->x, &x));
  PetscCall(VecGetArrayRead(m->d, &d));
  for (PetscInt i = 0; i < 3 * m->mesh->n_owned; i++) {
    const PetscInt c = i % 3, a = i - c + (c + 1) % 3, b = i - c + (c + 2) % 3;
    sum[c] += f[i];
    sum[3 + c] += x[a] * f[b] - x[b] * f[a];
    sum[6] += fabs(f[i]);
    sum[7] += f[i] * d[i];
  }
  PetscCall(VecRestoreArrayRead(m->d, &d));
  PetscCall(VecRestoreArrayRead(m->x, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 8, MPI_DOUBLE, MPI_SUM, m->mesh->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The energy of the contacts of a model on all ranks is that of the same model on one, to a relative tolerance. */
static inline PetscErrorCode check_alone(model *m, PetscErrorCode (*create)(MPI_Comm, model *), double tolerance)
{
  model  one;
  double together, alone, *f;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)m->mesh->number.n_global, &f));
  PetscCall(updated_alone(m, m->x, &together, f));
  PetscCall(create(PETSC_COMM_SELF, &one));
  PetscCall(updated_alone(&one, one.x, &alone, f));
  CHECK(fabs(together - alone) <= tolerance * alone, "%.17g J on all ranks, %.17g J on one", together, alone);
  PetscCall(model_destroy(&one));
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  u . H u of half of the blocks is that of the whole matrix, with contacts, without and with them again. joined: they
  couple vertices that share no element.
*/
static inline PetscErrorCode check_half_of_blocks(model *m, const double whole[2], PetscBool joined)
{
  Mat                 H = NULL;
  wring_block_values *all, *of_elements;
  double              got;

  PetscFunctionBegin;
  PetscCall(wring_potential_create_blocks(m->g, &H));
  for (int k = 0; k < 3; k++) {
    const int without = k == 1;
    if (without)
      PetscCall(wring_potential_hessian_without_contacts(m->g, m->x, &H));
    else
      PetscCall(wring_potential_hessian(m->g, m->x, WRING_FILTER_CLAMP, &H));
    PetscCall(MatMult(H, m->d, m->grad));
    PetscCall(VecDot(m->d, m->grad, &got));
    CHECK(fabs(got - whole[without]) <= 1e-12 * whole[without], "u . H u %d of blocks is %.17g, of the matrix %.17g", k,
          got, whole[without]);
    PetscCall(wring_potential_get_blocks(H, &all));
    PetscCall(wring_potential_get_element_blocks(H, &of_elements));
    CHECK(all && of_elements && (all != of_elements) == (joined && !without), "%d: blocks of elements", k);
  }
  PetscCall(MatDestroy(&H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u . H u by products, by the matrix and, for the blocks of the diagonal, by wring_contact_add_diagonal. */
static inline PetscErrorCode check_contact_hessian(model *m, PetscBool joined)
{
  Mat           H = NULL, H0 = NULL;
  double        sum[3] = {0}, u_H_u, u_H0_u, *diagonal, trace = 0, of_matrix[2];
  const double *xa, *ua, *da;
  Vec           of;

  PetscFunctionBegin;
  PetscCall(wring_potential_hessian(m->g, m->x, WRING_FILTER_CLAMP, &H));
  PetscCall(wring_potential_hessian_without_contacts(m->g, m->x, &H0));
  PetscCall(VecCopy(m->d, m->work));
  PetscCall(MatMult(H, m->d, m->grad));
  PetscCall(VecDot(m->d, m->grad, &u_H_u));
  PetscCall(MatMult(H0, m->d, m->grad));
  PetscCall(VecDot(m->d, m->grad, &u_H0_u));
  PetscCall(wring_potential_get_local(m->g, m->x, &xa));
  PetscCall(wring_potential_get_local(m->g, m->d, &ua));
  PetscCall(wring_potential_get_local(m->g, m->work, &da));
  PetscCall(wring_contact_add_products(m->contact, xa, ua, da, sum));
  PetscCall(PetscCalloc1(9 * (size_t)m->mesh->n_owned, &diagonal));
  PetscCall(wring_contact_add_diagonal(m->contact, xa, diagonal));
  for (PetscInt i = 0; i < 3 * m->mesh->n_owned; i++) trace += diagonal[9 * (i / 3) + 4 * (i % 3)];
  PetscCall(VecRestoreArrayRead(m->work, &da));
  PetscCall(VecRestoreArrayRead(m->d, &ua));
  PetscCall(VecRestoreArrayRead(m->x, &xa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_DOUBLE, MPI_SUM, m->mesh->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &trace, 1, MPI_DOUBLE, MPI_SUM, m->mesh->comm));
  PetscCall(MatCreateVecs(H, &of, NULL));
  PetscCall(MatGetDiagonal(H, of));
  PetscCall(VecSum(of, &of_matrix[0]));
  PetscCall(MatGetDiagonal(H0, of));
  PetscCall(VecSum(of, &of_matrix[1]));
  const double size = u_H_u - u_H0_u, diag = of_matrix[0] - of_matrix[1];
  CHECK(size > 0, "u . H u of contacts is %g", size);
  PetscCall(check_half_of_blocks(m, (double[]){u_H_u, u_H0_u}, joined));
  for (int k = 0; k < 3; k++)
    CHECK(fabs(sum[k] - size) <= 1e-9 * u_H_u, "product %d is %.9g, by the matrix %.9g", k, sum[k], size);
  CHECK(fabs(trace - diag) <= 1e-9 * of_matrix[0], "the diagonal sums to %.9g, that of the matrix to %.9g", trace,
        diag);
  PetscCall(VecDestroy(&of));
  PetscCall(PetscFree(diagonal));
  PetscCall(MatDestroy(&H));
  PetscCall(MatDestroy(&H0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What contacts add to A of each axis is their Hessian, by products with a direction along it. */
static inline PetscErrorCode check_contact_components(model *m)
{
  Mat           A[3] = {NULL, NULL, NULL}, B[3];
  Vec           u, of;
  const double *xa, *ua;
  double        sum[3], got[2];

  PetscFunctionBegin;
  PetscCall(wring_potential_operator_matrices(m->g, 1, A));
  for (int c = 0; c < 3; c++) {
    PetscCall(MatDuplicate(A[c], MAT_COPY_VALUES, &B[c]));
    PetscCall(MatSetOption(B[c], MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
    PetscCall(MatSetOption(B[c], MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  }
  PetscCall(wring_potential_add_contact_components(m->g, m->x, B));
  PetscCall(MatCreateVecs(A[0], &u, &of));
  for (int c = 0; c < 3; c++) {
    PetscCall(VecStrideGather(m->d, c, u, INSERT_VALUES));
    PetscCall(MatMult(B[c], u, of));
    PetscCall(VecDot(u, of, &got[0]));
    PetscCall(MatMult(A[c], u, of));
    PetscCall(VecDot(u, of, &got[1]));
    PetscCall(VecSet(m->work, 0));
    PetscCall(VecStrideScatter(u, c, m->work, INSERT_VALUES));
    memset(sum, 0, sizeof sum);
    PetscCall(wring_potential_get_local(m->g, m->x, &xa));
    PetscCall(wring_potential_get_local(m->g, m->work, &ua));
    PetscCall(wring_contact_add_products(m->contact, xa, ua, ua, sum));
    PetscCall(VecRestoreArrayRead(m->work, &ua));
    PetscCall(VecRestoreArrayRead(m->x, &xa));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_DOUBLE, MPI_SUM, m->mesh->comm));
    CHECK(fabs(got[0] - got[1] - sum[0]) <= 1e-9 * got[0], "axis %d: %.12g in the matrix, %.12g by products", c,
          got[0] - got[1], sum[0]);
    PetscCall(MatDestroy(&B[c]));
  }
  PetscCall(wring_matrices_destroy(A));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&of));
  PetscFunctionReturn(PETSC_SUCCESS);
}
