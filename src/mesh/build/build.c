/* From the contents of a file to a mesh: the stages. */
#include "build.h"
#include "base/count.h"

/* Counts tets; positions of nodes must be countable. */
static PetscErrorCode count(wring_build *b)
{
  PetscInt64 mine[2] = {b->raw->tets.n, b->raw->nodes.n}, all[2], end = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPIU_INT64, MPI_SUM, b->comm));
  PetscCallMPI(MPI_Scan(mine, &end, 1, MPIU_INT64, MPI_SUM, b->comm));
  b->tets.n_global = all[0];
  b->tets.begin    = end - mine[0];
  wring_count_fits(all[1], 1, b->report.file, "nodes", b->report.error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode number_nodes(wring_build *b)
{
  const wring_raw *raw = b->raw;
  PetscInt64       middles;

  PetscFunctionBegin;
  PetscCall(wring_build_number_nodes(b));
  middles = b->middle.n;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &middles, 1, MPIU_INT64, MPI_SUM, b->comm));
  if (b->nodes.n_kept == 0) wring_error_set(b->report.error, "%s: the mesh has no elements", b->report.file);
  const PetscInt64 dropped = b->nodes.layout->N - b->nodes.n_kept - middles;
  if (dropped > 0)
    wring_build_note(b, "%" PetscInt64_FMT " nodes that no %s uses were dropped", dropped,
                     b->tets.n_global ? "tetrahedron" : "element");
  wring_mesh_data_fits(b->report.file, b->nodes.n_kept, raw->tets.n, b->report.error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tables of the file become those of the mesh. */
static PetscErrorCode fill_data(wring_build *b)
{
  wring_mesh_data *const d = b->d;

  PetscFunctionBegin;
  PetscCall(wring_build_name_sets(b));
  if (b->middle.any) PetscCall(wring_build_find_middles(b));
  d->format      = b->raw->format;
  d->tet         = b->tets.corner;
  b->tets.corner = NULL;
  for (size_t i = 0; i < 4 * (size_t)d->n_tet; i++) d->tet[i] = b->nodes.vertex[d->tet[i]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The stages, after each of which the ranks agree on faults. */
static PetscErrorCode (*const stages[])(wring_build *) = {count,
                                                          wring_build_find_nodes,
                                                          wring_build_order_points,
                                                          wring_build_scale,
                                                          wring_build_turn_tets,
                                                          wring_build_mark_nodes,
                                                          wring_build_match_faces,
                                                          wring_build_check_triangles,
                                                          number_nodes,
                                                          wring_build_name_regions,
                                                          fill_data};

static PetscErrorCode destroy(wring_build *b)
{
  PetscFunctionBegin;
  PetscCall(wring_exchange_destroy(&b->nodes.owners));
  PetscCall(PetscLayoutDestroy(&b->nodes.layout));
  PetscCall(PetscFree(b->nodes.used));
  PetscCall(PetscFree(b->nodes.vertex));
  PetscCall(PetscFree(b->tets.corner));
  PetscCall(PetscFree(b->lower.corner));
  PetscCall(PetscFree(b->middle.used));
  PetscCall(PetscFree(b->nodes.tag));
  PetscCall(PetscFree(b->middle.position));
  PetscCall(PetscFree(b->middle.X));
  PetscCall(PetscFree(b->nodes.in_tet));
  PetscCall(PetscFree(b->nodes.keep));
  PetscCall(PetscFree(b->lower.is_face));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_raw_build(MPI_Comm comm, wring_raw *raw, double scale, const wring_scan *s, wring_mesh_data **d,
                               size_t size, char *text)
{
  wring_build b  = {.comm           = comm,
                    .raw            = raw,
                    .report.file    = s->file,
                    .report.by_byte = s->by_byte,
                    .scale          = scale,
                    .report.place   = INT64_MAX,
                    .report.error   = s->e,
                    .report.notes   = {.size = size, .text = text}};
  PetscBool   ok = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscNew(d));
  b.d = *d;
  for (size_t k = 0; k < sizeof stages / sizeof stages[0] && ok; k++) {
    PetscCall(stages[k](&b));
    PetscCall(wring_build_agree(&b, &ok));
  }
  if (wring_failed(s->e)) PetscCall(wring_mesh_data_destroy(d));
  PetscCall(destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}
