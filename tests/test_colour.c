/* ranks: 1 2 4 */
/*
  Colours of elements with equal keys of the order, an element that two ranks have, and terms with stencils and laws
  that the program itself does not use: a sweep takes every element. Fails if a tie-break depends on the rank or on the
  order of the list, if equal elements on two ranks are not refused (they made the rounds endless), or if a group of
  elements is missing in a sweep. Rounds of a random order do not grow with its elements; a vertex of 100,000 springs.
*/
#include "model.h"
#include "refused.h"
#include "term/sweep/colour.h"
#include "term/sweep/sweep_impl.h"
#include <sys/resource.h>

/* ---- ties -------------------------------------------------------------------------------------------------------- */

/* The bits of the hash of an edge that the order of colouring uses. */
static uint64_t hash_of(PetscInt a, PetscInt b)
{
  return wring_mix(wring_mix(wring_mix(1) + 1 + (uint64_t)a) + 1 + (uint64_t)b) >> 44;
}

/* Two vertices below n whose edge has the same hash in both directions; their sums are equal anyway. */
static void find_tie(PetscInt n, PetscInt tie[2])
{
  for (PetscInt a = 0; a < n; a++) {
    for (PetscInt b = a + 1; b < n; b++) {
      if (hash_of(a, b) != hash_of(b, a)) continue;
      tie[0] = a, tie[1] = b;
      return;
    }
  }
  CHECK(0, "no tie among %d vertices", (int)n);
}

/* Edges (a, b) and (b, a), reversed in the list, or one on each of two ranks: the edge with a < b comes first. */
static PetscErrorCode test_ties(wring_mesh *m)
{
  PetscInt tie[2], vertex[4], colour[2] = {-1, -1}, n_colour, n;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  find_tie(m->number.n_global, tie);
  PetscCall(wring_mesh_extend_halo(m, 2, tie));
  const PetscInt a = wring_mesh_local(m, tie[0]), b = wring_mesh_local(m, tie[1]);
  const PetscInt reversed[4] = {b, a, a, b};
  n                          = size == 1 ? 2 : rank < 2 ? 1 : 0;
  PetscCall(PetscArraycpy(vertex, reversed + 2 * (rank < 2 ? rank : 0), 2 * n));
  PetscCall(wring_colour_elements(m, PETSC_FALSE, 2, n, vertex, colour, &n_colour, NULL));
  CHECK(n_colour == 2, "%d colours of two edges", (int)n_colour);
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt expected = vertex[2 * i] == a ? 0 : 1;
    CHECK(colour[i] == expected, "edge (%d, %d) has colour %d", (int)vertex[2 * i], (int)vertex[2 * i + 1],
          (int)colour[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same edge on ranks 0 and 1 is refused on all ranks. */
static PetscErrorCode test_equal_elements(wring_mesh *m)
{
  const PetscInt original[2] = {0, m->number.n_global - 1};
  PetscInt       colour, n_colour;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  if (size == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_mesh_extend_halo(m, 2, original));
  const PetscInt vertex[2] = {wring_mesh_local(m, original[0]), wring_mesh_local(m, original[1])};
  PetscCall(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  __lsan_disable();
  const PetscErrorCode code = wring_colour_elements(m, PETSC_FALSE, 2, rank < 2, vertex, &colour, &n_colour, NULL);
  __lsan_enable();
  PetscCall(PetscPopErrorHandler());
  CHECK(code == PETSC_ERR_USER_INPUT, "an edge on two ranks gives error %d", (int)code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- rounds and large degrees ------------------------------------------------------------------------------------ */

/* Local numbers of original ones [n], which become ghosts where they are not here. */
static PetscErrorCode find_local(wring_mesh *m, PetscInt n, PetscInt *vertex)
{
  PetscFunctionBegin;
  PetscCall(wring_mesh_extend_halo(m, n, vertex));
  for (PetscInt i = 0; i < n; i++) vertex[i] = wring_mesh_local(m, vertex[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Springs between consecutive vertices, dealt to the ranks in turn: in the order of the file, each waits for the one
  before it; in random order the longest path of ascending numbers is short. Colours of one rank are those of all.
*/
static PetscErrorCode test_rounds(wring_mesh *m)
{
  enum { SPRINGS = 200 };
  PetscInt vertex[2 * SPRINGS], alone[2 * SPRINGS], colour[SPRINGS], one[SPRINGS], n = 0, n_colour, n_round;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  for (PetscInt i = 0; i < SPRINGS; i++) {
    alone[2 * i]     = i;
    alone[2 * i + 1] = i + 1;
    if (i % size == rank) vertex[2 * n] = i, vertex[2 * n++ + 1] = i + 1;
  }
  PetscCall(find_local(m, 2 * n, vertex));
  PetscCall(wring_colour_elements(m, PETSC_FALSE, 2, n, vertex, colour, &n_colour, &n_round));
  CHECK(n_colour == 2 && (size == 1 || n_round > SPRINGS / 2), "%d rounds in the order of the file", (int)n_round);
  PetscCall(wring_colour_elements(m, PETSC_TRUE, 2, n, vertex, colour, &n_colour, &n_round));
  CHECK(n_colour <= 3 && n_round <= 12, "%d rounds in random order", (int)n_round);
  PetscCall(find_local(m, rank == 0 ? 2 * SPRINGS : 0, alone));
  PetscCall(wring_colour_elements(m, PETSC_TRUE, 2, rank == 0 ? SPRINGS : 0, alone, one, &n_colour, &n_round));
  CHECK(n_round == 1, "%d rounds of one rank", (int)n_round);
  PetscCallMPI(MPI_Bcast(one, SPRINGS, MPIU_INT, 0, PETSC_COMM_WORLD));
  for (PetscInt i = 0; i < n; i++)
    CHECK(colour[i] == one[i * size + rank], "spring %d has colour %d", (int)(i * size + rank), (int)colour[i]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest memory of this rank so far, in MB. */
static double peak_memory(void)
{
  struct rusage use;
  getrusage(RUSAGE_SELF, &use);
  return (double)use.ru_maxrss / 1024;
}

#if defined(__SANITIZE_ADDRESS__)
enum { MOST = 60 }; // MB: the sanitizer keeps what is freed
#else
enum { MOST = 30 };
#endif

/*
  100,000 springs from vertex 0 to others, each rank those to a block of them: their colours are 0 to 99,999 in their
  order. Fails if ranks do not learn of each other's colours, or if every vertex has a mask of all colours (120 MB).
*/
static PetscErrorCode test_hub(wring_mesh *m)
{
  enum { SPRINGS = 100000 };
  const double   before = peak_memory();
  const PetscInt others = m->number.n_global - 1, each = SPRINGS / others + 1;
  PetscInt      *vertex, *colour, n_colour;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD), size = wring_comm_size(PETSC_COMM_WORLD);
  const PetscInt    first = (PetscInt)((PetscInt64)rank * others / size);
  const PetscInt    n     = each * ((PetscInt)((PetscInt64)(rank + 1) * others / size) - first);
  PetscCall(PetscMalloc2(2 * n, &vertex, n, &colour));
  for (PetscInt i = 0; i < n; i++) {
    vertex[2 * i]     = 0;
    vertex[2 * i + 1] = 1 + first + i / each;
  }
  PetscCall(find_local(m, 2 * n, vertex));
  PetscCall(wring_colour_elements(m, PETSC_FALSE, 2, n, vertex, colour, &n_colour, NULL));
  CHECK(n_colour == each * others, "%d colours", (int)n_colour);
  for (PetscInt i = 0; i < n; i++)
    CHECK(colour[i] == each * first + i, "spring %d has colour %d", (int)(each * first + i), (int)colour[i]);
  CHECK(peak_memory() - before < MOST, "%g MB", peak_memory() - before);
  PetscCall(PetscFree2(vertex, colour));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* A term with one number for each triangle that is the first face of an owned tet: m = 3, q = 1. */
static PetscErrorCode create_means(const wring_mesh *m, wring_term **term)
{
  const double par[2] = {1e3, 0.1}, coef[2] = {0.7, -0.4};
  PetscInt    *vertex, n                    = PetscMin(m->tets.n, 40);
  wring_term  *t;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * n, &vertex));
  for (PetscInt i = 0; i < 3 * n; i++) vertex[i] = m->tets.corner[4 * (i / 3) + i % 3];
  PetscCall(wring_term_create_listed(m, "means", &wring_law_spring, 3, 1, n, vertex, PETSC_FALSE, PETSC_FALSE, &t));
  for (PetscInt e = 0; e < n; e++) wring_term_set_point(t, e, 0, coef, 1);
  wring_term_set_par(t, 0, par);
  wring_term_pad(t);
  PetscCall(PetscFree(vertex));
  *term = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  A law on top of materials that is not in the list, and an unusual stencil: every element is in one segment, and groups
  are in order.
*/
static PetscErrorCode test_groups(const wring_mesh *m)
{
  const double strain[1] = {1e5}, limit[3] = {1e5, 0.9, 1.1};
  wring_law    scratch = wring_law_volume;
  wring_term  *term[4];
  wring_sweep *s;
  PetscInt     n = 0;

  PetscFunctionBegin;
  scratch.name = "scratch";
  PetscCall(create_means(m, &term[0]));
  PetscCall(wring_term_create_tets(m, 0, &scratch, limit, 0, NULL, &term[1]));
  PetscCall(wring_term_create_tets(m, 0, &wring_law_volume, limit, 0, NULL, &term[2]));
  PetscCall(wring_term_create_tets(m, 0, &wring_law_strain, strain, 0, NULL, &term[3]));
  PetscCall(wring_sweep_create(m, 4, term, WRING_ORDER_COLORED, NULL, &s));
  for (PetscInt i = 0, last = 3; i < s->n_segment; i++) {
    PetscInt which = 3;
    while (which > 0 && s->segment[i].term != term[which]) which--;
    CHECK(which <= last, "term %d comes after term %d", (int)which, (int)last);
    last = which;
    n += s->segment[i].n;
  }
  for (int i = 0; i < 4; i++) n -= wring_term_size(term[i]);
  CHECK(n == 0, "a sweep has %d elements too many", (int)n);
  PetscCall(wring_sweep_destroy(&s));
  for (int i = 0; i < 4; i++) PetscCall(wring_term_destroy(&term[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt large[3] = {20, 14, 14}, small[3] = {4, 3, 3};
  wring_mesh    *m;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  m = test_box(PETSC_COMM_WORLD, large);
  PetscCall(test_ties(m));
  PetscCall(test_rounds(m));
  PetscCall(test_hub(m));
  PetscCall(wring_mesh_destroy(&m));
  m = test_box(PETSC_COMM_WORLD, small);
  PetscCall(test_groups(m));
  PetscCall(test_equal_elements(m));
  PetscCall(wring_mesh_destroy(&m));
  PetscCall(PetscFinalize());
  return 0;
}
