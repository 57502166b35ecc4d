/* A V-cycle as a preconditioner of PETSc. */
#include "cycle_pc.h"
#include "block/block.h"
#include "operator/operator_impl.h"
#include <math.h>
#include <string.h>
#include <wring/potential.h>

static const char name[] = "multigrid of A";

typedef struct {
  wring_coarsening   how;
  wring_cycle       *cycle; // NULL before the first matrix
  Mat                A;     // of the cycle
  wring_block_cycle *block; // on it, NULL without a Hessian
} cycle_pc;

PetscErrorCode wring_cycle_pc_apply(PC pc, Vec r, Vec z)
{
  cycle_pc     *c;
  const double *ra;
  double       *za, norm;
  int           exponent; // of a size: z of 2 r is twice z of r to the last bit

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &c));
  PetscCall(VecNorm(r, NORM_2, &norm)); // which conjugate gradients have just computed: PETSc keeps it
  frexp(isfinite(norm) ? norm : 1, &exponent);
  PetscCall(VecGetArrayRead(r, &ra));
  PetscCall(VecGetArrayWrite(z, &za));
  if (c->block)
    PetscCall(wring_block_cycle_multiply(c->block, ldexp(1, exponent), ra, za));
  else
    PetscCall(wring_cycle_multiply(c->cycle, 1, ldexp(1, exponent), ra, za));
  PetscCall(VecRestoreArrayWrite(z, &za));
  PetscCall(VecRestoreArrayRead(r, &ra));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(PC pc)
{
  cycle_pc *c;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &c));
  PetscCall(wring_block_cycle_destroy(&c->block));
  PetscCall(wring_cycle_destroy(&c->cycle));
  PetscCall(MatDestroy(&c->A));
  PetscCall(PetscFree(c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cycle_pc_set(PC pc, const wring_operator *op)
{
  cycle_pc *c;

  PetscFunctionBegin;
  PetscCall(PetscNew(&c));
  c->how =
    op ? op->set.coarsening : (wring_coarsening){.rank_entries = WRING_RANK_ENTRIES, .node_rows = WRING_NODE_ROWS};
  PetscCall(PCSetType(pc, PCSHELL));
  PetscCall(PCShellSetName(pc, name));
  PetscCall(PCShellSetContext(pc, c));
  PetscCall(PCShellSetApply(pc, wring_cycle_pc_apply));
  PetscCall(PCShellSetDestroy(pc, destroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cycle_pc_is(PC pc, PetscBool *yes)
{
  const char *own = NULL;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSHELL, yes));
  if (*yes) PetscCall(PCShellGetName(pc, &own));
  *yes = (PetscBool)(own && strcmp(own, name) == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether each entry of A is a block of H, of which a half is kept. */
static PetscErrorCode have_same_pattern(Mat A, Mat H, PetscBool *same)
{
  wring_block_values *v;
  wring_rows          a;

  PetscFunctionBegin;
  PetscCall(wring_potential_get_element_blocks(H, &v));
  PetscCall(wring_rows_get(A, &a));
  const PetscInt n = a.own.n;
  *same            = (PetscBool)(v && v->n_owned == n && v->own[n] == a.own.start[n]);
  if (a.ghost.start) *same = (PetscBool)(*same && v->other[n] == a.ghost.start[n]);
  PetscCall(wring_rows_restore(&a));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, same, 1, WRING_MPI_BOOL, MPI_LAND, PetscObjectComm((PetscObject)A)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cycle_pc_set_matrix(PC pc, Mat A, Mat H)
{
  const MPI_Comm   comm = PetscObjectComm((PetscObject)pc);
  cycle_pc        *c;
  wring_coarsening how;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &c));
  how = c->how;
  if (H) PetscCall(have_same_pattern(A, H, &how.wide));
  if (how.wide) how.rank_entries = PetscMax(how.rank_entries / WRING_BLOCK_ENTRIES, 1);
  PetscCall(wring_block_cycle_destroy(&c->block));
  PetscCall(wring_cycle_destroy(&c->cycle));
  PetscCall(wring_cycle_create(comm, A, &how, &c->cycle));
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(MatDestroy(&c->A));
  c->A = A;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_cycle_pc_set_hessian(PC pc, Mat H, Vec x, PetscBool *done)
{
  cycle_pc           *c;
  const double       *xa;
  wring_block_values *v;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &c));
  *done = PETSC_FALSE;
  if (c->A) PetscCall(have_same_pattern(c->A, H, done));
  if (!*done) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_get_element_blocks(H, &v));
  if (!c->block) PetscCall(wring_block_cycle_create(c->cycle, &c->block));
  PetscCall(VecGetArrayRead(x, &xa));
  PetscCall(wring_block_cycle_renew(c->block, v, xa));
  PetscCall(VecRestoreArrayRead(x, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}
