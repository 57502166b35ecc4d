/* Detects the format of a file from its content; TetGen's two files are recognised by their names. */
#include "mesh/build/build.h"
#include <string.h>

typedef enum { NO_FORMAT, GMSH, POINTS, MEDIT } mesh_format;

/* Rank 0. */
static mesh_format find_format(wring_scan *s)
{
  const char *word;
  s->comments = PETSC_TRUE; // those before the first word, of formats that have them
  wring_scan_skip_blank(s);
  s->comments         = PETSC_FALSE;
  const size_t length = wring_scan_peek(s, &word);
  if (!wring_scan_ok(s)) return NO_FORMAT;
  if (s->at >= s->end) {
    wring_scan_fail(s, wring_scan_place(s), "the file is empty, expected a mesh");
    return NO_FORMAT;
  }
  if (length > 0 && word[0] == '$') return GMSH;
  if (length > 0 && word[0] == 'v') return POINTS;
  if (length >= 20 && !memcmp(word, "MeshVersionFormatted", 20)) return MEDIT;
  wring_scan_fail(s, wring_scan_place(s),
                  "not a mesh: expected Gmsh 2.2 or 4.1 ($MeshFormat), MEDIT ASCII (MeshVersionFormatted), "
                  "TetGen (.node and .ele) or CSV (vertex,x,y,z)");
  return NO_FORMAT;
}

static PetscErrorCode read_one(wring_scan *s, wring_raw *raw)
{
  int format = NO_FORMAT;

  PetscFunctionBegin;
  if (wring_comm_rank(s->comm) == 0) format = (int)find_format(s);
  PetscCallMPI(MPI_Bcast(&format, 1, MPI_INT, 0, s->comm));
  PetscCall(wring_scan_share(s));
  if (format == GMSH) PetscCall(wring_gmsh_read(s, raw));
  if (format == POINTS) PetscCall(wring_points_read(s, raw));
  if (format == MEDIT) PetscCall(wring_medit_read(s, raw));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a pair, faults found after reading are reported with the lines of s, which is the file of elements. */
PetscErrorCode wring_raw_read(wring_scan *s, const char *node, wring_raw *raw)
{
  wring_scan nodes;

  PetscFunctionBegin;
  if (!node) {
    PetscCall(read_one(s, raw));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_scan_open(s->comm, node, s->e, &nodes));
  if (wring_scan_ok(&nodes)) PetscCall(wring_tetgen_read(&nodes, s, raw));
  PetscCall(wring_scan_close(&nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_mesh_read(MPI_Comm comm, const char *file, double scale, PetscBool tags, wring_mesh_data **d,
                               wring_error *e, size_t size, char *notes)
{
  wring_scan s;
  wring_raw  raw = {.nodes.keep_tag = tags};
  char       node[PETSC_MAX_PATH_LEN], ele[PETSC_MAX_PATH_LEN];
  MPI_Comm   inner; // of PETSc: held, so that exchanges do not duplicate comm and free that again each time

  PetscFunctionBegin;
  PetscCall(PetscCommDuplicate(comm, &inner, NULL));
  *d = NULL;
  if (size > 0) notes[0] = '\0';
  const PetscBool pair = wring_tetgen_pair(file, sizeof node, node, ele);
  PetscCall(wring_scan_open(comm, pair ? ele : file, e, &s));
  if (wring_scan_ok(&s)) PetscCall(wring_raw_read(&s, pair ? node : NULL, &raw));
  PetscCall(wring_scan_close(&s)); // faults still go to e
  if (wring_scan_ok(&s)) PetscCall(wring_raw_build(comm, &raw, scale, &s, d, size, notes));
  PetscCall(wring_raw_destroy(&raw));
  PetscCall(PetscCommDestroy(&inner));
  PetscFunctionReturn(PETSC_SUCCESS);
}
