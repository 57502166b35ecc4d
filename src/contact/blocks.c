/* Blocks of pairs in matrices and on the diagonal. */
#include "contact_impl.h"

enum { MOST = WRING_PAIR_NUMBERS, MOST_CORNERS = MOST / 3 };

PetscErrorCode wring_contact_count_blocks(wring_contact *contact, const double *x, PetscInt *count, int *most)
{
  const PetscInt n_owned = contact->mesh->n_owned;
  PetscInt      *far, place[MOST_CORNERS];
  wring_blocks   b;

  PetscFunctionBegin;
  PetscCall(contact->ops->find_blocks(contact, x, &b));
  PetscCall(PetscCalloc1((size_t)b.corners->n, &far));
  for (PetscInt i = 0; i < b.n; i++) {
    const int n = b.of(b.context, x, i, NULL, place) / 3;
    *most       = PetscMax(*most, n);
    for (int a = 0; a < n; a++) *(place[a] < n_owned ? count + place[a] : far + place[a] - n_owned) += n - 1;
  }
  PetscCall(wring_corners_add(b.corners, MPIU_INT, far, count));
  PetscCall(PetscFree(far));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Hessian of pair i, its size, and the components of each corner that are held. */
typedef struct {
  int      n, held[MOST_CORNERS];
  PetscInt row[MOST_CORNERS]; // global numbers
  double   H[MOST * MOST];
} block;

/* Rows and columns of held components are 0. PETSc ignores those of vertices that are held in all, numbered -1. */
static PetscErrorCode add_pair(block *b, Mat H)
{
  PetscFunctionBegin;
  for (int i = 0; i < b->n; i++)
    for (int k = 0; k < b->n && (b->held[i / 3] >> i % 3 & 1); k++) b->H[b->n * i + k] = b->H[b->n * k + i] = 0;
  for (int a = 0; a < b->n / 3; a++) b->row[a] = b->held[a] == WRING_XYZ ? -1 : b->row[a];
  PetscCall(MatSetValuesBlocked(H, b->n / 3, b->row, b->n / 3, b->row, b->H, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries between coordinates of axis c. */
static PetscErrorCode add_component(const block *b, int c, Mat A)
{
  const int m = b->n / 3;
  double    part[MOST_CORNERS * MOST_CORNERS];
  PetscInt  row[MOST_CORNERS];

  PetscFunctionBegin;
  for (int a = 0; a < m; a++) row[a] = b->held[a] >> c & 1 ? -1 : b->row[a];
  for (int k = 0; k < m * m; k++) part[k] = b->H[b->n * (3 * (k / m) + c) + 3 * (k % m) + c];
  PetscCall(MatSetValues(A, m, row, m, row, part, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_contact_add_blocks(wring_contact *contact, const double *x, const char *held, Mat H, const Mat *A)
{
  PetscInt     place[MOST_CORNERS];
  char        *far_held;
  wring_blocks all;
  block        b;

  PetscFunctionBegin;
  PetscCall(contact->ops->find_blocks(contact, x, &all));
  PetscCall(PetscCalloc1((size_t)all.corners->n, &far_held));
  if (held) PetscCall(wring_corners_fetch(all.corners, MPI_CHAR, held, far_held));
  for (PetscInt i = 0; i < all.n; i++) {
    b.n = all.of(all.context, x, i, b.H, place);
    for (int a = 0; a < b.n / 3; a++) {
      const PetscInt far = place[a] - contact->mesh->n_owned;
      b.held[a]          = !held ? 0 : far < 0 ? held[place[a]] : far_held[far];
      b.row[a]           = wring_corners_global(all.corners, place[a]);
    }
    for (int c = 0; c < 3 && A && b.n > 0; c++) PetscCall(add_component(&b, c, A[c]));
    if (H && b.n > 0) PetscCall(add_pair(&b, H));
  }
  PetscCall(PetscFree(far_held));
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
