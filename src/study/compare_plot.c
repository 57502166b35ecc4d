#define _POSIX_C_SOURCE 200809L // fork, dup2, waitpid
#include "compare.h"
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A text of gnuplot's, in which '' stands for a quote. */
static void print_quoted(FILE *f, const char *text)
{
  putc('\'', f);
  for (; *text; text++) {
    if (*text == '\'') putc('\'', f);
    putc(*text, f);
  }
  putc('\'', f);
}

/* One panel: relative error over a column of compare.csv; zeros have no place on a log scale. */
static void print_panel(FILE *f, const wring_comparison *c, int column, const char *label)
{
  fprintf(f, "set xlabel '%s'\nplot", label);
  for (PetscInt s = 0; s < c->n; s++) {
    fprintf(f, "%s \\\n  'compare.csv' using (strcol(1) eq ", s ? "," : "");
    print_quoted(f, c->curve[s].name);
    fprintf(f, " && $8 > 0 ? $%d : NaN):8 with lines lw 2 title ", column);
    print_quoted(f, c->curve[s].name);
  }
  fprintf(f, "\n");
}

static void write_script(const wring_comparison *c, const char *path, wring_error *e)
{
  FILE *const f = wring_file_create(path, e);
  if (!f) return;
  fprintf(f, "# gnuplot compare.gp, in this directory, makes compare.png from compare.csv\n");
  fprintf(f, "set terminal pngcairo noenhanced size 1400,600\nset output 'compare.png'\n");
  fprintf(f, "set datafile separator ','\nset datafile missing NaN\nset logscale y\n");
  fprintf(f, "set format y '%%.0e'\nset grid\nset key top right\nset ylabel '(g(x_k) - g*) / (g(x_0) - g*)'\n");
  fprintf(f, "set multiplot layout 1,2\n");
  print_panel(f, c, 2, "iteration");
  fprintf(f, "unset ylabel\n");
  print_panel(f, c, 3, "seconds");
  fprintf(f, "unset multiplot\n");
  wring_file_commit(f, path, e);
}

/* In a child of its own, so that names of directories need no quoting; silent where there is no gnuplot. */
static void run_gnuplot(const char *directory)
{
  const pid_t child = fork();
  if (child < 0) return;
  if (child == 0) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    if (chdir(directory) == 0) execlp("gnuplot", "gnuplot", "compare.gp", (char *)NULL);
    _exit(127);
  }
  waitpid(child, NULL, 0);
}

void wring_comparison_plot(const wring_comparison *c, const char *directory, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  snprintf(path, sizeof path, "%s/compare.gp", directory);
  write_script(c, path, e);
  if (!e->text[0]) run_gnuplot(directory);
}
