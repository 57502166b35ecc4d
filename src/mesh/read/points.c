/* CSV "vertex,x,y,z": a mesh of points only. Vertex numbers 0 ... n-1 in any order, each once. */
#include "row_blocks.h"

static PetscBool is_header(wring_scan *s)
{
  static const char *const column[] = {"vertex", "x", "y", "z"};
  for (int c = 0; c < 4; c++) {
    if (c > 0) wring_scan_character(s, ',');
    if (!wring_scan_word(s, column[c])) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

typedef struct {
  wring_scan *s;
  wring_raw  *raw;
} reader;

static PetscErrorCode read_row(void *context, const wring_row_block *b, int64_t i)
{
  const reader *const r    = context;
  wring_scan *const   s    = r->s;
  wring_raw *const    raw  = r->raw;
  const int64_t       line = wring_scan_place(s), vertex = wring_scan_int(s, "a vertex number");

  PetscFunctionBegin;
  (void)b, (void)i;
  for (int c = 0; c < 3; c++) {
    wring_scan_character(s, ',');
    raw->nodes.X[3 * (size_t)raw->nodes.n + (size_t)c] = wring_scan_real(s, "a finite coordinate");
  }
  wring_scan_end_line(s);
  if (wring_scan_ok(s) && vertex < 0) wring_scan_fail(s, line, "vertex %lld, expected 0 or above", (long long)vertex);
  raw->nodes.line[raw->nodes.n]  = line;
  raw->nodes.tag[raw->nodes.n++] = vertex;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_points_read(wring_scan *s, wring_raw *raw)
{
  reader           r      = {s, raw};
  wring_row_blocks blocks = {0};

  PetscFunctionBegin;
  raw->format = "CSV";
  raw->points = PETSC_TRUE;
  PetscCall(wring_scan_index(s, PETSC_TRUE));
  if (wring_comm_rank(s->comm) == 0) { // all rows after the header are points
    const int64_t line = wring_scan_place(s);
    if (!is_header(s)) wring_scan_fail(s, line, "the first line is not the header of points, expected vertex,x,y,z");
    wring_scan_end_line(s);
    const int64_t n = wring_lines_rows(&s->lines) - s->row;
    PetscCall(wring_row_blocks_add(&blocks, s, (wring_row_block){.kind = WRING_ROW_NODES, .width = 1, .n = n}));
  }
  PetscCall(wring_row_blocks_read(&blocks, s, raw, read_row, &r));
  PetscFunctionReturn(PETSC_SUCCESS);
}
