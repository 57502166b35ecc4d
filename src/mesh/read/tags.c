#include "tags.h"
#include <string.h>

const char *const wring_dimension_name[4] = {"point", "curve", "surface", "volume"};

PetscErrorCode wring_tags_destroy(wring_tags *t)
{
  PetscFunctionBegin;
  PetscCall(wring_map_destroy(&t->named));
  PetscCall(wring_map_destroy(&t->group));
  PetscCall(wring_map_destroy(&t->source));
  PetscCall(PetscFree(t->source_dim));
  PetscCall(PetscFree(t->tag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tags fit in 32 bits. */
static int64_t dimension_tag(int64_t dim, int64_t tag)
{
  return 4 * tag + dim;
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
  const PetscInt next = raw->n_source;

  PetscFunctionBegin;
  PetscCall(wring_map_add(&t->source, dimension_tag(dim, tag), next, source));
  *added = (PetscBool)(*source == next);
  if (!*added) PetscFunctionReturn(PETSC_SUCCESS);
  PetscInt room = t->source_room;
  PetscCall(wring_raw_grow(next + 2, &room, sizeof *raw->source_start, &raw->source_start));
  PetscCall(wring_raw_grow(next + 2, &t->source_room, sizeof *t->source_dim, &t->source_dim));
  if (next == 0) raw->source_start[0] = 0;
  raw->source_start[next + 1] = raw->source_start[next];
  t->source_dim[next]         = (int)dim;
  raw->n_source++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_tags_add(wring_tags *t, int64_t tag)
{
  PetscFunctionBegin;
  if (tag == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscInt *const end = &t->raw->source_start[t->raw->n_source];
  PetscCall(wring_raw_grow(*end + 1, &t->tag_room, sizeof *t->tag, &t->tag));
  t->tag[(*end)++] = tag < 0 ? -tag : tag;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_tags_resolve(wring_tags *t)
{
  wring_raw *raw = t->raw;
  char       name[32];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)(raw->n_source ? raw->source_start[raw->n_source] : 0), &raw->source_group));
  for (PetscInt i = 0; i < raw->n_source && wring_scan_ok(t->s); i++) {
    for (PetscInt k = raw->source_start[i]; k < raw->source_start[i + 1]; k++) {
      PetscInt *const group = &raw->source_group[k];
      *group                = wring_map_find(&t->named, dimension_tag(t->source_dim[i], t->tag[k]));
      if (*group >= 0) continue;
      PetscCall(PetscSNPrintf(name, sizeof name, "tag%lld", (long long)t->tag[k]));
      PetscCall(add_group(t, wring_scan_place(t->s), name, strlen(name), group));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
