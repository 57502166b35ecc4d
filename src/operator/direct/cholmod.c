/*
  Type direct on one rank or on the ranks of one node: CHOLMOD's supernodal Cholesky factor (Chen, Davis,
  Hager, Rajamanickam, ACM TOMS 35, 2008), copied into single precision. Each of several nodes has the whole factor and
  solves for itself, with all of b: no messages are sent during a solve but those that gather b. Solutions are refined
  in double precision as far as rtol requires; docs/theory.md 4.2. If A is too badly conditioned for that, CHOLMOD's own
  factor is used. Either factor solves for the three components as one dense right-hand side.
*/
#include "operator/operator_impl.h"
#include "cholmod_names.h"
#include "packed.h"
#include "residual.h"
#include <float.h>
#include <math.h>

/*
  Largest |b - A x| / |b| after a solve in single precision; above it the double factor is used. At this rate five
  solves reach 1e-10, which takes as long as one of CHOLMOD's.
*/
static const double worst_rate = 1e-2;

enum { TRIALS = 4, MOST_SWEEPS = 20 };

typedef struct {
  MPI_Comm            node;
  PetscBool           several; // nodes
  wring_team         *team;    // of the ranks of node
  cholmod_common      common;
  cholmod_factor     *factor; // on rank 0; only its pattern while packed is used
  wring_packed       *packed; // NULL: CHOLMOD solves
  wring_shared        shared;
  Mat                 block; // on several nodes: the rows, all columns, of which this rank of a node finds residuals
  PetscInt            first; // of block
  double             *all;   // [n][3] on several nodes: the gathered right-hand side
  PetscMPIInt        *count, *offset; // of numbers of each rank in it
  double             *b, *x, *r;      // [n][3] in shared: right-hand side and solution on several ranks; residual
  wring_residual_sums sums;           // in shared
  double              rate;           // |b - A x| / |b| after a packed solve, as measured
  cholmod_dense      *dense_b, *dense_x, *y, *e; // [3][n]; y and e are work of cholmod_solve2, kept between solves
} direct;

/* Whether *yes on any node. Collective. */
static PetscErrorCode agree(const wring_operator_part *part, PetscBool *yes)
{
  const direct *d = part->data;

  PetscFunctionBegin;
  if (d->several) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, yes, 1, WRING_MPI_BOOL, MPI_LOR, part->set->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create(wring_operator_part *part)
{
  direct *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  part->data       = d;
  d->shared.window = MPI_WIN_NULL;
  PetscCall(wring_hosts_split(part->set->comm, part->set->coarsening.ranks_each, &d->node));
  d->several = (PetscBool)(wring_comm_size(d->node) < part->set->n_rank);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &d->several, 1, WRING_MPI_BOOL, MPI_LOR, part->set->comm));
  PetscCall(wring_team_create(d->node, &d->team));
  part->no_sharing = (PetscBool)!d->team;
  PetscCall(agree(part, &part->no_sharing));
  wring_cholmod_start(&d->common);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* CHOLMOD's status on the first ranks of the nodes: an error, or else the largest. Collective. */
static PetscErrorCode check(const wring_operator_part *part)
{
  const direct *d        = part->data;
  int           range[2] = {-d->common.status, d->common.status};

  PetscFunctionBegin;
  if (part->set->n_rank > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, part->set->comm));
  const int status = range[0] > 0 ? -range[0] : range[1];
  if (status == CHOLMOD_NOT_POSDEF)
    WRING_REFUSE(part->set->comm, "operator: the matrix is not positive definite (cholmod)");
  if (status == CHOLMOD_OUT_OF_MEMORY || status == CHOLMOD_TOO_LARGE)
    WRING_REFUSE(part->set->comm, "operator: the factor is too large for cholmod; operator_type multigrid needs less");
  if (status < CHOLMOD_OK) WRING_REFUSE(part->set->comm, "operator: cholmod failed with status %d", status);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the matrix -------------------------------------------------------------------------------------------------- */

/* On several nodes: the rows of which this rank finds residuals, and room for all of b. */
static PetscErrorCode divide_rows(wring_operator_part *part)
{
  direct  *d = part->data;
  PetscInt n, own;
  IS       rows;

  PetscFunctionBegin;
  if (!d->several) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(part->A, &n, NULL));
  PetscCall(MatGetLocalSize(part->A, &own, NULL));
  d->first           = (PetscInt)((PetscInt64)n * d->team->rank / d->team->n_rank);
  const PetscInt end = (PetscInt)((PetscInt64)n * (d->team->rank + 1) / d->team->n_rank);
  PetscCall(MatDestroy(&d->block));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, end - d->first, d->first, 1, &rows));
  PetscCall(wring_rows_collect(part->A, rows, &d->block));
  PetscCall(ISDestroy(&rows));
  if (d->all) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscMPIInt mine = (PetscMPIInt)(3 * own);
  PetscCall(PetscMalloc1(3 * (size_t)n, &d->all));
  PetscCall(PetscMalloc2((size_t)part->set->n_rank, &d->count, (size_t)part->set->n_rank, &d->offset));
  PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, d->count, 1, MPI_INT, part->set->comm));
  for (PetscMPIInt p = 0; p < part->set->n_rank; p++) d->offset[p] = p > 0 ? d->offset[p - 1] + d->count[p - 1] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows of which this rank finds residuals. */
static PetscErrorCode get_rows(const wring_operator_part *part, wring_rows *A)
{
  const direct *d = part->data;

  PetscFunctionBegin;
  PetscCall(wring_rows_get(d->block ? d->block : part->A, A));
  if (d->block) A->first = d->first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- in single precision ----------------------------------------------------------------------------------------- */

static PetscErrorCode packed_solve(direct *d, const wring_size *size, const double *b, PetscBool add, double *x)
{
  double scale[3];

  PetscFunctionBegin;
  for (int c = 0; c < 3; c++) {
    int exponent;
    frexp(size->largest[c], &exponent);
    scale[c] = size->largest[c] == 0 ? 0 : ldexp(1, -exponent); // scales b to about 1
  }
  PetscCall(wring_packed_solve(d->packed, scale, b, add, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest |r| / |b| of the components, |r| where b is 0; NaN if there is one. */
static double ratio(const wring_size *r, const wring_size *b)
{
  double worst = 0;
  for (int c = 0; c < 3; c++) {
    const double now = b->norm[c] > 0 ? r->norm[c] / b->norm[c] : r->norm[c];
    if (!(now <= worst)) worst = now;
  }
  return worst;
}

/*
  x += A^{-1} (b - A x) until |b - A x| <= rtol |b|, or until a sweep no longer halves the residual. The residual after
  a sweep that ends below round-off is measured only if rtol > 0.
*/
static PetscErrorCode refine(direct *d, const wring_rows *A, double rtol, const wring_size *b_size, const double *b,
                             double *x, PetscBool *reached)
{
  double before = INFINITY;

  PetscFunctionBegin;
  for (int i = 0; i < MOST_SWEEPS; i++) {
    wring_size r_size;
    wring_residual(d->team, &d->sums, A, b, x, d->r, &r_size);
    const double now = ratio(&r_size, b_size);
    *reached         = (PetscBool)(rtol == 0 || now <= rtol);
    if (now <= rtol || !(2 * now < before)) break;
    PetscCall(packed_solve(d, &r_size, d->r, PETSC_TRUE, x));
    if (rtol == 0 && 10 * d->rate * now <= DBL_EPSILON) break;
    before = now;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Power iteration: the first trial starts from noise, each later one from the solution of the one before. b approaches
  the vector that A^{-1} amplifies most.
*/
static PetscErrorCode measure_rate(direct *d, const wring_rows *A)
{
  const size_t begin = 3 * (size_t)A->first, end = begin + 3 * (size_t)A->own.n;

  PetscFunctionBegin;
  for (size_t i = begin; i < end; i++) d->x[i] = 2 * wring_uniform(i) - 1;
  d->rate = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    wring_size b_size, r_size;
    PetscCall(PetscArraycpy(d->b + begin, d->x + begin, end - begin));
    wring_size_of(d->team, &d->sums, A, d->b, &b_size);
    PetscCall(packed_solve(d, &b_size, d->b, PETSC_FALSE, d->x));
    wring_residual(d->team, &d->sums, A, d->b, d->x, d->r, &r_size);
    const double now = ratio(&r_size, &b_size);
    if (!(now <= d->rate)) d->rate = now;
    if (!(d->rate <= worst_rate)) break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vectors and work arrays in memory shared by all ranks. */
static PetscErrorCode allocate(wring_operator_part *part, PetscBool *enough)
{
  direct  *d = part->data;
  PetscInt n;

  PetscFunctionBegin;
  *enough = PETSC_TRUE;
  if (d->b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetSize(part->A, &n, NULL));
  const size_t vector = 3 * (size_t)n;
  const int    strips = wring_sums_strips(d->team, n);
  const size_t sums   = wring_sums_bytes(d->team, strips);
  PetscCall(wring_team_allocate(d->team, 3 * vector * sizeof *d->b + sums, &d->shared, enough));
  if (!*enough) PetscFunctionReturn(PETSC_SUCCESS);
  d->b    = d->shared.memory;
  d->x    = d->b + vector;
  d->r    = d->x + vector;
  d->sums = (wring_residual_sums){.memory = d->r + vector, .strips = strips};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Destroys packed if a solve in single precision is not accurate enough; sets part->no_sharing if there is too little
  memory for it.
*/
static PetscErrorCode pack(wring_operator_part *part)
{
  direct    *d = part->data;
  PetscBool  enough;
  wring_rows A;

  PetscFunctionBegin;
  PetscCall(wring_packed_destroy(&d->packed));
  PetscCall(allocate(part, &enough));
  if (enough) PetscCall(wring_packed_create(d->team, d->factor, &d->packed));
  part->no_sharing = (PetscBool)!d->packed;
  PetscCall(agree(part, &part->no_sharing));
  if (part->no_sharing) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(get_rows(part, &A));
  PetscCall(measure_rate(d, &A));
  PetscCall(wring_rows_restore(&A));
  if (d->several) PetscCallMPI(MPI_Bcast(&d->rate, 1, MPI_DOUBLE, 0, part->set->comm)); // all nodes decide alike
  if (!(d->rate <= worst_rate)) {
    PetscCall(wring_packed_destroy(&d->packed));
  } else if (d->factor) { // keeps what a factor of the same pattern needs
    d->factor->x     = CHOLMOD(free)(d->factor->xsize, sizeof(double), d->factor->x, &d->common);
    d->factor->xtype = CHOLMOD_PATTERN;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- in double precision ----------------------------------------------------------------------------------------- */

/* Rank 0 solves for all ranks. */
static PetscErrorCode double_solve(wring_operator_part *part, const double *b, double *x)
{
  direct *d = part->data;

  PetscFunctionBegin;
  wring_team_meet(d->team);
  if (d->factor) {
    const PetscInt n = (PetscInt)d->dense_b->nrow;
    wring_operator_to_columns(n, b, d->dense_b->x);
    CHOLMOD(solve2)(CHOLMOD_A, d->factor, d->dense_b, NULL, &d->dense_x, NULL, &d->y, &d->e, &d->common);
    if (d->common.status == CHOLMOD_OK) wring_operator_from_columns(n, d->dense_x->x, x);
  }
  PetscCall(check(part));
  wring_team_meet(d->team);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- front ------------------------------------------------------------------------------------------------------- */

/* Calls work with all of A, on rank 0. */
static PetscErrorCode with_matrix(wring_operator_part *part, void (*work)(direct *d, cholmod_sparse *A))
{
  const direct *d = part->data;
  Mat           S;

  PetscFunctionBegin;
  PetscCall(wring_aij_collect(part->A, (PetscBool)(d->team->rank == 0), &S));
  if (S) {
    wring_rows rows;
    PetscCall(wring_rows_get(S, &rows));
    cholmod_sparse A = wring_cholmod_view(&rows.own);
    work(part->data, &A);
    PetscCall(wring_rows_restore(&rows));
  }
  PetscCall(MatDestroy(&S));
  PetscCall(check(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The order of minimum degree takes a fifth of the time of METIS and is as good for slender bodies. Where its factor has
  many numbers for so many rows, as for cubes, METIS orders: that of a cube of 2,197 vertices has 8 n^(4/3), 30 % more.
*/
static void analyse(direct *d, cholmod_sparse *A)
{
  const double many = 6 * pow((double)A->nrow, 4. / 3);

  d->common.method[0].ordering = CHOLMOD_AMD;
  d->factor                    = CHOLMOD(analyze)(A, &d->common);
  if (!d->factor || d->common.lnz <= many) return;
  CHOLMOD(free_factor)(&d->factor, &d->common);
  d->common.method[0].ordering = CHOLMOD_METIS;
  d->factor                    = CHOLMOD(analyze)(A, &d->common);
}

/* Stops at the first failure: every call to CHOLMOD resets the status. */
static void factorize(direct *d, cholmod_sparse *A)
{
  const int levels = wring_blas_begin();
  if (!d->factor) analyse(d, A);
  if (d->factor) CHOLMOD(factorize)(A, d->factor, &d->common);
  wring_blas_end(levels);
}

static PetscErrorCode set_up(wring_operator_part *part)
{
  direct *d = part->data;

  PetscFunctionBegin;
  if (part->no_sharing) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_team_agree(d->team));
  PetscCall(with_matrix(part, factorize));
  PetscCall(divide_rows(part));
  PetscCall(pack(part));
  if (part->no_sharing) PetscFunctionReturn(PETSC_SUCCESS);
  if (!d->packed && d->factor && !d->dense_b)
    d->dense_b = CHOLMOD(allocate_dense)(d->factor->n, 3, d->factor->n, CHOLMOD_REAL, &d->common);
  PetscCall(check(part));
  part->info.library = d->packed ? "cholmod, in single precision" : "cholmod, in double precision";
  part->info.memory  = d->factor ? (double)d->common.memory_inuse + (d->packed ? (double)d->packed->bytes : 0) : 0;
  part->info.flops   = d->common.fl;
  part->info.entries = d->common.lnz;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &part->info.memory, 1, MPI_DOUBLE, MPI_SUM, part->set->comm));
  PetscCallMPI(MPI_Bcast(&part->info.flops, 1, MPI_DOUBLE, 0, part->set->comm));
  PetscCallMPI(MPI_Bcast(&part->info.entries, 1, MPI_DOUBLE, 0, part->set->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Rank 0: the factor's values, the larger of the update of its largest supernode and the copy, and what the analysis
  keeps. Other ranks: their share of the copy. All ranks: the vectors, of which each rank touches its own part;
  and all of b, on several nodes.
*/
static PetscErrorCode predict(wring_operator_part *part, double *bytes)
{
  direct *d        = part->data;
  double  share[2] = {0, 0}; // the copy, the vectors

  PetscFunctionBegin;
  PetscCall(with_matrix(part, analyse));
  const cholmod_factor *const f = d->factor;
  if (f) {
    PetscCall(wring_packed_predict(f, &share[0]));
    share[1] = 9 * 8.0 * (double)f->n;
    *bytes   = 8.0 * (double)f->xsize + PetscMax(8.0 * (double)f->maxcsize, share[0] + share[1]);
    *bytes += (double)d->common.memory_inuse;
  }
  PetscCallMPI(MPI_Bcast(share, 2, MPI_DOUBLE, 0, part->set->comm));
  if (!f) *bytes = (share[0] + share[1]) / d->team->n_rank;
  if (d->several) *bytes += share[1] / 3; // all of b
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b, x [n][3] of all ranks. If rtol is well above the error of single precision, the residual is not computed. */
static PetscErrorCode solve_all(wring_operator_part *part, double rtol, const double *b, double *x, PetscBool *reached)
{
  direct    *d = part->data;
  wring_size size;
  wring_rows A;

  PetscFunctionBegin;
  if (!d->packed) {
    PetscCall(double_solve(part, b, x));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(get_rows(part, &A));
  wring_size_of(d->team, &d->sums, &A, b, &size);
  PetscCall(packed_solve(d, &size, b, PETSC_FALSE, x));
  if (rtol < 10 * d->rate) PetscCall(refine(d, &A, rtol, &size, b, x, reached));
  PetscCall(wring_rows_restore(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Each of several ranks copies its part of b to shared memory, on several nodes after all of b is gathered, and its part
  of x from it.
*/
static PetscErrorCode solve_shared(wring_operator_part *part, double rtol, const double *b, double *x,
                                   PetscBool *reached)
{
  direct  *d = part->data;
  PetscInt first, end, n_node;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(part->A, &first, &end));
  const size_t at = 3 * (size_t)first, n = 3 * (size_t)(end - first);
  if (d->several) {
    PetscCall(MatGetLocalSize(d->block, &n_node, NULL));
    PetscCallMPI(
      MPI_Allgatherv(b, (PetscMPIInt)n, MPI_DOUBLE, d->all, d->count, d->offset, MPI_DOUBLE, part->set->comm));
    PetscCall(PetscArraycpy(d->b + 3 * (size_t)d->first, d->all + 3 * (size_t)d->first, 3 * (size_t)n_node));
  } else {
    PetscCall(PetscArraycpy(d->b + at, b, n)); // read by others after the first barrier of either solve
  }
  PetscCall(solve_all(part, rtol, d->b, d->x, reached));
  if (d->several && rtol < 10 * d->rate) PetscCallMPI(MPI_Bcast(reached, 1, WRING_MPI_BOOL, 0, part->set->comm));
  PetscCall(PetscArraycpy(x, d->x + at, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(wring_operator_part *part, double rtol, const wring_operator_zero *zero, const double *b,
                            double *x, PetscBool *reached)
{
  const direct *d = part->data;

  PetscFunctionBegin;
  (void)zero; // no initial guess is used
  if (part->set->n_rank > 1) {
    PetscCall(solve_shared(part, rtol, b, x, reached));
  } else {
    if (d->team->asked != wring_max_threads()) PetscCall(wring_team_agree(d->team));
    PetscCall(solve_all(part, rtol, b, x, reached));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(wring_operator_part *part)
{
  direct *d = part->data;

  PetscFunctionBegin;
  PetscCall(wring_packed_destroy(&d->packed));
  PetscCall(wring_team_free(&d->shared));
  PetscCall(wring_team_destroy(&d->team));
  PetscCallMPI(MPI_Comm_free(&d->node));
  PetscCall(MatDestroy(&d->block));
  PetscCall(PetscFree(d->all));
  PetscCall(PetscFree2(d->count, d->offset));
  CHOLMOD(free_dense)(&d->dense_b, &d->common);
  CHOLMOD(free_dense)(&d->dense_x, &d->common);
  CHOLMOD(free_dense)(&d->y, &d->common);
  CHOLMOD(free_dense)(&d->e, &d->common);
  CHOLMOD(free_factor)(&d->factor, &d->common);
  CHOLMOD(finish)(&d->common);
  PetscCall(PetscFree(part->data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_operator_ops wring_operator_cholmod = {
  .type = "direct", .create = create, .set_up = set_up, .predict = predict, .solve = solve, .destroy = destroy};
