/*
  Records what a program sends, receives and waits for, and the processor time between its calls of MPI: the last
  $RECORD_EVENTS (65536) events of every rank, which $RECORD.<rank> holds at the end, one a line:
      comm ID SIZE RANK...              ranks of a communicator in MPI_COMM_WORLD; before the events
      send|recv NUMBER PEER TAG BYTES COMM T   a message that was started; PEER in MPI_COMM_WORLD, -1: any
      wait NUMBER... T                  returned when these messages were complete
      CALL BYTES COMM T                 a collective call, BYTES of this rank
      start NUMBER CALL BYTES COMM T    one that does not block; `wait NUMBER` ends it
  T is the processor time of the calling thread since the event before, in nanoseconds, without that inside MPI.
  Neighbourhood collectives are given as their messages. A barrier of a window, or of ranks that share memory, is
  `barrier`. Preloaded; of MPI's calls those that wring and PETSc's halos and solvers use.
      mpicc -shared -fPIC -O2 record.c -o record.so; LD_PRELOAD=./record.so RECORD=out/r mpiexec -n 2 program
*/
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef enum {
  SEND,
  RECV,
  WAITED, // a message that the next WAIT waits for
  WAIT,
  ALLREDUCE,
  ALLGATHER,
  ALLTOALL,
  GATHER,
  SCATTER,
  BCAST,
  REDUCE,
  SCAN,
  BARRIER
} kind;

typedef struct {
  kind   what;
  int    peer, tag, comm, starts; // starts: a collective that does not block
  long   number;
  double bytes, ns;
} event;

typedef struct { // a request that is active, or persistent
  MPI_Request request;
  event       e; // what it does when it is started
  int         persistent;
  long        number; // of its last start, 0: not active
  int         last;   // numbers from `number - last` on are its messages
} entry;

typedef struct {
  MPI_Comm comm;
  int      size, *rank, shown;
} group;

typedef struct {
  MPI_Win  window;
  MPI_Comm comm;
} window_of;

static event     *events;
static long       n_event, most = 65536, number;
static entry     *table;
static int        n_table, most_table;
static group     *groups;
static int        n_group;
static window_of *windows;
static int        n_window;
static double     left, due; // when the last call of MPI returned; processor time that no event has yet, ns

/* ---- time -------------------------------------------------------------------------------------------------------- */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* At the begin of every call. Its time is that of the next event, which not every call adds. */
static void enter(void)
{
  const double t = now();
  if (left > 0) due += t - left;
  left = t;
}

static int leave(int status)
{
  left = now();
  return status;
}

/* ---- communicators ----------------------------------------------------------------------------------------------- */

static int id_of(MPI_Comm comm)
{
  MPI_Group world, own;

  for (int i = 0; i < n_group; i++)
    if (groups[i].comm == comm) return i;
  groups         = realloc(groups, ((size_t)n_group + 1) * sizeof *groups);
  group *const g = &groups[n_group];
  *g             = (group){.comm = comm};
  PMPI_Comm_size(comm, &g->size);
  g->rank       = malloc((size_t)g->size * sizeof *g->rank);
  int *const in = malloc((size_t)g->size * sizeof *in);
  for (int i = 0; i < g->size; i++) in[i] = i;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Comm_group(comm, &own);
  PMPI_Group_translate_ranks(own, g->size, in, world, g->rank);
  PMPI_Group_free(&own);
  PMPI_Group_free(&world);
  free(in);
  return n_group++;
}

static int world_rank(MPI_Comm comm, int rank)
{
  const int i = id_of(comm); // which may move groups
  return rank < 0 ? rank : groups[i].rank[rank];
}

/* Its handle may be given to another communicator. */
int MPI_Comm_free(MPI_Comm *comm)
{
  enter();
  for (int i = 0; i < n_group; i++)
    if (groups[i].comm == *comm) groups[i].comm = MPI_COMM_NULL;
  return leave(PMPI_Comm_free(comm));
}

static double size_of(int n, MPI_Datatype type)
{
  int size;
  PMPI_Type_size(type, &size);
  return (double)n * size;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static void add(event e)
{
  if (!events) {
    const char *const text = getenv("RECORD_EVENTS");
    if (text) most = atol(text);
    events = malloc((size_t)most * sizeof *events);
  }
  if (!events || most < 1) abort();
  if (e.what != WAITED) {
    e.ns = due;
    due  = 0;
  }
  events[n_event++ % most] = e;
}

static event message(kind what, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
  return (event){
    .what = what, .peer = world_rank(comm, peer), .tag = tag, .comm = id_of(comm), .bytes = size_of(n, type)};
}

static void call(kind what, double bytes, MPI_Comm comm)
{
  enter();
  add((event){.what = what, .bytes = bytes, .comm = id_of(comm)});
}

/* Adds a started message or call; gives its number. */
static long begin(event e)
{
  if (e.peer == MPI_PROC_NULL && e.what <= RECV) return 0;
  e.number = ++number;
  add(e);
  return number;
}

static void remember(MPI_Request r, event e, int persistent, long n, int last)
{
  if (n_table == most_table) {
    most_table = 2 * most_table + 64;
    table      = realloc(table, (size_t)most_table * sizeof *table);
  }
  table[n_table++] = (entry){r, e, persistent, n, last};
}

static entry *find(MPI_Request r)
{
  for (int i = n_table - 1; i >= 0; i--) // the last ones are those that are waited for
    if (table[i].request == r) return &table[i];
  return NULL;
}

static void started(MPI_Request r)
{
  entry *const k = find(r);
  if (k) k->number = begin(k->e);
}

/* Before a wait, which changes the requests: adds the messages that it waits for. */
static int waits_for(MPI_Request r)
{
  entry *const k = r == MPI_REQUEST_NULL ? NULL : find(r);

  if (!k || k->number == 0) return 0;
  for (int i = k->last; i >= 0; i--) add((event){.what = WAITED, .number = k->number - i});
  k->number = 0;
  if (!k->persistent) *k = table[--n_table];
  return 1;
}

static void waited(int n)
{
  if (n > 0) add((event){.what = WAIT});
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

int MPI_Send(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
  enter();
  const long k = begin(message(SEND, n, type, to, tag, comm));
  if (k) add((event){.what = WAITED, .number = k});
  waited(k != 0);
  return leave(PMPI_Send(a, n, type, to, tag, comm));
}

int MPI_Recv(void *a, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *given)
{
  enter();
  MPI_Status status;
  int        count;

  const int done = PMPI_Recv(a, n, type, from, tag, comm, &status);
  if (given != MPI_STATUS_IGNORE) *given = status;
  PMPI_Get_count(&status, type, &count);
  const long k = begin(message(RECV, count, type, status.MPI_SOURCE, status.MPI_TAG, comm));
  if (k) add((event){.what = WAITED, .number = k});
  waited(k != 0);
  return leave(done);
}

int MPI_Isend(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)
{
  const event e = message(SEND, n, type, to, tag, comm);
  enter();
  const int  done = PMPI_Isend(a, n, type, to, tag, comm, r);
  const long k    = begin(e);
  if (k) remember(*r, e, 0, k, 0);
  return leave(done);
}

int MPI_Issend(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)
{
  const event e = message(SEND, n, type, to, tag, comm);
  enter();
  const int  done = PMPI_Issend(a, n, type, to, tag, comm, r);
  const long k    = begin(e);
  if (k) remember(*r, e, 0, k, 0);
  return leave(done);
}

int MPI_Irecv(void *a, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r)
{
  const event e = message(RECV, n, type, from, tag, comm);
  enter();
  const int  done = PMPI_Irecv(a, n, type, from, tag, comm, r);
  const long k    = begin(e);
  if (k) remember(*r, e, 0, k, 0);
  return leave(done);
}

int MPI_Send_init(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)
{
  enter();
  const event e    = message(SEND, n, type, to, tag, comm);
  const int   done = PMPI_Send_init(a, n, type, to, tag, comm, r);
  remember(*r, e, 1, 0, 0);
  return leave(done);
}

int MPI_Recv_init(void *a, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *r)
{
  enter();
  const event e    = message(RECV, n, type, from, tag, comm);
  const int   done = PMPI_Recv_init(a, n, type, from, tag, comm, r);
  remember(*r, e, 1, 0, 0);
  return leave(done);
}

int MPI_Start(MPI_Request *r)
{
  enter();
  started(*r);
  return leave(PMPI_Start(r));
}

int MPI_Startall(int n, MPI_Request r[])
{
  enter();
  for (int i = 0; i < n; i++) started(r[i]);
  return leave(PMPI_Startall(n, r));
}

int MPI_Request_free(MPI_Request *r)
{
  enter();
  entry *const k = find(*r);
  if (k) *k = table[--n_table];
  return leave(PMPI_Request_free(r));
}

/* ---- waits ------------------------------------------------------------------------------------------------------- */

int MPI_Wait(MPI_Request *r, MPI_Status *status)
{
  enter();
  const int n = waits_for(*r);
  waited(n);
  return leave(PMPI_Wait(r, status));
}

int MPI_Waitall(int n, MPI_Request r[], MPI_Status *status)
{
  enter();
  int some = 0;
  for (int i = 0; i < n; i++) some |= waits_for(r[i]);
  waited(some);
  return leave(PMPI_Waitall(n, r, status));
}

/* Of some requests `before` the call, those that it completed. */
static void completed(int n, const int *index, const MPI_Request *before)
{
  int some = 0;
  for (int i = 0; i < n; i++) some |= waits_for(before[index ? index[i] : i]);
  waited(some);
}

static MPI_Request *copy(int n, const MPI_Request *r)
{
  MPI_Request *const c = malloc(((size_t)n + 1) * sizeof *c);
  if (!c) abort();
  memcpy(c, r, (size_t)n * sizeof *c);
  return c;
}

int MPI_Waitany(int n, MPI_Request r[], int *index, MPI_Status *status)
{
  enter();
  MPI_Request *const before = copy(n, r);
  const int          done   = PMPI_Waitany(n, r, index, status);
  completed(*index != MPI_UNDEFINED, index, before);
  free(before);
  return leave(done);
}

int MPI_Waitsome(int n, MPI_Request r[], int *count, int *index, MPI_Status *status)
{
  enter();
  MPI_Request *const before = copy(n, r);
  const int          done   = PMPI_Waitsome(n, r, count, index, status);
  completed(*count == MPI_UNDEFINED ? 0 : *count, index, before);
  free(before);
  return leave(done);
}

int MPI_Test(MPI_Request *r, int *flag, MPI_Status *status)
{
  enter();
  const MPI_Request before = *r;
  const int         done   = PMPI_Test(r, flag, status);
  completed(*flag != 0, NULL, &before);
  return leave(done);
}

int MPI_Testall(int n, MPI_Request r[], int *flag, MPI_Status *status)
{
  enter();
  MPI_Request *const before = copy(n, r);
  const int          done   = PMPI_Testall(n, r, flag, status);
  completed(*flag ? n : 0, NULL, before);
  free(before);
  return leave(done);
}

/* ---- collective calls -------------------------------------------------------------------------------------------- */

int MPI_Allreduce(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  call(ALLREDUCE, size_of(n, type), comm);
  return leave(PMPI_Allreduce(a, b, n, type, op, comm));
}

int MPI_Allgather(const void *a, int n, MPI_Datatype type, void *b, int m, MPI_Datatype to, MPI_Comm comm)
{
  call(ALLGATHER, size_of(m, to), comm);
  return leave(PMPI_Allgather(a, n, type, b, m, to, comm));
}

int MPI_Allgatherv(const void *a, int n, MPI_Datatype type, void *b, const int *count, const int *offset,
                   MPI_Datatype to, MPI_Comm comm)
{
  call(ALLGATHER, size_of(n, type), comm);
  return leave(PMPI_Allgatherv(a, n, type, b, count, offset, to, comm));
}

int MPI_Alltoall(const void *a, int n, MPI_Datatype type, void *b, int m, MPI_Datatype to, MPI_Comm comm)
{
  call(ALLTOALL, size_of(n, type), comm);
  return leave(PMPI_Alltoall(a, n, type, b, m, to, comm));
}

int MPI_Gather(const void *a, int n, MPI_Datatype type, void *b, int m, MPI_Datatype to, int root, MPI_Comm comm)
{
  call(GATHER, size_of(n, type), comm);
  return leave(PMPI_Gather(a, n, type, b, m, to, root, comm));
}

int MPI_Gatherv(const void *a, int n, MPI_Datatype type, void *b, const int *count, const int *offset, MPI_Datatype to,
                int root, MPI_Comm comm)
{
  call(GATHER, size_of(n, type), comm);
  return leave(PMPI_Gatherv(a, n, type, b, count, offset, to, root, comm));
}

int MPI_Scatterv(const void *a, const int *count, const int *offset, MPI_Datatype type, void *b, int m, MPI_Datatype to,
                 int root, MPI_Comm comm)
{
  call(SCATTER, size_of(m, to), comm);
  return leave(PMPI_Scatterv(a, count, offset, type, b, m, to, root, comm));
}

int MPI_Bcast(void *a, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
  call(BCAST, size_of(n, type), comm);
  return leave(PMPI_Bcast(a, n, type, root, comm));
}

int MPI_Reduce(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
  call(REDUCE, size_of(n, type), comm);
  return leave(PMPI_Reduce(a, b, n, type, op, root, comm));
}

int MPI_Scan(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  call(SCAN, size_of(n, type), comm);
  return leave(PMPI_Scan(a, b, n, type, op, comm));
}

int MPI_Exscan(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  call(SCAN, size_of(n, type), comm);
  return leave(PMPI_Exscan(a, b, n, type, op, comm));
}

int MPI_Barrier(MPI_Comm comm)
{
  call(BARRIER, 0, comm);
  return leave(PMPI_Barrier(comm));
}

static void remember_window(MPI_Win window, MPI_Comm comm)
{
  windows             = realloc(windows, ((size_t)n_window + 1) * sizeof *windows);
  windows[n_window++] = (window_of){window, comm};
}

int MPI_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window)
{
  enter();
  const int done = PMPI_Win_allocate_shared(size, unit, info, comm, base, window);
  remember_window(*window, comm);
  return leave(done);
}

int MPI_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window)
{
  enter();
  const int done = PMPI_Win_create(base, size, unit, info, comm, window);
  remember_window(*window, comm);
  return leave(done);
}

int MPI_Win_fence(int assert, MPI_Win window)
{
  int i = n_window - 1;
  while (i >= 0 && windows[i].window != window) i--;
  if (i < 0) abort();
  call(BARRIER, 0, windows[i].comm);
  return leave(PMPI_Win_fence(assert, window));
}

/* Adds a collective call that does not block. */
static void start(kind what, double bytes, MPI_Comm comm, MPI_Request r)
{
  const event e = {.what = what, .bytes = bytes, .comm = id_of(comm), .starts = 1};
  remember(r, e, 0, begin(e), 0);
}

int MPI_Iallreduce(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *r)
{
  enter();
  const int done = PMPI_Iallreduce(a, b, n, type, op, comm, r);
  start(ALLREDUCE, size_of(n, type), comm, *r);
  return leave(done);
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *r)
{
  enter();
  const int done = PMPI_Ibarrier(comm, r);
  start(BARRIER, 0, comm, *r);
  return leave(done);
}

/* ---- neighbourhood collectives ----------------------------------------------------------------------------------- */

enum { NEIGHBOUR_TAG = 1 << 20 };

/* Adds the messages of a neighbourhood collective; gives their count. sent and received: bytes of neighbour i. */
static int neighbours(MPI_Comm comm, double (*bytes)(const void *, int, int), const void *context)
{
  int n_in, n_out, weighted, k = 0;

  PMPI_Dist_graph_neighbors_count(comm, &n_in, &n_out, &weighted);
  int *const in = malloc(2 * ((size_t)n_in + (size_t)n_out + 1) * sizeof *in), *const out = in + n_in;
  int *const weight = out + n_out;
  PMPI_Dist_graph_neighbors(comm, n_in, in, weight, n_out, out, weight + n_in);
  for (int i = 0; i < n_in + n_out; i++) {
    const int   receives = i < n_in, j = receives ? i : i - n_in;
    const event e = {.what  = receives ? RECV : SEND,
                     .peer  = world_rank(comm, receives ? in[j] : out[j]),
                     .tag   = NEIGHBOUR_TAG,
                     .comm  = id_of(comm),
                     .bytes = bytes(context, receives, j)};
    k += begin(e) != 0;
  }
  free(in);
  return k;
}

typedef struct {
  const int   *sent, *received;
  MPI_Datatype from, to;
} counts;

static double of_counts(const void *context, int receives, int i)
{
  const counts *const c = context;
  return receives ? size_of(c->received[i], c->to) : size_of(c->sent[i], c->from);
}

static double of_equal(const void *context, int receives, int i)
{
  const counts *const c = context;
  (void)i;
  return receives ? size_of(*c->received, c->to) : size_of(*c->sent, c->from);
}

static void wait_for_last(int n)
{
  for (int i = n - 1; i >= 0; i--) add((event){.what = WAITED, .number = number - i});
  waited(n);
}

int MPI_Neighbor_alltoallv(const void *a, const int n[], const int at[], MPI_Datatype from, void *b, const int m[],
                           const int to_at[], MPI_Datatype to, MPI_Comm comm)
{
  const counts c = {n, m, from, to};
  wait_for_last(neighbours(comm, of_counts, &c));
  return leave(PMPI_Neighbor_alltoallv(a, n, at, from, b, m, to_at, to, comm));
}

int MPI_Neighbor_alltoall(const void *a, int n, MPI_Datatype from, void *b, int m, MPI_Datatype to, MPI_Comm comm)
{
  const counts c = {&n, &m, from, to};
  wait_for_last(neighbours(comm, of_equal, &c));
  return leave(PMPI_Neighbor_alltoall(a, n, from, b, m, to, comm));
}

int MPI_Ineighbor_alltoallv(const void *a, const int n[], const int at[], MPI_Datatype from, void *b, const int m[],
                            const int to_at[], MPI_Datatype to, MPI_Comm comm, MPI_Request *r)
{
  const counts c    = {n, m, from, to};
  const int    k    = neighbours(comm, of_counts, &c);
  const int    done = PMPI_Ineighbor_alltoallv(a, n, at, from, b, m, to_at, to, comm, r);
  if (k) remember(*r, (event){.what = SEND}, 0, number, k - 1);
  return leave(done);
}

int MPI_Ineighbor_alltoall(const void *a, int n, MPI_Datatype from, void *b, int m, MPI_Datatype to, MPI_Comm comm,
                           MPI_Request *r)
{
  const counts c    = {&n, &m, from, to};
  const int    k    = neighbours(comm, of_equal, &c);
  const int    done = PMPI_Ineighbor_alltoall(a, n, from, b, m, to, comm, r);
  if (k) remember(*r, (event){.what = SEND}, 0, number, k - 1);
  return leave(done);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static void write_group(FILE *file, int i)
{
  if (groups[i].shown) return;
  groups[i].shown = 1;
  fprintf(file, "comm %d %d", i, groups[i].size);
  for (int k = 0; k < groups[i].size; k++) fprintf(file, " %d", groups[i].rank[k]);
  fprintf(file, "\n");
}

static void write_event(FILE *file, const event *e)
{
  static const char *const name[] = {"send",   "recv",    "",      "wait",   "allreduce", "allgather", "alltoall",
                                     "gather", "scatter", "bcast", "reduce", "scan",      "barrier"};

  if (e->what <= RECV)
    fprintf(file, "%s %ld %d %d %.0f %d %.0f\n", name[e->what], e->number, e->peer, e->tag, e->bytes, e->comm, e->ns);
  else if (e->starts)
    fprintf(file, "start %ld %s %.0f %d %.0f\n", e->number, name[e->what], e->bytes, e->comm, e->ns);
  else
    fprintf(file, "%s %.0f %d %.0f\n", name[e->what], e->bytes, e->comm, e->ns);
}

static void write_all(FILE *file)
{
  const long first = n_event > most ? n_event - most : 0;
  int        open  = 0; // within the numbers of a wait

  for (long i = first; i < n_event; i++)
    if (events[i % most].what != WAIT && events[i % most].what != WAITED) write_group(file, events[i % most].comm);
  for (long i = first; i < n_event; i++) {
    const event *const e = &events[i % most];
    if (e->what == WAITED)
      fprintf(file, open++ ? " %ld" : "wait %ld", e->number);
    else if (e->what == WAIT) {
      if (open) fprintf(file, " %.0f\n", e->ns);
      open = 0;
    } else
      write_event(file, e);
  }
}

int MPI_Finalize(void)
{
  const char *const to = getenv("RECORD");
  char              path[4096];
  int               rank;

  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s.%d", to ? to : "record", rank);
  FILE *const file = fopen(path, "w");
  if (!file) abort();
  write_all(file);
  fclose(file);
  return PMPI_Finalize();
}
