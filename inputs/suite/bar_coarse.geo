// A bar of 1 x 1/4 x 1/4 m with about 1,500 tetrahedra: gmsh -3 -format msh22 bar_coarse.geo -o bar_coarse.msh
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 0.25, 0.25};
Physical Volume("body") = {1};
Mesh.CharacteristicLengthMin = 0.0625;
Mesh.CharacteristicLengthMax = 0.0625;
