/* Files of `wring mesh`: their names, and how a mesh is written. */
#include "mesh_command.h"
#include "mesh/surface/faces.h"
#include <string.h>
#include <wring/io.h>

/* ---- names ------------------------------------------------------------------------------------------------------- */

PetscBool wring_mesh_ends(const char *file, const char *ending)
{
  const size_t n = strlen(file), m = strlen(ending);
  return (PetscBool)(n > m && !strcmp(file + n - m, ending));
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* A whole mesh as cells of a .vtu file, on rank 0: tets, triangles, lines and points with their region. */
enum { N_KIND = 4 };

typedef struct {
  PetscInt  n[N_KIND];      // of cells with 4, 3, 2 and 1 corners
  PetscInt *corner[N_KIND]; // that of tets of order 1 is the mesh's
  int32_t  *region;
  int64_t  *number; // of vertices
} picture;

/*
  Lines and triangles with a vertex that is in no tet become cells; the others lie on a solid. Sets have the numbers
  after those of the regions. Elements of order 2 are cut.
*/
static void take_elements(const wring_mesh_data *d, const char *mark, int kind, int32_t *region, picture *p)
{
  static const PetscInt none[3] = {-1, -1, -1};
  const int             corners = 4 - kind;
  for (PetscInt i = 0; i < d->n_set_element; i++) {
    const PetscInt *const row = d->set_element + 4 * (size_t)i;
    PetscInt              part[16];
    if ((row[3] < 0 ? 2 : 3) != corners || (mark[row[1]] && mark[row[2]] && (row[3] < 0 || mark[row[3]]))) continue;
    const int n = wring_set_element_cut(row, d->set_mid ? d->set_mid + 3 * (size_t)i : none, part);
    for (int k = 0; k < n; k++) {
      region[p->n[kind]] = (int32_t)(d->regions.n + row[0]);
      memcpy(p->corner[kind] + (size_t)p->n[kind]++ * (size_t)corners, part + 4 * k + 1, (size_t)corners * sizeof *row);
    }
  }
}

static PetscErrorCode draw(const wring_mesh_data *d, picture *p)
{
  const size_t elements = (d->set_mid ? 4 : 1) * (size_t)d->n_set_element; // with their parts
  char        *mark;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)d->n_vertex, &mark));
  PetscCall(PetscMalloc5(3 * elements, &p->corner[1], 2 * elements, &p->corner[2], (size_t)d->n_vertex, &p->corner[3],
                         (size_t)d->n_tet + elements + (size_t)d->n_vertex, &p->region, (size_t)d->n_vertex,
                         &p->number));
  p->n[0]      = d->n_tet;
  p->corner[0] = d->tet;
  if (d->mid) PetscCall(PetscMalloc1(10 * (size_t)d->n_tet, &p->corner[0])); // order 2: ten vertices
  for (size_t e = 0; e < (size_t)d->n_tet; e++) {
    p->region[e] = (int32_t)d->region[e];
    if (d->mid) PetscCall(PetscArraycpy(p->corner[0] + 10 * e, d->tet + 4 * e, 4));
    if (d->mid) PetscCall(PetscArraycpy(p->corner[0] + 10 * e + 4, d->mid + 6 * e, 6));
  }
  for (size_t i = 0; i < (d->mid ? 10 : 4) * (size_t)d->n_tet; i++) mark[p->corner[0][i]] = 1;
  take_elements(d, mark, 1, p->region + d->n_tet, p);
  take_elements(d, mark, 2, p->region + d->n_tet + p->n[1], p);
  for (PetscInt v = 0; v < d->n_vertex; v++) {
    p->number[v] = v;
    if (p->n[0] + p->n[1] + p->n[2] > 0) continue;
    p->region[v]            = -1;
    p->corner[3][p->n[3]++] = v;
  }
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode write_vtu(const wring_mesh_job *job, const wring_mesh_data *d)
{
  picture     p = {0};
  wring_cells cells[N_KIND];

  PetscFunctionBegin;
  if (d) PetscCall(draw(d, &p));
  int order = d && d->mid ? 2 : 1; // of rank 0: all ranks write the same kinds of cells
  PetscCallMPI(MPI_Bcast(&order, 1, MPI_INT, 0, job->comm));
  for (int k = 0; k < N_KIND; k++) cells[k] = (wring_cells){p.n[k], k == 0 && order == 2 ? 10 : 4 - k, p.corner[k]};
  const wring_field vertex = {"vertex", WRING_INT64, 1, p.number, PETSC_TRUE};
  const wring_field cell   = {"region", WRING_INT32, 1, p.region, PETSC_TRUE};
  const wring_frame frame  = {.n_point       = d ? d->n_vertex : 0,
                              .points        = {"Points", WRING_FLOAT64, 3, d ? d->X : NULL, PETSC_TRUE},
                              .n_cells       = N_KIND,
                              .cells         = cells,
                              .n_point_field = 1,
                              .n_cell_field  = 1,
                              .point_field   = &vertex,
                              .cell_field    = &cell};
  PetscCall(wring_vtk_write(job->comm, job->to, PETSC_TRUE, &frame));
  if (d && d->mid) PetscCall(PetscFree(p.corner[0]));
  PetscCall(PetscFree5(p.corner[1], p.corner[2], p.corner[3], p.region, p.number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_write(const wring_mesh_job *job, wring_mesh_data **data)
{
  const wring_mesh_data *const d     = *data;
  wring_error                  error = {""};
  PetscInt                     lines = 0;

  PetscFunctionBegin;
  if (wring_mesh_ends(job->to, ".vtu")) {
    PetscCall(write_vtu(job, d));
  } else {
    if (d) PetscCall(wring_gmsh_write(job->to, d, job->binary, &error));
    PetscCall(wring_error_raise_output(job->comm, &error));
  }
  if (d) printf("%s: %" PetscInt_FMT " vertices, %" PetscInt_FMT " tetrahedra", job->to, d->n_vertex, d->n_tet);
  for (PetscInt i = 0; d && i < d->n_set_element; i++) lines += d->set_element[4 * (size_t)i + 3] < 0;
  if (d && d->n_tet == 0) // each element counts once for every set that has it
    printf(", %" PetscInt_FMT " triangles, %" PetscInt_FMT " lines", d->n_set_element - lines, lines);
  if (d) printf("\n");
  PetscCall(wring_mesh_data_destroy(data));
  PetscFunctionReturn(PETSC_SUCCESS);
}
