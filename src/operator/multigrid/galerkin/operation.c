/* P^T A P with its pattern, as an operation of PETSc's matrices. */
#include "base/count.h"
#include "base/sort.h"
#include "product.h"
#include <omp.h>

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* Rows of a strip: global columns in ascending order. */
typedef struct {
  size_t    n, room;
  PetscInt *column; // [n]
  double   *value;  // [n]
} entries;

/* A product in work. */
typedef struct {
  wring_galerkin_product product;
  PetscInt               n;           // rows
  entries               *strip;       // [wring_strips(n)]
  PetscInt              *own, *other; // [n] entries of a row in columns of this rank, and of other ranks
} operation;

static PetscErrorCode reserve(size_t n, entries *e)
{
  PetscFunctionBegin;
  e->room = 2 * n;
  PetscCall(PetscRealloc(e->room * sizeof *e->column, &e->column));
  PetscCall(PetscRealloc(e->room * sizeof *e->value, &e->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends row i and counts its entries; false: there is no memory. Called by all threads. */
static PetscBool append_row(const operation *o, PetscInt i, wring_galerkin_row *v, entries *e)
{
  PetscErrorCode code = PETSC_SUCCESS;
  PetscInt       own  = 0;

  wring_galerkin_product_row(&o->product, i, PETSC_TRUE, v);
  if (e->n + (size_t)v->n_coarse > e->room) {
#pragma omp critical(wring_galerkin_memory)
    code = reserve(e->n + (size_t)v->n_coarse, e);
  }
  if (code) return PETSC_FALSE;
  for (PetscInt k = 0; k < v->n_coarse; k++) {
    e->column[e->n + (size_t)k] = wring_galerkin_number(&o->product, v->coarse_list[k]);
    e->value[e->n + (size_t)k]  = v->coarse[v->coarse_list[k]].value;
    own += v->coarse_list[k] < o->n;
  }
  wring_sort_row(v->n_coarse, e->column + e->n, e->value + e->n);
  e->n += (size_t)v->n_coarse;
  o->own[i]   = own;
  o->other[i] = v->n_coarse - own;
  return PETSC_TRUE;
}

static PetscErrorCode compute_strips(const operation *o)
{
  const int           n_thread = wring_galerkin_threads(&o->product);
  int                 failed   = 0;
  wring_galerkin_row *v;

  PetscFunctionBegin;
  PetscCall(wring_galerkin_rows_create(&o->product, n_thread, &v));
#pragma omp parallel for schedule(static) num_threads(n_thread) reduction(| : failed) if (n_thread > 1)
  for (int s = 0; s < wring_strips(o->n); s++) {
    for (PetscInt i = wring_strip(o->n, s); i < wring_strip(o->n, s + 1) && !failed; i++)
      failed = !append_row(o, i, &v[omp_get_thread_num()], &o->strip[s]);
  }
  PetscCheck(!failed, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the product of a coarse matrix");
  PetscCall(wring_galerkin_rows_destroy(n_thread, &v));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode preallocate(const operation *o, Mat C)
{
  wring_error error = {""};
  PetscInt64  all   = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < o->n; i++) all += o->own[i] + o->other[i];
  PetscCheck(wring_count_fits(all, 1, "coarse matrix on one rank", "entries", &error), PETSC_COMM_SELF, PETSC_ERR_SUP,
             "%s", error.text);
  PetscCall(MatSeqAIJSetPreallocation(C, 0, o->own)); // each sets its own type of matrix only
  PetscCall(MatMPIAIJSetPreallocation(C, 0, o->own, 0, o->other));
  PetscCall(MatSetOption(C, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies the strips to C and frees them. */
static PetscErrorCode copy_strips(const operation *o, Mat C)
{
  PetscFunctionBegin;
  for (int s = 0; s < wring_strips(o->n); s++) {
    entries *const e  = &o->strip[s];
    size_t         at = 0;
    for (PetscInt i = wring_strip(o->n, s); i < wring_strip(o->n, s + 1); i++) {
      const PetscInt row = o->product.fine->from_coarse.first + i, n = o->own[i] + o->other[i];
      PetscCall(MatSetValues(C, 1, &row, n, e->column + at, e->value + at, INSERT_VALUES));
      at += (size_t)n;
    }
    PetscCall(PetscFree(e->column));
    PetscCall(PetscFree(e->value));
  }
  PetscCall(MatAssemblyBegin(C, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(C, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- PETSc's operations ------------------------------------------------------------------------------------------ */

static PetscErrorCode multiply(const wring_level *fine, const wring_level_values *a, Mat C)
{
  operation o = {.n = fine->from_coarse.n_coarse};

  PetscFunctionBegin;
  PetscCall(wring_galerkin_product_create(fine, a, &o.product));
  PetscCall(PetscCalloc1((size_t)wring_strips(o.n), &o.strip));
  PetscCall(PetscMalloc2((size_t)o.n, &o.own, (size_t)o.n, &o.other));
  PetscCall(compute_strips(&o));
  PetscCall(wring_galerkin_product_destroy(&o.product));
  PetscCall(preallocate(&o, C));
  PetscCall(copy_strips(&o, C));
  PetscCall(PetscFree2(o.own, o.other));
  PetscCall(PetscFree(o.strip));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode compute(Mat C)
{
  wring_level fine;
  wring_rows  r;
  Mat         A, P;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(wring_level_create_pattern(PetscObjectComm((PetscObject)A), A, PETSC_TRUE, &fine));
  PetscCall(wring_interpolation_create(P, &fine.near, NULL, NULL, &fine.from_coarse));
  PetscCall(wring_rows_get(A, &r));
  PetscCall(multiply(&fine, &(wring_level_values){r.own.value, r.ghost.value, NULL}, C));
  PetscCall(wring_rows_restore(&r));
  PetscCall(wring_level_destroy(&fine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type of C; its pattern comes with its numbers. */
static PetscErrorCode begin(Mat C)
{
  Mat      A, P;
  MatType  type;
  PetscInt n, all;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(MatGetLocalSize(P, NULL, &n));
  PetscCall(MatGetSize(P, NULL, &all));
  PetscCall(MatSetSizes(C, n, n, all, all));
  PetscCall(MatGetType(A, &type));
  PetscCall(MatSetType(C, type));
  PetscCall(MatSetOperation(C, MATOP_PRODUCTNUMERIC, (void (*)(void))compute));
  PetscCall(wring_galerkin_use(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* P's operation is that of the type. */
static PetscErrorCode choose(Mat C)
{
  PetscErrorCode (*of_type)(Mat);
  Mat            A, P;
  MatProductType type;

  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  if (type == MATPRODUCT_PtAP) {
    PetscCall(MatSetOperation(C, MATOP_PRODUCTSYMBOLIC, (void (*)(void))begin));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(MatProductGetMats(C, &A, &P, NULL));
  PetscCall(MatGetOperation(P, MATOP_PRODUCTSETFROMOPTIONS, (void (**)(void)) & of_type));
  PetscCall((*of_type)(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_galerkin_use(Mat A)
{
  MatType type;
  char    name[128];

  PetscFunctionBegin;
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscSNPrintf(name, sizeof name, "MatProductSetFromOptions_%s_%s_C", type, type));
  PetscCall(PetscObjectComposeFunction((PetscObject)A, name, choose));
  PetscCall(
    MatSetOperation(A, MATOP_PRODUCTSETFROMOPTIONS, (void (*)(void))choose)); // not P's: PETSc then asks by name
  PetscFunctionReturn(PETSC_SUCCESS);
}
