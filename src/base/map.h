/* Private to the library: a hash table from 64-bit keys to numbers. Nearby keys are stored near each other. */
#pragma once
#include <wring/base.h>

typedef struct {
  int64_t  *key;
  PetscInt *value; // -1: free
  int       bits;  // 2^bits places, at most half of them used
  PetscInt  n;
} wring_map;

/* The bits of a map of this many keys. */
static inline int wring_map_bits(int64_t keys)
{
  int bits = 4;
  while ((int64_t)1 << bits < 2 * keys) bits++;
  return bits;
}

PetscErrorCode wring_map_create(int64_t expected, wring_map *map);
PetscErrorCode wring_map_destroy(wring_map *map);                 // a zero struct is an empty map
PetscInt       wring_map_find(const wring_map *map, int64_t key); // -1 if there is none

/* The value of key; if the map has none, adds the key with `value` (>= 0). */
PetscErrorCode wring_map_add(wring_map *map, int64_t key, PetscInt value, PetscInt *found);
