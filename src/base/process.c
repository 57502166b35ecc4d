/* Libraries, memory, caches and vectors of this process. _SC_LEVEL3_CACHE_SIZE is not in POSIX. */
#define _GNU_SOURCE
#include <wring/base.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

PetscErrorCode wring_start_libraries(int *argc, char ***argv)
{
  static char  program[] = "wring", no_file[] = "-skip_petscrc", no_signals[] = "-no_signal_handler";
  static char *words[] = {program, no_file, no_signals, NULL};
  int          n       = 3, provided, started;
  char       **w       = words;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Initialized(&started));
  if (!started) PetscCallMPI(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided));
  PetscCall(PetscInitialize(&n, &w, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
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

/* VmHWM of proc(5): ru_maxrss also counts the program that the process was before exec. */
double wring_peak_memory(void)
{
  FILE *const   file = fopen("/proc/self/status", "r");
  struct rusage usage;
  char          line[128];
  long          kib = 0;

  while (file && fgets(line, sizeof line, file) && sscanf(line, "VmHWM: %ld", &kib) != 1) continue;
  if (file) fclose(file);
  if (kib > 0) return 1024.0 * (double)kib;
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * (double)usage.ru_maxrss; // KiB on Linux
}

double wring_node_memory(void)
{
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (double)pages * (double)page : 0;
}

/* Pages, proc(5): size resident shared text lib data. */
static double read_pages(int which)
{
  FILE *const file     = fopen("/proc/self/statm", "r");
  long        pages[2] = {0};
  const int   n        = file ? fscanf(file, "%*d %ld %*d %*d %*d %ld", &pages[0], &pages[1]) : 0;
  if (file) fclose(file);
  return n == 2 ? (double)sysconf(_SC_PAGESIZE) * (double)pages[which] : wring_peak_memory(); // not Linux
}

double wring_resident_memory(void)
{
  return read_pages(0);
}

double wring_set_aside_memory(void)
{
  return read_pages(1);
}
