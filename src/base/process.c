/* dlsym with RTLD_DEFAULT is not in POSIX. */
#define _GNU_SOURCE
#include <wring/base.h>
#include <dlfcn.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

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
