// A rope bridge: planks on two foot ropes, two hand ropes above them, and hangers between. Volumes "plank"; curves
// "foot", "hand" and "hanger"; the planks' tops are the surface "walkway". Lengths in metres, x along the bridge, z up.
//     gmsh -3 bridge.geo -o bridge.msh
SetFactory("OpenCASCADE");

n     = 13;   // planks
long  = 0.20; // of a plank, along x
wide  = 1.00;
thick = 0.05;
gap   = 0.12;
high  = 0.90; // of the hand ropes above the planks
land  = 0.50; // from the last plank to the bank
eps   = 1e-4;
span  = n * long + (n - 1) * gap;

foot() = {}; hand() = {}; hanger() = {}; top() = {};
For i In {0:n - 1}
  Box(1 + i) = {i * (long + gap), -wide / 2, -thick, long, wide, thick};
EndFor
bank() = {}; above() = {}; // [4 s + ...] the ends of the ropes; [n s + i] the hand rope above plank i
For s In {0:1}
  y = (2 * s - 1) * wide / 2;
  p = newp; Point(p) = {-land, y, 0}; bank() += p;
  p = newp; Point(p) = {span + land, y, 0}; bank() += p;
  p = newp; Point(p) = {-land, y, high}; bank() += p;
  p = newp; Point(p) = {span + land, y, high}; bank() += p;
  For i In {0:n - 1}
    p = newp; Point(p) = {i * (long + gap) + long / 2, y, high}; above() += p;
  EndFor
EndFor
For i In {0:n - 1}
  x = i * (long + gap);
  top() += Surface In BoundingBox {x - eps, -wide, -eps, x + long + eps, wide, eps};
  For s In {0:1}
    y      = (2 * s - 1) * wide / 2;
    west() = Point In BoundingBox {x - eps, y - eps, -eps, x + eps, y + eps, eps};
    east() = Point In BoundingBox {x + long - eps, y - eps, -eps, x + long + eps, y + eps, eps};
    c = newl; Line(c) = {above(n * s + i), west(0)}; hanger() += c;
    c = newl; Line(c) = {above(n * s + i), east(0)}; hanger() += c;
    If (i == 0)
      c = newl; Line(c) = {bank(4 * s), west(0)}; foot() += c;
      c = newl; Line(c) = {bank(4 * s + 2), above(n * s)}; hand() += c;
    Else
      before() = Point In BoundingBox {x - gap - eps, y - eps, -eps, x - gap + eps, y + eps, eps};
      c = newl; Line(c) = {before(0), west(0)}; foot() += c;
      c = newl; Line(c) = {above(n * s + i - 1), above(n * s + i)}; hand() += c;
    EndIf
    If (i == n - 1)
      c = newl; Line(c) = {east(0), bank(4 * s + 1)}; foot() += c;
      c = newl; Line(c) = {above(n * s + i), bank(4 * s + 3)}; hand() += c;
    EndIf
  EndFor
EndFor

Physical Volume("plank") = {1:n};
Physical Surface("walkway") = top();
Physical Curve("foot") = foot();
Physical Curve("hand") = hand();
Physical Curve("hanger") = hanger();

Mesh.MeshSizeMin = 0.1;
Mesh.MeshSizeMax = 0.1;
Mesh.MshFileVersion = 4.1;
