// A ball of radius 1 m about the origin; the surfaces "south" and "north" are its caps below z = -0.9 and above z =
// 0.9.
//     gmsh -3 ball.geo -o ball.msh
SetFactory("OpenCASCADE");

Sphere(1) = {0, 0, 0, 1};
Box(2) = {-1, -1, -2, 2, 2, 1.1};
Box(3) = {-1, -1, 0.9, 2, 2, 1.1};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2, 3}; Delete; }
outside() = Volume{:};
ball() = Volume In BoundingBox {-1.01, -1.01, -1.01, 1.01, 1.01, 1.01};
outside() -= ball();
Recursive Delete { Volume{outside()}; }
eps = 1e-3;
south() = Surface In BoundingBox {-0.5, -0.5, -1 - eps, 0.5, 0.5, -0.9 + eps};
south() -= Surface In BoundingBox {-0.5, -0.5, -0.9 - eps, 0.5, 0.5, -0.9 + eps};
north() = Surface In BoundingBox {-0.5, -0.5, 0.9 - eps, 0.5, 0.5, 1 + eps};
north() -= Surface In BoundingBox {-0.5, -0.5, 0.9 - eps, 0.5, 0.5, 0.9 + eps};
Physical Volume("ball") = ball();
Physical Surface("south") = south();
Physical Surface("north") = north();

Mesh.MeshSizeMin = 0.17;
Mesh.MeshSizeMax = 0.17;
Mesh.MshFileVersion = 4.1;
