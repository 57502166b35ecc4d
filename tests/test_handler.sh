#!/bin/bash
# ranks: 4
# A program that links libwring: one rank that fails ends all, with one line and the status asked for; without the
# handler of base.h rank 0 would wait for ever. A refusal on a part of the world is one line too. And an MPI that
# provides no threads is refused in one line if there are threads to use.
. "$(dirname "$0")/lib.sh"
client=$build/tests/test_handler

timeout -k 5 60 "$mpiexec" -n 2 "$client" alone >log 2>&1
status=$?
[ $status = 5 ] || fail "one rank fails: exit status $status, expected 5"
[ "$(grep -c '^client: internal error: a fault of rank 1 (fail_alone, ' log)" = 1 ] ||
  fail "one rank fails: not one line"
timeout -k 5 60 "$mpiexec" -n 4 "$client" >log 2>&1 || fail "bad input: exit status $?"
[ "$(grep -c '^client: ' log)" = 3 ] && grep -q '^client: deck:1: refused$' log &&
  grep -q '^client: deck:3: refused$' log && grep -q '^client: host: solver_type is "qnn", expected' log ||
  fail "bad input: expected three lines, of deck:1, deck:3 and solver_type"

# An MPI_Init_thread that provides less than it was asked for.
cat >single.c <<'END'
#include <mpi.h>
int MPI_Init_thread(int *c, char ***v, int wanted, int *provided)
{
  (void)wanted;
  const int error = PMPI_Init_thread(c, v, MPI_THREAD_SINGLE, provided);
  *provided = MPI_THREAD_SINGLE;
  return error;
}
int MPI_Query_thread(int *provided)
{
  *provided = MPI_THREAD_SINGLE;
  return MPI_SUCCESS;
}
END
if [ "${WRING_SANITIZE-}" != ON ] && mpicc -shared -fPIC -o single.so single.c 2>/dev/null; then
  OMP_NUM_THREADS=2 LD_PRELOAD=$PWD/single.so timeout 60 "$wring" version >log 2>&1
  status=$?
  [ $status = 1 ] && grep -q '^wring: OMP_NUM_THREADS: 2 threads, but MPI provides MPI_THREAD_SINGLE, expected' log ||
    fail "MPI without threads, 2 threads: exit status $status, expected 1 and one line"
  OMP_NUM_THREADS=1 LD_PRELOAD=$PWD/single.so timeout 60 "$wring" version >log 2>&1 ||
    fail "MPI without threads, 1 thread"
fi
