/*
  Counts the waits in order of a program: the longest chain of messages each of which is sent after the one before it
  has arrived. Every rank has a depth; a message carries the depth of its sender, and its receiver's is at least one
  more once it has been waited for. A collective call brings all of its ranks to the largest depth, plus log2 of their
  number, rounded up. At the end every rank writes its depth to $WAITS.<rank>. With any delay of the network the program
  cannot take less than depth times the delay. Preloaded; of nonblocking collective calls only the start
  is seen.
      mpicc -shared -fPIC -O2 waits.c -o waits.so; LD_PRELOAD=./waits.so WAITS=waits mpiexec -n 2 program
*/
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_REQUEST = 1 << 16, N_COMM = 4096 };

/* A receive in flight, or any persistent request. */
typedef struct {
  MPI_Request request; // MPI_REQUEST_NULL: no entry
  MPI_Comm    comm;
  int         persistent, receives, to, tag;
} entry;

static long     depth;
static entry    table[N_REQUEST];
static MPI_Comm of[N_COMM], shadow[N_COMM]; // the same ranks: depths travel apart from the program's messages
static int      n_comm;

static MPI_Comm shadow_of(MPI_Comm comm)
{
  for (int i = n_comm - 1; i >= 0; i--)
    if (of[i] == comm) return shadow[i];
  fprintf(stderr, "waits.c: a communicator made by a call that it does not know\n");
  abort();
}

static void follow(MPI_Comm comm)
{
  if (comm == MPI_COMM_NULL) return;
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

static size_t place(MPI_Request r)
{
  return ((size_t)r >> 4) * 0x9E3779B97F4A7C15u >> 48 & (N_REQUEST - 1);
}

static entry *find(MPI_Request r)
{
  if (r == MPI_REQUEST_NULL) return NULL;
  for (size_t i = place(r), k = 0; k < 64; k++, i = (i + 1) % N_REQUEST)
    if (table[i].request == r) return &table[i];
  return NULL;
}

static void keep(const entry *e)
{
  for (size_t i = place(e->request), k = 0; k < 64; k++, i = (i + 1) % N_REQUEST) {
    if (table[i].request != MPI_REQUEST_NULL) continue;
    table[i] = *e;
    return;
  }
  abort();
}

static void send_depth(int to, int tag, MPI_Comm comm)
{
  MPI_Request r;
  long       *copy = malloc(sizeof *copy); // a few bytes each, for as long as the program runs
  if (to == MPI_PROC_NULL) return;
  *copy = depth;
  PMPI_Isend(copy, 1, MPI_LONG, to, tag, shadow_of(comm), &r);
  PMPI_Request_free(&r);
}

static void take_depth(int from, int tag, MPI_Comm comm)
{
  long sent;
  int  rank;
  if (from == MPI_PROC_NULL) return;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Recv(&sent, 1, MPI_LONG, from, tag, shadow_of(comm), MPI_STATUS_IGNORE);
  sent += from != rank;
  if (sent > depth) depth = sent;
}

static void started(MPI_Request r)
{
  const entry *const e = find(r);
  if (e && !e->receives) send_depth(e->to, e->tag, e->comm);
}

/* A request that has ended, by its value before the call. */
static void ended(MPI_Request r, const MPI_Status *s)
{
  entry *const e = find(r);
  if (!e) return;
  const entry copy = *e;
  if (!e->persistent) e->request = MPI_REQUEST_NULL;
  if (copy.receives && s->MPI_SOURCE >= 0) take_depth(s->MPI_SOURCE, s->MPI_TAG, copy.comm);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

int MPI_Send(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
  send_depth(to, tag, comm);
  return PMPI_Send(a, n, type, to, tag, comm);
}

int MPI_Isend(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)
{
  send_depth(to, tag, comm);
  return PMPI_Isend(a, n, type, to, tag, comm, r);
}

int MPI_Issend(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)
{
  send_depth(to, tag, comm);
  return PMPI_Issend(a, n, type, to, tag, comm, r);
}

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
  send_depth(to, tag, comm);
  const int code = PMPI_Sendrecv(a, n, type, to, tag, b, m, other, from, with, comm, s);
  take_depth(s->MPI_SOURCE, s->MPI_TAG, comm);
  return code;
}

int MPI_Irecv(void *a, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r)
{
  const int code = PMPI_Irecv(a, n, type, from, tag, comm, r);
  keep(&(entry){.request = *r, .comm = comm, .receives = 1});
  return code;
}

int MPI_Recv_init(void *a, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r)
{
  const int code = PMPI_Recv_init(a, n, type, from, tag, comm, r);
  keep(&(entry){.request = *r, .comm = comm, .persistent = 1, .receives = 1});
  return code;
}

int MPI_Send_init(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)
{
  const int code = PMPI_Send_init(a, n, type, to, tag, comm, r);
  keep(&(entry){.request = *r, .comm = comm, .persistent = 1, .to = to, .tag = tag});
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
  if (e) e->request = MPI_REQUEST_NULL;
  return PMPI_Request_free(r);
}

int MPI_Wait(MPI_Request *r, MPI_Status *s)
{
  MPI_Status        own;
  const MPI_Request before = *r;
  if (s == MPI_STATUS_IGNORE) s = &own;
  const int code = PMPI_Wait(r, s);
  ended(before, s);
  return code;
}

int MPI_Waitall(int n, MPI_Request r[], MPI_Status s[])
{
  MPI_Status *const  to     = s == MPI_STATUSES_IGNORE ? malloc((size_t)n * sizeof *to + 1) : s;
  MPI_Request *const before = malloc((size_t)n * sizeof *before + 1);
  for (int i = 0; i < n; i++) before[i] = r[i];
  const int code = PMPI_Waitall(n, r, to);
  for (int i = 0; i < n; i++) ended(before[i], &to[i]);
  if (to != s) free(to);
  free(before);
  return code;
}

int MPI_Waitany(int n, MPI_Request r[], int *which, MPI_Status *s)
{
  MPI_Status         own;
  MPI_Request *const before = malloc((size_t)n * sizeof *before + 1);
  if (s == MPI_STATUS_IGNORE) s = &own;
  for (int i = 0; i < n; i++) before[i] = r[i];
  const int code = PMPI_Waitany(n, r, which, s);
  if (*which != MPI_UNDEFINED) ended(before[*which], s);
  free(before);
  return code;
}

int MPI_Test(MPI_Request *r, int *flag, MPI_Status *s)
{
  MPI_Status        own;
  const MPI_Request before = *r;
  if (s == MPI_STATUS_IGNORE) s = &own;
  const int code = PMPI_Test(r, flag, s);
  if (*flag) ended(before, s);
  return code;
}

int MPI_Testall(int n, MPI_Request r[], int *flag, MPI_Status s[])
{
  MPI_Status *const  to     = s == MPI_STATUSES_IGNORE ? malloc((size_t)n * sizeof *to + 1) : s;
  MPI_Request *const before = malloc((size_t)n * sizeof *before + 1);
  for (int i = 0; i < n; i++) before[i] = r[i];
  const int code = PMPI_Testall(n, r, flag, to);
  for (int i = 0; *flag && i < n; i++) ended(before[i], &to[i]);
  if (to != s) free(to);
  free(before);
  return code;
}

/* ---- collective calls -------------------------------------------------------------------------------------------- */

static void together(MPI_Comm comm)
{
  int size, inter, steps = 0;
  MPI_Comm_test_inter(comm, &inter);
  if (inter) return;
  MPI_Comm_size(comm, &size);
  while (1 << steps < size) steps++;
  PMPI_Allreduce(MPI_IN_PLACE, &depth, 1, MPI_LONG, MPI_MAX, comm);
  depth += steps;
}

int MPI_Barrier(MPI_Comm comm)
{
  together(comm);
  return PMPI_Barrier(comm);
}

int MPI_Allreduce(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  together(comm);
  return PMPI_Allreduce(a, b, n, type, op, comm);
}

int MPI_Bcast(void *a, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
  together(comm);
  return PMPI_Bcast(a, n, type, root, comm);
}

int MPI_Reduce(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
  together(comm);
  return PMPI_Reduce(a, b, n, type, op, root, comm);
}

int MPI_Allgather(const void *a, int n, MPI_Datatype type, void *b, int m, MPI_Datatype to, MPI_Comm comm)
{
  together(comm);
  return PMPI_Allgather(a, n, type, b, m, to, comm);
}

int MPI_Allgatherv(const void *a, int n, MPI_Datatype type, void *b, const int *count, const int *offset,
                   MPI_Datatype to, MPI_Comm comm)
{
  together(comm);
  return PMPI_Allgatherv(a, n, type, b, count, offset, to, comm);
}

/* ---- communicators ----------------------------------------------------------------------------------------------- */

static void begin(void)
{
  for (int i = 0; i < N_REQUEST; i++) table[i].request = MPI_REQUEST_NULL;
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

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *to)
{
  const int code = PMPI_Comm_dup(comm, to);
  follow(*to);
  return code;
}

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *to)
{
  const int code = PMPI_Comm_split(comm, colour, key, to);
  follow(*to);
  return code;
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *to)
{
  const int code = PMPI_Comm_split_type(comm, type, key, info, to);
  follow(*to);
  return code;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *to)
{
  const int code = PMPI_Comm_create(comm, group, to);
  follow(*to);
  return code;
}

int MPI_Comm_free(MPI_Comm *comm)
{
  forget(*comm);
  return PMPI_Comm_free(comm);
}

int MPI_Finalize(void)
{
  const char *const to = getenv("WAITS");
  char              path[4096];
  int               rank;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s.%d", to ? to : "waits", rank);
  FILE *const file = fopen(path, "w");
  if (!file) abort();
  fprintf(file, "%ld\n", depth);
  fclose(file);
  return PMPI_Finalize();
}
