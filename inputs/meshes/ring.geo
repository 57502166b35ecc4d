// A ring about the z axis: radii 40 and 60 mm, 20 mm high; surfaces "inner", "outer", "bottom" (z = 0) and "top".
//     gmsh -3 ring.geo -o ring.msh
SetFactory("OpenCASCADE");
Cylinder(1) = {0, 0, 0, 0, 0, 0.02, 0.06};
Cylinder(2) = {0, 0, 0, 0, 0, 0.02, 0.04};
BooleanDifference(3) = { Volume{1}; Delete; }{ Volume{2}; Delete; };
eps = 1e-6;
bottom() = Surface In BoundingBox {-1, -1, -eps, 1, 1, eps};
top() = Surface In BoundingBox {-1, -1, 0.02 - eps, 1, 1, 0.02 + eps};
inner() = Surface In BoundingBox {-0.041, -0.041, -eps, 0.041, 0.041, 0.02 + eps};
outer() = Surface{:};
outer() -= inner();
outer() -= bottom();
outer() -= top();
Physical Volume("ring") = {3};
Physical Surface("inner") = inner();
Physical Surface("outer") = outer();
Physical Surface("bottom") = bottom();
Physical Surface("top") = top();

Mesh.MeshSizeMin = 0.006;
Mesh.MeshSizeMax = 0.006;
Mesh.MshFileVersion = 4.1;
