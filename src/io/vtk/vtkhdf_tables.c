/* The tables of a frame: VTK file formats, "VTKHDF format specification", unstructured grid and temporal data. */
#include "vtk_types.h"
#include "vtkhdf_impl.h"
#include <string.h>

const wring_rows wring_vtkhdf_layouts = {"/wring/layouts", WRING_INT64, 5, 2};
const wring_rows wring_vtkhdf_step    = {"/wring/step", WRING_INT64, 1, 1};
const wring_rows wring_vtkhdf_values  = {"/VTKHDF/Steps/Values", WRING_FLOAT64, 1, 1};

/* ---- rows -------------------------------------------------------------------------------------------------------- */

int64_t wring_vtkhdf_unit(const wring_layout *l, wring_unit unit)
{
  const int64_t n[WRING_N_UNIT] = {
    [WRING_PARTS] = l->parts, [WRING_IDS] = l->ids,         [WRING_OFFSETS] = l->cells + l->parts,
    [WRING_CELLS] = l->cells, [WRING_VERTICES] = l->points, [WRING_STEPS] = 1};
  return n[unit];
}

/* The layout of a frame. */
static int64_t find_layout(const wring_vtkhdf_file *f, int64_t frame)
{
  int64_t i = f->n_layout - 1;
  while (i > 0 && f->layout[i].first > frame) i--;
  return i;
}

int64_t wring_vtkhdf_row(const wring_vtkhdf_file *f, const wring_vtkhdf_table *t, int64_t frame)
{
  const int64_t last = find_layout(f, frame);
  int64_t       row  = 0;
  for (int64_t i = 0; i < last; i++)
    row += wring_vtkhdf_unit(&f->layout[i], t->unit) * (t->fixed ? 1 : f->layout[i + 1].first - f->layout[i].first);
  return t->fixed ? row : row + wring_vtkhdf_unit(&f->layout[last], t->unit) * (frame - f->layout[last].first);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void add(wring_vtkhdf_file *f, wring_unit unit, PetscBool fixed, wring_type type, int width, int dimensions,
                const void *value, const char *folder, const char *name)
{
  wring_vtkhdf_table *const t = &f->table[f->n_table++];

  *t      = (wring_vtkhdf_table){.unit = unit, .fixed = fixed, .value = value};
  t->rows = (wring_rows){.type = type, .width = width, .dimensions = dimensions};
  snprintf(t->rows.path, sizeof t->rows.path, "/VTKHDF/%s%s", folder, name);
}

static void add_field(wring_vtkhdf_file *f, wring_unit unit, const wring_field *field, const char *folder)
{
  char offsets[64];
  snprintf(offsets, sizeof offsets, "Steps/%.*sOffsets/", (int)strlen(folder) - 1, folder);
  add(f, unit, field->fixed, field->type, field->components, field->components > 1 ? 2 : 1, field->value, folder,
      field->name);
  add(f, WRING_STEPS, PETSC_FALSE, WRING_INT64, 1, 1, NULL, offsets, field->name);
}

static void add_tables(wring_vtkhdf_file *f, const wring_frame *frame)
{
  static const char *const number[] = {"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"};
  static const char *const step[]   = {"PartOffsets", "NumberOfParts", "PointOffsets", "CellOffsets",
                                       "ConnectivityIdOffsets"};
  for (int i = 0; i < 3; i++) add(f, WRING_PARTS, PETSC_TRUE, WRING_INT64, 1, 1, NULL, "", number[i]);
  add(f, WRING_IDS, PETSC_TRUE, WRING_INT64, 1, 1, NULL, "", "Connectivity");
  add(f, WRING_OFFSETS, PETSC_TRUE, WRING_INT64, 1, 1, NULL, "", "Offsets");
  add(f, WRING_CELLS, PETSC_TRUE, WRING_UINT8, 1, 1, NULL, "", "Types");
  add(f, WRING_VERTICES, PETSC_FALSE, frame->points.type, 3, 2, frame->points.value, "", "Points");
  for (int i = 0; i < 5; i++) add(f, WRING_STEPS, PETSC_FALSE, WRING_INT64, 1, i < 3 ? 1 : 2, NULL, "Steps/", step[i]);
  for (int i = 0; i < frame->n_point_field; i++) add_field(f, WRING_VERTICES, &frame->point_field[i], "PointData/");
  for (int i = 0; i < frame->n_cell_field; i++) add_field(f, WRING_CELLS, &frame->cell_field[i], "CellData/");
}

PetscErrorCode wring_vtkhdf_tables(wring_vtkhdf_file *f, const wring_frame *frame, wring_layout *l)
{
  int64_t     sum[WRING_N_UNIT];
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(f->comm, &size));
  PetscCall(PetscMalloc1(12 + 2 * (frame->n_point_field + frame->n_cell_field), &f->table));
  add_tables(f, frame);
  memset(f->mine, 0, sizeof f->mine);
  f->mine[WRING_PARTS]    = 1;
  f->mine[WRING_VERTICES] = frame->n_point;
  for (int k = 0; k < frame->n_cells; k++) {
    f->mine[WRING_CELLS] += frame->cells[k].n;
    f->mine[WRING_IDS] += (int64_t)frame->cells[k].n * frame->cells[k].m;
  }
  f->mine[WRING_OFFSETS] = f->mine[WRING_CELLS] + 1;
  f->mine[WRING_STEPS]   = f->rank == 0;
  PetscCallMPI(MPI_Exscan(f->mine, f->before, WRING_N_UNIT, MPI_INT64_T, MPI_SUM, f->comm));
  if (f->rank == 0) memset(f->before, 0, sizeof f->before); // MPI_Exscan leaves it undefined
  PetscCallMPI(MPI_Allreduce(f->mine, sum, WRING_N_UNIT, MPI_INT64_T, MPI_SUM, f->comm));
  *l = (wring_layout){0, size, sum[WRING_VERTICES], sum[WRING_CELLS], sum[WRING_IDS]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers of 64 bits: readers take ids and offsets of one type. */
PetscErrorCode wring_vtkhdf_cells(wring_vtkhdf_file *f, const wring_frame *frame)
{
  int64_t id = 0, cell = 0;

  PetscFunctionBegin;
  PetscCall(
    PetscMalloc3(f->mine[WRING_IDS], &f->ids, f->mine[WRING_OFFSETS], &f->offsets, f->mine[WRING_CELLS], &f->types));
  f->offsets[0] = 0;
  for (int k = 0; k < frame->n_cells; k++) {
    const wring_cells *const c = &frame->cells[k];
    for (PetscInt i = 0; i < c->n * c->m; i++) f->ids[id++] = c->corner[i];
    for (PetscInt i = 0; i < c->n; i++, cell++) {
      f->offsets[cell + 1] = f->offsets[cell] + c->m;
      f->types[cell]       = wring_vtk_cell(c->m);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_vtkhdf_free(wring_vtkhdf_file *f)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(f->ids, f->offsets, f->types));
  PetscCall(PetscFree(f->table));
  PetscCall(PetscFree(f->layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rows of a frame --------------------------------------------------------------------------------------------- */

static PetscBool ends_with(const char *path, const char *name)
{
  const size_t n = strlen(path), k = strlen(name);
  return (PetscBool)(n > k && path[n - k - 1] == '/' && strcmp(path + n - k, name) == 0);
}

/* The table whose rows an entry of Steps/PointDataOffsets or CellDataOffsets counts: the one before it. */
static int64_t data_offset(const wring_vtkhdf_file *f, const wring_vtkhdf_table *t, int64_t frame)
{
  return wring_vtkhdf_row(f, t - 1, frame);
}

/* The number of this rank, or of this step, that a table without values of its own has. */
static int64_t number_of(const wring_vtkhdf_file *f, const wring_vtkhdf_table *t, int64_t frame)
{
  const char *const        path   = t->rows.path;
  const wring_vtkhdf_table points = {.unit = WRING_VERTICES}, parts = {.unit = WRING_PARTS, .fixed = PETSC_TRUE},
                           cells = {.unit = WRING_CELLS, .fixed = PETSC_TRUE},
                           ids   = {.unit = WRING_IDS, .fixed = PETSC_TRUE};
  if (ends_with(path, "NumberOfPoints")) return f->mine[WRING_VERTICES];
  if (ends_with(path, "NumberOfCells")) return f->mine[WRING_CELLS];
  if (ends_with(path, "NumberOfConnectivityIds")) return f->mine[WRING_IDS];
  if (ends_with(path, "NumberOfParts")) return f->layout[f->n_layout - 1].parts;
  if (ends_with(path, "Steps/PartOffsets")) return wring_vtkhdf_row(f, &parts, frame);
  if (ends_with(path, "Steps/PointOffsets")) return wring_vtkhdf_row(f, &points, frame);
  if (ends_with(path, "Steps/CellOffsets")) return wring_vtkhdf_row(f, &cells, frame);
  if (ends_with(path, "Steps/ConnectivityIdOffsets")) return wring_vtkhdf_row(f, &ids, frame);
  return data_offset(f, t, frame);
}

static const void *values_of(const wring_vtkhdf_file *f, const wring_vtkhdf_table *t)
{
  if (t->unit == WRING_IDS) return f->ids;
  if (t->unit == WRING_OFFSETS) return f->offsets;
  return ends_with(t->rows.path, "VTKHDF/Types") ? f->types : t->value;
}

void wring_vtkhdf_write(wring_vtkhdf_file *f, int64_t frame, int64_t step, PetscBool with_layout)
{
  const wring_layout *const l = &f->layout[f->n_layout - 1];
  for (int i = 0; i < f->n_table; i++) {
    const wring_vtkhdf_table *const t = &f->table[i];
    if ((t->fixed && !with_layout) || wring_vtkhdf_unit(l, t->unit) == 0) continue;
    const void *const values = values_of(f, t);
    const int64_t     number = values ? 0 : number_of(f, t, frame);
    wring_rows_write(&f->h, &t->rows, wring_vtkhdf_row(f, t, frame) + f->before[t->unit], f->mine[t->unit],
                     values ? values : &number);
  }
  wring_rows_write(&f->h, &wring_vtkhdf_step, frame, f->rank == 0, &step);
  if (with_layout) wring_rows_write(&f->h, &wring_vtkhdf_layouts, f->n_layout - 1, f->rank == 0, l);
}
