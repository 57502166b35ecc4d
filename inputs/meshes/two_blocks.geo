// A cube turned onto a corner above a slab: two bodies that share no vertex. Volumes "cube" and "slab"; the surface
// "ground" is the bottom of the slab. Lengths in metres, z up.
//     gmsh -3 two_blocks.geo -o two_blocks.msh
SetFactory("OpenCASCADE");

wide = 1.2;  // of the slab
thick = 0.2; // of the slab
edge = 0.4;  // of the cube
high = 0.55; // of the middle of the cube above the slab

Box(1) = {-wide / 2, -wide / 2, -thick, wide, wide, thick};
Box(2) = {-edge / 2, -edge / 2, -edge / 2, edge, edge, edge};
Rotate {{1, 0, 0}, {0, 0, 0}, Pi / 6} { Volume{2}; }
Rotate {{0, 1, 0}, {0, 0, 0}, Pi / 9} { Volume{2}; }
Translate {0, 0, high} { Volume{2}; }

eps = 1e-4;
ground() = Surface In BoundingBox {-wide, -wide, -thick - eps, wide, wide, -thick + eps};
Physical Volume("slab") = {1};
Physical Volume("cube") = {2};
Physical Surface("ground") = ground();

Mesh.MeshSizeMin = 0.09;
Mesh.MeshSizeMax = 0.09;
Mesh.MshFileVersion = 4.1;
