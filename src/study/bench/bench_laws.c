/*
  Element loops: energy and gradient in one pass, projection and prox of every law, with gather and scatter; and the
  same loops without a law. All ranks work at the same time and exchange nothing.
*/
#include "bench.h"

/* A law that costs nothing: p = z. What is left is gather, G, G^T and scatter. */
static void copy_fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
  (void)par;
#pragma omp simd
  for (int l = 0; l < WRING_LANES; l++) psi[l] = 0;
  for (int i = 0; i < 9; i++) {
#pragma omp simd
    for (int l = 0; l < WRING_LANES; l++) p[i][l] = z[i][l];
  }
}

static const wring_law copy = {.name = "none", .q = 3, .fused = copy_fused};

/* ---- a pass ------------------------------------------------------------------------------------------------------ */

typedef struct {
  wring_bench            *b;
  const wring_bench_body *body;
  wring_term             *term;
  wring_splitting        *splitting; // of a prox, or NULL
  wring_work              work;
  const double           *x; // [n_local][3]
  double                 *f; // [n_local][3]; it grows by every pass
} loop;

static PetscErrorCode run_pass(void *context)
{
  loop *const             w = context;
  const wring_pass *const pass =
    w->splitting ? wring_splitting_pass(w->splitting, 1) : wring_term_pass(w->term, w->work);
  double sum[2];

  PetscFunctionBegin;
  wring_pass_run(pass, WRING_ALL, w->x, w->f, sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(loop *w, wring_work work, const char *what, double bytes)
{
  const wring_bench_work timed = {.run = run_pass, .context = w};
  const wring_bench_row  row   = {
       "law", wring_term_law(w->term)->name, what, .tets = w->body->tets, .bytes = bytes, .iterations = -1};
  wring_bench_row *kept;

  PetscFunctionBegin;
  w->work = work;
  PetscCall(wring_bench_measure(w->b, &timed, &row, &kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- laws -------------------------------------------------------------------------------------------------------- */

static PetscErrorCode create_term(const loop *w, const wring_law *law, const char *prefix, wring_term **term)
{
  const wring_mesh *const m = w->body->p->mesh;
  wring_options          *o;
  double                 *par, *direction;

  PetscFunctionBegin;
  PetscCall(wring_options_create(w->b->comm, &o));
  PetscCall(PetscCalloc1((size_t)law->n_par + 1, &par));
  PetscCall(wring_law_set_example(law, prefix, w->b->spline, o));
  PetscCall(law->set_par(law, o, prefix, prefix, par));
  if (law->q == 1) {
    PetscCall(PetscCalloc1(3 * (size_t)m->tets.n, &direction));
    for (PetscInt e = 0; e < m->tets.n; e++) direction[3 * (size_t)e + 2] = 1;
    PetscCall(wring_term_create_fibres(m, 0, law, par, direction, term));
    PetscCall(PetscFree(direction));
  } else
    PetscCall(wring_term_create_tets(m, 0, law, par, 0, NULL, term));
  PetscCall(PetscFree(par));
  PetscCall(wring_options_destroy(&o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure_law(loop *w, const wring_law *law, const char *prefix)
{
  const double   bytes = wring_bench_pass_bytes(w->body, law->q);
  const unsigned can   = wring_law_can(law);

  PetscFunctionBegin;
  PetscCall(create_term(w, law, prefix, &w->term));
  PetscCall(measure(w, (wring_work)(WRING_VALUE | WRING_GRADIENT), "energy+gradient", bytes));
  if ((can & WRING_CAN_PROJECT) && (can & WRING_CAN_SLOPE)) PetscCall(measure(w, WRING_RESIDUAL, "projection", bytes));
  if ((can & WRING_CAN_PROX) && (can & WRING_CAN_SLOPE)) {
    PetscCall(wring_splitting_create(w->term, &w->splitting));
    PetscCall(measure(w, WRING_RESIDUAL, "prox", bytes + wring_bench_split_bytes(w->body, law->q)));
    PetscCall(wring_splitting_destroy(&w->splitting));
  }
  PetscCall(wring_term_destroy(&w->term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bench_laws(wring_bench *b, const wring_bench_body *body)
{
  const wring_work work = (wring_work)(WRING_VALUE | WRING_GRADIENT);
  const double     none = 0; // parameters of no law
  const wring_law *law;
  loop             w = {.b = b, .body = body};
  Vec              f;

  PetscFunctionBegin;
  PetscCall(wring_potential_create_vec(body->p->g, &f));
  PetscCall(wring_potential_get_local(body->p->g, body->x, &w.x));
  PetscCall(VecGetArray(f, &w.f));
  PetscCall(wring_term_create_tets(body->p->mesh, 0, &copy, &none, 1, NULL, &w.term));
  PetscCall(measure(&w, WRING_COUNT, "scatter", wring_bench_count_bytes(body)));
  PetscCall(measure(&w, work, "energy+gradient", wring_bench_pass_bytes(body, copy.q)));
  PetscCall(wring_term_destroy(&w.term));
  for (int i = 0; (law = wring_law_material(i)) && !b->stopper.cause; i++) PetscCall(measure_law(&w, law, "material_"));
  for (int i = 0; (law = wring_law_on_top(i)) && !b->stopper.cause; i++) PetscCall(measure_law(&w, law, ""));
  PetscCall(VecRestoreArray(f, &w.f));
  PetscCall(VecRestoreArrayRead(body->x, &w.x));
  PetscCall(VecDestroy(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}
