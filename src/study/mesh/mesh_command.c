/* wring mesh: makes, describes, converts and refines meshes. docs/user.md is the manual. */
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"
#include "mesh_command.h"
#include <string.h>
#include <sys/stat.h>
#include <wring/study.h>

/* ---- files -------------------------------------------------------------------------------------------------------- */

PetscBool wring_mesh_ends(const char *file, const char *ending)
{
  const size_t n = strlen(file), m = strlen(ending);
  return (PetscBool)(n > m && !strcmp(file + n - m, ending));
}

static PetscBool same_file(const char *a, const char *b)
{
  struct stat s, t;
  return (PetscBool)(!stat(a, &s) && !stat(b, &t) && s.st_dev == t.st_dev && s.st_ino == t.st_ino);
}

void wring_mesh_protect(const char *from, const char *to, wring_error *e)
{
  char part[WRING_FILE_NAME];
  wring_file_part(to, part, e);
  if (same_file(from, to) || same_file(from, part))
    wring_error_set(e, "%s: writing it would destroy %s, which is read: expected another name", to, from);
}

/* ---- writing ------------------------------------------------------------------------------------------------------ */

/* What a .vtu file shows of a whole mesh, on rank 0: tets, triangles, lines and points as cells with their region. */
enum { N_KIND = 4 };

typedef struct {
  PetscInt  n[N_KIND];      // of cells with 4, 3, 2 and 1 corners
  PetscInt *corner[N_KIND]; // that of tets is the mesh's
  int32_t  *region;
  int64_t  *number; // of vertices
} picture;

/* Vertices of tets: mark [n_vertex]. */
static void mark_tets(const wring_mesh_data *d, char *mark)
{
  for (size_t i = 0; i < 4 * (size_t)d->n_tet; i++) mark[d->tet[i]] = 1;
}

/* Lines and triangles are shown where they are no part of a solid: a vertex of theirs is in no tet. */
static PetscBool is_free(const PetscInt *row, const char *mark)
{
  return (PetscBool)(!mark[row[1]] || !mark[row[2]] || (row[3] >= 0 && !mark[row[3]]));
}

/* Sets are numbered on after the regions. */
static void take_elements(const wring_mesh_data *d, const char *mark, int kind, int32_t *region, picture *p)
{
  const int corners = 4 - kind;
  for (PetscInt i = 0; i < d->n_set_element; i++) {
    const PetscInt *const row = d->set_element + 4 * (size_t)i;
    if ((row[3] < 0 ? 2 : 3) != corners || !is_free(row, mark)) continue;
    region[p->n[kind]] = (int32_t)(d->regions.n + row[0]);
    memcpy(p->corner[kind] + (size_t)p->n[kind]++ * (size_t)corners, row + 1, (size_t)corners * sizeof *row);
  }
}

static PetscErrorCode draw(const wring_mesh_data *d, picture *p)
{
  char *mark;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)d->n_vertex, &mark));
  PetscCall(PetscMalloc5(3 * (size_t)d->n_set_element, &p->corner[1], 2 * (size_t)d->n_set_element, &p->corner[2],
                         (size_t)d->n_vertex, &p->corner[3],
                         (size_t)d->n_tet + (size_t)d->n_set_element + (size_t)d->n_vertex, &p->region,
                         (size_t)d->n_vertex, &p->number));
  mark_tets(d, mark);
  p->n[0]      = d->n_tet;
  p->corner[0] = d->tet;
  for (PetscInt e = 0; e < d->n_tet; e++) p->region[e] = (int32_t)d->region[e];
  take_elements(d, mark, 1, p->region + d->n_tet, p);
  take_elements(d, mark, 2, p->region + d->n_tet + p->n[1], p);
  for (PetscInt v = 0; v < d->n_vertex; v++) {
    p->number[v] = v;
    if (p->n[0] + p->n[1] + p->n[2] > 0) continue;
    p->region[v]            = -1;
    p->corner[3][p->n[3]++] = v;
  }
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_vtu(const wring_mesh_job *job, const wring_mesh_data *d)
{
  picture     p = {0};
  wring_cells cells[N_KIND];

  PetscFunctionBegin;
  if (d) PetscCall(draw(d, &p));
  for (int k = 0; k < N_KIND; k++) cells[k] = (wring_cells){p.n[k], 4 - k, p.corner[k]};
  const wring_field vertex = {"vertex", WRING_INT64, 1, p.number}, cell = {"region", WRING_INT32, 1, p.region};
  PetscCall(wring_vtk_write(job->comm, job->to, 0, PETSC_TRUE, d ? d->n_vertex : 0, d ? d->X : NULL, N_KIND, cells, 1,
                            &vertex, 1, &cell));
  PetscCall(PetscFree5(p.corner[1], p.corner[2], p.corner[3], p.region, p.number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_msh(const wring_mesh_job *job, const wring_mesh_data *d)
{
  wring_error error = {""};
  PetscBool   binary;

  PetscFunctionBegin;
  PetscCall(wring_options_get_bool(job->o, "", job->table, "binary", &binary));
  if (job->rank == 0) PetscCall(wring_gmsh_write(job->to, d, binary, &error));
  PetscCall(wring_error_raise_output(job->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines and triangles where there are no tets, each as often as sets have it. */
static PetscErrorCode say_counts(const char *file, const wring_mesh_data *d)
{
  PetscInt lines = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < d->n_set_element; i++) lines += d->set_element[4 * (size_t)i + 3] < 0;
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: %" PetscInt_FMT " vertices, %" PetscInt_FMT " tetrahedra", file,
                        d->n_vertex, d->n_tet));
  if (d->n_tet == 0)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, ", %" PetscInt_FMT " triangles, %" PetscInt_FMT " lines",
                          d->n_set_element - lines, lines));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* data on rank 0, destroyed. */
static PetscErrorCode write_mesh(const wring_mesh_job *job, wring_mesh_data **data)
{
  const wring_mesh_data *const d = *data;

  PetscFunctionBegin;
  if (wring_mesh_ends(job->to, ".vtu"))
    PetscCall(write_vtu(job, d));
  else
    PetscCall(write_msh(job, d));
  if (d) PetscCall(say_counts(job->to, d));
  PetscCall(wring_mesh_data_destroy(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- commands ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode make_box(const wring_mesh_job *job)
{
  wring_mesh_data *data = NULL;

  PetscFunctionBegin;
  PetscCall(wring_mesh_box_make(job->o, "", &data));
  PetscCall(write_mesh(job, &data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode convert(const wring_mesh_job *job)
{
  wring_mesh_data *data;
  wring_error      error = {""};
  double           scale;

  PetscFunctionBegin;
  PetscCall(wring_options_get_real(job->o, "", job->table, "scale", &scale));
  if (job->rank == 0) wring_mesh_protect(job->from, job->to, &error);
  PetscCall(wring_error_raise(job->comm, &error));
  PetscCall(wring_mesh_file_read(job->comm, job->from, scale, &data));
  PetscCall(write_mesh(job, &data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In parallel; the refined mesh is then gathered, as it is written on rank 0. */
static PetscErrorCode refine(const wring_mesh_job *job)
{
  wring_mesh_data *data;
  wring_mesh      *mesh;
  wring_error      error = {""};
  double           scale;
  PetscInt         levels;

  PetscFunctionBegin;
  PetscCall(wring_options_get_real(job->o, "", job->table, "scale", &scale));
  PetscCall(wring_options_get_int(job->o, "", job->table, "levels", &levels));
  if (job->rank == 0) wring_mesh_protect(job->from, job->to, &error);
  PetscCall(wring_error_raise(job->comm, &error));
  PetscCall(wring_mesh_file_read(job->comm, job->from, scale, &data));
  PetscCall(wring_mesh_distribute(job->comm, &data, &mesh));
  PetscCall(wring_mesh_refine(mesh, levels));
  PetscCall(wring_mesh_gather(mesh, &data));
  PetscCall(wring_mesh_destroy(&mesh));
  PetscCall(write_mesh(job, &data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the command line --------------------------------------------------------------------------------------------- */

static const wring_option info_options[] = {
  {.key = "parts", .type = WRING_INTS, .range = "[1,1000000]", .help = "Numbers of ranks to judge the partition for."},
  {.key = "json", .type = WRING_PATH, .help = "File NAME.json for the same in JSON."},
  {.key = NULL},
};

static const wring_option write_options[] = {
  {.key   = "binary",
   .type  = WRING_BOOL,
   .value = "false",
   .help  = "Whether a .msh file is binary, which is faster to read."},
  {.key = NULL},
};

static const wring_option refine_options[] = {
  {.key   = "levels",
   .type  = WRING_INT,
   .range = "[1,10]",
   .value = "1",
   .help  = "Times that each tetrahedron is cut into 8, triangle into 4 and line into 2."},
  {.key   = "binary",
   .type  = WRING_BOOL,
   .value = "false",
   .help  = "Whether a .msh file is binary, which is faster to read."},
  {.key = NULL},
};

typedef struct {
  const char         *name, *files;
  PetscBool           reads, writes;
  const wring_option *own;
  const char         *borrowed; // what its keys of wring_mesh_options begin with: wring_mesh_select_options
  PetscErrorCode (*run)(const wring_mesh_job *);
} command;

static const command commands[] = {
  {"info", "FILE", PETSC_TRUE, PETSC_FALSE, info_options, "scale", wring_mesh_print_info},
  {"convert", "FROM TO", PETSC_TRUE, PETSC_TRUE, write_options, "scale", convert},
  {"refine", "FROM TO", PETSC_TRUE, PETSC_TRUE, refine_options, "scale", refine},
  {"box", "TO", PETSC_FALSE, PETSC_TRUE, write_options, "box_", make_box},
};

enum { N_COMMAND = sizeof commands / sizeof commands[0] };

static void fill_table(const command *c, wring_option *table)
{
  int n = wring_mesh_select_options(c->borrowed, table);
  for (const wring_option *p = c->own; p->key; p++) table[n++] = *p;
  table[n] = (wring_option){.key = NULL};
}

PetscErrorCode wring_mesh_help(MPI_Comm comm)
{
  wring_option table[WRING_MESH_OPTIONS];
  PetscInt     n;
  char         prefix[64];

  PetscFunctionBegin;
  for (int i = 0; i < N_COMMAND; i++) {
    const wring_schema schema = {prefix, table, "wring mesh"};
    fill_table(&commands[i], table);
    snprintf(prefix, sizeof prefix, "wring mesh %s %s -", commands[i].name, commands[i].files);
    PetscCall(wring_options_help(comm, 1, &schema, NULL, &n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_command(MPI_Comm comm, int n, char **args, const command **found)
{
  PetscFunctionBegin;
  for (int i = 0; i < N_COMMAND && n > 0; i++) {
    const command *const c = &commands[i];
    if (strcmp(args[0], c->name)) continue;
    const int files = c->reads + c->writes;
    for (int k = 1; k <= files; k++) {
      if (k >= n || args[k][0] == '-' || !args[k][0])
        WRING_REFUSE(comm, "mesh %s: too few file names, expected wring mesh %s %s [-key value ...]", c->name, c->name,
                     c->files);
    }
    *found = c;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  WRING_REFUSE(comm, "mesh: %s%.40s, expected wring mesh info FILE, convert FROM TO, refine FROM TO or box TO",
               n > 0 ? "no command " : "no command given", n > 0 ? args[0] : "");
}

static PetscErrorCode check_target(const wring_mesh_job *job)
{
  PetscFunctionBegin;
  if (!job->to || wring_mesh_ends(job->to, ".msh")) PetscFunctionReturn(PETSC_SUCCESS);
  if (!wring_mesh_ends(job->to, ".vtu"))
    WRING_REFUSE(job->comm, "%s: unknown kind of file, expected a name that ends with .msh (Gmsh 4.1) or .vtu (VTK)",
                 job->to);
  if (wring_options_has(job->o, "", "binary"))
    WRING_REFUSE(job->comm, "command line: binary is for .msh files, and %s is none", job->to);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_study_mesh(MPI_Comm comm, int n, char **args, wring_exit *status)
{
  const command *c   = NULL;
  wring_mesh_job job = {.comm = comm};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &job.rank));
  PetscCall(find_command(comm, n, args, &c));
  if (c->reads) job.from = args[1];
  if (c->writes) job.to = args[1 + c->reads];
  fill_table(c, job.table);
  const int          used   = 1 + c->reads + c->writes;
  const wring_schema schema = {"", job.table, c->name};
  PetscCall(wring_options_create(comm, &job.o));
  PetscCall(wring_deck_read_arguments(n - used, args + used, job.o));
  PetscCall(wring_options_check(job.o, 1, &schema));
  PetscCall(check_target(&job));
  PetscCall(c->run(&job));
  PetscCall(wring_options_destroy(&job.o));
  *status = WRING_EXIT_DONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
