/* Private to the library: a hash table from 64-bit keys to numbers. Keys close together are found close together. */
#pragma once
#include <wring/base.h>

typedef struct {
  int64_t  *key;
  PetscInt *value; // -1: free
  int       bits;  // 2^bits places, at most half of them used
  PetscInt  n;
} wring_map;

PetscErrorCode wring_map_create(PetscInt expected, wring_map *map);
PetscErrorCode wring_map_destroy(wring_map *map);                 // zero is an empty one
PetscInt       wring_map_find(const wring_map *map, int64_t key); // -1 if there is none

/* The value of key, added with `value` (>= 0) if there is none. */
PetscErrorCode wring_map_add(wring_map *map, int64_t key, PetscInt value, PetscInt *found);
