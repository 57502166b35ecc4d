// A rabbit of five ellipsoids, 1 m long: body, head, ears and tail. Metres, y up.
//     gmsh -3 rabbit.geo -o rabbit.msh
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Dilate {{0, 0, 0}, {0.44, 0.31, 0.31}} { Volume{1}; }
Translate {0.56, 0.33, 0.38} { Volume{1}; } // body
Sphere(2) = {0, 0, 0, 1};
Dilate {{0, 0, 0}, {0.22, 0.19, 0.18}} { Volume{2}; }
Translate {0.22, 0.58, 0.38} { Volume{2}; } // head
Sphere(3) = {0, 0, 0, 1};
Dilate {{0, 0, 0}, {0.06, 0.2, 0.09}} { Volume{3}; }
Translate {0.27, 0.79, 0.27} { Volume{3}; } // ears
Sphere(4) = {0, 0, 0, 1};
Dilate {{0, 0, 0}, {0.06, 0.2, 0.09}} { Volume{4}; }
Translate {0.27, 0.79, 0.49} { Volume{4}; }
Sphere(5) = {0.92, 0.24, 0.38, 0.08}; // tail
BooleanUnion(6) = { Volume{1}; Delete; }{ Volume{2, 3, 4, 5}; Delete; };
Mesh.CharacteristicLengthMin = 0.035;
Mesh.CharacteristicLengthMax = 0.09;
Mesh.CharacteristicLengthFromCurvature = 7;
Mesh.Optimize = 1;
Mesh.MshFileVersion = 4.1;
Physical Volume("rabbit") = {6};
