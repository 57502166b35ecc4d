/*
  Whether a Cholesky factor of H takes less time than conjugate gradients with its V-cycle, before either is built: from
  the graph of the vertices, whose factor has a 27th of the operations and a ninth of the numbers. Seconds of one core
  as measured on slender, flat and plump bodies, of which only ratios matter; docs/performance.md
*/
#include "cholmod_names.h"
#include "factor.h"
#include <math.h>

static const double rate = 15e9, number = 4e-9; // of a factor: operations a second; s to compute and read a number
static const double vertex    = 6e-6;           // s more to fill a matrix of scalars than one of blocks
static const double iteration = 0.5e-6;         // s of conjugate gradients, a vertex
static const double levels    = 5e-3;           // s of the levels of any mesh
static const double plump = 12, slender = 20;   // iterations of a cube; the length, in widths, of twice as many
static const double hopeless = 30;              // a band that takes so many times as long as conjugate gradients

/* Seconds of a factor and a solve, by the symbolic analysis. */
static double seconds_of_factor(const wring_aij *a)
{
  cholmod_common common;
  cholmod_sparse A = wring_cholmod_view(a);

  wring_cholmod_start(&common);
  common.supernodal         = CHOLMOD_SIMPLICIAL;
  common.method[0].ordering = CHOLMOD_AMD;
  cholmod_factor *factor    = CHOLMOD(analyze)(&A, &common);
  const double    numeric   = factor ? 27 * common.fl / rate + 9 * common.lnz * number : INFINITY;
  CHOLMOD(free_factor)(&factor, &common);
  CHOLMOD(finish)(&common);
  return numeric + vertex * (double)a->n;
}

/* The width of a level, in the order of Cuthill and McKee, tells the shape of the body, and what a band would cost. */
static PetscErrorCode judge(Mat S, PetscBool *pays)
{
  wring_rows rows;
  PetscInt   width;
  IS         order, same;
  Mat        band;

  PetscFunctionBegin;
  PetscCall(MatGetOrdering(S, MATORDERINGRCM, &order, &same));
  PetscCall(MatPermute(S, order, order, &band));
  PetscCall(MatComputeBandwidth(band, 0, &width));
  PetscCall(MatDestroy(&band));
  PetscCall(ISDestroy(&order));
  PetscCall(ISDestroy(&same));
  PetscCall(wring_rows_get(S, &rows));
  const double n = (double)rows.own.n, w = 0.5 * (double)width, length = n / pow(w, 1.5);
  const double cycle = levels + iteration * n * plump * (1 + length / slender);
  *pays              = (PetscBool)(27 * n * w * w / rate < hopeless * cycle && seconds_of_factor(&rows.own) < cycle);
  PetscCall(wring_rows_restore(&rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_factor_pays(Mat graph, PetscBool *pays)
{
  Mat S;

  PetscFunctionBegin;
  *pays = PETSC_FALSE;
  PetscCall(wring_aij_collect(graph, (PetscBool)(wring_comm_rank(PetscObjectComm((PetscObject)graph)) == 0), &S));
  if (S) PetscCall(judge(S, pays));
  PetscCall(MatDestroy(&S));
  PetscCallMPI(MPI_Bcast(pays, 1, WRING_MPI_BOOL, 0, PetscObjectComm((PetscObject)graph)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
