/*
  What the program is made of: the libraries that it is linked to, with their versions, and how it was compiled. dladdr
  and RTLD_DEFAULT are not in POSIX.
*/
#define _GNU_SOURCE
#include "provenance.h"
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
#ifndef WRING_BUILD_TYPE // built without CMake
  #define WRING_BUILD_TYPE  ""
  #define WRING_BUILD_FLAGS ""
#endif

const char *wring_compiler(void)
{
  return COMPILER;
}

void wring_petsc_version(size_t size, char *text)
{
  PetscInt major, minor, patch;
  PetscGetVersionNumber(&major, &minor, &patch, NULL);
  snprintf(text, size, "%" PetscInt_FMT ".%" PetscInt_FMT ".%" PetscInt_FMT, major, minor, patch);
}

void wring_mpi_version(size_t size, char *text)
{
  char line[MPI_MAX_LIBRARY_VERSION_STRING];
  int  length;
  MPI_Get_library_version(line, &length);
  snprintf(text, size, "%.*s", (int)strcspn(line, ",\n"), line); // the rest describes the packager's machine
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
void wring_record_libraries(json_t *json)
{
  char     petsc[64], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  int      cholmod[3];
  unsigned hdf5[3];
  wring_petsc_version(sizeof petsc, petsc);
  wring_mpi_version(sizeof mpi, mpi);
  cholmod_version(cholmod);
  H5get_libversion(&hdf5[0], &hdf5[1], &hdf5[2]);
  json_object_set_new(
    json, "libraries",
    wring_json_object("petsc", JSON(petsc), "mpi", JSON(mpi), "cholmod", numbers(cholmod[0], cholmod[1], cholmod[2]),
                      "hdf5", numbers((int)hdf5[0], (int)hdf5[1], (int)hdf5[2]), "metis",
                      numbers(METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR), "mumps", JSON(MUMPS_VERSION),
                      "blas", blas_version(), "jansson", JSON(JANSSON_VERSION), "yaml", JSON(yaml_get_version_string()),
                      "zlib", JSON(zlibVersion()), "openssl", JSON(OpenSSL_version(OPENSSL_VERSION)), NULL));
}

void wring_record_build(json_t *json)
{
  json_object_set_new(json, "build",
                      wring_json_object("type", JSON(WRING_BUILD_TYPE), "compiler", JSON(COMPILER), "flags",
                                        JSON(WRING_BUILD_FLAGS), "vector_bits", JSON(wring_vector_bits()),
                                        "petsc_int_bits", JSON(8 * (json_int_t)sizeof(PetscInt)), NULL));
}
