/* sweep.gp: the error at the end over each axis. */
#include "base/text.h"
#include "compare_grid.h"
#include "study/common/pictures.h"
#include <math.h>

static const double LEAST = 1e-16; // smaller errors are rounding, and drawn there

/* Where value i of an axis stands; words at 0, 1, 2, ... */
static double place(const wring_axis *a, PetscInt i)
{
  double v = (double)i;
  if (a->number) (void)wring_text_real(a->value[i], &v);
  return v;
}

/* Range and ticks; a log scale where positive numbers span a decade. */
static void print_scale(FILE *f, const wring_axis *a)
{
  double least = INFINITY, most = -INFINITY;
  for (PetscInt i = 0; i < a->n; i++) {
    least = PetscMin(least, place(a, i));
    most  = PetscMax(most, place(a, i));
  }
  const PetscBool logarithmic = (PetscBool)(least > 0 && most >= 10 * least);
  const double    margin      = most > least ? 0.05 * (most - least) : 0.5;
  fprintf(f, logarithmic ? "set logscale x\n" : "unset logscale x\n");
  fprintf(f, "set format x '%%g'\nset xrange [%.17g:%.17g]\nset xtics ", logarithmic ? least / 1.3 : least - margin,
          logarithmic ? most * 1.3 : most + margin);
  for (PetscInt i = 0; i < a->n && !a->number; i++) {
    fputs(i ? ", " : "(", f);
    wring_plot_quote(f, a->value[i]);
    fprintf(f, " %" PetscInt_FMT, i);
  }
  fputs(a->number ? "autofreq\n" : ")\n", f);
}

/* The data blocks of the lines over axis k: of each solver one for each combination of the other keys. */
static void print_blocks(FILE *f, const wring_parameter_grid *s, int k)
{
  const PetscInt n     = s->axis[k].n;
  PetscInt       block = 0, stride = 1; // from a value of axis k to the next
  for (int j = s->n_axis - 1; j > k; j--) stride *= s->axis[j].n;
  for (PetscInt line = 0; line < s->run[0].n * s->n_run; line++) {
    const PetscInt solver = line / s->n_run, first = line % s->n_run;
    if (first / stride % n != 0) continue; // another value than the first
    fprintf(f, "$curve_%d_%" PetscInt_FMT " << END\n", k, block++);
    for (PetscInt i = 0; i < n; i++) {
      const wring_comparison *const c     = &s->run[first + i * stride];
      const double                  error = wring_parameter_grid_error(c, &c->history[solver], -1);
      if (isfinite(error)) fprintf(f, "%.17g %.17g\n", place(&s->axis[k], i), PetscMax(error, LEAST));
    }
    fprintf(f, "1e999 1e999\nEND\n"); // gnuplot refuses a block without a point; this one lies outside
  }
}

/* The error over axis k, one colour a solver, one line for each combination of the other keys. */
static void print_panel(FILE *f, const wring_parameter_grid *s, int k)
{
  const PetscInt others = s->n_run / s->axis[k].n;
  print_scale(f, &s->axis[k]);
  fprintf(f, "set xlabel ");
  wring_plot_quote(f, s->axis[k].key);
  fprintf(f, "\nplot");
  for (PetscInt b = 0; b < s->run[0].n * others; b++) {
    fprintf(f, "%s \\\n  $curve_%d_%" PetscInt_FMT " with linespoints lw 2 pt %d ", b ? "," : "", k, b,
            (int)(b % others) + 1);
    wring_plot_style(f, b / others);
    fprintf(f, b % others ? " notitle" : " title ");
    if (b % others == 0) wring_plot_quote(f, s->run[0].history[b / others].name);
  }
  fprintf(f, "\n");
}

void wring_parameter_grid_plot(const wring_parameter_grid *s, wring_ending *end, wring_error *e)
{
  FILE *const f = wring_plot_begin(s->directory, "sweep", 300 + 600 * s->n_axis, 600, e);
  if (!f) return;
  fprintf(f, "set datafile separator whitespace\n");
  for (int k = 0; k < s->n_axis; k++) print_blocks(f, s, k);
  fprintf(f, "set logscale y\nset format y '%%.0e'\nset yrange [1e-17<*:*<10]\n");
  fprintf(f, "set ylabel 'relative error at the end'\n");
  wring_plot_panels(f, s->n_axis);
  for (int k = 0; k < s->n_axis; k++) {
    print_panel(f, s, k);
    fprintf(f, "unset key\nunset ylabel\n");
  }
  wring_plot_end(f, s->directory, "sweep", end, e);
}
