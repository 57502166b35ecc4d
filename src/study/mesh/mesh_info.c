/* wring mesh info: collected as JSON, printed as text. */
#include "mesh_command.h"
#include "io/file.h"
#include "io/json.h"
#include "io/print.h"
#include <inttypes.h>
#include <stdlib.h>

static const char quality_measure[] = "12 (9 V^2)^(1/3) / sum of squared edges, 1 for the regular tetrahedron";

typedef struct {
  const char            *file;
  const wring_mesh_data *d; // of rank 0: names
  wring_mesh_measures    m;
  int                    order;
  PetscInt64             n_middle; // nodes at middles of edges
  PetscInt               n_cut;
  PetscInt              *parts;     // [n_cut]
  wring_mesh_cut        *cut;       // [n_cut]
  double                 memory[2]; // peak of the largest rank and of all, bytes
} report;

static double over_mean(PetscInt64 largest, PetscInt64 all, PetscInt parts)
{
  return all ? (double)largest * (double)parts / (double)all : 1;
}

static double percent(PetscInt64 part, PetscInt64 all)
{
  return all ? 100 * (double)part / (double)all : 0;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_tets(FILE *f, const wring_mesh_measures *m)
{
  fprintf(f, "volume          %.6g m^3\n", m->volume);
  fprintf(f, "edges           %" PetscInt64_FMT ", %.6g to %.6g m long, mean %.6g m\n", m->n_edge, m->edge_min,
          m->edge_max, m->edge_mean);
  fprintf(f, "boundary faces  %" PetscInt64_FMT "\n", m->n_boundary_face);
  fprintf(f, "components      %" PetscInt64_FMT "\n", m->n_component);
  fprintf(f, "quality         at least %.6g, mean %.6g: %s\n", m->quality_min, m->quality_mean, quality_measure);
  for (int b = 0; b < WRING_QUALITY_BINS; b++)
    fprintf(f, "  %.1f to %.1f %14" PetscInt64_FMT "  %.4g %%\n", b / 10.0, (b + 1) / 10.0, m->quality_count[b],
            percent(m->quality_count[b], m->n_tet));
}

static void print_names(FILE *f, const wring_mesh_data *d, const wring_mesh_measures *m)
{
  fprintf(f, "regions         %" PetscInt_FMT "\n", d->regions.n);
  for (PetscInt r = 0; r < d->regions.n; r++)
    fprintf(f, "  %-20s  %" PetscInt64_FMT " tetrahedra, %.6g m^3\n", d->regions.name[r], m->region_tets[r],
            m->region_volume[r]);
  fprintf(f, "sets            %" PetscInt_FMT "\n", d->sets.n);
  for (PetscInt s = 0; s < d->sets.n; s++) {
    fprintf(f, "  %-20s  %" PetscInt64_FMT " vertices", d->sets.name[s], m->set_vertices[s]);
    if (m->set_triangles[s])
      fprintf(f, ", %" PetscInt64_FMT " triangles, %.6g m^2", m->set_triangles[s], m->set_area[s]);
    if (m->set_lines[s]) fprintf(f, ", %" PetscInt64_FMT " lines, %.6g m", m->set_lines[s], m->set_length[s]);
    fputc('\n', f);
  }
}

static void print_cuts(FILE *f, const report *r)
{
  if (r->n_cut)
    fprintf(f, "%8s  %18s  %16s  %9s  %18s  %8s\n", "parts", "tetrahedra max/avg", "vertices max/avg", "cut faces",
            "interface vertices", "ghosts");
  for (PetscInt i = 0; i < r->n_cut; i++) {
    const wring_mesh_cut *const c = &r->cut[i];
    fprintf(f, "%8" PetscInt_FMT "  %18.3f  %16.3f  %9" PetscInt64_FMT "  %17.2f%%  %7.2f%%\n", r->parts[i],
            over_mean(c->tets_max, r->m.n_tet, r->parts[i]), over_mean(c->vertices_max, r->m.n_vertex, r->parts[i]),
            c->cut_faces, percent(c->interface_vertices, r->m.n_vertex), percent(c->ghosts, r->m.n_vertex));
  }
}

static void print(FILE *f, const report *r)
{
  const double *const low = r->m.low, *const high = r->m.high;
  fprintf(f, "file            %s\n", r->file);
  fprintf(f, "format          %s\n", r->d->format);
  fprintf(f, "vertices        %" PetscInt64_FMT "\n", r->m.n_vertex);
  if (r->order == 2)
    fprintf(f,
            "order           2: %" PetscInt64_FMT
            " more vertices at middles of edges, Jacobian at least %.6g of its mean\n",
            r->n_middle, r->m.jacobian_min);
  fprintf(f, "tetrahedra      %" PetscInt64_FMT "\n", r->m.n_tet);
  fprintf(f, "bounding box    %.6g %.6g %.6g to %.6g %.6g %.6g m\n", low[0], low[1], low[2], high[0], high[1], high[2]);
  if (r->m.n_tet) print_tets(f, &r->m);
  print_names(f, r->d, &r->m);
  print_cuts(f, r);
  fprintf(f, "peak memory     %.3g MB on the largest rank, %.3g MB on all\n", r->memory[0] / 1e6, r->memory[1] / 1e6);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *json_point(const double x[3])
{
  return json_pack("[f, f, f]", x[0], x[1], x[2]);
}

static void set_tets(json_t *json, const wring_mesh_measures *m)
{
  json_t *const histogram = json_array();
  json_t *const edges     = wring_json_object("number", JSON(m->n_edge), "min", JSON(m->edge_min), "mean",
                                              JSON(m->edge_mean), "max", JSON(m->edge_max), NULL);
  for (int b = 0; b < WRING_QUALITY_BINS; b++) json_array_append_new(histogram, JSON(m->quality_count[b]));
  json_t *const quality = wring_json_object("measure", JSON(quality_measure), "min", JSON(m->quality_min), "mean",
                                            JSON(m->quality_mean), "histogram", histogram, NULL);
  wring_json_set(json, "volume", JSON(m->volume), "edges", edges, "boundary_faces", JSON(m->n_boundary_face),
                 "components", JSON(m->n_component), "quality", quality, NULL);
}

static json_t *regions_json(const wring_mesh_data *d, const wring_mesh_measures *m)
{
  json_t *const list = json_array();
  for (PetscInt r = 0; r < d->regions.n; r++)
    json_array_append_new(list, wring_json_object("name", JSON(d->regions.name[r]), "tetrahedra",
                                                  JSON(m->region_tets[r]), "volume", JSON(m->region_volume[r]), NULL));
  return list;
}

static json_t *sets_json(const wring_mesh_data *d, const wring_mesh_measures *m)
{
  json_t *const list = json_array();
  for (PetscInt s = 0; s < d->sets.n; s++)
    json_array_append_new(list,
                          wring_json_object("name", JSON(d->sets.name[s]), "vertices", JSON(m->set_vertices[s]),
                                            "triangles", JSON(m->set_triangles[s]), "area", JSON(m->set_area[s]),
                                            "lines", JSON(m->set_lines[s]), "length", JSON(m->set_length[s]), NULL));
  return list;
}

static json_t *cuts_json(const report *r)
{
  json_t *const list = json_array();
  for (PetscInt i = 0; i < r->n_cut; i++) {
    const wring_mesh_cut *const c = &r->cut[i];
    json_array_append_new(list, wring_json_object("parts", JSON(r->parts[i]), "tetrahedra_max_over_mean",
                                                  JSON(over_mean(c->tets_max, r->m.n_tet, r->parts[i])),
                                                  "vertices_max_over_mean",
                                                  JSON(over_mean(c->vertices_max, r->m.n_vertex, r->parts[i])),
                                                  "cut_faces", JSON(c->cut_faces), "interface_vertices",
                                                  JSON(c->interface_vertices), "ghosts", JSON(c->ghosts), NULL));
  }
  return list;
}

static void write_json(const char *file, const report *r, wring_error *e)
{
  json_t *const json =
    wring_json_object("file", JSON(r->file), "format", JSON(r->d->format), "vertices", JSON(r->m.n_vertex), "order",
                      JSON(r->order), "tetrahedra", JSON(r->m.n_tet), NULL);
  if (r->order == 2) wring_json_set(json, "middles", JSON(r->n_middle), "jacobian_min", JSON(r->m.jacobian_min), NULL);
  if (r->m.n_tet) set_tets(json, &r->m);
  wring_json_set(
    json, "bounding_box", wring_json_object("low", json_point(r->m.low), "high", json_point(r->m.high), NULL),
    "regions", regions_json(r->d, &r->m), "sets", sets_json(r->d, &r->m), "partitions", cuts_json(r), "memory",
    wring_json_object("largest", JSON((json_int_t)r->memory[0]), "all", JSON((json_int_t)r->memory[1]), NULL), NULL);
  wring_json_write(json, e, "%s", file);
  json_decref(json);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

/* The name of an output file (NULL: none). */
static PetscErrorCode check_output(const wring_mesh_job *job, const char *key, const char *ending, const char *file)
{
  wring_error error = {""};

  PetscFunctionBegin;
  if (file && !wring_mesh_ends(file, ending))
    WRING_REFUSE(job->comm, "%s: %s, expected a name that ends with %s", key, file, ending);
  if (file && job->rank == 0) wring_file_protect(job->from[0], file, &error);
  PetscCall(wring_error_raise(job->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode measure(const wring_mesh_job *job, report *r)
{
  PetscFunctionBegin;
  r->order    = PetscMax(r->d->order, 1);
  r->n_middle = r->d->middles.n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &r->order, 1, MPI_INT, MPI_MAX, job->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &r->n_middle, 1, MPIU_INT64, MPI_SUM, job->comm));
  PetscCall(wring_mesh_measure(job->comm, r->d, &r->m));
  PetscCall(PetscMalloc1(r->n_cut, &r->cut));
  for (PetscInt i = 0; i < r->n_cut; i++)
    PetscCall(wring_mesh_measure_cut(job->comm, job->keys.partitioner, r->parts[i], r->d, &r->cut[i]));
  const double memory = wring_peak_memory();
  PetscCallMPI(MPI_Allreduce(&memory, &r->memory[0], 1, MPI_DOUBLE, MPI_MAX, job->comm));
  PetscCallMPI(MPI_Allreduce(&memory, &r->memory[1], 1, MPI_DOUBLE, MPI_SUM, job->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file's number of each vertex, and the vertex, on rank 0. Destroys *data. */
static PetscErrorCode write_map(const wring_mesh_job *job, const char *file, wring_mesh_data **data)
{
  wring_error error = {""};
  PetscInt    n;
  int64_t    *tag;

  PetscFunctionBegin;
  PetscCall(wring_mesh_list_tags(job->comm, data, &n, &tag));
  FILE *const f = job->rank == 0 ? wring_file_create(file, &error) : NULL;
  if (f) {
    fprintf(f, "node,vertex\n");
    for (PetscInt v = 0; v < n; v++)
      if (tag[v] >= 0) fprintf(f, "%" PRId64 ",%" PetscInt_FMT "\n", tag[v], v);
    wring_file_commit(f, file, &error);
  }
  PetscCall(PetscFree(tag));
  PetscCall(wring_error_raise_output(job->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The files are written before anything is printed, so that a refusal stands alone. */
PetscErrorCode wring_mesh_print_info(const wring_mesh_job *job)
{
  report           r     = {.file = job->from[0]};
  wring_text_table text  = {0};
  wring_mesh_data *data  = NULL;
  wring_error      error = {""};

  PetscFunctionBegin;
  PetscCall(wring_mesh_check_partitioner(job->o, "", job->keys.partitioner));
  if (wring_options_has(job->o, "", "parts"))
    PetscCall(wring_options_get_int_list(job->o, "", job->table, "parts", &r.n_cut, &r.parts));
  PetscCall(check_output(job, "json", ".json", job->json));
  PetscCall(check_output(job, "map", ".csv", job->map));
  PetscCall(
    wring_mesh_file_read(job->comm, job->from[0], job->keys.source.scale, (PetscBool)(job->map != NULL), &data));
  r.d = data;
  PetscCall(measure(job, &r));
  if (job->rank == 0 && job->json) write_json(job->json, &r, &error);
  PetscCall(wring_error_raise_output(job->comm, &error));
  if (job->rank == 0) print(wring_table_begin(&text), &r);
  if (job->map) PetscCall(write_map(job, job->map, &data));
  if (job->rank == 0) {
    fclose(text.file);
    fputs(text.text, stdout);
    free(text.text);
  }
  PetscCall(wring_mesh_measures_destroy(&r.m));
  PetscCall(PetscFree(r.cut));
  PetscCall(PetscFree(r.parts));
  PetscCall(wring_mesh_data_destroy(&data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
