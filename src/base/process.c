/* dlsym with RTLD_DEFAULT is not in POSIX. */
#define _GNU_SOURCE
#include <wring/base.h>
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/*
  The BLAS library is chosen when the program is loaded (Debian's alternatives), so its setter is looked up at run time.
*/
void wring_blas_set_threads(int n)
{
  static const char *const setter[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads", "bli_thread_set_num_threads"};
  for (size_t i = 0; i < sizeof setter / sizeof setter[0]; i++) {
    void *const symbol = dlsym(RTLD_DEFAULT, setter[i]);
    if (!symbol) continue;
    void (*set)(int);
    memcpy(&set, &symbol, sizeof set); // ISO C has no cast from an object to a function pointer
    set(n);
    return;
  }
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

int wring_max_threads(void)
{
  return omp_get_max_threads();
}

void wring_set_threads(int n)
{
  omp_set_num_threads(n);
}

/* The C library of Linux reports three levels of caches, 0 or -1 if unknown. */
double wring_last_cache(void)
{
  long bytes = 0;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (bytes <= 0) bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
  return bytes > 0 ? (double)bytes : 0;
}

int wring_vector_bits(void)
{
#if defined(__AVX512F__)
  return 512;
#elif defined(__AVX__)
  return 256;
#elif defined(__SSE2__) || defined(__ARM_NEON)
  return 128;
#else
  return 64;
#endif
}

double wring_peak_memory(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss; // KiB on Linux
}

/* Pages, proc(5): size resident shared text lib data. */
void wring_current_memory(double *resident, double *set_aside)
{
  const double page = (double)sysconf(_SC_PAGESIZE);
  FILE *const  file = fopen("/proc/self/statm", "r");
  long         pages[2];
  *resident  = wring_peak_memory(); // not Linux
  *set_aside = *resident;
  if (!file) return;
  if (fscanf(file, "%*d %ld %*d %*d %*d %ld", &pages[0], &pages[1]) == 2) {
    *resident  = page * (double)pages[0];
    *set_aside = page * (double)pages[1];
  }
  fclose(file);
}
