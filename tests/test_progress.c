/*
  ranks: 1
  A line within a long step comes 10 s after its first iteration and then each 10 s, with an estimate of the end. The
  clock is moved by changing when the last line was. Fails if a line comes earlier, or not at all, or the estimate is
  not that of a geometric sequence.
*/
#define _POSIX_C_SOURCE 200809L // mkstemp
#include "check.h"
#include "study/run/progress.h"
#include <unistd.h>

static wring_iteration iteration(PetscInt i, double gradient)
{
  return (wring_iteration){.iteration = i, .gradient_norm = gradient, .reference = 1};
}

int main(int argc, char **argv)
{
  const wring_solver_limits limits    = {.rtol = 1e-6, .stop = WRING_STOP_FORCE};
  wring_progress            g         = {.last = 5, .printed = -1};
  char                      line[256] = "", name[] = "test_progress_XXXXXX";
  double                    left = 0;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  const int file = mkstemp(name);
  CHECK(file >= 0 && freopen(name, "w", stdout), "%s", name);
  const wring_iteration first = iteration(0, 1), middle = iteration(10, 1e-2);
  CHECK(!wring_progress_iteration(&g, 3, 0.3, &limits, &first), "a line at the first iteration");
  CHECK(!wring_progress_iteration(&g, 3, 0.3, &limits, &middle), "a line before 10 s");
  g.begun -= 30, g.within -= 30;
  CHECK(wring_progress_iteration(&g, 3, 0.3, &limits, &middle), "no line after 30 s");
  CHECK(!wring_progress_iteration(&g, 3, 0.3, &limits, &middle), "two lines");
  FILE *const in = fopen(name, "r");
  CHECK(in && fgets(line, sizeof line, in), "nothing was printed");
  const char *const at = strstr(line, "about ");
  CHECK(strstr(line, "in step 3/5  t 0.3 s  it 10  g ") == line, "%s", line);
  CHECK(at && sscanf(at, "about %lf s left", &left) == 1, "%s", line);
  CHECK(fabs(left - 60) <= 1, "%g s left, expected 60: two orders of six in 30 s", left);
  fclose(in);
  unlink(name);
  return PetscFinalize();
}
