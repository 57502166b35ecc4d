/*
  call SOCKET PROGRAM ARGS...: a call on one rank, or a rank that mpiexec starts, in the place of the program. A child
  of tests/calls.c, which has loaded the libraries, does the work in the folder, the environment and with the standard
  descriptors of this process, gets its signals INT, TERM, USR1, USR2 and CONT, and is killed when it dies; this process
  ends as the child does. Launchers that connect their ranks by a descriptor (PMI_FD) get the program itself.
*/
#define _GNU_SOURCE
#include "call.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t child;

static void pass_on(int signal)
{
  kill(child, signal);
}

/* The server may not have opened its socket yet. */
static int reach(const char *name)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  const int          server  = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  snprintf(address.sun_path, sizeof address.sun_path, "%s", name);
  for (int tries = 0; tries < 3000; tries++) {
    if (connect(server, (struct sockaddr *)&address, sizeof address) == 0) return server;
    usleep(10000);
  }
  fprintf(stderr, "call: no server at %s\n", name);
  _exit(125);
}

static void send_call(int server, const wring_call *c)
{
  const int                     standard[]                           = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof standard)] = {0};
  struct iovec                  data                                 = {(void *)c, sizeof *c};
  struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct cmsghdr *const to = CMSG_FIRSTHDR(&m);
  to->cmsg_level           = SOL_SOCKET;
  to->cmsg_type            = SCM_RIGHTS;
  to->cmsg_len             = CMSG_LEN(sizeof standard);
  memcpy(CMSG_DATA(to), standard, sizeof standard);
  if (sendmsg(server, &m, 0) != sizeof *c) _exit(125);
}

/* Adds a list of words to *words [size], and counts them. */
static int add_words(char *const *list, char **words, int *size)
{
  int n = 0;
  for (; list[n]; n++) {
    const int length = (int)strlen(list[n]) + 1;
    *words           = realloc(*words, (size_t)(*size + length));
    memcpy(*words + *size, list[n], (size_t)length);
    *size += length;
  }
  return n;
}

int main(int argc, char **argv)
{
  static const int passed[]  = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT};
  char *const      folder[2] = {getcwd(NULL, 0)};
  wring_call       c         = {0};
  char            *words     = NULL;
  int              status;
  pid_t            pid;
  if (argc < 3 || !folder[0]) return 125;
  if (getenv("PMI_FD")) {
    execv(argv[2], argv + 2);
    return 125;
  }
  const int server = reach(argv[1]);
  add_words(folder, &words, &c.size);
  c.n_argument    = add_words(argv + 2, &words, &c.size);
  c.n_environment = add_words(environ, &words, &c.size);
  send_call(server, &c);
  for (int sent = 0; sent < c.size;) {
    const ssize_t n = write(server, words + sent, (size_t)(c.size - sent));
    if (n <= 0) return 125;
    sent += (int)n;
  }
  free(words);
  free(folder[0]);
  if (read(server, &pid, sizeof pid) != sizeof pid || pid <= 0) return 125;
  child = pid;
  for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
    sigaction(passed[i], &(struct sigaction){.sa_handler = pass_on, .sa_flags = SA_RESTART}, NULL);
  if (read(server, &status, sizeof status) != sizeof status) return 125;
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 125;
}
