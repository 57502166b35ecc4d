#define _POSIX_C_SOURCE 200809L
/* wring check: what a run of this deck would do, and how much memory it would take on every rank; no step is made. */
#include "study/common/command_keys.h"
#include "study/compare/comparison.h"
#include "output/frames/frames.h"
#include "output/header.h"
#include "output/output.h"
#include "io/json.h"
#include "io/print.h"
#include "smaller.h"
#include "study/common/provenance.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <wring/sanity.h>
#include <wring/study.h>

enum { PROGRAM, MESH, METHOD, MATRICES, SOLVES, OUTPUT, PEAK, LATER, N_PART };

typedef struct {
  wring_problem *p;
  wring_solver  *solver; // NULL: the integrator advances without one
  wring_sanity  *sanity;
  wring_output   output;
  wring_frames   frames;
  Vec            x; // x_0
  Mat            A[3];
  double         bytes[N_PART]; // of this rank
  double         steep;         // bytes of factors of this rank
  wring_smaller  smaller;
  PetscInt       ranks;                        // of the run
  double         all[N_PART], largest[N_PART]; // bytes of that run, of all ranks and of the largest
  double         finest;                       // bytes of all ranks at the finest level of converge, 0: none
  const char    *file;                         // for JSON, "-": standard output; NULL: none
} check;

const wring_option wring_check_options[] = {
  {"json", WRING_WORD, .at = WRING_AT(check, file),
   .help = "File for all that is found, in JSON; - prints it, and nothing else. --json: the same."},
  {"ranks", WRING_INT, .range = "[0,inf)", .value = "0", .at = WRING_AT(check, ranks),
   .help = "Ranks of a run whose memory is estimated, 0: those of this command."},
  {0},
};

/* Code and buffers of libraries that only a run brings into memory, bytes: measured. */
static const double later = 6e6;

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* The solver, which may refuse a law. Its arrays count before they are written to. */
static PetscErrorCode create_solver(check *c)
{
  wring_problem *const p      = c->p;
  const double         before = wring_set_aside_memory();

  PetscFunctionBegin;
  if (!wring_stepper_minimises(p->stepper)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_create(p->comm, p->g, p->op, &p->phases, &c->solver));
  PetscCall(wring_solver_set_from_options(c->solver, p->options, NULL));
  PetscCall(wring_solver_set_up(c->solver));
  wring_solver_expect_solves(c->solver, wring_stepper_steps(p->stepper));
  c->bytes[METHOD] = wring_set_aside_memory() - before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Bytes that solves with A keep. A symbolic analysis gives the size of a factor. The size of a hierarchy is not known
  before it is built, so it is built here, and the peak of this process includes what that needs temporarily.
*/
static PetscErrorCode measure_operator(check *c, double *bytes)
{
  wring_operator *const op     = c->p->op;
  const double          before = wring_set_aside_memory();

  PetscFunctionBegin;
  if (strcmp(wring_operator_choice(op, c->p->mesh->number.n_global), "multigrid") != 0) {
    PetscCall(wring_operator_predict(op, c->A, bytes));
    c->steep = *bytes;
  } else {
    PetscCall(wring_operator_set_matrices(op, c->A));
    *bytes = wring_set_aside_memory() - before;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrices of the first step, which stay, and what solves with them take. */
static PetscErrorCode predict_solves(check *c)
{
  wring_problem *const p      = c->p;
  const double         factor = c->solver ? wring_solver_operator_factor(c->solver) : 0;
  const double         before = wring_set_aside_memory();
  double               own, shared = 0;

  PetscFunctionBegin;
  if (factor > 0) PetscCall(wring_potential_operator_matrices(p->g, factor, c->A));
  c->bytes[MATRICES] = wring_set_aside_memory() - before;
  if (factor > 0) PetscCall(measure_operator(c, &shared));
  const double between = wring_set_aside_memory();
  if (c->solver)
    PetscCall(wring_solver_predict(c->solver, c->x, &own));
  else
    PetscCall(wring_stepper_predict(p->stepper, &p->state, &own));
  c->bytes[MATRICES] += wring_set_aside_memory() - between;
  c->bytes[SOLVES] = shared + own;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const part_name[] = {
  "program and libraries", "mesh and terms", "vectors of the solver", "matrices",
  "factor or hierarchy",   "frames",         "peak of a run",         "more, if auto builds a Hessian"};

/*
  Fills all and largest: bytes of a run of the deck on the ranks that are asked for, from those that the body that was
  built takes on these. What more ranks add is only in the peak.
*/
static PetscErrorCode predict(check *c, double growth)
{
  const double    size = c->p->size, ranks = (double)c->ranks, n = (double)c->p->mesh->number.n_global;
  const double    steep = pow(growth, 4. / 3);
  const PetscBool other = (PetscBool)(growth > 1 || c->ranks != c->p->size);
  const double    more  = wring_smaller_ranks(n * growth, (int)c->ranks) - growth * wring_smaller_ranks(n, (int)size);
  double          sum[N_PART], of_factors, parts = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(c->bytes, sum, N_PART, MPI_DOUBLE, MPI_SUM, c->p->comm));
  PetscCallMPI(MPI_Allreduce(c->bytes, c->largest, N_PART, MPI_DOUBLE, MPI_MAX, c->p->comm));
  PetscCallMPI(MPI_Allreduce(&c->steep, &of_factors, 1, MPI_DOUBLE, MPI_SUM, c->p->comm));
  for (int i = 0; i < N_PART; i++) {
    const double uneven = sum[i] > 0 ? c->largest[i] * size / sum[i] : 1, least = parts;
    c->all[i] = i == PROGRAM ? sum[i] / size * ranks : growth * sum[i];
    if (i == SOLVES) c->all[i] += (steep - growth) * of_factors;
    if (i == LATER && of_factors > 0) c->all[i] *= steep / growth;
    if (i == PEAK) c->all[i] = PetscMax(least, c->all[PROGRAM] + growth * (sum[i] - sum[PROGRAM]));
    if (i == PEAK && other) c->all[i] += PetscMax(0, more);
    parts += c->all[i];
    c->largest[i] = c->all[i] / ranks * uneven;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of converge in space, whose levels are refined. */
static PetscErrorCode predict_finest(check *c)
{
  const wring_options *const o      = c->p->options;
  PetscInt                   levels = 1;

  PetscFunctionBegin;
  if (!wring_options_has_any(o, "converge_", wring_converge_options)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_get_int(o, "converge_", wring_converge_options, "levels", &levels));
  const char *const in = wring_options_text(o, "converge_", wring_option_find(wring_converge_options, "in"));
  if (in && wring_ascii_compare(in, "time") == 0) levels = 1;
  PetscCall(predict(c, c->smaller.growth * pow(8, (double)(levels - 1))));
  c->finest = c->all[PEAK];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void print_memory(const check *c)
{
  wring_text_table t;
  if (c->p->rank != 0) return;
  FILE *const f = wring_table_begin(&t);
  fprintf(f, "memory\tMB per rank: mean\tlargest\tsum of all\n");
  for (int i = 0; i < N_PART; i++)
    if (i != LATER || c->all[i] > 0)
      fprintf(f, "  %s\t%.1f\t%.1f\t%.1f\n", part_name[i], c->all[i] / (double)c->ranks / 1e6, c->largest[i] / 1e6,
              c->all[i] / 1e6);
  if (c->finest > 0)
    fprintf(f, "  peak of converge\t%.1f\t\t%.1f\n", c->finest / (double)c->ranks / 1e6, c->finest / 1e6);
  wring_table_print(&t, 1);
}

/* What a solve may add, once the peak has been measured. */
static PetscErrorCode predict_later(check *c)
{
  const double before = wring_set_aside_memory();

  PetscFunctionBegin;
  if (!c->solver) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_solver_predict_later(c->solver, c->x, &c->bytes[LATER]));
  c->bytes[LATER] += wring_set_aside_memory() - before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts in the order of a run. The peak of this process up to now is a lower bound of that of a run. */
static PetscErrorCode measure(check *c)
{
  wring_problem *const p = c->p;
  const wring_probe   *probe;
  const PetscInt       n = wring_problem_probes(p, &probe);
  PetscInt             last;
  PetscBool            changed;

  PetscFunctionBegin;
  PetscCall(wring_potential_create_vec(p->g, &c->x));
  wring_stepper_set_start(p->stepper, WRING_START_AUTO);
  PetscCall(wring_stepper_begin(p->stepper, &p->state, c->x, &changed));
  c->bytes[MESH] = wring_resident_memory() - c->bytes[PROGRAM];
  c->bytes[PROGRAM] += later;
  PetscCall(create_solver(c));
  PetscCall(predict_solves(c));
  PetscCall(wring_problem_find_last_step(p, &last));
  PetscCall(wring_frames_set_up(p, &c->output, last, &c->frames));
  c->bytes[OUTPUT] = wring_frames_memory(p, &c->frames);
  for (PetscInt i = 0; i < n; i++) // at another time: stress of a tet, sums and means of a vertex
    if (probe[i].stress)
      c->bytes[OUTPUT] = PetscMax(c->bytes[OUTPUT], 48 * (double)p->mesh->tets.n + 120 * (double)p->mesh->n_local);
  if (c->solver && wring_options_has(p->options, "compare_", "solvers")) PetscCall(wring_compare_check(p));
  c->bytes[PEAK] = wring_peak_memory() + later; // of building and reading; that of the parts may be larger
  PetscCall(predict_later(c));
  PetscCall(predict_finest(c));
  PetscCall(predict(c, c->smaller.growth));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- what would run ---------------------------------------------------------------------------------------------- */

/* The names a deck may use. */
static void print_names(MPI_Comm comm, const char *title, const wring_names *names)
{
  wring_print(comm, "%-9s", title);
  for (PetscInt i = 0; i < names->n; i++) wring_print(comm, " %s", names->name[i]);
  wring_print(comm, names->n ? "\n" : " none\n");
}

/* The sets that have lines (corners 2) or triangles (3). */
static PetscErrorCode print_sets_of(const wring_mesh *m, const char *title, int corners)
{
  PetscInt64 n;
  PetscBool  some = PETSC_FALSE;

  PetscFunctionBegin;
  wring_print(m->comm, "%-9s", title);
  for (PetscInt s = 0; s < m->set.names.n; s++) {
    PetscCall(wring_mesh_count_elements(m, s, corners, &n));
    if (n == 0) continue;
    wring_print(m->comm, " %s (%" PetscInt64_FMT ")", m->set.names.name[s], n);
    some = PETSC_TRUE;
  }
  wring_print(m->comm, some ? "\n" : " none\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rtol: the value of this key, or NULL for that of the deck or the default. */
static void print_settings(const wring_problem *p, const char *title, const char *prefix, const wring_option *option,
                           const char *rtol)
{
  const char *separator = "";
  if (!option || !option->key) return;
  wring_print(p->comm, "%-9s %.*s: ", title, (int)strlen(prefix) - 1, prefix);
  for (; option->key; option++) {
    const PetscBool   other = (PetscBool)(rtol && strcmp(option->key, "rtol") == 0);
    const char *const value = other ? rtol : wring_options_text(p->options, prefix, option);
    if (!value) continue;
    wring_print(p->comm, "%s%s %s", separator, option->key, value);
    separator = ", ";
  }
  wring_print(p->comm, "\n");
}

/* The solver's keys, those of its type, the operator's, and the rough times from which its type `auto` chooses. */
static void print_solver(const wring_problem *p, const wring_solver *solver)
{
  const char *const      name = wring_solver_name(solver);
  wring_operator_seconds s;
  char                   prefix[256], rtol[32];
  print_settings(p, "settings", "solver_", wring_solver_options, NULL);
  if (wring_solver_about(solver)) wring_print(p->comm, "method    %s\n", wring_solver_about(solver));
  snprintf(prefix, sizeof prefix, "solver_%s_", name);
  print_settings(p, "", prefix, wring_solver_keys(name), NULL);
  if (wring_solver_operator_factor(solver) > 0) {
    wring_operator_describe_rtol(p->op, p->mesh->number.n_global, sizeof rtol, rtol);
    print_settings(p, "", "operator_", wring_operator_options, rtol);
    wring_operator_estimate(p->op, p->mesh->number.n_global, &s);
    wring_print(p->comm, "solves    with A, set-up included, take roughly: %s %.2g s, ",
                p->size > 1 ? "shared factor" : "factor", s.shared);
    if (p->size > 1) wring_print(p->comm, "distributed factor %.2g s, ", s.distributed);
    wring_print(p->comm, "multigrid %.2g s\n", s.multigrid);
  }
}

/* Regions of tets; the first line has the mass of all. */
static void print_regions(const wring_problem *p, const wring_sanity *s)
{
  printf("mass      %.4g kg\n", p->total_mass);
  for (PetscInt r = 0; r < s->n_region; r++) {
    const wring_sanity_region *const g = &s->region[r];
    printf("          %s: %.4g kg, %.4g m^3 of %.4g kg/m^3; ", p->mesh->regions.name[r], g->volume * g->density,
           g->volume, g->density);
    if (g->speed > 0)
      printf("at rest Young's modulus %.4g Pa, waves %.4g m/s\n", g->young, g->speed);
    else
      printf("no stiffness at rest\n");
  }
}

static void print_loads_at(const wring_problem *p, const char *title, const wring_sanity_loads *l)
{
  const double *const g = l->gravity, *const f = l->load;
  printf("%-9s at %.6g%s: weight %.4g,%.4g,%.4g N, other loads %.4g,%.4g,%.4g N; ", title, l->time,
         wring_stepper_is_static(p->stepper) ? "" : " s", g[0] + 0.0, g[1] + 0.0, g[2] + 0.0, f[0] + 0.0, f[1] + 0.0,
         f[2] + 0.0);
  printf("reactions at rest %.4g,%.4g,%.4g N\n", -(g[0] + f[0]) + 0.0, -(g[1] + f[1]) + 0.0,
         -(g[2] + f[2]) + 0.0); // no -0
}

static PetscBool same(const wring_sanity_loads *a, const wring_sanity_loads *b)
{
  for (int c = 0; c < 3; c++)
    if (a->gravity[c] != b->gravity[c] || a->load[c] != b->load[c]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* What the numbers of the problem amount to: sizes, materials, waves, loads, parts, names. Rank 0. */
static void print_sanity(const wring_problem *p, const wring_sanity *s)
{
  const double *const a = s->low, *const b = s->high, h = wring_stepper_size(p->stepper);
  printf("size      %.4g x %.4g x %.4g m, from %.4g,%.4g,%.4g to %.4g,%.4g,%.4g m\n", b[0] - a[0], b[1] - a[1],
         b[2] - a[2], a[0], a[1], a[2], b[0], b[1], b[2]);
  print_regions(p, s);
  if (s->across_element > 0 && !wring_stepper_is_static(p->stepper))
    printf("waves     %.3g s across the smallest element, %.3g s across the body; time.step is %.3g and %.3g times "
           "that\n",
           s->across_element, s->across_body, h / s->across_element, h / s->across_body);
  print_loads_at(p, "loads", &s->start);
  if (!same(&s->start, &s->end)) print_loads_at(p, "", &s->end);
  if (s->strain > 0)
    printf("strain    about %.2g: loads of %.3g N on %.3g m^2, the smallest face of the box, and %.3g Pa\n", s->strain,
           fmax(s->start.size, s->end.size), s->face, s->young);
  printf("parts     %" PetscInt_FMT ", of which nothing holds %" PetscInt_FMT "%s\n", s->part, s->free_part,
         s->part > 1 && !s->collide ? "; they pass through each other without self_contact" : "");
  if (s->n_spare) printf("unused    sets");
  for (PetscInt i = 0; i < s->n_spare; i++) printf(" %s%s", s->spare[i], i == s->n_spare - 1 ? "\n" : "");
}

static PetscErrorCode print(check *c)
{
  const wring_problem *const p = c->p;
  const wring_probe         *probe;
  const PetscInt             n = wring_problem_probes(p, &probe);

  PetscFunctionBegin;
  PetscCall(wring_header_print(c->p, c->solver ? wring_solver_name(c->solver) : NULL));
  if (c->solver) print_solver(p, c->solver);
  wring_print(p->comm, "steps     %" PetscInt_FMT "\n", wring_stepper_steps(p->stepper));
  PetscCall(wring_frames_print(p, &c->frames, PETSC_FALSE));
  print_names(p->comm, "regions", &p->mesh->regions);
  print_names(p->comm, "sets", &p->mesh->set.names);
  PetscCall(print_sets_of(p->mesh, "triangles", 3));
  PetscCall(print_sets_of(p->mesh, "lines", 2));
  for (PetscInt i = 0; i < n; i++) {
    const char *const of = probe[i].is_point ? "point" : "set";
    wring_print(p->comm, "%s %s (%s%s)%s", i ? "," : "probes   ", probe[i].name, probe[i].largest ? "largest" : of,
                probe[i].stress ? ", stress" : "", i == n - 1 ? "\n" : "");
  }
  if (p->rank == 0) print_sanity(p, c->sanity);
  const char *const compared = wring_options_text(p->options, "compare_", &wring_compare_options[0]);
  if (compared)
    wring_print(p->comm, "compares  %s\n",
                c->solver ? compared : "nothing: time_integrator makes steps without a solver, which compare refuses");
  print_memory(c);
  PetscCall(wring_sanity_print_notes(p, c->sanity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *names_json(const wring_names *names)
{
  json_t *const list = json_array();
  for (PetscInt i = 0; i < names->n; i++) json_array_append_new(list, JSON(names->name[i]));
  return list;
}

/* Of the body of the deck; counts of a file that is refined are those of its tetrahedra's children. */
static json_t *mesh_json(const check *c)
{
  const wring_mesh *const m = c->p->mesh;
  return wring_json_object("vertices", JSON((json_int_t)(c->smaller.growth * (double)m->number.n_global + 0.5)), "tets",
                           JSON((json_int_t)(c->smaller.tets * (double)m->tets.n_global + 0.5)), "order",
                           JSON(m->tets.order), "regions", names_json(&m->regions), "sets", names_json(&m->set.names),
                           NULL);
}

/* The record of the deck and its files, which the file must not overwrite; "-" is no file. */
static PetscErrorCode begin_json(const check *c, const wring_options *o, json_t **json)
{
  wring_error error = {""};
  const char *key;
  json_t     *input;

  PetscFunctionBegin;
  PetscCall(wring_provenance_of_command(o, "check", c->p->restart, json));
  if (c->p->rank == 0 && strcmp(c->file, "-") != 0) {
    wring_file_protect(json_string_value(json_object_get(*json, "deck")), c->file, &error);
    json_object_foreach(json_object_get(*json, "files"), key, input)
      wring_file_protect(json_string_value(json_object_get(input, "path")), c->file, &error);
  }
  PetscCall(wring_error_raise(c->p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To a file, or to standard output for "-"; destroys json. */
static PetscErrorCode write_json(const check *c, const wring_error *conflict, json_t *json)
{
  wring_problem *const p      = c->p;
  json_t *const        memory = json_object();
  wring_error          error  = {""};

  PetscFunctionBegin;
  for (int i = 0; i < N_PART; i++)
    json_object_set_new(memory, part_name[i],
                        wring_json_object("mean", JSON(c->all[i] / (double)c->ranks), "largest", JSON(c->largest[i]),
                                          "all", JSON(c->all[i]), NULL));
  wring_json_set(json, "solver", JSON(c->solver ? wring_solver_name(c->solver) : NULL), "operator",
                 JSON(wring_operator_choice(p->op, p->mesh->number.n_global)), "integrator",
                 JSON(wring_stepper_integrator(p->stepper)), "steps", JSON(wring_stepper_steps(p->stepper)),
                 "time_step", JSON(wring_stepper_size(p->stepper)), "mesh", mesh_json(c), "mass", JSON(p->total_mass),
                 "notes", JSON(c->sanity->n_note), "refused",
                 wring_failed(conflict) ? JSON(conflict->text) : json_null(), "memory",
                 wring_json_object("ranks", JSON(c->ranks), "node", JSON(wring_node_memory()), "converge",
                                   c->finest > 0 ? JSON(c->finest) : json_null(), "bytes", memory, NULL),
                 NULL);
  if (p->rank == 0 && strcmp(c->file, "-") == 0) {
    json_dumpf(json, stdout, JSON_INDENT(1));
    putchar('\n');
  } else if (p->rank == 0) {
    wring_json_write(json, &error, "%s", c->file);
  }
  json_decref(json);
  PetscCall(wring_error_raise_output(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* A body that this machine cannot hold is no reason to build it. */
static PetscErrorCode note_size(const check *c)
{
  const double node = wring_node_memory();

  PetscFunctionBegin;
  if (c->smaller.o)
    PetscCall(wring_note(
      c->p->comm, "memory is predicted from a body with %.3g times fewer vertices; all other lines describe that body",
      c->smaller.growth));
  if (node > 0 && c->all[PEAK] > node)
    PetscCall(wring_note(c->p->comm, "the run needs %.3g GB; this node has %.3g GB", c->all[PEAK] / 1e9, node / 1e9));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_check(MPI_Comm comm, const wring_options *o, wring_ending *end)
{
  check       c = {.bytes[PROGRAM] = wring_resident_memory()};
  json_t     *json;
  wring_error conflict = {""}; // what a run would refuse only because of the files that are there

  PetscFunctionBegin;
  PetscCall(wring_output_read(o, &c.output));
  PetscCall(wring_directory_check(comm, c.output.directory));
  PetscCall(wring_options_read(o, "check_", wring_check_options, &c));
  if (c.ranks == 0) c.ranks = wring_comm_size(comm);
  PetscCall(wring_smaller_find(o, c.ranks, &c.smaller));
  PetscCall(wring_problem_create(comm, c.smaller.o ? c.smaller.o : o, &c.p));
  if (c.file) PetscCall(begin_json(&c, o, &json));
  PetscCall(measure(&c));
  PetscCall(wring_sanity_create(c.p, &c.sanity));
  PetscCall(wring_directory_find_conflict(o, &c.output, &conflict));
  if (!c.file || strcmp(c.file, "-") != 0) PetscCall(print(&c));
  PetscCall(note_size(&c));
  if (wring_failed(&conflict)) PetscCall(wring_note(comm, "a run would be refused: %s", conflict.text));
  if (c.file) PetscCall(write_json(&c, &conflict, json));
  PetscCall(wring_sanity_destroy(&c.sanity));
  PetscCall(wring_frames_destroy(&c.frames));
  PetscCall(VecDestroy(&c.x));
  PetscCall(wring_solver_destroy(&c.solver));
  PetscCall(wring_matrices_destroy(c.A));
  PetscCall(wring_problem_destroy(&c.p));
  PetscCall(wring_options_destroy(&c.smaller.o));
  end->status = WRING_EXIT_DONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
