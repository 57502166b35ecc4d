/*
  What `operator.type: auto` stands for: the type whose set-up and expected solves take less time on a mesh of tets with
  n vertices. Seconds of one thread, fitted to boxes of 2,000 to 200,000 vertices, docs/performance.md; threads and
  ranks speed up both types.

    factor      set-up (20e-6 + 0.23e-9 n) n,   a solve 7e-9 n^(4/3) times what refinement adds
    multigrid   set-up 8.4e-6 n,                a solve 80e-9 n (1 + 1.8 digits)
*/
#include "operator_impl.h"
#include <math.h>
#include <string.h>

/*
  Above this many vertices a factor costs more memory and set-up than it saves: at 2e5 vertices CHOLMOD takes 14 s and
  1.3 GB, MUMPS on two ranks 1.7 GB, multigrid 1.7 s and 0.08 GB.
*/
const PetscInt wring_operator_direct_limit = 100000;

enum { SMALL = 5000 }; // vertices: there is no tenth of a second to be gained, and a factor works for every A

PetscBool wring_operator_is_exact(const wring_operator *op, PetscInt n_vertex)
{
  return (PetscBool)(!op->rtol_given && (!strcmp(op->type, "direct") || n_vertex <= SMALL));
}

/* Decimal digits that a solve gains with `auto`. */
static double digits_of(const wring_operator *op)
{
  return -log10(op->use.rough ? wring_operator_rough_rtol(op) : op->rtol);
}

/* Single precision leaves 1e-6; every sweep of refinement, which has a product with A too, gains six digits. */
static double seconds_direct(double n, double digits, double solves)
{
  const double refine = ceil(fmax(digits - 6, 0) / 6);
  return (20e-6 + 0.23e-9 * n) * n + solves * 7e-9 * pow(n, 4. / 3) * (1 + 0.6 * refine);
}

static double seconds_multigrid(double n, double digits, double solves)
{
  return 8.4e-6 * n + solves * 80e-9 * n * (1 + 1.8 * digits);
}

const char *wring_operator_choice(const wring_operator *op, PetscInt n_vertex)
{
  const double n = (double)n_vertex, digits = digits_of(op), solves = (double)op->use.solves;
  if (strcmp(op->type, "auto")) return op->type;
  if (n_vertex > wring_operator_direct_limit) return "multigrid";
  if (n_vertex <= SMALL) return "direct";
  return seconds_direct(n, digits, solves) <= seconds_multigrid(n, digits, solves) ? "direct" : "multigrid";
}

void wring_operator_expect(wring_operator *op, const wring_operator_use *use)
{
  op->use = *use;
}
