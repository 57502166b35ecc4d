/* Blocks of pairs in matrices and on the diagonal. */
#include "base/exchange.h"
#include "base/grow.h"
#include "contact_impl.h"

enum { MOST = WRING_PAIR_NUMBERS, MOST_CORNERS = MOST / 3 };

/* The Hessian of a pair, its corners, their owners (rank -1: this one), and which components of each are held. */
typedef struct {
  int         n, held[MOST_CORNERS];
  PetscInt    place[MOST_CORNERS], global[MOST_CORNERS];
  PetscSFNode home[MOST_CORNERS];
  double      H[MOST * MOST];
} block;

static PetscErrorCode find_corners(const wring_corners *c, const char *held, const char *far_held, block *b)
{
  const PetscInt n_owned = c->mesh->n_owned;

  PetscFunctionBegin;
  for (int a = 0; a < b->n / 3; a++) {
    const PetscInt at  = b->place[a];
    PetscMPIInt    far = -1; // the owner of a far corner
    b->home[a]         = (PetscSFNode){-1, at};
    b->global[a]       = wring_corners_global(c, at);
    b->held[a]         = !held ? 0 : at < n_owned ? held[at] : far_held[at - n_owned];
    if (at < n_owned) continue;
    PetscCall(PetscLayoutFindOwnerIndex(c->layout, b->global[a], &far, &b->home[a].index));
    b->home[a].rank = far;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks in rows of other ranks, and these ranks. */
typedef struct {
  wring_couplings list;
  PetscInt        room, *to;
} letters;

/* The block of corners i and j; 0 where a component is held. */
static void set_coupling(const block *b, int i, int j, wring_coupling *to)
{
  const double *const at = b->H + b->n * 3 * i + 3 * j;
  to->row                = b->home[i].index;
  to->column             = b->global[j];
  for (int c = 0; c < 9; c++) to->block[c] = at[b->n * (c / 3) + c % 3];
  if (!b->held[i] && !b->held[j]) return;
  for (int c = 0; c < 9; c++)
    if (b->held[i] >> c / 3 & 1 || b->held[j] >> c % 3 & 1) to->block[c] = 0;
}

/* Appends the blocks of a pair to the list of this rank, or to those of others. */
static PetscErrorCode add_pair(const block *b, wring_couplings *list, letters *away)
{
  const int m = b->n / 3;

  PetscFunctionBegin;
  PetscCall(wring_grow(list->n + (PetscInt64)m * m, &list->room, sizeof *list->at, &list->at));
  for (int i = 0; i < m; i++) {
    wring_couplings *const to = b->home[i].rank < 0 ? list : &away->list;
    if (b->held[i] == WRING_XYZ) continue;
    if (to != list) {
      PetscCall(wring_grow(to->n + (PetscInt64)m, &to->room, sizeof *to->at, &to->at));
      PetscCall(wring_grow(to->n + (PetscInt64)m, &away->room, sizeof *away->to, &away->to));
    }
    for (int j = 0; j < m; j++) {
      if (b->held[j] == WRING_XYZ) continue;
      if (to != list) away->to[to->n] = b->home[i].rank;
      set_coupling(b, i, j, to->at + to->n++);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sends the blocks in rows of other ranks, and frees them. */
static PetscErrorCode send(MPI_Comm comm, letters *away, wring_couplings *list)
{
  wring_coupling *got;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(wring_exchange_rows(comm, away->list.n, away->to, sizeof *got, away->list.at, &n, &got));
  PetscCall(wring_grow((PetscInt64)list->n + n, &list->room, sizeof *got, &list->at));
  PetscCall(PetscArraycpy(list->at + list->n, got, n));
  list->n += n;
  PetscCall(PetscFree(got));
  PetscCall(PetscFree(away->to));
  PetscCall(PetscFree(away->list.at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_contact_list_blocks(wring_contact *contact, const double *x, const char *held,
                                         wring_couplings *list)
{
  wring_blocks all;
  letters      away = {.room = 0};
  char        *far_held;
  block        b;

  PetscFunctionBegin;
  PetscCall(contact->ops->find_blocks(contact, x, &all));
  PetscCall(PetscMalloc1((size_t)all.corners->n, &far_held));
  if (held) PetscCall(wring_corners_fetch(all.corners, MPI_CHAR, held, far_held));
  for (PetscInt i = 0; i < all.n; i++) {
    b.n = all.of(all.context, x, i, b.H, b.place);
    PetscCall(find_corners(all.corners, held, far_held, &b));
    PetscCall(add_pair(&b, list, &away));
  }
  PetscCall(PetscFree(far_held));
  wring_count(all.corners->phases, WRING_WORK_CONTACT_EXCHANGES, 1);
  if (all.corners->any) PetscCall(send(contact->mesh->comm, &away, list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_contact_add_diagonal(wring_contact *contact, const double *x, double *diagonal)
{
  wring_blocks   b;
  const PetscInt n_owned = contact->mesh->n_owned;
  PetscInt       place[MOST_CORNERS];
  MPI_Datatype   nine;
  double         H[MOST * MOST], *sum, *far;

  PetscFunctionBegin;
  PetscCall(contact->ops->find_blocks(contact, x, &b));
  PetscCall(PetscCalloc2(9 * (size_t)n_owned, &sum, 9 * (size_t)b.corners->n, &far));
  for (PetscInt i = 0; i < b.n; i++) {
    const int n = b.of(b.context, x, i, H, place);
    for (int a = 0; a < n / 3; a++) {
      double *const to = place[a] < n_owned ? sum + 9 * (size_t)place[a] : far + 9 * (size_t)(place[a] - n_owned);
      for (int c = 0; c < 9; c++) to[c] += H[n * (3 * a + c / 3) + 3 * a + c % 3];
    }
  }
  PetscCallMPI(MPI_Type_contiguous(9, MPI_DOUBLE, &nine));
  PetscCallMPI(MPI_Type_commit(&nine));
  PetscCall(wring_corners_add(b.corners, nine, far, sum));
  PetscCallMPI(MPI_Type_free(&nine));
  for (PetscInt i = 0; i < 9 * n_owned; i++) diagonal[i] += sum[i];
  PetscCall(PetscFree2(sum, far));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_contact_add_products(wring_contact *contact, const double *x, const double *u, const double *v,
                                          double sum[3])
{
  wring_blocks       b;
  const MPI_Datatype vector = contact->mesh->forest.vector;
  PetscInt           place[MOST_CORNERS];
  double             H[MOST * MOST], of_u[MOST], of_v[MOST], *far_u, *far_v;

  PetscFunctionBegin;
  PetscCall(contact->ops->find_blocks(contact, x, &b));
  const size_t n_far = 3 * (size_t)b.corners->n;
  PetscCall(PetscMalloc2(n_far, &far_u, n_far, &far_v));
  PetscCall(wring_corners_fetch(b.corners, vector, u, far_u));
  PetscCall(wring_corners_fetch(b.corners, vector, v, far_v));
  for (PetscInt k = 0; k < b.n; k++) {
    const int n = b.of(b.context, x, k, H, place);
    for (int i = 0; i < n; i++) {
      of_u[i] = wring_corners_at(b.corners, place[i / 3], u, far_u)[i % 3];
      of_v[i] = wring_corners_at(b.corners, place[i / 3], v, far_v)[i % 3];
    }
    for (int i = 0; i < n; i++) {
      double Hu = 0, Hv = 0;
      for (int j = 0; j < n; j++) Hu += H[n * i + j] * of_u[j], Hv += H[n * i + j] * of_v[j];
      sum[0] += of_u[i] * Hu;
      sum[1] += of_u[i] * Hv;
      sum[2] += of_v[i] * Hv;
    }
  }
  PetscCall(PetscFree2(far_u, far_v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
