#define _POSIX_C_SOURCE 200809L // fork, dup2, waitpid
#include "gnuplot.h"
#include "io/file.h"
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

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
