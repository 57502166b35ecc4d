/* Exchange of ghosts and sums between ranks; set-up of the operator A and its solves for three right-hand sides. */
#include "bench.h"

/* ---- exchange ---------------------------------------------------------------------------------------------------- */

typedef struct {
  const wring_mesh *mesh;
  double           *x; // [n_local][3]
  enum { POSITIONS, FORCES, SUM } of;
} exchange;

static PetscErrorCode run_exchange(void *context)
{
  exchange *const e     = context;
  const PetscSF   s     = e->mesh->forest.coordinates;
  double          value = 1;

  PetscFunctionBegin;
  if (e->of == POSITIONS) {
    PetscCall(PetscSFBcastBegin(s, MPI_DOUBLE, e->x, e->x, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(s, MPI_DOUBLE, e->x, e->x, MPI_REPLACE));
  } else if (e->of == FORCES) {
    PetscCall(PetscSFReduceBegin(s, MPI_DOUBLE, e->x, e->x, MPI_SUM));
    PetscCall(PetscSFReduceEnd(s, MPI_DOUBLE, e->x, e->x, MPI_SUM));
  } else {
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, e->mesh->comm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A ghost is read on one rank and written on another; a sum reads and writes a number on every rank. */
PetscErrorCode wring_bench_exchange(wring_bench *b, const wring_bench_body *body)
{
  const double          halo = 2 * 24 * (body->local - body->vertices), tets = body->tets;
  const double          sums  = 2 * 8 * (double)wring_comm_size(b->comm);
  const wring_bench_row row[] = {
    [POSITIONS] = {"exchange", "halo", "positions", .tets = tets, .bytes = halo, .iterations = -1},
    [FORCES]    = {"exchange", "halo", "forces", .tets = tets, .bytes = halo, .iterations = -1},
    [SUM]       = {"exchange", "reduction", "one number", .tets = tets, .bytes = sums, .iterations = -1}};
  exchange               e    = {.mesh = body->p->mesh};
  const wring_bench_work work = {NULL, run_exchange, &e};
  wring_bench_row       *kept;

  PetscFunctionBegin;
  if (wring_comm_size(b->comm) == 1) {
    wring_bench_leave_out(b, "exchange", "halo", NULL, "one rank exchanges nothing");
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscCalloc1(3 * (size_t)e.mesh->n_local, &e.x)); // zeros: sums of sums stay finite
  for (e.of = POSITIONS; e.of <= SUM; e.of++) PetscCall(wring_bench_measure(b, &work, &row[e.of], &kept));
  PetscCall(PetscFree(e.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

enum { DIRECT_LIMIT = 250000 }; // vertices: beyond, a factor takes minutes and gigabytes

typedef struct {
  const char *work;
  double      rtol;
} accuracy;

typedef struct {
  wring_bench            *b;
  const wring_bench_body *body;
  wring_options          *o;
  wring_operator         *op;
  Mat                     A;
  Vec                     rhs, x;
  double                  rtol;
} system_of;

/* A new operator for each set-up, as an operator keeps the hierarchy of a matrix that has not changed. */
static PetscErrorCode forget(void *context)
{
  system_of *const s = context;

  PetscFunctionBegin;
  PetscCall(wring_operator_destroy(&s->op));
  PetscCall(wring_operator_create(s->b->comm, s->o, NULL, &s->op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_up(void *context)
{
  system_of *const s = context;

  PetscFunctionBegin;
  PetscCall(wring_operator_set_matrix(s->op, s->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode clear(void *context)
{
  system_of *const s = context;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(s->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode solve(void *context)
{
  system_of *const s = context;

  PetscFunctionBegin;
  PetscCall(wring_operator_solve(s->op, s->rtol, s->rhs, s->x, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Set-up, then solves to these accuracies, of which the last has no text. */
static PetscErrorCode measure_type(system_of *s, const char *type, const accuracy *to)
{
  const wring_bench_work first = {forget, set_up, s}, then = {clear, solve, s};
  wring_bench_row        row = {"operator", type, "set-up", s->b->material[0], .tets = s->body->tets, .iterations = -1};
  wring_bench_row       *kept;
  wring_operator_info    info;

  PetscFunctionBegin;
  PetscCall(wring_options_set(s->o, "operator_type", type, "wring bench"));
  PetscCall(wring_bench_measure(s->b, &first, &row, &kept));
  if (!kept) PetscFunctionReturn(PETSC_SUCCESS);
  wring_operator_get_info(s->op, &info);
  kept->bytes = wring_bench_set_up_bytes(s->body, &info);
  for (; to->work; to++) {
    row.work = to->work;
    s->rtol  = to->rtol;
    PetscCall(wring_bench_measure(s->b, &then, &row, &kept));
    if (!kept) break;
    wring_operator_get_info(s->op, &info);
    kept->iterations = info.iterations;
    kept->bytes      = wring_bench_solve_bytes(s->body, &info, 1, (double)info.iterations);
  }
  PetscCall(wring_operator_destroy(&s->op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The right-hand sides are those of the first iteration of qn. */
PetscErrorCode wring_bench_operator(wring_bench *b, const wring_bench_body *body)
{
  static const accuracy exact[]    = {{"solve to 1e-04", 1e-4}, {"solve to 1e-12", 1e-12}, {NULL, 0}};
  static const accuracy iterated[] = {{"rough solve", WRING_OPERATOR_ROUGH},
                                      {"solve to 1e-02", 1e-2},
                                      {"solve to 1e-04", 1e-4},
                                      {"solve to 1e-08", 1e-8},
                                      {NULL, 0}};
  system_of             s          = {.b = b, .body = body};

  PetscFunctionBegin;
  PetscCall(wring_options_copy(body->o, "bench_", &s.o));
  PetscCall(wring_potential_operator_matrix(body->p->g, 1, &s.A));
  PetscCall(wring_potential_create_vec(body->p->g, &s.rhs));
  PetscCall(VecDuplicate(s.rhs, &s.x));
  PetscCall(wring_potential_place(body->p->g, body->x));
  PetscCall(wring_potential_gradient(body->p->g, body->x, s.rhs));
  if (body->vertices <= DIRECT_LIMIT)
    PetscCall(measure_type(&s, "direct", exact));
  else
    wring_bench_leave_out(b, "operator", "direct", NULL, "a factor of more than 250000 vertices takes too long");
  PetscCall(measure_type(&s, "multigrid", iterated));
  PetscCall(VecDestroy(&s.rhs));
  PetscCall(VecDestroy(&s.x));
  PetscCall(MatDestroy(&s.A));
  PetscCall(wring_options_destroy(&s.o));
  PetscFunctionReturn(PETSC_SUCCESS);
}
