/* VTK's numbers of cells. Private to src/io/vtk. */
#pragma once
#include <wring/io.h>

/* VTK_VERTEX, VTK_LINE, VTK_TRIANGLE, VTK_TETRA, VTK_QUADRATIC_TETRA by their number of vertices. */
static inline uint8_t wring_vtk_cell(int m)
{
  static const uint8_t cell[] = {[1] = 1, [2] = 3, [3] = 5, [4] = 10, [10] = 24};
  return cell[m];
}
