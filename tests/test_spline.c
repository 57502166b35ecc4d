/* ranks: 1 2 */
/*
  Files of spline materials: cubics with given slopes are reproduced exactly, in energy, stress and far outside; missing
  slopes are those of parabolas; bad files are refused in one line on all ranks. Fails if a wrong piece is found, if it
  is not integrated from 1 or is expanded about a wrong point, or if an error in a file is accepted or causes a crash.
*/
#include "splines.h"
#include "refused.h"

enum { TEXT_SIZE = 1 << 14 };

/* ---- polynomials that a table represents ------------------------------------------------------------------------- */

/* In e = x - 1: f = sum c_i e^i, its slope, its integral from 1; straight lines below `low` and above `high`. */
typedef struct {
  double c[4], low, high;
} cubic;

static double value(const cubic *p, double x)
{
  const double e = x - 1;
  return p->c[0] + e * (p->c[1] + e * (p->c[2] + e * p->c[3]));
}

static double slope(const cubic *p, double x)
{
  const double e = x - 1;
  return p->c[1] + e * (2 * p->c[2] + e * 3 * p->c[3]);
}

static double derivative(const cubic *p, double x)
{
  const double end = fmin(fmax(x, p->low), p->high);
  return value(p, end) + slope(p, end) * (x - end);
}

static double integral(const cubic *p, double x)
{
  const double end = fmin(fmax(x, p->low), p->high), e = end - 1, t = x - end;
  return e * (p->c[0] + e * (p->c[1] / 2 + e * (p->c[2] / 3 + e * p->c[3] / 4))) +
         t * (value(p, end) + t * slope(p, end) / 2);
}

/* a'(1) + 2 b'(1) + c'(1) = 0; only b has a point at 1. */
static const cubic functions[3] = {
  {{2, 3, 0.5, 0.3}, 0.2, 2.2}, {{-0.4, 0.7, -0.2, 0.1}, 0.1, 3}, {{-1.2, 1.5, 0.3, -0.1}, 0.3, 1.9}};

static void add_row(char *text, char name, double x, double v, double s)
{
  const size_t n = strlen(text);
  snprintf(text + n, TEXT_SIZE - n, "%c,%.17g,%.17g,%.17g\n", name, x, v, s);
}

/* The table of `functions`, with unevenly spaced points. */
static void write_table(char *text)
{
  static const double inner[3][4] = {{0.45, 0.9, 1.3, 1.31}, {0.5, 1, 1.6, 2}, {0.6, 0.99, 1.2, 1.5}};
  snprintf(text, TEXT_SIZE, "function,x,value,slope\n");
  for (int f = 2; f >= 0; f--) { // in any order
    const cubic *p = &functions[f];
    for (int i = -1; i <= 4; i++) {
      const double x = i < 0 ? p->low : i == 4 ? p->high : inner[f][i];
      add_row(text, (char)('a' + f), x, value(p, x), slope(p, x));
    }
  }
}

/* par of a text on all ranks, the same in all lanes. */
static void read_text(const char *text, double *rows)
{
  double *par;
  PetscCallAbort(PETSC_COMM_WORLD, PetscMalloc1(SPLINE_N_PAR, &par));
  PetscCallAbort(PETSC_COMM_WORLD, test_read_spline(PETSC_COMM_WORLD, text, par));
  for (int i = 0; i < SPLINE_N_PAR * WRING_LANES; i++) rows[i] = par[i / WRING_LANES];
  PetscCallAbort(PETSC_COMM_WORLD, PetscFree(par));
}

/* psi and psi_0 at diag(s). */
static void check_at(const double *rows, const double s[3])
{
  WRING_ALIGNED double z[9][WRING_LANES] = {{0}}, p[9][WRING_LANES], psi[WRING_LANES];
  const cubic *const a = &functions[0], *const b = &functions[1], *const c = &functions[2];
  const double J      = s[0] * s[1] * s[2];
  double       energy = integral(c, J), stress = derivative(a, s[0]) + s[1] * s[2] * derivative(c, J);
  for (int lane = 0; lane < WRING_LANES; lane++) {
    for (int i = 0; i < 3; i++) z[4 * i][lane] = s[i];
  }
  for (int i = 0; i < 3; i++) energy += integral(a, s[i]) + integral(b, J / s[i]);
  stress += s[1] * derivative(b, s[0] * s[1]) + s[2] * derivative(b, s[0] * s[2]);
  wring_law_spline.fused(&wring_law_spline, (wring_in)rows, (wring_in)z, psi, p);
  const double size = 1 + fabs(energy) + fabs(stress);
  CHECK(fabs(psi[3] - energy) <= 1e-12 * size, "psi(%g, %g, %g) is %.15g, not %.15g", s[0], s[1], s[2], psi[3], energy);
  CHECK(fabs(p[0][3] - stress) <= 1e-12 * size, "P_11(%g, %g, %g) is %.15g, not %.15g", s[0], s[1], s[2], p[0][3],
        stress);
}

/*
  The Hessian is continuous where two stretches, or two products of stretches, are almost equal on opposite sides of a
  break.
*/
static void check_near_break(const double *rows, double x, double third)
{
  WRING_ALIGNED double z[9][WRING_LANES] = {{0}}, h[81][WRING_LANES];
  double               size              = 0;
  for (int lane = 0; lane < WRING_LANES; lane++) {
    const double apart = lane ? 1e-9 * pow(0.1, lane) : 0;
    z[0][lane] = x + apart, z[4][lane] = x - apart, z[8][lane] = third;
  }
  wring_law_spline.hessian(&wring_law_spline, WRING_FILTER_NONE, (wring_in)rows, (wring_in)z, h);
  for (int i = 0; i < 81; i++) size = fmax(size, fabs(h[i][0]));
  for (int i = 0; i < 81; i++) {
    for (int lane = 1; lane < WRING_LANES; lane++)
      CHECK(fabs(h[i][lane] - h[i][0]) <= 1e-8 * size, "at %g, lane %d: the Hessian's %d is %.15g, not %.15g", x, lane,
            i, h[i][lane], h[i][0]);
  }
}

static PetscErrorCode test_exact(void)
{
  uint64_t state = 3;
  char    *text;
  double  *rows;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(TEXT_SIZE, &text));
  PetscCall(wring_blocks_create((size_t)SPLINE_N_PAR * WRING_LANES, &rows));
  write_table(text);
  read_text(text, rows);
  for (int i = 0; i < 400; i++) {
    const double size = i % 4 == 0 ? 5 : i % 4 == 1 ? 0.01 : 0.6; // far outside, near rest, between
    double       s[3];
    for (int k = 0; k < 3; k++) s[k] = fabs(1 + size * test_random(&state));
    check_at(rows, s);
  }
  check_near_break(rows, 1.3, 1.1);
  check_near_break(rows, 1, 1);
  check_near_break(rows, 2, -0.25); // a product at a break of b
  check_near_break(rows, 2, 0.25);
  wring_blocks_destroy(&rows);
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Without slopes a parabola is reproduced in pieces whose ends both have two neighbours; a file with Windows line ends
  is read in the same way.
*/
static PetscErrorCode test_without_slopes(void)
{
  static const char *const texts[2] = {
    "function,x,value\na,0.2,-0.36\na,0.5,-0.375\na,1,0\na,1.25,0.375\na,1.5,0.875\na,2,2.25\na,2.5,4.125\n",
    "\xef\xbb\xbf"
    "function,x,value\r\na,0.2,-0.36\r\na, 0.5,-0.375\r\na,1,0\r\na,1.25,0.375\r\na,1.5 ,0.875\r\na,2,2.25\r\n\r\n\n"};
  WRING_ALIGNED double z[9][WRING_LANES] = {{0}}, p[9][WRING_LANES], psi[WRING_LANES];
  double              *rows;

  PetscFunctionBegin;
  PetscCall(wring_blocks_create((size_t)SPLINE_N_PAR * WRING_LANES, &rows));
  for (int i = 0; i < 2; i++) {
    read_text(texts[i], rows);
    for (double s = 0.5; s <= 1.5; s += 0.01) {
      const double e = s - 1, expected = e * 1.25 + e * e;
      for (int lane = 0; lane < WRING_LANES; lane++) z[0][lane] = s, z[4][lane] = z[8][lane] = 1;
      wring_law_spline.fused(&wring_law_spline, (wring_in)rows, (wring_in)z, psi, p);
      CHECK(fabs(p[0][0] - expected) <= 1e-12, "a'(%g) is %.15g, not %.15g", s, p[0][0], expected);
    }
  }
  wring_blocks_destroy(&rows);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static PetscErrorCode read_bad(const char *text)
{
  double *par;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(SPLINE_N_PAR, &par));
  const PetscErrorCode code = test_read_spline(PETSC_COMM_WORLD, text, par);
  PetscCall(PetscFree(par));
  PetscFunctionReturn(code);
}

static PetscErrorCode test_refusals(void)
{
  static const char *const bad[][3] = {
    {"", ":1: the header is \"\"", "function,x,value[,slope]"},
    {"function,x\n", ":1: the header", "expected"},
    {"x,function,value\na,1,2\n", ":1: the header is \"x,function,value\"", ""},
    {"function,x,value\n", "no points", ""},
    {"function,x,value\na,1,0\n", ":2: function a has one point", "at least two"},
    {"function,x,value\na,0,-1\na,2,1\nb,1,0\n", ":4: function b has one point", ""},
    {"function,x,value\na,0,-1\na,1,0\na,0.5,1\n", ":4: x of function a is 0.5 after 1 in line 3", "increasing"},
    {"function,x,value\na,0,-1\na,1,0\na,1,0\n", ":4: x of function a is 1 after 1", "increasing"},
    {"function,x,value\na,0,-1\nc,1,0\na,-1,0\n", ":4: x of function a is -1 after 0 in line 2", ""},
    {"function,x,value\nd,0,-1\n", ":2: function is 'd'", "a, b or c"},
    {"function,x,value\nab,0,-1\n", ":2: function is 'ab'", ""},
    {"function,x,value\n,0,-1\n", ":2: function is ''", ""},
    {"function,x,value\na,0,-1,2\n", ":2: too many columns", ""},
    {"function,x,value\na,0\n", ":2: no value", "expected function,x,value"},
    {"function,x,value,slope\na,0,1\n", ":2: no slope", "slope"},
    {"function,x,value\na,zero,1\n", ":2: x is 'zero'", "finite number"},
    {"function,x,value\na,0,nan\n", ":2: value is 'nan'", "finite number"},
    {"function,x,value\na,0,1e999\n", ":2: value is '1e999'", "finite number"},
    {"function,x,value\na,0,\n", ":2: value is ''", "finite number"},
    {"function,x,value\na,0,1 2\n", ":2: value is '1 2'", ""},
    {"# a spline\nfunction,x,value\n\na,0,-1\n # b\na,two,1\n", ":6: x is 'two'", ""},
    {"function,x,value\na,0,-1\na,2,1.1\n", "the stress at rest", "is 0.05 Pa"},
    {"function,x,value\na,0,1\na,2,-1\n", "the shear modulus at rest is -0.5 Pa", ""},
    {"function,x,value\nc,0,-1\nc,2,1\n", "the shear modulus at rest is 0 Pa", ""},
    {"function,x,value\na,0,-1\na,2,1\nc,0,0.9\nc,2,-0.9\n", "the bulk modulus -0.5", ""},
    {"function,x,value\na,0.5,-1\na,1,0\na,1.2,1\na,1.4,0.5\n", "falls from 1 Pa at s = 1.2 to 0.5 Pa at 1.4",
     "increases"},
    {"function,x,value\na,0.5,-1\na,0.7,-2\na,1,0\na,1.2,1\n", "falls from -1 Pa at s = 0.5", ""},
  };
  char *text;

  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) CHECK_REFUSED(read_bad(bad[i][0]), bad[i][1], bad[i][2]);
  PetscCall(PetscMalloc1(TEXT_SIZE, &text));
  for (int n = 64; n <= 65; n++) { // the largest number of points, and one more
    snprintf(text, TEXT_SIZE, "function,x,value,slope\n");
    for (int i = 0; i < n; i++) add_row(text, 'a', 0.5 + 0.03125 * i, 0.03125 * (i - 16), 1);
    if (n == 64) PetscCall(read_bad(text));
    if (n == 65) CHECK_REFUSED(read_bad(text), ":66: function a has more than 64 points", "");
  }
  memset(text, 'a', 1000);
  snprintf(text + 1000, TEXT_SIZE - 1000, "\n");
  CHECK_REFUSED(read_bad(text), ":1: a line of more than", "characters");
  PetscCall(PetscFree(text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(test_exact());
  PetscCall(test_without_slopes());
  PetscCall(test_refusals());
  PetscCall(PetscFinalize());
  return 0;
}
