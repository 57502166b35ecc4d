/* dlsym with RTLD_DEFAULT is not in POSIX. */
#define _GNU_SOURCE
#include <wring/base.h>
#include <dlfcn.h>
#include <omp.h>
#include <string.h>
#include <sys/resource.h>

/* The BLAS is chosen when the program is loaded (Debian's alternatives), so its own setter is looked up at run time. */
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

int wring_max_threads(void)
{
  return omp_get_max_threads();
}

double wring_peak_memory(void)
{
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss; // KiB on Linux
}
