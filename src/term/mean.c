/* Means of J over patches, and what follows from them: energy, pressures, U''. docs/theory.md 3.12 */
#include "base/parallel/consensus.h"
#include "base/sort.h"
#include "kernels.h"
#include "mean.h"

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* The patches of this rank's elements: *number [*n] ascending; patch [n] of each element. */
static PetscErrorCode number_patches(PetscInt n, const PetscInt *centre, PetscInt *n_patch, PetscInt **number,
                                     PetscInt *patch)
{
  PetscInt *list, count = n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &list));
  PetscCall(PetscArraycpy(list, centre, n));
  PetscCall(PetscSortRemoveDupsInt(&count, list));
  for (PetscInt e = 0; e < n; e++) PetscCall(PetscFindInt(centre[e], count, list, &patch[e]));
  *n_patch = count;
  *number  = list;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums of a [n_block][LANES] times V_e over this rank's elements of each patch, in their order. */
static void sum_here(const wring_term *t, const double *a, double *sum)
{
  const wring_mean *const mean = t->mean;
#pragma omp parallel for schedule(static)
  for (PetscInt p = 0; p < mean->n; p++) {
    sum[p] = 0;
    for (PetscInt i = mean->start[p]; i < mean->start[p + 1]; i++) {
      const PetscInt e = mean->element[i];
      sum[p] += mean_volume(t, e) * a[term_position(t, e)];
    }
  }
}

/* The same over the elements of all ranks in root; with `back` also in sum. */
static PetscErrorCode sum_all(const wring_term *t, wring_phases *phases, const double *a, PetscBool back, double *sum,
                              double *root)
{
  const wring_mean *const mean = t->mean;

  PetscFunctionBegin;
  sum_here(t, a, sum);
  const wring_phase old = wring_phases_switch(phases, WRING_PHASE_HALO);
  wring_count(phases, WRING_WORK_EXCHANGES, back ? 2 : 1);
  PetscCall(PetscArrayzero(root, mean->patches.n));
  PetscCall(PetscSFReduceBegin(mean->sf, MPI_DOUBLE, sum, root, MPI_SUM));
  PetscCall(PetscSFReduceEnd(mean->sf, MPI_DOUBLE, sum, root, MPI_SUM));
  if (back) {
    PetscCall(PetscSFBcastBegin(mean->sf, MPI_DOUBLE, root, sum, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(mean->sf, MPI_DOUBLE, root, sum, MPI_REPLACE));
  }
  wring_phases_switch(phases, old);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Volumes, and factors sum V_e scale_e/V_p. */
static PetscErrorCode measure(wring_term *t)
{
  wring_mean *const mean   = t->mean;
  double *const     volume = mean->patches.volume;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < t->n_block * LANES; i++) mean->J[i] = 1;
  PetscCall(sum_all(t, NULL, mean->J, PETSC_TRUE, mean->volume, volume));
  for (PetscInt e = 0; e < t->n; e++) mean->J[term_position(t, e)] = t->scale ? t->scale[e] : 1;
  PetscCall(sum_all(t, NULL, mean->J, PETSC_TRUE, mean->scale, mean->own_scale));
  for (PetscInt i = 0; i < mean->n; i++) mean->scale[i] /= mean->volume[i];
  for (PetscInt i = 0; i < mean->patches.n; i++)
    if (volume[i] > 0) mean->own_scale[i] /= volume[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mean_create(MPI_Comm comm, const wring_law *law, const double *par, PetscInt n_root,
                                 const PetscInt *number, wring_term *t)
{
  wring_mean *mean;

  PetscFunctionBegin;
  PetscCall(PetscNew(&mean));
  t->mean         = mean;
  mean->law       = law;
  mean->patches.n = n_root;
  PetscCall(PetscMalloc1(law->n_par, &mean->par));
  PetscCall(PetscArraycpy(mean->par, par, law->n_par));
  PetscCall(PetscMalloc2(t->n, &mean->patch, t->n, &mean->element));
  PetscCall(number_patches(t->n, number, &mean->n, &mean->number, mean->patch));
  PetscCall(wring_sf_create(comm, n_root, PETSC_DETERMINE, mean->n, NULL, mean->number, &mean->sf));
  PetscCall(PetscMalloc1(mean->n + 1, &mean->start));
  for (PetscInt e = 0; e < t->n; e++) mean->element[e] = e;
  PetscCall(wring_sort_buckets(t->n, mean->element, mean->patch, mean->n, mean->start));
  PetscCall(PetscMalloc4(mean->n, &mean->sum, mean->n, &mean->volume, mean->n, &mean->scale, mean->n, &mean->u));
  PetscCall(PetscCalloc4(n_root, &mean->root, n_root, &mean->patches.volume, n_root, &mean->own_scale, n_root,
                         &mean->own_energy));
  PetscCall(wring_blocks_create((size_t)t->n_block * LANES, &mean->J));
  PetscCall(measure(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mean_destroy(wring_mean **to_destroy)
{
  wring_mean *const mean = *to_destroy;

  PetscFunctionBegin;
  if (!mean) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSFDestroy(&mean->sf));
  PetscCall(PetscFree(mean->number));
  PetscCall(PetscFree4(mean->sum, mean->volume, mean->scale, mean->u));
  PetscCall(PetscFree4(mean->root, mean->patches.volume, mean->own_scale, mean->own_energy));
  PetscCall(PetscFree2(mean->patch, mean->element));
  PetscCall(PetscFree(mean->start));
  PetscCall(PetscFree(mean->par));
  wring_blocks_destroy(&mean->J);
  PetscCall(PetscFree(*to_destroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_patches *wring_term_patches(const wring_term *t)
{
  return t->mean && t->active ? &t->mean->patches : NULL;
}

/* ---- means ------------------------------------------------------------------------------------------------------- */

/* Sums J of the points of elements in context. */
static void map_volume(const term_row *r)
{
  double *const J = (double *)r->context + (size_t)r->block * LANES;
  for (int l = 0; l < LANES; l++)
    J[l] = (r->point > 0 ? J[l] : 0) + term_part(r->t, r->block, r->point, l) * determinant(r->z, l);
}

/* U, U', U'' of a patch. */
static void patch_energy(const wring_mean *mean, double scale, double J, double u[3])
{
  mean->law->volumetric->energy(mean->par, J, u);
  for (int i = 0; i < 3; i++) u[i] *= scale;
}

/* The energy of this rank's patches; root becomes the means. */
static double sum_energy(wring_mean *mean)
{
  double u[3];
  for (PetscInt i = 0; i < mean->patches.n; i++) {
    const double V = mean->patches.volume[i];
    mean->root[i]  = V > 0 ? mean->root[i] / V : 0;
    if (V > 0) patch_energy(mean, mean->own_scale[i], mean->root[i], u);
    mean->own_energy[i] = V > 0 ? V * u[0] : 0;
  }
  return wring_pairwise_sum(mean->patches.n, mean->own_energy);
}

/* The elements take the pressures of their patches. */
static void set_pressures(wring_term *t)
{
  const wring_mean *const mean = t->mean;
  const int               row  = t->law->n_par - 1;
#pragma omp parallel for schedule(static)
  for (PetscInt e = 0; e < t->n; e++) {
    const PetscInt at    = term_position(t, e);
    double *const  place = t->par + (size_t)(at / LANES) * t->par_stride + (size_t)(row * LANES + at % LANES);
    *place               = mean->u[mean->patch[e]][1] / (t->scale ? t->scale[e] : 1);
  }
}

void wring_term_take_pressures(wring_term *t)
{
  if (!t->pressure || !wring_term_patches(t)) return;
  for (PetscInt i = 0; i < t->mean->n; i++) t->mean->u[i][1] = t->pressure[i];
  set_pressures(t);
}

PetscErrorCode wring_term_find_means(wring_term *t, wring_phases *phases, const double *x)
{
  wring_mean *const mean = t->mean;

  PetscFunctionBegin;
  if (!wring_term_patches(t)) PetscFunctionReturn(PETSC_SUCCESS);
  wring_pass_run(&(wring_pass){.t = t, .map = map_volume, .context = mean->J}, WRING_ALL, x, NULL, NULL);
  PetscCall(sum_all(t, phases, mean->J, PETSC_TRUE, mean->sum, mean->root));
  t->mean_energy = sum_energy(mean);
  for (PetscInt i = 0; i < mean->n; i++) patch_energy(mean, mean->scale[i], mean->sum[i] / mean->volume[i], mean->u[i]);
  set_pressures(t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the Hessian's part ------------------------------------------------------------------------------------------ */

void wring_term_patch_curvatures(const wring_term *t, wring_filter filter, double *D)
{
  const wring_mean *const mean = t->mean;
  for (PetscInt i = 0; i < mean->patches.n; i++) {
    const double V = mean->patches.volume[i];
    double       u[3];
    D[i] = 0;
    if (!(V > 0)) continue;
    mean->law->volumetric->energy(mean->par, mean->root[i], u);
    D[i] = V * filtered_curvature(filter, mean->own_scale[i] * u[2]);
  }
}

PetscInt wring_term_corners(const wring_term *t)
{
  return t->m;
}

void wring_term_patch_vertices(const wring_term *t, PetscInt *number, PetscInt *vertex)
{
  for (PetscInt e = 0; e < t->n; e++) {
    number[e] = t->mean->number[t->mean->patch[e]];
    term_vertices(t, term_position(t, e), vertex + t->m * e);
  }
}

TERM_INLINE void add_gradients(int m, int q, void *context)
{
  const term_row *const   r    = context;
  const wring_term *const t    = r->t;
  const wring_mean *const mean = t->mean;
  WRING_ALIGNED lanes     c[9], f[3 * MAX_M];
  cofactors(r->z, c);
  form_forces(m, q, point_of(t, m, r->point), row_coef(t, r->row), (wring_in)c, f);
  for (int l = 0; l < LANES; l++) {
    const PetscInt e = term_element(t, r->block * LANES + l);
    if (e < 0) continue;
    const double  share = term_part(t, r->block, r->point, l) * mean_volume(t, e) / mean->volume[mean->patch[e]];
    double *const value = (double *)r->context + 3 * m * (size_t)e;
    for (int i = 0; i < 3 * m; i++) value[i] = (r->point > 0 ? value[i] : 0) + share * f[i][l];
  }
}

static void map_gradients(const term_row *r)
{
  with_stencil(r->t, add_gradients, (void *)r);
}

void wring_term_patch_gradients(const wring_term *t, const double *x, double *value)
{
  wring_pass_run(&(wring_pass){.t = t, .map = map_gradients, .context = value}, WRING_ALL, x, NULL, NULL);
}

/* The changes [n_block][LANES] along one direction or two, in context; the second NULL: one. */
static void map_changes(const term_row *r)
{
  double *const *const change = r->context;
  WRING_ALIGNED lanes  c[9];
  cofactors(r->z, c);
  for (int i = 0; i < 2 && change[i]; i++) {
    double *const  a = change[i] + (size_t)r->block * LANES;
    const wring_in d = r->z + (i + 1) * FIELD;
    for (int l = 0; l < LANES; l++) {
      const double part = term_part(r->t, r->block, r->point, l);
      if (r->point == 0) a[l] = 0;
      for (int n = 0; n < 9; n++) a[l] += part * c[n][l] * d[n][l];
    }
  }
}

PetscErrorCode wring_term_patch_changes(const wring_term *t, wring_phases *phases, const double *x, const double *u,
                                        const double *p, double *a, double *b)
{
  double          *change[2] = {t->mean->J};
  const wring_pass pass      = {.t = t, .map = map_changes, .context = change, .more = {u, p}, .n_more = 2};

  PetscFunctionBegin;
  PetscCall(wring_blocks_create((size_t)t->n_block * LANES, &change[1]));
  wring_pass_run(&pass, WRING_ALL, x, NULL, NULL);
  PetscCall(sum_all(t, phases, change[0], PETSC_FALSE, t->mean->sum, a));
  PetscCall(sum_all(t, phases, change[1], PETSC_FALSE, t->mean->sum, b));
  wring_blocks_destroy(&change[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mean_find_pressures(wring_term *t, wring_phases *phases, const double *x, const double *d)
{
  wring_mean *const mean      = t->mean;
  double           *change[2] = {mean->J};

  PetscFunctionBegin;
  PetscCall(wring_term_find_means(t, phases, x));
  if (d) {
    wring_pass_run(&(wring_pass){.t = t, .map = map_changes, .context = change, .more = {d}, .n_more = 1}, WRING_ALL, x,
                   NULL, NULL);
    PetscCall(sum_all(t, phases, mean->J, PETSC_TRUE, mean->sum, mean->root));
  }
  for (PetscInt i = 0; i < mean->n; i++)
    t->pressure[i] = mean->u[i][1] + (d ? mean->u[i][2] * mean->sum[i] / mean->volume[i] : 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}
