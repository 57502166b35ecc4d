/*
  The x_0 of a load step: q; q moved on as in the last load step; or q with the motion of the held vertices continued to
  the free ones by the operator, so that prescribed displacements do not fall on the elements next to them alone. The
  third one is omitted where the second brings the held vertices to their places. The best inverts fewest tets, and then
  has the lowest g. docs/theory.md 6.2
*/
#include "operator/judge.h"
#include "step_impl.h"

enum { LAST, MOVED, CONTINUED, N_CANDIDATE };
enum { MAX_IT = 300 };

static const double rtol     = 1e-3;  // of the continuation, which is a guess
static const double rounding = 1e-14; // of the largest coordinate: vertices that are already in place

/* d = A^{-1} r, by conjugate gradients; *usable is cleared if a component cannot be used, however short it fell. */
static PetscErrorCode solve(const wring_stepper *s, const Mat A[3], Vec r, Vec d, PetscBool *usable)
{
  wring_phases *const phases = wring_potential_phases(s->g);
  PetscInt64          n, most = 0; // products of a component
  wring_solve_end     end;
  Vec                 in, out;
  KSP                 ksp;
  PC                  pc;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A[0], &out, &in));
  PetscCall(KSPCreate(wring_potential_mesh(s->g)->comm, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetTolerances(ksp, rtol, PETSC_DEFAULT, PETSC_DEFAULT, MAX_IT));
  for (int c = 0; c < 3; c++) {
    PetscCall(VecStrideGather(r, c, in, INSERT_VALUES));
    PetscCall(KSPSetOperators(ksp, A[c], A[c]));
    PetscCall(KSPSolve(ksp, in, out));
    PetscCall(wring_solve_count(ksp, phases, &n));
    PetscCall(wring_solve_judge(ksp, "time", &end));
    most    = PetscMax(most, n);
    *usable = (PetscBool)(*usable && end != WRING_SOLVE_SINGULAR && end != WRING_SOLVE_NOT_FINITE);
    PetscCall(VecStrideScatter(out, c, d, INSERT_VALUES));
  }
  wring_count(phases, WRING_WORK_LINEAR_SOLVES, 1);
  wring_count(phases, WRING_WORK_PRODUCTS, most);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&in));
  PetscCall(VecDestroy(&out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* d = the way of the held vertices from x to their places; *moves: it is more than rounding. */
static PetscErrorCode find_way(const wring_stepper *s, Vec x, Vec d, PetscBool *moves)
{
  PetscReal length, size;

  PetscFunctionBegin;
  PetscCall(VecCopy(x, d));
  PetscCall(wring_potential_place(s->g, d));
  PetscCall(VecNorm(d, NORM_INFINITY, &size));
  PetscCall(VecAXPY(d, -1, x));
  PetscCall(VecNorm(d, NORM_INFINITY, &length));
  wring_count(wring_potential_phases(s->g), WRING_WORK_REDUCTIONS, 2);
  *moves = (PetscBool)(length > rounding * size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x += A^{-1} (-L d), (6.15), at free vertices, with d the way of the held ones; overwrites d. */
static PetscErrorCode continue_motion(const wring_stepper *s, Vec d, Vec x, PetscBool *usable)
{
  Mat A[3] = {NULL, NULL, NULL};
  Vec r;

  PetscFunctionBegin;
  *usable = PETSC_TRUE;
  PetscCall(VecDuplicate(x, &r));
  PetscCall(wring_potential_continue(s->g, d, r, A));
  PetscCall(solve(s, A, r, d, usable));
  PetscCall(VecAXPY(x, 1, d));
  PetscCall(wring_matrices_destroy(A));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x = q, or q moved on. */
static PetscErrorCode move(const wring_stepper *s, const wring_state *state, PetscBool on, Vec x)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(state->q, x));
  if (on) PetscCall(VecAXPY(x, s->part.end - state->time, s->memory[WRING_STATIC_MOTION]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether q moved on is the best candidate so far, inverts no tets, and was not stopped by contacts. */
static PetscBool goes_on(const start_merit *best)
{
  return (PetscBool)(best->candidate == MOVED && best->finite && best->placed && best->newly == 0);
}

/* *is_new: the held vertices move, and q moved on, where it goes_on, does not bring them to their places. */
static PetscErrorCode form_continued(const wring_stepper *s, const wring_state *state, const start_merit *best, Vec x,
                                     PetscBool *is_new)
{
  Vec d;

  PetscFunctionBegin;
  *is_new = (PetscBool)(wring_potential_held(s->g) > 0);
  if (!*is_new) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecDuplicate(x, &d));
  for (int on = goes_on(best); on >= 0 && *is_new; on--) { // x = q at the end
    PetscCall(move(s, state, (PetscBool)on, x));
    PetscCall(find_way(s, x, d, is_new));
  }
  if (*is_new) PetscCall(continue_motion(s, d, x, is_new));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode form(const wring_stepper *s, const wring_state *state, int candidate, const start_merit *best,
                           Vec x, PetscBool *is_new)
{
  PetscFunctionBegin;
  *is_new = (PetscBool)(candidate == LAST || s->known);
  if (candidate == CONTINUED)
    PetscCall(form_continued(s, state, best, x, is_new));
  else if (*is_new)
    PetscCall(move(s, state, (PetscBool)(candidate == MOVED), x));
  if (*is_new) PetscCall(wring_potential_place(s->g, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_step_start_part(wring_stepper *s, const wring_state *state, Vec x, start_merit *m)
{
  const int n = s->start_rule == WRING_START_AUTO ? N_CANDIDATE : 1;

  PetscFunctionBegin;
  PetscCall(wring_step_take_best(s, state, n, form, x, m));
  PetscFunctionReturn(PETSC_SUCCESS);
}
