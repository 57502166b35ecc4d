#include "map.h"

PetscErrorCode wring_map_create(int64_t expected, wring_map *map)
{
  PetscFunctionBegin;
  map->n              = 0;
  map->bits           = wring_map_bits(expected);
  const size_t places = (size_t)1 << map->bits;
  PetscCall(PetscMalloc2(places, &map->key, places, &map->value));
  for (size_t i = 0; i < places; i++) map->value[i] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_map_destroy(wring_map *map)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(map->key, map->value));
  *map = (wring_map){0};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The place where key is or would be. Eight nearby keys are adjacent, in a place that is hashed: longer runs of keys
  would be searched from end to end where two of them meet.
*/
static size_t find_place(const wring_map *map, int64_t key)
{
  const size_t   mask = ((size_t)1 << map->bits) - 1;
  const uint64_t k = (uint64_t)key, eight = (k >> 3) * 0x9e3779b97f4a7c15u;
  size_t         at = (size_t)((eight >> (64 - map->bits)) ^ (k & 7)) & mask;
  while (map->value[at] >= 0 && map->key[at] != key) at = (at + 1) & mask;
  return at;
}

PetscInt wring_map_find(const wring_map *map, int64_t key)
{
  return map->n ? map->value[find_place(map, key)] : -1;
}

static PetscErrorCode grow(wring_map *map)
{
  wring_map larger;

  PetscFunctionBegin;
  PetscCall(wring_map_create(2 * (int64_t)map->n + 16, &larger));
  for (size_t i = 0; map->n && i < (size_t)1 << map->bits; i++) {
    if (map->value[i] < 0) continue;
    const size_t at  = find_place(&larger, map->key[i]);
    larger.key[at]   = map->key[i];
    larger.value[at] = map->value[i];
  }
  larger.n = map->n;
  PetscCall(wring_map_destroy(map));
  *map = larger;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_map_add(wring_map *map, int64_t key, PetscInt value, PetscInt *found)
{
  PetscFunctionBegin;
  if (!map->value || 2 * ((int64_t)map->n + 1) > (int64_t)1 << map->bits) PetscCall(grow(map));
  const size_t at = find_place(map, key);
  if (map->value[at] < 0) {
    map->key[at]   = key;
    map->value[at] = value;
    map->n++;
  }
  *found = map->value[at];
  PetscFunctionReturn(PETSC_SUCCESS);
}
