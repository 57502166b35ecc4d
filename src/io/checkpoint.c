/*
  Attributes: format, version, step, time; mesh: the name of the file beside it that has the mesh, and mesh_seal, the
  seal of this file; both are empty in files of fields alone, and absent in those of version 1, which have the tables of
  the mesh (mesh_tables.h). One table per field with the field's name, in original order, which has one row if the field
  is one number. The mesh file has the attributes format and version and the tables of the mesh.
*/
#define _POSIX_C_SOURCE 200809L // access
#include "mesh_tables.h"
#include "natural.h"
#include "sealed.h"
#include <string.h>
#include <unistd.h>

static const char format[] = "wring checkpoint", mesh_format[] = "wring mesh";
enum { VERSION = 2, ONE_FILE = 1, MESH_VERSION = 1 };

/* ---- the mesh file ----------------------------------------------------------------------------------------------- */

static PetscErrorCode write_mesh_file(const char *file, const wring_mesh *m)
{
  wring_error e = {""};
  wring_hdf5  h;
  uint64_t    bytes;

  PetscFunctionBegin;
  PetscCall(wring_mesh_tables_size(m, &bytes));
  PetscCall(wring_sealed_create(&h, m->comm, file, bytes, &e));
  wring_hdf5_put_text(&h, "format", mesh_format);
  wring_hdf5_put_integer(&h, "version", MESH_VERSION);
  PetscCall(wring_mesh_tables_write(&h, m));
  PetscCall(wring_sealed_finish(&h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_checkpoint_write_mesh(const char *directory, const wring_mesh *m, char seal[WRING_SEAL_TEXT])
{
  char        file[PETSC_MAX_PATH_LEN], there[WRING_SEAL_TEXT] = "";
  wring_error e = {""};

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(m->comm);
  PetscCall(PetscSNPrintf(file, sizeof file, "%s/%s", directory, WRING_CHECKPOINT_MESH));
  if (rank == 0) wring_checkpoint_seal(file, there, &e);
  PetscCallMPI(MPI_Bcast(there, WRING_SEAL_TEXT, MPI_CHAR, 0, m->comm));
  PetscCall(wring_error_raise_output(m->comm, &e));
  if (seal[0] && strcmp(there, seal) == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(write_mesh_file(file, m));
  if (rank == 0) wring_checkpoint_seal(file, seal, &e);
  PetscCall(wring_error_raise_output(m->comm, &e));
  PetscCallMPI(MPI_Bcast(seal, WRING_SEAL_TEXT, MPI_CHAR, 0, m->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The table of a field, and the rows of this rank: vertices in natural order; a number is one row, of rank 0. */
static PetscErrorCode find_rows(const wring_mesh *m, const wring_checkpoint_field *f, wring_table *t, PetscInt *begin,
                                PetscInt *n)
{
  PetscFunctionBegin;
  *t     = (wring_table){f->name, WRING_FLOAT64, PetscMax(f->components, 1), PETSC_FALSE};
  *begin = 0;
  *n     = wring_comm_rank(m->comm) == 0;
  if (f->components) PetscCall(wring_natural_rows(m, begin, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_field(wring_hdf5 *h, const wring_mesh *m, const wring_checkpoint_field *f)
{
  wring_table t;
  PetscInt    begin, n;
  double     *row = NULL;

  PetscFunctionBegin;
  PetscCall(find_rows(m, f, &t, &begin, &n));
  if (f->components) PetscCall(wring_natural_gather(m, f->components, f->value, &row));
  PetscCall(wring_hdf5_write(h, t, n, row ? row : f->value));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_checkpoint_write(const char *file, const wring_mesh *m, const char *mesh_seal, PetscInt step,
                                      double time, int n, const wring_checkpoint_field *field)
{
  wring_error e          = {""};
  uint64_t    per_vertex = 0;
  wring_hdf5  h;

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) per_vertex += (uint64_t)field[i].components * sizeof(double);
  PetscCall(wring_sealed_create(&h, m->comm, file, per_vertex * (uint64_t)m->number.n_global, &e));
  wring_hdf5_put_text(&h, "format", format);
  wring_hdf5_put_integer(&h, "version", VERSION);
  wring_hdf5_put_integer(&h, "step", step);
  wring_hdf5_put_real(&h, "time", time);
  wring_hdf5_put_text(&h, "mesh", mesh_seal ? WRING_CHECKPOINT_MESH : "");
  wring_hdf5_put_text(&h, "mesh_seal", mesh_seal ? mesh_seal : "");
  for (int i = 0; i < n; i++) PetscCall(write_field(&h, m, &field[i]));
  PetscCall(wring_sealed_finish(&h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Opens a file whose seal must have been checked. Returns its version. */
static int64_t open_checkpoint(wring_hdf5 *h, const char *file, wring_error *e)
{
  char found[WRING_HDF5_TEXT] = "";
  wring_hdf5_open(h, file, e);
  if (wring_failed(e)) return 0;
  if (wring_hdf5_has_attribute(h, "format")) wring_hdf5_get_text(h, "format", found);
  if (strcmp(found, mesh_format) == 0)
    wring_error_set(e, "%s: holds the mesh of checkpoints, expected one of the checkpoint_NNNNNN.h5 beside it", file);
  else if (strcmp(found, format) != 0)
    wring_error_set(e, "%s: is not a checkpoint of wring", file);
  if (wring_failed(e)) return 0;
  const int64_t version = wring_hdf5_get_integer(h, "version");
  if (version != VERSION && version != ONE_FILE)
    wring_error_set(e, "%s: is a checkpoint of version %lld, expected %d or %d", file, (long long)version, ONE_FILE,
                    VERSION);
  return version;
}

/* What a checkpoint says of its mesh. */
typedef struct {
  PetscInt step;
  double   time;
  char     file[PETSC_MAX_PATH_LEN]; // that has the mesh: the checkpoint itself or one beside it
  char     seal[WRING_HDF5_TEXT];    // of the other file; "" for the checkpoint itself
} reference;

/* The other file is in the directory of the checkpoint, without which it has no use. */
static void find_mesh(wring_hdf5 *h, const char *file, reference *r)
{
  const char *const slash                 = strrchr(file, '/');
  const int         folder                = slash ? (int)(slash + 1 - file) : 0;
  char              name[WRING_HDF5_TEXT] = "";
  wring_hdf5_get_text(h, "mesh", name);
  wring_hdf5_get_text(h, "mesh_seal", r->seal);
  if (!name[0] || strchr(name, '/') || !r->seal[0]) wring_error_set(h->error, "%s: holds fields without a mesh", file);
  if (snprintf(r->file, sizeof r->file, "%.*s%s", folder, file, name) >= (int)sizeof r->file)
    wring_error_set(h->error, "%s: the path is too long", file);
  if (access(r->file, F_OK))
    wring_error_set(h->error, "%s: its mesh is missing, expected the file %s of the same run beside it", file, name);
}

/* On rank 0 of comm, then broadcast; raises an error. */
static PetscErrorCode read_reference(MPI_Comm comm, const char *file, reference *r)
{
  wring_error e = {""};
  wring_hdf5  h;

  PetscFunctionBegin;
  *r = (reference){.step = 0};
  if (wring_comm_rank(comm) == 0) {
    const int64_t version = open_checkpoint(&h, file, &e);
    r->step               = (PetscInt)wring_hdf5_get_integer(&h, "step");
    r->time               = wring_hdf5_get_real(&h, "time");
    if (version != ONE_FILE) find_mesh(&h, file, r);
    if (version == ONE_FILE) PetscCall(PetscStrncpy(r->file, file, sizeof r->file));
    wring_hdf5_close(&h);
  }
  PetscCall(wring_error_raise(comm, &e));
  PetscCallMPI(MPI_Bcast(r, sizeof *r, MPI_BYTE, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Verifies the mesh file, every byte, and that it is the one that the checkpoint names. Collective. */
static PetscErrorCode check_mesh_file(MPI_Comm comm, const char *file, const reference *r)
{
  wring_error e = {""};
  char        seal[WRING_SEAL_TEXT];

  PetscFunctionBegin;
  PetscCall(wring_seal_check(comm, r->file, &e));
  if (wring_comm_rank(comm) == 0) {
    wring_checkpoint_seal(r->file, seal, &e);
    if (strcmp(seal, r->seal) != 0)
      wring_error_set(&e, "%s: its mesh is not that of %s (seal %s), expected the file of the same run (seal %.16s)",
                      file, r->file, seal, r->seal);
  }
  PetscCall(wring_error_raise(comm, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_checkpoint_mesh_seal(MPI_Comm comm, const char *file, char seal[WRING_SEAL_TEXT])
{
  reference r;

  PetscFunctionBegin;
  PetscCall(read_reference(comm, file, &r));
  PetscCall(PetscStrncpy(seal, r.seal, WRING_SEAL_TEXT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No rank returns before the last collective call, even if it could not open the file or read its rows. */
PetscErrorCode wring_checkpoint_read_mesh(MPI_Comm comm, const char *file, wring_mesh_data **data, PetscInt *step,
                                          double *time)
{
  reference   r;
  wring_error e = {""};
  wring_hdf5  h;

  PetscFunctionBegin;
  *data = NULL;
  PetscCall(read_reference(comm, file, &r));
  if (r.seal[0]) PetscCall(check_mesh_file(comm, file, &r));
  wring_hdf5_open(&h, r.file, &e);
  PetscCall(wring_error_share(comm, &e));
  if (!wring_failed(&e)) PetscCall(wring_mesh_tables_read(&h, comm, data));
  wring_hdf5_close(&h);
  PetscCall(wring_error_share(comm, &e));
  if (wring_failed(&e)) PetscCall(wring_mesh_data_destroy(data));
  PetscCall(wring_error_raise(comm, &e));
  *step = r.step;
  *time = r.time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_checkpoint_has(MPI_Comm comm, const char *file, const char *name, PetscBool *has)
{
  wring_error e = {""};
  wring_hdf5  h;

  PetscFunctionBegin;
  if (wring_comm_rank(comm) == 0) {
    open_checkpoint(&h, file, &e);
    *has = wring_hdf5_has_table(&h, name);
    wring_hdf5_close(&h);
  }
  PetscCall(wring_error_raise(comm, &e));
  PetscCallMPI(MPI_Bcast(has, 1, WRING_MPI_BOOL, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_rows(wring_hdf5 *h, wring_table t, PetscBool number, PetscInt vertices)
{
  if (wring_failed(h->error)) return;
  const PetscInt64 rows = wring_hdf5_rows(h, t);
  if (number && rows != 1)
    wring_error_set(h->error, "%s: %s is not one number", h->path, t.name);
  else if (!number && rows != vertices)
    wring_error_set(h->error, "%s: %s has %lld vertices, the mesh has %" PetscInt_FMT, h->path, t.name, (long long)rows,
                    vertices);
}

/*
  Every rank reads the row of a number, and rank 0 checks it. No rank returns before the last collective call, even if
  it could not read its rows.
*/
static PetscErrorCode read_field(wring_hdf5 *h, const wring_mesh *m, const wring_checkpoint_field *f)
{
  const PetscBool number = (PetscBool)(f->components == 0);
  wring_table     t;
  PetscInt        begin, n;
  double         *row;

  PetscFunctionBegin;
  PetscCall(find_rows(m, f, &t, &begin, &n));
  PetscCall(PetscCalloc1((size_t)(number ? 1 : n) * (size_t)t.width, &row));
  check_rows(h, t, number, m->number.n_global);
  if (!wring_failed(h->error)) wring_hdf5_read(h, t, begin, number ? 1 : n, row);
  PetscCall(wring_hdf5_check(h, m->comm, t, n, row));
  if (number)
    *f->value = row[0];
  else
    PetscCall(wring_natural_scatter(m, f->components, row, f->value));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_checkpoint_read_fields(const char *file, const wring_mesh *m, int n,
                                            const wring_checkpoint_field *field)
{
  wring_error e = {""};
  wring_hdf5  h;

  PetscFunctionBegin;
  open_checkpoint(&h, file, &e);
  PetscCall(wring_error_share(m->comm, &e)); // one rank may be unable to open it
  for (int i = 0; i < n; i++) PetscCall(read_field(&h, m, &field[i]));
  wring_hdf5_close(&h);
  PetscCall(wring_error_raise(m->comm, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}
