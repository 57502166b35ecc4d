/* VTK's numbers of cells, and sizes of values. Private to src/io/vtk. */
#pragma once
#include <wring/io.h>

/* VTK_VERTEX, VTK_LINE, VTK_TRIANGLE, VTK_TETRA, VTK_QUADRATIC_TETRA by their number of vertices. */
static inline uint8_t wring_vtk_cell(int m)
{
  static const uint8_t cell[] = {[1] = 1, [2] = 3, [3] = 5, [4] = 10, [10] = 24};
  return cell[m];
}

static inline uint64_t wring_type_bytes(wring_type type)
{
  static const uint64_t bytes[] = {
    [WRING_FLOAT64] = 8, [WRING_FLOAT32] = 4, [WRING_INT64] = 8, [WRING_INT32] = 4, [WRING_UINT8] = 1};
  return bytes[type];
}
