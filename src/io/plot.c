#define _POSIX_C_SOURCE 200809L // fork, dup2, strdup, waitpid, sigprocmask
#include "plot.h"
#include "file.h"
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A gnuplot string, in which '' is a quote. */
void wring_plot_quote(FILE *f, const char *text)
{
  putc('\'', f);
  for (; *text; text++) {
    if (*text == '\'') putc('\'', f);
    putc(*text, f);
  }
  putc('\'', f);
}

/* Eight colours, which are repeated with other dashes. */
void wring_plot_line(FILE *f, const char *with, PetscInt i, const char *title)
{
  static const char *const colour[] = {"1f77b4", "d62728", "2ca02c", "9467bd", "ff7f0e", "17becf", "8c564b", "e377c2"};
  fprintf(f, " with %s lc rgb '#%s' dt %d %stitle", with, colour[i % 8], (int)(i / 8 % 5) + 1, title ? "" : "no");
  if (!title) return;
  putc(' ', f);
  wring_plot_quote(f, title);
}

FILE *wring_plot_begin(const char *directory, const char *name, int width, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  snprintf(path, sizeof path, "%s/%s.gp", directory, name);
  FILE *const f = wring_file_create(path, e);
  if (!f) return NULL;
  fprintf(f, "# gnuplot %s.gp, in this directory, makes %s.png\n", name, name);
  fprintf(f, "if (!exists('png')) png = '%s.png'\n", name);
  fprintf(f, "set terminal pngcairo noenhanced size %d,600\nset output png\n", width);
  fprintf(f, "set datafile separator ','\nset datafile missing NaN\nset grid\n");
  return f;
}

void wring_plot_panels(FILE *f, int n)
{
  fprintf(f,
          "set key at screen 0.995, 0.95 right top\nset multiplot layout 1,%d margins %g,0.84,0.12,0.92 spacing %g\n",
          n, 0.14 / (n + 1) + 0.02, 0.14 / (n + 1) + 0.02);
}

void wring_plot_end(FILE *f, const char *directory, const char *name, wring_pictures *p, wring_error *e)
{
  char path[PETSC_MAX_PATH_LEN + 32];
  snprintf(path, sizeof path, "%s/%s.gp", directory, name);
  fprintf(f, "unset multiplot\n");
  wring_file_commit(f, path, e);
  char **const list = wring_failed(e) ? NULL : realloc(p->script, (size_t)(p->n + 1) * sizeof *list);
  if (!list) return;
  p->script                          = list;
  path[strlen(path) - strlen(".gp")] = '\0';
  list[p->n]                         = strdup(path);
  if (list[p->n]) p->n++;
}

/* The child: gnuplot in the directory of the script, so that no name needs quoting. */
static void execute(char *path)
{
  char *const slash = strrchr(path, '/'), *const name = slash + 1;
  char      script[64], output[96];
  sigset_t  none;
  const int null = open("/dev/null", O_WRONLY);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL); // signals that this program blocks may end gnuplot
  snprintf(script, sizeof script, "%s.gp", name);
  snprintf(output, sizeof output, "png = '%s.png.part'", name);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  *slash = '\0';
  if (chdir(path) == 0) execlp("gnuplot", "gnuplot", "-e", output, script, (char *)NULL);
  _exit(127);
}

/* Whether NAME.png is complete. */
static PetscBool draw(char *path)
{
  char        file[PETSC_MAX_PATH_LEN + 32];
  wring_error failed = {0};
  int         status;
  const int   child = fork();
  if (child == 0) execute(path);
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    wring_error_set(&failed, "gnuplot failed");
  snprintf(file, sizeof file, "%s.png", path);
  wring_file_finish(file, &failed);
  return (PetscBool)!wring_failed(&failed);
}

/* Stops at the first failure: gnuplot is missing or broken. */
void wring_plot_draw(wring_pictures *p, PetscBool draws)
{
  fflush(NULL);
  for (int i = 0; i < p->n; i++) {
    char *const path = p->script[i], *const name = strrchr(path, '/') + 1;
    if (draws && !draw(path)) {
      draws = PETSC_FALSE;
      fprintf(stderr, "note: gnuplot is missing or failed: `cd '%.*s' && gnuplot %s.gp` makes %s.png\n",
              (int)(name - path - 1), path, name, name);
    }
    free(path);
  }
  free(p->script);
  *p = (wring_pictures){0};
}
