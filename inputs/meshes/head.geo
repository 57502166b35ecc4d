// A head like a squirrel's: a skull with a snout, two ears and two cheeks, on a neck; the surface "neck" is the cut
// through the neck. Metres, z up, facing x.
//     gmsh -3 head.geo -o head.msh
SetFactory("OpenCASCADE");

Sphere(1) = {0, 0, 0.30, 0.16};          // skull
Sphere(2) = {0.13, 0, 0.25, 0.085};      // snout
Sphere(3) = {0.06, 0.11, 0.23, 0.07};    // cheeks
Sphere(4) = {0.06, -0.11, 0.23, 0.07};
Cone(5) = {-0.02, 0.08, 0.40, -0.03, 0.05, 0.17, 0.055, 0.012}; // ears
Cone(6) = {-0.02, -0.08, 0.40, -0.03, -0.05, 0.17, 0.055, 0.012};
Cylinder(7) = {-0.03, 0, 0, 0, 0, 0.25, 0.075}; // neck

BooleanUnion{ Volume{1}; Delete; }{ Volume{2:7}; Delete; }
eps = 1e-3;
neck() = Surface In BoundingBox {-0.2, -0.2, -eps, 0.2, 0.2, eps};
Physical Volume("head") = Volume{:};
Physical Surface("neck") = neck();

Mesh.MeshSizeMin = 0.022;
Mesh.MeshSizeMax = 0.026;
Mesh.MshFileVersion = 4.1;
