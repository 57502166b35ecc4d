#define _POSIX_C_SOURCE 200809L // strtok_r
/* Type multigrid: its table of functions, and the decision when a hierarchy is rebuilt. */
#include "multigrid.h"
#include "operator/operator_impl.h"
#include <math.h>
#include <string.h>

/* PETSc's options would have no effect. */
static PetscErrorCode refuse_options(MPI_Comm comm)
{
  char *all, *name = NULL;
  char  refused[128] = "";

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  for (char *word = strtok_r(all, " \n", &name); word && !refused[0]; word = strtok_r(NULL, " \n", &name))
    if (!strncmp(word, "-operator_", 10)) PetscCall(PetscStrncpy(refused, word + 1, sizeof refused));
  PetscCall(PetscFree(all));
  if (refused[0])
    WRING_REFUSE(comm,
                 "petsc_%s: operator_type multigrid reads no options of PETSc, but the key operator_threshold; for "
                 "PETSc's multigrid set operator_type petsc and petsc_operator_pc_type gamg",
                 refused);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(wring_operator_part *part)
{
  wring_multigrid *m;

  PetscFunctionBegin;
  PetscCall(refuse_options(part->set->comm));
  PetscCall(PetscNew(&m));
  part->data = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The interpolation is kept as long as no row's stiffness has changed, relative to that of any other row, by more than a
  factor; a change common to all rows does not count. A new time step therefore keeps it, a released attachment does
  not. docs/theory.md (4.19)
*/
static PetscErrorCode may_keep(const wring_operator_part *part, PetscBool *keep)
{
  const wring_multigrid *const m        = part->data;
  const double                 most     = 4.5;
  double                       range[2] = {0, 0}; // largest ratio, largest inverse ratio
  Vec                          diagonal;
  const double                *d;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(part->A, NULL, &diagonal));
  PetscCall(MatGetDiagonal(part->A, diagonal));
  PetscCall(VecGetArrayRead(diagonal, &d));
  for (PetscInt i = 0; i < m->cycle->level->n; i++) {
    const double ratio = d[i] * m->reference[i] * m->reference[i];
    range[0]           = ratio > 0 ? PetscMax(range[0], ratio) : INFINITY;
    range[1]           = ratio > 0 ? PetscMax(range[1], 1 / ratio) : INFINITY;
  }
  PetscCall(VecRestoreArrayRead(diagonal, &d));
  PetscCall(VecDestroy(&diagonal));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_DOUBLE, MPI_MAX, part->set->comm));
  *keep = (PetscBool)(range[0] * range[1] <= most);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(wring_operator_part *part)
{
  wring_multigrid *const m    = part->data;
  PetscBool              keep = PETSC_FALSE;

  PetscFunctionBegin;
  if (m->cycle) PetscCall(may_keep(part, &keep));
  if (keep) {
    PetscCall(wring_cycle_renew(m->cycle, part->A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_cg_destroy(&m->cg));
  PetscCall(wring_cycle_destroy(&m->cycle));
  PetscCall(wring_cycle_create(part->set->comm, part->A, &part->set->coarsening, &m->cycle));
  PetscCall(PetscFree(m->reference));
  PetscCall(PetscMalloc1(m->cycle->level->n, &m->reference));
  PetscCall(PetscArraycpy(m->reference, m->cycle->level->scale, m->cycle->level->n));
  m->built++;
  part->info.library = "wring";
  PetscCallMPI(MPI_Allreduce(&m->cycle->memory, &part->info.memory, 1, MPI_DOUBLE, MPI_SUM, part->set->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_cg(wring_operator_part *part)
{
  wring_multigrid *const m = part->data;
  double                 memory;

  PetscFunctionBegin;
  PetscCall(wring_cg_create(m->cycle, &m->cg));
  m->cg->phases = part->set->phases;
  memory        = wring_cg_memory(m->cg);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &memory, 1, MPI_DOUBLE, MPI_SUM, part->set->comm));
  part->info.memory += memory;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory of coarse levels, interpolations and their computation, as a multiple of A's; measured on boxes. */
PetscErrorCode wring_multigrid_predict(Mat A, double *bytes)
{
  const double one_rank = 2.4, several = 4;
  MatInfo      info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  *bytes = (wring_comm_size(PetscObjectComm((PetscObject)A)) > 1 ? several : one_rank) *
           (sizeof(PetscScalar) + sizeof(PetscInt)) * info.nz_used;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode predict(wring_operator_part *part, double *bytes)
{
  return wring_multigrid_predict(part->A, bytes);
}

/*
  x = 3/2 M b, M the cycle. The eigenvalues of M A, between 0 and 1, are about 2/3 in the mean over directions of
  methods that use a rough solve. docs/theory.md (4.12a)
*/
static PetscErrorCode apply_cycle(wring_operator_part *part, double size, const double *b, double *x)
{
  wring_multigrid *const m = part->data;

  PetscFunctionBegin;
  if (!(size > 0)) {
    size = 0;
    for (PetscInt i = 0; i < 3 * m->cycle->level->n; i++) // MPI_MAX may lose a NaN
      size = isfinite(b[i]) ? PetscMax(size, fabs(b[i])) : INFINITY;
    wring_count(part->set->phases, WRING_WORK_REDUCTIONS, 1);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &size, 1, MPI_DOUBLE, MPI_MAX, part->set->comm));
    if (!isfinite(size)) WRING_REFUSE(part->set->comm, "operator: the iteration failed: a number is not finite");
  }
  PetscCall(wring_cycle_multiply(m->cycle, 1.5, size > 0 ? size : 1, b, x));
  part->info.iterations = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(wring_operator_part *part, double rtol, const wring_operator_zero *zero, const double *b,
                            double *x, PetscBool *reached)
{
  wring_multigrid *const m = part->data;

  PetscFunctionBegin;
  if (rtol == WRING_OPERATOR_ROUGH) {
    PetscCall(apply_cycle(part, zero ? zero->size : 0, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!m->cg) PetscCall(create_cg(part)); // rough solves do without it
  PetscCall(
    wring_cg_solve(m->cg, m->cycle, part->A, rtol, part->set->max_it, b, x, zero, &part->info.iterations, reached));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(wring_operator_part *part)
{
  wring_multigrid *m = part->data;

  PetscFunctionBegin;
  part->data = NULL;
  PetscCall(wring_cg_destroy(&m->cg));
  PetscCall(wring_cycle_destroy(&m->cycle));
  PetscCall(PetscFree(m->reference));
  PetscCall(PetscFree(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_operator_ops wring_operator_multigrid = {.type         = "multigrid",
                                                     .create       = create,
                                                     .set_up       = set_up,
                                                     .predict      = predict,
                                                     .solve        = solve,
                                                     .approximates = PETSC_TRUE,
                                                     .destroy      = destroy};
