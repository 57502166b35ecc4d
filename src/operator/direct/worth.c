/*
  How many iterations of conjugate gradients with its V-cycle take as long as a Cholesky factor of H, before either is
  built: from the graph of the vertices, whose factor has a 27th of the operations and a ninth of the numbers. Seconds
  of one core as measured on slender, flat and plump bodies, of which only ratios matter; docs/performance.md
*/
#include "cholmod_names.h"
#include "factor.h"
#include <math.h>

static const double rate = 60e9, number = 2e-9; // of a factor: operations a second; s to compute and read a number
static const double vertex    = 5.5e-6;         // s more to fill a matrix of scalars than one of blocks
static const double iteration = 7e-9;           // s of conjugate gradients, a number of the graph
static const double levels    = 5e-3;           // s of the levels of any mesh
static const double plump = 12, slender = 10;   // iterations of a cube; the length, in widths, of twice as many
static const double gain     = 40;              // with so many levels the best order takes half as long as a band
static const double dear     = 10;              // times conjugate gradients: such a factor is estimated, not analysed
static const double hopeless = 100;             // times conjugate gradients: no factor is taken if a band costs as much

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

/* Half of the bandwidth in the order of Cuthill and McKee: vertices of a level. */
static PetscErrorCode find_width(Mat S, double *width)
{
  const PetscInt *at;
  wring_rows      rows;
  PetscInt        most = 0;
  IS              order, same, place;

  PetscFunctionBegin;
  PetscCall(MatGetOrdering(S, MATORDERINGRCM, &order, &same));
  PetscCall(ISInvertPermutation(order, PETSC_DECIDE, &place));
  PetscCall(ISGetIndices(place, &at));
  PetscCall(wring_rows_get(S, &rows));
  for (PetscInt i = 0; i < rows.own.n; i++)
    for (PetscInt k = rows.own.start[i]; k < rows.own.start[i + 1]; k++)
      most = PetscMax(most, PetscAbsInt(at[i] - at[rows.own.column[k]]));
  *width = (double)most + 0.5;
  PetscCall(wring_rows_restore(&rows));
  PetscCall(ISRestoreIndices(place, &at));
  PetscCall(ISDestroy(&place));
  PetscCall(ISDestroy(&order));
  PetscCall(ISDestroy(&same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The width of a level tells the shape of the body, and what a band would cost. */
static PetscErrorCode judge(Mat S, double harder, double *expected, double *factor)
{
  wring_rows rows;
  double     w = 0;

  PetscFunctionBegin;
  PetscCall(find_width(S, &w));
  PetscCall(wring_rows_get(S, &rows));
  const double n = (double)rows.own.n, length = n / pow(w, 1.5), band = 27 * n * w * w / rate;
  *expected        = harder * plump * (1 + length / slender);
  const double one = iteration * (double)rows.own.start[rows.own.n], cg = levels + one * *expected;
  if (band < hopeless * cg) {
    double seconds = (band + 9 * n * w * number + vertex * n) / (1 + n / w / gain);
    if (seconds < dear * cg) seconds = seconds_of_factor(&rows.own);
    *factor = PetscMax(0, seconds - levels) / one;
  }
  PetscCall(wring_rows_restore(&rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_factor_worth(Mat graph, double harder, double *expected, double *factor)
{
  double found[] = {0, INFINITY};
  Mat    S;

  PetscFunctionBegin;
  PetscCall(wring_aij_collect(graph, (PetscBool)(wring_comm_rank(PetscObjectComm((PetscObject)graph)) == 0), &S));
  if (S) PetscCall(judge(S, harder, &found[0], &found[1]));
  PetscCall(MatDestroy(&S));
  PetscCallMPI(MPI_Bcast(found, 2, MPI_DOUBLE, 0, PetscObjectComm((PetscObject)graph)));
  *expected = found[0];
  *factor   = found[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}
