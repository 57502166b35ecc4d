/* From the contents of a file to a mesh: the stages. */
#include "build.h"
#include "base/count.h"
#include "mesh/data.h"

/* Tables of the file become those of the mesh. */
static PetscErrorCode fill_data(wring_build *b, wring_mesh_data *d)
{
  wring_raw *raw = b->raw;
  PetscBool  ok;

  PetscFunctionBegin;
  d->format = raw->format;
  d->n_tet  = raw->n_tet;
  PetscCall(wring_build_name_regions(b, d));
  PetscCall(wring_build_agree(b, &ok));
  if (!ok) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_build_name_sets(b, d));
  PetscCall(wring_build_keep_elements(b, d));
  if (b->second) PetscCall(wring_build_find_middles(b, d));
  PetscCall(wring_build_agree(b, &ok));
  d->tet = b->tet;
  b->tet = NULL;
  for (size_t i = 0; i < 4 * (size_t)d->n_tet; i++) d->tet[i] = b->vertex[d->tet[i]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether faces and triangles are as they should be. */
static PetscErrorCode check_faces(wring_build *b, PetscBool *ok)
{
  char *is_face;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)b->raw->n_lower, &is_face));
  PetscCall(wring_build_match_faces(b, is_face));
  PetscCall(wring_build_agree(b, ok));
  if (*ok) {
    wring_build_check_triangles(b, is_face);
    PetscCall(wring_build_agree(b, ok));
  }
  PetscCall(PetscFree(is_face));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode number_nodes(wring_build *b, const char *keep, wring_mesh_data *d)
{
  const wring_raw *raw = b->raw;
  PetscInt64       middles;

  PetscFunctionBegin;
  PetscCall(wring_build_number_nodes(b, keep, d));
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

/* Checks elements and drops nodes: keep [n_node]. */
static PetscErrorCode check_elements(wring_build *b, char *keep, PetscBool *ok)
{
  PetscFunctionBegin;
  PetscCall(wring_build_turn_tets(b));
  PetscCall(wring_build_agree(b, ok));
  if (!*ok) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_build_mark_nodes(b, keep));
  PetscCall(wring_build_agree(b, ok));
  if (!*ok) PetscFunctionReturn(PETSC_SUCCESS);
  if (b->n_tet > 0) PetscCall(check_faces(b, ok));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode find_nodes(wring_build *b, double scale, PetscBool *ok)
{
  PetscFunctionBegin;
  PetscCall(wring_build_find_nodes(b));
  PetscCall(wring_build_agree(b, ok));
  if (*ok && b->raw->points) {
    PetscCall(wring_build_order_points(b));
    PetscCall(wring_build_agree(b, ok));
  }
  if (!*ok) PetscFunctionReturn(PETSC_SUCCESS);
  wring_build_scale(b, scale);
  PetscCall(wring_build_agree(b, ok));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_data(wring_build *b, wring_mesh_data *d)
{
  char     *keep;
  PetscBool ok;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)b->raw->n_node, &keep));
  PetscCall(check_elements(b, keep, &ok));
  if (ok) {
    PetscCall(number_nodes(b, keep, d));
    PetscCall(wring_build_agree(b, &ok));
  }
  PetscCall(PetscFree(keep));
  if (ok) PetscCall(fill_data(b, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy(wring_build *b)
{
  PetscFunctionBegin;
  PetscCall(wring_exchange_destroy(&b->owners));
  PetscCall(PetscLayoutDestroy(&b->node));
  PetscCall(PetscFree(b->used));
  PetscCall(PetscFree(b->vertex));
  PetscCall(PetscFree(b->tet));
  PetscCall(PetscFree(b->lower));
  PetscCall(PetscFree(b->tet_mid));
  PetscCall(PetscFree(b->lower_mid));
  PetscCall(PetscFree(b->tag));
  PetscCall(PetscFree(b->middle));
  PetscCall(PetscFree(b->middle_X));
  PetscCall(PetscFree(b->in_tet));
  PetscCall(PetscFree(b->asked));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

PetscErrorCode wring_raw_build(MPI_Comm comm, wring_raw *raw, double scale, const wring_scan *s, wring_mesh_data **d,
                               size_t size, char *text)
{
  wring_build b = {.comm    = comm,
                   .raw     = raw,
                   .file    = s->file,
                   .by_byte = s->by_byte,
                   .place   = INT64_MAX,
                   .e       = s->e,
                   .notes   = {.size = size, .text = text}};
  PetscBool   ok;

  PetscFunctionBegin;
  *d = NULL;
  PetscCall(count(&b));
  PetscCall(wring_build_agree(&b, &ok));
  if (ok) PetscCall(find_nodes(&b, scale, &ok));
  if (ok) {
    PetscCall(PetscNew(d));
    PetscCall(make_data(&b, *d));
  }
  if (s->e->text[0]) PetscCall(wring_mesh_data_destroy(d));
  PetscCall(destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}
