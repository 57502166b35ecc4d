/*
  Calls that jobs/replay/record.c knows and wring may use, on three ranks: tests/test_replay.sh states what they are.
*/
#include <mpi.h>

int main(int argc, char **argv)
{
  const int    one = 1, zero = 0;
  const double mine = 1;
  double       other, *shared;
  int          rank, size;
  MPI_Win      window;
  MPI_Comm     graph;
  MPI_Request  request, pair[2];

  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  MPI_Win_allocate_shared(8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  MPI_Win_fence(0, window);
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &from, &one, 1, &to, &one, MPI_INFO_NULL, 0, &graph);
  MPI_Ineighbor_alltoallv(&mine, &one, &zero, MPI_DOUBLE, &other, &one, &zero, MPI_DOUBLE, graph, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Recv_init(&other, 1, MPI_DOUBLE, from, 7, MPI_COMM_WORLD, &pair[0]);
  MPI_Send_init(&mine, 1, MPI_DOUBLE, to, 7, MPI_COMM_WORLD, &pair[1]);
  for (int i = 0; i < 2; i++) {
    MPI_Startall(2, pair);
    MPI_Waitall(2, pair, MPI_STATUSES_IGNORE);
  }
  MPI_Request_free(&pair[0]);
  MPI_Request_free(&pair[1]);
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Win_free(&window);
  return MPI_Finalize();
}
