/* ranks: 1 2 3 4 7 */
/*
  The slices of a box, one after the other, are the box that one rank makes, bit by bit. Fails if a vertex, a tet, a
  member or an element of a set is missing, made twice or on another rank than its vertex, if a rank makes more than its
  share, or if a fault on one rank is not found by all.
*/
#include "check.h"
#include <string.h>
#include <wring/mesh.h>

static PetscMPIInt rank, size;

/* Where this rank's rows begin in the whole, which has `all` rows; the blocks must cover it in equal shares. */
static PetscInt64 begin_of(PetscInt64 n, PetscInt64 share, PetscInt64 all)
{
  PetscInt64 end, sum;
  MPI_Scan(&n, &end, 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD);
  MPI_Allreduce(&n, &sum, 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD);
  CHECK(sum == all && n <= all / size + share, "%lld of %lld rows here, %lld in all", (long long)n, (long long)all,
        (long long)sum);
  return end - n;
}

static PetscBool same(PetscInt64 n, size_t width, const void *mine, const void *whole, PetscInt64 begin)
{
  return (PetscBool)(n == 0 || !memcmp(mine, (const char *)whole + (size_t)begin * width, (size_t)n * width));
}

/* The members whose vertices [begin, end) are here. */
static void check_sets(const wring_mesh_data *d, const wring_mesh_data *whole, PetscInt64 begin, PetscInt64 end)
{
  CHECK(d->sets.n == whole->sets.n && d->regions.n == whole->regions.n && d->set_start[0] == 0, "names");
  for (PetscInt s = 0; s < whole->sets.n; s++) {
    PetscInt i = d->set_start[s];
    CHECK(!strcmp(d->sets.name[s], whole->sets.name[s]), "set %s", d->sets.name[s]);
    for (PetscInt j = whole->set_start[s]; j < whole->set_start[s + 1]; j++) {
      if (whole->set_vertex[j] < begin || whole->set_vertex[j] >= end) continue;
      CHECK(i < d->set_start[s + 1] && d->set_vertex[i] == whole->set_vertex[j], "set %d: a member is missing", (int)s);
      i++;
    }
    CHECK(i == d->set_start[s + 1], "set %d has other members", (int)s);
  }
}

static PetscErrorCode test_slices(const wring_box *box)
{
  wring_mesh_data *d, *whole;
  wring_error      e = {""};

  PetscFunctionBegin;
  PetscCall(wring_mesh_box(PETSC_COMM_WORLD, box, &d, &e));
  PetscCall(wring_mesh_box(PETSC_COMM_SELF, box, &whole, &e));
  CHECK(d && whole && !e.text[0], "%s", e.text);
  const PetscInt64 vertex = begin_of(d->n_vertex, 1, whole->n_vertex), tet = begin_of(d->n_tet, 6, whole->n_tet);
  const PetscInt64 element = begin_of(d->n_set_element, 2 + whole->n_set_element / size, whole->n_set_element);
  CHECK(same(d->n_vertex, 3 * sizeof *d->X, d->X, whole->X, vertex), "positions");
  CHECK(same(d->n_tet, 4 * sizeof *d->tet, d->tet, whole->tet, tet), "tets");
  CHECK(same(d->n_tet, sizeof *d->region, d->region, whole->region, tet), "regions");
  CHECK(same(d->n_set_element, 4 * sizeof *d->set_element, d->set_element, whole->set_element, element), "elements");
  check_sets(d, whole, vertex, vertex + d->n_vertex);
  PetscCall(wring_mesh_data_destroy(&d));
  PetscCall(wring_mesh_data_destroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An element inverted on one rank is the same error on all; jitter 0.9 inverts few. */
static PetscErrorCode test_faults(void)
{
  static const wring_box box[]   = {{{1, 1, 1}, {9, 9, 9}, {0}, 0.9}, {{0, 1, 1}, {0, 9, 9}, {0}, 0.9}};
  static const char     *fault[] = {"jitter: 0.9 leaves a tetrahedron of zero volume",
                                    "jitter: 0.9 leaves a triangle of zero area"};
  wring_mesh_data       *d;

  PetscFunctionBegin;
  for (int i = 0; i < 2; i++) {
    wring_error e = {""};
    PetscCall(wring_mesh_box(PETSC_COMM_WORLD, &box[i], &d, &e));
    CHECK(!d && !strncmp(e.text, fault[i], strlen(fault[i])), "%s", e.text);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const wring_box box[] = {
    {{4, 1, 0.5}, {7, 4, 3}, {1, 2, 3}, 0.3}, {{1, 1, 1}, {1, 1, 1}, {0}, 0},       {{1, 2, 3}, {1, 2, 9}, {0}, 0.4},
    {{1, 2, 0}, {9, 8, 0}, {0}, 0.3},         {{0, 2, 1}, {0, 3, 5}, {1, 0, 0}, 0}, {{2, 0, 1}, {1, 0, 1}, {0}, 0.2},
    {{0, 0, 1}, {0, 0, 40}, {0}, 0.1},        {{3, 0, 0}, {2, 0, 0}, {0}, 0},
  };

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (size_t i = 0; i < sizeof box / sizeof box[0]; i++) PetscCall(test_slices(&box[i]));
  PetscCall(test_faults());
  return PetscFinalize();
}
