/* Materials of the regions: "region_NAME_" overrides "material_" key by key. */
#include "problem.h"
#include <stdio.h>
#include <string.h>

void wring_region_prefix(const wring_problem *p, PetscInt r, size_t size, char *prefix)
{
  snprintf(prefix, size, "region_%s_", p->mesh->regions.name[r]);
}

const char *wring_region_says(const wring_problem *p, const char *prefix, const char *key)
{
  return wring_options_has(p->options, prefix, key) ? prefix : "material_";
}

PetscErrorCode wring_region_law(const wring_problem *p, PetscInt r, const wring_law **law)
{
  char        prefix[256], known[512] = "", hint[128] = "";
  const char *says, *name;

  PetscFunctionBegin;
  wring_region_prefix(p, r, sizeof prefix, prefix);
  says = wring_region_says(p, prefix, "model");
  PetscCall(wring_options_get_word(p->options, says, wring_material_options, "model", &name));
  *law = wring_law_find(name);
  if (*law) PetscFunctionReturn(PETSC_SUCCESS);
  int least = 2 + (int)strlen(name) / 3; // so many edits do not mean the same name
  for (int i = 0; wring_law_material(i); i++) {
    const size_t end      = strlen(known);
    const int    distance = wring_edit_distance(name, wring_law_material(i)->name);
    if (distance < least) snprintf(hint, sizeof hint, ", did you mean %s?", wring_law_material(i)->name);
    least = PetscMin(least, distance);
    snprintf(known + end, sizeof known - end, "%s%s", i ? ", " : "", wring_law_material(i)->name);
  }
  WRING_REFUSE(p->comm, "%s: %smodel is '%s', expected one of %s%s", wring_options_origin(p->options, says, "model"),
               says, name, known, hint);
}

/* scale: of tets, or NULL. */
static PetscErrorCode add_region(wring_problem *p, PetscInt r, const double *scale)
{
  const wring_options *const o = p->options;
  const wring_law           *law;
  char                       prefix[256];
  double                    *par, proxy = 0; // 0: the law's own slope
  wring_term                *term;

  PetscFunctionBegin;
  wring_region_prefix(p, r, sizeof prefix, prefix);
  PetscCall(wring_region_law(p, r, &law));
  PetscCall(PetscCalloc1(law->n_par + 1, &par));
  PetscCall(law->set_par(law, o, prefix, "material_", par));
  const char *const says = wring_region_says(p, prefix, "proxy_stiffness");
  if (wring_options_has(o, says, "proxy_stiffness")) {
    PetscCall(wring_options_get_real(o, says, wring_material_options, "proxy_stiffness", &proxy));
  }
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
