/*
  VTK's XML format for unstructured grids with raw appended data (VTK file formats, "XML File Formats"): an XML header
  with the position of the bytes of every array of every piece, then the bytes. Each array is preceded by a header of
  UInt64: its size in bytes or, if compressed, the number of blocks, their size, the size of the last if it is shorter
  (otherwise 0), and the compressed size of each block.
*/
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"
#include "io/hdf5.h"
#include "vtk_types.h"
#include <inttypes.h>
#include <wring/io.h>
#include <zlib.h>

/* Block size in bytes. zlib's level 1 reduces a mesh to a sixth of its bytes and is little slower than the disk. */
enum { PACK_BLOCK = 1 << 18, PACK_LEVEL = 1 };

/* Bytes of a block in which VTK reads the XML, and bytes of the tag of the appended data at the end of such a block. */
enum { READ_BLOCK = 4096, TAG_SPLIT = 18 };

typedef struct {
  const void *start;
  uint64_t    bytes; // of any size
} bytes_span;

typedef enum { POINTS, CELLS, POINT_DATA, CELL_DATA } vtk_section;

/* One array of this rank's piece, and its bytes in the file: header, then data. */
typedef struct {
  vtk_section section;
  wring_field field;
  uint64_t    n; // tuples
  uint64_t   *head;
  Bytef      *packed; // NULL if not compressed
  bytes_span  span[2];
} vtk_array;

typedef struct {
  uint64_t        n_point, n_cell, n_corner;
  const PetscInt *corner;
  PetscInt       *corners; // a copy of several kinds of cells, NULL for one kind
  PetscInt       *offset;  // the last is n_corner, which fits: tables of corners are numbered by PetscInt
  uint8_t        *type;
  int             n_array;
  vtk_array      *array;
} vtk_piece;

static const char *const type_name[] = {
  [WRING_FLOAT64] = "Float64", [WRING_FLOAT32] = "Float32", [WRING_INT64] = "Int64",
  [WRING_INT32] = "Int32",     [WRING_UINT8] = "UInt8",
};

/* ---- the piece of a rank ----------------------------------------------------------------------------------------- */

/* The corners of all cells: those of the caller if they are in one array. */
static PetscErrorCode join_corners(vtk_piece *p, int n, const wring_cells *cells)
{
  uint64_t end = 0;

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    if ((uint64_t)cells[i].n * (uint64_t)cells[i].m == p->n_corner) p->corner = cells[i].corner;
  }
  if (p->corner || p->n_corner == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(p->n_corner, &p->corners));
  for (int i = 0; i < n; i++) {
    PetscCall(PetscArraycpy(p->corners + end, cells[i].corner, (size_t)cells[i].n * (size_t)cells[i].m));
    end += (uint64_t)cells[i].n * (uint64_t)cells[i].m;
  }
  p->corner = p->corners;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode create_cells(vtk_piece *p, int n, const wring_cells *cells)
{
  uint64_t c   = 0;
  PetscInt end = 0;

  PetscFunctionBegin;
  for (int i = 0; i < n; i++) {
    p->n_cell += (uint64_t)cells[i].n;
    p->n_corner += (uint64_t)cells[i].n * (uint64_t)cells[i].m;
  }
  PetscCheck(p->n_corner <= PETSC_MAX_INT, PETSC_COMM_SELF, PETSC_ERR_SUP, "Too many corners of cells on a rank");
  PetscCall(join_corners(p, n, cells));
  PetscCall(PetscMalloc2(p->n_cell, &p->offset, p->n_cell, &p->type));
  for (int i = 0; i < n; i++) {
    for (PetscInt j = 0; j < cells[i].n; j++, c++) {
      p->offset[c] = end += cells[i].m;
      p->type[c]   = wring_vtk_cell(cells[i].m);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void add_array(vtk_piece *p, vtk_section section, uint64_t n, wring_field field)
{
  p->array[p->n_array++] = (vtk_array){.section = section, .n = n, .field = field};
}

static PetscErrorCode destroy_piece(vtk_piece *p)
{
  PetscFunctionBegin;
  for (int i = 0; i < p->n_array; i++) {
    PetscCall(PetscFree(p->array[i].head));
    PetscCall(PetscFree(p->array[i].packed));
  }
  PetscCall(PetscFree(p->array));
  PetscCall(PetscFree(p->corners));
  PetscCall(PetscFree2(p->offset, p->type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bytes of the arrays ----------------------------------------------------------------------------------------- */

static PetscErrorCode encode_packed(vtk_array *a, uint64_t bytes)
{
  const uint64_t blocks = (bytes + PACK_BLOCK - 1) / PACK_BLOCK, room = compressBound(PACK_BLOCK);
  uint64_t       filled = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 + blocks, &a->head));
  PetscCall(PetscMalloc1(blocks * room, &a->packed));
  a->head[0] = blocks;
  a->head[1] = PACK_BLOCK;
  a->head[2] = bytes % PACK_BLOCK;
  for (uint64_t i = 0; i < blocks; i++) {
    const uint64_t begin = i * PACK_BLOCK, n = PetscMin(bytes - begin, (uint64_t)PACK_BLOCK);
    uLongf         size   = room;
    const int      status = compress2(a->packed + filled, &size, (const Bytef *)a->field.value + begin, n, PACK_LEVEL);
    PetscCheck(status == Z_OK, PETSC_COMM_SELF, PETSC_ERR_MEM, "zlib has no memory (status %d)", status);
    a->head[3 + i] = size;
    filled += size;
  }
  PetscCall(PetscRealloc(PetscMax(filled, 1), &a->packed));
  a->span[0] = (bytes_span){a->head, (3 + blocks) * sizeof *a->head};
  a->span[1] = (bytes_span){a->packed, filled};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode encode_piece(vtk_piece *p, PetscBool compress)
{
  PetscFunctionBegin;
  for (int i = 0; i < p->n_array; i++) {
    vtk_array *const a     = &p->array[i];
    const uint64_t   bytes = a->n * (uint64_t)a->field.components * wring_type_bytes(a->field.type);
    if (compress) {
      PetscCall(encode_packed(a, bytes));
      continue;
    }
    PetscCall(PetscMalloc1(1, &a->head));
    a->head[0] = bytes;
    a->span[0] = (bytes_span){a->head, sizeof *a->head};
    a->span[1] = (bytes_span){a->field.value, bytes};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the XML header ---------------------------------------------------------------------------------------------- */

/* Names of the components of tensors, in VTK's order: attributes of a DataArray. */
static void print_components(FILE *f, int components)
{
  static const char *const symmetric[] = {"XX", "YY", "ZZ", "XY", "YZ", "XZ"};
  static const char *const full[]      = {"XX", "XY", "XZ", "YX", "YY", "YZ", "ZX", "ZY", "ZZ"};
  if (components != 6 && components != 9) return;
  for (int i = 0; i < components; i++)
    fprintf(f, " ComponentName%d=\"%s\"", i, components == 6 ? symmetric[i] : full[i]);
}

/* Prints the Piece element of a rank; offset of its arrays counts from the first byte of the appended data. */
static void print_piece(FILE *f, const vtk_piece *p, uint64_t offset)
{
  static const char *const section[] = {"Points", "Cells", "PointData", "CellData"};
  fprintf(f, "<Piece NumberOfPoints=\"%" PRIu64 "\" NumberOfCells=\"%" PRIu64 "\">\n", p->n_point, p->n_cell);
  for (int i = 0; i < p->n_array; i++) {
    const vtk_array *const a = &p->array[i];
    if (i == 0 || a->section != a[-1].section) fprintf(f, "<%s>\n", section[a->section]);
    fprintf(f, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\"", type_name[a->field.type], a->field.name,
            a->field.components);
    print_components(f, a->field.components);
    fprintf(f, " format=\"appended\" offset=\"%" PRIu64 "\"/>\n", offset);
    if (i == p->n_array - 1 || a->section != a[1].section) fprintf(f, "</%s>\n", section[a->section]);
    offset += a->span[0].bytes + a->span[1].bytes;
  }
  fprintf(f, "</Piece>\n");
}

/*
  The tag of the appended data, after as many blanks as move its first TAG_SPLIT bytes to the end of a block. VTK's
  parser (vtkXMLDataParser::ParseBuffer) hands expat a block up to <AppendedData, then the rest of the tag and an end
  of the document of its own, "/", ">", "\n</VTKFile>\n", and stops once expat has found that end. Expat 2.6, and 2.5
  with Debian's security updates, parses an incomplete tag again only when it has twice the bytes of the last attempt.
  For a tag within a block that is at 56 bytes, but the end of the document is at 42: VTK then hands over the raw data,
  too, and refuses the file as "not well-formed". If a block ends after 15 to 21 bytes of the tag, the next bytes come
  one by one, and the last attempt is at 30 to 42 bytes. Mended in later releases of VTK (its issue 19258), not in
  ParaView 5.11.
*/
static void print_tag(FILE *f, uint64_t before)
{
  const uint64_t end = (before + (uint64_t)ftell(f) + TAG_SPLIT) % READ_BLOCK;
  fprintf(f, "%*s<AppendedData encoding=\"raw\">\n_", end ? (int)(READ_BLOCK - end) : 0, "");
}

static void print_begin(FILE *f, double time, PetscBool compress)
{
  fprintf(f,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"%s\" "
          "header_type=\"UInt64\"%s>\n<UnstructuredGrid>\n",
          PetscBinaryBigEndian() ? "BigEndian" : "LittleEndian",
          compress ? " compressor=\"vtkZLibDataCompressor\"" : "");
  fprintf(f,
          "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%.17g"
          "</DataArray></FieldData>\n",
          time);
}

/* The sum of the numbers of the ranks before this one. */
static PetscErrorCode sum_before(MPI_Comm comm, uint64_t mine, uint64_t *before)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&mine, before, 1, MPI_UINT64_T, MPI_SUM, comm));
  *before -= mine;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The text of this rank, its first byte in the file, and that of its arrays: each rank prints its piece, the first one
  what precedes, the last one what follows, so that no rank has the whole head.
*/
static PetscErrorCode create_head(MPI_Comm comm, const vtk_piece *p, double time, PetscBool compress, char **text,
                                  bytes_span *head, uint64_t *at, uint64_t *data)
{
  const PetscMPIInt rank = wring_comm_rank(comm), last = wring_comm_size(comm) - 1;
  uint64_t          mine = 0, offset, end;
  size_t            length;

  PetscFunctionBegin;
  FILE *const f = open_memstream(text, &length);
  PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the head of a VTK file");
  for (int i = 0; i < p->n_array; i++) mine += p->array[i].span[0].bytes + p->array[i].span[1].bytes;
  PetscCall(sum_before(comm, mine, &offset));
  if (rank == 0) print_begin(f, time, compress);
  print_piece(f, p, offset);
  if (rank == last) fprintf(f, "</UnstructuredGrid>\n");
  PetscCall(sum_before(comm, (uint64_t)ftell(f), at));
  if (rank == last) print_tag(f, *at);
  PetscCheck(fclose(f) == 0, PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for the head of a VTK file");
  *head = (bytes_span){*text, length};
  end   = *at + length;
  PetscCallMPI(MPI_Bcast(&end, 1, MPI_UINT64_T, last, comm));
  *data = end + offset;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- one file from the memory of all ranks ----------------------------------------------------------------------- */

/* Spans of this rank that stand in the file one after the other. */
static void write_spans(int fd, const char *path, uint64_t at, int n, const bytes_span *span, wring_error *e)
{
  for (int i = 0; i < n; at += span[i++].bytes) wring_file_write(fd, path, at, span[i].bytes, span[i].start, e);
}

/*
  Every rank writes its part of the head, and its arrays, after which the last one ends the XML. After a failure, which
  is raised, the file is removed.
*/
static PetscErrorCode write_file(MPI_Comm comm, const char *file, double time, PetscBool compress, const vtk_piece *p)
{
  static const char tail[] = "\n</AppendedData>\n</VTKFile>\n";
  wring_error       e      = {""};
  char             *text   = NULL;
  bytes_span        head   = {NULL, 0}, *span;
  uint64_t          at = 0, data = 0, end;
  int               n = 0, fd;

  PetscFunctionBegin;
  PetscCall(create_head(comm, p, time, compress, &text, &head, &at, &data));
  PetscCall(PetscMalloc1(2 * p->n_array + 1, &span));
  for (int i = 0; i < p->n_array; i++)
    for (int k = 0; k < 2; k++) span[n++] = p->array[i].span[k];
  if (wring_comm_rank(comm) == wring_comm_size(comm) - 1) span[n++] = (bytes_span){tail, sizeof tail - 1};
  end = data;
  for (int i = 0; i < n; i++) end += span[i].bytes;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &end, 1, MPI_UINT64_T, MPI_MAX, comm));
  PetscCall(wring_file_open_all(comm, file, end, &fd, &e));
  write_spans(fd, file, at, 1, &head, &e);
  write_spans(fd, file, data, n, span, &e);
  wring_file_close(fd, file, &e);
  PetscCall(wring_file_finish_all(comm, file, &e));
  PetscCall(PetscFree(span));
  free(text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_vtk_write(MPI_Comm comm, const char *file, PetscBool compress, const wring_frame *f)
{
  const wring_type index = sizeof(PetscInt) == 8 ? WRING_INT64 : WRING_INT32;
  vtk_piece        p     = {.n_point = (uint64_t)f->n_point};

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(4 + f->n_point_field + f->n_cell_field, &p.array));
  PetscCall(create_cells(&p, f->n_cells, f->cells));
  add_array(&p, POINTS, p.n_point, f->points);
  add_array(&p, CELLS, p.n_corner, (wring_field){"connectivity", index, 1, p.corner, PETSC_TRUE});
  add_array(&p, CELLS, p.n_cell, (wring_field){"offsets", index, 1, p.offset, PETSC_TRUE});
  add_array(&p, CELLS, p.n_cell, (wring_field){"types", WRING_UINT8, 1, p.type, PETSC_TRUE});
  for (int i = 0; i < f->n_point_field; i++) add_array(&p, POINT_DATA, p.n_point, f->point_field[i]);
  for (int i = 0; i < f->n_cell_field; i++) add_array(&p, CELL_DATA, p.n_cell, f->cell_field[i]);
  PetscCall(encode_piece(&p, compress));
  PetscCall(write_file(comm, file, f->time, compress, &p));
  PetscCall(destroy_piece(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_pvd_write(const char *file, PetscInt n, const char *const *frame, const double *time, wring_error *e)
{
  FILE *const f = wring_file_create(file, e);
  if (!f) return;
  fprintf(f, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n");
  for (PetscInt i = 0; i < n; i++) {
    fprintf(f, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"%s\"/>\n", time[i], frame[i]);
  }
  fprintf(f, "</Collection>\n</VTKFile>\n");
  wring_file_commit(f, file, e);
}
