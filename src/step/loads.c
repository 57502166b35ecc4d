/* External forces and drag. docs/theory.md (6.7)-(6.9) */
#include <math.h>
#include <wring/load.h>

/* Forces on vertices, or pressure on triangles. */
typedef struct {
  wring_load_time time; // with a curve of its own, as all here
  PetscBool       is_pressure;
  double          pressure; // Pa
  PetscInt        n;        // vertices or triangles
  PetscInt       *vertex;   // [n], or [n][WRING_FACE]
  double         *force;    // [n][3] N; NULL: pressure
} load;

struct wring_loads {
  const wring_mesh *mesh;
  double           *mass, *weight; // [n_owned] kg
  wring_load_time   gravity, drag_time;
  PetscBool         has_drag;
  double           *drag; // [n_owned] kg/s
  int               n;
  load             *load; // [n]
  PetscBool         has_pressure;
};

/* Times are sums of steps: `until` 0.5 s includes a step that ends at 0.5 s up to rounding. */
static double factor(const wring_load_time *s, double time)
{
  double value = 1;
  if (time > s->until + 1e-9 * fabs(s->until)) return 0;
  if (s->curve) wring_time_curve_at(s->curve, time, &value);
  return value;
}

static PetscErrorCode set_time(wring_load_time *s, const wring_load_time *time)
{
  PetscFunctionBegin;
  PetscCall(wring_time_curve_destroy(&s->curve));
  PetscCall(wring_time_curve_copy(time->curve, &s->curve));
  s->until = time->until;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_loads_create(const wring_mesh *mesh, const double *mass, const double *weight, wring_loads **l)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(l));
  (*l)->mesh = mesh;
  PetscCall(PetscMalloc2(mesh->n_owned, &(*l)->mass, mesh->n_owned, &(*l)->weight));
  PetscCall(PetscArraycpy((*l)->mass, mass, mesh->n_owned));
  PetscCall(PetscArraycpy((*l)->weight, weight, mesh->n_owned));
  (*l)->gravity.until = INFINITY;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_loads_destroy(wring_loads **loads)
{
  wring_loads *const l = *loads;

  PetscFunctionBegin;
  if (!l) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; i < l->n; i++) {
    PetscCall(wring_time_curve_destroy(&l->load[i].time.curve));
    PetscCall(PetscFree(l->load[i].vertex));
    PetscCall(PetscFree(l->load[i].force));
  }
  PetscCall(wring_time_curve_destroy(&l->gravity.curve));
  PetscCall(wring_time_curve_destroy(&l->drag_time.curve));
  PetscCall(PetscFree(l->load));
  PetscCall(PetscFree(l->drag));
  PetscCall(PetscFree2(l->mass, l->weight));
  PetscCall(PetscFree(*loads));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_loads_set_gravity_time(wring_loads *l, const wring_load_time *time)
{
  PetscFunctionBegin;
  PetscCall(set_time(&l->gravity, time));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds a load with n rows of `width` vertices. */
static PetscErrorCode add_load(wring_loads *l, const wring_load_time *time, PetscInt n, int width,
                               const PetscInt *vertex, load **added)
{
  PetscFunctionBegin;
  PetscCall(PetscRealloc(sizeof(load) * ((size_t)l->n + 1), &l->load));
  *added  = &l->load[l->n++];
  **added = (load){.n = n};
  PetscCall(set_time(&(*added)->time, time));
  PetscCall(PetscMalloc1(width * n, &(*added)->vertex));
  PetscCall(PetscArraycpy((*added)->vertex, vertex, width * n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_loads_add_forces(wring_loads *l, const wring_load_time *time, PetscInt n, const PetscInt *vertex,
                                      const double *force)
{
  load *added = NULL;

  PetscFunctionBegin;
  PetscCall(add_load(l, time, n, 1, vertex, &added));
  PetscCall(PetscMalloc1(3 * n, &added->force));
  PetscCall(PetscArraycpy(added->force, force, 3 * n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_loads_add_pressure(wring_loads *l, const wring_load_time *time, double pressure, PetscInt n,
                                        const PetscInt *triangle)
{
  load *added = NULL;

  PetscFunctionBegin;
  PetscCall(add_load(l, time, n, WRING_FACE, triangle, &added));
  added->is_pressure = l->has_pressure = PETSC_TRUE;
  added->pressure                      = pressure;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_loads_set_drag(wring_loads *l, const wring_load_time *time, const double *drag)
{
  PetscFunctionBegin;
  PetscCall(set_time(&l->drag_time, time));
  if (!l->has_drag) PetscCall(PetscMalloc1(l->mesh->n_owned, &l->drag));
  l->has_drag = PETSC_TRUE;
  PetscCall(PetscArraycpy(l->drag, drag, l->mesh->n_owned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const double *wring_loads_weight(const wring_loads *l)
{
  return l->weight;
}

double wring_loads_gravity_factor(const wring_loads *l, double time)
{
  return factor(&l->gravity, time);
}

PetscBool wring_loads_has_drag(const wring_loads *l)
{
  return l->has_drag;
}

const double *wring_loads_drag(const wring_loads *l, double time, double *value)
{
  *value = l->has_drag ? factor(&l->drag_time, time) : 0;
  return l->drag;
}

/* f [n_local][3] += -p S_a at every vertex of a triangle. docs/theory.md (6.8) */
static void add_pressure(const load *p, double pressure, const double *q, double *f)
{
  double S[WRING_FACE][3];
  for (PetscInt i = 0; i < p->n; i++) {
    const PetscInt *const v = p->vertex + WRING_FACE * i;
    const int             n = wring_face_normals(v, q, S);
    for (int j = 0; j < 3 * n; j++) f[3 * v[j / 3] + j % 3] -= pressure * S[j / 3][j % 3];
  }
}

PetscBool wring_loads_follow(const wring_loads *l)
{
  return l->has_pressure;
}

PetscErrorCode wring_loads_add_to(const wring_loads *l, double time, Vec q, double *f)
{
  const wring_mesh *const m = l->mesh;
  double                 *qa, *pressure; // [n_local][3]; of all ranks on the owned vertices

  PetscFunctionBegin;
  for (int i = 0; i < l->n; i++) {
    const load *const p    = &l->load[i];
    const double      part = factor(&p->time, time);
    for (PetscInt k = 0; !p->is_pressure && k < 3 * p->n; k++) f[3 * p->vertex[k / 3] + k % 3] += part * p->force[k];
  }
  if (!l->has_pressure) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(3 * m->n_local, &pressure));
  PetscCall(VecGetArray(q, &qa));
  PetscCall(wring_mesh_update_ghosts(m, 3, qa));
  for (int i = 0; i < l->n; i++) {
    const load *const p = &l->load[i];
    if (p->is_pressure) add_pressure(p, p->pressure * factor(&p->time, time), qa, pressure);
  }
  PetscCall(VecRestoreArray(q, &qa));
  PetscCall(PetscSFReduceBegin(m->forest.halo, m->forest.vector, pressure, pressure, MPI_SUM));
  PetscCall(PetscSFReduceEnd(m->forest.halo, m->forest.vector, pressure, pressure, MPI_SUM));
  for (PetscInt k = 0; k < 3 * m->n_owned; k++) f[k] += pressure[k];
  PetscCall(PetscFree(pressure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_loads_accelerate(const wring_loads *l, double time, Vec q, double *a)
{
  double *f;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(3 * l->mesh->n_owned, &f));
  PetscCall(wring_loads_add_to(l, time, q, f));
  for (PetscInt k = 0; k < 3 * l->mesh->n_owned; k++) a[k] += f[k] / l->mass[k / 3];
  PetscCall(PetscFree(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_loads_potential(const wring_loads *l, double time, const double *x)
{
  double sum = 0;
  for (int i = 0; i < l->n; i++) {
    const load *const p    = &l->load[i];
    const double      part = factor(&p->time, time);
    for (PetscInt k = 0; !p->is_pressure && k < 3 * p->n; k++)
      sum -= part * p->force[k] * (x[3 * p->vertex[k / 3] + k % 3] - l->mesh->X[3 * p->vertex[k / 3] + k % 3]);
  }
  return sum;
}

/* Adds a vector and its norm. */
static void add_sum(double part, const double v[3], double sum[3], double *size)
{
  double square = 0;
  for (int k = 0; k < 3; k++) sum[k] += part * v[k], square += part * v[k] * part * v[k];
  *size += sqrt(square);
}

PetscErrorCode wring_loads_total(const wring_loads *l, double time, wring_load_totals *t)
{
  double sum[8] = {0};

  PetscFunctionBegin;
  for (int i = 0; i < l->n; i++) {
    const load *const p    = &l->load[i];
    const double      part = factor(&p->time, time);
    for (PetscInt k = 0; k < p->n; k++) {
      if (p->is_pressure) { // on the triangle at rest
        double    S[WRING_FACE][3], all[3] = {0};
        const int n = wring_face_normals(p->vertex + WRING_FACE * k, l->mesh->X, S);
        for (int j = 0; j < 3 * n; j++) all[j % 3] += S[j / 3][j % 3];
        add_sum(-(part * p->pressure), all, sum + 4, &sum[7]);
      } else {
        add_sum(part, p->force + 3 * k, sum, &sum[3]);
      }
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 8, MPI_DOUBLE, MPI_SUM, l->mesh->comm));
  *t = (wring_load_totals){.force_size = sum[3], .pressure_size = sum[7]};
  for (int k = 0; k < 3; k++) t->force[k] = sum[k], t->pressure[k] = sum[4 + k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

PetscBool wring_loads_has_work(const wring_loads *l)
{
  return (PetscBool)(l->has_pressure || l->has_drag);
}

/* sum -p S_a . (x - q) over the vertices of triangles, S_a at the positions `at`. */
static double pressure_work(const load *p, double pressure, const double *at, const double *q, const double *x)
{
  double sum = 0, S[WRING_FACE][3];
  for (PetscInt i = 0; i < p->n; i++) {
    const PetscInt *const v = p->vertex + WRING_FACE * i;
    const int             n = wring_face_normals(v, at, S);
    for (int j = 0; j < 3 * n; j++) {
      const PetscInt k = 3 * v[j / 3] + j % 3;
      sum -= pressure * S[j / 3][j % 3] * (x[k] - q[k]);
    }
  }
  return sum;
}

/* sum -d |x - q|^2/h over owned vertices. */
static double drag_work(const wring_loads *l, double time, double h, const double *q, const double *x)
{
  double              part, sum = 0;
  const double *const drag = wring_loads_drag(l, time, &part);
  for (PetscInt k = 0; drag && k < 3 * l->mesh->n_owned; k++)
    sum -= part * drag[k / 3] * (x[k] - q[k]) * (x[k] - q[k]) / h;
  return sum;
}

PetscErrorCode wring_loads_work(const wring_loads *l, double time, double h, Vec q, Vec x, PetscBool at_x, double *work)
{
  double *qa, *xa;

  PetscFunctionBegin;
  PetscCall(VecGetArray(q, &qa));
  PetscCall(VecGetArray(x, &xa));
  *work = drag_work(l, time, h, qa, xa);
  if (l->has_pressure) PetscCall(wring_mesh_update_ghosts(l->mesh, 3, qa));
  if (l->has_pressure) PetscCall(wring_mesh_update_ghosts(l->mesh, 3, xa));
  for (int i = 0; i < l->n; i++) {
    const load *const p = &l->load[i];
    if (p->is_pressure) *work += pressure_work(p, p->pressure * factor(&p->time, time), at_x ? xa : qa, qa, xa);
  }
  PetscCall(VecRestoreArray(x, &xa));
  PetscCall(VecRestoreArray(q, &qa));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, work, 1, MPI_DOUBLE, MPI_SUM, l->mesh->comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}
