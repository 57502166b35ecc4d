// An L-bracket with a hole, in metres. The surface `wall` is clamped, `pad` is loaded.
//     gmsh -3 [-setnumber h 0.004] bracket.geo -o bracket.msh
SetFactory("OpenCASCADE");
DefineConstant[ h = {0.010, Name "h"} ];
Box(1) = {0,0,0, 0.02,0.04,0.12};
Box(2) = {0.02,0,0, 0.08,0.04,0.02};
Box(3) = {0.10,0,0, 0.02,0.04,0.02};
Cylinder(4) = {0.06,0.02,-0.01, 0,0,0.04, 0.008};
BooleanDifference(5) = { Volume{2}; Delete; }{ Volume{4}; Delete; };
f() = BooleanFragments{ Volume{1,3,5}; Delete; }{};
e=1e-5;
wall() = Surface In BoundingBox{-e,-e,-e, e,0.04+e,0.12+e};
pad() = Surface In BoundingBox{0.10-e,-e,0.02-e, 0.12+e,0.04+e,0.02+e};
tip() = Curve In BoundingBox{0.12-e,-e,0.02-e, 0.12+e,0.04+e,0.02+e};
leg() = Volume In BoundingBox{-e,-e,-e, 0.02+e,0.04+e,0.12+e};
arm() = Volume In BoundingBox{0.02-e,-e,-e, 0.12+e,0.04+e,0.02+e};
Physical Volume("leg") = {leg()};
Physical Volume("arm") = {arm()};
Physical Surface("wall") = {wall()};
Physical Surface("pad") = {pad()};
Physical Curve("tip") = {tip()};
Mesh.CharacteristicLengthMax = h;
Mesh.CharacteristicLengthMin = h/2;
Mesh.MshFileVersion = 4.1;
