#define _XOPEN_SOURCE 700 // realpath
#include "io/file.h"
#include "study/common/command_keys.h"
#include "output_directory.h"
#include "study/common/json.h"
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wring/io.h>

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
  PetscMPIInt rank;
  PetscBool   there = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_rank(node, &rank));
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

PetscErrorCode wring_directory_make(const wring_options *o, size_t size, char *path)
{
  const MPI_Comm comm  = wring_options_comm(o);
  wring_error    error = {""};
  const char    *directory;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(wring_options_get_word(o, "output_", wring_output_options, "directory", &directory));
  if (path) PetscCall(PetscStrncpy(path, directory, size));
  PetscCall(wring_make_directory(comm, directory));
  if (rank == 0) check_files(directory, &error);
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

PetscErrorCode wring_directory_find_conflict(const wring_options *o, wring_error *e)
{
  const MPI_Comm comm = wring_options_comm(o);
  const char    *directory;
  char           text[128];
  PetscBool      overwrite, resume, restart;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(wring_options_get_word(o, "output_", wring_output_options, "directory", &directory));
  PetscCall(wring_options_get_bool(o, "output_", wring_output_options, "overwrite", &overwrite));
  PetscCall(wring_options_get_bool(o, "checkpoint_", wring_checkpoint_options, "resume", &resume));
  if (rank == 0 && resume) {
    check_deck(directory, wring_options_deck(o), e);
  } else if (rank == 0 && !overwrite) {
    PetscCall(is_restart(o, directory, &restart, e));
    const PetscInt checkpoints = find_remains(directory, sizeof text, text, e);
    if (!restart && text[0])
      wring_error_set(e,
                      "%s: holds %s of another run: add -output_overwrite true to replace them, %s%s%sor "
                      "-output_directory with another name",
                      directory, text, checkpoints ? "-initial_restart " : "", checkpoints ? directory : "",
                      checkpoints ? " to go on from the last checkpoint, " : "");
  }
  PetscCall(wring_error_share(comm, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_directory_refuse_results(const wring_options *o, const char *what, const char *const *file)
{
  const char *directory;
  char        path[2 * PETSC_MAX_PATH_LEN];
  wring_error e = {""};
  PetscBool   overwrite;
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(wring_options_comm(o), &rank));
  PetscCall(wring_options_get_word(o, "output_", wring_output_options, "directory", &directory));
  PetscCall(wring_options_get_bool(o, "output_", wring_output_options, "overwrite", &overwrite));
  for (; rank == 0 && !overwrite && *file; file++) {
    snprintf(path, sizeof path, "%s/%s", directory, *file);
    if (wring_file_is_there(path, &e))
      wring_error_set(&e,
                      "%s: holds %s of another %s: add -output_overwrite true to replace it, or -output_directory with "
                      "another name",
                      directory, *file, what);
  }
  PetscCall(wring_error_raise(wring_options_comm(o), &e));
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

PetscErrorCode wring_directory_renew(const wring_options *o, const char *const *file, size_t size, char *path)
{
  wring_error error = {""};
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(wring_options_comm(o), &rank));
  PetscCall(wring_directory_make(o, size, path));
  for (; *file && rank == 0; file++) wring_directory_remove_file(path, *file, &error);
  PetscCall(wring_error_raise_output(wring_options_comm(o), &error));
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
