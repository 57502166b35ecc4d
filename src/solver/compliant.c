/*
  Compliant constraints [thesis, eq. 3.26; Servin et al. 2006; Tournier et al. 2015]: one linearly implicit step. The
  constraints are linearised at q, the start of the step; their second derivatives are dropped, docs/theory.md (5.18).
  In the unknowns w = M^(1/2) (x - y) and the scaled multipliers l,
    ( I   B^T ) ( w  )   (  0 )
    ( B  -a   ) ( -l ) = (  r )
  where row j of B is dC_j/dx M^(-1/2)/s_j, a_j = alpha_j/(h s_j)^2 and r_j = -(C_j + dC_j/dx (y - q))/s_j. The scales
  s_j make the diagonal of the Schur complement B B^T + a one. The system is symmetric and indefinite and is factored by
  MUMPS on any number of ranks.
*/
#include "base/count.h"
#include "base/text.h"
#include "operator/direct/factor.h"
#include "operator/judge.h"
#include "solver/common/constraints.h"

/*
  Lower bound of the eigenvalues of B B^T + a, whose diagonal is 1, far above rounding: if one is smaller, constraints
  are redundant. That can happen only where some a_j is smaller.
*/
static const double least_eigenvalue = 1e-12;

enum { INFOG_NEGATIVE = 12 }; // of MUMPS: the number of negative pivots

typedef struct {
  double            compliance; // m/N of springs and attachments; negative: 1/stiffness
  wring_constraints all;
  PetscInt          revision; // of the potential when the layout of the system was created
  Vec               d;        // y - q

  PetscInt     n_row, n_row_global; // constraints of this rank, of all ranks
  PetscInt    *unknown;             // [n_local] number of a vertex's first unknown in the system
  PetscCount   n_entry;
  PetscScalar *value; // [n_entry]: owned coordinates' 1, rows' -a, then the entries of B and B^T of row after row
  Mat          K;
  wring_factor F; // of K
  Vec          b, z, residual;
} compliant_data;

static const wring_option compliant_options[] = {
  {"compliance", WRING_REAL, .unit = "m/N", .range = "[0,inf)", .at = WRING_AT(compliant_data, compliance),
   .help = "Compliance of springs and attachments, instead of 1/stiffness; 0: they hold exactly."},
  {0},
};

static PetscErrorCode compliant_set_from_options(wring_solver *s, const wring_options *o, const char *prefix)
{
  compliant_data *c = s->data;

  PetscFunctionBegin;
  if (!wring_options_has(o, prefix, "compliance")) c->compliance = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every term must give rows. A spring without length may be on one rank only. */
static PetscErrorCode require_rows(wring_solver *s)
{
  wring_error        error = {""};
  wring_term *const *terms;
  const wring_law   *law;
  char               others[256] = "";
  const int          n           = wring_potential_terms(s->g, &terms);

  PetscFunctionBegin;
  for (int i = 0; (law = wring_law_material(i)); i++)
    if (law->n_row) wring_text_list(others, sizeof others, law->name);
  for (int i = n - 1; i >= 0; i--) {
    const char *const why = wring_term_no_rows(terms[i]);
    if (why)
      wring_error_set(&error, "solver '%s' cannot use material '%s': %s%s%s", s->name, wring_term_law(terms[i])->name,
                      why, strstr(why, ", expected ") ? "" : ", expected material ",
                      strstr(why, ", expected ") ? "" : others);
  }
  PetscCall(wring_error_raise(s->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compliant_set_up(wring_solver *s)
{
  compliant_data         *c = s->data;
  const wring_mesh *const m = wring_potential_mesh(s->g);

  PetscFunctionBegin;
  PetscCall(require_rows(s));
  c->F = (wring_factor){.library = MATSOLVERMUMPS, .type = MAT_FACTOR_CHOLESKY, .counts = PETSC_TRUE};
  PetscCall(PetscMalloc1(m->n_local, &c->unknown));
  PetscCall(wring_constraints_create(s, PETSC_FALSE, &c->all));
  PetscCall(wring_solver_create_vecs(s, 1, (Vec *[]){&c->d}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The method makes one iteration, whatever max_it is. Coordinates held by hard attachments have infinite mass. */
static PetscErrorCode compliant_begin(wring_solver *s, Vec x)
{
  compliant_data *const c = s->data;

  PetscFunctionBegin;
  (void)x;
  s->limits.max_it = 1;
  PetscCall(wring_constraints_set_masses(s, &c->all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- layout ------------------------------------------------------------------------------------------------------ */

static PetscErrorCode forget_layout(compliant_data *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(c->value));
  PetscCall(MatDestroy(&c->F.F));
  PetscCall(MatDestroy(&c->K));
  PetscCall(VecDestroy(&c->b));
  PetscCall(VecDestroy(&c->z));
  PetscCall(VecDestroy(&c->residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts constraints and numbers unknowns: on each rank the coordinates of its vertices, then its constraints. */
static PetscErrorCode number_unknowns(wring_solver *s, PetscInt *first)
{
  compliant_data         *c = s->data;
  const wring_mesh *const m = wring_potential_mesh(s->g);
  PetscInt64              all;

  PetscFunctionBegin;
  c->n_entry = (PetscCount)3 * m->n_owned + c->n_row;
  all        = c->n_entry;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPIU_INT64, MPI_SUM, s->comm));
  PetscCall(wring_count_check(s->comm, all, 1, s->who, "unknowns"));
  const PetscInt n = (PetscInt)c->n_entry;
  for (int i = 0; i < c->all.n_term; i++) c->n_entry += (PetscCount)c->all.rows[i].n * 6 * c->all.rows[i].m;
  PetscCallMPI(MPI_Allreduce(&c->n_row, &c->n_row_global, 1, MPIU_INT, MPI_SUM, s->comm));
  PetscCallMPI(MPI_Scan(&n, first, 1, MPIU_INT, MPI_SUM, s->comm));
  *first -= n;
  for (PetscInt i = 0; i < m->n_owned; i++) c->unknown[i] = *first + 3 * i;
  PetscCall(PetscSFBcastBegin(m->forest.halo, MPIU_INT, c->unknown, c->unknown, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->forest.halo, MPIU_INT, c->unknown, c->unknown, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows and columns of the entries, in the order of `value`. */
static void list_entries(const compliant_data *c, PetscInt n_diagonal, PetscInt first, PetscInt *row, PetscInt *column)
{
  PetscInt constraint = first + n_diagonal - c->n_row;
  for (PetscInt i = 0; i < n_diagonal; i++) row[i] = column[i] = first + i;
  row += n_diagonal, column += n_diagonal;
  for (int t = 0; t < c->all.n_term; t++) {
    const wring_constraint_rows *r = &c->all.rows[t];
    for (PetscInt j = 0; j < r->n; j++, constraint++) {
      for (int a = 0; a < 3 * r->m; a++) {
        const PetscInt coordinate = c->unknown[r->vertex[r->m * j + a / 3]] + a % 3;
        *row++ = constraint, *column++ = coordinate;
        *row++ = coordinate, *column++ = constraint;
      }
    }
  }
}

static PetscErrorCode create_matrix(wring_solver *s, PetscInt n, PetscInt first)
{
  compliant_data *c = s->data;
  PetscInt       *row, *column;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(c->n_entry, &row, c->n_entry, &column));
  list_entries(c, n, first, row, column);
  PetscCall(MatCreate(s->comm, &c->K));
  PetscCall(MatSetSizes(c->K, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(c->K, MATAIJ));
  PetscCall(MatSetPreallocationCOO(c->K, c->n_entry, row, column));
  PetscCall(MatSetOption(c->K, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(c->K, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(PetscFree2(row, column));
  PetscCall(MatCreateVecs(c->K, &c->b, &c->z));
  PetscCall(VecDuplicate(c->b, &c->residual));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The system's pattern changes only when an attachment is released, which raises the revision. */
static PetscErrorCode lay_out(wring_solver *s)
{
  compliant_data *c        = s->data;
  const PetscInt  revision = wring_potential_revision(s->g);
  PetscInt        first;

  PetscFunctionBegin;
  if (c->K && c->revision == revision) PetscFunctionReturn(PETSC_SUCCESS);
  wring_solver_begin_setup(s);
  c->revision = revision;
  PetscCall(forget_layout(c));
  PetscCall(number_unknowns(s, &first));
  PetscCall(PetscMalloc1(c->n_entry, &c->value));
  PetscCall(create_matrix(s, 3 * wring_potential_mesh(s->g)->n_owned + c->n_row, first));
  wring_solver_end_setup(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

/* Row j of r: its -a, its entries of B twice, its right-hand side. d [n_local][3] = y - q. */
static void fill_row(const compliant_data *c, const wring_constraint_rows *r, PetscInt j, double h, const double *d,
                     double *minus_a, double *entry, double *rhs)
{
  const double *dC    = r->dC + 3 * (size_t)r->m * (size_t)j;
  const double  alpha = (r->m <= 2 && c->compliance >= 0 ? c->compliance : 1 / r->k[j]) / (h * h);
  double        C     = r->C[j], B[WRING_MAX_ROW];
  for (int a = 0; a < 3 * r->m; a++) C += dC[a] * d[3 * r->vertex[r->m * j + a / 3] + a % 3];
  const double size  = wring_constraint_inertia(&c->all, r, j, B) + alpha,
               scale = size > 0 ? 1 / PetscSqrtReal(size) : 0;
  *minus_a           = size > 0 ? -alpha / size : 0;
  *rhs               = -C * scale;
  for (int a = 0; a < 3 * r->m; a++) entry[2 * a] = entry[2 * a + 1] = B[a] * scale;
}

/* Fills in the values; *least is the least a of this rank. */
static PetscErrorCode fill(wring_solver *s, const double *d, double *least)
{
  compliant_data *c       = s->data;
  const PetscInt  n       = 3 * wring_potential_mesh(s->g)->n_owned;
  double         *minus_a = c->value + n, *entry = minus_a + c->n_row, *b;
  const double    h = wring_potential_step(s->g);

  PetscFunctionBegin;
  *least = INFINITY;
  PetscCall(VecGetArrayWrite(c->b, &b));
  for (PetscInt i = 0; i < n; i++) c->value[i] = 1, b[i] = 0;
  b += n;
  for (int t = 0; t < c->all.n_term; t++) {
    const wring_constraint_rows *const r = &c->all.rows[t];
    for (PetscInt j = 0; j < r->n; j++, minus_a++, b++, entry += 6 * r->m) {
      fill_row(c, r, j, h, d, minus_a, entry, b);
      *least = PetscMin(*least, -*minus_a);
    }
  }
  b -= n + c->n_row;
  PetscCall(VecRestoreArrayWrite(c->b, &b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The constraints at q and the values of the system. *hard: some a is too small to exclude redundant constraints. */
static PetscErrorCode linearise(wring_solver *s, PetscBool *hard)
{
  const wring_phase old = wring_phases_switch(s->phases, WRING_PHASE_LOCAL);
  compliant_data   *c   = s->data;
  const Vec         q   = wring_potential_start(s->g);
  const double     *da;
  double            least;

  PetscFunctionBegin;
  PetscCall(VecWAXPY(c->d, -1, q, wring_potential_target(s->g)));
  PetscCall(wring_constraints_find(s, q, &c->all, &c->n_row));
  PetscCall(lay_out(s));
  PetscCall(wring_potential_get_local(s->g, c->d, &da));
  PetscCall(fill(s, da, &least));
  PetscCall(VecRestoreArrayRead(c->d, &da));
  wring_count(s->phases, WRING_WORK_REDUCTIONS, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_DOUBLE, MPI_MIN, s->comm));
  *hard = (PetscBool)(least < least_eigenvalue);
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the solve --------------------------------------------------------------------------------------------------- */

/* Factors the system with -a + shift in its lower right block. *exists: it is not singular. */
static PetscErrorCode factor(wring_solver *s, double shift, PetscBool *exists)
{
  compliant_data *c       = s->data;
  double *const   minus_a = c->value + 3 * wring_potential_mesh(s->g)->n_owned;
  MatFactorError  error;
  wring_solve_end end = WRING_SOLVE_REACHED;

  PetscFunctionBegin;
  wring_count(s->phases, WRING_WORK_FACTORISATIONS, 1);
  for (PetscInt j = 0; j < c->n_row; j++) minus_a[j] += shift;
  PetscCall(MatSetValuesCOO(c->K, c->value, INSERT_VALUES));
  for (PetscInt j = 0; j < c->n_row; j++) minus_a[j] -= shift;
  PetscCall(wring_factor_numeric(&c->F, c->K, &error));
  PetscCall(wring_factor_judge(c->F.F, s->who, &end));
  *exists = (PetscBool)(end == WRING_SOLVE_REACHED);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The shifted system has as many negative eigenvalues as there are constraints if and only if B B^T + a exceeds the
  shift (Sylvester's law of inertia).
*/
static PetscErrorCode refuse_redundant(wring_solver *s)
{
  compliant_data *c        = s->data;
  PetscBool       exists   = PETSC_FALSE;
  PetscInt        negative = 0;

  PetscFunctionBegin;
  PetscCall(factor(s, least_eigenvalue, &exists));
  if (exists) PetscCall(MatMumpsGetInfog(c->F.F, INFOG_NEGATIVE, &negative));
  if (exists && negative >= c->n_row_global) PetscFunctionReturn(PETSC_SUCCESS);
  WRING_REFUSE(
    s->comm,
    "solver '%s': %" PetscInt_FMT " of %" PetscInt_FMT
    " constraints are redundant, as they depend on others; expected independent constraints, or a compliance > 0",
    s->name, c->n_row_global - negative, c->n_row_global);
}

/* z = (w, -l), with one step of iterative refinement. */
static PetscErrorCode solve_refined(wring_solver *s)
{
  compliant_data *const c = s->data;

  PetscFunctionBegin;
  wring_count(s->phases, WRING_WORK_LINEAR_SOLVES, 2);
  wring_count(s->phases, WRING_WORK_PRODUCTS, 1);
  wring_count(s->phases, WRING_WORK_EXCHANGES, 1);
  PetscCall(MatSolve(c->F.F, c->b, c->z));
  PetscCall(MatMult(c->K, c->z, c->residual));
  PetscCall(VecAYPX(c->residual, -1, c->b));
  PetscCall(MatSolve(c->F.F, c->residual, c->b));
  PetscCall(VecAXPY(c->z, 1, c->b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Computes z, or ends the solve if the system is singular. */
static PetscErrorCode solve(wring_solver *s, PetscBool hard)
{
  const wring_phase old    = wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SET_UP);
  PetscBool         exists = PETSC_FALSE;

  PetscFunctionBegin;
  if (hard) PetscCall(refuse_redundant(s));
  PetscCall(factor(s, 0, &exists));
  wring_phases_switch(s->phases, WRING_PHASE_OPERATOR_SOLVE);
  if (exists)
    PetscCall(solve_refined(s));
  else
    wring_solver_end(s, WRING_STOPPED_SINGULAR);
  wring_phases_switch(s->phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compliant_iterate(wring_solver *s, Vec x)
{
  compliant_data *c = s->data;
  const double   *y, *w;
  double         *xa;
  PetscBool       hard;

  PetscFunctionBegin;
  PetscCall(linearise(s, &hard));
  PetscCall(solve(s, hard));
  if (s->end.given) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetArrayRead(wring_potential_target(s->g), &y));
  PetscCall(VecGetArrayRead(c->z, &w));
  PetscCall(VecGetArrayWrite(x, &xa));
  for (PetscInt i = 0; i < s->n; i++) xa[i] = y[i] + c->all.root[i] * w[i];
  PetscCall(VecRestoreArrayWrite(x, &xa));
  PetscCall(VecRestoreArrayRead(c->z, &w));
  PetscCall(VecRestoreArrayRead(wring_potential_target(s->g), &y));
  wring_solver_moved(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compliant_predict(wring_solver *s, Vec x, double *bytes)
{
  compliant_data *c = s->data;

  PetscFunctionBegin;
  PetscCall(wring_constraints_find(s, x, &c->all, &c->n_row));
  PetscCall(lay_out(s));
  PetscCall(PetscArrayzero(c->value, c->n_entry));
  PetscCall(MatSetValuesCOO(c->K, c->value, INSERT_VALUES)); // a symbolic factor needs an assembled matrix
  PetscCall(wring_factor_predict(c->K, MATSOLVERMUMPS, MAT_FACTOR_CHOLESKY, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compliant_destroy(wring_solver *s)
{
  compliant_data *c = s->data;

  PetscFunctionBegin;
  PetscCall(forget_layout(c));
  PetscCall(wring_constraints_destroy(&c->all));
  PetscCall(PetscFree(c->unknown));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_solver_ops wring_solver_compliant = {
  .name             = "compliant",
  .declares         = WRING_KEEPS_MOMENTUM,
  .options          = compliant_options,
  .data_size        = sizeof(compliant_data),
  .set_from_options = compliant_set_from_options,
  .set_up           = compliant_set_up,
  .begin            = compliant_begin,
  .iterate          = compliant_iterate,
  .predict          = compliant_predict,
  .destroy          = compliant_destroy,
};
