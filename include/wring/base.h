/*
  Layer 1, base: declarations that every other header may include: blocks, errors, vector kernels, phases.

  Units are SI, except that angles and spins are in degrees; local and global numbers count from 0. Arrays are "shape
  [a][b]", the last index fastest.

  Map of src/base, in reading order:
    error.c         errors and the handler that ends all ranks; note.c: notes, those that are repeated counted
    text.c, text.h  words, numbers and files of text, in any locale
    count.c         the limit on counts; map.c a hash table, sort.c sorting, forest.h components, grow.h tables that
                    grow
    exchange.c      rows between ranks; parallel/: who sends to a rank (consensus.h), sorts over ranks (sorting.h)
    vector.c        threaded kernels of vectors; memory.c aligned arrays; block3.c, block3.h 3x3 algebra of blocks,
                    vector3.h of single vectors
    curve.c         curves of time (curve.h); rotation.c, random.c, phase.c, process.c: small functions
    threads.c       threads of OpenMP, how they wait, and the cores that they share
    options/        the database of a deck (options.h): options.c keys, option_value.c values, set_text.c values that
                    are files, schema.c tables and help, plugin.c members that libraries bring (plugin.h)
  Not here: code that depends on meshes, energies or result files.

  Threads. One thread of each rank calls these functions; none is thread-safe unless its comment states it. The vector
  kernels, and the element loops of higher layers, use OpenMP threads internally.

  Effects on the whole process, for programs that link libwring:
    omp_set_dynamic(0)     by the factorisation in teams (operator), so that a team has as many threads as requested
    threads of OpenMP      wring_set_threads
    threads of BLAS        wring_blas_set_threads, which wring_operator_create calls with operator_blas_threads
    PETSc's options        petsc_* keys are set in PETSc's global database when a deck or a command line is read
    floating point         subnormal numbers are flushed to zero during a solve (operator), and then treated as before
    malloc                 only by wring_memory_return_freed (main.c)
    environment            GOMP_SPINCOUNT and KMP_BLOCKTIME, only by wring_threads_wait_briefly (main.c)
    signals                only by wring_study_hold_signals, and by the program (main.c)
    error handlers         wring_error_handler_push, and PETSc's stack while a solver of PETSc is tried
    locale                 unchanged; numbers are read the same in any, but written by printf: leave LC_NUMERIC at "C"
*/
#pragma once
#include <petscmat.h>
#include <petscsf.h>
#include <stdint.h>

#if PETSC_VERSION_LT(3, 19, 0)
  #define PETSC_SUCCESS 0 // first named in PETSc 3.19
#endif
#if PETSC_VERSION_LT(3, 24, 0) // the MPI type of a PetscBool, which is C's bool since then
  #define WRING_MPI_BOOL MPIU_BOOL
#else
  #define WRING_MPI_BOOL MPI_C_BOOL
#endif
#if !defined(PETSC_USE_REAL_DOUBLE) || defined(PETSC_USE_COMPLEX)
  #error "wring needs a PETSc with real double scalars (Debian: libpetsc-real-dev; Spack: petsc ~complex)"
#endif

/* This process's rank in a communicator; its size. Not collective. A communicator that was freed ends the program. */
static inline PetscMPIInt wring_comm_rank(MPI_Comm comm)
{
  PetscMPIInt rank;
  if (MPI_Comm_rank(comm, &rank)) MPI_Abort(MPI_COMM_WORLD, PETSC_ERR_MPI);
  return rank;
}

static inline PetscMPIInt wring_comm_size(MPI_Comm comm)
{
  PetscMPIInt size;
  if (MPI_Comm_size(comm, &size)) MPI_Abort(MPI_COMM_WORLD, PETSC_ERR_MPI);
  return size;
}

/* Elements of a block, structure of arrays: a value of a block is double [WRING_LANES], aligned to 64 bytes. */
enum { WRING_LANES = 8 };
#define WRING_ALIGNED _Alignas(64)
typedef const double (*wring_in)[WRING_LANES]; // [rows][WRING_LANES], aligned to 64 bytes
typedef double (*wring_out)[WRING_LANES];

/* ---- errors ------------------------------------------------------------------------------------------------------ */

/*
  One rule. A fault that all ranks of a communicator find alike is raised where it is found, as a PetscErrorCode:
  WRING_REFUSE or a macro of PETSc. A fault that one rank finds, in a file or in its part of the mesh, is set in the
  wring_error that its caller has given, and the result is then empty. Whoever declares a wring_error raises it on all
  ranks, or shows it, before the result is used; nobody drops it to go on. Something that may be absent is looked for
  first (wring_file_is_there), and that this cannot be found out is an error, too.

  The text is one line that names the file and line (or the key), the value and what is expected: "part.msh:151: element
  41 refers to node 95, ..."
*/
typedef struct {
  char text[1024]; // empty: no error; asked by wring_failed only
} wring_error;

/* Sets the text unless it is already set, so that the first error is kept. Not collective. */
void wring_error_set(wring_error *e, const char *format, ...) __attribute__((format(printf, 2, 3)));

static inline PetscBool wring_failed(const wring_error *e)
{
  return (PetscBool)(e->text[0] != '\0');
}

/* For a fault that one earlier in the file replaces, and before a call whose refusal is kept is tried again. */
static inline void wring_error_clear(wring_error *e)
{
  e->text[0] = '\0';
}

/* Gives every rank the error of the lowest rank that has one. Collective on comm. */
PetscErrorCode wring_error_share(MPI_Comm comm, wring_error *e);

/*
  Raises, on every rank, the error of the lowest rank that has one: as bad input, PETSC_ERR_USER_INPUT, for exit status
  1; or as an output file that cannot be written, WRING_ERR_OUTPUT, for exit status 4. Collective on comm.
*/
PetscErrorCode wring_error_raise(MPI_Comm comm, const wring_error *e);
PetscErrorCode wring_error_raise_output(MPI_Comm comm, const wring_error *e);
#define WRING_ERR_OUTPUT PETSC_ERR_FILE_WRITE

/* Refuses replicated bad input, in which every rank finds the same fault, with a line of the same form. Collective. */
#define WRING_REFUSE(comm, ...) SETERRQ(comm, PETSC_ERR_USER_INPUT, __VA_ARGS__)

/*
  A PETSc error handler. All ranks of a communicator, which may be a part of the world, raise bad input and output
  failures (the two codes above) together: its rank 0 prints one line "<program>: <text>" on standard error, and the
  callers receive the code on every rank of it; other ranks go on. Any other error prints "<program>: internal error:
  ..." and ends all ranks by MPI_Abort(MPI_COMM_WORLD, status), where PETSc's own handler would let them wait.
*/
typedef struct {
  const char *program;  // the first word of each line
  int         status;   // of the process after an internal error
  PetscBool   reported; // a line has been printed and no other will be; set to false to continue after the error
} wring_error_handler;

/*
  Installs it for this process until PetscPopErrorHandler; h is borrowed until then. Every rank calls it, after
  PetscInitialize. PETSc's stack of handlers is process-wide and not thread-safe.
*/
PetscErrorCode wring_error_handler_push(wring_error_handler *h);

/*
  An error handler that keeps the text of an error in `error`, a wring_error, and prints nothing: push it with
  PetscPushErrorHandler(wring_error_catch, error) around a call that may refuse, and pop it after that. Every rank.
*/
PetscErrorCode wring_error_catch(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                 PetscErrorType type, const char *message, void *error);

/*
  Prints "note: <text>" and a newline on standard error, on rank 0 of comm, unless this process has printed the same
  text, or one that differs only in numbers: then it is only counted. Numbers are words, after a space or "(": the lines
  of files and the digits in names count as different. Logically collective; at most 1023 characters.
*/
PetscErrorCode wring_note(MPI_Comm comm, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
  Prints those notes of this process again that were given more than once, as first printed, with "(said <n> times)",
  and forgets all notes. Commands call it at their end. Not collective.
*/
void wring_notes_count(void);

/*
  Reads a whole file on rank 0 and broadcasts it: text [*size] and a terminating 0, freed by the caller with PetscFree.
  Refused if it cannot be read or is larger than `mebibytes` MiB ("too large for a <what>"). Collective.
*/
PetscErrorCode wring_text_read(MPI_Comm comm, const char *file, const char *what, int mebibytes, char **text,
                               PetscInt64 *size);

/* strcasecmp and strncasecmp of the C locale, in any locale; used to compare words of decks. */
int wring_ascii_compare(const char *a, const char *b);
int wring_ascii_compare_n(const char *a, const char *b, size_t n);

/* ---- local vector kernels ---------------------------------------------------------------------------------------- */

/*
  Kernels on this rank's numbers; the caller adds sums over the ranks. Threaded; sums do not depend on the number of
  threads. Arrays of different arguments must not overlap, except that w of wring_waxpy may be x or y, w of a
  combination its v[0], and wring_dots may be given the same array several times.
*/
void wring_fill(PetscInt n, double a, double *x);                                       // x = a
void wring_axpy(PetscInt n, double a, const double *x, double *y);                      // y += a x
void wring_waxpy(PetscInt n, double a, const double *x, const double *y, double *w);    // w = a x + y
void wring_copy(PetscInt n, const double *x, double *y);                                // y = x
void wring_dots(PetscInt n, int m, const double *x, const double *const *y, double *d); // d[i] = x . y[i], one pass

/* w = sum of c[j] v[j] over the m >= 1 vectors; w may be v[0]. */
void wring_combine(PetscInt n, int m, const double *c, const double *const *v, double *w);

/* Entry i of a symmetric 3 x 3 matrix [6], xx yy zz xy yz xz, is in this row and column. */
static const int wring_sym_row[6] = {0, 1, 2, 0, 1, 0}, wring_sym_column[6] = {0, 1, 2, 1, 2, 2};

/* Symmetric 3 x 3 matrices [n][6], xx yy zz xy yz xz: their inverses, in place; y_i = B_i x_i, x and y [n][3]. */
void wring_invert_blocks(PetscInt n, double *block);
void wring_multiply_blocks(PetscInt n, const double *block, const double *x, double *y);
/* f = s m_i (x_i - y_i) over n vertices [n][3], unless f is NULL; returns s/2 sum m_i |x_i - y_i|^2. */
double wring_inertia(PetscInt n, double s, const double *m, const double *x, const double *y, double *f);
/* d = s sum m_i (x_i . x_i, x_i . y_i, y_i . y_i) over n vertices [n][3], this rank's part. */
void wring_mass_products(PetscInt n, double s, const double *m, const double *x, const double *y, double d[3]);
/* f += s p, unless f is NULL; returns s p . (x - X); all [n]. */
double wring_push(PetscInt n, double s, const double *p, const double *x, const double *X, double *f);
double wring_pairwise_sum(PetscInt n, const double *a); // serial, error O(log n): for values already summed in blocks
/* The same for each of m columns of a [n][m], n >= 1: the sums are in a[0], and the other rows are overwritten. */
void wring_pairwise_rows(PetscInt n, PetscInt m, double *a);

/*
  The number of strips that a loop over n rows is cut into, at most WRING_STRIPS: a thread processes whole strips, and
  sums over strips are added afterwards, so that their order depends on n only. 64, 192 and 960 have many divisors among
  the numbers of cores in use; a strip has 128 rows or more, unless there are 64.
*/
enum { WRING_STRIPS = 960 };
static inline int wring_strips(PetscInt n)
{
  const int rows = 128;
  return n >= WRING_STRIPS * rows ? WRING_STRIPS : n >= 192 * rows ? 192 : 64;
}

/* The first row of strip s of n rows. */
static inline PetscInt wring_strip(PetscInt n, int s)
{
  return (PetscInt)((int64_t)n * s / wring_strips(n));
}

/* R [3][3] = the rotation by `spin` [deg/s] during t [s], about the direction of spin; the identity for 0. */
void wring_rotation(const double spin[3], double t, double R[9]);

/* A number in [0, 1) from a counter: the same on every machine, rank and run. */
double wring_uniform(uint64_t counter);

/* Mixes the bits of z by a bijection, for hashes. */
uint64_t wring_mix(uint64_t z);

/* ---- phases of a run, with their times, and counts of work ------------------------------------------------------- */

typedef enum {
  WRING_PHASE_OTHER,
  WRING_PHASE_MESH,            // read, partition, distribute
  WRING_PHASE_LOCAL,           // element loops
  WRING_PHASE_CONTACT,         // sets, energy and forces of contacts, with their messages
  WRING_PHASE_OPERATOR_SET_UP, // assembly, factorisation, hierarchies
  WRING_PHASE_OPERATOR_SOLVE,
  WRING_PHASE_HALO,
  WRING_PHASE_REDUCTION,
  WRING_PHASE_VECTOR,    // vector updates of the methods
  WRING_PHASE_MEASURING, // evaluations made only to measure; all time spent inside counts here
  WRING_PHASE_OUTPUT,
  WRING_N_PHASE
} wring_phase;

/*
  Work that no machine changes, counted alike on all ranks; only exchanges and reductions of a sweep or of a solver of
  PETSc may depend on the number of ranks.
*/
typedef enum {
  WRING_WORK_EVALUATIONS,       // of g, with or without its gradient, each in a pass over all elements
  WRING_WORK_GRADIENTS,         // passes that give forces: grad g, right-hand sides of a global step, sweeps
  WRING_WORK_HESSIANS,          // assemblies of H, its diagonal blocks, or of an operator from the Hessians of elements
  WRING_WORK_FACTORISATIONS,    // numeric factors, hierarchies and incomplete factors
  WRING_WORK_LINEAR_SOLVES,     // with A or H, of all three components
  WRING_WORK_PRODUCTS,          // with A or H, of all three components; without those in a cycle of multigrid
  WRING_WORK_EXCHANGES,         // of values at vertices between neighbours; without those in a factor or a cycle
  WRING_WORK_REDUCTIONS,        // over all ranks; without those in a factor
  WRING_WORK_CONTACT_SEARCHES,  // for near pairs of contacts
  WRING_WORK_CONTACT_EXCHANGES, // of contacts, of values at the corners of pairs; with those of searches
  WRING_WORK_CONTACT_REDUCTIONS, // of contacts
  WRING_N_WORK
} wring_work_kind;

typedef struct {
  PetscInt64 of[WRING_N_WORK];
} wring_counts;

/*
  Of all threads of a process since they started: seconds in which they ran; seconds in which they were ready to run but
  another thread had the core; how often one was taken from its core. 0 where the system does not count it.
*/
typedef struct {
  double running, ready, switches;
} wring_core_use;

typedef struct {
  double         seconds[WRING_N_PHASE]; // of this rank, each moment in exactly one phase
  double         since;                  // MPI_Wtime of the last switch
  wring_phase    now;
  wring_counts   work;                 // since start, without what is done to measure
  wring_core_use cores[WRING_N_PHASE]; // of this rank, read where a phase ends, some milliseconds after the last time
  wring_core_use read;                 // at that time
  double         due;                  // MPI_Wtime from which on it is read again
} wring_phases;

void wring_phases_start(wring_phases *p); // zero, phase other
/*
  Enters a phase and returns the previous one, which the caller restores: old = switch(p, LOCAL); ...; switch(p, old).
  During MEASURING only wring_phases_leave_measuring changes the phase; a switch has no effect. p may be NULL. Not
  collective.
*/
wring_phase wring_phases_switch(wring_phases *p, wring_phase to);
void        wring_phases_leave_measuring(wring_phases *p, wring_phase to);
double      wring_phases_total(const wring_phases *p); // s since start
void        wring_phases_read_cores(wring_phases *p);  // what the phase that goes on has had of the cores until now
const char *wring_phase_name(wring_phase phase);       // "operator_set_up"

/* Adds n, except during MEASURING. p may be NULL. Called where the work is done, on all ranks. Not collective. */
void wring_count(wring_phases *p, wring_work_kind kind, PetscInt64 n);
/* The counts now, zeros if p is NULL; those since `from`; *sum += *more. Not collective. */
wring_counts wring_counts_now(const wring_phases *p);
wring_counts wring_counts_since(const wring_phases *p, const wring_counts *from);
void         wring_counts_add(const wring_counts *more, wring_counts *sum);
const char  *wring_work_name(wring_work_kind kind); // "evaluations"

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/*
  Allocates n zeros aligned to 64 bytes, for arrays of blocks; freed by wring_blocks_destroy, which sets *p to NULL.
  Each thread writes the zeros of the part that loops with a static schedule assign to it, which places the memory on
  its NUMA node.
*/
PetscErrorCode wring_blocks_create(size_t n, double **p);
void           wring_blocks_destroy(double **p);

/* ---- threads and cores ------------------------------------------------------------------------------------------- */

/*
  Refuses, as bad input, more than one OpenMP thread on a rank if MPI provides less than MPI_THREAD_FUNNELED
  (MPI_Query_thread): MPI_Init_thread may provide less than requested. Collective on comm.
*/
PetscErrorCode wring_check_thread_level(MPI_Comm comm);

/* Sets the number of threads of BLAS (OpenBLAS, MKL or BLIS, found at run time); with 1, results repeat bit for bit. */
void wring_blas_set_threads(int n);

/*
  For calls to a library that uses BLAS and has parallel regions of its own: until wring_blas_end, which gets what begin
  has returned, these regions have one thread, unless BLAS itself may use several of OpenMP. CHOLMOD asks for four
  threads in each of its thousands of small regions, whatever OMP_NUM_THREADS is, which costs a fifth to a half of a
  factor. Not collective.
*/
int  wring_blas_begin(void);
void wring_blas_end(int levels);

int  wring_max_threads(void);  // of OpenMP
void wring_set_threads(int n); // of OpenMP, from now on

/*
  Threads of OpenMP that wait for each other poll for tens of microseconds and then sleep, in the place of milliseconds.
  Without effect if there is one thread, if the environment says how threads wait (OMP_WAIT_POLICY, GOMP_SPINCOUNT,
  KMP_BLOCKTIME, KMP_LIBRARY) or without /proc. Otherwise the program is started again in the same process, since OpenMP
  reads GOMP_SPINCOUNT and KMP_BLOCKTIME before main. Only before MPI_Init and before files are opened; argv of main.
*/
void wring_threads_wait_briefly(char **argv);

/* The cores that this process may use, such as "0-3,8", "" if they are unknown. Not collective. */
void wring_cores_list(size_t size, char *text);

/* Threads and cores, of one rank and of its node. Cores are those that affinity masks or OpenMP's places permit. */
typedef struct {
  int threads, cores;                       // of this rank; cores 0: unknown
  int node_ranks, node_threads, node_cores; // of all ranks of comm on this node; node_cores: of the union of masks
  int installed;                            // cores of the node that are in use by its system
} wring_cores;

PetscErrorCode wring_cores_measure(MPI_Comm comm, wring_cores *c); // collective on comm

void wring_core_use_measure(wring_core_use *u); // of this process; takes 10 microseconds a thread; not collective

/* ---- process ----------------------------------------------------------------------------------------------------- */

/*
  Starts MPI (MPI_THREAD_FUNNELED), unless it runs, and PETSc without arguments, options file or signal handlers; argc,
  argv of main go to MPI. Every rank of the world.
*/
PetscErrorCode wring_start_libraries(int *argc, char ***argv);

/*
  Lets glibc return freed memory to the system, which libraries that are loaded with PETSc may have forbidden. A setting
  of the process: for main programs.
*/
void wring_memory_return_freed(void);
void wring_memory_trim(void); // returns what a set-up has freed in small pieces, now

double wring_peak_memory(void); // bytes, this process
double wring_node_memory(void); // bytes that are installed in this node, 0 if unknown
/* Bytes of this process: resident in memory; set aside for data, including pages that have not been written. */
double wring_resident_memory(void);
double wring_set_aside_memory(void);
/* Bytes of the last-level cache, 0 if unknown; bits of the vector instructions that the library was compiled for. */
double wring_last_cache(void);
int    wring_vector_bits(void);
