/*
  Private to src/contact: trees of boxes around ways, for pairs that come near each other. The faces of a box are linear
  in t: two boxes are apart all the way if they are apart along one axis, in the same order, at both ends.
  docs/theory.md (9.21)
*/
#pragma once
#include <petscsys.h>

typedef struct {
  double low[6], high[6]; // m: x, y, z at t = 0, then at t = 1
} wring_way_box;

enum { WRING_WAY_LEAF = 8 }; // items

/* Some leaves, halved down to single ones; a node is followed by all of its first half, then by its second. */
typedef struct {
  wring_way_box box;
  PetscInt      begin, end;
} wring_way_node;

/* The boxes of a leaf's items; those of places without an item are apart from all. */
typedef struct {
  double low[6][WRING_WAY_LEAF], high[6][WRING_WAY_LEAF]; // m
} wring_way_leaf;

typedef struct {
  PetscInt        n, n_leaf;
  PetscInt       *item; // [n] along a Hilbert curve; leaf i has those from WRING_WAY_LEAF i on
  wring_way_node *node; // [2 n_leaf - 1]
  wring_way_leaf *leaf; // [n_leaf]
} wring_way_tree;

/*
  The tree of the items `item` [n], indices of box, whose boxes are inside the cube with the lowest corner low and this
  side, m. item is from PetscMalloc1; the tree owns it from now on, and reorders it.
*/
PetscErrorCode wring_way_tree_create(PetscInt n, PetscInt *item, const wring_way_box *box, const double low[3],
                                     double side, wring_way_tree *tree);
PetscErrorCode wring_way_tree_destroy(wring_way_tree *tree);

/* A walk, from node 0 on, through the leaves from number `from` on. Threads may call the functions below. */
typedef struct {
  PetscInt   from, node;
  PetscInt64 compared; // boxes, so far
} wring_way_walk;

/* The number of the next leaf that is not apart from `box` all the way, or -1. */
PetscInt wring_way_walk_next(const wring_way_tree *tree, const wring_way_box *box, wring_way_walk *walk);

/* The items of the leaf that are not apart from `box` all the way: bit k for its k-th one. */
unsigned wring_way_leaf_meets(const wring_way_leaf *leaf, const wring_way_box *box);

wring_way_box wring_way_leaf_box(const wring_way_leaf *leaf); // around its items
