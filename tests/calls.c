/*
  calls SOCKET: serves tests/call.c. Each call of the program, or rank of one, is a child of this process, which has
  loaded the libraries: loading takes half of the time of a short call. MPI is started by the child: a thread that it
  makes would not be there after fork.
*/
#define _GNU_SOURCE
#include "call.h"
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

static void nothing(int signal)
{
  (void)signal;
}

/* The head of a call and its standard descriptors. */
static void receive_call(int client, wring_call *c, int standard[3])
{
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(3 * sizeof standard[0])];
  struct iovec                  data = {c, sizeof *c};
  struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  if (recvmsg(client, &m, MSG_WAITALL) != sizeof *c || !CMSG_FIRSTHDR(&m)) _exit(125);
  memcpy(standard, CMSG_DATA(CMSG_FIRSTHDR(&m)), 3 * sizeof standard[0]);
}

/* The words of a call, the last one of each list is NULL. */
static char **receive_words(int client, const wring_call *c)
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

/* As a shell or mpiexec would start it: a server in the background of a shell ignores SIGINT and SIGQUIT. */
static int run(const wring_call *c, const int standard[3], char **word)
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
  setenv("OMP_WAIT_POLICY", "passive", 0); // the program would choose it by a second start
  if (chdir(word[0])) _exit(125);
  return wring_main(c->n_argument, word + 1);
}

/* Tells the client the child's number and how it ends; a client that has died says nothing more, and its child dies. */
static void attend(int client)
{
  struct pollfd hears = {.fd = client, .events = POLLIN};
  wring_call    c;
  sigset_t      ended, before;
  int           standard[3], status = 0;
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
    exit(run(&c, standard, word));
  }
  for (int i = 0; i < 3; i++) close(standard[i]);
  if (write(client, &child, sizeof child) != sizeof child) kill(child, SIGKILL);
  while (waitpid(child, &status, WNOHANG) == 0)
    if (ppoll(&hears, 1, NULL, &before) > 0) kill(child, SIGKILL);
  if (write(client, &status, sizeof status) != sizeof status) _exit(125);
  _exit(0);
}

/* Dies with the shell of the test, and keeps none of its pipes open. */
static int serve(const char *name)
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
  return argc > 1 ? serve(argv[1]) : 125;
}
