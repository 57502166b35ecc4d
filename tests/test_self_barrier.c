/* ranks: 1 2 4
   Self-contact by a barrier as a part of g. Fails if a simplex or a pair is lost, found twice or found on some numbers
   of ranks only; if areas do not sum to those of the bodies; if forces are not the derivatives of the energy, do not
   sum to zero or have a torque; if products, diagonal and matrix of the Hessian, and what is added to A, differ; if a
   bound lets surfaces meet, or holds up what moves freely; if a start that touches or passes through is accepted. */
#include "blocks_model.h"
#include "contact/barrier/barrier_pairs.h"
#include "contact/barrier/barrier_start.h"

static const double stiffness = 1e5, gap = 0.03;

/* The upper box stands 0.02 m above the lower one, a third hangs beside them. */
static const wring_box apart[3] = {{{1, 1, 0.5}, {4, 4, 2}, {0, 0, 0}, 0},
                                   {{0.63, 0.57, 0.5}, {3, 3, 2}, {0.171, 0.193, 0.52}, 0},
                                   {{0.2, 0.2, 0.2}, {1, 1, 1}, {1.025, 0.3, 0.1}, 0}};

static PetscErrorCode model_create(MPI_Comm comm, model *m)
{
  const wring_barrier_body how = {.self = PETSC_TRUE, .gap = gap};

  PetscFunctionBegin;
  PetscCall(model_begin(comm, 3, apart, m));
  PetscCall(wring_contact_create_barrier(m->mesh, &how, &m->contact));
  wring_barrier_set_stiffness(m->contact, stiffness);
  PetscCall(model_end(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- simplices and pairs, against a search over all ------------------------------------------------------------- */

typedef struct {
  PetscInt  corners, original[3];
  PetscBool bare;
  double    area, x[9];
} everywhere;

/* All simplices of all ranks, on every rank. */
static PetscErrorCode collect(const wring_barrier_pairs *p, const double *x, PetscInt *n, everywhere **all)
{
  const MPI_Comm comm = p->mesh->comm;
  PetscMPIInt    mine, *count, *start;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(comm);
  everywhere *const row  = calloc((size_t)p->n_simplex + 1, sizeof *row);
  count                  = calloc(2 * (size_t)size + 1, sizeof *count);
  start                  = count + size;
  for (PetscInt i = 0; i < p->n_simplex; i++) {
    const wring_simplex *const s = p->simplex + i;
    row[i]                       = (everywhere){.corners = s->corners, .bare = s->bare, .area = s->area};
    for (int a = 0; a < 3; a++) row[i].original[a] = a < s->corners ? p->mesh->number.original[s->vertex[a]] : -1;
    for (int a = 0; a < 3 * s->corners; a++) row[i].x[a] = x[3 * s->vertex[a / 3] + a % 3];
  }
  mine = (PetscMPIInt)((size_t)p->n_simplex * sizeof *row);
  PetscCallMPI(MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, comm));
  for (int r = 1; r < size; r++) start[r] = start[r - 1] + count[r - 1];
  *n   = (PetscInt)((size_t)(start[size - 1] + count[size - 1]) / sizeof *row);
  *all = calloc((size_t)*n + 1, sizeof **all);
  PetscCallMPI(MPI_Allgatherv(row, mine, MPI_BYTE, *all, count, start, MPI_BYTE, comm));
  free(row);
  free(count);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boxes: V - E + F = 2 each; every side once; thirds of areas at vertices and edges. */
static void check_simplices(PetscInt n, const everywhere *all)
{
  PetscInt count[4] = {0};
  double   area[4] = {0}, wanted = 0;
  for (int b = 0; b < 3; b++)
    for (int c = 0; c < 3; c++) wanted += 2 * apart[b].size[c] * apart[b].size[(c + 1) % 3];
  for (PetscInt i = 0; i < n; i++) {
    count[all[i].corners]++;
    area[all[i].corners] += all[i].area;
    CHECK(!all[i].bare, "a simplex of a box is bare");
  }
  CHECK(count[1] - count[2] + count[3] == 6, "%d vertices, %d edges, %d triangles", (int)count[1], (int)count[2],
        (int)count[3]);
  CHECK(2 * count[2] == 3 * count[3], "%d edges of %d triangles", (int)count[2], (int)count[3]);
  for (int k = 1; k <= 3; k++) CHECK(fabs(area[k] - wanted) < 1e-12, "area %d is %g, not %g", k, area[k], wanted);
}

/* The number of pairs nearer than reach, and the sum of their distances, by all against all. */
static double search_all(PetscInt n, const everywhere *all, double reach, double *sum)
{
  double count = 0;
  *sum         = 0;
  for (PetscInt i = 0; i < n; i++) {
    for (PetscInt j = 0; j < n; j++) {
      const everywhere *const a = all + i, *const b = all + j;
      const int  pt = a->corners == 1 && b->corners == 3, ee = a->corners == 2 && b->corners == 2 && i < j;
      double     x[12];
      wring_foot foot;
      int        common = 0;
      if (!pt && !ee) continue;
      for (int k = 0; k < a->corners * b->corners; k++)
        common += a->original[k / b->corners] == b->original[k % b->corners];
      if (common) continue;
      memcpy(x, a->x, 3 * (size_t)a->corners * sizeof *x);
      memcpy(x + 3 * a->corners, b->x, 3 * (size_t)b->corners * sizeof *x);
      wring_pair_closest(pt ? WRING_PAIR_POINT_TRIANGLE : WRING_PAIR_EDGE_EDGE, x, &foot);
      if (sqrt(foot.distance2) > reach) continue;
      count++;
      *sum += sqrt(foot.distance2);
    }
  }
  return count;
}

/* The pairs that are found while boxes above 0.51 m move by x [m], and everything by `common` [3]. */
static PetscErrorCode count_on_way(const wring_barrier_pairs *p, double reach, double x, const double *common,
                                   double *count)
{
  const wring_mesh *const m = p->mesh;
  wring_barrier_pair     *pair;
  PetscInt                n;
  double                 *way;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)m->n_local, &way));
  for (PetscInt i = 0; i < 3 * m->n_local; i++)
    way[i] = common[i % 3] + (i % 3 == 0 && m->X[3 * (i / 3) + 2] > 0.51 ? x : 0);
  PetscCall(wring_barrier_pairs_find(p, m->X, way, reach, &n, &pair));
  *count = n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 1, MPI_DOUBLE, MPI_SUM, m->comm));
  PetscCall(PetscFree(pair));
  PetscCall(PetscFree(way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `wanted` pairs at rest: more on the way of one box, and no others if all move by the same. Moves all [n]. */
static PetscErrorCode check_ways(const wring_barrier_pairs *p, double reach, double wanted, PetscInt n, everywhere *all)
{
  const double none[3] = {0}, common[3] = {0.5, -2, 1.25};
  double       rigid, moved, both, sum;

  PetscFunctionBegin;
  PetscCall(count_on_way(p, reach, 0, common, &rigid));
  CHECK(rigid == wanted, "%g pairs at rest, %g on a way of all", wanted, rigid);
  PetscCall(count_on_way(p, reach, 0.4, none, &moved));
  PetscCall(count_on_way(p, reach, 0.4, common, &both));
  CHECK(moved == both, "a way has %g pairs, %g where all move by the same in addition", moved, both);
  for (PetscInt i = 0; i < n; i++)
    for (int a = 0; a < all[i].corners; a++) all[i].x[3 * a] += all[i].x[3 * a + 2] > 0.51 ? 0.4 : 0;
  CHECK(moved >= fmax(wanted, search_all(n, all, reach, &sum)), "a way has %g pairs", moved);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fails if the margin is not of_edge times the mean edge, or twice the gap where this is more. */
static PetscErrorCode check_margin(MPI_Comm comm, int n, const wring_box *box, double of_edge)
{
  const wring_extra_sides none = {0};
  wring_mesh             *mesh = test_blocks(comm, n, box);
  wring_barrier_pairs    *p;

  PetscFunctionBegin;
  PetscCall(wring_barrier_pairs_create(mesh, &none, &p));
  PetscCall(wring_barrier_choose_gap(p, 1e-3));
  const double wanted = fmax(of_edge * p->edge[1], 2e-3);
  CHECK(fabs(p->margin - wanted) < 1e-12, "%d bodies: the margin is %g m, not %g", n, p->margin, wanted);
  PetscCall(wring_barrier_pairs_destroy(&p));
  PetscCall(wring_mesh_destroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_margins(MPI_Comm comm)
{
  const wring_box thick = {{1, 1, 0.2}, {8, 8, 1}, {0, 0, 0}, 0}, sheet = {{1, 1, 0.02}, {8, 8, 1}, {0, 0, 0}, 0};
  const wring_box foil    = {{1, 1, 0.0025}, {8, 8, 1}, {0, 0, 0}, 0};
  const wring_box both[2] = {thick, {{1, 1, 0.2}, {8, 8, 1}, {0, 0, 0.21}, 0}};

  PetscFunctionBegin;
  PetscCall(check_margin(comm, 1, &thick, 0.25));
  PetscCall(check_margin(comm, 1, &sheet, 0.125));
  PetscCall(check_margin(comm, 1, &foil, 0));
  PetscCall(check_margin(comm, 2, both, 0.25));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_pairs(MPI_Comm comm, double reach)
{
  const wring_extra_sides none = {0};
  wring_mesh             *mesh = test_blocks(comm, 3, apart);
  wring_barrier_pairs    *p;
  wring_barrier_pair     *pair;
  everywhere             *all = NULL;
  PetscInt                n, n_all = 0;
  double                  got[2] = {0}, sum;

  PetscFunctionBegin;
  PetscCall(wring_barrier_pairs_create(mesh, &none, &p));
  wring_barrier_pairs_set_gap(p, gap);
  PetscCall(collect(p, mesh->X, &n_all, &all));
  check_simplices(n_all, all);
  PetscCall(wring_barrier_pairs_find(p, mesh->X, NULL, reach, &n, &pair));
  for (PetscInt i = 0; i < n; i++) got[0]++, got[1] += pair[i].distance;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, got, 2, MPI_DOUBLE, MPI_SUM, comm));
  const double wanted = search_all(n_all, all, reach, &sum);
  CHECK(got[0] == wanted, "%g pairs nearer than %g m, %g by a search over all", got[0], reach, wanted);
  CHECK(fabs(got[1] - sum) <= 1e-9 * sum, "distances sum to %g, not %g", got[1], sum);
  PetscCall(PetscFree(pair));

  PetscCall(check_ways(p, reach, wanted, n_all, all));
  free(all);
  PetscCall(wring_barrier_pairs_destroy(&p));
  PetscCall(wring_mesh_destroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- derivatives ------------------------------------------------------------------------------------------------- */

static PetscErrorCode check_forces(model *m)
{
  double slope = 0, here, sum[8], *f;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (size_t)m->mesh->n_local, &f));
  PetscCall(contact_slope(m, 1e-7, updated_alone, &slope, &here, f));
  CHECK(here > 1, "the energy of the contacts is %g J", here);
  PetscCall(wring_potential_sum_ghosts(m->g, f));
  PetscCall(contact_sums(m, f, sum));
  CHECK(fabs(slope - sum[7]) <= 1e-5 * fabs(slope), "slope %.9g, by differences %.9g", sum[7], slope);
  for (int c = 0; c < 6; c++) CHECK(fabs(sum[c]) <= 1e-12 * sum[6], "sum %d is %g of %g", c, sum[c], sum[6]);
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

/* A motion [m] of the vertices above 0.51 m at rest. */
static PetscErrorCode move_upper(model *m, double x, double z)
{
  double *d;

  PetscFunctionBegin;
  PetscCall(VecGetArray(m->d, &d));
  for (PetscInt v = 0; v < m->mesh->n_owned; v++) {
    const double on = m->mesh->X[3 * v + 2] > 0.51;
    d[3 * v] = on * x, d[3 * v + 1] = 0, d[3 * v + 2] = on * z;
  }
  PetscCall(VecRestoreArray(m->d, &d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_bound(model *m)
{
  const double *xa;
  double        bound, part, least;

  PetscFunctionBegin;
  PetscCall(move_upper(m, 0.3, 2));
  PetscCall(wring_potential_bound(m->g, m->x, m->d, &bound));
  CHECK(bound > 0.9 || bound > 0.5, "a motion without obstacle is bounded by %g", bound); // by its length, if at all
  for (int k = 0; k < 4; k++) { // through all of the lower box, more than once
    PetscCall(move_upper(m, 0, -0.1 * (k + 1) * (k + 1)));
    PetscCall(wring_potential_bound(m->g, m->x, m->d, &bound));
    CHECK(bound > 0 && bound * 0.1 * (k + 1) * (k + 1) < 0.025, "motion %d is bounded by %g", k, bound);
    CHECK(wring_potential_stop(m->g) >= 0, "no vertex is named");
    PetscCall(VecWAXPY(m->work, 1, m->x, m->d));
    PetscCall(wring_potential_advance(m->g, m->x, m->work, &part));
    CHECK(part < 1 && part > 0, "a motion is shortened to %g", part);
    PetscCall(wring_potential_get_local(m->g, m->work, &xa));
    PetscCall(wring_contact_check(m->contact, xa));
    wring_contact_report report = {.least = INFINITY};
    PetscCall(wring_contact_measure(m->contact, xa, &report, NULL));
    PetscCall(VecRestoreArrayRead(m->work, &xa));
    PetscCallMPI(MPI_Allreduce(&report.least, &least, 1, MPI_DOUBLE, MPI_MIN, m->mesh->comm));
    CHECK(least > 1e-3 && least < 0.015, "the least distance is %g m afterwards", least);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Boxes 0.11 m apart, farther than a search reaches, come nearer by 0.03 m each, less than half the margin. Fails if
  their distance, below twice the gap, is not found.
*/
static PetscErrorCode check_least(void)
{
  const wring_box box[2] = {{{1, 1, 0.5}, {4, 4, 2}, {0, 0, 0}, 0}, {{0.5, 0.5, 0.5}, {2, 2, 2}, {0.2, 0.2, 0.61}, 0}};
  const wring_barrier_body how  = {.self = PETSC_TRUE, .gap = gap};
  wring_mesh              *mesh = test_blocks(PETSC_COMM_WORLD, 2, box);
  wring_contact           *contact;
  wring_contact_report     report = {.least = 0};
  double                   least, *x;

  PetscFunctionBegin;
  PetscCall(wring_contact_create_barrier(mesh, &how, &contact));
  wring_barrier_set_stiffness(contact, stiffness);
  PetscCall(PetscMalloc1(3 * (size_t)mesh->n_local, &x));
  PetscCall(PetscArraycpy(x, mesh->X, 3 * mesh->n_local));
  for (int k = 0; k < 2; k++) {
    PetscCall(wring_contact_measure(contact, x, &report, NULL));
    for (PetscInt v = 0; v < mesh->n_local; v++) x[3 * v + 2] += mesh->X[3 * v + 2] < 0.55 ? 0.03 : -0.03;
  }
  PetscCallMPI(MPI_Allreduce(&report.least, &least, 1, MPI_DOUBLE, MPI_MIN, mesh->comm));
  CHECK(fabs(least - 0.05) < 1e-12, "boxes 0.05 m apart have the distance %g m", least);
  PetscCall(PetscFree(x));
  PetscCall(wring_contact_destroy(&contact));
  PetscCall(wring_mesh_destroy(&mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- starts ------------------------------------------------------------------------------------------------------ */

/* The message that a start in which the upper box is moved by (x, z) gets. */
static PetscErrorCode start_message(model *m, double x, double z, wring_error *message)
{
  const double *xa;

  PetscFunctionBegin;
  PetscCall(move_upper(m, x, z));
  PetscCall(VecWAXPY(m->work, 1, m->x, m->d));
  PetscCall(wring_potential_get_local(m->g, m->work, &xa));
  message->text[0] = '\0';
  PetscCall(PetscPushErrorHandler(wring_error_catch, message));
  const PetscErrorCode code = wring_contact_check(m->contact, xa);
  PetscCall(PetscPopErrorHandler());
  CHECK((code != 0) == (message->text[0] != '\0'), "code %d, message '%s'", (int)code, message->text);
  PetscCall(VecRestoreArrayRead(m->work, &xa));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The third box, of 0.2 m, inside the first one. */
static PetscErrorCode check_inside(model *m)
{
  wring_error   message = {""};
  const double *xa;
  double       *x;

  PetscFunctionBegin;
  PetscCall(VecCopy(m->x, m->work));
  PetscCall(VecGetArray(m->work, &x));
  for (PetscInt v = 0; v < m->mesh->n_owned; v++)
    if (m->mesh->X[3 * v] > 1.02) x[3 * v] -= 0.7, x[3 * v + 2] += 0.05;
  PetscCall(VecRestoreArray(m->work, &x));
  PetscCall(wring_potential_get_local(m->g, m->work, &xa));
  PetscCall(PetscPushErrorHandler(wring_error_catch, &message));
  const PetscErrorCode code = wring_contact_check(m->contact, xa);
  PetscCall(PetscPopErrorHandler());
  PetscCall(VecRestoreArrayRead(m->work, &xa));
  CHECK(code != 0 && strstr(message.text, "is inside that of vertex 0 at the start"), "message '%s'", message.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_starts(model *m)
{
  wring_error message;

  PetscFunctionBegin;
  PetscCall(start_message(m, 0, 0.01, &message));
  CHECK(!wring_failed(&message), "bodies that are apart: '%s'", message.text);
  PetscCall(start_message(m, 0, -0.1, &message));
  CHECK(strstr(message.text, "pass through each other at the start") && strstr(message.text, "edge"), "message '%s'",
        message.text);
  PetscCall(VecCopy(m->x, m->grad));
  test_displace(m->mesh, 0, 1, m->x);
  PetscCall(start_message(m, 0, -0.02, &message));
  CHECK(strstr(message.text, "touch at the start"), "message '%s'", message.text);
  PetscCall(check_inside(m));
  PetscCall(VecCopy(m->grad, m->x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  model m;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(check_pairs(PETSC_COMM_WORLD, 0.06));
  PetscCall(check_pairs(PETSC_COMM_WORLD, 0.3));
  PetscCall(check_margins(PETSC_COMM_WORLD));
  PetscCall(model_create(PETSC_COMM_WORLD, &m));
  PetscCall(check_forces(&m));
  PetscCall(check_contact_hessian(&m, PETSC_TRUE));
  PetscCall(check_contact_components(&m));
  PetscCall(check_alone(&m, model_create, 1e-13));
  PetscCall(check_bound(&m));
  PetscCall(check_least());
  PetscCall(check_starts(&m));
  PetscCall(model_destroy(&m));
  PetscCall(PetscFinalize());
  return 0;
}
