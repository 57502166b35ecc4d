/*
  Counts what a program sends: at the end every rank writes $COUNT.<rank> with a line `tag messages bytes` for each tag
  of its messages and a line `name calls bytes` for each kind of collective call. Preloaded; of PETSc's calls those that
  its halos use.
      mpicc -shared -fPIC -O2 count.c -o count.so; LD_PRELOAD=./count.so COUNT=counts mpiexec -n 2 program
*/
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_TAG = 4096, N_REQUEST = 65536 };

typedef struct {
  int    tag;
  long   messages;
  double bytes;
} tally;

typedef struct {
  MPI_Request request; // persistent send, MPI_REQUEST_NULL where there is none
  int         tag;
  double      bytes;
} persistent;

typedef enum { ALLREDUCE, ALLGATHERV, OTHER, N_COLLECTIVE } collective;

static tally      by_tag[N_TAG];
static int        n_tag;
static tally      by_call[N_COLLECTIVE];
static persistent request[N_REQUEST];
static int        n_request;

static double size_of(int n, MPI_Datatype type)
{
  int size;
  MPI_Type_size(type, &size);
  return (double)n * size;
}

static void add(int tag, double bytes)
{
  int i = 0;
  while (i < n_tag && by_tag[i].tag != tag) i++;
  if (i == N_TAG) abort();
  if (i == n_tag) by_tag[n_tag++].tag = tag;
  by_tag[i].messages++;
  by_tag[i].bytes += bytes;
}

static void call(collective c, double bytes)
{
  by_call[c].messages++;
  by_call[c].bytes += bytes;
}

static void started(MPI_Request r)
{
  for (int i = 0; i < n_request; i++)
    if (request[i].request == r) add(request[i].tag, request[i].bytes);
}

int MPI_Send(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
  add(tag, size_of(n, type));
  return PMPI_Send(a, n, type, to, tag, comm);
}

int MPI_Isend(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)
{
  add(tag, size_of(n, type));
  return PMPI_Isend(a, n, type, to, tag, comm, r);
}

int MPI_Issend(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)
{
  add(tag, size_of(n, type));
  return PMPI_Issend(a, n, type, to, tag, comm, r);
}

int MPI_Send_init(const void *a, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *r)
{
  const int status = PMPI_Send_init(a, n, type, to, tag, comm, r);
  if (n_request == N_REQUEST) abort();
  request[n_request++] = (persistent){*r, tag, size_of(n, type)};
  return status;
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
  for (int i = 0; i < n_request; i++)
    if (request[i].request == *r) request[i--] = request[--n_request];
  return PMPI_Request_free(r);
}

int MPI_Allreduce(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
  call(ALLREDUCE, size_of(n, type));
  return PMPI_Allreduce(a, b, n, type, op, comm);
}

int MPI_Iallreduce(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *r)
{
  call(ALLREDUCE, size_of(n, type));
  return PMPI_Iallreduce(a, b, n, type, op, comm, r);
}

int MPI_Allgatherv(const void *a, int n, MPI_Datatype type, void *b, const int *count, const int *offset,
                   MPI_Datatype to, MPI_Comm comm)
{
  call(ALLGATHERV, size_of(n, type));
  return PMPI_Allgatherv(a, n, type, b, count, offset, to, comm);
}

int MPI_Bcast(void *a, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
  call(OTHER, size_of(n, type));
  return PMPI_Bcast(a, n, type, root, comm);
}

int MPI_Reduce(const void *a, void *b, int n, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
{
  call(OTHER, size_of(n, type));
  return PMPI_Reduce(a, b, n, type, op, root, comm);
}

int MPI_Barrier(MPI_Comm comm)
{
  call(OTHER, 0);
  return PMPI_Barrier(comm);
}

int MPI_Finalize(void)
{
  static const char *const name[N_COLLECTIVE] = {"allreduce", "allgatherv", "other"};
  const char *const        to                 = getenv("COUNT");
  char                     path[4096];
  int                      rank;

  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(path, sizeof path, "%s.%d", to ? to : "count", rank);
  FILE *const file = fopen(path, "w");
  if (!file) abort();
  for (int i = 0; i < n_tag; i++) fprintf(file, "%d %ld %.0f\n", by_tag[i].tag, by_tag[i].messages, by_tag[i].bytes);
  for (int i = 0; i < N_COLLECTIVE; i++) fprintf(file, "%s %ld %.0f\n", name[i], by_call[i].messages, by_call[i].bytes);
  fclose(file);
  return PMPI_Finalize();
}
