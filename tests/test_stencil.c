/* ranks: 1 */
/*
  A term takes the laws that its builder is for, with any number of parameters, and no others. Fails if room for
  parameters is not that of the law, or if a law of other columns is evaluated by the loops of another stencil.
*/
#include "model.h"
#include "term/term_impl.h"

/* ---- a law of many parameters ------------------------------------------------------------------------------------ */

enum { UNUSED = 64, MU = UNUSED, LAMBDA, PRESSURE, N_PAR = PRESSURE }; // those of neohookean come last

static const wring_law *plain_element(void)
{
  return wring_law_neohookean.volumetric->element;
}

static void energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
  wring_law_neohookean.energy(&wring_law_neohookean, par + UNUSED, z, psi);
}

static void hessian(WRING_SELF, wring_filter filter, wring_in par, wring_in z, wring_out h)
{
  wring_law_neohookean.hessian(&wring_law_neohookean, filter, par + UNUSED, z, h);
}

static void element_energy(WRING_SELF, wring_in par, wring_in z, double *psi)
{
  plain_element()->energy(plain_element(), par + UNUSED, z, psi);
}

static void element_fused(WRING_SELF, wring_in par, wring_in z, double *psi, wring_out p)
{
  plain_element()->fused(plain_element(), par + UNUSED, z, psi, p);
}

static PetscBool keep(const double *par, double *element_par)
{
  for (int i = 0; i < UNUSED; i++) element_par[i] = par[i];
  return wring_law_neohookean.volumetric->keep(par + UNUSED, element_par + UNUSED);
}

static void volume_energy(const double *par, double J, double u[3])
{
  wring_law_neohookean.volumetric->energy(par + UNUSED, J, u);
}

static const wring_law        element = {.name   = "wide",
                                         .kind   = WRING_LAW_MATERIAL,
                                         .q      = 3,
                                         .n_par  = N_PAR + 1,
                                         .split  = PETSC_TRUE,
                                         .energy = element_energy,
                                         .fused  = element_fused};
static const wring_volumetric mean    = {.element = &element, .keep = keep, .energy = volume_energy};
static const wring_law        wide    = {.name       = "wide",
                                         .kind       = WRING_LAW_MATERIAL,
                                         .q          = 3,
                                         .n_par      = N_PAR,
                                         .energy     = energy,
                                         .hessian    = hessian,
                                         .volumetric = &mean};

/* The energy of the term of a law with means, its gradient [n_local][3] and its moduli at rest. */
static PetscErrorCode evaluate(const wring_mesh *m, const wring_law *law, const double *par, const double *x, double *f,
                               double *value, wring_rest_moduli *moduli)
{
  const wring_work work = WRING_VALUE | WRING_GRADIENT;
  wring_term      *t;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(f, 3 * m->n_local));
  PetscCall(wring_term_create_mean_tets(m, 0, law, par, 0, NULL, &t));
  CHECK(wring_term_rest_moduli(t, moduli), "%s has no moduli", law->name);
  PetscCall(wring_term_find_means(t, NULL, x));
  wring_pass_run(wring_term_pass(t, work), WRING_ALL, x, f, value);
  PetscCall(wring_term_destroy(&t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bits are those of neohookean. */
static PetscErrorCode test_many_parameters(const wring_mesh *m)
{
  double            par[N_PAR] = {0}, value[2], *x, *f[2];
  wring_rest_moduli moduli[2];

  PetscFunctionBegin;
  par[MU] = 3e4, par[LAMBDA] = 3e5;
  PetscCall(PetscMalloc3(3 * m->n_local, &x, 3 * m->n_local, &f[0], 3 * m->n_local, &f[1]));
  for (PetscInt i = 0; i < 3 * m->n_local; i++) x[i] = m->X[i] + 0.02 * sin((double)i);
  PetscCall(evaluate(m, &wring_law_neohookean, par + UNUSED, x, f[0], &value[0], &moduli[0]));
  PetscCall(evaluate(m, &wide, par, x, f[1], &value[1], &moduli[1]));
  CHECK(value[0] > 0 && value[1] == value[0], "energy %.17g, expected %.17g", value[1], value[0]);
  for (PetscInt i = 0; i < 3 * m->n_local; i++) CHECK(f[1][i] == f[0][i], "force %g, expected %g", f[1][i], f[0][i]);
  CHECK(moduli[1].wave == moduli[0].wave && moduli[1].shear == moduli[0].shear, "moduli %g, %g, expected %g, %g",
        moduli[1].wave, moduli[1].shear, moduli[0].wave, moduli[0].shear);
  PetscCall(PetscFree3(x, f[0], f[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- laws of another stencil ------------------------------------------------------------------------------------- */

static PetscErrorCode test_refused(const wring_mesh *m)
{
  static const wring_law long_hinge = {.name = "long", .q = 1, .n_par = 3};
  static const PetscInt  vertex[5]  = {0, 1, 2, 3, 4};
  const double           par[4]     = {1, 1, 1, 1};
  double                *along;
  wring_term            *t;
  PetscErrorCode         code[7];

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(3 * m->tets.n, &along));
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code[0] = wring_term_create_tets(m, 0, &wring_law_fibre, par, 0, NULL, &t);
  code[1] = wring_term_create_fibres(m, 0, &wring_law_strain, par, along, &t);
  code[2] = wring_term_create_triangles(m, "skin", &wring_law_strain, par, 1, vertex, &t);
  code[3] = wring_term_create_triangles(m, "skin", &wring_law_spring, par, 1, vertex, &t);
  code[4] = wring_term_create_hinges(m, "skin", &wring_law_membrane_strain, 1, 1, vertex, &t);
  code[5] = wring_term_create_hinges(m, "skin", &long_hinge, 1, 1, vertex, &t);
  code[6] = wring_term_create_listed(m, "five", &wring_law_spring, 5, 1, 1, vertex, PETSC_FALSE, PETSC_FALSE, &t);
  PetscCall(PetscPopErrorHandler());
  for (int i = 0; i < 7; i++) CHECK(code[i] == PETSC_ERR_ARG_WRONG, "case %d: error %d", i, (int)code[i]);
  PetscCall(PetscFree(along));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt cells[3] = {2, 2, 2};
  wring_mesh    *mesh;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  mesh = test_box(PETSC_COMM_WORLD, cells);
  PetscCall(test_many_parameters(mesh));
  PetscCall(test_refused(mesh));
  PetscCall(wring_mesh_destroy(&mesh));
  return PetscFinalize();
}
