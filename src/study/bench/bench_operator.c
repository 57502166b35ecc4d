/* Exchange of ghosts and sums between ranks; set-up of the operator A and its solves for three right-hand sides. */
#include "bench.h"
#include <stdio.h>
#include <string.h>

/* ---- exchange ---------------------------------------------------------------------------------------------------- */

typedef struct {
  const wring_mesh *mesh;
  double           *x; // [n_local][3]
} exchange;

static PetscErrorCode send_positions(void *context)
{
  exchange *const   e = context;
  const wring_mesh *m = e->mesh;

  PetscFunctionBegin;
  PetscCall(PetscSFBcastBegin(m->coordinates, MPI_DOUBLE, e->x, e->x, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->coordinates, MPI_DOUBLE, e->x, e->x, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode send_forces(void *context)
{
  exchange *const   e = context;
  const wring_mesh *m = e->mesh;

  PetscFunctionBegin;
  PetscCall(PetscSFReduceBegin(m->coordinates, MPI_DOUBLE, e->x, e->x, MPI_SUM));
  PetscCall(PetscSFReduceEnd(m->coordinates, MPI_DOUBLE, e->x, e->x, MPI_SUM));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode sum(void *context)
{
  exchange *const e     = context;
  double          value = 1;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, e->mesh->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A ghost is read on one rank and written on another; a sum reads and writes a number on every rank. */
PetscErrorCode wring_bench_exchange(wring_bench *b, const wring_bench_body *body)
{
  const double ghosts = body->local - body->vertices;
  const struct {
    const char *name, *work;
    PetscErrorCode (*run)(void *context);
    double bytes;
  } kind[]    = {{"halo", "positions", send_positions, 2 * 24 * ghosts},
                 {"halo", "forces", send_forces, 2 * 24 * ghosts},
                 {"reduction", "one number", sum, 2 * 8 * (double)b->size}};
  exchange  e = {.mesh = body->p->mesh};
  PetscBool due;

  PetscFunctionBegin;
  if (b->size == 1) {
    PetscCall(wring_bench_leave_out(b, "exchange", "halo", "", "one rank exchanges nothing"));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscCalloc1(3 * (size_t)e.mesh->n_local, &e.x)); // zeros: sums of sums stay finite
  for (size_t i = 0; i < sizeof kind / sizeof kind[0]; i++) {
    const wring_bench_work work = {.run = kind[i].run, .context = &e};
    wring_bench_row        row  = {.part = "exchange", .tets = body->tets, .bytes = kind[i].bytes, .iterations = -1};
    PetscCall(wring_bench_begin_row(b, kind[i].name, kind[i].work, &due));
    if (!due) break;
    PetscCall(PetscStrncpy(row.name, kind[i].name, sizeof row.name));
    PetscCall(PetscStrncpy(row.work, kind[i].work, sizeof row.work));
    PetscCall(wring_bench_time(b, &work, b->budget, &row));
    PetscCall(wring_bench_keep(b, &row));
  }
  PetscCall(PetscFree(e.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the operator ------------------------------------------------------------------------------------------------ */

enum { DIRECT_LIMIT = 250000 }; // vertices: beyond, a factor takes minutes and gigabytes

typedef struct {
  const wring_bench *b;
  wring_options     *o;
  wring_operator    *op;
  Mat                A;
  Vec                rhs, x;
  double             rtol;
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

static PetscErrorCode time_row(wring_bench *b, const wring_bench_work *work, wring_bench_row *row, PetscBool *due)
{
  PetscFunctionBegin;
  PetscCall(wring_bench_begin_row(b, row->name, row->work, due));
  if (*due) PetscCall(wring_bench_time(b, work, b->budget, row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure_type(wring_bench *b, const wring_bench_body *body, const char *type, int n,
                                   const double *rtol, system_of *s)
{
  const wring_bench_work first = {forget, set_up, s}, then = {clear, solve, s};
  wring_bench_row        row = {.part = "operator", .work = "set-up", .tets = body->tets, .iterations = -1};
  wring_operator_info    info;
  PetscBool              due;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(row.name, type, sizeof row.name));
  PetscCall(PetscStrncpy(row.material, b->material[0], sizeof row.material));
  PetscCall(wring_options_set(s->o, "operator_type", type, "wring bench"));
  PetscCall(time_row(b, &first, &row, &due));
  if (!due) PetscFunctionReturn(PETSC_SUCCESS);
  wring_operator_get_info(s->op, &info);
  row.bytes = wring_bench_set_up_bytes(body, &info);
  PetscCall(wring_bench_keep(b, &row));
  for (int i = 0; i < n; i++) {
    s->rtol = rtol[i];
    if (rtol[i] == WRING_OPERATOR_ROUGH)
      snprintf(row.work, sizeof row.work, "rough solve");
    else
      snprintf(row.work, sizeof row.work, "solve to %.0e", rtol[i]);
    PetscCall(time_row(b, &then, &row, &due));
    if (!due) break;
    wring_operator_get_info(s->op, &info);
    row.iterations = info.iterations;
    row.bytes      = wring_bench_solve_bytes(body, &info, 1, (double)info.iterations);
    PetscCall(wring_bench_keep(b, &row));
  }
  PetscCall(wring_operator_destroy(&s->op));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The right-hand sides are those of the first iteration of qn. */
PetscErrorCode wring_bench_operator(wring_bench *b, const wring_bench_body *body)
{
  static const double exact[] = {1e-4, 1e-12}, iterated[] = {WRING_OPERATOR_ROUGH, 1e-2, 1e-4, 1e-8};
  system_of           s = {.b = b};

  PetscFunctionBegin;
  PetscCall(wring_options_copy(body->o, "bench_", &s.o));
  PetscCall(wring_potential_operator_matrix(body->p->g, 1, &s.A));
  PetscCall(wring_potential_create_vec(body->p->g, &s.rhs));
  PetscCall(VecDuplicate(s.rhs, &s.x));
  PetscCall(wring_potential_place(body->p->g, body->x));
  PetscCall(wring_potential_gradient(body->p->g, body->x, s.rhs));
  if (body->vertices <= DIRECT_LIMIT)
    PetscCall(measure_type(b, body, "direct", 2, exact, &s));
  else
    PetscCall(
      wring_bench_leave_out(b, "operator", "direct", "", "a factor of more than 250000 vertices takes too long"));
  PetscCall(measure_type(b, body, "multigrid", 4, iterated, &s));
  PetscCall(VecDestroy(&s.rhs));
  PetscCall(VecDestroy(&s.x));
  PetscCall(MatDestroy(&s.A));
  PetscCall(wring_options_destroy(&s.o));
  PetscFunctionReturn(PETSC_SUCCESS);
}
