/* A V-cycle as a preconditioner of PETSc. */
#include "cycle_pc.h"
#include "cycle.h"
#include "operator/operator_impl.h"
#include "operator/subnormal.h"
#include <math.h>
#include <string.h>

static const char name[] = "multigrid of A";

typedef struct {
  wring_gathering gather;
  wring_cycle    *cycle; // NULL before the first matrix
  Mat             A;     // of the cycle
} cycle_pc;

/* A power of two that brings v to about 1, so that no number leaves the range of float. */
static PetscErrorCode find_scale(Vec v, double *scale)
{
  double largest;
  int    exponent;

  PetscFunctionBegin;
  PetscCall(VecNorm(v, NORM_INFINITY, &largest));
  frexp(isfinite(largest) ? largest : 1, &exponent);
  *scale = ldexp(1, -exponent);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The input of the cycle, D^(-1/2) r, and its output, z. */
static void load(const wring_level *l, double scale, const double *r)
{
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < l->n; i++)
    for (int c = 0; c < 3; c++) l->b[3 * i + c] = (float)(scale * r[3 * i + c]) * l->scale[i];
}

static void store(const wring_level *l, double scale, double *z)
{
#pragma omp parallel for schedule(static)
  for (PetscInt i = 0; i < 3 * l->n; i++) z[i] = (double)l->y[i] / scale;
}

PetscErrorCode wring_cycle_pc_apply(PC pc, Vec r, Vec z)
{
  const unsigned old = wring_subnormal_flush();
  cycle_pc      *c;
  const double  *ra;
  double        *za, scale = 1;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &c));
  PetscCall(find_scale(r, &scale));
  PetscCall(VecGetArrayRead(r, &ra));
  load(c->cycle->level, scale, ra);
  PetscCall(VecRestoreArrayRead(r, &ra));
  PetscCall(wring_cycle_apply(c->cycle, PETSC_TRUE));
  PetscCall(VecGetArrayWrite(z, &za));
  store(c->cycle->level, scale, za);
  PetscCall(VecRestoreArrayWrite(z, &za));
  wring_subnormal_restore(old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(PC pc)
{
  cycle_pc *c;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &c));
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
  c->gather = op ? op->gather : (wring_gathering){.rank_entries = WRING_RANK_ENTRIES, .node_rows = WRING_NODE_ROWS};
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

PetscErrorCode wring_cycle_pc_set_matrix(PC pc, Mat A)
{
  const MPI_Comm  comm = PetscObjectComm((PetscObject)pc);
  cycle_pc       *c;
  wring_hierarchy h;

  PetscFunctionBegin;
  PetscCall(PCShellGetContext(pc, &c));
  PetscCall(wring_hierarchy_create(comm, A, &c->gather, &h));
  PetscCall(wring_cycle_destroy(&c->cycle));
  PetscCall(wring_cycle_create(comm, &h, &c->cycle));
  PetscCall(wring_hierarchy_destroy(&h));
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(MatDestroy(&c->A));
  c->A = A;
  PetscFunctionReturn(PETSC_SUCCESS);
}
