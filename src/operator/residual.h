/* Private to src/operator: b - A x for three right-hand sides [n][3], and how large each is. */
#pragma once
#include <wring/base.h>

/* A by rows. All borrowed. */
typedef struct {
  PetscInt        n;
  const PetscInt *start, *column;
  const double   *value;
} wring_rows;

typedef struct {
  double norm[3], largest[3]; // Euclidean, of the largest modulus; NaN where there is one
} wring_size;

void wring_size_of(PetscInt n, const double *v, wring_size *size);
void wring_residual(const wring_rows *A, const double *b, const double *x, double *r, wring_size *size); // r = b - A x
