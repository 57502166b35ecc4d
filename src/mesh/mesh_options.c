#include "partition/partition.h"

const wring_option wring_mesh_source_options[] = {
  {"file", WRING_PATH, .at = WRING_AT(wring_mesh_source, file), .instead = "box_size|box_cells|box_origin|box_jitter",
   .help = "Mesh to read: Gmsh 2.2 or 4.1, MEDIT ASCII, TetGen, or CSV `vertex,x,y,z` (points only)."},
  {"scale", WRING_REAL, .range = "(0,inf)", .value = "1", .at = WRING_AT(wring_mesh_source, scale),
   .help = "Factor on the coordinates of the file."},
  {"box_size", WRING_REALS, .count = 3, .unit = "m", .range = "[0,inf)", .at = WRING_AT(wring_mesh_source, box.size),
   .instead = "file|scale", .help = "Lengths of the box along x, y and z; 0 along an axis without cells."},
  {"box_cells", WRING_INTS, .count = 3, .range = "[0,inf)", .at = WRING_AT(wring_mesh_source, box.cells),
   .instead = "file|scale",
   .help =
     "Cells of the box along x, y and z, each split into 6 tets; 0 along one axis gives a sheet, along two a line."},
  {"box_origin", WRING_REALS, .count = 3, .unit = "m", .value = "0,0,0", .at = WRING_AT(wring_mesh_source, box.origin),
   .help = "Lowest corner of the box."},
  {"box_jitter", WRING_REAL, .range = "[0,1)", .value = "0.05", .at = WRING_AT(wring_mesh_source, box.jitter),
   .help =
     "Random displacement of each free coordinate, by up to half of this times the cell size; the seed is fixed."},
  {0},
};

const wring_option wring_mesh_options[] = {
  {"refine", WRING_INT, .range = "[0,10]", .value = "0", .at = WRING_AT(wring_mesh_keys, refine),
   .help =
     "Number of refinements; each splits a tetrahedron into 8, a triangle into 4 and a line into 2, in parallel."},
  {"order", WRING_INT, .range = "[1,2]", .at = WRING_AT(wring_mesh_keys, order),
   .help = "Order of the tetrahedra: 2 adds a vertex at the middle of each edge, after refinement; default: that of "
           "the file."},
  {"quadrature", WRING_WORD, .choices = "4|14", .value = "4", .at = WRING_AT(wring_mesh_keys, quadrature),
   .help = "Quadrature points of a tetrahedron of order 2; 14 for edges that are strongly curved."},
  {"partitioner", WRING_WORD, .choices = "metis|curve|ptscotch|parmetis", .value = "metis",
   .at   = WRING_AT(wring_mesh_keys, partitioner),
   .help = "How tetrahedra are assigned to ranks; the last two need a PETSc with these packages."},
  {0},
};

const wring_option wring_set_options[] = {
  {"box", WRING_REALS, .count = 6, .unit = "m", .instead = "sphere|plane|centre|size|radius|point|normal",
   .help = "Vertices in the box x0,y0,z0,x1,y1,z1."},
  {"sphere", WRING_REALS, .count = 4, .unit = "m", .instead = "box|plane|centre|size|radius|point|normal",
   .help = "Vertices in the ball x,y,z,radius."},
  {"plane", WRING_REALS, .count = 6, .unit = "m", .instead = "box|sphere|centre|size|radius|point|normal",
   .help = "Vertices on or above the plane through x,y,z with normal nx,ny,nz: (X - p) . n >= 0."},
  {"centre", WRING_REALS, .count = 3, .unit = "m", .help = "Centre of a box, with size, or of a ball."},
  {"size", WRING_REALS, .count = 3, .range = "[0,inf)", .unit = "m",
   .help = "Vertices in the box around centre with these edges, which are parallel to the axes."},
  {"radius", WRING_REAL, .range = "[0,inf)", .unit = "m",
   .help = "Vertices in the ball around centre with this radius."},
  {"point", WRING_REALS, .count = 3, .unit = "m", .help = "Point on a plane, with normal."},
  {"normal", WRING_REALS, .count = 3, .help = "Vertices on or above the plane through point with this normal."},
  {0},
};

PetscErrorCode wring_mesh_check_partitioner(const wring_options *o, const char *prefix, wring_partitioner p)
{
  const char *missing;

  PetscFunctionBegin;
  if (!wring_cut_has_package(p, &missing))
    WRING_REFUSE(wring_options_comm(o), "%s: %spartitioner: %s needs a PETSc with %s, expected metis or curve",
                 wring_options_origin(o, prefix, "partitioner"), prefix,
                 p == WRING_PARTITIONER_PTSCOTCH ? "ptscotch" : "parmetis", missing);
  PetscFunctionReturn(PETSC_SUCCESS);
}
