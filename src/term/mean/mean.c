/* Means of J over patches, and what follows from them: energy, pressures, U''. docs/theory.md 3.12 */
#include "mean.h"
#include "term/pass.h"

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

static PetscErrorCode list_elements(wring_mean *mean, PetscInt n)
{
  PetscInt *next;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < n; e++) mean->start[mean->patch[e] + 1]++;
  for (PetscInt p = 0; p < mean->patches.n; p++) mean->start[p + 1] += mean->start[p];
  PetscCall(PetscMalloc1(mean->patches.n, &next));
  PetscCall(PetscArraycpy(next, mean->start, mean->patches.n));
  for (PetscInt e = 0; e < n; e++) mean->element[next[mean->patch[e]]++] = e;
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaves: patches of this rank's elements. Roots: those that the rank has. */
static PetscErrorCode connect(MPI_Comm comm, const PetscInt *number, wring_patches *p)
{
  PetscLayout layout;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(comm, p->n_root, PETSC_DETERMINE, 1, &layout));
  PetscCall(PetscSFCreate(comm, &p->sf));
  PetscCall(PetscSFSetGraphLayout(p->sf, layout, p->n, NULL, PETSC_OWN_POINTER, number));
  PetscCall(PetscSFSetUp(p->sf));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sums of whole patches in own [n_root], and at their leaves. */
static PetscErrorCode join(const wring_patches *p, double *leaf, double *own)
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(own, p->n_root));
  PetscCall(PetscSFReduceBegin(p->sf, MPI_DOUBLE, leaf, own, MPI_SUM));
  PetscCall(PetscSFReduceEnd(p->sf, MPI_DOUBLE, leaf, own, MPI_SUM));
  PetscCall(PetscSFBcastBegin(p->sf, MPI_DOUBLE, own, leaf, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(p->sf, MPI_DOUBLE, own, leaf, MPI_REPLACE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Volumes, and factors sum V_e scale_e/V_p. */
static PetscErrorCode measure(wring_term *t)
{
  wring_mean *const    mean = t->mean;
  wring_patches *const p    = &mean->patches;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < t->n_block * WRING_LANES; i++) mean->J[i] = 1;
  wring_mean_sum(t, mean->J, mean->volume);
  for (PetscInt e = 0; e < t->n; e++) mean->J[term_position(t, e)] = t->scale ? t->scale[e] : 1;
  wring_mean_sum(t, mean->J, mean->scale);
  PetscCall(join(p, mean->volume, p->volume));
  PetscCall(join(p, mean->scale, mean->own_scale));
  for (PetscInt i = 0; i < p->n; i++) mean->scale[i] /= mean->volume[i];
  for (PetscInt i = 0; i < p->n_root; i++)
    if (p->volume[i] > 0) mean->own_scale[i] /= p->volume[i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mean_create(MPI_Comm comm, const wring_law *law, const double *par, PetscInt n_root,
                                 const PetscInt *number, wring_term *t)
{
  wring_mean    *mean;
  wring_patches *p;

  PetscFunctionBegin;
  PetscCall(PetscNew(&mean));
  t->mean   = mean;
  mean->law = law;
  p         = &mean->patches;
  p->n_root = n_root;
  PetscCall(PetscMalloc1(law->n_par, &mean->par));
  PetscCall(PetscArraycpy(mean->par, par, law->n_par));
  PetscCall(PetscMalloc2(t->n, &mean->patch, t->n, &mean->element));
  PetscCall(number_patches(t->n, number, &p->n, &p->number, mean->patch));
  PetscCall(connect(comm, p->number, p));
  PetscCall(PetscCalloc1(p->n + 1, &mean->start));
  PetscCall(list_elements(mean, t->n));
  PetscCall(PetscMalloc4(p->n, &p->J, p->n, &mean->volume, p->n, &mean->scale, p->n, &mean->u));
  PetscCall(PetscCalloc4(p->n_root, &p->root, p->n_root, &p->volume, p->n_root, &mean->own_scale, p->n_root,
                         &mean->own_energy));
  PetscCall(wring_blocks_create((size_t)t->n_block * WRING_LANES, &mean->J));
  PetscCall(measure(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mean_destroy(wring_mean **mean)
{
  PetscFunctionBegin;
  if (!*mean) PetscFunctionReturn(PETSC_SUCCESS);
  wring_patches *const p = &(*mean)->patches;
  PetscCall(PetscSFDestroy(&p->sf));
  PetscCall(PetscFree(p->number));
  PetscCall(PetscFree4(p->J, (*mean)->volume, (*mean)->scale, (*mean)->u));
  PetscCall(PetscFree4(p->root, p->volume, (*mean)->own_scale, (*mean)->own_energy));
  PetscCall(PetscFree2((*mean)->patch, (*mean)->element));
  PetscCall(PetscFree((*mean)->start));
  PetscCall(PetscFree((*mean)->par));
  wring_blocks_destroy(&(*mean)->J);
  PetscCall(PetscFree(*mean));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_patches *wring_term_patches(const wring_term *t)
{
  return t->mean && t->active ? &t->mean->patches : NULL;
}

/* ---- means ------------------------------------------------------------------------------------------------------- */

void wring_mean_sum(const wring_term *t, const double *a, double *sum)
{
  const wring_mean *const mean = t->mean;
#pragma omp parallel for schedule(static)
  for (PetscInt p = 0; p < mean->patches.n; p++) {
    sum[p] = 0;
    for (PetscInt i = mean->start[p]; i < mean->start[p + 1]; i++) {
      const PetscInt e = mean->element[i];
      sum[p] += mean_volume(t, e) * a[term_position(t, e)];
    }
  }
}

/* Sums J of the points of elements in context; no forces. */
static void map_volume(const wring_term *t, void *context, PetscInt row, wring_in z, double *sum, wring_out out)
{
  const PetscInt block = row / t->points;
  const int      p     = (int)(row % t->points);
  double *const  J     = (double *)context + (size_t)block * WRING_LANES;
  (void)sum, (void)out;
  for (int l = 0; l < WRING_LANES; l++) {
    const double det = z[0][l] * (z[4][l] * z[8][l] - z[5][l] * z[7][l]) -
                       z[1][l] * (z[3][l] * z[8][l] - z[5][l] * z[6][l]) +
                       z[2][l] * (z[3][l] * z[7][l] - z[4][l] * z[6][l]);
    J[l] = (p > 0 ? J[l] : 0) + term_part(t, block, p, l) * det;
  }
}

void wring_term_sum_volumes(wring_term *t, const double *x)
{
  const wring_pass pass = {.map = map_volume, .context = t->mean->J, .partial = t->energy};
  wring_pass_interior(t, &pass, x, NULL);
  wring_pass_boundary(t, &pass, x, NULL);
  wring_mean_sum(t, t->mean->J, t->mean->patches.J);
}

/* U, U', U'' of a patch. */
static void patch_energy(const wring_mean *mean, double scale, double J, double u[3])
{
  mean->law->volumetric->energy(mean->par, J, u);
  for (int i = 0; i < 3; i++) u[i] *= scale;
}

static void sum_energy(wring_term *t)
{
  wring_mean *const    mean = t->mean;
  wring_patches *const p    = &mean->patches;
  double               u[3];
  for (PetscInt i = 0; i < p->n_root; i++) {
    const double V = p->volume[i];
    p->root[i]     = V > 0 ? p->root[i] / V : 0;
    if (V > 0) patch_energy(mean, mean->own_scale[i], p->root[i], u);
    mean->own_energy[i] = V > 0 ? V * u[0] : 0;
  }
  t->mean_energy = wring_pairwise_sum(p->n_root, mean->own_energy);
}

void wring_term_set_volumes(wring_term *t)
{
  wring_mean *const    mean = t->mean;
  wring_patches *const p    = &mean->patches;
  const int            row  = t->law->n_par - 1;
  sum_energy(t);
  for (PetscInt i = 0; i < p->n; i++) patch_energy(mean, mean->scale[i], p->J[i] / mean->volume[i], mean->u[i]);
#pragma omp parallel for schedule(static)
  for (PetscInt e = 0; e < t->n; e++) {
    const PetscInt at       = term_position(t, e);
    const double   pressure = mean->u[mean->patch[e]][1] / (t->scale ? t->scale[e] : 1);
    t->par[(size_t)(at / WRING_LANES) * t->par_stride + (size_t)(row * WRING_LANES + at % WRING_LANES)] = pressure;
  }
}
