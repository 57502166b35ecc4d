/* The table of `wring bench`, bench.json and bench.csv. */
#include "bench.h"
#include "study/record/provenance.h"
#include "study/common/table.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static double rate(const wring_bench_row *row)
{
  return row->bytes / row->seconds;
}

/* ---- the screen -------------------------------------------------------------------------------------------------- */

static PetscErrorCode print_bandwidth(const wring_bench *b)
{
  const char *const name[] = {"one thread", "all threads of a rank", "all ranks"};
  wring_table      *t;

  PetscFunctionBegin;
  PetscCall(wring_table_create(2, 1, &t));
  PetscCall(wring_table_add(t, "triad, three arrays of %.0f MB", b->array / 1e6));
  PetscCall(wring_table_add(t, "GB/s"));
  for (int i = 0; i < 3; i++) {
    PetscCall(wring_table_add(t, "  %s", name[i]));
    if (isnan(b->triad[i]))
      PetscCall(wring_table_add(t, "-"));
    else
      PetscCall(wring_table_add(t, "%.1f", b->triad[i] / 1e9));
  }
  PetscCall(wring_table_print(b->comm, t));
  PetscCall(wring_table_destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* body: the large box, which most rows are of. */
static PetscErrorCode add_row(const wring_bench *b, const wring_bench_body *body, const wring_bench_row *row,
                              wring_table *t)
{
  PetscFunctionBegin;
  PetscCall(wring_table_add(t, "%s %s", row->part, row->name));
  if (row->tets < body->tets)
    PetscCall(wring_table_add(t, "%s, %.0f tets", row->material, row->tets));
  else if (strcmp(row->part, "solver") == 0)
    PetscCall(wring_table_add(t, "%s", row->material));
  else
    PetscCall(wring_table_add(t, "%s", row->work));
  PetscCall(wring_table_add(t, "%.4g", 1e3 * row->seconds));
  PetscCall(wring_table_add(t, "%.3g", 1e9 * row->seconds / row->tets));
  PetscCall(wring_table_add(t, "%.3g", 1e9 * row->seconds / (row->tets * body->points)));
  PetscCall(wring_table_add(t, "%.4g", row->bytes / 1e6));
  PetscCall(wring_table_add(t, "%.3g", rate(row) / 1e9));
  PetscCall(wring_table_add(t, "%.3g", 100 * rate(row) / b->triad[2]));
  if (row->iterations > 0)
    PetscCall(wring_table_add(t, "%" PetscInt_FMT, row->iterations));
  else
    PetscCall(wring_table_add(t, "%s", ""));
  PetscCall(wring_table_add(t, "%d", row->repeats));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_rows(const wring_bench *b, const wring_bench_body *body)
{
  static const char *const head[] = {"", "", "ms", "ns/tet", "ns/point", "MB", "GB/s", "% of triad", "it", "repeats"};
  const int                n      = sizeof head / sizeof head[0];
  wring_table             *t;

  PetscFunctionBegin;
  if (b->n_row == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_table_create(n, 2, &t));
  for (int i = 0; i < n; i++) PetscCall(wring_table_add(t, "%s", head[i]));
  for (PetscInt i = 0; i < b->n_row; i++) PetscCall(add_row(b, body, &b->row[i], t));
  PetscCall(wring_table_print(b->comm, t));
  PetscCall(wring_table_destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bench_print(const wring_bench *b, const wring_bench_body *body)
{
  PetscFunctionBegin;
  if (b->terminal) PetscCall(PetscPrintf(b->comm, "\r\033[K"));
  if (body->p)
    PetscCall(PetscPrintf(b->comm, "box %.0f tets, %.0f vertices, ghosts %.1f%%\n", body->tets, body->vertices,
                          100 * (body->local / body->vertices - 1)));
  PetscCall(print_bandwidth(b));
  PetscCall(print_rows(b, body));
  for (PetscInt i = 0; i < b->n_skip; i++) {
    const wring_bench_skip *const s = &b->skip[i];
    PetscCall(PetscPrintf(b->comm, "not measured: %s %s%s%s: %s\n", s->part, s->name, s->material[0] ? ", " : "",
                          s->material, s->reason));
  }
  PetscCall(PetscPrintf(b->comm, "%s, %.0f s; %s/bench.json, bench.csv\n", wring_stop_text(b->stopper.cause),
                        MPI_Wtime() - b->start, b->directory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static json_t *text_or_null(const char *text)
{
  return text[0] ? wring_json_text(text) : json_null();
}

static json_t *row_json(const wring_bench *b, const wring_bench_row *row)
{
  json_t *const j = json_object();
  json_object_set_new(j, "part", json_string(row->part));
  json_object_set_new(j, "name", wring_json_text(row->name));
  json_object_set_new(j, "work", wring_json_text(row->work));
  json_object_set_new(j, "material", text_or_null(row->material));
  json_object_set_new(j, "tets", wring_json_real(row->tets));
  json_object_set_new(j, "seconds", wring_json_real(row->seconds));
  json_object_set_new(j, "repeats", json_integer(row->repeats));
  json_object_set_new(j, "ns_per_tet", wring_json_real(1e9 * row->seconds / row->tets));
  json_object_set_new(j, "bytes", wring_json_real(row->bytes));
  json_object_set_new(j, "bytes_per_second", wring_json_real(rate(row)));
  json_object_set_new(j, "fraction", wring_json_real(rate(row) / b->triad[2]));
  json_object_set_new(j, "iterations", row->iterations < 0 ? json_null() : json_integer(row->iterations));
  json_object_set_new(j, "ended", text_or_null(row->ended));
  return j;
}

static json_t *skip_json(const wring_bench_skip *s)
{
  json_t *const j = json_object();
  json_object_set_new(j, "part", json_string(s->part));
  json_object_set_new(j, "name", wring_json_text(s->name));
  json_object_set_new(j, "material", text_or_null(s->material));
  json_object_set_new(j, "reason", wring_json_text(s->reason));
  return j;
}

static json_t *bandwidth_json(const wring_bench *b)
{
  json_t *const j = json_object();
  json_object_set_new(j, "thread", wring_json_real(b->triad[0]));
  json_object_set_new(j, "rank", wring_json_real(b->triad[1]));
  json_object_set_new(j, "all", wring_json_real(b->triad[2]));
  json_object_set_new(j, "array_bytes", wring_json_real(b->array));
  return j;
}

static json_t *mesh_json(const wring_bench_body *body)
{
  json_t *const j = json_object();
  json_object_set_new(j, "tets", wring_json_real(body->tets));
  json_object_set_new(j, "order", json_integer(body->corners == 10 ? 2 : 1));
  json_object_set_new(j, "points", json_integer(body->points));
  json_object_set_new(j, "vertices", wring_json_real(body->vertices));
  json_object_set_new(j, "ghosts", wring_json_real(body->local - body->vertices));
  json_object_set_new(j, "operator_entries", wring_json_real(body->entries));
  return j;
}

static PetscErrorCode make_json(const wring_bench *b, const wring_bench_body *body, json_t **json)
{
  json_t *const rows = json_array(), *const skips = json_array();
  json_t *j;

  PetscFunctionBegin;
  PetscCall(wring_provenance_of_command(b->o, "bench", json));
  j = *json;
  json_object_set_new(j, "vector_bits", json_integer(wring_vector_bits()));
  json_object_set_new(j, "last_cache", b->cache > 0 ? wring_json_real(b->cache) : json_null());
  json_object_set_new(j, "mesh", mesh_json(body));
  json_object_set_new(j, "bandwidth", bandwidth_json(b));
  for (PetscInt i = 0; i < b->n_row; i++) json_array_append_new(rows, row_json(b, &b->row[i]));
  for (PetscInt i = 0; i < b->n_skip; i++) json_array_append_new(skips, skip_json(&b->skip[i]));
  json_object_set_new(j, "rows", rows);
  json_object_set_new(j, "not_measured", skips);
  json_object_set_new(j, "ended", json_string(wring_stop_text(b->stopper.cause)));
  json_object_set_new(j, "seconds", wring_json_real(MPI_Wtime() - b->start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void write_csv(const wring_bench *b, const char *path, wring_error *e)
{
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  fprintf(f, "part,name,work,material,tets,ranks,threads,seconds,bytes,fraction,iterations,repeats\n");
  for (PetscInt i = 0; i < b->n_row; i++) {
    const wring_bench_row *const row = &b->row[i];
    fprintf(f, "%s,%s,%s,%s,%.17g,%d,%d,%.17g,%.17g,%.17g,", row->part, row->name, row->work, row->material, row->tets,
            (int)b->size, wring_max_threads(), row->seconds, row->bytes, rate(row) / b->triad[2]);
    if (row->iterations >= 0) fprintf(f, "%" PetscInt_FMT, row->iterations);
    fprintf(f, ",%d\n", row->repeats);
  }
  wring_file_commit(f, path, e);
}

PetscErrorCode wring_bench_write(const wring_bench *b, const wring_bench_body *body)
{
  json_t     *json;
  wring_error error = {""};
  char        file[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  PetscCall(make_json(b, body, &json));
  snprintf(file, sizeof file, "%s/bench.json", b->directory);
  if (b->rank == 0) wring_json_write(file, json, &error);
  json_decref(json);
  snprintf(file, sizeof file, "%s/bench.csv", b->directory);
  if (b->rank == 0) write_csv(b, file, &error);
  PetscCall(wring_error_raise_output(b->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
