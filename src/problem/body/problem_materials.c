/* Terms of regions: their materials, and laws in addition to them: fibres, limits of volume and of strain. */
#include "problem/problem_impl.h"
#include <math.h>

/*
  Keys are those of the region or begin with `fallback`. proxy: Pa, 0: the law's own slope; scale: of tets, or NULL;
  direction: of fibres in tets, unused by other laws.
*/
static PetscErrorCode add_term(wring_problem *p, PetscInt r, const wring_law *law, const char *fallback, double proxy,
                               const double *scale, const double *direction)
{
  char        prefix[WRING_PREFIX];
  double     *par;
  PetscBool   mean;
  wring_term *term;

  PetscFunctionBegin;
  wring_region_prefix(p, r, sizeof prefix, prefix);
  PetscCall(PetscCalloc1(law->n_par + 1, &par));
  PetscCall(law->set_par(law, p->options, prefix, fallback, par));
  PetscCall(wring_region_mean(p, r, law, par, &mean));
  if (law->q == 1)
    PetscCall(wring_term_create_fibres(p->mesh, r, law, par, direction, &term));
  else if (mean)
    PetscCall(wring_term_create_mean_tets(p->mesh, r, law, par, proxy, scale, &term));
  else
    PetscCall(wring_term_create_tets(p->mesh, r, law, par, proxy, scale, &term));
  PetscCall(wring_potential_add_term(p->g, term));
  PetscCall(PetscFree(par));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- materials --------------------------------------------------------------------------------------------------- */

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
                                 .table    = wring_scale_options,
                                 .width    = 1,
                                 .fault    = scale_fault};
  double               *scale;
  char                  shared[WRING_PREFIX];
  PetscBool             any;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->mesh->tets.n, &scale));
  for (PetscInt e = 0; e < p->mesh->tets.n; e++) scale[e] = 1;
  PetscCall(wring_problem_read_field(p, &field, every_region, &any, scale));
  for (PetscInt r = 0; r < p->mesh->regions.n; r++)
    PetscCall(add_term(p, r, p->parts->region[r].law, wring_region_shared(p, r, shared), p->parts->region[r].proxy,
                       any ? scale : NULL, NULL));
  PetscCall(PetscFree(scale));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- fibres ------------------------------------------------------------------------------------------------------ */

/* Laws with a direction share the keys of fibres. */
static PetscBool has_fibres(const wring_problem *p, PetscInt r)
{
  const wring_law *law;
  for (int i = 0; (law = wring_law_on_top(i)); i++) {
    if (law->q == 1 && wring_region_has(p, r, law)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* d/|d|, without overflow; false for 0. */
static PetscBool normalise(double d[3])
{
  const double most = fmax(fmax(fabs(d[0]), fabs(d[1])), fabs(d[2]));
  if (!(most > 0)) return PETSC_FALSE;
  const double x = d[0] / most, y = d[1] / most, z = d[2] / most, length = sqrt(x * x + y * y + z * z);
  d[0] = x / length, d[1] = y / length, d[2] = z / length;
  return PETSC_TRUE;
}

static const char *direction_fault(const double *d)
{
  return d[0] != 0 || d[1] != 0 || d[2] != 0 ? NULL : "a direction of any length above 0";
}

static wring_tet_field direction_field(void)
{
  return (wring_tet_field){.fallback = "",
                           .constant = "fibre_direction",
                           .file     = "fibre_file",
                           .data     = "fibre_data",
                           .header   = "tet,x,y,z",
                           .table    = wring_law_fibre.options,
                           .width    = 3,
                           .fault    = direction_fault};
}

static PetscBool has_table(const wring_problem *p, const wring_tet_field *f, const char *prefix)
{
  return (PetscBool)(wring_options_has(p->options, prefix, f->file) || wring_options_has(p->options, prefix, f->data));
}

/* The constant direction of region r; zeros if it has none or a table gives the directions. */
static PetscErrorCode region_direction(const wring_problem *p, const wring_tet_field *f, PetscInt r, double d[3])
{
  const wring_options *const o = p->options;
  char                       prefix[WRING_PREFIX];

  PetscFunctionBegin;
  d[0] = d[1] = d[2] = 0;
  wring_region_prefix(p, r, sizeof prefix, prefix);
  if (!has_fibres(p, r)) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscBool   own = (PetscBool)(has_table(p, f, prefix) || wring_options_has(o, prefix, f->constant));
  const char *const at  = own ? prefix : f->fallback;
  if (has_table(p, f, at)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_get_reals(o, at, f->table, f->constant, d));
  if (!normalise(d))
    WRING_REFUSE(p->comm, "%s: %s%s is 0, expected %s", wring_options_origin(o, at, f->constant), at, f->constant,
                 direction_fault(d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Unit directions of all tets in regions with fibres. */
static PetscErrorCode read_directions(const wring_problem *p, double *direction)
{
  const wring_mesh *const m = p->mesh;
  const wring_tet_field   f = direction_field();
  double                 *of_region;
  PetscBool               any;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * m->regions.n, &of_region));
  for (PetscInt r = 0; r < m->regions.n; r++) PetscCall(region_direction(p, &f, r, of_region + 3 * r));
  for (PetscInt i = 0; i < 3 * m->tets.n; i++) direction[i] = of_region[3 * m->tets.region[i / 3] + i % 3];
  PetscCall(PetscFree(of_region));
  PetscCall(wring_problem_read_field(p, &f, has_fibres, &any, direction));
  for (PetscInt e = 0; e < m->tets.n && any; e++) normalise(direction + 3 * e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- laws in addition to materials ------------------------------------------------------------------------------- */

PetscErrorCode wring_problem_add_on_top(wring_problem *p)
{
  double          *direction;
  const wring_law *law;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * p->mesh->tets.n, &direction));
  PetscCall(read_directions(p, direction));
  for (int i = 0; (law = wring_law_on_top(i)); i++) {
    for (const wring_option *k = law->options; k->key && !p->mesh->tets.n_global; k++)
      if (wring_options_has(p->options, "", k->key))
        WRING_REFUSE(p->comm, "%s: %s applies to tetrahedra, expected a mesh with tetrahedra",
                     wring_options_origin(p->options, "", k->key), k->key);
    for (PetscInt r = 0; r < p->mesh->regions.n; r++)
      if (wring_region_has(p, r, law)) PetscCall(add_term(p, r, law, "", 0, NULL, direction));
  }
  PetscCall(PetscFree(direction));
  PetscFunctionReturn(PETSC_SUCCESS);
}
