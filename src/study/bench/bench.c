/* The command: keys, output directory, and the parts in their order. */
#include "bench.h"
#include "study/common/output_directory.h"
#include "io/file.h"
#include "study/record/provenance.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wring/study.h>

const wring_option wring_bench_options[] = {
  {.key   = "tets",
   .type  = WRING_INT,
   .range = "[1,1000000000]",
   .value = "126000",
   .help  = "Approximate number of tetrahedra of the box, six in each of its cubic cells."},
  {.key   = "order",
   .type  = WRING_INT,
   .range = "[1,2]",
   .value = "1",
   .help  = "Order of the tetrahedra: with four or ten vertices, and one or four quadrature points."},
  {.key   = "parts",
   .type  = WRING_WORDS,
   .value = "laws,exchange,operator,solvers",
   .help  = "Parts to measure besides the bandwidth: some of laws, exchange, operator and solvers."},
  {.key   = "materials",
   .type  = WRING_WORDS,
   .value = "neohookean,strain,stable_neohookean",
   .help  = "Materials on which each solver that can use them is measured; the first one defines the operator."},
  {.key   = "time_step",
   .type  = WRING_REAL,
   .unit  = "s",
   .range = "(0,inf)",
   .value = "0.0333",
   .help  = "Size of the implicit step whose operator and iterations are measured."},
  {.key   = "budget",
   .type  = WRING_REAL,
   .unit  = "s",
   .range = "(0,inf)",
   .value = "0.4",
   .help  = "Time for the repetitions of each measurement, which reports their median; solvers take twice as long."},
  {0},
};

/* ---- keys -------------------------------------------------------------------------------------------------------- */

/* The keys of a run that this command reads: those of methods and operator, output.directory and time.limit. */
static PetscErrorCode check_keys(const wring_options *o)
{
  const wring_option output[] = {*wring_option_find(wring_output_options, "directory"), {.key = NULL}};
  const wring_option limit[]  = {*wring_option_find(wring_time_options, "limit"), {.key = NULL}};
  wring_catalogue   *c;
  wring_schema      *kept;
  PetscInt           n = 0;

  PetscFunctionBegin;
  PetscCall(wring_keys_create(&c));
  PetscCall(PetscMalloc1(c->n + 2, &kept));
  for (PetscInt i = 0; i < c->n; i++) {
    const wring_schema *const s      = &c->entry[i];
    const PetscBool           method = (PetscBool)(strncmp(s->owner, "solver ", 7) == 0 && !strchr(s->prefix, '*'));
    if (method || strcmp(s->owner, "bench") == 0 || strcmp(s->owner, "operator") == 0) kept[n++] = *s;
  }
  kept[n++] = (wring_schema){"output_", output, "output"};
  kept[n++] = (wring_schema){"time_", limit, "time"};
  PetscCall(wring_options_check(o, n, kept, NULL));
  PetscCall(PetscFree(kept));
  PetscCall(wring_catalogue_destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const parts[] = {"laws", "exchange", "operator", "solvers"};
enum { N_PARTS = sizeof parts / sizeof parts[0] };

/* Whether a part is to be measured: not once the bench is stopped. */
static PetscBool has_part(const wring_bench *b, const char *name)
{
  if (b->stopper.cause) return PETSC_FALSE;
  for (PetscInt i = 0; i < b->n_part; i++) {
    if (wring_ascii_compare(b->part[i], name) == 0) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

static PetscErrorCode check_parts(const wring_bench *b)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < b->n_part; i++) {
    PetscBool known = PETSC_FALSE;
    for (int k = 0; k < N_PARTS; k++) known = (PetscBool)(known || wring_ascii_compare(b->part[i], parts[k]) == 0);
    if (!known)
      WRING_REFUSE(b->comm, "%s: bench_parts has '%s', expected some of laws, exchange, operator, solvers",
                   wring_options_origin(b->o, "bench_", "parts"), b->part[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_materials(const wring_bench *b)
{
  char known[512] = "";

  PetscFunctionBegin;
  for (int i = 0; wring_law_material(i); i++) {
    const size_t end = strlen(known);
    snprintf(known + end, sizeof known - end, "%s%s", i ? ", " : "", wring_law_material(i)->name);
  }
  for (PetscInt i = 0; i < b->n_material; i++) {
    if (!wring_law_find(b->material[i]))
      WRING_REFUSE(b->comm, "%s: bench_materials has '%s', expected some of %s",
                   wring_options_origin(b->o, "bench_", "materials"), b->material[i], known);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode get_options(wring_bench *b)
{
  const wring_option *const table = wring_bench_options;

  PetscFunctionBegin;
  PetscCall(check_keys(b->o));
  PetscCall(wring_options_get_int(b->o, "bench_", table, "tets", &b->tets));
  PetscCall(wring_options_get_int(b->o, "bench_", table, "order", &b->order));
  PetscCall(wring_options_get_real(b->o, "bench_", table, "time_step", &b->h));
  PetscCall(wring_options_get_real(b->o, "bench_", table, "budget", &b->budget));
  PetscCall(wring_options_get_word_list(b->o, "bench_", table, "parts", &b->n_part, &b->part));
  PetscCall(wring_options_get_word_list(b->o, "bench_", table, "materials", &b->n_material, &b->material));
  PetscCall(check_parts(b));
  PetscCall(check_materials(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Files of an earlier bench are removed before the measurements, which may take hours. */
static PetscErrorCode open_directory(wring_bench *b)
{
  wring_error error = {""};

  PetscFunctionBegin;
  PetscCall(wring_directory_make(b->o, sizeof b->directory, b->directory));
  PetscCall(PetscSNPrintf(b->spline, sizeof b->spline, "%s/bench_spline.csv", b->directory));
  if (b->rank == 0) {
    wring_directory_remove_file(b->directory, "bench.json", &error);
    wring_directory_remove_file(b->directory, "bench.csv", &error);
  }
  PetscCall(wring_error_raise_output(b->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static PetscErrorCode print_head(const wring_bench *b)
{
  const int threads = wring_max_threads();
  char      line[512];

  PetscFunctionBegin;
  PetscCall(wring_version_line(sizeof line, line));
  PetscCall(PetscPrintf(b->comm, "%s\n%d rank%s x %d thread%s, vectors of %d bits\n", line, (int)b->size,
                        b->size == 1 ? "" : "s", threads, threads == 1 ? "" : "s", wring_vector_bits()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(wring_bench *b)
{
  wring_bench_body body = {.o = NULL};

  PetscFunctionBegin;
  PetscCall(wring_bench_bandwidth(b));
  if (!b->stopper.cause) PetscCall(wring_bench_body_create(b, b->material[0], b->tets, &body));
  if (has_part(b, "laws")) PetscCall(wring_bench_laws(b, &body));
  if (has_part(b, "exchange")) PetscCall(wring_bench_exchange(b, &body));
  if (has_part(b, "operator")) PetscCall(wring_bench_operator(b, &body));
  if (has_part(b, "solvers")) PetscCall(wring_bench_solvers(b));
  PetscCall(wring_bench_write(b, &body));
  PetscCall(wring_bench_print(b, &body));
  PetscCall(wring_bench_body_destroy(&body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_bench(MPI_Comm comm, const wring_options *o, wring_ending *end)
{
  wring_bench b = {.comm = comm, .o = o, .start = MPI_Wtime(), .triad = {NAN, NAN, NAN}};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &b.rank));
  PetscCallMPI(MPI_Comm_size(comm, &b.size));
  PetscCall(get_options(&b));
  PetscCall(wring_stopper_start(o, &b.stopper));
  PetscCall(open_directory(&b));
  PetscCall(print_head(&b));
  PetscCall(measure(&b));
  PetscCall(wring_operator_note_unused(comm));
  PetscCall(wring_words_destroy(b.n_part, &b.part));
  PetscCall(wring_words_destroy(b.n_material, &b.material));
  PetscCall(PetscFree(b.row));
  PetscCall(PetscFree(b.skip));
  end->status = b.stopper.cause ? WRING_EXIT_STOPPED : WRING_EXIT_DONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
