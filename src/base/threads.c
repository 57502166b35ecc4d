/* Threads of OpenMP and BLAS, and the cores of a node. sched_getaffinity and RTLD_DEFAULT are not in POSIX. */
#define _GNU_SOURCE
#include <wring/base.h>
#include <dirent.h>
#include <dlfcn.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

int wring_max_threads(void)
{
  return omp_get_max_threads();
}

void wring_set_threads(int n)
{
  omp_set_num_threads(n);
}

/*
  The BLAS library is chosen when the program is loaded (Debian's alternatives), so its functions are looked up at run
  time: the first of these names that is there, in `function`, a pointer to a function. ISO C has no cast from an object
  to such a pointer, hence memcpy.
*/
static PetscBool look_up(int n, const char *const *name, void *function)
{
  void *symbol = NULL;
  for (int i = 0; i < n && !symbol; i++) symbol = dlsym(RTLD_DEFAULT, name[i]);
  memcpy(function, &symbol, sizeof symbol);
  return (PetscBool)(symbol != NULL);
}

void wring_blas_set_threads(int n)
{
  static const char *const name[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads", "bli_thread_set_num_threads"};
  const int                openmp = omp_get_max_threads();
  void (*set)(int);
  if (!look_up(3, name, &set)) return;
  set(n);
  omp_set_num_threads(openmp); // which an OpenBLAS built with OpenMP sets to n, too
}

/* The number of threads of BLAS, 1 if it is unknown. */
static int get_blas(void)
{
  static const char *const name[] = {"openblas_get_num_threads", "MKL_Get_Max_Threads", "bli_thread_get_num_threads"};
  int (*get)(void);
  return look_up(3, name, &get) ? get() : 1;
}

/* Whether the threads of BLAS are its own, which only OpenBLAS tells: 0 none, 1 its own, 2 those of OpenMP. */
static PetscBool blas_has_own_threads(void)
{
  static const char *const name = "openblas_get_parallel";
  int (*kind)(void);
  return (PetscBool)(look_up(1, &name, &kind) && kind() != 2);
}

int wring_blas_begin(void)
{
  const int levels = omp_get_max_active_levels();
  if (get_blas() <= 1 || blas_has_own_threads()) omp_set_max_active_levels(0);
  return levels;
}

void wring_blas_end(int levels)
{
  omp_set_max_active_levels(levels);
}

PetscErrorCode wring_check_thread_level(MPI_Comm comm)
{
  int level, threads = omp_get_max_threads();

  PetscFunctionBegin;
  PetscCallMPI(MPI_Query_thread(&level));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MAX, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_INT, MPI_MIN, comm));
  if (level < MPI_THREAD_FUNNELED && threads > 1)
    WRING_REFUSE(comm,
                 "OMP_NUM_THREADS: %d threads, but MPI provides MPI_THREAD_SINGLE, expected MPI_THREAD_FUNNELED or "
                 "one thread",
                 threads);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- cores of a process ------------------------------------------------------------------------------------------ */

/*
  The cores that this process may use, one byte each. Where OpenMP binds threads to places (OMP_PROC_BIND, OMP_PLACES),
  the affinity of each thread, also of the first one, is its own place alone, but all places together are what the
  process was given.
*/
static void get_cores(unsigned char used[CPU_SETSIZE])
{
  const int places = omp_get_num_places();
  int       core[CPU_SETSIZE];
  cpu_set_t set;
  memset(used, 0, CPU_SETSIZE);
  for (int p = 0; p < places; p++) {
    const int n = omp_get_place_num_procs(p);
    if (n > CPU_SETSIZE) continue;
    omp_get_place_proc_ids(p, core);
    for (int i = 0; i < n; i++)
      if (core[i] >= 0 && core[i] < CPU_SETSIZE) used[core[i]] = 1;
  }
  if (places > 0 || sched_getaffinity(0, sizeof set, &set)) return; // an error: more cores than CPU_SETSIZE
  for (int i = 0; i < CPU_SETSIZE; i++) used[i] = CPU_ISSET(i, &set) ? 1 : 0;
}

void wring_cores_list(size_t size, char *text)
{
  unsigned char used[CPU_SETSIZE + 1];
  size_t        end = 0;
  get_cores(used);
  used[CPU_SETSIZE] = 0;
  text[0]           = '\0';
  for (int i = 0, first; i < CPU_SETSIZE && end < size; i++) {
    if (!used[i]) continue;
    for (first = i; used[i + 1];) i++;
    end += (size_t)snprintf(text + end, size - end, first < i ? "%s%d-%d" : "%s%d", end ? "," : "", first, i);
  }
}

/* ---- how threads wait -------------------------------------------------------------------------------------------- */

/*
  libgomp polls 3e5 times by default, 3 to 15 ms, in which a thread keeps the core that a thread of another process, or
  of its own team, waits for. 1000 polls are 10 to 50 us. LLVM's library polls for KMP_BLOCKTIME milliseconds, 200 by
  default. These are read when the program is loaded, so it is loaded once more, with the cores that it had at first:
  OpenMP has already bound this thread to one place.
*/
static void unbind(void)
{
  unsigned char used[CPU_SETSIZE];
  cpu_set_t     set;
  get_cores(used);
  CPU_ZERO(&set);
  for (int i = 0; i < CPU_SETSIZE; i++)
    if (used[i]) CPU_SET(i, &set);
  sched_setaffinity(0, sizeof set, &set); // if it fails, all threads share a core, which wring_cores_measure tells
}

void wring_threads_wait_briefly(char **argv)
{
  static const char *const chosen[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY"};
  char                     path[PETSC_MAX_PATH_LEN];
  if (omp_get_max_threads() == 1) return;
  for (size_t i = 0; i < sizeof chosen / sizeof chosen[0]; i++) {
    if (getenv(chosen[i])) return;
  }
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
  if (n <= 0) return; // not Linux
  path[n] = '\0';
  setenv("GOMP_SPINCOUNT", "1000", 1);
  setenv("KMP_BLOCKTIME", "0", 1);
  unbind();
  execv(path, argv);
}

/* ---- cores of a node --------------------------------------------------------------------------------------------- */

static int count(const unsigned char used[CPU_SETSIZE])
{
  int n = 0;
  for (int i = 0; i < CPU_SETSIZE; i++) n += used[i];
  return n;
}

PetscErrorCode wring_cores_measure(MPI_Comm comm, wring_cores *c)
{
  unsigned char used[CPU_SETSIZE];
  MPI_Comm      node;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  get_cores(used);
  *c = (wring_cores){.threads = omp_get_max_threads(), .cores = count(used), .node_ranks = (int)wring_comm_size(node)};
  PetscCallMPI(MPI_Allreduce(&c->threads, &c->node_threads, 1, MPI_INT, MPI_SUM, node));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, used, CPU_SETSIZE, MPI_UNSIGNED_CHAR, MPI_MAX, node));
  c->node_cores = c->cores > 0 ? count(used) : 0;
  PetscCallMPI(MPI_Comm_free(&node));
  c->installed = (int)sysconf(_SC_NPROCESSORS_ONLN);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  proc(5): /proc/PID/task/TID/schedstat is "nanoseconds on a core, nanoseconds ready but without a core, ...". A thread
  that has just ended is left out.
*/
static void add_task(const char *task, wring_core_use *u)
{
  char      path[64];
  long long run, ready;
  snprintf(path, sizeof path, "/proc/self/task/%.20s/schedstat", task);
  FILE *const file = fopen(path, "r");
  if (!file) return;
  if (fscanf(file, "%lld %lld", &run, &ready) == 2) {
    u->running += 1e-9 * (double)run;
    u->ready += 1e-9 * (double)ready;
  }
  fclose(file);
}

void wring_core_use_measure(wring_core_use *u)
{
  DIR *const    folder = opendir("/proc/self/task");
  struct rusage usage;
  *u = (wring_core_use){0};
  if (getrusage(RUSAGE_SELF, &usage) == 0) u->switches = (double)usage.ru_nivcsw;
  if (!folder) return; // not Linux
  for (const struct dirent *task = readdir(folder); task; task = readdir(folder)) {
    if (task->d_name[0] != '.') add_task(task->d_name, u);
  }
  closedir(folder);
}
