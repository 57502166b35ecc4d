/*
  Attributes: format, version, step, time. Tables in original order: mesh_rest_position, mesh_tet, mesh_region,
  mesh_region_names and mesh_set_names (bytes, each name ends with a zero byte), mesh_set_start, mesh_set_vertex,
  mesh_set_element (set and vertices of lines and triangles, the last -1 for lines; absent in files of wring 0.1), and
  one table per field with the field's name, which has one row if the field is one number. All indices are 64-bit.
*/
#include "crc.h"
#include "file.h"
#include "hdf5.h"
#include "natural.h"
#include "seal.h"
#include <string.h>
#include <zlib.h>

static const char format[] = "wring checkpoint";
enum { VERSION = 1 };

static const wring_table rest_position = {"mesh_rest_position", WRING_FLOAT64, 3}, tets = {"mesh_tet", WRING_INT64, 4},
                         region = {"mesh_region", WRING_INT64, 1}, region_names = {"mesh_region_names", WRING_UINT8, 1},
                         set_names = {"mesh_set_names", WRING_UINT8, 1}, set_start = {"mesh_set_start", WRING_INT64, 1},
                         set_vertex  = {"mesh_set_vertex", WRING_INT64, 1},
                         set_element = {"mesh_set_element", WRING_INT64, 4};

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* value [n][width]: the rows of this rank. */
static PetscErrorCode write_indices(wring_hdf5 *h, wring_table t, PetscInt n, const PetscInt *value)
{
  const PetscInt64 total = (PetscInt64)n * t.width;
  PetscInt64      *wide;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(total, &wide));
  for (PetscInt64 i = 0; i < total; i++) wide[i] = value[i];
  PetscCall(wring_hdf5_write(h, t, n, wide));
  PetscCall(PetscFree(wide));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_names(wring_hdf5 *h, wring_table t, const wring_names *names)
{
  size_t bytes = 0, end = 0;
  char  *text;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < names->n; i++) bytes += strlen(names->name[i]) + 1;
  PetscCall(PetscMalloc1(bytes, &text));
  for (PetscInt i = 0; i < names->n; i++) {
    memcpy(text + end, names->name[i], strlen(names->name[i]) + 1);
    end += strlen(names->name[i]) + 1;
  }
  PetscCall(wring_hdf5_write(h, t, (PetscInt64)bytes, text));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each rank writes a piece; rank 0 writes what is short. */
static PetscErrorCode write_mesh(wring_hdf5 *h, const wring_mesh *m)
{
  const wring_names none = {0};
  wring_mesh_data  *d;
  PetscInt          members;
  PetscMPIInt       rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  PetscCall(wring_mesh_slice(m, &d, &members));
  PetscCall(wring_hdf5_write(h, rest_position, d->n_vertex, d->X));
  PetscCall(write_indices(h, tets, d->n_tet, d->tet));
  PetscCall(write_indices(h, region, d->n_tet, d->region));
  PetscCall(write_names(h, region_names, rank ? &none : &d->regions));
  PetscCall(write_names(h, set_names, rank ? &none : &d->sets));
  PetscCall(write_indices(h, set_start, rank ? 0 : d->sets.n + 1, d->set_start));
  PetscCall(write_indices(h, set_vertex, members, d->set_vertex));
  PetscCall(write_indices(h, set_element, d->n_set_element, d->set_element));
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_number(wring_hdf5 *h, const wring_mesh *m, const wring_checkpoint_field *f)
{
  const wring_table t = {f->name, WRING_FLOAT64, 1};
  PetscMPIInt       rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  PetscCall(wring_hdf5_write(h, t, rank ? 0 : 1, f->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_field(wring_hdf5 *h, const wring_mesh *m, const wring_checkpoint_field *f)
{
  const wring_table t = {f->name, WRING_FLOAT64, f->components};
  PetscInt          begin, n;
  double           *row;

  PetscFunctionBegin;
  if (f->components == 0) {
    PetscCall(write_number(h, m, f));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_natural_rows(m, &begin, &n));
  PetscCall(wring_natural_gather(m, f->components, f->value, &row));
  PetscCall(wring_hdf5_write(h, t, n, row));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Reserves the disk space first: if the disk becomes full while HDF5 writes through MPI-IO, HDF5 crashes or hangs when
  it closes the file.
*/
static PetscErrorCode reserve(const char *file, const wring_mesh *m, int n, const wring_checkpoint_field *field,
                              wring_error *e)
{
  enum { METADATA = 1 << 14 };
  PetscMPIInt rank;
  uint64_t    per_vertex = 3 * sizeof(double), in_sets = 4 * (uint64_t)m->n_set_element;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  for (int i = 0; i < n; i++) per_vertex += (uint64_t)field[i].components * sizeof(double);
  for (PetscInt i = 0; i < m->sets.n; i++) in_sets += (uint64_t)m->set_count[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &in_sets, 1, MPI_UINT64_T, MPI_SUM, m->comm));
  const uint64_t indices = 5 * (uint64_t)m->n_tet_global + in_sets; // four corners and the region
  if (rank == 0) {
    wring_file_reserve(file, per_vertex * (uint64_t)m->n_global + sizeof(int64_t) * indices + METADATA, e);
  }
  PetscCall(wring_error_raise_output(m->comm, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On rank 0: the tables of the file and its size, from its metadata. */
static PetscErrorCode list_tables(const char *file, int *n, wring_extent **table, uint64_t *size, wring_error *e)
{
  char        part[WRING_FILE_NAME];
  wring_error damage = {""};
  wring_hdf5  h;

  PetscFunctionBegin;
  wring_file_part(file, part, e);
  wring_hdf5_open(&h, part, &damage);
  PetscCall(wring_hdf5_extents(&h, n, table));
  wring_hdf5_close(&h);
  if (damage.text[0]) wring_error_set(e, "%s: cannot be written: %.900s", file, damage.text);
  wring_file_get_size(file, size, e);
  for (int i = 0; i < *n; i++)
    if ((*table)[i].end > (i + 1 < *n ? (*table)[i + 1].begin : *size))
      wring_error_set(e, "%s: cannot be written: table %s is cut short; is the disk full?", file, (*table)[i].name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  On rank 0: compares the checksums of the tables and appends the seal. crc [2 n + 1] of the file's byte ranges: gap,
  table, gap, table, ..., gap.
*/
static void seal_strings(const char *file, int n, const wring_extent *table, const uint64_t *cut, const uint32_t *crc,
                         wring_error *e)
{
  uLong whole = crc32(0, NULL, 0);
  for (int i = 0; i < 2 * n + 1; i++) {
    const wring_extent *const t = &table[i / 2];
    if (i % 2 && crc[i] != t->crc)
      wring_error_set(e, "%s: cannot be written: the bytes of table %s did not arrive; is the disk full?", file,
                      t->name);
    whole = crc32_combine(whole, crc[i], (z_off_t)(cut[i + 1] - cut[i]));
  }
  wring_seal_append(file, (uint32_t)whole, e);
}

/*
  Data that MPI-IO has lost (see file.h) are detected by reading the file again: each rank reads an equal share of it
  once, for the checksums of the tables and for the seal.
*/
static PetscErrorCode seal(MPI_Comm comm, const char *file, wring_error *e)
{
  char          part[WRING_FILE_NAME];
  PetscMPIInt   rank;
  int           n     = 0;
  wring_extent *table = NULL;
  uint64_t      size  = 0, *cut;
  uint32_t     *crc;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  wring_file_part(file, part, e);
  if (rank == 0 && !e->text[0]) PetscCall(list_tables(file, &n, &table, &size, e));
  PetscCall(wring_error_share(comm, e));
  PetscCallMPI(MPI_Bcast(&n, 1, MPI_INT, 0, comm));
  PetscCall(PetscMalloc2(2 * n + 2, &cut, 2 * n + 1, &crc));
  cut[0]         = 0;
  cut[2 * n + 1] = size;
  for (int i = 0; i < n && rank == 0; i++) cut[2 * i + 1] = table[i].begin, cut[2 * i + 2] = table[i].end;
  PetscCallMPI(MPI_Bcast(cut, 2 * n + 2, MPI_UINT64_T, 0, comm));
  if (!e->text[0]) PetscCall(wring_crc_file(comm, part, 2 * n + 1, cut, crc, e));
  if (rank == 0 && !e->text[0]) seal_strings(file, n, table, cut, crc, e);
  PetscCall(PetscFree2(cut, crc));
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_checkpoint_write(const char *file, const wring_mesh *m, PetscInt step, double time, int n,
                                      const wring_checkpoint_field *field)
{
  wring_error e = {""};
  wring_hdf5  h;

  PetscFunctionBegin;
  PetscCall(reserve(file, m, n, field, &e));
  PetscCall(wring_hdf5_create(&h, m->comm, file, &e));
  wring_hdf5_put_text(&h, "format", format);
  wring_hdf5_put_integer(&h, "version", VERSION);
  wring_hdf5_put_integer(&h, "step", step);
  wring_hdf5_put_real(&h, "time", time);
  PetscCall(write_mesh(&h, m));
  for (int i = 0; i < n; i++) PetscCall(write_field(&h, m, &field[i]));
  wring_hdf5_close(&h);
  PetscCall(wring_error_share(m->comm, &e)); // after this, all ranks have closed the file
  if (!e.text[0]) PetscCall(seal(m->comm, file, &e));
  PetscCall(wring_file_finish_all(m->comm, file, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Opens a file whose seal must have been checked. */
static void open_checkpoint(wring_hdf5 *h, const char *file, wring_error *e)
{
  wring_hdf5_open(h, file, e);
  if (e->text[0]) return;
  if (!wring_hdf5_has_text(h, "format", format)) {
    wring_error_set(e, "%s: is not a checkpoint of wring", file);
    return;
  }
  const int64_t version = wring_hdf5_get_integer(h, "version");
  if (version != VERSION) {
    wring_error_set(e, "%s: is a checkpoint of version %lld, expected %d", file, (long long)version, VERSION);
  }
}

/* Reads and checks a whole table on this rank; *value (freed by the caller) is NULL and *n 0 after an error. */
static PetscErrorCode read_table(wring_hdf5 *h, wring_table t, PetscInt *n, void **value)
{
  PetscFunctionBegin;
  *n                    = 0;
  *value                = NULL;
  const PetscInt64 rows = wring_hdf5_rows(h, t);
  if (rows > PETSC_MAX_INT / (PetscInt64)t.width) { // entries are numbered by PetscInt
    wring_error_set(h->error, "%s: table %s has %lld rows; they need a PETSc with 64-bit indices", h->path, t.name,
                    (long long)rows);
  }
  if (h->error->text[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc((size_t)rows * t.width * (t.type == WRING_UINT8 ? 1 : 8), value));
  wring_hdf5_read(h, t, 0, rows, *value);
  PetscCall(wring_hdf5_check(h, MPI_COMM_SELF, t, rows, *value));
  if (h->error->text[0])
    PetscCall(PetscFree(*value));
  else
    *n = (PetscInt)rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads a table of numbers, which must be in [least, limit]. */
static PetscErrorCode read_indices(wring_hdf5 *h, wring_table t, PetscInt least, PetscInt limit, PetscInt *n,
                                   PetscInt **index)
{
  void *value;

  PetscFunctionBegin;
  PetscCall(read_table(h, t, n, &value));
  const PetscInt64 *const wide  = value;
  const PetscInt64        total = (PetscInt64)*n * t.width;
  PetscCall(PetscMalloc1(total, index));
  for (PetscInt64 i = 0; i < total; i++) {
    if (wide[i] < least || wide[i] > limit) {
      wring_error_set(h->error, "%s: table %s has %lld, expected %" PetscInt_FMT " to %" PetscInt_FMT, h->path, t.name,
                      (long long)wide[i], least, limit);
    }
    (*index)[i] = (PetscInt)wide[i];
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_names(wring_hdf5 *h, wring_table t, wring_names *names)
{
  PetscInt bytes;
  void    *value;

  PetscFunctionBegin;
  PetscCall(read_table(h, t, &bytes, &value));
  const char *text = value;
  for (PetscInt i = 0; i < bytes; i++) names->n += text[i] == '\0';
  PetscCall(PetscMalloc1(names->n, &names->name));
  for (PetscInt i = 0; i < names->n; i++, text += strlen(text) + 1) PetscCall(PetscStrallocpy(text, &names->name[i]));
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_lengths(wring_hdf5 *h, const wring_mesh_data *d, PetscInt regions, PetscInt starts, PetscInt vertices)
{
  int fit = regions == d->n_tet && starts == d->sets.n + 1 && (d->n_tet == 0 || d->regions.n > 0);
  for (PetscInt i = 0; fit && i < d->sets.n; i++) fit = d->set_start[i] <= d->set_start[i + 1];
  if (!fit || d->set_start[0] != 0 || d->set_start[d->sets.n] != vertices) {
    wring_error_set(h->error, "%s: the lengths of its mesh tables are inconsistent", h->path);
  }
}

/* Reads the sets and vertices of triangles and lines; the last vertex of a line is -1. */
static PetscErrorCode read_set_elements(wring_hdf5 *h, wring_mesh_data *d)
{
  int fit = 1;

  PetscFunctionBegin;
  if (h->error->text[0] || !wring_hdf5_has_table(h, set_element.name)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(read_indices(h, set_element, -1, PetscMax(d->n_vertex, d->sets.n) - 1, &d->n_set_element, &d->set_element));
  for (PetscInt i = 0; i < d->n_set_element && !h->error->text[0]; i++) {
    const PetscInt *const row = d->set_element + 4 * (size_t)i;
    fit &= row[0] >= 0 && row[0] < d->sets.n && row[1] >= 0 && row[2] >= 0;
    for (int a = 1; a < 4; a++) fit &= row[a] < d->n_vertex;
  }
  if (!fit)
    wring_error_set(h->error, "%s: table %s has an element without a set or a vertex", h->path, set_element.name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_mesh(wring_hdf5 *h, wring_mesh_data *d)
{
  PetscInt regions, starts, vertices;
  void    *X;

  PetscFunctionBegin;
  PetscCall(read_table(h, rest_position, &d->n_vertex, &X));
  d->X = X;
  PetscCall(read_names(h, region_names, &d->regions));
  PetscCall(read_names(h, set_names, &d->sets));
  PetscCall(read_indices(h, tets, 0, d->n_vertex - 1, &d->n_tet, &d->tet));
  PetscCall(read_indices(h, region, 0, d->regions.n - 1, &regions, &d->region));
  PetscCall(read_indices(h, set_vertex, 0, d->n_vertex - 1, &vertices, &d->set_vertex));
  PetscCall(read_indices(h, set_start, 0, vertices, &starts, &d->set_start));
  if (!h->error->text[0]) check_lengths(h, d, regions, starts, vertices);
  PetscCall(read_set_elements(h, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_checkpoint_read_mesh(MPI_Comm comm, const char *file, wring_mesh_data **data, PetscInt *step,
                                          double *time)
{
  PetscMPIInt rank;
  wring_error e = {""};
  wring_hdf5  h;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  *data = NULL;
  if (rank == 0) {
    open_checkpoint(&h, file, &e);
    PetscCall(PetscNew(data));
    if (!e.text[0]) {
      *step = (PetscInt)wring_hdf5_get_integer(&h, "step");
      *time = wring_hdf5_get_real(&h, "time");
      PetscCall(read_mesh(&h, *data));
    }
    wring_hdf5_close(&h);
    if (e.text[0]) PetscCall(wring_mesh_data_destroy(data));
  }
  PetscCall(wring_error_raise(comm, &e));
  PetscCallMPI(MPI_Bcast(step, 1, MPIU_INT, 0, comm));
  PetscCallMPI(MPI_Bcast(time, 1, MPI_DOUBLE, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_checkpoint_has(MPI_Comm comm, const char *file, const char *name, PetscBool *has)
{
  PetscMPIInt rank;
  wring_error e = {""};
  wring_hdf5  h;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) {
    open_checkpoint(&h, file, &e);
    *has = (PetscBool)(!e.text[0] && wring_hdf5_has_table(&h, name));
    wring_hdf5_close(&h);
  }
  PetscCall(wring_error_raise(comm, &e));
  PetscCallMPI(MPI_Bcast(has, 1, MPIU_BOOL, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void check_rows(wring_hdf5 *h, wring_table t, PetscInt expected)
{
  if (h->error->text[0]) return;
  const PetscInt64 rows = wring_hdf5_rows(h, t);
  if (rows != expected) {
    wring_error_set(h->error, "%s: %s has %lld vertices, the mesh has %" PetscInt_FMT, h->path, t.name, (long long)rows,
                    expected);
  }
}

/* Every rank reads the same row; rank 0 checks it. */
static PetscErrorCode read_number(wring_hdf5 *h, const wring_mesh *m, const wring_checkpoint_field *f)
{
  const wring_table t = {f->name, WRING_FLOAT64, 1};
  PetscMPIInt       rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(m->comm, &rank));
  *f->value = 0;
  if (!h->error->text[0] && wring_hdf5_rows(h, t) != 1)
    wring_error_set(h->error, "%s: %s is not one number", h->path, t.name);
  if (!h->error->text[0]) wring_hdf5_read(h, t, 0, 1, f->value);
  PetscCall(wring_hdf5_check(h, m->comm, t, rank ? 0 : 1, f->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No rank returns before the last collective call, even if it could not read its rows. */
static PetscErrorCode read_field(wring_hdf5 *h, const wring_mesh *m, const wring_checkpoint_field *f)
{
  const wring_table t = {f->name, WRING_FLOAT64, f->components};
  PetscInt          begin, n;
  double           *row;

  PetscFunctionBegin;
  if (f->components == 0) {
    PetscCall(read_number(h, m, f));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_natural_rows(m, &begin, &n));
  PetscCall(PetscCalloc1((size_t)n * f->components, &row));
  check_rows(h, t, m->n_global);
  if (!h->error->text[0]) wring_hdf5_read(h, t, begin, n, row);
  PetscCall(wring_hdf5_check(h, m->comm, t, n, row));
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
