/* TetGen's pair of files: the nodes, a zero byte, the tetrahedra. */
#include "fuzz.h"
#include <string.h>

void fuzz_target(const char *file, const unsigned char *data, size_t size)
{
  const unsigned char *const cut   = size ? memchr(data, '\0', size) : NULL;
  const size_t               nodes = cut ? (size_t)(cut - data) : size;
  wring_mesh_data           *d;
  wring_error                e = {""};
  char                       notes[512], node[PETSC_MAX_PATH_LEN + 8], ele[PETSC_MAX_PATH_LEN + 8];

  snprintf(node, sizeof node, "%s.node", file);
  snprintf(ele, sizeof ele, "%s.ele", file);
  fuzz_write(node, data, nodes);
  fuzz_write(ele, cut ? cut + 1 : data, cut ? size - nodes - 1 : 0);
  PetscCallAbort(PETSC_COMM_SELF, wring_mesh_read(PETSC_COMM_SELF, ele, 1, PETSC_FALSE, &d, &e, sizeof notes, notes));
  if ((d == NULL) != (e.text[0] != '\0')) __builtin_trap();
  PetscCallAbort(PETSC_COMM_SELF, wring_mesh_data_destroy(&d));
}
