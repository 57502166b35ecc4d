// A rod of 4 x 1/8 x 1/8 m with about 1,500 tetrahedra: gmsh -3 -format msh22 rod_coarse.geo -o rod_coarse.msh
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 4, 0.125, 0.125};
Physical Volume("body") = {1};
Mesh.CharacteristicLengthMin = 0.0625;
Mesh.CharacteristicLengthMax = 0.0625;
