/* ranks: 1 2 4
  Values on refined second-order meshes: quadratic functions are exact, the energy of a displacement is that of its
  interpolant, and the mesh is the one that refinement and raising make. Fails if a new vertex has the value of another
  place, if it is taken from children of different tets, if vertices of the cut mesh get other numbers, or if a rank
  keeps values of ghosts. */
#include "mesh/data.h"
#include "model.h"
#include "refused.h"
#include <wring/potential.h>

enum { WIDTH = 4 };

static const PetscInt  cells[3] = {3, 2, 2};
static const wring_box box      = {{2, 1, 1}, {3, 2, 2}, {0, 0, 0}, 0.2};

/* A quadratic function, its three derivatives as a displacement. */
static void set_values(const double X[3], double value[WIDTH])
{
  value[0] = 1 + X[0] - 2 * X[1] + X[0] * X[1] + 3 * X[2] * X[2] - X[1] * X[2];
  value[1] = 0.1 * X[0] * X[0] - 0.2 * X[1] * X[2];
  value[2] = 0.1 * X[1] * X[0] + 0.15 * X[2];
  value[3] = 0.2 * X[2] * X[2] - 0.1 * X[0] * X[0] + 0.1 * X[1] * X[1];
}

/* Also on lines and surfaces of sets, whose edges are those of tets. */
static PetscErrorCode test_quadratic(wring_mesh *m)
{
  double *value, expected[WIDTH];

  PetscFunctionBegin;
  const PetscInt old = m->number.n_global;
  PetscCall(PetscMalloc1(WIDTH * m->n_owned, &value));
  for (PetscInt i = 0; i < m->n_owned; i++) set_values(m->X + 3 * i, value + WIDTH * i);
  for (int times = 0; times < 2; times++) PetscCall(wring_mesh_refine_values(m, WIDTH, &value));
  CHECK(m->tets.order == 2 && m->number.n_corner > old, "order %d, %d corners", m->tets.order, (int)m->number.n_corner);
  for (PetscInt i = 0; i < m->n_owned; i++) {
    set_values(m->X + 3 * i, expected);
    for (int c = 0; c < WIDTH; c++)
      CHECK(fabs(value[WIDTH * i + c] - expected[c]) < 1e-13, "component %d at vertex %d: %.17g, not %.17g", c,
            (int)m->number.original[i], value[WIDTH * i + c], expected[c]);
  }
  PetscCall(PetscFree(value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same numbers, owners and sets as from refinement of the corners. */
static PetscErrorCode check_mesh(const wring_mesh *m)
{
  wring_mesh      *other;
  wring_mesh_data *d = NULL, *one, *two;

  PetscFunctionBegin;
  if (m->number.begin == 0) PetscCall(wring_mesh_box(PETSC_COMM_SELF, &box, &d, &(wring_error){""}));
  PetscCall(wring_mesh_distribute(PETSC_COMM_WORLD, WRING_PARTITIONER_METIS, &d, &other));
  PetscCall(wring_mesh_refine(other, 2));
  PetscCall(wring_mesh_raise(other));
  CHECK(m->n_owned == other->n_owned &&
          !memcmp(m->number.original, other->number.original, sizeof(PetscInt) * (size_t)m->n_owned),
        "owned vertices");
  CHECK(m->tets.n_interior == other->tets.n_interior && m->number.n_corner == other->number.n_corner, "counts");
  PetscCall(wring_mesh_gather(m, &one));
  PetscCall(wring_mesh_gather(other, &two));
  if (one) {
    const size_t n = (size_t)two->n_tet, rows = (size_t)two->n_set_element;
    CHECK(one->n_vertex == two->n_vertex && one->n_tet == two->n_tet, "counts of all ranks");
    CHECK(!memcmp(one->X, two->X, 3 * sizeof(double) * (size_t)two->n_vertex), "positions");
    CHECK(!memcmp(one->tet, two->tet, 4 * n * sizeof(PetscInt)), "tets");
    CHECK(!memcmp(one->mid, two->mid, 6 * n * sizeof(PetscInt)), "middles");
    CHECK(one->n_set_element == two->n_set_element, "elements of sets");
    CHECK(!memcmp(one->set_element, two->set_element, 4 * rows * sizeof(PetscInt)), "elements of sets");
    CHECK(!memcmp(one->set_mid, two->set_mid, 3 * rows * sizeof(PetscInt)), "their middles");
    CHECK(!memcmp(one->set_vertex, two->set_vertex, (size_t)two->set_start[two->sets.n] * sizeof(PetscInt)), "sets");
  }
  PetscCall(wring_mesh_data_destroy(&one));
  PetscCall(wring_mesh_data_destroy(&two));
  PetscCall(wring_mesh_destroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elastic energy of positions [n_owned][3] with stvk, of degree 4 in L: exact by fourteen points. */
static PetscErrorCode energy_of(wring_mesh *m, const double *position, double *energy)
{
  const double     lame[] = {4e4, 6e4};
  wring_potential *g;
  wring_value      value;
  double          *xa;
  Vec              x;

  PetscFunctionBegin;
  m->tets.points = 14;
  g              = test_potential(m, &wring_law_stvk, lame);
  PetscCall(wring_potential_set_step(g, 1));
  PetscCall(wring_potential_create_vec(g, &x));
  PetscCall(VecGetArray(x, &xa));
  PetscCall(PetscArraycpy(xa, position, 3 * (size_t)m->n_owned));
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(wring_potential_set_target(g, x));
  PetscCall(wring_potential_value(g, x, &value));
  *energy = value.elastic;
  PetscCall(VecDestroy(&x));
  PetscCall(wring_potential_destroy(&g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Random positions are a function of the coarse tets that the fine ones have too. */
static PetscErrorCode test_energy(void)
{
  wring_mesh *m = test_box(PETSC_COMM_WORLD, cells);
  double     *position, before, after;

  PetscFunctionBegin;
  PetscCall(wring_mesh_raise(m));
  PetscCall(PetscMalloc1(3 * m->n_owned, &position));
  for (PetscInt i = 0; i < 3 * m->n_owned; i++) {
    uint64_t state = 3 * (uint64_t)m->number.original[i / 3] + (uint64_t)(i % 3);
    position[i]    = m->X[i] + 0.1 * test_random(&state);
  }
  PetscCall(energy_of(m, position, &before));
  PetscCall(wring_mesh_refine_values(m, 3, &position));
  PetscCall(energy_of(m, position, &after));
  CHECK(before > 1 && fabs(after - before) < 1e-12 * before, "energy %.17g becomes %.17g", before, after);
  PetscCall(PetscFree(position));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refinement would straighten edges. */
static PetscErrorCode test_curved(void)
{
  wring_mesh *m = test_box(PETSC_COMM_WORLD, cells);
  double     *value;

  PetscFunctionBegin;
  test_raise(m, 0.01);
  PetscCall(PetscCalloc1(m->n_owned, &value));
  CHECK_REFUSED(wring_mesh_refine_values(m, 1, &value), "mesh_refine", "are curved");
  PetscCall(PetscFree(value));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  wring_mesh *m = test_box(PETSC_COMM_WORLD, cells);
  PetscCall(wring_mesh_raise(m));
  PetscCall(test_quadratic(m));
  PetscCall(check_mesh(m));
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(test_energy());
  PetscCall(test_curved());
  PetscCall(PetscFinalize());
  return 0;
}
