/*
  What a rank sends, the memory that it took, and the waits in order of the program. At the end every rank writes
  $COUNT.<rank> with the lines
      bytes <sent>, largest <bytes of an array of one collective call>, memory <kB>, <rank> <messages sent to it> ...
  memory: the highest resident memory less the pages of files and of memory shared by ranks at the end.

  If WAITS is set, every rank also writes its depth to $WAITS.<rank>: the longest chain of messages each of which is
  sent after the one before it has arrived. Every rank has a depth; a message carries the depth of its sender, and its
  receiver's is at least one more once it has been waited for. A collective call brings all of its ranks to the largest
  depth, plus log2 of their number, rounded up; of nonblocking ones only the start is seen. With any delay of the
  network the program cannot take less than depth times the delay.

  Preloaded. For python3 jobs replay and tests/growth.
      mpicc -shared -fPIC -O2 messages.c -o messages.so; LD_PRELOAD=./messages.so COUNT=counts mpiexec -n 2 program
*/
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_REQUEST = 1 << 16, N_COMM = 4096 };

/* A receive in flight, or any persistent request. */
typedef struct {
  MPI_Request request;
  MPI_Comm    comm;
  int         persistent, receives, to, tag;
  double      bytes;
} entry;

static entry    request[N_REQUEST];
static int      n_request;
static long    *sent; // [size] messages to each rank of MPI_COMM_WORLD
static double   bytes, largest;
static int      follows; // depths: WAITS is set
static long     depth;
static MPI_Comm of[N_COMM], shadow[N_COMM]; // the same ranks: depths travel apart from the program's messages
static int      n_comm;

static double size_of(double n, MPI_Datatype type)
{
  int size;
  MPI_Type_size(type, &size);
  return n * size;
}

static int ranks_of(MPI_Comm comm)
{
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

static int world_rank(MPI_Comm comm, int rank)
{
  MPI_Group here, world;
  int       found;
  MPI_Comm_group(comm, &here);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(here, 1, &rank, world, &found);
  MPI_Group_free(&here);
  MPI_Group_free(&world);
  return found;
}

/* ---- communicators ----------------------------------------------------------------------------------------------- */

static MPI_Comm shadow_of(MPI_Comm comm)
{
  for (int i = n_comm - 1; i >= 0; i--)
    if (of[i] == comm) return shadow[i];
  fprintf(stderr, "messages.c: a communicator made by a call that it does not know\n");
  abort();
}

static void follow(MPI_Comm comm)
{
  if (!follows || comm == MPI_COMM_NULL) return;
  if (n_comm == N_COMM) abort();
  of[n_comm] = comm;
  PMPI_Comm_dup(comm, &shadow[n_comm++]);
}

static void forget(MPI_Comm comm)
{
  for (int i = n_comm - 1; i >= 0; i--) {
    if (of[i] != comm) continue;
    of[i]     = of[--n_comm]; // the shadow stays: a depth may be under way
    shadow[i] = shadow[n_comm];
    return;
  }
}

/* ---- requests ---------------------------------------------------------------------------------------------------- */

static entry *find(MPI_Request r)
{
  for (int i = n_request - 1; i >= 0; i--)
    if (request[i].request == r) return &request[i];
  return NULL;
}

static void keep(entry e)
{
  if (n_request == N_REQUEST) abort();
  request[n_request++] = e;
}

static void drop(entry *e)
{
  *e = request[--n_request];
}

static void count(int to, double size, MPI_Comm comm)
{
  const int world = world_rank(comm, to);
  if (world < 0) return;
  if (!sent) sent = calloc((size_t)ranks_of(MPI_COMM_WORLD), sizeof *sent);
  if (!sent) abort();
  sent[world]++;
  bytes += size;
}

static void send_depth(int to, int tag, MPI_Comm comm)
{
  MPI_Request r;
  if (!follows || to == MPI_PROC_NULL) return;
  long *const copy = malloc(sizeof *copy); // a few bytes each, for as long as the program runs
  *copy            = depth;
  PMPI_Isend(copy, 1, MPI_LONG, to, tag, shadow_of(comm), &r);
  PMPI_Request_free(&r);
}

static void take_depth(int from, int tag, MPI_Comm comm)
{
  long arrived;
  int  rank;
  if (!follows || from == MPI_PROC_NULL) return;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Recv(&arrived, 1, MPI_LONG, from, tag, shadow_of(comm), MPI_STATUS_IGNORE);
  arrived += from != rank;
  if (arrived > depth) depth = arrived;
}

static void sends(int to, double size, int tag, MPI_Comm comm)
{
  count(to, size, comm);
  send_depth(to, tag, comm);
}

static void started(MPI_Request r)
{
  const entry *const e = find(r);
  if (e && !e->receives) sends(e->to, e->bytes, e->tag, e->comm);
}

/* A request that has ended, by its value before the call. */
static void ended(MPI_Request r, const MPI_Status *s)
{
  entry *const e = find(r);
  if (!e) return;
  const entry copy = *e;
  if (!e->persistent) drop(e);
  if (copy.receives && s->MPI_SOURCE >= 0) take_depth(s->MPI_SOURCE, s->MPI_TAG, copy.comm);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

#define SEND(name)                                                                                                     \
  int name(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)                                    \
  {                                                                                                                    \
    sends(to, size_of(n, type), tag, comm);                                                                            \
    return P##name(a, n, type, to, tag, comm);                                                                         \
  }
SEND(MPI_Send)
SEND(MPI_Ssend)

#define ISEND(name)                                                                                                    \
  int name(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)                    \
  {                                                                                                                    \
    sends(to, size_of(n, type), tag, comm);                                                                            \
    return P##name(a, n, type, to, tag, comm, r);                                                                      \
  }
ISEND(MPI_Isend)
ISEND(MPI_Issend)

int MPI_Recv(void *a, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *s)
{
  MPI_Status own;
  if (s == MPI_STATUS_IGNORE) s = &own;
  const int code = PMPI_Recv(a, n, type, from, tag, comm, s);
  take_depth(s->MPI_SOURCE, s->MPI_TAG, comm);
  return code;
}

int MPI_Sendrecv(const void *a, int n, MPI_Datatype type, int to, int tag, void *b, int m, MPI_Datatype other, int from,
                 int with, MPI_Comm comm, MPI_Status *s)
{
  MPI_Status own;
  if (s == MPI_STATUS_IGNORE) s = &own;
  sends(to, size_of(n, type), tag, comm);
  const int code = PMPI_Sendrecv(a, n, type, to, tag, b, m, other, from, with, comm, s);
  take_depth(s->MPI_SOURCE, s->MPI_TAG, comm);
  return code;
}

int MPI_Irecv(void *a, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r)
{
  const int code = PMPI_Irecv(a, n, type, from, tag, comm, r);
  if (follows) keep((entry){.request = *r, .comm = comm, .receives = 1});
  return code;
}

int MPI_Recv_init(void *a, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r)
{
  const int code = PMPI_Recv_init(a, n, type, from, tag, comm, r);
  keep((entry){.request = *r, .comm = comm, .persistent = 1, .receives = 1});
  return code;
}

int MPI_Send_init(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)
{
  const int code = PMPI_Send_init(a, n, type, to, tag, comm, r);
  keep((entry){.request = *r, .comm = comm, .persistent = 1, .to = to, .tag = tag, .bytes = size_of(n, type)});
  return code;
}

int MPI_Start(MPI_Request *r)
{
  started(*r);
  return PMPI_Start(r);
}

int MPI_Startall(int n, MPI_Request r[])
{
  for (int i = 0; i < n; i++) started(r[i]);
  return PMPI_Startall(n, r);
}

int MPI_Request_free(MPI_Request *r)
{
  entry *const e = find(*r);
  if (e) drop(e);
  return PMPI_Request_free(r);
}

static MPI_Request *copy_of(int n, const MPI_Request r[])
{
  MPI_Request *const copy = malloc((size_t)n * sizeof *copy + 1);
  memcpy(copy, r, (size_t)n * sizeof *copy);
  return copy;
}

/* Waits for all requests, or with a flag tests them. */
static int end_all(int n, MPI_Request r[], int *flag, MPI_Status s[])
{
  MPI_Status *const  to     = s == MPI_STATUSES_IGNORE ? malloc((size_t)n * sizeof *to + 1) : s;
  MPI_Request *const before = copy_of(n, r);
  const int          code   = flag ? PMPI_Testall(n, r, flag, to) : PMPI_Waitall(n, r, to);
  for (int i = 0; (!flag || *flag) && i < n; i++) ended(before[i], &to[i]);
  if (to != s) free(to);
  free(before);
  return code;
}

int MPI_Wait(MPI_Request *r, MPI_Status *s)
{
  return end_all(1, r, NULL, s == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : s);
}

int MPI_Test(MPI_Request *r, int *flag, MPI_Status *s)
{
  return end_all(1, r, flag, s == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : s);
}

int MPI_Waitall(int n, MPI_Request r[], MPI_Status s[])
{
  return end_all(n, r, NULL, s);
}

int MPI_Testall(int n, MPI_Request r[], int *flag, MPI_Status s[])
{
  return end_all(n, r, flag, s);
}

int MPI_Waitany(int n, MPI_Request r[], int *which, MPI_Status *s)
{
  MPI_Status         own;
  MPI_Request *const before = copy_of(n, r);
  if (s == MPI_STATUS_IGNORE) s = &own;
  const int code = PMPI_Waitany(n, r, which, s);
  if (*which != MPI_UNDEFINED) ended(before[*which], s);
  free(before);
  return code;
}

/* ---- collective calls -------------------------------------------------------------------------------------------- */

/* size: bytes of the largest array. */
static void together(double size, MPI_Comm comm)
{
  int inter, steps = 0;
  if (size > largest) largest = size;
  MPI_Comm_test_inter(comm, &inter);
  if (!follows || inter) return;
  while (1 << steps < ranks_of(comm)) steps++;
  PMPI_Allreduce(MPI_IN_PLACE, &depth, 1, MPI_LONG, MPI_MAX, comm);
  depth += steps;
}

static double size_of_all(int n, MPI_Datatype type, MPI_Comm comm)
{
  return size_of((double)n * ranks_of(comm), type);
}

#define COLLECTIVE(name, parameters, arguments, size)                                                                  \
  int name parameters                                                                                                  \
  {                                                                                                                    \
    together(size, comm);                                                                                              \
    return P##name arguments;                                                                                          \
  }
COLLECTIVE(MPI_Barrier, (MPI_Comm comm), (comm), 0)
COLLECTIVE(MPI_Bcast, (void *a, int n, MPI_Datatype type, int root, MPI_Comm comm), (a, n, type, root, comm), 0)
COLLECTIVE(MPI_Reduce, (const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm),
           (a, b, n, type, op, root, comm), 0)
COLLECTIVE(MPI_Allreduce, (const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (a, b, n, type, op, comm), size_of(n, type))
COLLECTIVE(MPI_Scan, (const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (a, b, n, type, op, comm), size_of(n, type))
COLLECTIVE(MPI_Exscan, (const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (a, b, n, type, op, comm), size_of(n, type))
COLLECTIVE(MPI_Reduce_scatter_block, (const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (a, b, n, type, op, comm), size_of_all(n, type, comm))
COLLECTIVE(MPI_Allgather, (const void *a, int n, MPI_Datatype type, void *b, int m, MPI_Datatype to, MPI_Comm comm),
           (a, n, type, b, m, to, comm), size_of_all(m, to, comm))
COLLECTIVE(MPI_Alltoall, (const void *a, int n, MPI_Datatype type, void *b, int m, MPI_Datatype to, MPI_Comm comm),
           (a, n, type, b, m, to, comm), size_of_all(n, type, comm))

int MPI_Allgatherv(const void *a, int n, MPI_Datatype type, void *b, const int *counts, const int *offset,
                   MPI_Datatype to, MPI_Comm comm)
{
  double all = 0;
  for (int p = 0; p < ranks_of(comm); p++) all += counts[p];
  together(size_of(all, to), comm);
  return PMPI_Allgatherv(a, n, type, b, counts, offset, to, comm);
}

int MPI_Gather(const void *a, int n, MPI_Datatype type, void *b, int m, MPI_Datatype to, int root, MPI_Comm comm)
{
  int rank;
  MPI_Comm_rank(comm, &rank);
  together(rank == root ? size_of_all(m, to, comm) : size_of(n, type), comm);
  return PMPI_Gather(a, n, type, b, m, to, root, comm);
}

/* ---- communicators, begin and end -------------------------------------------------------------------------------- */

#define NEW_COMM(name, parameters, arguments)                                                                          \
  int name parameters                                                                                                  \
  {                                                                                                                    \
    const int code = P##name arguments;                                                                                \
    follow(*to);                                                                                                       \
    return code;                                                                                                       \
  }
NEW_COMM(MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *to), (comm, to))
NEW_COMM(MPI_Comm_split, (MPI_Comm comm, int colour, int key, MPI_Comm *to), (comm, colour, key, to))
NEW_COMM(MPI_Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *to),
         (comm, type, key, info, to))
NEW_COMM(MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *to), (comm, group, to))

int MPI_Comm_free(MPI_Comm *comm)
{
  forget(*comm);
  return PMPI_Comm_free(comm);
}

static void begin(void)
{
  follows = getenv("WAITS") != NULL;
  follow(MPI_COMM_WORLD);
  follow(MPI_COMM_SELF);
}

int MPI_Init(int *argc, char ***argv)
{
  const int code = PMPI_Init(argc, argv);
  begin();
  return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
  const int code = PMPI_Init_thread(argc, argv, required, provided);
  begin();
  return code;
}

/* kB of a line of the process's status. */
static double status_kb(const char *name)
{
  char   line[256];
  double value = 0;
  FILE  *file  = fopen("/proc/self/status", "r");
  while (file && fgets(line, sizeof line, file))
    if (!strncmp(line, name, strlen(name))) value = atof(line + strlen(name));
  if (file) fclose(file);
  return value;
}

/* The rank's file of a variable of the environment; NULL if that is not set. */
static FILE *file_of(const char *variable, int rank)
{
  char path[4096];
  if (!getenv(variable)) return NULL;
  snprintf(path, sizeof path, "%s.%d", getenv(variable), rank);
  FILE *const file = fopen(path, "w");
  if (!file) abort();
  return file;
}

int MPI_Finalize(void)
{
  const double memory = status_kb("VmHWM:") - status_kb("RssFile:") - status_kb("RssShmem:");
  int          rank;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  FILE *const counts = file_of("COUNT", rank), *const waits = file_of("WAITS", rank);
  if (counts) fprintf(counts, "bytes %.0f\nlargest %.0f\nmemory %.0f\n", bytes, largest, memory);
  for (int p = 0; counts && sent && p < ranks_of(MPI_COMM_WORLD); p++)
    if (sent[p] && p != rank) fprintf(counts, "%d %ld\n", p, sent[p]);
  if (waits) fprintf(waits, "%ld\n", depth);
  if (counts) fclose(counts);
  if (waits) fclose(waits);
  return PMPI_Finalize();
}
