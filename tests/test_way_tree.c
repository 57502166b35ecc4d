/*
  Trees of boxes around ways against a comparison of all pairs: each pair that is near at some t is found once, and none
  is found that is apart along an axis at both ends. Fails if a part of the tree, an end of the ways or an item of
  a leaf is left out, if a walk begins too late, or if two things that move together count as near because the boxes
  around their whole ways meet.
*/
#include "check.h"
#include "contact/search/way_tree.h"

enum { MOST = 300 };

/* Small boxes that move by `common`, and by a little on their own; all are at one point if `size` is 0. */
static void draw(PetscInt n, double size, double common, wring_way_box *box)
{
  uint64_t state = (uint64_t)n;
  for (PetscInt i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) {
      box[i].low[c]      = size * test_random(&state);
      box[i].high[c]     = box[i].low[c] + 0.1 * size * fabs(test_random(&state));
      box[i].low[3 + c]  = box[i].low[c] + common + 0.2 * size * test_random(&state);
      box[i].high[3 + c] = box[i].low[3 + c] + 0.1 * size * fabs(test_random(&state));
    }
}

/* Whether two boxes meet at some t, by all times at which a pair of their faces does. */
static int meet(const wring_way_box *a, const wring_way_box *b)
{
  double from = 0, to = 1;
  for (int c = 0; c < 6; c++) {
    const wring_way_box *const low = c < 3 ? a : b, *const high = c < 3 ? b : a;
    const double begin = high->high[c % 3] - low->low[c % 3];
    const double end   = high->high[3 + c % 3] - low->low[3 + c % 3];
    if (begin < 0 && end < 0) return 0;
    if (begin < 0) from = fmax(from, begin / (begin - end));
    if (end < 0) to = fmin(to, begin / (begin - end));
  }
  return from <= to;
}

static int are_apart(const wring_way_box *a, const wring_way_box *b)
{
  int apart = 0;
  for (int c = 0; c < 3; c++)
    apart |= (a->low[c] > b->high[c] && a->low[3 + c] > b->high[3 + c]) ||
             (b->low[c] > a->high[c] && b->low[3 + c] > a->high[3 + c]);
  return apart;
}

/* times [n][n]: how often a pair of the two trees is found; of one tree from its leaves on. */
static PetscInt64 find_all(const wring_way_tree *first, const wring_way_tree *second, const wring_way_box *box,
                           int times[MOST][MOST])
{
  PetscInt64 compared = 0;
  for (PetscInt place = 0; place < first->n; place++) {
    wring_way_walk walk = {.from = first == second ? place / WRING_WAY_LEAF : 0};
    const PetscInt i    = first->item[place];
    for (PetscInt leaf; (leaf = wring_way_walk_next(second, box + i, &walk)) >= 0;) {
      const unsigned meets = wring_way_leaf_meets(second->leaf + leaf, box + i);
      for (PetscInt k = 0; k < WRING_WAY_LEAF; k++) {
        const PetscInt other = WRING_WAY_LEAF * leaf + k;
        CHECK(other < second->n || !(meets >> k & 1), "place %d of %d items is found", (int)other, (int)second->n);
        if (meets >> k & 1) times[i][second->item[other]]++;
      }
    }
    compared += walk.compared;
  }
  return compared;
}

/* Items 0, step, 2 step, ... below n. */
static void create(PetscInt n, PetscInt step, double common, const wring_way_box *box, wring_way_tree *tree)
{
  const double low[3] = {-1.2, -1.2, -1.2};
  PetscInt    *item, n_item = 0;
  PetscCallAbort(PETSC_COMM_SELF, PetscMalloc1((size_t)n, &item));
  for (PetscInt i = 0; i < n; i += step) item[n_item++] = i;
  PetscCallAbort(PETSC_COMM_SELF, wring_way_tree_create(n_item, item, box, low, 2.6 + fabs(common), tree));
}

static void check_pairs(PetscInt n, double size, double common)
{
  static wring_way_box box[MOST];
  static int           times[MOST][MOST];
  wring_way_tree       all, third;
  for (int own = 0; own < 2; own++) {
    memset(times, 0, sizeof times);
    draw(n, size, common, box);
    create(n, 1, common, box, &all);
    create(n, 3, common, box, &third);
    const PetscInt64 compared = find_all(own ? &all : &third, &all, box, times);
    CHECK(n < MOST || compared < 0.4 * (own ? all.n : third.n) * (2 * all.n_leaf - 1),
          "%d items, common motion %g: %g nodes compared", (int)n, common, (double)compared);
    for (PetscInt i = 0; i < n; i++)
      for (PetscInt j = 0; j < n; j++) {
        const int found = own ? times[i][j] + times[j][i] : times[i][j];
        CHECK(!meet(box + i, box + j) || (!own && i % 3) || found > 0, "%d and %d of %d are near", (int)i, (int)j,
              (int)n);
        CHECK(!are_apart(box + i, box + j) || !found, "%d and %d of %d are apart", (int)i, (int)j, (int)n);
        CHECK(times[i][j] <= 1, "%d and %d of %d are found %d times", (int)i, (int)j, (int)n, times[i][j]);
      }
    PetscCallAbort(PETSC_COMM_SELF, wring_way_tree_destroy(&all));
    PetscCallAbort(PETSC_COMM_SELF, wring_way_tree_destroy(&third));
  }
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  for (PetscInt n = 0; n < 30; n++) check_pairs(n, 1, 0);
  check_pairs(MOST, 1, 0);
  check_pairs(MOST, 1, 5);
  check_pairs(30, 0, 1); // all at one place
  PetscCall(PetscFinalize());
  return 0;
}
