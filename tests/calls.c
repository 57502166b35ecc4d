/*
  Calls of the program, each in a child of this process, which has loaded the libraries: loading takes half of the time
  of a short call.
  Standard input has the words of each call, each with a '\0' at its end: how many arguments, the folder, the seconds
  that it may take, the arguments. Its output is in the file log of the folder; its exit status, 124 beyond the time, is
  a line of standard output.
*/
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int wring_main(int argc, char **argv); // of src/main.c

static char *next_word(void)
{
  char  *word = NULL;
  size_t size = 0;
  return getdelim(&word, &size, '\0', stdin) > 0 ? word : NULL;
}

static void open_as(int descriptor, const char *name, int flags)
{
  const int file = open(name, flags, 0666);
  if (file < 0 || dup2(file, descriptor) < 0) _exit(125);
  close(file);
}

static int call(const char *folder, const char *seconds, int n, char **argument)
{
  setenv("OMP_WAIT_POLICY", "passive", 0); // the program would choose it by a second start
  if (chdir(folder)) _exit(125);
  open_as(STDIN_FILENO, "/dev/null", O_RDONLY);
  open_as(STDOUT_FILENO, "log", O_WRONLY | O_CREAT | O_TRUNC);
  dup2(STDOUT_FILENO, STDERR_FILENO);
  alarm((unsigned)atoi(seconds));
  return wring_main(n, argument);
}

int main(void)
{
  for (char *count = next_word(); count; count = next_word()) {
    const int   n        = atoi(count);
    char *const folder   = next_word();
    char *const seconds  = next_word();
    char      **argument = calloc((size_t)n + 1, sizeof *argument);
    int         status   = 0;
    for (int i = 0; i < n; i++) argument[i] = next_word();
    const pid_t child = fork();
    if (child == 0) exit(call(folder, seconds, n, argument));
    waitpid(child, &status, 0);
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    printf("%d\n", signal == SIGALRM ? 124 : signal ? 128 + signal : WEXITSTATUS(status));
    fflush(stdout);
  }
  return 0;
}
