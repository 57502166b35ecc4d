/*
  Calls of the program, each in a child of this process, which has loaded the libraries: loading takes half of the time
  of a short call. MPI is started by the child: a thread that it makes would not be there after fork.
  calls: standard input has the words of each call, each with a '\0' at its end: how many arguments, the folder, the
  seconds that it may take, the arguments. Its output is in the file log of the folder; its exit status, 124 beyond the
  time, is a line of standard output.
  calls SOCKET: serves tests/rank.c, the ranks of calls on several, which sends its arguments, environment and standard
  descriptors.
*/
#define _GNU_SOURCE
#include "rank.h"
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

int wring_main(int argc, char **argv); // of src/main.c

/* ---- one rank ---------------------------------------------------------------------------------------------------- */

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

static void serve_one_rank(void)
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
}

/* ---- ranks of several -------------------------------------------------------------------------------------------- */

static void nothing(int signal)
{
  (void)signal;
}

/* The head of a call and its standard descriptors. */
static void receive_call(int client, wring_rank_call *c, int standard[3])
{
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(3 * sizeof standard[0])];
  struct iovec                  data = {c, sizeof *c};
  struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  if (recvmsg(client, &m, MSG_WAITALL) != sizeof *c || !CMSG_FIRSTHDR(&m)) _exit(125);
  memcpy(standard, CMSG_DATA(CMSG_FIRSTHDR(&m)), 3 * sizeof standard[0]);
}

/* The words of a call, the last one of each list is NULL. */
static char **receive_words(int client, const wring_rank_call *c)
{
  const int n    = 1 + c->n_argument + 1 + c->n_environment;
  char     *text = malloc((size_t)c->size), **word = calloc((size_t)n + 1, sizeof *word);
  if (recv(client, text, (size_t)c->size, MSG_WAITALL) != c->size) _exit(125);
  for (int i = 0; i < n; i++) {
    if (i == 1 + c->n_argument) continue;
    word[i] = text;
    text += strlen(text) + 1;
  }
  return word;
}

/* As mpiexec would start it: a server in the background of a shell ignores SIGINT and SIGQUIT. */
static int rank(const wring_rank_call *c, const int standard[3], char **word)
{
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGCHLD, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
  for (int i = 0; i < 3; i++) {
    if (dup2(standard[i], i) < 0) _exit(125);
    close(standard[i]);
  }
  environ = word + 1 + c->n_argument + 1;
  setenv("OMP_WAIT_POLICY", "passive", 0);
  if (chdir(word[0])) _exit(125);
  return wring_main(c->n_argument, word + 1);
}

/* Tells the client the child's number and how it ends; a client that has died says nothing more, and its child dies. */
static void attend(int client)
{
  struct pollfd   hears = {.fd = client, .events = POLLIN};
  wring_rank_call c;
  sigset_t        ended, before;
  int             standard[3], status = 0;
  receive_call(client, &c, standard);
  char **const word = receive_words(client, &c);
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = nothing}, NULL);
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &ended, &before);
  const pid_t child = fork();
  if (child < 0) _exit(125);
  if (child == 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(client);
    exit(rank(&c, standard, word));
  }
  for (int i = 0; i < 3; i++) close(standard[i]);
  if (write(client, &child, sizeof child) != sizeof child) kill(child, SIGKILL);
  while (waitpid(child, &status, WNOHANG) == 0)
    if (ppoll(&hears, 1, NULL, &before) > 0) kill(child, SIGKILL);
  if (write(client, &status, sizeof status) != sizeof status) _exit(125);
  _exit(0);
}

/* Dies with the shell of the test, and keeps none of its pipes open. */
static int serve_ranks(const char *name)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int          door    = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  snprintf(address.sun_path, sizeof address.sun_path, "%s", name);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int i = 3; i < 256; i++)
    if (i != door) close(i);
  if (bind(door, (struct sockaddr *)&address, sizeof address) || listen(door, 64)) return 125;
  signal(SIGCHLD, SIG_IGN); // those who attend end by themselves
  for (;;) {
    const int client = accept4(door, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0) continue;
    if (fork() == 0) {
      close(door);
      attend(client);
    }
    close(client);
  }
}

int main(int argc, char **argv)
{
  if (argc > 1) return serve_ranks(argv[1]);
  serve_one_rank();
  return 0;
}
