/* converge.gp, the script of converge.png: differences or errors over the size, with slope triangles; iterations. */
#include "converge.h"
#include "io/plot.h"
#include <math.h>

/* Over elements' sizes, or over time steps. */
static double abscissa(const wring_converge *c, int k)
{
  return c->in_mesh ? wring_level_size(c, k) : c->level[k].step;
}

static double scale(const wring_converge *c, const wring_quantity *q)
{
  const double finest = fabs(q->at[c->n - 1][WRING_OF_VALUE]);
  return finest > 0 ? finest : 1;
}

/* What a point shows: the error from a table, or the difference from the level before, over the finest value. */
static double ordinate(const wring_converge *c, const wring_quantity *q, int k)
{
  return fabs(q->at[k][q->exact ? WRING_OF_ERROR : WRING_OF_DIFFERENCE]) / scale(c, q);
}

enum { MAX_LINES = 6 };

/* The quantities with the largest last points, without those of round-off alone. */
static PetscBool is_shown(const wring_converge *c, const wring_quantity *q)
{
  const int k      = c->n - 1;
  int       before = 0;
  for (int i = 0; i < c->n_quantity; i++) {
    const wring_quantity *const other = &c->quantity[i];
    const double                mine = ordinate(c, q, k), theirs = ordinate(c, other, k);
    before += !other->noise && (theirs > mine || (theirs == mine && other < q));
  }
  return (PetscBool)(!q->noise && before < MAX_LINES);
}

/* ---- slope triangles --------------------------------------------------------------------------------------------- */

/*
  Triangles of the orders 1 and 2 of linear elements and time steps, each below the last two points of the lowest line
  that is near it.
*/
static void print_triangles(FILE *f, const wring_converge *c)
{
  const int    k  = c->n - 1;
  const double x0 = abscissa(c, k) * 1.08, x1 = abscissa(c, k - 1) / 1.08;
  for (int slope = 1; slope <= 2; slope++) {
    const wring_quantity *lowest = NULL;
    for (int i = 0; i < c->n_quantity; i++) {
      const wring_quantity *const q = &c->quantity[i];
      if (isnan(q->at[k][WRING_OF_ORDER]) || lround(q->at[k][WRING_OF_ORDER]) != slope) continue;
      if (!lowest || ordinate(c, q, k) < ordinate(c, lowest, k)) lowest = q;
    }
    if (!lowest) continue;
    const double y = 0.6 * ordinate(c, lowest, k), y1 = y * pow(x1 / x0, slope);
    fprintf(f, "set object %d polygon from %.6g,%.6g to %.6g,%.6g to %.6g,%.6g to %.6g,%.6g", slope, x0, y, x1, y, x1,
            y1, x0, y);
    fprintf(f, " fs empty border lc 'gray30'\nset label %d '%d' at %.6g,%.6g left offset 0.5,0 tc 'gray30'\n", slope,
            slope, x1, y * pow(x1 / x0, slope / 2.0));
  }
}

/* ---- panels ------------------------------------------------------------------------------------------------------ */

static void print_lines(FILE *f, const wring_converge *c)
{
  int shown = 0;
  for (int i = 0; i < c->n_quantity; i++) {
    const wring_quantity *const q = &c->quantity[i];
    if (!is_shown(c, q)) continue;
    fprintf(f, "%s \\\n  'converge.csv' using (strcol(1) eq ", shown++ ? "," : "");
    wring_plot_quote(f, q->name);
    fprintf(f, " ? $%d : NaN):(abs($%d)/%.17g)", c->in_mesh ? 4 : 5, q->exact ? 14 : 13, scale(c, q));
    wring_plot_line(f, "linespoints lw 2 pt 7", i, q->name);
  }
  fputc('\n', f);
}

void wring_converge_plot(const wring_converge *c, wring_ending *end, wring_error *e)
{
  PetscBool any = PETSC_FALSE;
  for (int i = 0; i < c->n_quantity; i++) any = (PetscBool)(any || is_shown(c, &c->quantity[i]));
  if (!any) return; // all levels are equal
  FILE *const f = wring_plot_begin(c->output.directory, "converge", 1500, e);
  if (!f) return;
  wring_plot_panels(f, 2);
  fprintf(f, "set logscale xy\nset format y '%%.0e'\nset format x '%%g'\n");
  fprintf(f, "set xlabel '%s'\n", c->in_mesh ? "(volume / tetrahedra)^(1/3) [m]" : "time step [s]");
  fprintf(f, "set ylabel '%s, over the finest value'\n",
          c->table[0] ? "error, or difference from the level before" : "difference from the level before");
  print_triangles(f, c);
  fprintf(f, "plot");
  print_lines(f, c);
  fprintf(f, "unset object\nunset label\nunset key\nunset logscale y\nset format y '%%g'\nset yrange [0:*]\nset "
             "offsets 0,0,graph 0.1,0\n");
  fprintf(f,
          "set ylabel 'iterations a step'\nplot 'converge.csv' using (strcol(1) eq 'displacement_L2' ? $%d : "
          "NaN):($9/$6) with linespoints lw 2 pt 7\n",
          c->in_mesh ? 4 : 5);
  wring_plot_end(f, c->output.directory, "converge", &end->pictures, e);
}
