#include "row_blocks.h"
#include "base/count.h"

/* Where the i-th row begins. */
static int64_t row_at(const wring_row_block *b, int64_t i)
{
  return wring_count_plus(b->start, wring_count_times(i, b->width));
}

PetscErrorCode wring_row_blocks_add(wring_row_blocks *b, wring_scan *s, wring_row_block block)
{
  PetscFunctionBegin;
  if (!wring_scan_ok(s) || block.n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (!block.start) block.start = wring_scan_where(s);
  PetscCall(wring_grow((PetscInt64)b->n + 1, &b->room, sizeof *b->block, &b->block));
  block.first = b->total[block.kind];
  b->total[block.kind] += block.n;
  b->block[b->n++] = block;
  wring_scan_go(s, row_at(&block, block.n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode broadcast(MPI_Comm comm, wring_row_blocks *b)
{
  MPI_Datatype type;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(&b->n, 1, MPIU_INT, 0, comm));
  PetscCallMPI(MPI_Bcast(b->total, WRING_ROW_KINDS, MPI_INT64_T, 0, comm));
  if (wring_comm_rank(comm) > 0) PetscCall(PetscMalloc1((size_t)b->n, &b->block));
  PetscCallMPI(MPI_Type_contiguous(sizeof *b->block, MPI_BYTE, &type));
  PetscCallMPI(MPI_Type_commit(&type));
  PetscCallMPI(MPI_Bcast(b->block, (PetscMPIInt)b->n, type, 0, comm));
  PetscCallMPI(MPI_Type_free(&type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* mine [WRING_ROW_KINDS]: the rows of each kind that this rank reads. */
static PetscErrorCode make_room(const wring_share *mine, wring_scan *s, wring_raw *raw)
{
  const int64_t n_node = mine[WRING_ROW_NODES].n, n_tet = mine[WRING_ROW_TETS].n + mine[WRING_ROW_ELEMENTS].n;

  PetscFunctionBegin;
  if (!wring_count_fits(n_node, 3, s->file, "nodes on a rank", s->e) ||
      !wring_count_fits(n_tet, WRING_TET_ENTRIES, s->file, "tetrahedra on a rank", s->e) ||
      !wring_count_fits(mine[WRING_ROW_DATA].n, 9, s->file, "rows of $ElementData on a rank", s->e))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (n_node > 0) PetscCall(wring_raw_make_nodes(raw, (size_t)n_node));
  if (n_tet > 0) PetscCall(wring_raw_make_tets(raw, (size_t)n_tet));
  if (raw->data && raw->data->found)
    PetscCall(PetscMalloc1((size_t)mine[WRING_ROW_DATA].n * (size_t)(2 + raw->data->width), &raw->data->row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_row_blocks_read(wring_row_blocks *b, wring_scan *s, wring_raw *raw, wring_row_reader read,
                                     void *reader)
{
  const wring_error head  = *s->e; // rows before it may have a fault too
  const int64_t     fault = s->fault;
  wring_share       mine[WRING_ROW_KINDS];

  PetscFunctionBegin;
  wring_error_clear(s->e);
  PetscCall(broadcast(s->comm, b));
  for (int k = 0; k < WRING_ROW_KINDS; k++) mine[k] = wring_equal_share(s->comm, b->total[k]);
  PetscCall(make_room(mine, s, raw));
  for (PetscInt k = 0; k < b->n && wring_scan_ok(s); k++) {
    const wring_row_block *const block = &b->block[k];
    const int64_t                first = mine[block->kind].begin - block->first, begin = PetscMax(first, 0);
    const int64_t                end = PetscMin(first + mine[block->kind].n, block->n);
    s->stage                         = block->kind == WRING_ROW_COORDINATES ? WRING_SCAN_COORDINATES : WRING_SCAN_ROWS;
    if (begin < end) wring_scan_go(s, row_at(block, begin));
    for (int64_t i = begin; i < end && wring_scan_ok(s); i++) PetscCall(read(reader, block, i));
  }
  s->stage = WRING_SCAN_HEADS;
  if (wring_failed(&head) && (wring_scan_ok(s) || fault < s->fault)) {
    *s->e    = head;
    s->fault = fault;
  }
  PetscCall(wring_scan_share(s));
  PetscCall(PetscFree(b->block));
  PetscFunctionReturn(PETSC_SUCCESS);
}
