#include "tags.h"
#include "base/exchange.h"
#include <stdlib.h>
#include <string.h>

const char *const wring_dimension_name[4] = {"point", "curve", "surface", "volume"};

/* Tags fit in 32 bits. */
static int64_t dimension_tag(int64_t dim, int64_t tag)
{
  return 4 * tag + dim;
}

static int64_t dimension_of(int64_t key)
{
  return (key % 4 + 4) % 4;
}

int64_t wring_tags_scan(wring_scan *s, const char *what)
{
  const int64_t line = wring_scan_place(s), tag = wring_scan_int(s, what);
  if (tag >= -INT32_MAX && tag <= INT32_MAX) return tag;
  wring_scan_fail(s, line, "%lld is too large for %s", (long long)tag, what);
  return 0;
}

/* FNV-1a of the name in lower case: names that differ only in case have the same hash. */
static int64_t hash_name(const char *name, size_t length)
{
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < length; i++) {
    const char c = name[i];
    h            = (h ^ (uint64_t)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c)) * 0x100000001b3u;
  }
  return (int64_t)(h >> 1);
}

static PetscErrorCode add_group(wring_tags *t, int64_t line, const char *name, size_t length, PetscInt *group)
{
  wring_names *groups = &t->raw->groups;

  PetscFunctionBegin;
  PetscCall(wring_map_add(&t->group, hash_name(name, length), groups->n, group));
  if (*group == groups->n) {
    PetscCall(wring_names_add(groups, name, length));
  } else if (strlen(groups->name[*group]) != length || memcmp(groups->name[*group], name, length)) {
    wring_scan_fail(t->s, line, "names '%s' and '%.*s' differ only in case", groups->name[*group], (int)length, name);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_tags_name(wring_tags *t, int64_t line, int64_t dim, int64_t tag, const char *name, size_t length)
{
  PetscInt group, known;

  PetscFunctionBegin;
  PetscCall(add_group(t, line, name, length, &group));
  PetscCall(wring_map_add(&t->named, dimension_tag(dim, tag), group, &known));
  if (known != group)
    wring_scan_fail(t->s, line, "physical %s %lld has two names, '%s' and '%.*s'", wring_dimension_name[dim],
                    (long long)tag, t->raw->groups.name[known], (int)length, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool wring_tags_has_source(const wring_tags *t, int64_t dim, int64_t tag)
{
  return (PetscBool)(wring_map_find(&t->source, dimension_tag(dim, tag)) >= 0);
}

PetscErrorCode wring_tags_source(wring_tags *t, int64_t dim, int64_t tag, PetscInt *source, PetscBool *added)
{
  wring_raw     *raw  = t->raw;
  const PetscInt next = raw->sources.n;

  PetscFunctionBegin;
  PetscCall(wring_map_add(&t->source, dimension_tag(dim, tag), next, source));
  *added = (PetscBool)(*source == next);
  if (!*added) PetscFunctionReturn(PETSC_SUCCESS);
  PetscInt room = t->source_room;
  PetscCall(wring_grow(next + 2, &room, sizeof *raw->sources.start, &raw->sources.start));
  PetscCall(wring_grow(next + 2, &t->source_room, sizeof *t->first, &t->first));
  if (next == 0) raw->sources.start[0] = 0;
  raw->sources.start[next + 1] = raw->sources.start[next];
  t->first[next]               = (wring_sighting){dimension_tag(dim, tag), wring_scan_offset(t->s)};
  raw->sources.n++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_tags_add(wring_tags *t, int64_t tag)
{
  PetscFunctionBegin;
  if (tag == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscInt *const end = &t->raw->sources.start[t->raw->sources.n];
  PetscCall(wring_grow(*end + 1, &t->tag_room, sizeof *t->tag, &t->tag));
  t->tag[(*end)++] = tag;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_tags_element(wring_tags *t, int64_t dim, int64_t tag, PetscInt *source)
{
  PetscBool added;

  PetscFunctionBegin;
  PetscCall(wring_tags_source(t, dim, tag, source, &added));
  if (added) PetscCall(wring_tags_add(t, tag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- sources of all ranks ---------------------------------------------------------------------------------------- */

static int compare_sightings(const void *a, const void *b)
{
  const wring_sighting *x = a, *y = b;
  return x->seen < y->seen ? -1 : x->seen > y->seen;
}

/* The first sightings of the sources of all ranks, in the order of the file: list [*n] of this rank, then of all. */
static PetscErrorCode collect(MPI_Comm comm, PetscInt *n, wring_sighting **list)
{
  wring_map found = {0};
  PetscInt  kept  = 0, place;

  PetscFunctionBegin;
  PetscCall(wring_exchange_collect(comm, n, sizeof **list, list));
  if (*n) qsort(*list, (size_t)*n, sizeof **list, compare_sightings);
  for (PetscInt i = 0; i < *n; i++) {
    PetscCall(wring_map_add(&found, (*list)[i].key, kept, &place));
    if (place == kept) (*list)[kept++] = (*list)[i];
  }
  PetscCall(wring_map_destroy(&found));
  *n = kept;
  PetscCallMPI(MPI_Bcast(n, 1, MPIU_INT, 0, comm));
  PetscCall(PetscRealloc((size_t)*n * sizeof **list, list));
  PetscCallMPI(MPI_Bcast(*list, (PetscMPIInt)(2 * *n), MPI_INT64_T, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Replaces this rank's sources by the list. */
static PetscErrorCode replace_sources(wring_tags *t, PetscInt n, const wring_sighting *list)
{
  PetscInt source;

  PetscFunctionBegin;
  PetscCall(wring_map_destroy(&t->source));
  t->raw->sources.n = 0;
  for (PetscInt i = 0; i < n; i++) {
    const int64_t key = list[i].key, dim = dimension_of(key), tag = (key - dim) / 4;
    PetscCall(wring_tags_element(t, dim, tag, &source));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives every rank the sources of all, and renumbers those of the elements. */
static PetscErrorCode merge(wring_tags *t)
{
  wring_raw      *raw   = t->raw;
  const PetscInt  n     = raw->sources.n;
  PetscInt        n_all = n, *to; // the new numbers of this rank's sources
  wring_sighting *mine, *list;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n, &list));
  PetscCall(PetscArraycpy(list, t->first, n));
  PetscCall(collect(t->s->comm, &n_all, &list));
  PetscCall(PetscMalloc2((size_t)n, &to, (size_t)n, &mine));
  PetscCall(PetscArraycpy(mine, t->first, n));
  PetscCall(replace_sources(t, n_all, list));
  for (PetscInt i = 0; i < n; i++) to[i] = wring_map_find(&t->source, mine[i].key);
  for (PetscInt i = 0; i < raw->tets.n; i++) raw->tets.source[i] = to[raw->tets.source[i]];
  for (PetscInt i = 0; i < raw->lower.n; i++) raw->lower.element[i].source = to[raw->lower.element[i].source];
  PetscCall(PetscFree2(to, mine));
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* A source is in a group once, also if several of its tags are of that group. */
static PetscErrorCode resolve(wring_tags *t)
{
  wring_raw *raw  = t->raw;
  PetscInt   kept = 0, group, at;
  char       name[32];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)(raw->sources.n ? raw->sources.start[raw->sources.n] : 0), &raw->sources.group));
  for (PetscInt i = 0, k = 0; i < raw->sources.n && wring_scan_ok(t->s); i++) {
    const PetscInt first = kept;
    for (; k < raw->sources.start[i + 1]; k++) {
      group = wring_map_find(&t->named, dimension_tag(dimension_of(t->first[i].key), t->tag[k]));
      if (group < 0) {
        PetscCall(PetscSNPrintf(name, sizeof name, "tag%lld", (long long)t->tag[k]));
        PetscCall(add_group(t, wring_scan_place(t->s), name, strlen(name), &group));
      }
      for (at = first; at < kept && raw->sources.group[at] != group;) at++;
      if (at == kept) raw->sources.group[kept++] = group;
    }
    raw->sources.start[i + 1] = kept;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode share(wring_tags *t)
{
  wring_raw     *raw  = t->raw;
  const MPI_Comm comm = t->s->comm;
  PetscInt       n[2] = {0, 0}, room = t->source_room;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm);
  if (rank == 0) PetscCall(resolve(t));
  PetscCall(wring_error_share(comm, t->s->e));
  if (!wring_scan_ok(t->s)) PetscFunctionReturn(PETSC_SUCCESS);
  if (rank == 0) n[0] = raw->sources.n, n[1] = raw->sources.n ? raw->sources.start[raw->sources.n] : 0;
  PetscCallMPI(MPI_Bcast(n, 2, MPIU_INT, 0, comm));
  if (rank > 0) {
    PetscCall(wring_grow((PetscInt64)n[0] + 1, &room, sizeof *raw->sources.start, &raw->sources.start));
    PetscCall(PetscMalloc1((size_t)n[1], &raw->sources.group));
  }
  raw->sources.n = n[0];
  if (n[0] > 0) PetscCallMPI(MPI_Bcast(raw->sources.start, (PetscMPIInt)n[0] + 1, MPIU_INT, 0, comm));
  PetscCallMPI(MPI_Bcast(raw->sources.group, (PetscMPIInt)n[1], MPIU_INT, 0, comm));
  PetscCall(wring_names_broadcast(comm, &raw->groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_tags_finish(wring_tags *t, PetscBool each)
{
  PetscFunctionBegin;
  if (each && wring_scan_ok(t->s)) PetscCall(merge(t));
  if (wring_scan_ok(t->s)) PetscCall(share(t));
  PetscCall(wring_map_destroy(&t->named));
  PetscCall(wring_map_destroy(&t->group));
  PetscCall(wring_map_destroy(&t->source));
  PetscCall(PetscFree(t->first));
  PetscCall(PetscFree(t->tag));
  PetscFunctionReturn(PETSC_SUCCESS);
}
