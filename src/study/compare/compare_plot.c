#define _POSIX_C_SOURCE 200809L // fork, dup2, waitpid
#include "compare.h"
#include <fcntl.h>
#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what all scripts share -------------------------------------------------------------------------------------- */

/* A text of gnuplot's, in which '' stands for a quote. */
void wring_plot_quote(FILE *f, const char *text)
{
  putc('\'', f);
  for (; *text; text++) {
    if (*text == '\'') putc('\'', f);
    putc(*text, f);
  }
  putc('\'', f);
}

/* Eight colours, then the same with other dashes. */
void wring_plot_style(FILE *f, PetscInt i)
{
  static const char *const colour[] = {"1f77b4", "d62728", "2ca02c", "9467bd", "ff7f0e", "17becf", "8c564b", "e377c2"};
  fprintf(f, "lc rgb '#%s' dt %d", colour[i % 8], (int)(i / 8 % 5) + 1);
}

void wring_plot_head(FILE *f, const char *name, int width, int height)
{
  fprintf(f, "# gnuplot %s.gp, in this directory, makes %s.png\n", name, name);
  fprintf(f, "if (!exists('png')) png = '%s.png'\n", name);
  fprintf(f, "set terminal pngcairo noenhanced size %d,%d\nset output png\n", width, height);
  fprintf(f, "set datafile separator ','\nset datafile missing NaN\nset grid\n");
}

void wring_plot_panels(FILE *f, int n)
{
  fprintf(f,
          "set key at screen 0.995, 0.95 right top\nset multiplot layout 1,%d margins %g,0.84,0.12,0.92 spacing %g\n",
          n, 0.14 / (n + 1) + 0.02, 0.14 / (n + 1) + 0.02);
}

/* In a child of its own, so that names of directories need no quoting; whether gnuplot is there and succeeded. */
static PetscBool run_gnuplot(const char *directory, const char *name)
{
  char      script[64], output[96];
  int       status;
  const int child = fork();
  if (child < 0) return PETSC_FALSE;
  if (child == 0) {
    const int null = open("/dev/null", O_WRONLY);
    snprintf(script, sizeof script, "%s.gp", name);
    snprintf(output, sizeof output, "png = '%s.png.part'", name);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    if (chdir(directory) == 0) execlp("gnuplot", "gnuplot", "-e", output, script, (char *)NULL);
    _exit(127);
  }
  return (PetscBool)(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

PetscBool wring_plot_run(const char *directory, const char *name)
{
  char        path[PETSC_MAX_PATH_LEN + 32];
  wring_error failed = {0};
  if (!run_gnuplot(directory, name)) wring_error_set(&failed, "gnuplot failed");
  snprintf(path, sizeof path, "%s/%s.png", directory, name);
  wring_file_finish(path, &failed);
  return (PetscBool)!failed.text[0];
}

PetscErrorCode wring_plot_note(void)
{
  PetscFunctionBegin;
  PetscCall(wring_note(PETSC_COMM_SELF,
                       "no pictures were made: gnuplot is missing or failed; it makes them from the .gp files"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- compare.png ------------------------------------------------------------------------------------------------- */

/* A curve a solver: column y of compare.csv over column x where `shown`, a condition, holds. */
static void print_curves(FILE *f, const wring_comparison *c, int x, int y, const char *shown)
{
  for (PetscInt s = 0; s < c->n; s++) {
    fprintf(f, "%s \\\n  'compare.csv' using (strcol(1) eq ", s ? "," : "");
    wring_plot_quote(f, c->curve[s].name);
    fprintf(f, "%s ? $%d : NaN):%d with lines lw 2 ", shown, x, y);
    wring_plot_style(f, s);
    fprintf(f, " title ");
    wring_plot_quote(f, c->curve[s].name);
  }
}

/* Relative errors over iterations and over seconds; zeros have no place on a log scale. */
static void write_errors(const wring_comparison *c, const char *path, wring_error *e)
{
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  wring_plot_head(f, "compare", 1500, 600);
  fprintf(f, "set logscale y\nset format y '%%.0e'\nset yrange [1e-17<*:*<10]\n");
  fprintf(f, "set ylabel '(g(x_k) - g*) / (g(x_0) - g*)'\n");
  wring_plot_panels(f, 2);
  fprintf(f, "set xlabel 'iteration'\nplot");
  print_curves(f, c, 2, 8, " && $8 > 0");
  fprintf(f, "\nunset key\nunset ylabel\nset logscale x\nset format x '%%g'\nset xlabel 'seconds'\nplot");
  print_curves(f, c, 3, 8, " && $8 > 0 && $2 > 0");
  fprintf(f, "\nunset multiplot\n");
  wring_file_commit(f, path, e);
}

/* ---- compare_parts.png ------------------------------------------------------------------------------------------- */

/* One panel: an energy over iterations, and its value at the minimiser. What lies above `most` is cut off. */
static void print_part(FILE *f, const wring_comparison *c, int column, const char *label, double least, double most)
{
  fprintf(f, "set title '%s'\nset yrange [*:*<%.17g]\nplot", label, most);
  print_curves(f, c, 2, column, "");
  fprintf(f, ", \\\n  %.17g with lines lc rgb 'black' dt 2 title 'minimiser'\n", least);
}

/* Objective, elastic and inertial part over iterations, as in figures 3.4, 3.5, 3.8 and 3.9 of the thesis. */
static void write_parts(const wring_comparison *c, const char *path, wring_error *e)
{
  const double most = 1.25 * fabs(c->start.objective), inertial = 3 * c->least.inertial;
  FILE *const  f = wring_file_create(path, e);
  if (!f) return;
  wring_plot_head(f, "compare_parts", 1800, 600);
  fprintf(f, "set format y '%%.1e'\nset xlabel 'iteration'\n");
  wring_plot_panels(f, 3);
  print_part(f, c, 4, "objective g [J]", c->least.objective, most);
  fprintf(f, "unset key\n");
  print_part(f, c, 6, "elastic part [J]", c->least.elastic, most);
  print_part(f, c, 5, "inertial part [J]", c->least.inertial, inertial > 0 ? inertial : most);
  fprintf(f, "unset multiplot\n");
  wring_file_commit(f, path, e);
}

PetscBool wring_comparison_plot(const wring_comparison *c, const char *directory, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  snprintf(path, sizeof path, "%s/compare.gp", directory);
  write_errors(c, path, e);
  snprintf(path, sizeof path, "%s/compare_parts.gp", directory);
  write_parts(c, path, e);
  if (e->text[0]) return PETSC_TRUE; // no picture is missed then
  return (PetscBool)(wring_plot_run(directory, "compare") && wring_plot_run(directory, "compare_parts"));
}
