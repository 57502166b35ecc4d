// A skittle: a body, a neck and a head, one soft volume "skittle"; the surface "head" is where it is pulled. Lengths in
// metres, z up, the centre of the body at 0.
//     gmsh -3 skittle.geo -o skittle.msh
SetFactory("OpenCASCADE");

belly = 0.5;  // radius
head  = 0.25; // radius
neck  = 0.15; // radius
top   = 0.95; // height of the head's centre

Sphere(1) = {0, 0, 0, belly};
Sphere(2) = {0, 0, top, head};
Cylinder(3) = {0, 0, 0, 0, 0, top, neck};
BooleanUnion(4) = { Volume{1}; Delete; }{ Volume{2, 3}; Delete; };

eps = 1e-3;
grip() = Surface In BoundingBox {-head - eps, -head - eps, top - head - eps, head + eps, head + eps, top + head + eps};
Physical Volume("skittle") = {4};
Physical Surface("head") = grip();

Mesh.MeshSizeMin = 0.07;
Mesh.MeshSizeMax = 0.07;
Mesh.MshFileVersion = 4.1;
