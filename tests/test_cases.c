/* ranks: 1 2 */
/*
  Compares with the numbers of an independent implementation, tests/cases/<name>.json (see README.md there): g, its
  gradient and Hessian at a rough point, the minimiser, and the iterates of pd, qn, admm, xpbd and pbd. Fails if a
  factor, a sign, a unit or a step of an algorithm differs.
*/
#include "body.h"
#include "mesh/data.h"
#include <jansson.h>

typedef struct {
  json_t     *json;
  const char *folder, *name;
  test_body   b;
  Vec         y, x, work; // target; two work vectors
} test_case;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static double number(const json_t *from, const char *key)
{
  const json_t *v = json_object_get(from, key);
  CHECK(json_is_number(v), "no number '%s'", key);
  return json_number_value(v);
}

/* Sets v to the rows of a table of vertices in original order. */
static PetscErrorCode read_vec(const test_case *c, const json_t *table, Vec v)
{
  double *va;

  PetscFunctionBegin;
  CHECK(json_array_size(table) == (size_t)c->b.mesh->number.n_global, "%d rows", (int)json_array_size(table));
  PetscCall(VecGetArrayWrite(v, &va));
  for (PetscInt i = 0; i < 3 * c->b.mesh->n_owned; i++) {
    const json_t *row = json_array_get(table, (size_t)c->b.mesh->number.original[i / 3]);
    va[i]             = json_number_value(json_array_get(row, (size_t)(i % 3)));
  }
  PetscCall(VecRestoreArrayWrite(v, &va));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads the mesh file, or points without elements, on rank 0. */
static PetscErrorCode read_mesh_data(const test_case *c, wring_mesh_data **data)
{
  const json_t *const file = json_object_get(c->json, "mesh_gmsh"), *const rest = json_object_get(c->json, "rest");
  wring_error error = {""};
  char        path[4096], notes[1024];

  PetscFunctionBegin;
  if (json_is_string(file)) {
    PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s", c->folder, json_string_value(file)));
    PetscCall(wring_mesh_read(PETSC_COMM_SELF, path, 1, PETSC_FALSE, data, &error, sizeof notes, notes));
    CHECK(!error.text[0], "%s%s", error.text, notes);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_mesh_data_create((PetscInt)json_array_size(rest), 0, data));
  PetscCall(PetscCalloc1(1, &(*data)->set_start));
  for (PetscInt i = 0; i < 3 * (*data)->n_vertex; i++) {
    (*data)->X[i] = json_number_value(json_array_get(json_array_get(rest, (size_t)(i / 3)), (size_t)(i % 3)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A spring belongs to the rank that owns its first vertex; the second may have to become a ghost. */
static PetscErrorCode create_springs(test_case *c, wring_term **term)
{
  const json_t *const springs = json_object_get(c->json, "springs");
  const size_t        most    = json_array_size(springs);
  wring_mesh *const   mesh    = c->b.mesh;
  PetscInt           *vertex, *far, n = 0;
  double             *stiffness, *length;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(2 * most, &vertex, most, &far, most, &stiffness, most, &length));
  for (size_t e = 0; e < most; e++) {
    const json_t  *spring = json_array_get(springs, e);
    const PetscInt local  = wring_mesh_local(mesh, (PetscInt)number(spring, "i"));
    if (local < 0 || local >= mesh->n_owned) continue;
    vertex[2 * n] = local;
    far[n]        = (PetscInt)number(spring, "j");
    stiffness[n]  = number(spring, "k");
    length[n++]   = number(spring, "rest");
  }
  PetscCall(wring_mesh_extend_halo(mesh, n, far));
  for (PetscInt e = 0; e < n; e++) vertex[2 * e + 1] = wring_mesh_local(mesh, far[e]);
  PetscCall(wring_term_create_springs(mesh, "springs", n, vertex, stiffness, length, NULL, term));
  PetscCall(PetscFree4(vertex, far, stiffness, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_attachments(test_case *c)
{
  const json_t *const attachments = json_object_get(c->json, "attachments");
  const size_t        most        = json_array_size(attachments);
  const wring_motion  still       = {.until = INFINITY, .release = INFINITY};
  PetscInt           *vertex, n = 0;
  double             *stiffness, *target;
  wring_term         *term;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(most, &vertex, most, &stiffness, 3 * most, &target));
  for (size_t e = 0; e < most; e++) {
    const json_t  *one   = json_array_get(attachments, e);
    const PetscInt local = wring_mesh_local(c->b.mesh, (PetscInt)number(one, "vertex"));
    if (local < 0 || local >= c->b.mesh->n_owned) continue;
    vertex[n]    = local;
    stiffness[n] = number(one, "k");
    for (int i = 0; i < 3; i++) {
      target[3 * n + i] = json_number_value(json_array_get(json_object_get(one, "target"), (size_t)i));
    }
    n++;
  }
  PetscCall(wring_term_create_attachments(c->b.mesh, "held", n, vertex, stiffness, target, &still, &term));
  PetscCall(wring_potential_add_term(c->b.g, term));
  PetscCall(PetscFree3(vertex, stiffness, target));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Our name of the material that a case calls `type`. */
static const char *our_name(const char *type)
{
  if (!strcmp(type, "arap")) return "strain";
  return strcmp(type, "stable_nh") ? type : "stable_neohookean";
}

/*
  The material of the tets, with the weights with which the case's iterates were computed. Its mu and lam are those of
  the formula; its E and nu are other moduli at rest in stable_nh.
*/
static PetscErrorCode add_tets(test_case *c)
{
  const json_t *const material = json_object_get(c->json, "material"), *const derived =
                                                                         json_object_get(c->json, "derived");
  const wring_law *law = wring_law_find(our_name(json_string_value(json_object_get(material, "type"))));
  char             text[64];
  double           par[8];
  wring_term      *term;

  PetscFunctionBegin;
  static const char *const keys[][2] = {{"k", "material_stiffness"}, {"mu", "material_mu"}, {"lam", "material_lambda"}};
  for (int i = 0; i < 3; i++) {
    if (!wring_option_find(law->options, keys[i][1] + strlen("material_"))) continue;
    PetscCall(PetscSNPrintf(text, sizeof text, "%.17g", number(i ? derived : material, keys[i][0])));
    PetscCall(wring_options_set(c->b.o, keys[i][1], text, c->name));
  }
  PetscCall(law->set_par(law, c->b.o, "material_", "material_", par));
  PetscCall(wring_term_create_tets(c->b.mesh, 0, law, par, number(derived, "laplacian_weight"), NULL, &term));
  PetscCall(wring_potential_add_term(c->b.g, term));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_potential(test_case *c)
{
  const json_t *const masses  = json_object_get(c->json, "masses");
  const PetscInt      n       = c->b.mesh->n_owned;
  const double        density = number(c->json, "density");
  double             *mass, *lumped;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &mass, n, &lumped));
  for (PetscInt i = 0; i < n; i++) {
    mass[i] = json_number_value(json_array_get(masses, (size_t)c->b.mesh->number.original[i]));
  }
  if (c->b.mesh->tets.n_global > 0) {
    PetscCall(wring_mesh_lump_masses(c->b.mesh, WRING_MASS_DIAGONAL, &density, NULL, lumped));
    for (PetscInt i = 0; i < n; i++) CHECK(fabs(lumped[i] - mass[i]) <= 1e-13 * mass[i], "%s: mass", c->name);
  }
  PetscCall(wring_potential_create(c->b.mesh, mass, NULL, &c->b.g));
  PetscCall(wring_potential_set_step(c->b.g, number(c->json, "h")));
  PetscCall(PetscFree2(mass, lumped));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode case_create(const char *folder, const char *name, test_case *c)
{
  wring_mesh_data *data = NULL;
  wring_term      *springs;
  char             path[4096];

  PetscFunctionBegin;
  *c = (test_case){.folder = folder, .name = name};
  PetscCall(PetscSNPrintf(path, sizeof path, "%s/%s.json", folder, name));
  c->json = json_load_file(path, 0, NULL);
  CHECK(c->json, "%s cannot be read", path);
  PetscCall(wring_options_create(PETSC_COMM_WORLD, &c->b.o));
  PetscCall(wring_options_set(c->b.o, "operator_type", "direct", name));
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  if (rank == 0) PetscCall(read_mesh_data(c, &data));
  PetscCall(wring_mesh_distribute(PETSC_COMM_WORLD, WRING_PARTITIONER_METIS, &data, &c->b.mesh));
  PetscCall(create_springs(c, &springs));
  PetscCall(create_potential(c));
  if (c->b.mesh->tets.n_global > 0) PetscCall(add_tets(c));
  PetscCall(wring_potential_add_term(c->b.g, springs));
  PetscCall(add_attachments(c));
  PetscCall(test_body_set_up(&c->b));
  PetscCall(wring_potential_create_vec(c->b.g, &c->y));
  PetscCall(VecDuplicate(c->y, &c->x));
  PetscCall(VecDuplicate(c->y, &c->work));
  PetscCall(read_vec(c, json_object_get(c->json, "y"), c->y));
  PetscCall(wring_potential_set_target(c->b.g, c->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode case_destroy(test_case *c)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&c->y));
  PetscCall(VecDestroy(&c->x));
  PetscCall(VecDestroy(&c->work));
  PetscCall(test_body_destroy(&c->b));
  json_decref(c->json);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/*
  The part of the case's energies that ours lack: the energy density of stable_neohookean at rest, which ours subtracts.
*/
static double rest_energy(const test_case *c)
{
  const json_t *const density = json_object_get(json_object_get(c->json, "derived"), "rest_energy_density");
  const json_t *const volumes = json_object_get(c->json, "volumes");
  double              sum     = 0;
  for (size_t e = 0; density && e < json_array_size(volumes); e++) {
    sum += json_number_value(density) * json_number_value(json_array_get(volumes, e));
  }
  return sum;
}

static void check_number(const test_case *c, const char *what, double ours, double theirs, double tolerance)
{
  CHECK(fabs(ours - theirs) <= tolerance * fabs(theirs), "%s: %s is %.17g, not %.17g", c->name, what, ours, theirs);
}

/* |ours - theirs|_inf <= tolerance |theirs|_inf. */
static PetscErrorCode check_vec(const test_case *c, const char *what, Vec ours, const json_t *theirs, double tolerance)
{
  Vec       expected;
  PetscReal size;
  double    distance;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(ours, &expected));
  PetscCall(read_vec(c, theirs, expected));
  PetscCall(VecNorm(expected, NORM_INFINITY, &size));
  PetscCall(test_distance(ours, expected, &distance));
  CHECK(distance <= tolerance * size, "%s: %s is off by %g of %g", c->name, what, distance, (double)size);
  PetscCall(VecDestroy(&expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_evaluation(test_case *c)
{
  const json_t *const eval = json_object_get(c->json, "eval");
  wring_value         value;
  Vec                 direction, product;
  Mat                 H = NULL;

  PetscFunctionBegin;
  PetscCall(read_vec(c, json_object_get(eval, "x"), c->x));
  PetscCall(wring_potential_fused(c->b.g, c->x, &value, c->work));
  check_number(c, "g", value.objective, number(eval, "g") - rest_energy(c), 1e-10);
  check_number(c, "the inertial part", value.inertial, number(eval, "inertial"), 1e-10);
  check_number(c, "the elastic part", value.elastic, number(eval, "elastic") + number(eval, "attach") - rest_energy(c),
               1e-10);
  PetscCall(check_vec(c, "the gradient", c->work, json_object_get(eval, "grad"), 1e-9));
  PetscCall(wring_potential_hessian(c->b.g, c->x, WRING_FILTER_NONE, &H));
  PetscCall(MatCreateVecs(H, &direction, &product));
  PetscCall(read_vec(c, json_object_get(eval, "hess_dir"), direction));
  PetscCall(MatMult(H, direction, product));
  PetscCall(check_vec(c, "the Hessian's product", product, json_object_get(eval, "hess_times_dir"), 1e-9));
  PetscCall(VecDestroy(&direction));
  PetscCall(VecDestroy(&product));
  PetscCall(MatDestroy(&H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_minimiser(test_case *c)
{
  const json_t *const step = json_object_get(c->json, "step");
  wring_outcome       outcome;

  PetscFunctionBegin;
  PetscCall(test_body_solve_from(&c->b, "newton", 100, 1e-10, c->y, c->x, &outcome));
  CHECK(outcome.reason == WRING_CONVERGED, "%s: newton ends %s with |grad g| %g of %g", c->name,
        wring_reason_name(outcome.reason), outcome.last.gradient_norm, outcome.first.gradient_norm);
  check_number(c, "g*", outcome.last.value.objective, number(step, "gstar") - rest_energy(c), 1e-10);
  PetscCall(check_vec(c, "the minimiser", c->x, json_object_get(step, "xstar"), 1e-7));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A method's positions and g after 1, 2, 5 and 20 iterations, if the case has them. */
static PetscErrorCode check_iterates(test_case *c, const char *theirs, const char *ours)
{
  static const int    counts[] = {1, 2, 5, 20};
  const json_t *const iterates =
    json_object_get(json_object_get(json_object_get(c->json, "iterates"), "methods"), theirs);
  wring_outcome outcome;
  char          text[64];

  PetscFunctionBegin;
  for (int i = 0; iterates && i < 4; i++) {
    PetscCall(PetscSNPrintf(text, sizeof text, "%d", counts[i]));
    const json_t *const then = json_object_get(iterates, text);
    PetscCall(test_body_solve_from(&c->b, ours, counts[i], 0, c->y, c->x, &outcome));
    PetscCall(PetscSNPrintf(text, sizeof text, "%s after %d iterations", theirs, counts[i]));
    check_number(c, text, outcome.last.value.objective, number(then, "g") - rest_energy(c), 1e-10);
    PetscCall(check_vec(c, text, c->x, json_object_get(then, "x"), 1e-8));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_case(const char *folder, const char *name)
{
  test_case c;

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(PETSC_COMM_WORLD);
  PetscCall(case_create(folder, name, &c));
  PetscCall(check_evaluation(&c));
  PetscCall(check_minimiser(&c));
  PetscCall(test_variant(c.b.o, "plain", "qn", "history=0"));
  PetscCall(check_iterates(&c, "pd", "pd"));
  PetscCall(check_iterates(&c, "qn0", "plain"));
  PetscCall(check_iterates(&c, "qn5", "qn"));
  PetscCall(test_variant(c.b.o, "light", "admm", "weight=0.4"));
  PetscCall(check_iterates(&c, "admm1", "admm"));
  PetscCall(check_iterates(&c, "admm.4", "light"));
  if (size == 1) {
    PetscCall(wring_options_set(c.b.o, "solver_xpbd_order", "sequential", name));
    PetscCall(wring_options_set(c.b.o, "solver_pbd_order", "sequential", name));
    PetscCall(check_iterates(&c, "xpbd", "xpbd"));
    PetscCall(check_iterates(&c, "pbd", "pbd"));
  }
  PetscCall(case_destroy(&c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  static const char *const names[] = {"arap", "arap_inverted", "corotated", "neohookean", "stable_nh", "springs_net"};
  char                     folder[4096];

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscSNPrintf(folder, sizeof folder, "%s/tests/cases", argc > 1 ? argv[1] : "."));
  wring_blas_set_threads(1);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) PetscCall(check_case(folder, names[i]));
  PetscCall(PetscFinalize());
  return 0;
}
