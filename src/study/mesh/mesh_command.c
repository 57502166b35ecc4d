/* wring mesh: makes, describes, converts, refines and merges meshes. docs/operations.md is the manual. */
#include "mesh_command.h"
#include "io/file.h"
#include "io/print.h"
#include <string.h>
#include <wring/io.h>
#include <wring/study.h>

/* ---- writing a mesh ---------------------------------------------------------------------------------------------- */

/* Slices of comm become the whole mesh on rank 0, refined in parallel. */
static PetscErrorCode subdivide(MPI_Comm comm, PetscInt levels, PetscInt order, wring_mesh_data **data)
{
  wring_mesh *mesh;

  PetscFunctionBegin;
  if (order == 1) {
    (*data)->order = 1;
    PetscCall(wring_middles_clear(&(*data)->middles));
  }
  PetscCall(wring_mesh_distribute(comm, WRING_PARTITIONER_METIS, data, &mesh));
  PetscCall(wring_mesh_refine(mesh, levels));
  if (order == 2) PetscCall(wring_mesh_raise(mesh));
  PetscCall(wring_mesh_gather(mesh, data));
  PetscCall(wring_mesh_destroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The keys of `merge` for each file, after the file's name. */
static const wring_schema of_bodies[] = {{"*_", wring_mesh_source_options, "merge"},
                                         {"*_", wring_place_options, "merge"}};
enum { N_OF_BODIES = sizeof of_bodies / sizeof of_bodies[0] };

/* The files become bodies with their names, without folder and ending: sets their keys NAME_file. */
static PetscErrorCode name_bodies(const wring_mesh_job *job)
{
  char key[256];

  PetscFunctionBegin;
  for (int i = 0; i < job->n_from; i++) {
    const char *const slash = strrchr(job->from[i], '/'), *const base = slash ? slash + 1 : job->from[i];
    const int size = (int)strcspn(base, ".");
    snprintf(key, sizeof key, "%.*s_file", size, base);
    if (!size || wring_options_has(job->o, "", key))
      WRING_REFUSE(job->comm, "mesh merge: %s: expected files with different names, which name their bodies",
                   job->from[i]);
    PetscCall(wring_options_set(job->o, key, job->from[i], WRING_COMMAND_LINE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode merge(const wring_mesh_job *job, wring_mesh_data **data)
{
  wring_bodies bodies;

  PetscFunctionBegin;
  PetscCall(wring_bodies_read(job->o, "", N_OF_BODIES, of_bodies, &bodies));
  PetscCall(wring_bodies_mesh(job->o, &bodies, data));
  PetscCall(wring_bodies_destroy(&bodies));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh of the order of the command, or else of the file, refined if the command does that; rank 0 writes it. */
static PetscErrorCode write_mesh(const wring_mesh_job *job)
{
  wring_mesh_data *data;
  wring_error      error = {""};
  PetscInt         order = 1;

  PetscFunctionBegin;
  for (int i = 0; i <= job->n_from && job->rank == 0; i++)
    wring_file_protect(i < job->n_from ? job->from[i] : NULL, job->to, &error);
  PetscCall(wring_error_raise(job->comm, &error));
  if (!job->n_from)
    PetscCall(wring_mesh_box_make(job->o, "", &job->keys.source.box, &data));
  else if (job->merges)
    PetscCall(merge(job, &data));
  else
    PetscCall(wring_mesh_file_read(job->comm, job->from[0], job->keys.source.scale, PETSC_FALSE, &data));
  if (data) order = PetscMax(data->order, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &order, 1, MPIU_INT, MPI_MAX, job->comm));
  if (job->keys.order) order = job->keys.order;
  if (job->levels > 0 || order == 2)
    PetscCall(subdivide(job->comm, job->levels, order, &data));
  else
    PetscCall(wring_mesh_collect(job->comm, &data)); // of a second-order mesh the corners
  PetscCall(wring_mesh_write(job, &data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command line -------------------------------------------------------------------------------------------- */

static const wring_option info_options[] = {
  {"parts", WRING_INTS, .range = "[1,1000000]", .help = "Numbers of ranks for which a partition is assessed."},
  {"partitioner", WRING_WORD, .choices = "metis|curve|ptscotch|parmetis", .value = "metis",
   .at   = WRING_AT(wring_mesh_job, keys.partitioner),
   .help = "How these partitions are made; the last two need a PETSc with these packages."},
  {"json", WRING_PATH, .at = WRING_AT(wring_mesh_job, json), .help = "File NAME.json for the same report in JSON."},
  {"map", WRING_PATH, .at = WRING_AT(wring_mesh_job, map),
   .help = "File NAME.csv for the file's number of each vertex: node,vertex; of order 2 with vertices at middles."},
  {0},
};

static const wring_option write_options[] = {
  {"order", WRING_INT, .range = "[1,2]", .at = WRING_AT(wring_mesh_job, keys.order),
   .help = "Order of the elements that are written; default: that of the file, 1 of the box."},
  /* only of `refine` */
  {"levels", WRING_INT, .range = "[1,10]", .value = "1", .at = WRING_AT(wring_mesh_job, levels),
   .help = "Number of refinements; each splits a tetrahedron into 8, a triangle into 4 and a line into 2."},
  {"binary", WRING_BOOL, .value = "false", .at = WRING_AT(wring_mesh_job, binary),
   .help = "Whether a .msh file is binary, which is faster to read."},
  {0},
};

/* The arguments say which files a command reads and writes. */
const wring_usage wring_mesh_usage[] = {
  {.name = "info", .arguments = "FILE", .help = "contents and quality of a mesh file"},
  {.name = "convert", .arguments = "FROM TO", .help = "a mesh in another format"},
  {.name = "refine", .arguments = "FROM TO", .help = "a finer mesh"},
  {.name = "box", .arguments = "TO", .help = "the mesh of a box"},
  {.name = "merge", .arguments = "FROM FROM... TO", .help = "one mesh of several files, each placed by its own keys"},
  {0},
};

static PetscBool reads(const wring_usage *u)
{
  return (PetscBool)(strcmp(u->arguments, "TO") != 0);
}

static PetscBool writes(const wring_usage *u)
{
  return (PetscBool)(strcmp(u->arguments, "FILE") != 0);
}

static PetscBool merges(const wring_usage *u)
{
  return (PetscBool)(strcmp(u->name, "merge") == 0);
}

static void fill_table(const wring_usage *u, wring_option *table)
{
  int n = merges(u) ? 0 : wring_mesh_select_options(reads(u) ? "scale" : "box_", table);
  for (const wring_option *p = writes(u) ? write_options : info_options; p->key; p++)
    if (strcmp(p->key, "levels") != 0 || strcmp(u->name, "refine") == 0) table[n++] = *p;
  table[n] = (wring_option){0};
}

static PetscErrorCode refuse_command(MPI_Comm comm, const char *name)
{
  const char *const nearest    = name ? wring_usage_nearest(wring_mesh_usage, name) : NULL;
  char              usage[512] = "";

  PetscFunctionBegin;
  wring_usage_append("wring mesh", wring_mesh_usage, sizeof usage, usage);
  if (!name) WRING_REFUSE(comm, "mesh: no command given, expected %s", usage);
  WRING_REFUSE(comm, "mesh: unknown command %.40s%s%s, expected %s", name, nearest ? ", did you mean " : "",
               nearest ? nearest : "", usage);
}

PetscErrorCode wring_mesh_help(MPI_Comm comm, const char *name)
{
  wring_option table[WRING_MESH_OPTIONS];
  char         prefix[64];
  PetscInt     n;

  PetscFunctionBegin;
  if (name && !wring_usage_find(wring_mesh_usage, name)) PetscCall(refuse_command(comm, name));
  for (const wring_usage *u = wring_mesh_usage; u->name; u++) {
    const wring_schema schema = {prefix, table, "wring mesh"};
    if (name && strcmp(name, u->name)) continue;
    if (name) wring_print(comm, "wring mesh %s %s\n    %s\n\n", u->name, u->arguments, u->help);
    fill_table(u, table);
    snprintf(prefix, sizeof prefix, "wring mesh %s %s -", u->name, u->arguments);
    PetscCall(wring_options_help(comm, 1, &schema, NULL, &n));
    if (!merges(u)) continue;
    snprintf(prefix, sizeof prefix, "wring mesh %s %s -*_", u->name, u->arguments);
    wring_mesh_select_options("scale", table);
    const char *const  owner  = "for each file, by its name without folder and ending";
    const wring_schema each[] = {{prefix, table, owner}, {prefix, wring_place_options, owner}};
    PetscCall(wring_options_help(comm, N_OF_BODIES, each, NULL, &n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *n_file: the files that the arguments name. */
static PetscErrorCode find_command(MPI_Comm comm, int n, char **args, const wring_usage **found, int *n_file)
{
  const wring_usage *const u = n > 0 ? wring_usage_find(wring_mesh_usage, args[0]) : NULL;

  PetscFunctionBegin;
  if (!u) PetscCall(refuse_command(comm, n > 0 ? args[0] : NULL));
  *n_file = (int)reads(u) + (int)merges(u) + (int)writes(u);
  for (int k = 1; k <= *n_file; k++)
    if (k >= n || args[k][0] == '-' || !args[k][0])
      WRING_REFUSE(comm, "mesh %s: too few file names, expected wring mesh %s %s [-key value ...]", u->name, u->name,
                   u->arguments);
  while (merges(u) && 1 + *n_file < n && args[1 + *n_file][0] != '-') ++*n_file;
  *found = u;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_mesh(MPI_Comm comm, int n, char **args, wring_ending *end)
{
  const wring_usage *u    = NULL;
  wring_mesh_job     job  = {.comm = comm};
  int                used = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &job.rank));
  PetscCall(find_command(comm, n, args, &u, &used));
  const wring_schema schema[1 + N_OF_BODIES] = {{"", job.table, u->name}, of_bodies[0], of_bodies[1]};
  job.from                                   = args + 1;
  job.n_from                                 = used - (int)writes(u);
  job.merges                                 = merges(u);
  if (writes(u)) job.to = args[used];
  fill_table(u, job.table);
  PetscCall(wring_options_create(comm, &job.o));
  PetscCall(wring_options_set_deck(job.o, WRING_COMMAND_LINE));
  if (job.merges) PetscCall(name_bodies(&job));
  PetscCall(wring_deck_read_arguments(n - used - 1, args + used + 1, job.o));
  PetscCall(wring_options_check(job.o, job.merges ? 1 + N_OF_BODIES : 1, schema, NULL));
  PetscCall(wring_options_read(job.o, "", job.table, &job));
  if (job.to && !wring_mesh_ends(job.to, ".msh")) {
    if (!wring_mesh_ends(job.to, ".vtu"))
      WRING_REFUSE(comm, "%s: unknown kind of file, expected a name that ends with .msh (Gmsh 4.1) or .vtu (VTK)",
                   job.to);
    if (wring_options_has(job.o, "", "binary"))
      WRING_REFUSE(comm, "command line: binary applies to .msh files only, and %s is not one", job.to);
  }
  PetscCall(writes(u) ? write_mesh(&job) : wring_mesh_print_info(&job));
  PetscCall(wring_options_destroy(&job.o));
  end->status = WRING_EXIT_DONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
