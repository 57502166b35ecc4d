/* The command: keys, output directory, the triad, and the parts in their order. */
#include "bench.h"
#include "base/text.h"
#include "output/output.h"
#include "study/common/provenance.h"
#include "io/print.h"
#include <math.h>
#include <string.h>
#include <wring/study.h>

const wring_option wring_bench_options[] = {
  {"tets", WRING_INT, .range = "[1,1000000000]", .value = "126000", .at = WRING_AT(wring_bench, tets),
   .help = "Approximate number of tetrahedra of the box, six in each of its cubic cells."},
  {"order", WRING_INT, .range = "[1,2]", .value = "1", .at = WRING_AT(wring_bench, order),
   .help = "Order of the tetrahedra: with four or ten vertices, and one or four quadrature points."},
  {"parts", WRING_WORDS, .value = "laws,exchange,operator,solvers", .choices = "laws|exchange|operator|solvers",
   .help = "Parts to measure besides the bandwidth: some of laws, exchange, operator and solvers."},
  {"materials", WRING_WORDS, .value = "neohookean,strain,stable_neohookean",
   .help = "Materials on which each solver that can use them is measured; the first one defines the operator."},
  {"time_step", WRING_REAL, .unit = "s", .range = "(0,inf)", .value = "0.0333", .at = WRING_AT(wring_bench, h),
   .help = "Size of the implicit step whose operator and iterations are measured."},
  {"budget", WRING_REAL, .unit = "s", .range = "(0,inf)", .value = "0.4", .at = WRING_AT(wring_bench, budget),
   .help = "Time for the repetitions of each measurement, which reports their median; solvers take twice as long."},
  {0},
};

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* The keys of a run that this command reads: those of methods and operator, output.directory and time.limit. */
static PetscErrorCode check_keys(const wring_options *o)
{
  const wring_option output[] = {*wring_option_find(wring_output_options, "directory"), {0}};
  const wring_option limit[]  = {*wring_option_find(wring_time_options, "limit"), {0}};
  wring_catalogue   *c;
  wring_schema      *read; // of c, and two
  PetscInt           n = 0;

  PetscFunctionBegin;
  PetscCall(wring_keys_create(&c));
  PetscCall(PetscMalloc1(c->n + 2, &read));
  for (PetscInt i = 0; i < c->n; i++) {
    const wring_schema s      = c->entry[i];
    const PetscBool    method = (PetscBool)(strncmp(s.owner, "solver ", 7) == 0 && !strchr(s.prefix, '*'));
    if (method || strcmp(s.owner, "bench") == 0 || strcmp(s.owner, "plugin") == 0 || strcmp(s.owner, "operator") == 0)
      read[n++] = s;
  }
  read[n++] = (wring_schema){.prefix = "output_", .options = output, .owner = "output"};
  read[n++] = (wring_schema){.prefix = "time_", .options = limit, .owner = "time"};
  PetscCall(wring_options_check(o, n, read, NULL));
  PetscCall(PetscFree(read));
  PetscCall(wring_catalogue_destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The laws are their own list of choices. */
static PetscErrorCode check_materials(const wring_bench *b)
{
  char expected[512] = "";

  PetscFunctionBegin;
  for (int i = 0; wring_law_material(i); i++) wring_text_list(expected, sizeof expected, wring_law_material(i)->name);
  for (PetscInt i = 0; i < b->n_material; i++)
    if (!wring_law_find(b->material[i]))
      WRING_REFUSE(b->comm, "%s: bench_materials has '%s', expected some of %s",
                   wring_options_origin(b->o, "bench_", "materials"), b->material[i], expected);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a part is to be measured: not once the bench is stopped. */
static PetscBool has_part(const wring_bench *b, const char *name)
{
  for (PetscInt i = 0; i < b->n_part && !b->stopper.cause; i++)
    if (wring_ascii_compare(b->part[i], name) == 0) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscErrorCode get_options(wring_bench *b)
{
  const wring_option *const table = wring_bench_options;

  PetscFunctionBegin;
  PetscCall(check_keys(b->o));
  PetscCall(wring_output_read(b->o, &b->output));
  PetscCall(wring_options_read(b->o, "bench_", table, b));
  PetscCall(wring_options_get_word_list(b->o, "bench_", table, "parts", &b->n_part, &b->part));
  PetscCall(wring_options_get_word_list(b->o, "bench_", table, "materials", &b->n_material, &b->material));
  PetscCall(check_materials(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the triad --------------------------------------------------------------------------------------------------- */

/*
  w = a x + y of STREAM [McCalpin 1995], 24 bytes an element: by one thread and by all threads of rank 0 while the
  others wait, and by all ranks at once.
*/
typedef struct {
  PetscInt n;
  double  *x, *y, *w;
} triad;

static PetscErrorCode run_triad(void *context)
{
  triad *const t = context;

  PetscFunctionBegin;
  if (t->n > 0) wring_waxpy(t->n, 3, t->x, t->y, t->w);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n elements of this rank; pages lie where the threads that write them first are. Bytes per second of all ranks. */
static PetscErrorCode measure_triad(const wring_bench *b, PetscInt n, double *rate)
{
  triad                  t    = {.n = n};
  const wring_bench_work work = {.run = run_triad, .context = &t};
  wring_bench_row        row;
  double                 sum = (double)n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3((size_t)n, &t.x, (size_t)n, &t.y, (size_t)n, &t.w));
  wring_fill(n, 1, t.x);
  wring_fill(n, 2, t.y);
  wring_fill(n, 0, t.w);
  PetscCall(wring_bench_time(b, &work, 2 * b->budget, &row));
  PetscCall(PetscFree3(t.x, t.y, t.w));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, b->comm));
  *rate = 3 * sizeof(double) * sum / row.seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cores that this program does not use may share the last cache: arrays have four times its size on a node. */
static PetscErrorCode measure_bandwidth(wring_bench *b)
{
  static const char *const what[] = {"1 thread", "all threads of a rank", "all ranks"};
  static const double      least = 192e6, most = 512e6, least_together = 12e6; // bytes of all three
  const int                threads = wring_max_threads();
  wring_cores              cores;
  PetscBool                due;

  PetscFunctionBegin;
  PetscCall(wring_cores_measure(b->comm, &cores));
  b->cache             = wring_last_cache();
  const double   bytes = fmin(most, fmax(least, 4 * b->cache));
  const PetscInt alone = b->output.rank == 0 ? (PetscInt)(bytes / 24) : 0;
  const PetscInt n[]   = {alone, alone, (PetscInt)(fmax(bytes / cores.node_ranks, least_together) / 24)};
  b->array             = floor(bytes / 3);
  for (int i = 0; i < 3; i++) {
    PetscCall(wring_bench_begin_row(b, "triad", what[i], &due));
    if (!due) break;
    wring_set_threads(i == 0 ? 1 : threads);
    PetscCall(measure_triad(b, n[i], &b->triad[i]));
  }
  wring_set_threads(threads);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static PetscErrorCode measure(wring_bench *b)
{
  wring_bench_body body = {.o = NULL};

  PetscFunctionBegin;
  PetscCall(measure_bandwidth(b));
  if (!b->stopper.cause) PetscCall(wring_bench_body_create(b, b->material[0], b->tets, &body));
  if (has_part(b, "laws")) PetscCall(wring_bench_laws(b, &body));
  if (has_part(b, "exchange")) PetscCall(wring_bench_exchange(b, &body));
  if (has_part(b, "operator")) PetscCall(wring_bench_operator(b, &body));
  if (has_part(b, "solvers")) PetscCall(wring_bench_solvers(b));
  if (has_part(b, "solvers")) PetscCall(wring_bench_merit(b, &body));
  PetscCall(wring_bench_write(b, &body));
  wring_bench_print(b, &body);
  PetscCall(wring_bench_body_destroy(&body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_bench(MPI_Comm comm, const wring_options *o, wring_ending *end)
{
  static const char *const files[] = {"bench.json", "bench.csv", NULL};
  const int                threads = wring_max_threads(), size = wring_comm_size(comm);
  wring_bench              b = {.comm = comm, .o = o, .start = MPI_Wtime(), .triad = {NAN, NAN, NAN}, .merit = NAN};
  char                     line[512];

  PetscFunctionBegin;
  PetscCall(get_options(&b));
  PetscCall(wring_stopper_start(o, &b.stopper));
  PetscCall(wring_directory_renew(&b.output, files)); // measurements may take hours
  PetscCall(PetscSNPrintf(b.spline, sizeof b.spline, "%s/bench_spline.csv", b.output.directory));
  b.skips = json_array();
  wring_version_line(sizeof line, line);
  wring_print(comm, "%s\n%d rank%s x %d thread%s, vectors of %d bits\n", line, size, size == 1 ? "" : "s", threads,
              threads == 1 ? "" : "s", wring_vector_bits());
  PetscCall(wring_core_watch_start(comm, &b.watch));
  PetscCall(measure(&b));
  PetscCall(wring_operator_note_unused(comm));
  PetscCall(wring_words_destroy(b.n_part, &b.part));
  PetscCall(wring_words_destroy(b.n_material, &b.material));
  PetscCall(PetscFree(b.row));
  json_decref(b.skips);
  end->status = b.stopper.cause ? WRING_EXIT_STOPPED : WRING_EXIT_DONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
