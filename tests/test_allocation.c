/* ranks: 1 */
/*
  Descent and splitting methods do not allocate memory inside an iteration: a long solve makes as many allocations as a
  short one, counted over all libraries and threads. On one rank only, because MPI allocates for messages and sums. Not
  for newton, which assembles and solves with PETSc's matrices, nor for the sweeps of xpbd, whose halos PetscSF compares
  by their types, which allocates. LLVM's OpenMP, which clang links, allocates in every parallel region that one thread
  runs: calls from its code are not counted. Fails if an iteration, or a function that it calls, allocates memory that
  it could keep.
*/
#define _GNU_SOURCE
#include "body.h"

#if defined(__has_feature)
  #define HAS_FEATURE(x) __has_feature(x)
#else
  #define HAS_FEATURE(x) 0
#endif

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !HAS_FEATURE(address_sanitizer)
  #define COUNTS 1

  #include <dlfcn.h>
  #include <errno.h>
  #include <link.h>
  #include <stdatomic.h>

static atomic_long allocations;
static uintptr_t   fork_call, runtime, runtime_end; // a function of LLVM's OpenMP and its code, or 0

static int find_runtime(struct dl_phdr_info *object, size_t size, void *context)
{
  (void)size, (void)context;
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *const part  = &object->dlpi_phdr[i];
    const uintptr_t         first = object->dlpi_addr + part->p_vaddr, end = first + part->p_memsz;
    if (part->p_type == PT_LOAD && fork_call >= first && fork_call < end) runtime = first, runtime_end = end;
  }
  return 0;
}

static void leave_out_runtime(void)
{
  fork_call = (uintptr_t)dlsym(RTLD_DEFAULT, "__kmpc_fork_call");
  if (fork_call) dl_iterate_phdr(find_runtime, NULL);
}

static void note(const void *caller)
{
  if ((uintptr_t)caller < runtime || (uintptr_t)caller >= runtime_end) atomic_fetch_add(&allocations, 1);
}

/* These replace the C library's functions in the whole program, shared libraries included. */
extern void *__libc_malloc(size_t n), *__libc_calloc(size_t n, size_t size), *__libc_realloc(void *p, size_t n);
extern void *__libc_memalign(size_t alignment, size_t n);

void *malloc(size_t n)
{
  note(__builtin_return_address(0));
  return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
  note(__builtin_return_address(0));
  return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
  note(__builtin_return_address(0));
  return __libc_realloc(p, n);
}

void *aligned_alloc(size_t alignment, size_t n)
{
  note(__builtin_return_address(0));
  return __libc_memalign(alignment, n);
}

int posix_memalign(void **p, size_t alignment, size_t n)
{
  note(__builtin_return_address(0));
  *p = __libc_memalign(alignment, n);
  return *p ? 0 : ENOMEM;
}

static long count(void)
{
  return atomic_load(&allocations);
}
#else
  #define COUNTS 0
static void leave_out_runtime(void) {}

static long count(void)
{
  return 0;
}
#endif

typedef struct {
  const char *name, *material, *operator_type;
  PetscInt    few, many; // iterations
} method;

static const method methods[] = {
  {"qn", "neohookean", "multigrid", 8, 12},  {"qn", "neohookean", "direct", 8, 12},
  {"qn", "corotated", "multigrid", 8, 12},   {"pd", "strain", "multigrid", 2, 5},
  {"pd", "strain", "direct", 2, 5},          {"chebyshev", "strain", "multigrid", 2, 5},
  {"admm", "neohookean", "multigrid", 2, 5}, {"admm", "strain", "direct", 2, 5},
  {"anderson", "strain", "multigrid", 2, 5}, {"gradient_descent", "neohookean", "direct", 2, 5},
};

/* Allocations of a solve from rest towards y. */
static PetscErrorCode solve(const test_body *b, const char *name, PetscInt max_it, wring_solver *s, Vec x, long *n)
{
  wring_outcome outcome;

  PetscFunctionBegin;
  PetscCall(VecCopy(b->x, x));
  wring_solver_set_limits(s, max_it, 0, 0, 1);
  const long before = count();
  PetscCall(wring_solver_solve(s, x, &outcome));
  *n = count() - before;
  CHECK(outcome.iterations == max_it, "%s: %d iterations of %d", name, (int)outcome.iterations, (int)max_it);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_method(const method *m)
{
  test_body     b;
  wring_solver *s;
  Vec           x, y;
  long          first, few, many;

  PetscFunctionBegin;
  PetscCall(test_body_create(m->material, 0.02, 12, &b));
  PetscCall(wring_options_set(b.o, "operator_type", m->operator_type, "test"));
  PetscCall(test_body_attach(&b, "xmin", 1e6, test_twist));
  PetscCall(test_body_set_up_with(&b, test_twist, 0.02, &y));
  PetscCall(VecDuplicate(b.x, &x));
  PetscCall(test_body_solver(&b, m->name, &s));
  PetscCall(solve(&b, m->name, m->many, s, x, &first)); // first use: allocates what libraries keep
  PetscCall(solve(&b, m->name, m->few, s, x, &few));
  PetscCall(solve(&b, m->name, m->many, s, x, &many));
  CHECK(many == few, "%s of %s, operator_type %s: %ld allocations in %d iterations and %ld in %d", m->name, m->material,
        m->operator_type, few, (int)m->few, many, (int)m->many);
  PetscCall(wring_solver_destroy(&s));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(test_body_destroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  if (!COUNTS) printf("skipped: allocations are counted with glibc and without sanitizers\n");
  wring_blas_set_threads(1);
  test_twist_rate = 0.3;
  leave_out_runtime();
  for (size_t i = 0; COUNTS && i < sizeof methods / sizeof methods[0]; i++) PetscCall(test_method(&methods[i]));
  PetscCall(PetscFinalize());
  return COUNTS ? 0 : TEST_SKIPPED;
}
