#include "mesh_tables.h"
#include "base/count.h"
#include "base/exchange.h"
#include "mesh/data.h"
#include <string.h>

static const wring_table rest_position   = {"mesh_rest_position", WRING_FLOAT64, 3, PETSC_FALSE},
                         middle_position = {"mesh_middle_position", WRING_FLOAT64, 3, PETSC_FALSE},
                         region_names    = {"mesh_region_names", WRING_UINT8, 1, PETSC_FALSE},
                         set_names       = {"mesh_set_names", WRING_UINT8, 1, PETSC_FALSE};

/* Tables of indices. */
static const char tet[] = "mesh_tet", region[] = "mesh_region", set_start[] = "mesh_set_start",
                  set_vertex[] = "mesh_set_vertex", set_element[] = "mesh_set_element";

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Of all sets on all ranks; lines and triangles. */
static PetscErrorCode count_sets(const wring_mesh *m, PetscInt64 *members, PetscInt64 *elements)
{
  PetscInt64 n[2] = {0, m->set.n_element};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->set.names.n; i++) n[0] += m->set.count[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 2, MPIU_INT64, MPI_SUM, m->comm));
  *members  = n[0];
  *elements = n[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* No index is larger than the number of vertices or of the members of all sets. */
static wring_type index_type(const wring_mesh *m, PetscInt64 members)
{
  return PetscMax(m->number.n_global, members) <= INT32_MAX ? WRING_INT32 : WRING_INT64;
}

/* Each name ends with a zero byte. */
static uint64_t count_bytes(const wring_names *names)
{
  uint64_t bytes = 0;
  for (PetscInt i = 0; i < names->n; i++) bytes += strlen(names->name[i]) + 1;
  return bytes;
}

PetscErrorCode wring_mesh_tables_size(const wring_mesh *m, uint64_t *bytes)
{
  PetscInt64 members, elements;

  PetscFunctionBegin;
  PetscCall(count_sets(m, &members, &elements));
  const PetscInt64 indices = 5 * m->tets.n_global + members + 4 * elements + m->set.names.n + 1; // of tets 4 + a region
  const uint64_t   width   = index_type(m, members) == WRING_INT32 ? 4 : 8;
  const uint64_t   names   = count_bytes(&m->regions) + count_bytes(&m->set.names);
  *bytes                   = 24 * (uint64_t)m->number.n_global + width * (uint64_t)indices + names;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* value [n][width]: the rows of this rank. */
static PetscErrorCode write_indices(wring_hdf5 *h, wring_table t, PetscInt n, const PetscInt *value)
{
  const size_t total = (size_t)n * (size_t)t.width;
  void        *other;

  PetscFunctionBegin;
  if (sizeof(PetscInt) == (t.type == WRING_INT32 ? 4 : 8)) {
    PetscCall(wring_hdf5_write(h, t, n, value));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc(total * (t.type == WRING_INT32 ? 4 : 8), &other));
  for (size_t i = 0; i < total; i++) {
    if (t.type == WRING_INT32)
      ((int32_t *)other)[i] = (int32_t)value[i];
    else
      ((int64_t *)other)[i] = value[i];
  }
  PetscCall(wring_hdf5_write(h, t, n, other));
  PetscCall(PetscFree(other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_names(wring_hdf5 *h, wring_table t, const wring_names *names)
{
  const uint64_t bytes = count_bytes(names);
  char          *text;
  size_t         end = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(bytes, &text));
  for (PetscInt i = 0; i < names->n; i++) {
    memcpy(text + end, names->name[i], strlen(names->name[i]) + 1);
    end += strlen(names->name[i]) + 1;
  }
  PetscCall(wring_hdf5_write(h, t, (PetscInt64)bytes, text));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_tables_write(wring_hdf5 *h, const wring_mesh *m)
{
  const wring_names none = {0};
  wring_mesh_data  *d;
  PetscInt64        all_members, elements;
  PetscInt          members, end;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(m->comm);
  PetscCall(count_sets(m, &all_members, &elements));
  const wring_type type = index_type(m, all_members);
  PetscCall(wring_mesh_slice(m, &d, &members));
  PetscCall(write_indices(h, (wring_table){tet, type, 4, PETSC_FALSE}, d->n_tet, d->tet));
  PetscCall(PetscFree(d->tet));
  PetscCall(write_indices(h, (wring_table){region, type, 1, PETSC_FALSE}, d->n_tet, d->region));
  PetscCall(PetscFree(d->region));
  PetscCallMPI(MPI_Scan(&d->n_vertex, &end, 1, MPIU_INT, MPI_SUM, m->comm));
  const PetscInt corners = PetscMax(PetscMin(m->number.n_corner - (end - d->n_vertex), d->n_vertex), 0); // come first
  PetscCall(wring_hdf5_write(h, rest_position, corners, d->X));
  if (m->tets.order == 2)
    PetscCall(wring_hdf5_write(h, middle_position, d->n_vertex - corners, d->X + 3 * (size_t)corners));
  PetscCall(PetscFree(d->X));
  PetscCall(write_names(h, region_names, rank ? &none : &d->regions)); // rank 0 writes what is short
  PetscCall(write_names(h, set_names, rank ? &none : &d->sets));
  PetscCall(write_indices(h, (wring_table){set_start, type, 1, PETSC_FALSE}, rank ? 0 : d->sets.n + 1, d->set_start));
  PetscCall(write_indices(h, (wring_table){set_vertex, type, 1, PETSC_FALSE}, members, d->set_vertex));
  PetscCall(write_indices(h, (wring_table){set_element, type, 4, PETSC_FALSE}, d->n_set_element, d->set_element));
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* This rank's rows of a table; none after an error. */
static wring_share share_table(wring_hdf5 *h, MPI_Comm comm, wring_table t)
{
  const PetscInt64  rows = wring_failed(h->error) ? -1 : wring_hdf5_rows(h, t);
  const wring_share s    = wring_equal_share(comm, PetscMax(rows, 0));
  if (s.n > PETSC_MAX_INT / t.width) { // entries are numbered by PetscInt
    wring_error_set(h->error,
                    "%s: table %s has %lld rows; on this number of ranks they need a PETSc with 64-bit indices",
                    h->path, t.name, (long long)rows);
    return wring_equal_share(comm, 0);
  }
  return s;
}

static wring_table find_indices(wring_hdf5 *h, const char *name, int width)
{
  wring_table t = wring_hdf5_describe(h, name);
  if (t.type != WRING_INT32) t.type = WRING_INT64; // if it is another type, wring_hdf5_rows refuses it
  t.width = width;
  return t;
}

/* Reads this rank's rows *index [s.n][width] of a table, whose numbers must be in [least, limit]. */
static PetscErrorCode read_indices(wring_hdf5 *h, MPI_Comm comm, wring_table t, PetscInt least, PetscInt limit,
                                   wring_share *s, PetscInt **index)
{
  PetscFunctionBegin;
  *s = share_table(h, comm, t);
  PetscCall(PetscCalloc1((size_t)s->n * (size_t)t.width, index));
  PetscCall(wring_hdf5_read_indices(h, comm, t, s->begin, s->n, least, limit, *index));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every rank reads all names. */
static PetscErrorCode read_names(wring_hdf5 *h, wring_table t, wring_names *names)
{
  const wring_share s = share_table(h, PETSC_COMM_SELF, t);
  char             *text;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)s.n, &text));
  wring_hdf5_read(h, t, 0, s.n, text);
  PetscCall(wring_hdf5_check(h, PETSC_COMM_SELF, t, s.n, text));
  const PetscInt64 bytes = wring_failed(h->error) ? 0 : s.n;
  for (PetscInt64 i = 0; i < bytes; i++) names->n += text[i] == '\0';
  PetscCall(PetscMalloc1((size_t)names->n, &names->name));
  for (PetscInt i = 0, at = 0; i < names->n; i++, at += (PetscInt)strlen(text + at) + 1)
    PetscCall(PetscStrallocpy(text + at, &names->name[i]));
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads this rank's rows *X [*n][3] of a table of vertices, which follow *n_global others. */
static PetscErrorCode read_vertices(wring_hdf5 *h, MPI_Comm comm, wring_table t, PetscInt *n_global, PetscInt *n,
                                    double **X)
{
  wring_share s = share_table(h, comm, t);

  PetscFunctionBegin;
  if (!wring_count_fits(*n_global + s.all, 3, h->path, "vertices", h->error)) s = wring_equal_share(comm, 0);
  *n_global += (PetscInt)s.all;
  *n = (PetscInt)s.n;
  PetscCall(PetscCalloc1(3 * (size_t)s.n, X));
  wring_hdf5_read(h, t, s.begin, s.n, *X);
  PetscCall(wring_hdf5_check(h, comm, t, s.n, *X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sends members (set, vertex) to the ranks with their vertices, where they arrive in the order of the file. */
static PetscErrorCode send_members(MPI_Comm comm, PetscInt n_vertex, PetscInt n, const PetscInt *member,
                                   wring_mesh_data *d)
{
  PetscInt *to, *got, n_got;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &to));
  for (size_t i = 0; i < (size_t)n; i++) to[i] = wring_share_holder(comm, n_vertex, member[2 * i + 1]);
  PetscCall(wring_exchange_rows(comm, n, to, 2 * sizeof *member, member, &n_got, &got));
  PetscCall(PetscFree(to));
  PetscCall(wring_mesh_data_fill_sets(d, n_got, got));
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pairs of set and vertex for this rank's rows of the table of members; start [sets.n + 1] of the whole table. */
static PetscErrorCode pair_members(wring_share s, const PetscInt *start, const PetscInt *vertex, PetscInt **member)
{
  PetscInt set = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * (size_t)s.n, member));
  for (size_t i = 0; i < (size_t)s.n; i++) {
    while (start[set + 1] <= s.begin + (PetscInt64)i) set++;
    (*member)[2 * i]     = set;
    (*member)[2 * i + 1] = vertex[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether start [sets + 1] divides `members` rows. */
static PetscBool divides(const PetscInt *start, PetscInt64 n, PetscInt sets, PetscInt64 members)
{
  if (n != (PetscInt64)sets + 1 || start[0] != 0 || start[sets] != members) return PETSC_FALSE;
  for (PetscInt s = 0; s < sets; s++)
    if (start[s] > start[s + 1]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Members [*n][2] that are no corners move to d->middles. */
static PetscErrorCode split_members(PetscInt n_vertex, PetscInt *n, PetscInt *member, wring_mesh_data *d)
{
  PetscInt kept = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < *n; i++) d->middles.n_member += member[2 * (size_t)i + 1] >= n_vertex;
  PetscCall(PetscMalloc1(2 * (size_t)d->middles.n_member, &d->middles.member));
  d->middles.n_member = 0;
  for (PetscInt i = 0; i < *n; i++) {
    const PetscInt *const row = member + 2 * (size_t)i;
    PetscInt *const       to =
      row[1] >= n_vertex ? d->middles.member + 2 * (size_t)d->middles.n_member++ : member + 2 * (size_t)kept++;
    PetscCall(PetscArraymove(to, row, 2));
  }
  *n = kept;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n_vertex corners, of n_all vertices. */
static PetscErrorCode read_sets(wring_hdf5 *h, MPI_Comm comm, PetscInt n_vertex, PetscInt n_all, wring_mesh_data *d)
{
  wring_share starts, s;
  PetscInt   *start, *vertex, *member, n;

  PetscFunctionBegin;
  PetscCall(read_indices(h, PETSC_COMM_SELF, find_indices(h, set_start, 1), 0, PETSC_MAX_INT, &starts, &start));
  PetscCall(read_indices(h, comm, find_indices(h, set_vertex, 1), 0, n_all - 1, &s, &vertex));
  if (!wring_failed(h->error) && !divides(start, starts.n, d->sets.n, s.all))
    wring_error_set(h->error, "%s: the lengths of its mesh tables are inconsistent", h->path);
  PetscCall(wring_error_share(comm, h->error)); // no rank sends members that are wrong
  if (!wring_failed(h->error)) {
    PetscCall(pair_members(s, start, vertex, &member));
    PetscCall(PetscFree(vertex));
    n = (PetscInt)s.n;
    if (d->order == 2) PetscCall(split_members(n_vertex, &n, member, d));
    PetscCall(send_members(comm, n_vertex, n, member, d));
    PetscCall(PetscFree(member));
  }
  PetscCall(PetscFree(vertex));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets and vertices of triangles and lines; the last vertex of a line is -1. */
static PetscErrorCode read_set_elements(wring_hdf5 *h, MPI_Comm comm, PetscInt n_vertex, wring_mesh_data *d)
{
  const PetscInt limit = PetscMax(n_vertex, d->sets.n) - 1;
  PetscBool      fit   = PETSC_TRUE;
  wring_share    s;

  PetscFunctionBegin;
  if (wring_failed(h->error)) PetscFunctionReturn(PETSC_SUCCESS); // on all ranks
  PetscCall(read_indices(h, comm, find_indices(h, set_element, 4), -1, limit, &s, &d->set_element));
  d->n_set_element = (PetscInt)s.n;
  for (size_t i = 0; i < (size_t)s.n && !wring_failed(h->error); i++) {
    const PetscInt *const row = d->set_element + 4 * i;
    fit                       = (PetscBool)(fit && row[0] >= 0 && row[0] < d->sets.n && row[1] >= 0 && row[2] >= 0);
    for (int a = 1; a < 4; a++) fit = (PetscBool)(fit && row[a] < n_vertex);
  }
  if (!fit) wring_error_set(h->error, "%s: table %s has an element without a set or a vertex", h->path, set_element);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_tables_read(wring_hdf5 *h, MPI_Comm comm, wring_mesh_data **data)
{
  PetscInt         n_all = 0;
  wring_share      tets, regions;
  wring_mesh_data *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(data));
  d = *data;
  PetscCall(read_vertices(h, comm, rest_position, &n_all, &d->n_vertex, &d->X));
  PetscCall(wring_error_share(comm, h->error)); // all ranks read the middles of edges, or none
  const PetscInt n_vertex = n_all;
  if (!wring_failed(h->error) && wring_hdf5_has_table(h, middle_position.name)) {
    d->order = 2;
    PetscCall(read_vertices(h, comm, middle_position, &n_all, &d->middles.n, &d->middles.X));
  }
  PetscCall(read_names(h, region_names, &d->regions));
  PetscCall(read_names(h, set_names, &d->sets));
  PetscCall(read_indices(h, comm, find_indices(h, tet, 4), 0, n_vertex - 1, &tets, &d->tet));
  PetscCall(read_indices(h, comm, find_indices(h, region, 1), 0, d->regions.n - 1, &regions, &d->region));
  d->n_tet = (PetscInt)tets.n;
  if (tets.all != regions.all)
    wring_error_set(h->error, "%s: the lengths of its mesh tables are inconsistent", h->path);
  PetscCall(read_sets(h, comm, n_vertex, n_all, d));
  PetscCall(read_set_elements(h, comm, n_vertex, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
