/*
  A network switch in user space that holds every frame for a while: links with a delay, for kernels without netem.

      switch NAMESPACE...     each the file of a network namespace, which gets the device eth0

  Prints "up" when all devices are there. Lines of standard input are delays, one way, in microseconds, at first 0; its
  end ends the program. A frame goes to the port that last sent from its destination's address, or to all others.
*/
#define _GNU_SOURCE // setns
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { N_PORT = 64, FRAME = 65600, N_QUEUE = 1 << 14, N_KNOWN = 256, ADDRESS = 6 };

typedef struct {
  int64_t  due; // ns
  int      from, size;
  uint8_t *data; // owned
} frame;

typedef struct {
  uint8_t address[ADDRESS];
  int     port;
} station;

typedef struct {
  int           n_port, n_known;
  struct pollfd port[N_PORT + 1]; // the last one in use is standard input
  station       known[N_KNOWN];
  frame         queue[N_QUEUE]; // a ring, in the order of time
  unsigned      first, last;
  int64_t       delay, latest; // ns; latest: when the last frame of the queue is due
} network;

static void fail(const char *what)
{
  perror(what);
  exit(1);
}

static int64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1000000000LL * t.tv_sec + t.tv_nsec;
}

/* The device is made in the namespace in which /dev/net/tun is opened. */
static int open_port(const char *path, int home)
{
  struct ifreq r     = {.ifr_flags = IFF_TAP | IFF_NO_PI};
  const int    there = open(path, O_RDONLY);
  if (there < 0 || setns(there, CLONE_NEWNET)) fail(path);
  const int tap = open("/dev/net/tun", O_RDWR | O_NONBLOCK);
  if (tap < 0) fail("/dev/net/tun");
  snprintf(r.ifr_name, sizeof r.ifr_name, "eth0");
  if (ioctl(tap, TUNSETIFF, &r)) fail("TUNSETIFF");
  close(there);
  if (setns(home, CLONE_NEWNET)) fail("the first namespace");
  return tap;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static int find(const network *w, const uint8_t *address)
{
  for (int i = 0; i < w->n_known; i++) {
    if (memcmp(w->known[i].address, address, ADDRESS) == 0) return w->known[i].port;
  }
  return -1;
}

static void learn(network *w, const uint8_t *address, int port)
{
  if (find(w, address) >= 0 || w->n_known == N_KNOWN) return;
  memcpy(w->known[w->n_known].address, address, ADDRESS);
  w->known[w->n_known++].port = port;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

/* A frame begins with the addresses of its destination and of its source. A host that died has lost its device. */
static void take(network *w, int port)
{
  if (w->port[port].revents & (POLLERR | POLLHUP)) w->port[port].fd = -1;
  static uint8_t data[FRAME];
  ssize_t        size;
  while (w->last - w->first < N_QUEUE && (size = read(w->port[port].fd, data, FRAME)) > 2 * ADDRESS) {
    uint8_t *const copy = malloc((size_t)size);
    if (!copy) fail("malloc");
    memcpy(copy, data, (size_t)size);
    learn(w, data + ADDRESS, port);
    const int64_t due             = now() + w->delay;
    w->latest                     = due > w->latest ? due : w->latest;
    w->queue[w->last++ % N_QUEUE] = (frame){w->latest, port, (int)size, copy};
  }
}

/* A device that is full loses the frame, which TCP sends again. */
static void give(const network *w, const frame *f)
{
  const int to = f->data[0] & 1 ? -1 : find(w, f->data); // the bit of a broadcast
  for (int i = 0; i < w->n_port; i++) {
    if (i != f->from && (to < 0 || i == to) && write(w->port[i].fd, f->data, (size_t)f->size) < 0) continue;
  }
}

static void deliver(network *w)
{
  for (; w->first != w->last && w->queue[w->first % N_QUEUE].due <= now(); w->first++) {
    give(w, &w->queue[w->first % N_QUEUE]);
    free(w->queue[w->first % N_QUEUE].data);
  }
}

static void wait_for_frames(network *w)
{
  const int64_t         left = w->first == w->last ? 0 : w->queue[w->first % N_QUEUE].due - now();
  const struct timespec time = {.tv_sec  = left > 0 ? left / 1000000000 : 0,
                                .tv_nsec = left > 0 ? left % 1000000000 : 0};
  if (ppoll(w->port, (nfds_t)w->n_port + 1, w->first == w->last ? NULL : &time, NULL) < 0 && errno != EINTR)
    fail("ppoll");
}

/* Reads a delay, if there is one; 0 at the end of the input. */
static int obey(network *w)
{
  char line[64];
  if (!w->port[w->n_port].revents) return 1;
  const ssize_t n = read(STDIN_FILENO, line, sizeof line - 1);
  if (n <= 0) return 0;
  line[n]  = '\0';
  w->delay = 1000 * strtoll(line, NULL, 10);
  return 1;
}

int main(int argc, char **argv)
{
  static network w;
  const int      home = open("/proc/self/ns/net", O_RDONLY);
  if (argc < 3 || argc - 1 > N_PORT) {
    fputs("usage: switch NAMESPACE...\n", stderr);
    return 1;
  }
  w.n_port = argc - 1;
  for (int i = 0; i < w.n_port; i++) w.port[i] = (struct pollfd){.fd = open_port(argv[1 + i], home), .events = POLLIN};
  w.port[w.n_port] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
  puts("up");
  fflush(stdout);
  do {
    deliver(&w);
    wait_for_frames(&w);
    for (int i = 0; i < w.n_port; i++) take(&w, i);
  } while (obey(&w));
  return 0;
}
