/*
  Loads: gravity's curve, drag, and families of loads with names: dead forces on regions, sets and vertices, and
  pressure. What they act on is found before any term is created, because vertices of triangles may become ghosts.
*/
#include "problem/problem_impl.h"
#include <string.h>

/* A load of a family: names, the table of its keys, which begin with `prefix`, and what they give. */
typedef struct {
  const char         *family, *name; // "traction_", "top"
  const wring_option *table;         // whose first key is required
  char                prefix[WRING_PREFIX];
  double              value[3]; // of pressure one number
  const char         *file;
} load_keys;

typedef struct {
  double coefficient, rate; // N s/m, 1/s
} drag_keys;

const wring_option wring_body_force_options[] = {
  {"value", WRING_REALS, .count = 3, .unit = "N/m^3", .at = WRING_AT(load_keys, value),
   .help = "Force per rest volume on the region NAME."},
  {0},
};

const wring_option wring_traction_options[] = {
  {"value", WRING_REALS, .count = 3, .unit = "Pa", .at = WRING_AT(load_keys, value),
   .help = "Force per area at rest on the triangles of the set NAME; its direction is constant."},
  {0},
};

const wring_option wring_force_options[] = {
  {"value", WRING_REALS, .count = 3, .unit = "N", .at = WRING_AT(load_keys, value),
   .help = "Total force on the set NAME, spread over its triangles by area at rest, or evenly over its vertices if it "
           "has no triangles; its direction is constant."},
  {0},
};

const wring_option wring_pressure_options[] = {
  {"value", WRING_REAL, .unit = "Pa", .at = WRING_AT(load_keys, value),
   .help = "Pressure on the triangles of the set NAME, inwards if it is positive; it follows their normals."},
  {0},
};

const wring_option wring_point_load_options[] = {
  {"file", WRING_PATH, .at = WRING_AT(load_keys, file),
   .help = "CSV `vertex,x,y,z` [N]: forces on vertices; NAME is a label."},
  {0},
};

const wring_option wring_drag_options[] = {
  {"coefficient", WRING_REAL, .unit = "N s/m", .range = "[0,inf)", .value = "0", .at = WRING_AT(drag_keys, coefficient),
   .help = "Drag c of each vertex: the force -c v."},
  {"rate", WRING_REAL, .unit = "1/s", .range = "[0,inf)", .value = "0", .at = WRING_AT(drag_keys, rate),
   .help = "Drag proportional to mass: the force -rate m v, added to that of coefficient."},
  {0},
};

/* ---- what loads act on ------------------------------------------------------------------------------------------- */

/* The vertices of a triangle with corners ascending, so that a share does not depend on the order of its vertices. */
static void sort_face(const PetscInt v[WRING_FACE], PetscInt sorted[WRING_FACE])
{
  const PetscInt least = PetscMin(v[0], PetscMin(v[1], v[2]));
  const int      a = v[0] == least ? 0 : v[1] == least ? 1 : 2, b = (a + 1) % 3, c = (a + 2) % 3;
  const PetscInt forward[WRING_FACE]  = {v[a], v[b], v[c], v[3 + a], v[3 + b], v[3 + c]},
                 backward[WRING_FACE] = {v[a], v[c], v[b], v[3 + c], v[3 + b], v[3 + a]};
  for (int i = 0; i < WRING_FACE; i++) sorted[i] = v[b] < v[c] ? forward[i] : backward[i];
}

/*
  share [n_owned]: the sums of the triangles' integrals of the shape functions; triangle [n][width], original numbers:
  WRING_FACE, or 3 of corners alone.
*/
static PetscErrorCode sum_shares(const wring_mesh *m, PetscInt n, int width, const PetscInt *triangle, double *share)
{
  wring_lumps l = {.n = 0};
  double      at[WRING_FACE];

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(width * n, &l.vertex, width * n, &l.part));
  for (PetscInt i = 0; i < n; i++) {
    PetscInt v[WRING_FACE] = {-1, -1, -1, -1, -1, -1};
    if (width == 3)
      PetscCall(PetscArraycpy(v, triangle + 3 * i, 3));
    else
      sort_face(triangle + WRING_FACE * i, v);
    for (int a = 0; a < WRING_FACE; a++) v[a] = v[a] < 0 ? -1 : wring_mesh_local(m, v[a]);
    const int corners = wring_face_shares(v, m->X, at);
    for (int a = 0; a < corners; a++) l.vertex[l.n] = v[a], l.part[l.n++] = at[a];
  }
  PetscCall(wring_mesh_lump_masses(m, WRING_MASS_DIAGONAL, NULL, &l, share));
  PetscCall(PetscFree2(l.vertex, l.part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_share_area(wring_problem *p, PetscInt set, PetscBool by_corners, double *share)
{
  wring_mesh *const m     = p->mesh;
  const int         width = by_corners ? 3 : WRING_FACE;
  PetscInt          n, *triangle;
  double           *all;

  PetscFunctionBegin;
  if (by_corners) {
    PetscCall(wring_mesh_list_elements(m, set, 3, &n, &triangle));
    PetscCall(wring_mesh_extend_halo(m, 3 * n, triangle));
  } else {
    PetscCall(wring_mesh_surface(m, set, PETSC_TRUE, &n, &triangle));
  }
  PetscCall(PetscMalloc1(m->n_owned, &all));
  PetscCall(sum_shares(m, n, width, triangle, all));
  for (PetscInt i = 0; i < m->set.count[set]; i++) share[i] = all[m->set.vertex[set][i]];
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(triangle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A force per volume: each vertex of the region has its part of the region's volume. */
static PetscErrorCode read_region(wring_problem *p, const load_keys *k, wring_loaded *l)
{
  const PetscInt  n_owned = p->mesh->n_owned;
  double         *inside, *volume;
  PetscInt        region;
  wring_mass_kind kind;

  PetscFunctionBegin;
  PetscCall(wring_problem_find_region(p, k->family, k->name, &region));
  PetscCall(PetscCalloc2(p->mesh->regions.n, &inside, n_owned, &volume));
  PetscCall(PetscMalloc2(n_owned, &l->vertex, n_owned, &l->share));
  inside[region] = 1;
  PetscCall(wring_problem_load_kind(p, &kind));
  PetscCall(wring_mesh_lump_masses(p->mesh, kind, inside, NULL, volume));
  for (PetscInt i = 0; i < n_owned; i++) {
    if (volume[i] == 0) continue;
    l->vertex[l->n]  = i;
    l->share[l->n++] = volume[i];
  }
  PetscCall(PetscFree2(inside, volume));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode refuse_without_triangles(const wring_problem *p, const load_keys *k, PetscInt64 triangles)
{
  PetscFunctionBegin;
  if (triangles == 0)
    WRING_REFUSE(p->comm, "%s: %.*s: the set '%s' has no triangles, expected a surface of the mesh",
                 wring_options_family_origin(p->options, k->prefix), (int)strlen(k->family) - 1, k->family, k->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Integrals over the surface at rest, or of a set without triangles 1; a force in total, which alone acts on such a set,
  is divided by their sum.
*/
static PetscErrorCode read_set(wring_problem *p, const load_keys *k, wring_loaded *l)
{
  const wring_mesh *const m        = p->mesh;
  const PetscBool         is_total = (PetscBool)(k->table == wring_force_options);
  PetscInt64              triangles;
  PetscInt                set;
  double                  total = 0;

  PetscFunctionBegin;
  PetscCall(wring_problem_find_set(p, k->family, k->name, is_total ? "a set" : "a surface", &set));
  PetscCall(wring_mesh_count_elements(m, set, 3, &triangles));
  if (!is_total) PetscCall(refuse_without_triangles(p, k, triangles));
  l->n = m->set.count[set];
  PetscCall(PetscMalloc2(l->n, &l->vertex, l->n, &l->share));
  PetscCall(PetscArraycpy(l->vertex, m->set.vertex[set], l->n));
  for (PetscInt i = 0; i < l->n; i++) l->share[i] = 1;
  if (triangles > 0) PetscCall(wring_problem_share_area(p, set, (PetscBool)(m->tets.order == 1), l->share));
  for (PetscInt i = 0; i < l->n; i++) total += l->share[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, p->comm));
  if (!(total > 0))
    WRING_REFUSE(p->comm, "%s: %.*s: the triangles of the set '%s' have area 0 at rest, expected above 0",
                 wring_options_family_origin(p->options, k->prefix), (int)strlen(k->family) - 1, k->family, k->name);
  for (PetscInt i = 0; i < l->n && is_total; i++) l->share[i] /= total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode read_pressure(wring_problem *p, const load_keys *k, wring_loaded *l)
{
  PetscInt   set;
  PetscInt64 n_all;

  PetscFunctionBegin;
  PetscCall(wring_problem_find_set(p, k->family, k->name, "a surface", &set));
  PetscCall(wring_mesh_surface(p->mesh, set, PETSC_FALSE, &l->n, &l->triangle));
  n_all = l->n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n_all, 1, MPIU_INT64, MPI_SUM, p->comm));
  PetscCall(refuse_without_triangles(p, k, n_all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

/* The force of a vertex is the key `value` times its share. */
static PetscErrorCode add_forces(wring_problem *p, const load_keys *k, wring_loaded *l, const wring_load_time *time)
{
  double *force;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * l->n, &force));
  for (PetscInt i = 0; i < 3 * l->n; i++) force[i] = k->value[i % 3] * l->share[i / 3];
  PetscCall(wring_loads_add_forces(p->loads, time, l->n, l->vertex, force));
  PetscCall(PetscFree(force));
  PetscCall(PetscFree2(l->vertex, l->share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_pressure(wring_problem *p, const load_keys *k, wring_loaded *l, const wring_load_time *time)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < WRING_FACE * l->n; i++)
    if (l->triangle[i] >= 0) l->triangle[i] = wring_mesh_local(p->mesh, l->triangle[i]);
  PetscCall(wring_loads_add_pressure(p->loads, time, k->value[0], l->n, l->triangle));
  PetscCall(PetscFree(l->triangle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_point_load(wring_problem *p, const load_keys *k, wring_loaded *l, const wring_load_time *time)
{
  PetscInt n, *vertex;
  double  *row, *force;

  PetscFunctionBegin;
  (void)l;
  PetscCall(wring_problem_read_rows(p->mesh, k->file, "vertex,x,y,z", PETSC_TRUE, PETSC_FALSE, NULL, &n, &row));
  PetscCall(PetscMalloc2(n, &vertex, 3 * n, &force));
  for (PetscInt i = 0; i < n; i++) {
    vertex[i] = wring_mesh_local(p->mesh, (PetscInt)row[4 * i]);
    for (int c = 0; c < 3; c++) force[3 * i + c] = row[4 * i + 1 + c];
  }
  PetscCall(wring_loads_add_forces(p->loads, time, n, vertex, force));
  PetscCall(PetscFree2(vertex, force));
  PetscCall(PetscFree(row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char         *name;
  const wring_option *table;
  PetscErrorCode (*read)(wring_problem *p, const load_keys *k, wring_loaded *l); // NULL: nothing before terms
  PetscErrorCode (*add)(wring_problem *p, const load_keys *k, wring_loaded *l, const wring_load_time *time); // frees l
} families[WRING_LOAD_FAMILIES] = {
  {"body_force_", wring_body_force_options, read_region, add_forces},
  {"traction_", wring_traction_options, read_set, add_forces},
  {"force_", wring_force_options, read_set, add_forces},
  {"pressure_", wring_pressure_options, read_pressure, add_pressure},
  {"point_load_", wring_point_load_options, NULL, add_point_load},
};

static PetscErrorCode get_keys(const wring_problem *p, int family, PetscInt i, load_keys *k)
{
  PetscFunctionBegin;
  *k = (load_keys){
    .family = families[family].name, .name = p->parts->loads[family].name[i], .table = families[family].table};
  PetscCall(wring_problem_read_keys(p, k->family, k->name, k->table, k->prefix, k));
  PetscCall(wring_options_require(p->options, k->prefix, k->table, k->table[0].key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_loads(wring_problem *p)
{
  load_keys k;

  PetscFunctionBegin;
  for (int f = 0; f < WRING_LOAD_FAMILIES; f++) {
    wring_load_family *const all = &p->parts->loads[f];
    PetscCall(wring_problem_get_names(p, families[f].name, &all->n, &all->name));
    PetscCall(PetscCalloc1(all->n, &all->on));
    for (PetscInt i = 0; i < all->n && families[f].read; i++) {
      PetscCall(get_keys(p, f, i, &k));
      PetscCall(families[f].read(p, &k, &all->on[i]));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_family(wring_problem *p, int family)
{
  wring_load_family *const all = &p->parts->loads[family];
  load_keys                k;
  wring_load_time          time;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < all->n; i++) {
    PetscCall(get_keys(p, family, i, &k));
    PetscCall(wring_problem_read_load_time(p, k.prefix, &time));
    PetscCall(families[family].add(p, &k, &all->on[i], &time));
    PetscCall(wring_time_curve_destroy(&time.curve));
  }
  PetscCall(PetscFree(all->on));
  PetscCall(wring_words_destroy(all->n, &all->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* gravity_curve; gravity has no other key of time. */
static PetscErrorCode add_gravity_curve(wring_problem *p)
{
  wring_load_time time;

  PetscFunctionBegin;
  PetscCall(wring_problem_read_load_time(p, "gravity_", &time));
  PetscCall(wring_loads_set_gravity_time(p->loads, &time));
  PetscCall(wring_time_curve_destroy(&time.curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_drag(wring_problem *p)
{
  drag_keys       k;
  double         *drag;
  wring_load_time time;

  PetscFunctionBegin;
  PetscCall(wring_options_read(p->options, "drag_", wring_drag_options, &k));
  PetscCall(wring_problem_read_load_time(p, "drag_", &time));
  if (k.coefficient > 0 || k.rate > 0) {
    PetscCall(PetscMalloc1(p->mesh->n_owned, &drag));
    for (PetscInt i = 0; i < p->mesh->n_owned; i++) drag[i] = k.coefficient + k.rate * p->mass[i];
    PetscCall(wring_loads_set_drag(p->loads, &time, drag));
    PetscCall(PetscFree(drag));
  }
  PetscCall(wring_time_curve_destroy(&time.curve));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_loads(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(wring_loads_create(p->mesh, p->mass, p->parts->weight, &p->loads));
  PetscCall(PetscFree(p->parts->weight));
  PetscCall(add_gravity_curve(p));
  for (int f = 0; f < WRING_LOAD_FAMILIES; f++) PetscCall(add_family(p, f));
  PetscCall(add_drag(p));
  wring_stepper_set_loads(p->stepper, p->loads);
  PetscFunctionReturn(PETSC_SUCCESS);
}
