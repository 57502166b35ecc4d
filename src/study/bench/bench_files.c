/* The table of `wring bench`, bench.json and bench.csv. */
#include "bench.h"
#include "study/common/provenance.h"
#include "io/print.h"
#include <math.h>
#include <stdio.h>

static double rate(const wring_bench_row *row)
{
  return row->bytes / row->seconds;
}

/* ---- the screen -------------------------------------------------------------------------------------------------- */

static void print_bandwidth(const wring_bench *b)
{
  wring_text_table t;
  FILE *const      f = wring_table_begin(&t);
  fprintf(f, "triad, three arrays of %.0f MB\tGB/s\n", b->array / 1e6);
  fprintf(f, "  one thread\t%.1f\n", b->triad[0] / 1e9);
  fprintf(f, "  all threads of a rank\t%.1f\n", b->triad[1] / 1e9);
  fprintf(f, "  all ranks\t%.1f\n", b->triad[2] / 1e9);
  wring_table_print(&t, 1);
}

/* body: the large box, which most rows are of. */
static void print_row(FILE *f, const wring_bench *b, const wring_bench_body *body, const wring_bench_row *row)
{
  const double ns = 1e9 * row->seconds;
  fprintf(f, "%s %s\t", row->part, row->name);
  if (row->tets < body->tets)
    fprintf(f, "%s, %.0f tets", row->material, row->tets);
  else
    fputs(row->ended ? row->material : row->work, f);
  fprintf(f, "\t%.4g\t%.3g\t%.3g\t%.4g\t%.3g\t%.3g\t", 1e3 * row->seconds, ns / row->tets,
          ns / (row->tets * body->points), row->bytes / 1e6, rate(row) / 1e9, 100 * rate(row) / b->triad[2]);
  if (row->iterations > 0) fprintf(f, "%" PetscInt_FMT, row->iterations);
  fprintf(f, "\t%d\t%.0f\n", row->repeats, 100 * row->waited);
}

static void print_rows(const wring_bench *b, const wring_bench_body *body)
{
  wring_text_table t;
  FILE *const      f = wring_table_begin(&t);
  if (b->n_row) fprintf(f, "\t\tms\tns/tet\tns/point\tMB\tGB/s\t%% of triad\tit\trepeats\t%% waited\n");
  for (PetscInt k = 0; k < b->n_row; k++) print_row(f, b, body, &b->row[k]);
  wring_table_print(&t, 2);
}

static const char *text_of(const json_t *json, const char *key)
{
  const char *const text = json_string_value(json_object_get(json, key));
  return text ? text : "";
}

void wring_bench_print(const wring_bench *b, const wring_bench_body *body)
{
  json_t *skip;
  size_t  i;
  if (b->terminal) wring_print(b->comm, "\r\033[K");
  if (body->p)
    wring_print(b->comm, "box %.0f tets, %.0f vertices, ghosts %.1f%%\n", body->tets, body->vertices,
                100 * (body->local / body->vertices - 1));
  if (b->output.rank == 0) print_bandwidth(b);
  if (b->output.rank == 0) print_rows(b, body);
  json_array_foreach(b->skips, i, skip)
  {
    const char *const material = text_of(skip, "material");
    wring_print(b->comm, "not measured: %s %s%s%s: %s\n", text_of(skip, "part"), text_of(skip, "name"),
                material[0] ? ", " : "", material, text_of(skip, "reason"));
  }
  if (!isnan(b->merit)) wring_print(b->comm, "Figure of Merit (FOM): %.6g\n", b->merit);
  wring_print(b->comm, "%s, %.0f s; %s/bench.json, bench.csv\n", wring_stop_text(b->stopper.cause),
              MPI_Wtime() - b->start, b->output.directory);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static json_t *row_json(const wring_bench *b, const wring_bench_row *row)
{
  return wring_json_object(
    "part", JSON(row->part), "name", JSON(row->name), "work", JSON(row->work), "material", JSON(row->material), "tets",
    JSON(row->tets), "seconds", JSON(row->seconds), "repeats", JSON(row->repeats), "ns_per_tet",
    JSON(1e9 * row->seconds / row->tets), "bytes", JSON(row->bytes), "bytes_per_second", JSON(rate(row)), "fraction",
    JSON(rate(row) / b->triad[2]), "iterations", row->iterations < 0 ? json_null() : JSON(row->iterations), "ended",
    JSON(row->ended), "waited_share", JSON(row->waited), NULL);
}

static void write_csv(const wring_bench *b, const char *path, wring_error *e)
{
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  fprintf(f, "part,name,work,material,tets,ranks,threads,seconds,bytes,fraction,iterations,repeats,waited_share\n");
  for (PetscInt i = 0; i < b->n_row; i++) {
    const wring_bench_row *const row = &b->row[i];
    fprintf(f, "%s,%s,%s,%s,%.17g,%d,%d,%.17g,%.17g,%.17g,", row->part, row->name, row->work,
            row->material ? row->material : "", row->tets, (int)wring_comm_size(b->comm), wring_max_threads(),
            row->seconds, row->bytes, rate(row) / b->triad[2]);
    if (row->iterations >= 0) fprintf(f, "%" PetscInt_FMT, row->iterations);
    fprintf(f, ",%d,%.17g\n", row->repeats, row->waited);
  }
  wring_file_commit(f, path, e);
}

PetscErrorCode wring_bench_write(const wring_bench *b, const wring_bench_body *body)
{
  json_t *json, *const rows = json_array();
  wring_error error = {""};
  char        file[PETSC_MAX_PATH_LEN + 64];

  PetscFunctionBegin;
  PetscCall(wring_provenance_of_command(b->o, "bench", "", &json));
  json_t *const mesh = wring_json_object(
    "tets", JSON(body->tets), "order", JSON(body->corners == 10 ? 2 : 1), "points", JSON(body->points), "vertices",
    JSON(body->vertices), "ghosts", JSON(body->local - body->vertices), "operator_entries", JSON(body->entries), NULL);
  json_t *const bandwidth = wring_json_object("thread", JSON(b->triad[0]), "rank", JSON(b->triad[1]), "all",
                                              JSON(b->triad[2]), "array_bytes", JSON(b->array), NULL);
  for (PetscInt i = 0; i < b->n_row; i++) json_array_append_new(rows, row_json(b, &b->row[i]));
  wring_json_set(json, "vector_bits", JSON(wring_vector_bits()), "last_cache",
                 b->cache > 0 ? JSON(b->cache) : json_null(), "mesh", mesh, "bandwidth", bandwidth, "rows", rows, "fom",
                 JSON(b->merit), "not_measured", json_incref(b->skips), "ended",
                 JSON(wring_stop_text(b->stopper.cause)), "seconds", JSON(MPI_Wtime() - b->start), NULL);
  if (b->output.rank == 0) wring_json_write(json, &error, "%s/bench.json", b->output.directory);
  json_decref(json);
  snprintf(file, sizeof file, "%s/bench.csv", b->output.directory);
  if (b->output.rank == 0) write_csv(b, file, &error);
  PetscCall(wring_error_raise_output(b->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
