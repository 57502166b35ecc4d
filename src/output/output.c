#define _XOPEN_SOURCE 700 // realpath
#include "io/file.h"
#include "output.h"
#include "io/json.h"
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wring/io.h>

/* ---- keys -------------------------------------------------------------------------------------------------------- */

const wring_option wring_output_options[] = {
  {"directory", WRING_WORD, .value = "out", .at = WRING_AT(wring_output, directory),
   .help = "Directory of the output files, relative to the working directory; created if missing."},
  {"every", WRING_INT, .value = "1", .range = "[0,inf)", .at = WRING_AT(wring_output, every), .instead = "steps",
   .help = "Steps between frames for ParaView; the last step always has one; 0: no frames."},
  {"steps", WRING_INTS, .range = "[0,inf)", .instead = "every",
   .help = "Steps that have a frame, 0: the start, in the place of `every`; the last step always has one."},
  {"format", WRING_WORD, .value = "vtu", .choices = "vtu|vtkhdf", .at = WRING_AT(wring_output, hdf),
   .help = "Frames as a .vtu of each and frames.pvd; or as frames.vtkhdf, one file of all, with the mesh once, for "
           "ParaView 5.12 and later."},
  {"kind", WRING_WORD, .value = "auto", .choices = "auto|volume|surface", .at = WRING_AT(wring_output, kind),
   .help = "Frames of all tetrahedra, or of the triangles of their surface with the values of their tetrahedra; "
           "auto: of the surface, if the mesh has more than 1,000,000 tetrahedra."},
  {"precision", WRING_WORD, .value = "double", .choices = "double|single", .at = WRING_AT(wring_output, single),
   .help = "Precision of positions and other real numbers in frames."},
  {"compress", WRING_BOOL, .value = "false", .at = WRING_AT(wring_output, compress),
   .help = "Whether to compress frames of format vtu: a sixth of the size, three times the time."},
  {"overwrite", WRING_BOOL, .value = "false", .at = WRING_AT(wring_output, overwrite),
   .help = "Whether to replace the checkpoints, frames or results of another run, comparison or level in "
           "output.directory, which are otherwise refused; what goes on from there keeps them."},
  {"fields", WRING_WORDS, .value = "displacement,velocity,vertex,J,energy_density,region,rank",
   .choices = "displacement|velocity|vertex|J|energy_density|region|rank|stress|von_mises|deformation_gradient|"
              "membrane_force|contact_pressure|friction_traction",
   .help = "Fields of points (the first three and the last two) and cells in frames, beside the positions of points."},
  {"plots", WRING_BOOL, .value = "true", .at = WRING_AT(wring_output, plots),
   .help = "Whether gnuplot draws the pictures of `compare` and `converge` when they have ended; their scripts are "
           "written in any case."},
  {"state_csv", WRING_BOOL, .value = "false", .at = WRING_AT(wring_output, state_csv),
   .help = "Whether to write the last state to state.csv."},
  {0},
};

const wring_option wring_checkpoint_options[] = {
  {"every", WRING_INT, .value = "0", .range = "[0,inf)", .at = WRING_AT(wring_output, checkpoint_every),
   .help = "Steps between checkpoints, of which the last two are kept; 0: one at the end only."},
  {"resume", WRING_BOOL, .value = "false", .at = WRING_AT(wring_output, resume),
   .help = "Whether to continue from the newest checkpoint in output.directory, if there is one; the keys of initial "
           "then do not apply."},
  {0},
};

PetscErrorCode wring_output_read(const wring_options *o, wring_output *out)
{
  PetscFunctionBegin;
  out->comm = wring_options_comm(o);
  PetscCallMPI(MPI_Comm_rank(out->comm, &out->rank));
  PetscCall(wring_options_read(o, "output_", wring_output_options, out));
  PetscCall(wring_options_read(o, "checkpoint_", wring_checkpoint_options, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the directory ----------------------------------------------------------------------------------------------- */

/* A directory with the name of an output file could not be replaced; it is refused before any file is replaced. */
static void check_files(const char *directory, wring_error *e)
{
  static const char *const endings[] = {".csv", ".json", ".vtu", ".pvd", ".h5", ".gp", ".png"};
  char                     path[2 * PETSC_MAX_PATH_LEN];
  struct stat              status;
  char *const              list = wring_list_directory(directory, e);
  for (const char *name = list; name && *name; name += strlen(name) + 1) {
    if (strchr(name, '=')) continue; // folder of a sweep: spring_net_file=net.csv
    const char *const dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++) {
      if (strcmp(dot, endings[i]) != 0) continue;
      snprintf(path, sizeof path, "%s/%s", directory, name);
      if (!lstat(path, &status) && S_ISDIR(status.st_mode))
        wring_error_set(e, "%s: is a directory, expected a file or nothing", path);
    }
  }
  free(list);
}

/*
  One rank of each node looks for a directory that has just been made, for 5 s: a file system of several nodes may be
  late. A directory of one node alone would lose the checkpoints of the others.
*/
static PetscErrorCode check_nodes(MPI_Comm comm, const char *path)
{
  wring_error error = {""};
  char        host[128];
  struct stat status;
  MPI_Comm    node;
  PetscBool   there = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  const PetscMPIInt rank = wring_comm_rank(node);
  PetscCallMPI(MPI_Comm_free(&node));
  PetscCall(PetscGetHostName(host, sizeof host));
  for (int i = 0; rank == 0 && i < 50 && !there; i++) {
    if (i > 0) PetscCall(PetscSleep(0.1));
    there = (PetscBool)(stat(path, &status) == 0 && S_ISDIR(status.st_mode));
  }
  if (rank == 0 && !there)
    wring_error_set(&error, "%s: is not there on %s, expected an output.directory that all nodes share", path, host);
  PetscCall(wring_error_raise_output(comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char lock_name[] = ".lock";

/*
  Locks a directory until it is released or the process ends, however it ends; lock NULL: only looks whether another
  process has locked it. Where the file system has no locks, nothing is refused.
*/
static void lock_directory(const char *directory, int *lock, wring_error *e)
{
  struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  struct stat  status;
  char         path[2 * PETSC_MAX_PATH_LEN];
  int          fd, busy, removed;
  snprintf(path, sizeof path, "%s/%s", directory, lock_name);
  do {
    fd      = open(path, O_RDWR | O_CLOEXEC | (lock ? O_CREAT : 0), 0666);
    busy    = lock && fd >= 0 && fcntl(fd, F_SETLK, &whole) && (errno == EACCES || errno == EAGAIN);
    removed = lock && fd >= 0 && !busy && fstat(fd, &status) == 0 && status.st_nlink == 0; // as the last run ended
    if (removed) close(fd);
  } while (removed);
  if ((busy || !lock) && fcntl(fd, F_GETLK, &whole) == 0) busy |= whole.l_type != F_UNLCK;
  if (busy)
    wring_error_set(e,
                    "%s: another run, process %ld, writes here: wait for its end, or add -output_directory with "
                    "another name",
                    directory, (long)whole.l_pid);
  if (lock && !busy)
    *lock = fd;
  else if (fd >= 0)
    close(fd);
}

void wring_directory_release(const char *directory, int *lock)
{
  wring_error e = {""};
  if (*lock < 0) return;
  wring_directory_remove_file(directory, lock_name, &e); // may stay, as after a kill
  close(*lock);
  *lock = -1;
}

PetscErrorCode wring_directory_check(MPI_Comm comm, const char *directory)
{
  wring_error error = {""};

  PetscFunctionBegin;
  if (wring_comm_rank(comm) == 0) {
    wring_check_directory(directory, &error);
    check_files(directory, &error);
  }
  PetscCall(wring_error_raise_output(comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_directory_make(MPI_Comm comm, const char *directory, int *lock)
{
  wring_error error = {""}, busy = {""};

  PetscFunctionBegin;
  if (lock) *lock = -1;
  PetscCall(wring_make_directory(comm, directory));
  PetscCall(wring_directory_check(comm, directory));
  if (lock && wring_comm_rank(comm) == 0) {
    lock_directory(directory, lock, &busy);
    if (*lock < 0) wring_error_set(&error, "%s/%s: cannot be written: %s", directory, lock_name, strerror(errno));
  }
  PetscCall(wring_error_raise(comm, &busy));
  PetscCall(wring_error_raise_output(comm, &error));
  PetscCall(check_nodes(comm, directory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- files of another run ---------------------------------------------------------------------------------------- */

/*
  What a run has left in a directory, "2 checkpoints (the last of step 50) and 51 frames", "" if nothing; the number of
  checkpoints.
*/
static PetscInt find_remains(const char *directory, size_t size, char *text, wring_error *e)
{
  char *const list        = wring_list_directory(directory, e);
  PetscInt    checkpoints = 0, frames = 0, last = 0;
  PetscBool   hdf = PETSC_FALSE;
  int         n   = 0;
  text[0]         = '\0';
  for (const char *name = list; name && *name; name += strlen(name) + 1) {
    const PetscInt step = (PetscInt)wring_file_number(name, "checkpoint_", ".h5");
    checkpoints += step >= 0;
    last = PetscMax(last, step);
    frames += wring_file_number(name, "frame_", ".vtu") >= 0;
    hdf |= strcmp(name, "frames.vtkhdf") == 0;
  }
  free(list);
  if (checkpoints)
    n = snprintf(text, size, "%" PetscInt_FMT " checkpoint%s (the last of step %" PetscInt_FMT ")", checkpoints,
                 checkpoints == 1 ? "" : "s", last);
  if (frames)
    snprintf(text + n, size - (size_t)n, "%s%" PetscInt_FMT " frame%s", n ? " and " : "", frames,
             frames == 1 ? "" : "s");
  else if (hdf)
    snprintf(text + n, size - (size_t)n, "%sframes.vtkhdf", n ? " and " : "");
  return checkpoints;
}

/* True if initial.restart is this directory or a file in it. Rank 0. */
static PetscErrorCode is_restart(const wring_options *o, const char *directory, PetscBool *yes, wring_error *e)
{
  const char *from;

  PetscFunctionBegin;
  *yes = PETSC_FALSE;
  if (!wring_options_has(o, "initial_", "restart")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_options_get_word(o, "initial_", wring_initial_options, "restart", &from));
  char *const real = realpath(from, NULL), *const other = realpath(directory, NULL);
  *yes = (PetscBool)(real && other && (strcmp(real, other) == 0 || wring_directory_holds(directory, from, e)));
  free(real);
  free(other);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run that checkpoint.resume continues is of the same deck: the same file, perhaps changed, or the same content. */
static void check_deck(const char *directory, const char *deck, wring_error *e)
{
  wring_error unreadable = {""}; // then the path alone tells whether the deck is the same
  char        path[2 * PETSC_MAX_PATH_LEN], hash[WRING_SHA256_TEXT] = "";
  snprintf(path, sizeof path, "%s/run.json", directory);
  json_t *const     json    = wring_json_read(path, e);
  const char *const old     = json_string_value(json_object_get(json, "deck"));
  const char *const folder  = json_string_value(json_object_get(json, "working_directory"));
  const char *const content = json_string_value(json_object_get(json, "deck_sha256"));
  const char *const version = json_string_value(json_object_get(json, "version"));
  const PetscBool   joined  = (PetscBool)(old && old[0] != '/' && folder);
  snprintf(path, sizeof path, "%s%s%s", joined ? folder : "", joined ? "/" : "", old ? old : "");
  char *const was = realpath(path, NULL), *const is = realpath(deck, NULL);
  wring_file_sha256(deck, hash, &unreadable);
  const PetscBool same = (PetscBool)((was && is && strcmp(was, is) == 0) || (content && strcmp(content, hash) == 0));
  if (json && !same && old)
    wring_error_set(e,
                    "%s: holds a run of another deck, %s: checkpoint.resume continues runs of the same deck, expected "
                    "another output.directory or -initial_restart %s",
                    directory, old, directory);
  else if (json && !same)
    wring_error_set(e,
                    "%s: holds a run of wring %s, which did not record its deck: expected another output.directory and "
                    "-initial_restart %s in the place of checkpoint.resume",
                    directory, version ? version : "0.1", directory);
  free(was);
  free(is);
  json_decref(json);
}

PetscErrorCode wring_directory_find_conflict(const wring_options *o, const wring_output *out, wring_error *e)
{
  char      text[128];
  PetscBool restart;

  PetscFunctionBegin;
  if (out->rank == 0) lock_directory(out->directory, NULL, e);
  if (out->rank == 0 && out->resume) {
    check_deck(out->directory, wring_options_deck(o), e);
  } else if (out->rank == 0 && !out->overwrite) {
    PetscCall(is_restart(o, out->directory, &restart, e));
    const PetscInt checkpoints = find_remains(out->directory, sizeof text, text, e);
    if (!restart && text[0])
      wring_error_set(e,
                      "%s: holds %s of another run: add -output_overwrite true to replace them, %s%s%sor "
                      "-output_directory with another name",
                      out->directory, text, checkpoints ? "-initial_restart " : "", checkpoints ? out->directory : "",
                      checkpoints ? " to go on from the last checkpoint, " : "");
  }
  PetscCall(wring_error_share(out->comm, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_directory_refuse_results(const wring_output *out, const char *what, const char *const *file)
{
  char        path[2 * PETSC_MAX_PATH_LEN];
  wring_error e = {""};

  PetscFunctionBegin;
  for (; out->rank == 0 && !out->overwrite && *file; file++) {
    snprintf(path, sizeof path, "%s/%s", out->directory, *file);
    if (wring_file_is_there(path, &e))
      wring_error_set(&e,
                      "%s: holds %s of another %s: add -output_overwrite true to replace it, or -output_directory with "
                      "another name",
                      out->directory, *file, what);
  }
  PetscCall(wring_error_raise(out->comm, &e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- removing files ---------------------------------------------------------------------------------------------- */

static void remove_file(const char *directory, const char *name, const char *end, wring_error *e)
{
  char path[2 * PETSC_MAX_PATH_LEN];
  snprintf(path, sizeof path, "%s/%s%s", directory, name, end);
  if (!wring_failed(e) && unlink(path) && errno != ENOENT)
    wring_error_set(e, "%s: cannot be replaced: %s", path, strerror(errno));
}

void wring_directory_remove_file(const char *directory, const char *name, wring_error *e)
{
  remove_file(directory, name, "", e);
  remove_file(directory, name, ".part", e);
}

PetscErrorCode wring_directory_renew(const wring_output *out, const char *const *file)
{
  wring_error error = {""};

  PetscFunctionBegin;
  PetscCall(wring_directory_make(out->comm, out->directory, NULL));
  for (; *file && out->rank == 0; file++) wring_directory_remove_file(out->directory, *file, &error);
  PetscCall(wring_error_raise_output(out->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_directory_remove(const char *directory, const char *stem, const char *end, PetscInt first, PetscInt last,
                            wring_error *e)
{
  char *const list = wring_list_directory(directory, e);
  char        part[64];
  snprintf(part, sizeof part, "%s.part", end);
  for (const char *name = list; name && *name; name += strlen(name) + 1) {
    PetscInt64 number = wring_file_number(name, stem, end);
    if (number < 0) number = wring_file_number(name, stem, part);
    if (number >= first && number < last) remove_file(directory, name, "", e);
  }
  free(list);
}

PetscBool wring_directory_holds(const char *directory, const char *file, wring_error *e)
{
  char *const real = realpath(file, NULL), *const other = real ? realpath(directory, NULL) : NULL;
  if (!other) wring_error_set(e, "%s: cannot be found: %s", real ? directory : file, strerror(errno));
  const PetscBool holds = (PetscBool)(real && other && strcmp(dirname(real), other) == 0);
  free(real);
  free(other);
  return holds;
}
