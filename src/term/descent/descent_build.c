/* Builds a descent: colours, batches of vertices and the blocks of their incidences. */
#include "descent_impl.h"
#include "base/sort.h"

enum { LANES = WRING_LANES };

/* start, order: incidences by vertex, in the order of the list. */
static PetscErrorCode order_incidences(descent_build *b)
{
  const PetscInt n = b->d->mesh->n_owned;
  PetscInt      *vertex;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n + 1, &b->start, b->n, &b->order));
  PetscCall(PetscMalloc1(b->n, &vertex));
  for (PetscInt i = 0; i < b->n; i++) {
    vertex[i]   = b->incidence[i].vertex;
    b->order[i] = i;
  }
  PetscCall(wring_sort_buckets(b->n, b->order, vertex, n, b->start));
  PetscCall(PetscFree(vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* vertex by colour, and the batches of each colour. */
static PetscErrorCode cut_batches(wring_descent *d)
{
  const PetscInt n = d->mesh->n_owned;
  PetscInt      *start;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &d->vertex));
  PetscCall(PetscMalloc1(d->n_colour + 1, &start));
  for (PetscInt i = 0; i < n; i++) d->vertex[i] = i;
  PetscCall(wring_sort_buckets(n, d->vertex, d->colours, d->n_colour, start));
  PetscCall(PetscCalloc2(d->n_colour, &d->colour, n / BATCH + d->n_colour + 1, &d->batch));
  for (PetscInt c = 0; c < d->n_colour; c++) {
    d->colour[c].begin = d->n_batch;
    for (PetscInt v = start[c]; v < start[c + 1]; v += BATCH)
      d->batch[d->n_batch++] = (descent_batch){.begin = v, .end = PetscMin(v + BATCH, start[c + 1])};
    d->colour[c].end = d->n_batch;
  }
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* count [n_term] of the incidences of a batch. */
static void count_terms(const descent_build *b, const descent_batch *batch, PetscInt *count)
{
  for (int t = 0; t < b->d->n_term; t++) count[t] = 0;
  for (PetscInt j = batch->begin; j < batch->end; j++) {
    const PetscInt v = b->d->vertex[j];
    for (PetscInt i = b->start[v]; i < b->start[v + 1]; i++) count[b->incidence[b->order[i]].term]++;
  }
}

static PetscErrorCode cut_segments(descent_build *b)
{
  wring_descent *d     = b->d;
  size_t         other = 0, data = 0;
  PetscInt      *count;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(d->n_term, &count));
  PetscCall(PetscMalloc1((size_t)d->n_batch * (size_t)d->n_term, &d->segment));
  for (PetscInt i = 0; i < d->n_batch; i++) {
    d->batch[i].segment = d->n_segment;
    count_terms(b, &d->batch[i], count);
    for (int t = 0; t < d->n_term; t++) {
      if (count[t] == 0) continue;
      descent_segment *s = &d->segment[d->n_segment++];
      *s                 = (descent_segment){.term        = d->term[t],
                                             .n_block     = (count[t] + LANES - 1) / LANES,
                                             .first_block = d->n_block,
                                             .other       = other,
                                             .data        = data};
      d->n_block += s->n_block;
      other += (size_t)s->n_block * (size_t)descent_other_rows(s->term) * LANES;
      data += (size_t)s->n_block * (size_t)descent_rows(s->term) * LANES;
    }
    d->batch[i].n_segment = d->n_segment - d->batch[i].segment;
  }
  PetscCall(PetscRealloc(sizeof *d->segment * (size_t)(d->n_segment + 1), &d->segment));
  PetscCall(wring_blocks_create(data, &d->data));
  PetscCall(PetscMalloc2(other, &d->other, (size_t)d->n_block * LANES, &d->slot));
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes an incidence to a lane; `padded` ones have weight 0. */
static void fill_lane(wring_descent *d, const descent_segment *s, PetscInt lane, int slot, const descent_element *e,
                      PetscBool padded)
{
  const wring_term *t = s->term;
  const PetscInt    b = lane / LANES, l = lane % LANES;
  const int         n   = descent_coefs(t);
  double           *row = d->data + s->data + (size_t)b * (size_t)descent_rows(t) * LANES + l;
  for (int p = 0; p < t->points; p++, row += (1 + n) * LANES) {
    row[0] = padded ? 0 : e->weight[p];
    for (int k = 0; k < n; k++) row[(1 + k) * LANES] = e->coef[n * p + k];
  }
  for (int r = 0; r < descent_par_rows(t); r++) row[r * LANES] = e->par[r];
  for (int a = 0; a < descent_other_rows(t); a++)
    d->other[s->other + ((size_t)b * (size_t)descent_other_rows(t) + (size_t)a) * LANES + (size_t)l] = e->other[a];
  d->slot[(size_t)(s->first_block + b) * LANES + (size_t)l] = (unsigned char)slot;
}

/* Fills the blocks of a segment with the incidences of its term in the batch; pads with copies of the last one. */
static void fill_segment(const descent_build *b, const descent_batch *batch, const descent_segment *s, double *room)
{
  wring_descent  *d = b->d;
  descent_element e;
  PetscInt        lane = 0;
  int             slot = 0;
  for (PetscInt j = batch->begin; j < batch->end; j++) {
    const PetscInt v = d->vertex[j];
    for (PetscInt i = b->start[v]; i < b->start[v + 1]; i++) {
      const descent_incidence *one = &b->incidence[b->order[i]];
      if (d->term[one->term] != s->term) continue;
      wring_descent_describe(b, one, room, &e);
      if (s->term->m == 1) e.other[0] = one->at;
      slot = (int)(j - batch->begin);
      fill_lane(d, s, lane++, slot, &e, PETSC_FALSE);
    }
  }
  for (; lane < s->n_block * LANES; lane++) fill_lane(d, s, lane, slot, &e, PETSC_TRUE);
}

static PetscErrorCode fill_segments(const descent_build *b)
{
  const wring_descent *d = b->d;
  double              *room;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(b->width, &room));
  for (PetscInt i = 0; i < d->n_batch; i++) {
    for (PetscInt s = 0; s < d->batch[i].n_segment; s++)
      fill_segment(b, &d->batch[i], &d->segment[d->batch[i].segment + s], room);
  }
  PetscCall(PetscFree(room));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* used [n_here]: vertices that some block reads. */
static void mark_used(const descent_build *b, PetscBool *used)
{
  PetscInt other[OTHERS];
  for (PetscInt i = 0; i < b->n; i++) {
    wring_descent_find_others(b, &b->incidence[i], other);
    for (int k = 0; k < descent_others(b->d->term[b->incidence[i].term]); k++) used[other[k]] = PETSC_TRUE;
  }
}

/* The star forests of colours, from owners to ranks that read their vertices. */
static PetscErrorCode build_copies(const descent_build *b)
{
  wring_descent     *d = b->d;
  const wring_mesh  *m = d->mesh;
  PetscBool         *used;
  const PetscSFNode *owner;
  PetscSFNode       *from;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(d->n_here, &used, d->n_here, &from));
  PetscCall(PetscSFGetGraph(d->all, NULL, NULL, NULL, &owner));
  mark_used(b, used);
  for (PetscInt c = 0; c < d->n_colour; c++) {
    for (PetscInt i = 0; i < d->n_here; i++) {
      from[i] = (PetscSFNode){.rank = -1};
      if (i >= m->n_owned && used[i] && d->colours[i] == c) from[i] = owner[i - m->n_owned];
    }
    PetscCall(wring_copy_create(m->comm, m->n_owned, d->n_here, from, &d->colour[c].copy));
  }
  PetscCall(PetscFree2(used, from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_descent_build(wring_descent *d)
{
  descent_build b = {.d = d};

  PetscFunctionBegin;
  PetscCall(wring_descent_share(&b));
  PetscCall(order_incidences(&b));
  PetscCall(wring_descent_colour(&b));
  PetscCall(cut_batches(d));
  PetscCall(cut_segments(&b));
  PetscCall(fill_segments(&b));
  PetscCall(build_copies(&b));
  PetscCall(PetscFree(b.incidence));
  PetscCall(PetscFree(b.row));
  PetscCall(PetscFree(b.original));
  PetscCall(PetscFree2(b.start, b.order));
  PetscFunctionReturn(PETSC_SUCCESS);
}
