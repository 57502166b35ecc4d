/*
  Reads and checks the file of law spline and computes the pieces. Every rank parses the same text, so that all ranks
  find the same error. docs/theory.md (3.21) to (3.27)
*/
#include "spline.h"
#include "base/text.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 48, LINE_SIZE = 512 };

static const double rest_tolerance = 1e-8; // relative to the terms of the stress at rest

typedef struct {
  int    n;
  double x[SPLINE_POINTS], value[SPLINE_POINTS], slope[SPLINE_POINTS];
  int    last_line;
} table;

typedef struct {
  const char *file, *at; // the rest of the text
  int         line;
  PetscBool   has_slope;
  table       table[SPLINE_FUNCTIONS];
  wring_error e;
} reader;

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/*
  The next line that is neither blank nor a comment, which begins with #, without its line end and surrounding blanks,
  or NULL at the end of the text.
*/
static const char *next_line(reader *r, char line[LINE_SIZE])
{
  const char *begin, *end;
  do {
    if (!*r->at) return NULL;
    begin = r->at;
    end   = begin + strcspn(begin, "\n");
    r->at = end + (*end == '\n');
    r->line++;
    while (begin < end && wring_text_is_space(*begin)) begin++;
    while (end > begin && wring_text_is_space(end[-1])) end--;
  } while (begin == end || *begin == '#');
  if (end - begin >= LINE_SIZE)
    wring_error_set(&r->e, "%s:%d: a line of more than %d characters", r->file, r->line, LINE_SIZE - 1);
  snprintf(line, LINE_SIZE, "%.*s", (int)PetscMin(end - begin, LINE_SIZE - 1), begin);
  for (char *c = line; *c; c++) *c = wring_text_is_control(*c) ? '?' : *c;
  return line;
}

static void read_header(reader *r)
{
  static const char mark[]          = "\xef\xbb\xbf"; // the byte order mark that spreadsheets put before UTF-8
  char              line[LINE_SIZE] = "";
  if (!strncmp(r->at, mark, 3)) r->at += 3;
  next_line(r, line);
  r->has_slope = (PetscBool)!strcmp(line, "function,x,value,slope");
  if (!r->has_slope && strcmp(line, "function,x,value") != 0)
    wring_error_set(&r->e, "%s:%d: the header is \"%.*s\", expected \"function,x,value[,slope]\"", r->file,
                    PetscMax(r->line, 1), SHOWN, line);
}

/* The number between `at` and a comma or the end of the line; *next points after the comma, or is NULL at the end. */
static double read_number(reader *r, const char *column, const char *at, const char **next)
{
  const int   length = at ? (int)strcspn(at, ",") : 0;
  const char *end    = at;
  double      v      = 0;
  *next              = at && at[length] ? at + length + 1 : NULL;
  if (!at)
    wring_error_set(&r->e, "%s:%d: no %s, expected function,x,value%s", r->file, r->line, column,
                    r->has_slope ? ",slope" : "");
  while (end && wring_text_is_space(*end)) end++;
  if (end) end = wring_text_real(end, &v);
  while (end && wring_text_is_space(*end)) end++;
  if (at && (length == 0 || end != at + length || !isfinite(v)))
    wring_error_set(&r->e, "%s:%d: %s is '%.*s', expected a finite number", r->file, r->line, column,
                    PetscMin(length, SHOWN), at);
  return v;
}

static void add_point(reader *r, int function, double x, double value, double slope)
{
  table *const t    = &r->table[function];
  const char   name = (char)('a' + function);
  if (t->n > 0 && x <= t->x[t->n - 1])
    wring_error_set(&r->e, "%s:%d: x of function %c is %.12g after %.12g in line %d, expected increasing values",
                    r->file, r->line, name, x, t->x[t->n - 1], t->last_line);
  if (t->n == SPLINE_POINTS)
    wring_error_set(&r->e, "%s:%d: function %c has more than %d points", r->file, r->line, name, SPLINE_POINTS);
  if (wring_failed(&r->e)) return;
  t->x[t->n] = x, t->value[t->n] = value, t->slope[t->n] = slope;
  t->n++;
  t->last_line = r->line;
}

static void read_row(reader *r, const char *line)
{
  const int   length = (int)strcspn(line, ",");
  const char *next   = line[length] ? line + length + 1 : NULL;
  if (length != 1 || !strchr("abc", line[0]))
    wring_error_set(&r->e, "%s:%d: function is '%.*s', expected a, b or c", r->file, r->line, PetscMin(length, SHOWN),
                    line);
  const double x = read_number(r, "x", next, &next), value = read_number(r, "value", next, &next);
  const double slope = r->has_slope ? read_number(r, "slope", next, &next) : 0;
  if (next)
    wring_error_set(&r->e, "%s:%d: too many columns, expected function,x,value%s", r->file, r->line,
                    r->has_slope ? ",slope" : "");
  if (!wring_failed(&r->e)) add_point(r, line[0] - 'a', x, value, slope);
}

static void read_rows(reader *r)
{
  char line[LINE_SIZE];
  int  points = 0;
  while (!wring_failed(&r->e) && next_line(r, line)) read_row(r, line);
  for (int f = 0; f < SPLINE_FUNCTIONS; f++) {
    points += r->table[f].n;
    if (r->table[f].n == 1)
      wring_error_set(&r->e, "%s:%d: function %c has one point, expected at least two, or none", r->file,
                      r->table[f].last_line, 'a' + f);
  }
  if (points == 0)
    wring_error_set(&r->e, "%s: no points, expected rows function,x,value%s", r->file, r->has_slope ? ",slope" : "");
}

/* ---- pieces ------------------------------------------------------------------------------------------------------ */

/*
  Catmull-Rom slopes for unevenly spaced points: of the parabola through three points; at the ends, of the line to the
  next point.
*/
static void find_slopes(table *t)
{
  for (int i = 0; i < t->n; i++) {
    const int    left = PetscMax(i - 1, 0), right = PetscMin(i + 1, t->n - 1);
    const double hl = t->x[i] - t->x[left], hr = t->x[right] - t->x[i];
    const double dl = i > left ? (t->value[i] - t->value[left]) / hl : 0;
    const double dr = right > i ? (t->value[right] - t->value[i]) / hr : 0;
    t->slope[i]     = left == i ? dr : right == i ? dl : (hr * dl + hl * dr) / (hl + hr);
  }
}

/* y + m t + c t^2 + d t^3 */
typedef struct {
  long double y, m, c, d;
} cubic;

static cubic shifted(cubic p, long double by)
{
  return (cubic){p.y + by * (p.m + by * (p.c + by * p.d)), p.m + by * (2 * p.c + by * 3 * p.d), p.c + by * 3 * p.d,
                 p.d};
}

static long double integral(cubic p, long double t)
{
  return t * (p.y + t * (p.m / 2 + t * (p.c / 3 + t * p.d / 4)));
}

/*
  The table's interpolant on the piece that contains `at`, as a cubic in s - base: Hermite's between points, otherwise a
  line.
*/
static cubic interpolant(const table *t, long double at, long double base)
{
  int i = 0;
  if (t->n == 0) return (cubic){0, 0, 0, 0};
  if (at <= t->x[0] || at >= t->x[t->n - 1]) {
    i = at <= t->x[0] ? 0 : t->n - 1;
    return shifted((cubic){t->value[i], t->slope[i], 0, 0}, base - t->x[i]);
  }
  while (at > t->x[i + 1]) i++;
  const long double h = (long double)t->x[i + 1] - t->x[i], secant = ((long double)t->value[i + 1] - t->value[i]) / h;
  const long double m0 = t->slope[i], m1 = t->slope[i + 1];
  const cubic       p = {t->value[i], m0, (3 * secant - 2 * m0 - m1) / h, (m0 + m1 - 2 * secant) / (h * h)};
  return shifted(p, base - t->x[i]);
}

/* The points of the table and 1, sorted: breaks 1 to *n. */
static void find_breaks(const table *t, int *n, double breaks[SPLINE_BREAKS + 1])
{
  PetscBool has_rest = PETSC_FALSE;
  *n                 = 0;
  for (int i = 0; i < t->n; i++) {
    if (!has_rest && t->x[i] >= 1) {
      if (t->x[i] > 1) breaks[++*n] = 1;
      has_rest = PETSC_TRUE;
    }
    breaks[++*n] = t->x[i];
  }
  if (!has_rest) breaks[++*n] = 1;
}

static void store_piece(double *par, int function, int p, double base, cubic q, long double from)
{
  par[spline_piece_row(function, PIECE_BASE) + p]     = base;
  par[spline_piece_row(function, PIECE_Y) + p]        = base == 1 ? 0 : (double)q.y;
  par[spline_piece_row(function, PIECE_M) + p]        = (double)q.m;
  par[spline_piece_row(function, PIECE_C) + p]        = (double)q.c;
  par[spline_piece_row(function, PIECE_D) + p]        = (double)q.d;
  par[spline_piece_row(function, PIECE_INTEGRAL) + p] = (double)from;
}

/* The pieces of one function, from 1 outwards, and its interpolant at 1. */
static void make_pieces(const table *t, int function, double *par, cubic *rest)
{
  double breaks[SPLINE_BREAKS + 1];
  int    n, first = 1;

  *rest = interpolant(t, 1, 1);
  for (int p = 0; p <= SPLINE_BREAKS; p++) breaks[p] = NAN;
  find_breaks(t, &n, breaks);
  memcpy(par + spline_break_row(function), breaks + 1, SPLINE_BREAKS * sizeof breaks[0]);
  par[SPLINE_COUNT + function] = n;
  while (breaks[first] < 1) first++; // break `first` is 1
  for (int side = 0; side < 2; side++) {
    long double from = 0;
    for (int p = side ? first : first - 1; side ? p <= n : p >= 0; p += side ? 1 : -1) {
      const int         near = side ? p : p + 1, far = side ? p + 1 : p; // breaks; 0 and n + 1: none
      const PetscBool   open = (PetscBool)(far < 1 || far > n);
      const long double base = breaks[near], end = open ? base + (side ? 1 : -1) : breaks[far];
      cubic             q = interpolant(t, (base + end) / 2, base);
      q.y -= rest->y;
      store_piece(par, function, p, breaks[near], q, from);
      par[spline_piece_row(function, PIECE_LOWER) + p] = breaks[PetscMax(p, 1)];
      from += integral(q, end - base);
    }
  }
}

/* ---- the material ------------------------------------------------------------------------------------------------ */

/* A function's derivative minus its value at 1. */
static double evaluate(const double *par, int function, double s)
{
  const double *breaks = par + spline_break_row(function);
  int           p      = 0;
  while (p < par[SPLINE_COUNT + function] && s >= breaks[p]) p++;
  const double *piece = par + spline_piece_row(function, 0) + p;
  const double  t     = s - piece[PIECE_BASE * SPLINE_PIECES];
  return piece[PIECE_Y * SPLINE_PIECES] +
         t *
           (piece[PIECE_M * SPLINE_PIECES] + t * (piece[PIECE_C * SPLINE_PIECES] + t * piece[PIECE_D * SPLINE_PIECES]));
}

/* f(s) = a'(s) + 2 b'(s) + c'(s), the stress at s_1 = s, s_2 = s_3 = 1, which is 0 at rest. */
static double stress(const double *par, double s)
{
  return evaluate(par, SPLINE_A, s) + 2 * evaluate(par, SPLINE_B, s) + evaluate(par, SPLINE_C, s);
}

/* The next break of any function after s, at most `end`. */
static double next_break(const double *par, double s, double end)
{
  for (int f = 0; f < SPLINE_FUNCTIONS; f++) {
    for (int p = 0; p < par[SPLINE_COUNT + f]; p++) {
      const double at = par[spline_break_row(f) + p];
      if (at > s && at < end) end = at;
    }
  }
  return end;
}

/*
  k = 12 times the integral of (s - 1) f(s) over [1/2, 3/2], exact by three-point Gauss quadrature, since the integrand
  is of degree 4 between breaks.
*/
static double slope_of(const double *par)
{
  static const double node[3] = {-0.77459666924148338, 0, 0.77459666924148338}, weight[3] = {5. / 18, 8. / 18, 5. / 18};
  double              k = 0;
  for (double s = 0.5, end; s < 1.5; s = end) {
    end = next_break(par, s, 1.5);
    for (int i = 0; i < 3; i++) {
      const double at = 0.5 * (s + end) + 0.5 * (end - s) * node[i];
      k += 12 * (end - s) * weight[i] * (at - 1) * stress(par, at);
    }
  }
  return k;
}

/* Refuses a stress that decreases between breaks in [1/2, 3/2], the range that the slope is computed on. */
static PetscErrorCode check_increasing(const wring_options *o, const char *file, const double *par)
{
  PetscFunctionBegin;
  for (double s = 0.5, end; s < 1.5; s = end) {
    end               = next_break(par, s, 1.5);
    const double here = stress(par, s), there = stress(par, end);
    if (there < here - 1e-12 * (fabs(here) + fabs(there)))
      WRING_REFUSE(
        wring_options_comm(o),
        "%s: the stress f(s) = a'(s) + 2 b'(s) + c'(s) falls from %.6g Pa at s = %.6g to %.6g Pa at %.6g; expected one "
        "that increases on [1/2, 3/2]",
        file, here, s, there, end);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rest: a', b' and c' at 1. Rest must be free of stress and a minimum. docs/theory.md (3.27) */
static PetscErrorCode check_rest(const wring_options *o, const char *file, const cubic rest[SPLINE_FUNCTIONS])
{
  const cubic       a = rest[SPLINE_A], b = rest[SPLINE_B], c = rest[SPLINE_C];
  const long double residue = a.y + 2 * b.y + c.y, own = a.m + 2 * b.m + c.m, cross = b.y + b.m + c.y + c.m;
  const long double size  = fabsl(a.y) + 2 * fabsl(b.y) + fabsl(c.y) + fabsl(own);
  const double      shear = (double)(own - cross) / 2, bulk = (double)(own + 2 * cross) / 3;

  PetscFunctionBegin;
  if (fabsl(residue) > rest_tolerance * size)
    WRING_REFUSE(
      wring_options_comm(o),
      "%s: the stress at rest, a'(1) + 2 b'(1) + c'(1), is %.6g Pa (%.12g, %.12g and %.12g); expected 0 to 1e-8 of its "
      "terms",
      file, (double)residue, (double)a.y, (double)b.y, (double)c.y);
  if (!(shear > 0) || bulk < -rest_tolerance * (double)size)
    WRING_REFUSE(wring_options_comm(o),
                 "%s: the shear modulus at rest is %.6g Pa, the bulk modulus %.6g Pa; expected above 0 and at least 0",
                 file, shear, bulk);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_material(const wring_options *o, reader *r, double *par)
{
  cubic rest[SPLINE_FUNCTIONS];

  PetscFunctionBegin;
  for (int f = 0; f < SPLINE_FUNCTIONS; f++) {
    if (!r->has_slope) find_slopes(&r->table[f]);
    make_pieces(&r->table[f], f, par, &rest[f]);
  }
  PetscCall(check_rest(o, r->file, rest));
  PetscCall(check_increasing(o, r->file, par));
  par[SPLINE_PAIR]    = (double)(rest[SPLINE_B].y + rest[SPLINE_C].y);
  par[SPLINE_VOLUME]  = (double)rest[SPLINE_C].y;
  par[SPLINE_MODULUS] = slope_of(par);
  if (!(par[SPLINE_MODULUS] > 0))
    WRING_REFUSE(wring_options_comm(o), "%s: the slope rule's stiffness is %.6g Pa, expected above 0", r->file,
                 par[SPLINE_MODULUS]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_spline_read(const wring_options *o, const char *file, double *par)
{
  reader    *r;
  char      *text;
  PetscInt64 size;

  PetscFunctionBegin;
  PetscCall(wring_text_read(wring_options_comm(o), file, "table of a spline", 1, &text, &size));
  PetscCall(PetscNew(&r));
  r->file = file;
  r->at   = text;
  if (strlen(text) != (size_t)size) wring_error_set(&r->e, "%s: contains a zero byte, expected text", file);
  read_header(r);
  if (!wring_failed(&r->e)) read_rows(r);
  PetscCall(PetscFree(text));
  const wring_error e = r->e;
  if (!wring_failed(&e)) PetscCall(make_material(o, r, par));
  PetscCall(PetscFree(r));
  if (wring_failed(&e)) WRING_REFUSE(wring_options_comm(o), "%s", e.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}
