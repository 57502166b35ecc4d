/* Building a sweep: which elements form a block, and in which order blocks come. */
#include "colour.h"
#include "base/sort.h"
#include "sweep_impl.h"

enum { LANES = WRING_LANES, MAX_M = 4 };

/* An element of the sweep. */
typedef struct {
  int      term;
  PetscInt element, colour, vertex[MAX_M]; // of its term; of its group; local
} item;

/* Elements of one stencil and stage, which are coloured together; of tets or not: fibres and hinges have the same m and q. */
typedef struct {
  int       m, q, stage; // stage ANY: of all
  PetscBool of_tets;
  PetscInt  n, n_colour;
  item     *item; // [n]
} group;

/* ---- elements of a group ----------------------------------------------------------------------------------------- */

/* Items of a term's elements. */
static void list_items(const wring_sweep *s, int term, item *items)
{
  const wring_term *t = s->term[term];
  for (PetscInt c = 0; c < t->n_chunk; c++) {
    for (PetscInt p = t->chunk_block[c] * LANES; p < t->chunk_block[c + 1] * LANES; p++) {
      const PetscInt e = term_element(t, p);
      if (e < 0) continue;
      items[e] = (item){.term = term, .element = e};
      for (int a = 0; a < t->m; a++) items[e].vertex[a] = term_corner(t, c, p / LANES, a, p % LANES);
    }
  }
}

enum { ANY = -1 };

static PetscBool belongs(const wring_term *t, const group *g)
{
  return (PetscBool)(t->m == g->m && t->law->q == g->q && (t->cell != NULL) == g->of_tets &&
                     (g->stage == ANY || t->stage == g->stage));
}

static PetscErrorCode collect(const wring_sweep *s, group *g)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (int pass = 0; pass < 2; pass++) {
    for (int t = 0; t < s->n_term; t++) {
      if (!belongs(s->term[t], g)) continue;
      if (pass) list_items(s, t, g->item + n);
      n += s->term[t]->n;
    }
    if (pass) break;
    g->n = n, n = 0;
    PetscCall(PetscMalloc1(g->n, &g->item));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode colour_items(const wring_sweep *s, group *g)
{
  PetscInt *vertex, *colour;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(g->m * g->n, &vertex, g->n, &colour));
  for (PetscInt i = 0; i < g->m * g->n; i++) vertex[i] = g->item[i / g->m].vertex[i % g->m];
  PetscCall(wring_colour_elements(s->mesh, g->m, g->n, vertex, colour, &g->n_colour));
  for (PetscInt i = 0; i < g->n; i++) g->item[i].colour = colour[i];
  PetscCall(PetscFree2(vertex, colour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorts items by key; equal keys stay by term and along the mesh's curve. */
static PetscErrorCode sort_items(group *g, uint64_t *key)
{
  PetscInt *order;
  item     *sorted;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(g->n, &order, g->n, &sorted));
  for (PetscInt i = 0; i < g->n; i++) order[i] = i;
  PetscCall(wring_sort_keys(g->n, key, order));
  for (PetscInt i = 0; i < g->n; i++) sorted[i] = g->item[order[i]];
  PetscCall(PetscArraycpy(g->item, sorted, g->n));
  PetscCall(PetscFree2(order, sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Items by colour; or, all of one colour, tets by original number and other elements as they are. */
static PetscErrorCode order_items(const wring_sweep *s, group *g)
{
  const PetscBool sequential = (PetscBool)(s->order == WRING_ORDER_SEQUENTIAL);
  uint64_t       *key;

  PetscFunctionBegin;
  g->n_colour = sequential && g->n > 0;
  if (!sequential) PetscCall(colour_items(s, g));
  PetscCall(PetscMalloc1(g->n, &key));
  for (PetscInt i = 0; i < g->n; i++) {
    const PetscInt *cell = s->term[g->item[i].term]->cell;
    key[i]               = (uint64_t)g->item[i].colour;
    if (sequential && cell) key[i] = (uint64_t)s->mesh->tet_original[cell[g->item[i].element]];
  }
  PetscCall(sort_items(g, key));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

static void begin_segment(wring_sweep *s, wring_term *t)
{
  const int n_row            = SWEEP_LAMBDA + t->law->n_constraint + sweep_par_rows(t) + sweep_coef_rows(t);
  s->segment[s->n_segment++] = (sweep_segment){.term = t, .n_row = n_row};
}

/* The items become segments, runs of one colour and one term. A colour without items on this rank has none. */
static PetscErrorCode cut_segments(wring_sweep *s, const group *g)
{
  PetscInt i = 0;

  PetscFunctionBegin;
  PetscCall(PetscRealloc(sizeof *s->segment * (size_t)(s->n_segment + g->n + 1), &s->segment));
  PetscCall(PetscRealloc(sizeof *s->colour * (size_t)(s->n_colour + g->n_colour + 1), &s->colour));
  for (PetscInt c = 0; c < g->n_colour; c++) {
    const PetscInt begin = s->n_segment;
    for (; i < g->n && g->item[i].colour == c; i++) {
      wring_term *const t = s->term[g->item[i].term];
      if (s->n_segment == begin || s->segment[s->n_segment - 1].term != t) begin_segment(s, t);
      s->segment[s->n_segment - 1].n++;
    }
    s->colour[s->n_colour++] = (sweep_colour){.begin = begin, .end = s->n_segment};
  }
  PetscCall(PetscRealloc(sizeof *s->segment * (size_t)(s->n_segment + 1), &s->segment));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the blocks of every segment begin; room for them all. */
static PetscErrorCode allocate_blocks(wring_sweep *s)
{
  size_t corner = 0, data = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->n_segment; i++) {
    sweep_segment *g = &s->segment[i];
    g->lanes         = s->order == WRING_ORDER_SEQUENTIAL ? 1 : LANES;
    g->n_block       = (g->n + g->lanes - 1) / g->lanes;
    g->first_block   = s->n_block;
    g->corner        = corner;
    g->data          = data;
    s->n_block += g->n_block;
    corner += (size_t)g->n_block * (size_t)g->term->m * LANES;
    data += (size_t)g->n_block * (size_t)g->n_row * LANES;
  }
  PetscCall(wring_blocks_create(data, &s->data));
  PetscCall(PetscMalloc2(corner, &s->corner, (size_t)s->n_block * LANES, &s->position));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Corners, positions and coefficients of a segment of these items. */
static void fill_segment(wring_sweep *s, const sweep_segment *g, const item *items)
{
  const wring_term *t      = g->term;
  const PetscInt    n_coef = sweep_coef_rows(t), m = t->m;
  for (PetscInt b = 0; b < g->n_block; b++) {
    double *to = s->data + g->data + (size_t)((b + 1) * g->n_row - n_coef) * LANES;
    for (PetscInt l = 0; l < LANES; l++) {
      const item    *one      = &items[PetscMin(b * g->lanes + PetscMin(l, g->lanes - 1), g->n - 1)];
      const PetscInt position = term_position(t, one->element);
      for (PetscInt r = 0; r < n_coef; r++)
        to[r * LANES + l] = block_coef(t, position / LANES)[r * LANES + position % LANES];
      for (PetscInt a = 0; a < m; a++) s->corner[g->corner + (size_t)((b * m + a) * LANES + l)] = one->vertex[a];
      s->position[(g->first_block + b) * LANES + l] = position;
    }
  }
}

/* Tets, what is on top of them, triangles, one number of each of these (fibres), springs, attachments. */
PetscErrorCode wring_sweep_build(wring_sweep *s)
{
  group     groups[] = {{.m = 4, .q = 3, .stage = 0, .of_tets = PETSC_TRUE},
                        {.m = 4, .q = 3, .stage = 1, .of_tets = PETSC_TRUE},
                        {.m = 4, .q = 3, .stage = 2, .of_tets = PETSC_TRUE},
                        {.m = 4, .q = 1, .stage = ANY, .of_tets = PETSC_TRUE},
                        {.m = 3, .q = 2, .stage = ANY},
                        {.m = 4, .q = 1, .stage = ANY},
                        {.m = 2, .q = 1, .stage = ANY},
                        {.m = 1, .q = 1, .stage = ANY}};
  const int n_group  = sizeof groups / sizeof groups[0];

  PetscFunctionBegin;
  for (int j = 0; j < n_group; j++) {
    PetscCall(collect(s, &groups[j]));
    PetscCall(order_items(s, &groups[j]));
    PetscCall(cut_segments(s, &groups[j]));
  }
  PetscCall(allocate_blocks(s));
  for (PetscInt j = 0, k = 0; j < n_group; j++) {
    for (PetscInt i = 0; i < groups[j].n; i += s->segment[k++].n) fill_segment(s, &s->segment[k], groups[j].item + i);
    PetscCall(PetscFree(groups[j].item));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
