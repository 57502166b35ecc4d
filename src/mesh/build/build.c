/* From the contents of a file to a mesh: the stages. */
#include "build.h"
#include "base/count.h"
#include "mesh/data.h"

/* Counts tets; positions of nodes must be countable. */
static PetscErrorCode count(wring_build *b)
{
  PetscInt64 mine[2] = {b->raw->n_tet, b->raw->n_node}, all[2], end = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(mine, all, 2, MPIU_INT64, MPI_SUM, b->comm));
  PetscCallMPI(MPI_Scan(mine, &end, 1, MPIU_INT64, MPI_SUM, b->comm));
  b->n_tet     = all[0];
  b->tet_begin = end - mine[0];
  wring_count_fits(all[1], 1, b->file, "nodes", b->e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode number_nodes(wring_build *b)
{
  const wring_raw *raw = b->raw;
  PetscInt64       middles;

  PetscFunctionBegin;
  PetscCall(wring_build_number_nodes(b));
  middles = b->n_middle;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &middles, 1, MPIU_INT64, MPI_SUM, b->comm));
  if (b->n_vertex == 0) wring_error_set(b->e, "%s: the mesh has no elements", b->file);
  const PetscInt64 dropped = b->node->N - b->n_vertex - middles;
  if (dropped > 0)
    wring_build_note(b, "%" PetscInt64_FMT " nodes that no %s uses were dropped", dropped,
                     b->n_tet ? "tetrahedron" : "element");
  wring_mesh_data_fits(b->file, b->n_vertex, raw->n_tet, b->e);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tables of the file become those of the mesh. */
static PetscErrorCode fill_data(wring_build *b)
{
  wring_mesh_data *const d = b->d;

  PetscFunctionBegin;
  PetscCall(wring_build_name_sets(b));
  PetscCall(wring_build_keep_elements(b));
  if (b->second) PetscCall(wring_build_find_middles(b));
  d->format = b->raw->format;
  d->tet    = b->tet;
  b->tet    = NULL;
  for (size_t i = 0; i < 4 * (size_t)d->n_tet; i++) d->tet[i] = b->vertex[d->tet[i]];
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
  PetscCall(wring_exchange_destroy(&b->owners));
  PetscCall(PetscLayoutDestroy(&b->node));
  PetscCall(PetscFree(b->used));
  PetscCall(PetscFree(b->vertex));
  PetscCall(PetscFree(b->tet));
  PetscCall(PetscFree(b->lower));
  PetscCall(PetscFree(b->mid));
  PetscCall(PetscFree(b->tag));
  PetscCall(PetscFree(b->middle));
  PetscCall(PetscFree(b->middle_X));
  PetscCall(PetscFree(b->in_tet));
  PetscCall(PetscFree(b->keep));
  PetscCall(PetscFree(b->is_face));
  PetscCall(PetscFree(b->asked));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_raw_build(MPI_Comm comm, wring_raw *raw, double scale, const wring_scan *s, wring_mesh_data **d,
                               size_t size, char *text)
{
  wring_build b  = {.comm    = comm,
                    .raw     = raw,
                    .file    = s->file,
                    .by_byte = s->by_byte,
                    .scale   = scale,
                    .place   = INT64_MAX,
                    .e       = s->e,
                    .notes   = {.size = size, .text = text}};
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
