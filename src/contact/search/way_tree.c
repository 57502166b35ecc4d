#include "way_tree.h"
#include "base/sort.h"
#include "mesh/distribute/order.h"
#include <math.h>

enum { LEAF = WRING_WAY_LEAF };

/* ---- creation ---------------------------------------------------------------------------------------------------- */

/* The items along the curve through the middles of their boxes. */
static PetscErrorCode order_items(wring_way_tree *tree, const wring_way_box *box, const double low[3], double side)
{
  uint64_t     *key;
  wring_hilbert h;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)tree->n, &key));
  h = wring_hilbert_begin(low, side, key);
  for (PetscInt i = 0; i < tree->n; i++) {
    const wring_way_box *const b         = box + tree->item[i];
    double                     middle[3] = {0};
    for (int c = 0; c < 6; c++) middle[c % 3] += (b->low[c] + b->high[c]) / 4;
    wring_hilbert_add(&h, middle);
  }
  wring_hilbert_end(&h);
  PetscCall(wring_sort_keys(tree->n, key, tree->item));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void set_leaf(const wring_way_tree *tree, PetscInt leaf, const wring_way_box *box)
{
  for (PetscInt k = 0, place = LEAF * leaf; k < LEAF; k++, place++)
    for (int c = 0; c < 6; c++) {
      tree->leaf[leaf].low[c][k]  = place < tree->n ? box[tree->item[place]].low[c] : INFINITY;
      tree->leaf[leaf].high[c][k] = place < tree->n ? box[tree->item[place]].high[c] : -INFINITY;
    }
}

wring_way_box wring_way_leaf_box(const wring_way_leaf *leaf)
{
  wring_way_box b;
  for (int c = 0; c < 6; c++) {
    b.low[c] = leaf->low[c][0], b.high[c] = leaf->high[c][0];
    for (int k = 1; k < LEAF; k++) {
      b.low[c]  = PetscMin(b.low[c], leaf->low[c][k]);
      b.high[c] = PetscMax(b.high[c], leaf->high[c][k]);
    }
  }
  return b;
}

static wring_way_box join(const wring_way_box *a, const wring_way_box *b)
{
  wring_way_box both;
  for (int c = 0; c < 6; c++)
    both.low[c] = PetscMin(a->low[c], b->low[c]), both.high[c] = PetscMax(a->high[c], b->high[c]);
  return both;
}

/* The nodes of a part. */
static PetscInt count(PetscInt begin, PetscInt end)
{
  return 2 * (end - begin) - 1;
}

/* The parts, from the whole on; then their boxes, from the leaves on. */
static void set_nodes(wring_way_tree *tree)
{
  wring_way_node *const root = tree->node, *const end = root + count(0, tree->n_leaf);
  root->begin = 0, root->end = tree->n_leaf;
  for (wring_way_node *one = root; one < end; one++) {
    const PetscInt middle = one->begin + (one->end - one->begin) / 2;
    if (middle == one->begin) continue;
    wring_way_node *const first = one + 1, *const second = first + count(one->begin, middle);
    first->begin = one->begin, first->end = second->begin = middle, second->end = one->end;
  }
  for (wring_way_node *one = end; one-- > root;) {
    const wring_way_node *const first = one + 1;
    if (one->end - one->begin == 1)
      one->box = wring_way_leaf_box(tree->leaf + one->begin);
    else
      one->box = join(&first->box, &first[count(first->begin, first->end)].box);
  }
}

PetscErrorCode wring_way_tree_create(PetscInt n, PetscInt *item, const wring_way_box *box, const double low[3],
                                     double side, wring_way_tree *tree)
{
  PetscFunctionBegin;
  *tree = (wring_way_tree){.n = n, .n_leaf = (n + LEAF - 1) / LEAF, .item = item};
  if (n == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(order_items(tree, box, low, side));
  PetscCall(PetscMalloc1((size_t)tree->n_leaf, &tree->leaf));
  PetscCall(PetscMalloc1((size_t)count(0, tree->n_leaf), &tree->node));
  for (PetscInt i = 0; i < tree->n_leaf; i++) set_leaf(tree, i, box);
  set_nodes(tree);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_way_tree_destroy(wring_way_tree *tree)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(tree->item));
  PetscCall(PetscFree(tree->node));
  PetscCall(PetscFree(tree->leaf));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- searches ---------------------------------------------------------------------------------------------------- */

static int are_apart(const wring_way_box *a, const wring_way_box *b) // without branches, which would be mispredicted
{
  int yes = 0;
  for (int c = 0; c < 3; c++) {
    yes |= (a->low[c] > b->high[c]) & (a->low[3 + c] > b->high[3 + c]);
    yes |= (b->low[c] > a->high[c]) & (b->low[3 + c] > a->high[3 + c]);
  }
  return yes;
}

PetscInt wring_way_walk_next(const wring_way_tree *tree, const wring_way_box *box, wring_way_walk *walk)
{
  while (walk->node < count(0, tree->n_leaf)) {
    const wring_way_node *const node = tree->node + walk->node;
    walk->compared++;
    if (node->end <= walk->from || are_apart(&node->box, box)) {
      walk->node += count(node->begin, node->end);
    } else {
      walk->node++;
      if (node->end - node->begin == 1) return node->begin;
    }
  }
  return -1;
}

unsigned wring_way_leaf_meets(const wring_way_leaf *leaf, const wring_way_box *box)
{
  double   apart[LEAF] = {0}; // m: positive where a box is apart
  unsigned meets       = 0;
  for (int c = 0; c < 3; c++) {
#pragma omp simd
    for (int k = 0; k < LEAF; k++) {
      const double above[2] = {leaf->low[c][k] - box->high[c], leaf->low[3 + c][k] - box->high[3 + c]};
      const double below[2] = {box->low[c] - leaf->high[c][k], box->low[3 + c] - leaf->high[3 + c][k]};
      const double most     = PetscMax(PetscMin(above[0], above[1]), PetscMin(below[0], below[1]));
      apart[k]              = PetscMax(apart[k], most);
    }
  }
  for (int k = 0; k < LEAF; k++) meets |= (unsigned)!(apart[k] > 0) << k;
  return meets;
}
