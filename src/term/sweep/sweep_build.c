/* Builds a sweep: the elements of each block and the order of the blocks. */
#include "colour.h"
#include "base/sort.h"
#include "sweep_impl.h"

enum { LANES = WRING_LANES, MAX_M = QUADRATIC };

/* An element of the sweep. */
typedef struct {
  int      term;
  PetscInt element, colour; // of its term; of its group
} item;

/*
  Elements that are coloured together: of one stencil, all tets or none (fibres and hinges have the same m and q), and
  of one law if it is on top of materials, so that no two elements have the same vertices.
*/
typedef struct {
  int              m, q;
  PetscBool        of_tets;
  const wring_law *on_top; // NULL: elements of all other laws
  PetscInt         n, n_colour;
  item            *item; // [n]
} group;

/* ---- elements of a group ----------------------------------------------------------------------------------------- */

static group group_of(const wring_term *t)
{
  return (group){.m       = t->m,
                 .q       = t->law->q,
                 .of_tets = (PetscBool)(t->cell != NULL),
                 .on_top  = t->law->kind == WRING_LAW_ON_TOP ? t->law : NULL};
}

static PetscBool is_same(const group *a, const group *b)
{
  return (PetscBool)(a->m == b->m && a->q == b->q && a->of_tets == b->of_tets && a->on_top == b->on_top);
}

/* 0 for laws that are not on top of materials, then as in the registry; unregistered laws come last. */
static int level(const group *g)
{
  int i = 0;
  while (g->on_top && wring_law_on_top(i) && wring_law_on_top(i) != g->on_top) i++;
  return g->on_top ? i + 1 : 0;
}

/* Tets first, then by columns of z, vertices and level: fibres follow the laws of all of F, attachments come last. */
static PetscBool comes_before(const group *a, const group *b)
{
  if (a->of_tets != b->of_tets) return a->of_tets;
  if (a->q != b->q) return (PetscBool)(a->q > b->q);
  if (a->m != b->m) return (PetscBool)(a->m > b->m);
  return (PetscBool)(level(a) < level(b));
}

/* The groups of all terms in the order of a sweep, the same on every rank; returns their number, at most n_term. */
static int list_groups(const wring_sweep *s, group *groups)
{
  int n = 0;
  for (int t = 0; t < s->n_term; t++) {
    const group g = group_of(s->term[t]);
    int         i = 0, at = n;
    while (i < n && !is_same(&groups[i], &g)) i++;
    if (i < n) continue;
    for (; at > 0 && comes_before(&g, &groups[at - 1]); at--) groups[at] = groups[at - 1];
    groups[at] = g;
    n++;
  }
  return n;
}

/* Lists the elements of all terms of a group. */
static PetscErrorCode list_items(const wring_sweep *s, group *g)
{
  PetscFunctionBegin;
  for (int t = 0; t < s->n_term; t++) {
    const group of_term = group_of(s->term[t]);
    if (!is_same(&of_term, g)) continue;
    PetscCall(PetscRealloc(sizeof *g->item * (size_t)(g->n + s->term[t]->n + 1), &g->item));
    for (PetscInt e = 0; e < s->term[t]->n; e++) g->item[g->n++] = (item){.term = t, .element = e};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode colour_items(const wring_sweep *s, group *g)
{
  PetscInt *vertex, *colour;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2((size_t)g->m * (size_t)g->n, &vertex, g->n, &colour));
  for (PetscInt i = 0; i < g->n; i++) {
    const wring_term *const t = s->term[g->item[i].term];
    term_vertices(t, term_position(t, g->item[i].element), vertex + (size_t)g->m * (size_t)i);
  }
  PetscCall(
    wring_colour_elements(s->mesh, wring_colour_at_random(s->mesh), g->m, g->n, vertex, colour, &g->n_colour, NULL));
  for (PetscInt i = 0; i < g->n; i++) g->item[i].colour = colour[i];
  PetscCall(PetscFree2(vertex, colour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sorts items by key; items of equal key stay ordered by term and along the mesh's curve. */
static PetscErrorCode sort_items(group *g, uint64_t *key)
{
  PetscInt *order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(g->n, &order));
  PetscCall(wring_order_keys(g->n, key, order));
  PetscCall(wring_permute_rows(g->n, order, sizeof *g->item, &g->item));
  PetscCall(PetscFree(order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Orders items by colour; in the sequential order all have one colour, tets are ordered by original number, and other
  elements keep their order.
*/
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
    if (sequential && cell) key[i] = (uint64_t)s->mesh->tets.original[cell[g->item[i].element]];
  }
  PetscCall(sort_items(g, key));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

/* Cuts the items into segments, runs of one colour and one term. A colour without items on this rank has no segment. */
static PetscErrorCode cut_segments(wring_sweep *s, const group *g)
{
  PetscInt i = 0;

  PetscFunctionBegin;
  PetscCall(PetscRealloc(sizeof *s->segment * (size_t)(s->n_segment + g->n + 1), &s->segment));
  PetscCall(PetscRealloc(sizeof *s->colour * (size_t)(s->n_colour + g->n_colour + 1), &s->colour));
  for (PetscInt c = 0; c < g->n_colour; c++) {
    const PetscInt begin = s->n_segment;
    for (; i < g->n && g->item[i].colour == c; i++) {
      wring_term *const t     = s->term[g->item[i].term];
      const int         n_row = SWEEP_LAMBDA + t->law->n_constraint + sweep_par_rows(t) + sweep_coef_rows(t);
      if (s->n_segment == begin || s->segment[s->n_segment - 1].term != t)
        s->segment[s->n_segment++] = (sweep_segment){.term = t, .n_row = n_row};
      s->segment[s->n_segment - 1].n++;
    }
    s->colour[s->n_colour++] = (sweep_colour){.begin = begin, .end = s->n_segment};
  }
  PetscCall(PetscRealloc(sizeof *s->segment * (size_t)(s->n_segment + 1), &s->segment));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finds where the blocks of every segment begin and allocates them. */
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
    data += (size_t)g->n_block * (size_t)(g->term->points * g->n_row) * LANES;
  }
  PetscCall(wring_blocks_create(data, &s->data));
  PetscCall(PetscMalloc2(corner, &s->corner, (size_t)s->n_block * LANES, &s->position));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets the coefficients of an element in a lane of block b. */
static void fill_coef(wring_sweep *s, const sweep_segment *g, PetscInt b, PetscInt l, PetscInt position)
{
  const wring_term *t      = g->term;
  const PetscInt    n_coef = sweep_coef_rows(t), points = t->points;
  for (PetscInt p = 0; p < points; p++) {
    double *to = s->data + g->data + ((size_t)(b * points + p + 1) * (size_t)g->n_row - (size_t)n_coef) * LANES;
    for (PetscInt r = 0; r < n_coef; r++)
      to[r * LANES + l] = row_coef(t, position / LANES * points + p)[r * LANES + position % LANES];
  }
}

/* Sets the corners, positions and coefficients of a segment that consists of these items. */
static void fill_segment(wring_sweep *s, const sweep_segment *g, const item *items)
{
  const wring_term *t = g->term;
  const PetscInt    m = t->m;
  PetscInt          v[MAX_M];
  for (PetscInt b = 0; b < g->n_block; b++) {
    for (PetscInt l = 0; l < LANES; l++) {
      const item    *one      = &items[PetscMin(b * g->lanes + PetscMin(l, g->lanes - 1), g->n - 1)];
      const PetscInt position = term_position(t, one->element);
      term_vertices(t, position, v);
      fill_coef(s, g, b, l, position);
      for (PetscInt a = 0; a < m; a++)
        s->corner[g->corner + ((size_t)b * (size_t)m + (size_t)a) * LANES + (size_t)l] = v[a];
      s->position[(size_t)(g->first_block + b) * LANES + (size_t)l] = position;
    }
  }
}

PetscErrorCode wring_sweep_build(wring_sweep *s)
{
  group *groups;
  int    n_group;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(s->n_term, &groups));
  n_group = list_groups(s, groups);
  for (int j = 0; j < n_group; j++) {
    PetscCall(list_items(s, &groups[j]));
    PetscCall(order_items(s, &groups[j]));
    PetscCall(cut_segments(s, &groups[j]));
  }
  PetscCall(allocate_blocks(s));
  for (PetscInt j = 0, k = 0; j < n_group; j++) {
    for (PetscInt i = 0; i < groups[j].n; i += s->segment[k++].n) fill_segment(s, &s->segment[k], groups[j].item + i);
    PetscCall(PetscFree(groups[j].item));
  }
  PetscCall(PetscFree(groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}
