/*
  Materials by region: "region_NAME_" overrides "material_" key by key; of the regions of a body with a material of its
  own, "body_NAME_material_" is in the place of "material_". An unused key, a parameter of a law that the
  region does not have, gives a notice and not an error: a command line that changes the model cannot remove the
  parameters in the deck.
*/
#include "base/text.h"
#include "problem/problem_impl.h"
#include <stdio.h>
#include <string.h>

const wring_option wring_material_options[] = {
  {"model", WRING_WORD, .at = WRING_AT(wring_region_keys, model),
   .help = "Law of the elements; `wring help material` lists all laws with their keys."},
  {"density", WRING_REAL, .unit = "kg/m^3", .range = "(0,inf)", .at = WRING_AT(wring_region_keys, density),
   .help = "Mass per rest volume; not needed with mass.file."},
  {"volumetric", WRING_WORD, .choices = "full|mean|auto", .value = "auto",
   .at   = WRING_AT(wring_region_keys, volumetric),
   .help = "J = det F in the law's term in J: that of each element, or its mean over patches of elements, with which "
           "elements do not lock near Poisson's ratio 1/2; also of the limit of volume. auto: mean of a material "
           "above a ratio of 0.49 where its law and the solvers can, else full."},
  {"proxy_stiffness", WRING_REAL, .unit = "Pa", .range = "(0,inf)", .at = WRING_AT(wring_region_keys, proxy),
   .help = "Stiffness of the elements in the constant operator A; default: the slope of the law."},
  {0},
};

const wring_option wring_scale_options[] = {
  {"stiffness_file", WRING_PATH,
   .help = "CSV `tet,scale`: factor above 0 on the energy of each tetrahedron, numbered from 0 as in the mesh file."},
  {"stiffness_data", WRING_WORD, .help = "Name of the $ElementData in mesh.file (Gmsh) that gives the same factors."},
  {0},
};

void wring_region_prefix(const wring_problem *p, PetscInt r, size_t size, char *prefix)
{
  snprintf(prefix, size, "region_%s_", p->mesh->regions.name[r]);
}

const char *wring_region_shared(const wring_problem *p, PetscInt r, char prefix[WRING_PREFIX])
{
  const wring_bodies *const b = &p->parts->bodies;
  for (PetscInt i = 0; i < b->n; i++) {
    snprintf(prefix, WRING_PREFIX, "body_%s_material_", b->name[i]);
    if (wring_body_has(b->name[i], p->mesh->regions.name[r]) && wring_options_has_family(p->options, prefix))
      return prefix;
  }
  snprintf(prefix, WRING_PREFIX, "material_");
  return prefix;
}

/* The prefix under which `key` is set for this region: its own or that which it shares with others. */
static void find_source(const wring_problem *p, PetscInt r, const char *key, char from[WRING_PREFIX])
{
  wring_region_prefix(p, r, WRING_PREFIX, from);
  if (!wring_options_has(p->options, from, key)) wring_region_shared(p, r, from);
}

PetscErrorCode wring_region_density(const wring_problem *p, PetscInt r, double *density)
{
  char from[WRING_PREFIX];

  PetscFunctionBegin;
  find_source(p, r, "density", from);
  PetscCall(wring_options_require(p->options, from, wring_material_options, "density"));
  *density = p->parts->region[r].density;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_law(const wring_problem *p, PetscInt r, const char *name)
{
  char from[WRING_PREFIX], own[WRING_PREFIX], known[512] = "", hint[128] = "";

  PetscFunctionBegin;
  find_source(p, r, "model", from);
  wring_region_prefix(p, r, sizeof own, own);
  if (!wring_options_has(p->options, from, "model"))
    WRING_REFUSE(p->comm, "%s: %smodel is missing, and so is %smodel: expected a word (`wring help material`)",
                 wring_options_deck(p->options), from, own);
  p->parts->region[r].law = wring_law_find(name);
  if (p->parts->region[r].law) PetscFunctionReturn(PETSC_SUCCESS);
  int least = 2 + (int)strlen(name) / 3; // a larger edit distance means a different name
  for (int i = 0; wring_law_material(i); i++) {
    const char *const other = wring_law_material(i)->name;
    if (wring_is_nearer(name, other, &least)) snprintf(hint, sizeof hint, ", did you mean %s?", other);
    wring_text_list(known, sizeof known, other);
  }
  WRING_REFUSE(p->comm, "%s: %smodel is '%s', expected one of %s%s", wring_options_origin(p->options, from, "model"),
               from, name, known, hint);
}

static PetscErrorCode read_region(const wring_problem *p, PetscInt r)
{
  wring_region_keys *const k = &p->parts->region[r];
  char                     from[WRING_PREFIX];

  PetscFunctionBegin;
  for (const wring_option *t = wring_material_options; t->key; t++) {
    find_source(p, r, t->key, from);
    PetscCall(wring_options_read(p->options, from, (const wring_option[]){*t, {0}}, k));
  }
  PetscCall(find_law(p, r, k->model));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With auto: whether this material locks, and mean helps; with a note. */
static PetscErrorCode choose_mean(const wring_problem *p, PetscInt r, const wring_law *law, const double *par,
                                  PetscBool *mean)
{
  double wave, shear;

  PetscFunctionBegin;
  *mean = PETSC_FALSE;
  if (law->kind != WRING_LAW_MATERIAL || !law->volumetric || !wring_law_rest_moduli(law, par, &wave, &shear))
    PetscFunctionReturn(PETSC_SUCCESS);
  const double ratio = wring_poisson_ratio(wave, shear);
  if (ratio <= 0.49 + 1e-6) PetscFunctionReturn(PETSC_SUCCESS);
  *mean = (PetscBool)!p->parts->takes_no_mean;
  if (*mean)
    PetscCall(wring_note(p->comm,
                         "region '%s' has Poisson's ratio %.4g: material.volumetric is mean, against locking; full "
                         "keeps the J of each element",
                         p->mesh->regions.name[r], ratio));
  else
    PetscCall(wring_note(p->comm,
                         "region '%s' has Poisson's ratio %.4g, but solver '%s' cannot use means of volumes: "
                         "material.volumetric is full, which leads to locking",
                         p->mesh->regions.name[r], ratio, p->parts->takes_no_mean));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_region_mean(const wring_problem *p, PetscInt r, const wring_law *law, const double *par,
                                 PetscBool *mean)
{
  const wring_region_keys *const k        = &p->parts->region[r];
  const wring_law *const         material = k->law;
  char                           from[WRING_PREFIX], laws[256] = "";
  const wring_law               *other;

  PetscFunctionBegin;
  *mean = (PetscBool)(k->volumetric == WRING_VOLUME_MEAN);
  if (k->volumetric == WRING_VOLUME_AUTO) PetscCall(choose_mean(p, r, law, par, mean));
  if (k->volumetric != WRING_VOLUME_MEAN) PetscFunctionReturn(PETSC_SUCCESS);
  PetscBool any = (PetscBool)(material->volumetric != NULL);
  for (int i = 0; (other = wring_law_on_top(i)); i++)
    any = (PetscBool)(any || (other->volumetric && wring_region_has(p, r, other)));
  if (any) PetscFunctionReturn(PETSC_SUCCESS);
  for (int i = 0; wring_law_material(i); i++)
    if (wring_law_material(i)->volumetric) wring_text_list(laws, sizeof laws, wring_law_material(i)->name);
  find_source(p, r, "volumetric", from);
  WRING_REFUSE(p->comm,
               "%s: %svolumetric is mean, but material '%s' has no term in J alone, expected full, or material %s",
               wring_options_origin(p->options, from, "volumetric"), from, material->name, laws);
}

PetscBool wring_region_has(const wring_problem *p, PetscInt r, const wring_law *law)
{
  char prefix[WRING_PREFIX];
  wring_region_prefix(p, r, sizeof prefix, prefix);
  return (PetscBool)(wring_options_has_any(p->options, prefix, law->options) ||
                     wring_options_has_any(p->options, "", law->options));
}

/* ---- unused keys ------------------------------------------------------------------------------------------------- */

static PetscBool is_parameter(const char *key)
{
  for (int i = 0; wring_law_material(i); i++) {
    if (wring_option_find(wring_law_material(i)->options, key)) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Prints a notice for each parameter of a material under this prefix that is in none of the n tables. */
static PetscErrorCode note_unread(const wring_problem *p, const char *prefix, PetscInt n,
                                  const wring_option *const *table, const char *law)
{
  const size_t length = strlen(prefix);
  const char  *key, *value, *origin;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < wring_options_count(p->options); i++) {
    wring_options_entry(p->options, i, &key, &value, &origin);
    if (wring_ascii_compare_n(key, prefix, length) != 0 || !is_parameter(key + length)) continue;
    PetscBool read = PETSC_FALSE;
    for (PetscInt t = 0; t < n && !read; t++) read = (PetscBool)(table[t] && wring_option_find(table[t], key + length));
    if (!read) PetscCall(wring_note(p->comm, "%s: %s is ignored: '%s' has no such key", origin, key, law));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A material without tetrahedra is refused if nothing else of the deck has a mass: a mesh saved without volumes. */
static PetscErrorCode check_tets(const wring_problem *p)
{
  static const char *const   other[] = {"membrane_", "bending_", "spring_", "mass_"};
  const wring_options *const o       = p->options;
  PetscInt                   n       = p->mesh->set.n_element;
  PetscBool                  has     = PETSC_FALSE;

  PetscFunctionBegin;
  if (p->mesh->tets.n_global > 0 || !wring_options_has_family(o, "material_")) PetscFunctionReturn(PETSC_SUCCESS);
  const char *const origin = wring_options_family_origin(o, "material_");
  for (int i = 0; i < 4; i++) has = (PetscBool)(has || wring_options_has_family(o, other[i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPIU_INT, MPI_SUM, p->comm));
  if (!has)
    WRING_REFUSE(p->comm,
                 "%s: material: the mesh has no tetrahedra%s: save the three-dimensional mesh (in Gmsh with a physical "
                 "volume), or use membrane for a surface",
                 origin, n > 0 ? ", only surfaces or lines" : "");
  PetscCall(wring_note(p->comm, "%s: material is ignored: the mesh has no tetrahedra", origin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Notices of keys under a prefix that regions share. */
static PetscErrorCode note_shared(const wring_problem *p, const char *prefix)
{
  const wring_law     *law = NULL;
  const wring_option **table;
  char                 shared[WRING_PREFIX];
  PetscInt             n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->mesh->regions.n, &table));
  for (PetscInt r = 0; r < p->mesh->regions.n; r++) {
    if (strcmp(wring_region_shared(p, r, shared), prefix)) continue;
    law        = p->parts->region[r].law;
    table[n++] = law->options;
  }
  if (n) PetscCall(note_unread(p, prefix, n, table, law->name));
  PetscCall(PetscFree(table));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of the materials of bodies, which are refused where no region has them. */
static PetscErrorCode note_bodies(const wring_problem *p)
{
  const wring_bodies *const b = &p->parts->bodies;
  char                      prefix[WRING_PREFIX];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < b->n; i++) {
    PetscBool any = PETSC_FALSE;
    snprintf(prefix, sizeof prefix, "body_%s_material_", b->name[i]);
    if (!wring_options_has_family(p->options, prefix)) continue;
    for (PetscInt r = 0; r < p->mesh->regions.n; r++)
      any = (PetscBool)(any || wring_body_has(b->name[i], p->mesh->regions.name[r]));
    if (!any)
      WRING_REFUSE(p->comm, "%s: body '%s' has a material, but no region with tetrahedra, expected none",
                   wring_options_family_origin(p->options, prefix), b->name[i]);
    PetscCall(note_shared(p, prefix));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_regions(wring_problem *p)
{
  const PetscInt n = p->mesh->regions.n;
  char           prefix[WRING_PREFIX], **name;
  PetscInt       n_name, region;

  PetscFunctionBegin;
  PetscCall(wring_problem_get_names(p, "region_", &n_name, &name));
  for (PetscInt i = 0; i < n_name; i++) PetscCall(wring_problem_find_region(p, "region_", name[i], &region));
  PetscCall(wring_words_destroy(n_name, &name));
  PetscCall(check_tets(p));
  PetscCall(PetscCalloc1(n, &p->parts->region));
  for (PetscInt r = 0; r < n; r++) {
    wring_region_prefix(p, r, sizeof prefix, prefix);
    PetscCall(read_region(p, r));
    const wring_law *const law = p->parts->region[r].law;
    PetscCall(note_unread(p, prefix, 1, &law->options, law->name));
  }
  PetscCall(note_shared(p, "material_"));
  PetscCall(note_bodies(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}
