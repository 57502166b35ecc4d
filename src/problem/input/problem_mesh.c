/*
  The mesh of a problem: from a checkpoint, or else from a file, a box or bodies. A deck can be restarted unchanged from
  its own checkpoint: its mesh is then read only to check that the checkpoint belongs to it.
*/
#include "base/exchange.h"
#include "mesh/distribute/slices.h"
#include "mesh_source.h"
#include "problem/problem_impl.h"
#include <math.h>

/* The keys of mesh_, and the sources that the deck gives. */
typedef struct {
  wring_mesh_keys keys;
  wring_bodies    bodies;
  PetscBool       box, any; // a box; any of file, box, bodies
  const char     *restart;  // initial.restart, NULL: not given
} sources;

/* Refuses two meshes, and keys that do not apply to the one that is given. */
static PetscErrorCode check_sources(const wring_options *o, const sources *s)
{
  const MPI_Comm    comm = wring_options_comm(o);
  const char *const file = s->keys.source.file;

  PetscFunctionBegin;
  if (file && s->box)
    WRING_REFUSE(comm, "%s: mesh: file and box (%s) are both given, expected one of them",
                 wring_options_origin(o, "mesh_", "file"), wring_options_family_origin(o, "mesh_box_"));
  if ((file || s->box) && s->bodies.placed)
    WRING_REFUSE(comm, "%s: mesh: a %s, but bodies have meshes of their own, expected either of them",
                 wring_options_family_origin(o, file ? "mesh_file" : "mesh_box_"), file ? "file" : "box");
  if (!s->any && !s->restart)
    WRING_REFUSE(comm, "%s: mesh: none is given, expected mesh.file, mesh.box, body or initial.restart",
                 wring_options_deck(o));
  if (!file && wring_options_has(o, "mesh_", "scale"))
    WRING_REFUSE(comm, "%s: mesh_scale applies to mesh.file only, remove it%s",
                 wring_options_origin(o, "mesh_", "scale"), s->box ? " for mesh.box" : "");
  if (!s->any && wring_options_has(o, "mesh_", "refine"))
    WRING_REFUSE(comm, "%s: mesh_refine: the mesh of a checkpoint is not refined again, remove the key",
                 wring_options_origin(o, "mesh_", "refine"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* s->bodies must be destroyed. */
static PetscErrorCode get_sources(const wring_options *o, const wring_catalogue *c, sources *s)
{
  PetscFunctionBegin;
  *s = (sources){.box = wring_options_has_family(o, "mesh_box_")};
  PetscCall(wring_options_read(o, "mesh_", wring_mesh_source_options, &s->keys.source));
  PetscCall(wring_options_read(o, "mesh_", wring_mesh_options, &s->keys));
  if (wring_options_has(o, "initial_", "restart"))
    PetscCall(wring_options_get_word(o, "initial_", wring_initial_options, "restart", &s->restart));
  PetscCall(wring_bodies_read(o, "body_", c->n, c->entry, &s->bodies));
  s->any = (PetscBool)(s->keys.source.file || s->box || s->bodies.placed);
  PetscCall(check_sources(o, s));
  PetscCall(wring_mesh_check_partitioner(o, "mesh_", s->keys.partitioner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The mesh of the deck in slices, NULL if it has none; its order: that of its key, or of the mesh; 0: it has neither. Of
  first order only corners are kept. Collective.
*/
static PetscErrorCode read_deck_mesh(const wring_options *o, const sources *s, wring_mesh_data **data, PetscInt *order)
{
  const wring_mesh_source *const source = &s->keys.source;
  int                            read   = s->any;

  PetscFunctionBegin;
  *data = NULL;
  if (s->box) PetscCall(wring_mesh_box_make(o, "mesh_box_", &source->box, data));
  if (source->file)
    PetscCall(wring_mesh_file_read(wring_options_comm(o), source->file, source->scale, PETSC_FALSE, data));
  if (s->bodies.placed) PetscCall(wring_bodies_mesh(o, &s->bodies, data));
  if (*data) read = PetscMax((*data)->order, 1);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &read, 1, MPI_INT, MPI_MAX, wring_options_comm(o)));
  *order = s->keys.order ? s->keys.order : read;
  if (*order > 1 || !*data) PetscFunctionReturn(PETSC_SUCCESS);
  (*data)->order = 1;
  PetscCall(wring_middles_clear(&(*data)->middles));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- restarts ---------------------------------------------------------------------------------------------------- */

/* Of a mesh, over all ranks; lines and triangles of sets. */
typedef struct {
  PetscInt64 vertices, tets, lines, triangles;
} counts;

/* d: a slice, or NULL for an empty one. Collective. */
static PetscErrorCode count_all(MPI_Comm comm, const wring_mesh_data *d, counts *c)
{
  PetscInt64 n[4] = {0};

  PetscFunctionBegin;
  if (d) n[0] = d->n_vertex, n[1] = d->n_tet;
  for (PetscInt i = 0; d && i < d->n_set_element; i++) n[d->set_element[4 * (size_t)i + 3] < 0 ? 2 : 3]++;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, n, 4, MPIU_INT64, MPI_SUM, comm));
  *c = (counts){.vertices = n[0], .tets = n[1], .lines = n[2], .triangles = n[3]};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Sends the positions of the deck's slices to the ranks whose slices of the stored mesh have the same vertices: X [*n],
  those of the first vertices of this rank's slice, freed by the caller. Collective.
*/
static PetscErrorCode send_positions(MPI_Comm comm, const wring_mesh_data *deck, const wring_mesh_data *stored,
                                     PetscInt *n, double **X)
{
  const PetscInt n_deck = deck ? deck->n_vertex : 0, n_stored = stored ? stored->n_vertex : 0;
  PetscLayout    blocks;
  PetscInt       end, *to;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&n_deck, &end, 1, MPIU_INT, MPI_SUM, comm));
  PetscCall(PetscLayoutCreateFromSizes(comm, n_stored, PETSC_DETERMINE, 1, &blocks));
  PetscCall(PetscMalloc1((size_t)n_deck, &to));
  for (PetscInt i = 0; i < n_deck; i++) to[i] = end - n_deck + i;
  PetscCall(wring_slices_find_owners(blocks, n_deck, to));
  PetscCall(wring_exchange_rows(comm, n_deck, to, 3 * sizeof(double), deck ? deck->X : NULL, n, X));
  PetscCall(PetscFree(to));
  PetscCall(PetscLayoutDestroy(&blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To 1e-9 of the largest coordinate, because compilers round differently. Collective. */
static PetscErrorCode same_positions(MPI_Comm comm, const wring_mesh_data *deck, const wring_mesh_data *stored,
                                     PetscBool *same)
{
  double   worst[2] = {0, 0}, *X; // the largest difference and coordinate
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(send_positions(comm, deck, stored, &n, &X));
  for (size_t i = 0; i < 3 * (size_t)n; i++) {
    worst[0] = PetscMax(worst[0], fabs(X[i] - stored->X[i]));
    worst[1] = PetscMax(worst[1], fabs(X[i]));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, worst, 2, MPI_DOUBLE, MPI_MAX, comm));
  *same = (PetscBool)(worst[0] <= 1e-9 * worst[1]);
  PetscCall(PetscFree(X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Whether the mesh of a checkpoint can be the deck's mesh, refined k times, by their counts: it then has 8^k times the
  tets, 4^k times the triangles and 2^k times the lines.
*/
static PetscBool can_descend(const counts *deck, PetscInt k, const counts *stored)
{
  const PetscBool refined = (PetscBool)(k > 0 && deck->tets + deck->triangles + deck->lines > 0);
  return (PetscBool)((refined ? deck->vertices < stored->vertices : deck->vertices == stored->vertices) &&
                     deck->tets << 3 * k == stored->tets && deck->triangles << 2 * k == stored->triangles &&
                     deck->lines << k == stored->lines);
}

/* What is compared of the deck's mesh, so that two meshes are not held at a time: its counts and positions. */
static PetscErrorCode keep_positions(MPI_Comm comm, wring_mesh_data *deck, counts *c)
{
  PetscFunctionBegin;
  PetscCall(count_all(comm, deck, c));
  if (!deck) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(deck->tet));
  PetscCall(PetscFree(deck->region));
  PetscCall(PetscFree(deck->set_vertex));
  PetscCall(PetscFree(deck->set_element));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refuses a checkpoint whose mesh differs from the deck's, whose vertices are its first ones. Collective. */
static PetscErrorCode compare_meshes(const wring_problem *p, const counts *d, PetscInt refine,
                                     const wring_mesh_data *deck, const wring_mesh_data *stored)
{
  char      refined[64] = "";
  counts    s;
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(count_all(p->comm, stored, &s));
  const PetscBool fits = can_descend(d, refine, &s);
  if (fits) PetscCall(same_positions(p->comm, deck, stored, &same));
  if (refine) snprintf(refined, sizeof refined, ", mesh_refine %d", (int)refine);
  if (!same)
    WRING_REFUSE(p->comm,
                 "%s: holds another mesh (%lld vertices, %lld tets) than the deck's (%s: %lld vertices, %lld "
                 "tets%s%s), expected the same, or a deck without mesh",
                 p->parts->origin.restart, (long long)s.vertices, (long long)s.tets,
                 wring_options_family_origin(p->options, p->parts->bodies.placed ? "body_" : "mesh_"),
                 (long long)d->vertices, (long long)d->tets, refined, fits ? ", at other positions" : "");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh of the checkpoint, or the deck's, and the number of tets of the mesh that tables of tets refer to. */
static PetscErrorCode read_mesh(wring_problem *p, const sources *s, wring_mesh_data **data, PetscInt *order)
{
  const PetscBool          deck_has = s->any;
  wring_mesh_origin *const origin   = &p->parts->origin;
  wring_mesh_data         *deck;
  counts                   c;

  PetscFunctionBegin;
  PetscCall(read_deck_mesh(p->options, s, &deck, order));
  *data = deck;
  if (s->restart) {
    if (deck_has) PetscCall(keep_positions(p->comm, deck, &c));
    PetscCall(wring_checkpoint_find(p->comm, s->restart, sizeof origin->restart, origin->restart));
    PetscCall(wring_checkpoint_read_mesh(p->comm, origin->restart, data, &p->state.step, &p->state.time));
    if (deck_has) PetscCall(compare_meshes(p, &c, s->keys.refine, deck, *data));
    PetscCall(wring_mesh_data_destroy(&deck));
  }
  if (!s->restart || !deck_has) PetscCall(count_all(p->comm, *data, &c));
  origin->n_mother = c.tets;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the mesh ---------------------------------------------------------------------------------------------------- */

/* Refines and raises the mesh as the deck says, which has this order. */
static PetscErrorCode subdivide(const wring_mesh_keys *k, PetscInt order, wring_mesh *m)
{
  PetscFunctionBegin;
  PetscCall(wring_mesh_refine(m, k->refine));
  if (order == 2) PetscCall(wring_mesh_raise(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh of a checkpoint is already refined; it has its own order, which the deck's must be, if that has one. */
static PetscErrorCode restore(const wring_problem *p, PetscInt order)
{
  PetscFunctionBegin;
  if (order && order != p->mesh->read.order)
    WRING_REFUSE(p->comm, "%s: holds a mesh of order %d, the deck has order %d (%s), expected the same",
                 p->parts->origin.restart, p->mesh->read.order, (int)order,
                 wring_options_family_origin(p->options, "mesh_"));
  if (p->mesh->read.order == 2) PetscCall(wring_mesh_raise(p->mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_mesh(wring_problem *p)
{
  PetscInt         order;
  sources          s;
  wring_mesh_data *data;

  PetscFunctionBegin;
  PetscCall(get_sources(p->options, p->parts->keys, &s));
  p->parts->bodies = s.bodies;
  PetscCall(read_mesh(p, &s, &data, &order));
  PetscCall(wring_mesh_distribute(p->comm, s.keys.partitioner, &data, &p->mesh));
  if (s.restart)
    PetscCall(restore(p, order));
  else
    PetscCall(subdivide(&s.keys, order, p->mesh));
  if (p->mesh->tets.order == 1 && wring_options_has(p->options, "mesh_", "quadrature"))
    WRING_REFUSE(p->comm, "%s: mesh_quadrature: tetrahedra of order 1 have one point, expected mesh_order: 2",
                 wring_options_origin(p->options, "mesh_", "quadrature"));
  if (p->mesh->tets.order == 2) p->mesh->tets.points = s.keys.quadrature == WRING_POINTS_14 ? 14 : 4;
  PetscCall(wring_mesh_add_sets(p->mesh, p->options, p->parts->keys->n, p->parts->keys->entry));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_make_mesh(const wring_options *o, wring_mesh **m)
{
  PetscInt         order;
  sources          s;
  wring_mesh_data *data;
  wring_catalogue *c;

  PetscFunctionBegin;
  PetscCall(wring_catalogue_create(&c));
  PetscCall(get_sources(o, c, &s));
  PetscCall(read_deck_mesh(o, &s, &data, &order));
  PetscCall(wring_bodies_destroy(&s.bodies));
  PetscCall(wring_catalogue_destroy(&c));
  PetscCall(wring_mesh_distribute(wring_options_comm(o), s.keys.partitioner, &data, m));
  PetscCall(subdivide(&s.keys, order, *m));
  PetscFunctionReturn(PETSC_SUCCESS);
}
