/*
  Choices made for the user: the type for `operator.type: auto`, the kind of factor, and the tolerance for rtol 0.
  `auto` selects the type whose set-up and expected solves take less time on a tetrahedral mesh with n vertices.

  The models give seconds on one thread, see docs/performance.md. Those of the packed factor and of multigrid are fitted
  to boxes of 2,000 to 200,000 vertices. MUMPS was measured beside them in one process on one rank, by CPU time, on
  boxes of 2,197 to 68,921 vertices: its solve takes 23e-9 to 26e-9 n^(4/3) on each, its set-up takes 0.86 times that of
  the packed factor, and it is exact at any tolerance. On two ranks a solve takes each rank 0.9 of its time on one rank,
  so that more ranks do not change the order.

  On several nodes each has the packed factor, whose solve gathers b, in log2(ranks) messages one after another of 20 us
  and 1 ns a byte; the ranks of a node share the rest of it. MUMPS took 52 ms a solve for 1,097 vertices on four hosts,
  which is added there for any mesh. Multigrid's work is shared by all ranks, and an iteration waits 4 + log2(ranks)
  times for 20 us.

    packed factor   set-up (20e-6 + 0.23e-9 n) n,   a solve 7e-9 n^(4/3) times what refinement adds
    MUMPS           set-up (17e-6 + 0.20e-9 n) n,   a solve 25e-9 n^(4/3)
    multigrid       set-up 8.4e-6 n,                a solve 80e-9 n (1 + 1.8 digits), a rough one 100e-9 n

  A rough solve by one V-cycle takes 65e-9 n; the rest is the price of iterations of qn that it adds, a quarter in the
  mean of unstructured meshes.
*/
#include "operator_impl.h"
#include <float.h>
#include <math.h>
#include <stdio.h>

/*
  Above this number of vertices a factor costs more memory and set-up time than it saves: at 2e5 vertices CHOLMOD takes
  14 s and 1.3 GB, MUMPS on two ranks 1.7 GB, multigrid 1.7 s and 0.08 GB.
*/
enum { DIRECT_LIMIT = 100000 };

enum { SMALL = 5000 }; // vertices: at most a tenth of a second is lost, and a factor works for every A

/* ---- tolerances -------------------------------------------------------------------------------------------------- */

static const double rough      = 1e-1; // what quasi-Newton methods need, docs/performance.md
static const double correction = 0.2;  // two iterations: admm takes as many iterations as with exact solves

double wring_operator_rtol(const wring_operator_settings *set, double rtol, PetscBool approximates, PetscBool exact)
{
  const PetscBool direct = (PetscBool)(set->type == OPERATOR_DIRECT);
  if (rtol > 0) return rtol;
  if (rtol == WRING_OPERATOR_ROUGH && !set->rtol_given) return direct ? 0 : approximates ? WRING_OPERATOR_ROUGH : rough;
  if (rtol != WRING_OPERATOR_ROUGH && exact) return 0;
  return rtol == WRING_OPERATOR_CORRECTION && !set->rtol_given ? correction : set->rtol;
}

PetscBool wring_operator_is_exact(const wring_operator_settings *set, PetscInt n_vertex)
{
  return (PetscBool)(!set->rtol_given && (set->type == OPERATOR_DIRECT || n_vertex <= SMALL));
}

void wring_operator_describe_rtol(const wring_operator *op, PetscInt n_vertex, size_t size, char *text)
{
  const operator_type type   = wring_operator_find_type(op, n_vertex);
  const PetscBool     direct = (PetscBool)(type == OPERATOR_DIRECT), given = op->set.rtol_given;
  const double        rtol = wring_operator_rtol(&op->set, op->set.use.rtol, (PetscBool)(type == OPERATOR_MULTIGRID),
                                                 (PetscBool)(direct && wring_operator_is_exact(&op->set, n_vertex)));
  snprintf(text, size, "%.3g", rtol);
  if (rtol == 0) snprintf(text, size, "0 (exact)");
  if (rtol == WRING_OPERATOR_ROUGH) snprintf(text, size, "of one V-cycle");
  if (rtol == rough && direct && !given) snprintf(text, size, "of single precision");
}

/* ---- the factor -------------------------------------------------------------------------------------------------- */

/*
  One factor for all ranks of a node solves in a quarter of MUMPS's time (two ranks, 24,000 vertices), but its set-up is
  serial. Several nodes have one each.
*/
PetscBool wring_operator_shares_factor(const wring_operator *op, PetscInt n_vertex)
{
  if (op->set.n_rank == 1) return PETSC_TRUE;
  return (PetscBool)(op->set.factor == FACTOR_SHARED || (op->set.factor == FACTOR_AUTO && n_vertex <= DIRECT_LIMIT));
}

/* ---- the type ---------------------------------------------------------------------------------------------------- */

static const double wait = 20e-6, byte = 1e-9; // between nodes [s]

/* Single precision gains six digits; each refinement sweep, which includes a product with A, gains six more. */
static double seconds_packed(const wring_operator_settings *set, double n, double digits, double solves)
{
  const double refine = ceil(fmax(digits - 6, 0) / 6), solve = 7e-9 * pow(n, 4. / 3) * (1 + 0.6 * refine);
  const double gather = ceil(log2((double)set->n_rank)) * wait + 24 * n * byte;
  return (20e-6 + 0.23e-9 * n) * n + solves * (set->hosts.n > 1 ? solve / set->hosts.first + gather : solve);
}

static double seconds_mumps(const wring_operator_settings *set, double n, double solves)
{
  const double waits = set->hosts.n > 1 ? 52e-3 : 0;
  return (17e-6 + 0.2e-9 * n) * n + solves * (25e-9 * pow(n, 4. / 3) + waits);
}

static double seconds_multigrid(const wring_operator_settings *set, double n, double digits, double solves)
{
  const PetscBool cycle      = (PetscBool)(set->use.rtol == WRING_OPERATOR_ROUGH && !set->rtol_given);
  const double    ranks      = set->hosts.n > 1 ? set->n_rank : 1;
  const double    iterations = cycle ? 1 : 1 + 1.8 * digits, price = cycle ? 100e-9 : 80e-9;
  const double    waits = set->hosts.n > 1 ? (4 + ceil(log2(ranks))) * wait : 0;
  return 8.4e-6 * n / ranks + solves * iterations * (price * n / ranks + waits);
}

void wring_operator_estimate(const wring_operator *op, PetscInt n_vertex, wring_operator_seconds *s)
{
  const wring_operator_settings *const set = &op->set;
  const double                         n = (double)n_vertex, solves = (double)set->use.solves;
  const double                         rtol   = wring_operator_rtol(set, set->use.rtol, PETSC_FALSE, PETSC_FALSE);
  const double                         digits = -log10(PetscMax(rtol, DBL_EPSILON)); // 0: exact
  s->shared                                   = seconds_packed(set, n, digits, solves);
  s->distributed                              = seconds_mumps(set, n, solves);
  s->multigrid                                = seconds_multigrid(set, n, digits, solves);
}

operator_type wring_operator_find_type(const wring_operator *op, PetscInt n_vertex)
{
  wring_operator_seconds s;
  if (op->set.type != OPERATOR_AUTO) return op->set.type;
  if (n_vertex > DIRECT_LIMIT) return OPERATOR_MULTIGRID;
  if (n_vertex <= SMALL) return OPERATOR_DIRECT;
  wring_operator_estimate(op, n_vertex, &s);
  const double factor = wring_operator_shares_factor(op, n_vertex) ? s.shared : s.distributed;
  return factor <= s.multigrid ? OPERATOR_DIRECT : OPERATOR_MULTIGRID;
}

const char *wring_operator_choice(const wring_operator *op, PetscInt n_vertex)
{
  static const char *const name[] = {"auto", "direct", "multigrid", "petsc"};
  return name[wring_operator_find_type(op, n_vertex)];
}

void wring_operator_expect(wring_operator *op, const wring_operator_use *use)
{
  op->set.use = *use;
}
