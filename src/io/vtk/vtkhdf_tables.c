/* The tables of a frame: VTK file formats, "VTKHDF format specification", unstructured grid and temporal data. */
#include "vtk_types.h"
#include "vtkhdf_impl.h"

const wring_table wring_vtkhdf_layouts = {"/wring/layouts", WRING_INT64, 5, PETSC_FALSE};
const wring_table wring_vtkhdf_step    = {"/wring/step", WRING_INT64, 1, PETSC_TRUE};
const wring_table wring_vtkhdf_values  = {"/VTKHDF/Steps/Values", WRING_FLOAT64, 1, PETSC_TRUE};

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

static wring_vtkhdf_table *add(wring_vtkhdf_file *f, wring_unit unit, PetscBool fixed, wring_type type,
                               const void *value, const char *folder, const char *name)
{
  wring_vtkhdf_table *const t = &f->table[f->n_table++];
  *t                          = (wring_vtkhdf_table){.unit = unit, .fixed = fixed, .value = value};
  t->in_file                  = (wring_table){t->path, type, 1, PETSC_TRUE};
  snprintf(t->path, sizeof t->path, "/VTKHDF/%s%s", folder, name);
  return t;
}

static void add_values(wring_vtkhdf_file *f, wring_unit unit, const wring_field *field, const char *folder)
{
  wring_vtkhdf_table *const t = add(f, unit, field->fixed, field->type, field->value, folder, field->name);
  t->in_file.width            = field->components;
  t->in_file.flat             = (PetscBool)(field->components == 1);
}

/* The rows of another table before each frame. */
static wring_vtkhdf_table *add_offsets(wring_vtkhdf_file *f, int table, const char *folder, const char *name)
{
  wring_vtkhdf_table *const t = add(f, WRING_STEPS, PETSC_FALSE, WRING_INT64, NULL, folder, name);
  t->before                   = &f->table[table];
  return t;
}

enum { PARTS, IDS = 3, OFFSETS, TYPES, POINTS }; // places of tables

static void add_tables(wring_vtkhdf_file *f, const wring_frame *frame)
{
  const wring_field points = {"Points", frame->points.type, 3, frame->points.value, PETSC_FALSE};
  const int64_t    *n      = f->mine;
  add(f, WRING_PARTS, PETSC_TRUE, WRING_INT64, &n[WRING_VERTICES], "", "NumberOfPoints");
  add(f, WRING_PARTS, PETSC_TRUE, WRING_INT64, &n[WRING_CELLS], "", "NumberOfCells");
  add(f, WRING_PARTS, PETSC_TRUE, WRING_INT64, &n[WRING_IDS], "", "NumberOfConnectivityIds");
  add(f, WRING_IDS, PETSC_TRUE, WRING_INT64, NULL, "", "Connectivity"); // values: wring_vtkhdf_cells
  add(f, WRING_OFFSETS, PETSC_TRUE, WRING_INT64, NULL, "", "Offsets");
  add(f, WRING_CELLS, PETSC_TRUE, WRING_UINT8, NULL, "", "Types");
  add_values(f, WRING_VERTICES, &points, "");
  add_offsets(f, PARTS, "Steps/", "PartOffsets");
  add(f, WRING_STEPS, PETSC_FALSE, WRING_INT64, &f->parts, "Steps/", "NumberOfParts");
  add_offsets(f, POINTS, "Steps/", "PointOffsets");
  add_offsets(f, TYPES, "Steps/", "CellOffsets")->in_file.flat         = PETSC_FALSE;
  add_offsets(f, IDS, "Steps/", "ConnectivityIdOffsets")->in_file.flat = PETSC_FALSE;
  for (int i = 0; i < frame->n_point_field; i++) {
    add_values(f, WRING_VERTICES, &frame->point_field[i], "PointData/");
    add_offsets(f, f->n_table - 1, "Steps/PointDataOffsets/", frame->point_field[i].name);
  }
  for (int i = 0; i < frame->n_cell_field; i++) {
    add_values(f, WRING_CELLS, &frame->cell_field[i], "CellData/");
    add_offsets(f, f->n_table - 1, "Steps/CellDataOffsets/", frame->cell_field[i].name);
  }
}

PetscErrorCode wring_vtkhdf_tables(wring_vtkhdf_file *f, const wring_frame *frame, wring_layout *l)
{
  int64_t sum[WRING_N_UNIT];

  PetscFunctionBegin;
  const PetscMPIInt size = wring_comm_size(f->comm);
  PetscCall(PetscMalloc1(12 + 2 * (frame->n_point_field + frame->n_cell_field), &f->table));
  add_tables(f, frame);
  f->parts                = size;
  f->mine[WRING_PARTS]    = 1;
  f->mine[WRING_VERTICES] = frame->n_point;
  for (int k = 0; k < frame->n_cells; k++) {
    f->mine[WRING_CELLS] += frame->cells[k].n;
    f->mine[WRING_IDS] += (int64_t)frame->cells[k].n * frame->cells[k].m;
  }
  f->mine[WRING_OFFSETS] = f->mine[WRING_CELLS] + 1;
  f->mine[WRING_STEPS]   = f->rank == 0;
  PetscCallMPI(MPI_Scan(f->mine, f->before, WRING_N_UNIT, MPI_INT64_T, MPI_SUM, f->comm));
  for (int u = 0; u < WRING_N_UNIT; u++) f->before[u] -= f->mine[u];
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
  f->table[IDS].value     = f->ids;
  f->table[OFFSETS].value = f->offsets;
  f->table[TYPES].value   = f->types;
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

void wring_vtkhdf_write(wring_vtkhdf_file *f, int64_t frame, int64_t step, PetscBool with_layout)
{
  for (int i = 0; i < f->n_table; i++) {
    const wring_vtkhdf_table *const t = &f->table[i];
    if (t->fixed && !with_layout) continue;
    const int64_t before = t->before ? wring_vtkhdf_row(f, t->before, frame) : 0;
    wring_hdf5_write_rows(&f->h, t->in_file, wring_vtkhdf_row(f, t, frame) + f->before[t->unit], f->mine[t->unit],
                          t->before ? &before : t->value);
  }
  wring_hdf5_write_rows(&f->h, wring_vtkhdf_step, frame, f->rank == 0, &step);
  if (with_layout)
    wring_hdf5_write_rows(&f->h, wring_vtkhdf_layouts, f->n_layout - 1, f->rank == 0, &f->layout[f->n_layout - 1]);
}
