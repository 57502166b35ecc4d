/* Rodrigues: R = cos a I + sin a [n]x + (1 - cos a) n n^T. */
#include <math.h>
#include <wring/base.h>

void wring_rotation(const double spin[3], double t, double R[9])
{
  const double rate = sqrt(spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2]);
  const double a = rate * t * PETSC_PI / 180, c = cos(a), s = sin(a);
  double       n[3] = {1, 0, 0};
  for (int i = 0; i < 3 && rate > 0; i++) n[i] = spin[i] / rate;
  const double cross[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
  for (int i = 0; i < 9; i++) R[i] = (i % 4 == 0 ? c : 0) + s * cross[i] + (1 - c) * n[i / 3] * n[i % 3];
}
