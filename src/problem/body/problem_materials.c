/* Materials: one term of tetrahedra for each region. */
#include "problem/problem_impl.h"

/* scale: of tets, or NULL. */
static PetscErrorCode add_region(wring_problem *p, PetscInt r, const double *scale)
{
  const wring_options *const o = p->options;
  const wring_law           *law;
  char                       prefix[WRING_PREFIX];
  double                    *par, proxy = 0; // 0: the law's own slope
  PetscBool                  mean;
  wring_term                *term;

  PetscFunctionBegin;
  wring_region_prefix(p, r, sizeof prefix, prefix);
  PetscCall(wring_region_law(p, r, &law));
  PetscCall(PetscCalloc1(law->n_par + 1, &par));
  PetscCall(law->set_par(law, o, prefix, "material_", par));
  const char *const from = wring_region_source(p, prefix, "proxy_stiffness");
  if (wring_options_has(o, from, "proxy_stiffness")) {
    PetscCall(wring_options_get_real(o, from, wring_material_options, "proxy_stiffness", &proxy));
  }
  PetscCall(wring_region_mean(p, r, &mean));
  if (mean && law->volumetric)
    PetscCall(wring_term_create_mean_tets(p->mesh, r, law, par, proxy, scale, &term));
  else
    PetscCall(wring_term_create_scaled_tets(p->mesh, r, law, par, proxy, scale, &term));
  PetscCall(wring_potential_add_term(p->g, term));
  PetscCall(PetscFree(par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *scale_fault(const double *scale)
{
  return *scale > 0 ? NULL : "a scale above 0";
}

static PetscBool every_region(const wring_problem *p, PetscInt r)
{
  (void)p, (void)r;
  return PETSC_TRUE;
}

PetscErrorCode wring_problem_add_materials(wring_problem *p)
{
  const wring_tet_field field = {.fallback = "material_",
                                 .file     = "stiffness_file",
                                 .data     = "stiffness_data",
                                 .header   = "tet,scale",
                                 .table    = wring_material_options,
                                 .width    = 1,
                                 .fault    = scale_fault};
  double               *scale;
  PetscBool             any;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->mesh->n_tet, &scale));
  for (PetscInt e = 0; e < p->mesh->n_tet; e++) scale[e] = 1;
  PetscCall(wring_problem_read_field(p, &field, every_region, &any, scale));
  for (PetscInt r = 0; r < p->mesh->regions.n; r++) PetscCall(add_region(p, r, any ? scale : NULL));
  PetscCall(PetscFree(scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}
