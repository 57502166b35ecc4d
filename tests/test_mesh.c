/* ranks: 1 2 4
  The distributed box compared with the serial one: fails if a tet or vertex is lost, sent twice or misnumbered. */
#include <wring/mesh.h>
#include "distribute.h"
#include "mesh/data.h"
#include "refused.h"
#include <math.h>
#include <string.h>

static const wring_box beam = {{4, 1, 0.5}, {16, 4, 3}, {1, 2, 3}, 0.3};

static PetscInt sum_ranks(PetscInt n)
{
  MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  return n;
}

/* A jittered box keeps plane faces and its volume; without jitter the vertices lie on the grid. */
static PetscErrorCode test_box(void)
{
  const wring_box  endless = {.size = {1, 1, 1}, .cells = {PETSC_MAX_INT - 1, 1, 1}};
  wring_error      error   = {""};
  wring_mesh_data *d;
  double           volume = 0;

  PetscFunctionBegin;
  PetscCall(wring_mesh_box(PETSC_COMM_SELF, &beam, &d, &(wring_error){""}));
  CHECK(d->n_vertex == 17 * 5 * 4 && d->n_tet == 6 * 16 * 4 * 3, "counts");
  for (PetscInt e = 0; e < d->n_tet; e++) {
    const PetscInt *v = d->tet + 4 * e;
    const double    V = wring_tet_det(d->X + 3 * v[0], d->X + 3 * v[1], d->X + 3 * v[2], d->X + 3 * v[3]) / 6;
    CHECK(V > 0, "tet %d has volume %g", (int)e, V);
    volume += V;
  }
  CHECK(fabs(volume - 2) < 1e-13, "volume %.17g", volume);
  for (int s = 0; s < 6; s++) {
    const double side = beam.origin[s / 2] + (s % 2 ? beam.size[s / 2] : 0);
    for (PetscInt i = d->set_start[s]; i < d->set_start[s + 1]; i++)
      CHECK(d->X[3 * d->set_vertex[i] + s / 2] == side, "%s is not plane", d->sets.name[s]);
  }
  CHECK(wring_names_find(&d->sets, "XMax") == 1 && wring_names_find(&d->sets, "xma") == -1, "names");
  PetscCall(wring_mesh_data_destroy(&d));
  PetscCall(wring_mesh_box(PETSC_COMM_SELF, &endless, &d, &error));
  CHECK(!d && !strncmp(error.text, "cells: ", 7), "too many cells give '%s'", error.text);
  if (sizeof(PetscInt) == 4) { // 1.6e8 fits in a PetscInt, 16 times as many does not
    const wring_box large = {.size = {1, 1, 1}, .cells = {300, 300, 300}};
    error.text[0]         = '\0';
    PetscCall(wring_mesh_box(PETSC_COMM_SELF, &large, &d, &error));
    CHECK(!d && strstr(error.text, "162000000 tetrahedra are too many"), "300^3 cells give '%s'", error.text);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Slices with more tets than a rank can count, in numbers only: fails if they are allowed, or looked at before they are
  counted. The limit is that of a distributed mesh, and with 32 bits the one that mesh.h names.
*/
static PetscErrorCode check_slices(void)
{
  const PetscInt   most  = PETSC_MAX_INT / WRING_TET_ENTRIES;
  wring_error      error = {""};
  wring_mesh      *m;
  wring_mesh_data *d;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  CHECK(sizeof(PetscInt) == 8 || most == 134217727, "%d tets", (int)most);
  CHECK(wring_mesh_data_fits("mesh", 1, most, &error) && wring_mesh_part_fits(1, 1, most, &error), "%s", error.text);
  CHECK(!wring_mesh_data_fits("mesh", 1, (PetscInt64)most + 1, &error), "one too many");
  PetscCall(PetscNew(&d));
  d->n_tet = wring_comm_rank(PETSC_COMM_WORLD) == size - 1 ? most + 1 : 0;
  CHECK_REFUSED(wring_mesh_distribute(PETSC_COMM_WORLD, WRING_PARTITIONER_METIS, &d, &m), "mesh on one rank",
                "tetrahedra are too many");
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts at and above the limits of a part of a mesh; nothing is allocated. Fails if a product wraps around. */
static void check_limits(void)
{
  const PetscInt64 most = PETSC_MAX_INT, at[3] = {most / 3, most / 9, most / WRING_TET_ENTRIES};
  const char      *name[3] = {"vertices", "vertices with ghosts", "tetrahedra"};
  for (int k = -1; k < 3; k++) {
    wring_error error = {""};
    PetscInt64  n[3]  = {at[0], at[1], at[2]};
    if (k >= 0) n[k]++;
    const PetscBool fits = wring_mesh_part_fits(n[0], n[1], n[2], &error);
    CHECK(fits == (k < 0), "%lld vertices, %lld here, %lld tetrahedra: '%s'", (long long)n[0], (long long)n[1],
          (long long)n[2], error.text);
    CHECK(fits || (strstr(error.text, name[k]) && strstr(error.text, "are too many for the")), "'%s'", error.text);
  }
  for (PetscInt64 n = 800000000; n <= 2000000000; n += 400000000) { // 3 n wraps around to either sign in 32 bits
    wring_error error = {""};
    CHECK(wring_mesh_part_fits(n, 1, 1, &error) == (sizeof(PetscInt) == 8), "%lld vertices", (long long)n);
  }
}

static void check_tets(const wring_mesh *m, const wring_mesh_data *d)
{
  PetscInt *seen = calloc((size_t)d->n_tet, sizeof *seen);
  for (PetscInt e = 0; e < m->tets.n; e++) {
    const PetscInt64 number = m->tets.original[e];
    seen[number]++;
    for (int a = 0; a < 4; a++) {
      CHECK(m->number.original[m->tets.corner[4 * e + a]] == d->tet[4 * number + a], "tet %d corner %d", (int)number,
            a);
      CHECK(e >= m->tets.n_interior || m->tets.corner[4 * e + a] < m->n_owned, "interior tet %d has a ghost", (int)e);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, seen, (int)d->n_tet, MPIU_INT, MPI_SUM, m->comm);
  for (PetscInt e = 0; e < d->n_tet; e++) CHECK(seen[e] == 1, "tet %d is on %d ranks", (int)e, (int)seen[e]);
  free(seen);
}

static void check_vertices(const wring_mesh *m, const wring_mesh_data *d)
{
  PetscInt *seen = calloc((size_t)d->n_vertex, sizeof *seen);
  for (PetscInt v = 0; v < m->n_local; v++) {
    CHECK(!memcmp(m->X + 3 * v, d->X + 3 * m->number.original[v], 3 * sizeof(double)), "position of vertex %d", (int)v);
    CHECK(wring_mesh_local(m, m->number.original[v]) == v, "look-up of vertex %d", (int)v);
    if (v < m->n_owned) {
      seen[m->number.original[v]]++;
      CHECK(m->number.global[v] == m->number.begin + v, "global number of vertex %d", (int)v);
    } else {
      CHECK(v == m->n_owned || m->number.global[v] > m->number.global[v - 1], "ghosts ascend");
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, seen, (int)d->n_vertex, MPIU_INT, MPI_SUM, m->comm);
  for (PetscInt v = 0; v < d->n_vertex; v++) CHECK(seen[v] == 1, "vertex %d has %d owners", (int)v, (int)seen[v]);
  CHECK(wring_mesh_local(m, d->n_vertex) == -1 && wring_mesh_local(m, -1) == -1, "look-up of no vertex");
  free(seen);
}

static void check_sets(const wring_mesh *m, const wring_mesh_data *d)
{
  CHECK(m->set.names.n == 7, "%d sets", (int)m->set.names.n);
  for (PetscInt s = 0; s < m->set.names.n; s++) {
    char *member = calloc((size_t)d->n_vertex, 1);
    for (PetscInt i = d->set_start[s]; i < d->set_start[s + 1]; i++) member[d->set_vertex[i]] = 1;
    for (PetscInt i = 0; i < m->set.count[s]; i++) {
      CHECK(member[m->number.original[m->set.vertex[s][i]]], "a stranger in %s", m->set.names.name[s]);
      CHECK(i == 0 || m->set.vertex[s][i] > m->set.vertex[s][i - 1], "%s ascends", m->set.names.name[s]);
    }
    CHECK(sum_ranks(m->set.count[s]) == d->set_start[s + 1] - d->set_start[s], "size of %s", m->set.names.name[s]);
    free(member);
  }
}

/* Ghosts get the values of their owners, by the halo and by the natural numbering. */
static PetscErrorCode check_exchange(const wring_mesh *m)
{
  double *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)m->n_local, &x));
  for (PetscInt v = 0; v < m->n_local; v++) x[v] = v < m->n_owned ? (double)m->number.original[v] : -1;
  PetscCall(PetscSFBcastBegin(m->forest.halo, MPI_DOUBLE, x, x, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(m->forest.halo, MPI_DOUBLE, x, x, MPI_REPLACE));
  for (PetscInt v = 0; v < m->n_local; v++) CHECK(x[v] == (double)m->number.original[v], "ghost %d", (int)v);
  PetscCall(PetscFree(x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_gather(const wring_mesh *m, const wring_mesh_data *d)
{
  wring_mesh_data *g;

  PetscFunctionBegin;
  PetscCall(wring_mesh_gather(m, &g));
  CHECK((g != NULL) == (wring_comm_rank(PETSC_COMM_WORLD) == 0), "gathered on rank 0 only");
  if (g) {
    CHECK(g->n_vertex == d->n_vertex && g->n_tet == d->n_tet, "counts");
    CHECK(!memcmp(g->X, d->X, 3 * sizeof(double) * (size_t)d->n_vertex), "positions");
    CHECK(!memcmp(g->tet, d->tet, 4 * sizeof(PetscInt) * (size_t)d->n_tet), "tets");
    CHECK(!memcmp(g->region, d->region, sizeof(PetscInt) * (size_t)d->n_tet), "regions");
    CHECK(!memcmp(g->set_start, d->set_start, 8 * sizeof(PetscInt)), "set sizes");
    CHECK(!memcmp(g->set_vertex, d->set_vertex, sizeof(PetscInt) * (size_t)d->set_start[7]), "sets");
  }
  PetscCall(wring_mesh_data_destroy(&g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Compares the mass of every vertex with the serial sum. */
static PetscErrorCode check_mass(const wring_mesh *m, const wring_mesh_data *d)
{
  const double density = 1000;
  double      *mass, *serial;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)m->n_owned, &mass));
  PetscCall(PetscCalloc1((size_t)d->n_vertex, &serial));
  PetscCall(wring_mesh_lump_masses(m, WRING_MASS_DIAGONAL, &density, NULL, mass));
  for (PetscInt e = 0; e < d->n_tet; e++) {
    const PetscInt *v = d->tet + 4 * e;
    double          B[9], volume;
    wring_tet_rest(d->X + 3 * v[0], d->X + 3 * v[1], d->X + 3 * v[2], d->X + 3 * v[3], B, &volume);
    for (int a = 0; a < 4; a++) serial[v[a]] += density * volume / 4;
    for (int i = 0; i < 3; i++) { // B D_m = I
      for (int j = 0; j < 3; j++) {
        double s = 0;
        for (int c = 0; c < 3; c++) s += B[3 * i + c] * (d->X[3 * v[j] + c] - d->X[3 * v[3] + c]);
        CHECK(fabs(s - (i == j)) < 1e-13, "B D_m = I: %g", s);
      }
    }
  }
  for (PetscInt v = 0; v < m->n_owned; v++)
    CHECK(fabs(mass[v] - serial[m->number.original[v]]) <= 1e-14 * mass[v], "mass of vertex %d",
          (int)m->number.original[v]);
  PetscCall(PetscFree(mass));
  PetscCall(PetscFree(serial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_info(const wring_mesh *m)
{
  wring_mesh_info info;

  PetscFunctionBegin;
  PetscCall(wring_mesh_get_info(m, &info));
  CHECK(fabs(info.volume - 2) < 1e-13, "volume %.17g", info.volume);
  for (int c = 0; c < 3; c++)
    CHECK(info.low[c] == beam.origin[c] && info.high[c] == beam.origin[c] + beam.size[c], "bounding box");
  CHECK(info.min_quality > 0 && info.min_quality < 1, "quality %g", info.min_quality);
  CHECK(info.balance_tets < 1.1 && info.balance_vertices < 1.1, "balance %g %g", info.balance_tets,
        info.balance_vertices);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every rank requests the three vertices 0, 100, 339, whichever rank owns them. */
static PetscErrorCode check_more_ghosts(wring_mesh *m, const wring_mesh_data *d)
{
  const PetscInt wanted[] = {0, 100, 339, 100};

  PetscFunctionBegin;
  PetscCall(wring_mesh_extend_halo(m, 4, wanted));
  for (int i = 0; i < 4; i++) CHECK(wring_mesh_local(m, wanted[i]) >= 0, "vertex %d", (int)wanted[i]);
  check_vertices(m, d);
  check_tets(m, d);
  PetscCall(check_exchange(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of all vertices in descending order, two for vertex 7: each arrives at its owner, in ascending order. */
static PetscErrorCode check_rows(const wring_mesh *m)
{
  PetscInt n = m->number.n_global + 1, n_mine;
  double  *row, *mine;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * (size_t)n, &row));
  for (PetscInt i = 0; i < n; i++) {
    row[2 * i]     = i == n - 1 ? 7 : (double)(n - 2 - i);
    row[2 * i + 1] = 10 * row[2 * i];
  }
  PetscCall(wring_mesh_route_rows(m, n, 2, row, &n_mine, &mine));
  CHECK(sum_ranks(n_mine) == n, "every row arrives once");
  for (PetscInt i = 0; i < n_mine; i++) {
    const PetscInt v = wring_mesh_local(m, (PetscInt)mine[2 * i]);
    CHECK(v >= 0 && v < m->n_owned && mine[2 * i + 1] == 10 * mine[2 * i], "row %d", (int)i);
    CHECK(i == 0 || mine[2 * i] >= mine[2 * i - 2], "rows ascend");
  }
  PetscCall(PetscFree(row));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_distribution(void)
{
  wring_mesh_data *d;
  wring_mesh      *m;

  PetscFunctionBegin;
  PetscCall(wring_mesh_box(PETSC_COMM_SELF, &beam, &d, &(wring_error){""}));
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &beam, &m));
  check_tets(m, d);
  check_vertices(m, d);
  check_sets(m, d);
  PetscCall(check_exchange(m));
  PetscCall(check_gather(m, d));
  PetscCall(check_mass(m, d));
  PetscCall(check_info(m));
  PetscCall(check_rows(m));
  PetscCall(check_more_ghosts(m, d));
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(wring_mesh_data_destroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One tet, then four points: ranks without vertices take part in all calls. */
static PetscErrorCode test_tiny(PetscInt n_tet)
{
  static const double X[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  wring_mesh_data    *d     = NULL;
  wring_mesh         *m;

  PetscFunctionBegin;
  if (wring_comm_rank(PETSC_COMM_WORLD) == 0) {
    PetscCall(wring_mesh_data_create(4, n_tet, &d));
    PetscCall(PetscArraycpy(d->X, X, 12));
    for (PetscInt a = 0; a < 4 * n_tet; a++) d->tet[a] = a;
    if (n_tet) d->region[0] = 0;
    PetscCall(PetscCalloc1(1, &d->set_start));
    PetscCall(wring_names_add(&d->regions, "one", 3));
  }
  PetscCall(wring_mesh_distribute(PETSC_COMM_WORLD, WRING_PARTITIONER_METIS, &d, &m));
  CHECK(m->number.n_global == 4 && m->tets.n_global == n_tet && sum_ranks(m->n_owned) == 4, "counts");
  CHECK(sum_ranks(m->tets.n) == n_tet, "tets");
  PetscCall(check_exchange(m));
  const double density = 24;
  double       mass[4];
  PetscCall(wring_mesh_lump_masses(m, WRING_MASS_DIAGONAL, &density, NULL, mass));
  for (PetscInt v = 0; v < m->n_owned; v++) CHECK(fabs(mass[v] - (n_tet ? 1 : 0)) < 1e-15, "mass %g", mass[v]);
  PetscCall(wring_mesh_gather(m, &d));
  CHECK(!d || !memcmp(d->X, X, sizeof X), "gathered");
  PetscCall(wring_mesh_data_destroy(&d));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const wring_schema schema[] = {{"set_*_", wring_set_options, "sets"}};

/* Tests one geometric set of the unjittered 4 x 2 x 2 box of unit cells: n vertices, or refused if n < 0. */
static PetscErrorCode check_set_of_deck(const char *key, const char *value, PetscInt n)
{
  const wring_box box = {{4, 2, 2}, {4, 2, 2}, {0, 0, 0}, 0};
  wring_options  *o;
  wring_mesh     *m;

  PetscFunctionBegin;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &box, &m));
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &o));
  PetscCall(wring_options_set(o, key, value, "deck.yaml:1"));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  const PetscErrorCode status = wring_mesh_add_sets(m, o, 1, schema);
  PetscCall(PetscPopErrorHandler());
  if (n < 0) {
    CHECK(status == PETSC_ERR_USER_INPUT, "%s: %s is accepted", key, value);
  } else {
    CHECK(status == PETSC_SUCCESS && m->set.names.n == 8 && !strcmp(m->set.names.name[7], "grip"), "%s: %s", key,
          value);
    CHECK(sum_ranks(m->set.count[7]) == n, "%s: %s has %d vertices", key, value, (int)sum_ranks(m->set.count[7]));
  }
  PetscCall(wring_options_destroy(&o));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points on the boundary belong to a set, to within round-off. */
static PetscErrorCode test_sets(void)
{
  PetscFunctionBegin;
  PetscCall(check_set_of_deck("set_grip_box", "0,0,0,1,2,2", 18));
  PetscCall(check_set_of_deck("set_grip_box", "0.0000000001,0,0,1,2,2", 18));
  PetscCall(check_set_of_deck("set_grip_sphere", "0,0,0,1", 4));
  PetscCall(check_set_of_deck("set_grip_plane", "3,0,0,2,0,0", 18));
  PetscCall(check_set_of_deck("set_grip_box", "5,0,0,6,1,1", -1));
  PetscCall(check_set_of_deck("set_grip_box", "1,0,0,0,1,1", -1));
  PetscCall(check_set_of_deck("set_grip_sphere", "0,0,0,-1", -1));
  PetscCall(check_set_of_deck("set_grip_plane", "0,0,0,0,0,0", -1));
  PetscCall(check_set_of_deck("set_xmin_box", "0,0,0,1,1,1", -1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  check_limits();
  PetscCall(check_slices());
  PetscCall(test_box());
  PetscCall(test_distribution());
  PetscCall(test_tiny(1));
  PetscCall(test_tiny(0));
  PetscCall(test_sets());
  PetscCall(PetscFinalize());
  return 0;
}
