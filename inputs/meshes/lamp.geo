// A lamp on a wall: a bent soft arm between a hard foot and a hard head. Volumes "soft" and "hard" share their faces;
// the surface "wall" is the back of the foot. Lengths in metres, z up.
//     gmsh -3 lamp.geo -o lamp.msh
SetFactory("OpenCASCADE");

bend = 0.3;   // radius of the arm's axis, a quarter of a circle from the wall outwards and down
tube = 0.04;  // radius of the arm
side = 0.2;   // of the foot
deep = 0.03;  // of the foot
ball = 0.08;  // radius of the head

Torus(1) = {0, 0, 0, bend, tube, Pi / 2};
Rotate {{1, 0, 0}, {0, 0, 0}, Pi / 2} { Volume{1}; }
Translate {0, 0, -bend} { Volume{1}; }
Box(2) = {-deep, -side / 2, -side / 2, deep, side, side};
Sphere(3) = {bend, 0, -bend, ball};

// The head takes its place from the arm; fragments make the faces between them common.
BooleanDifference(4) = { Volume{1}; Delete; }{ Volume{3}; };
BooleanFragments{ Volume{4}; Delete; }{ Volume{2, 3}; Delete; }

eps = 1e-4;
foot() = Volume In BoundingBox {-deep - eps, -side / 2 - eps, -side / 2 - eps, eps, side / 2 + eps, side / 2 + eps};
head() = Volume In BoundingBox {bend - ball - eps, -ball - eps, -bend - ball - eps, bend + ball + eps,
                                  ball + eps, -bend + ball + eps};
arm() = Volume{:};
arm() -= foot();
arm() -= head();
wall() = Surface In BoundingBox {-deep - eps, -side, -side, -deep + eps, side, side};
Physical Volume("soft") = arm();
Physical Volume("hard") = {foot(), head()};
Physical Surface("wall") = wall();

Mesh.MeshSizeMin = 0.02;
Mesh.MeshSizeMax = 0.02;
Mesh.MshFileVersion = 4.1;
