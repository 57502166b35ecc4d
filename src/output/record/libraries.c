/*
  What the program is made of: its version, the libraries that it is linked to, with theirs, and how it was compiled.
  dladdr and RTLD_DEFAULT are not in POSIX.
*/
#define _GNU_SOURCE
#include "record.h"
#if __has_include(<suitesparse/cholmod.h>)
  #include <suitesparse/cholmod.h>
#else
  #include <cholmod.h>
#endif
#include <dlfcn.h>
#include <dmumps_c.h>
#include <hdf5.h>
#include <metis.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>
#include <zlib.h>

#if defined(__clang__)
  #define COMPILER __VERSION__ // "Clang 14.0.6"
#elif defined(__GNUC__)
  #define COMPILER "gcc " __VERSION__
#else
  #define COMPILER "unknown compiler"
#endif
#ifndef WRING_VERSION
  #define WRING_VERSION "unknown" // built without CMake
#endif
#ifndef WRING_COMMIT
  #define WRING_COMMIT "" // unknown: built from an archive
#endif
#ifndef WRING_BUILD_TYPE // built without CMake
  #define WRING_BUILD_TYPE  ""
  #define WRING_BUILD_FLAGS ""
#endif

static void petsc_version(size_t size, char *text)
{
  PetscInt major, minor, patch;
  PetscGetVersionNumber(&major, &minor, &patch, NULL);
  snprintf(text, size, "%" PetscInt_FMT ".%" PetscInt_FMT ".%" PetscInt_FMT, major, minor, patch);
}

/* "Open MPI v4.1.4" */
static void mpi_version(size_t size, char *text)
{
  char line[MPI_MAX_LIBRARY_VERSION_STRING];
  int  length;
  MPI_Get_library_version(line, &length);
  snprintf(text, size, "%.*s", (int)strcspn(line, ",\n"), line); // the rest describes the packager's machine
}

void wring_version_line(size_t size, char *line)
{
  char petsc[32], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  petsc_version(sizeof petsc, petsc);
  mpi_version(sizeof mpi, mpi);
  snprintf(line, size, "wring " WRING_VERSION "%s%s%s, PETSc %s, %s, " COMPILER, WRING_COMMIT[0] ? " (" : "",
           WRING_COMMIT, WRING_COMMIT[0] ? ")" : "", petsc, mpi);
}

/* OpenBLAS and BLIS tell their versions; a library that does not is known by the file that its dgemm comes from. */
static json_t *blas_version(void)
{
  static const char *const tells[] = {"openblas_get_config", "bli_info_get_version_str"};
  void *const              dgemm   = dlsym(RTLD_DEFAULT, "dgemm_");
  const char *(*tell)(void);
  char    text[256];
  Dl_info found;
  for (size_t i = 0; i < sizeof tells / sizeof tells[0]; i++) {
    void *const symbol = dlsym(RTLD_DEFAULT, tells[i]);
    if (!symbol) continue;
    memcpy(&tell, &symbol, sizeof tell); // ISO C has no cast from an object to a function pointer
    snprintf(text, sizeof text, "%s%s", i ? "BLIS " : "", tell());
    return JSON(text);
  }
  if (!dgemm || !dladdr(dgemm, &found) || !found.dli_fname) return json_null();
  char *const       path  = realpath(found.dli_fname, NULL); // "libblas.so.3" is a link to one of several libraries
  const char *const whole = path ? path : found.dli_fname, *const slash = strrchr(whole, '/');
  json_t *const name = JSON(slash ? slash + 1 : whole);
  free(path);
  return name;
}

static json_t *numbers(int major, int minor, int patch)
{
  char text[64];
  snprintf(text, sizeof text, "%d.%d.%d", major, minor, patch);
  return JSON(text);
}

/* Versions of what is loaded, but of METIS, MUMPS and jansson: of the headers that wring was compiled with. */
static json_t *libraries(const char *petsc, const char *mpi)
{
  int      cholmod[3];
  unsigned hdf5[3];
  cholmod_version(cholmod);
  H5get_libversion(&hdf5[0], &hdf5[1], &hdf5[2]);
  return wring_json_object(
    "petsc", JSON(petsc), "mpi", JSON(mpi), "cholmod", numbers(cholmod[0], cholmod[1], cholmod[2]), "hdf5",
    numbers((int)hdf5[0], (int)hdf5[1], (int)hdf5[2]), "metis",
    numbers(METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR), "mumps", JSON(MUMPS_VERSION), "blas", blas_version(),
    "jansson", JSON(JANSSON_VERSION), "yaml", JSON(yaml_get_version_string()), "zlib", JSON(zlibVersion()), "openssl",
    JSON(OpenSSL_version(OPENSSL_VERSION)), NULL);
}

void wring_record_program(json_t *json)
{
  const json_int_t bits = 8 * (json_int_t)sizeof(PetscInt);
  char             petsc[64], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  petsc_version(sizeof petsc, petsc);
  mpi_version(sizeof mpi, mpi);
  wring_json_set(json, "version", JSON(WRING_VERSION), "commit", WRING_COMMIT[0] ? JSON(WRING_COMMIT) : json_null(),
                 "petsc", JSON(petsc), "petsc_int_bits", JSON(bits), "mpi", JSON(mpi), "compiler", JSON(COMPILER),
                 "libraries", libraries(petsc, mpi), "build",
                 wring_json_object("type", JSON(WRING_BUILD_TYPE), "compiler", JSON(COMPILER), "flags",
                                   JSON(WRING_BUILD_FLAGS), "vector_bits", JSON(wring_vector_bits()), "petsc_int_bits",
                                   JSON(bits), NULL),
                 NULL);
}
