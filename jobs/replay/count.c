/*
  What a rank sends, and the memory that it took: at the end every rank writes $COUNT.<rank> with the lines
      bytes <sent>, largest <bytes of an array of one collective call>, memory <kB>, <rank> <messages sent to it> ...
  memory: the highest resident memory less the pages of files and of memory shared by ranks at the end. Preloaded.
  For python3 jobs replay and tests/growth.
      mpicc -shared -fPIC -O2 count.c -o count.so; LD_PRELOAD=./count.so COUNT=counts mpiexec -n 2 program
*/
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_REQUEST = 65536 };

typedef struct {
  MPI_Request request; // persistent send
  int         to;      // rank of MPI_COMM_WORLD
  double      bytes;
} persistent;

static persistent request[N_REQUEST];
static int        n_request;
static long      *sent; // [size] messages to each rank
static double     bytes, largest;

static double size_of(double n, MPI_Datatype type)
{
  int size;
  MPI_Type_size(type, &size);
  return n * size;
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

static int ranks_of(MPI_Comm comm)
{
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

static void add(int to, double size)
{
  if (to < 0) return;
  if (!sent) sent = calloc((size_t)ranks_of(MPI_COMM_WORLD), sizeof *sent);
  if (!sent) abort();
  sent[to]++;
  bytes += size;
}

static void call(double size)
{
  if (size > largest) largest = size;
}

#define SEND(name)                                                                                                     \
  int name(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)                                    \
  {                                                                                                                    \
    add(world_rank(comm, to), size_of(n, type));                                                                       \
    return P##name(a, n, type, to, tag, comm);                                                                         \
  }
SEND(MPI_Send)
SEND(MPI_Ssend)

#define ISEND(name)                                                                                                    \
  int name(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)                    \
  {                                                                                                                    \
    add(world_rank(comm, to), size_of(n, type));                                                                       \
    return P##name(a, n, type, to, tag, comm, r);                                                                      \
  }
ISEND(MPI_Isend)
ISEND(MPI_Issend)

int MPI_Send_init(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)
{
  const int status = PMPI_Send_init(a, n, type, to, tag, comm, r);
  if (n_request == N_REQUEST) abort();
  request[n_request++] = (persistent){*r, world_rank(comm, to), size_of(n, type)};
  return status;
}

static void started(MPI_Request r)
{
  for (int i = 0; i < n_request; i++)
    if (request[i].request == r) add(request[i].to, request[i].bytes);
}

int MPI_Start(MPI_Request *r)
{
  started(*r);
  return PMPI_Start(r);
}

int MPI_Startall(int n, MPI_Request *r)
{
  for (int i = 0; i < n; i++) started(r[i]);
  return PMPI_Startall(n, r);
}

int MPI_Request_free(MPI_Request *r)
{
  for (int i = 0; i < n_request; i++)
    if (request[i].request == *r) request[i--] = request[--n_request];
  return PMPI_Request_free(r);
}

int MPI_Allreduce(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  call(size_of(n, type));
  return PMPI_Allreduce(a, b, n, type, op, comm);
}

int MPI_Reduce_scatter_block(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  call(size_of((double)n * ranks_of(comm), type));
  return PMPI_Reduce_scatter_block(a, b, n, type, op, comm);
}

int MPI_Allgather(const void *a, int n, MPI_Datatype type, void *b, int m, MPI_Datatype to, MPI_Comm comm)
{
  call(size_of((double)m * ranks_of(comm), to));
  return PMPI_Allgather(a, n, type, b, m, to, comm);
}

int MPI_Allgatherv(const void *a, int n, MPI_Datatype type, void *b, const int *count, const int *offset,
                   MPI_Datatype to, MPI_Comm comm)
{
  double all = 0;
  for (int p = 0; p < ranks_of(comm); p++) all += count[p];
  call(size_of(all, to));
  return PMPI_Allgatherv(a, n, type, b, count, offset, to, comm);
}

int MPI_Gather(const void *a, int n, MPI_Datatype type, void *b, int m, MPI_Datatype to, int root, MPI_Comm comm)
{
  int rank;
  MPI_Comm_rank(comm, &rank);
  call(rank == root ? size_of((double)m * ranks_of(comm), to) : size_of(n, type));
  return PMPI_Gather(a, n, type, b, m, to, root, comm);
}

int MPI_Alltoall(const void *a, int n, MPI_Datatype type, void *b, int m, MPI_Datatype to, MPI_Comm comm)
{
  call(size_of((double)n * ranks_of(comm), type));
  return PMPI_Alltoall(a, n, type, b, m, to, comm);
}

int MPI_Scan(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  call(size_of(n, type));
  return PMPI_Scan(a, b, n, type, op, comm);
}

int MPI_Exscan(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  call(size_of(n, type));
  return PMPI_Exscan(a, b, n, type, op, comm);
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

int MPI_Finalize(void)
{
  const double memory = status_kb("VmHWM:") - status_kb("RssFile:") - status_kb("RssShmem:");
  char         path[4096];
  int          rank;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s.%d", getenv("COUNT") ? getenv("COUNT") : "count", rank);
  FILE *const file = fopen(path, "w");
  if (!file) abort();
  fprintf(file, "bytes %.0f\nlargest %.0f\nmemory %.0f\n", bytes, largest, memory);
  for (int p = 0; sent && p < ranks_of(MPI_COMM_WORLD); p++)
    if (sent[p] && p != rank) fprintf(file, "%d %ld\n", p, sent[p]);
  fclose(file);
  return PMPI_Finalize();
}
