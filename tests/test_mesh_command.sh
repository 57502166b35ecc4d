#!/usr/bin/env bash
# wring mesh: the report of info; files of convert, refine and box, which Gmsh must read; every refusal in one line,
# on 1 and 3 ranks.
# usage: test_mesh_command.sh BUILD_DIR SOURCE_DIR     ranks: 3     cost: 8
. "$(dirname "$0")/lib.sh"
prefix=(mesh)

# ---- box and info: the numbers of two unit cells, by hand; in 40 parts each tet is a part, without METIS ----
works 1 box beam.msh -size 2,1,1 -cells 2,1,1 -jitter 0
works 1 info beam.msh -parts 1,40 -json beam.json
cat >expected <<'TEXT'
file            beam.msh
format          Gmsh 4.1, ASCII
vertices        12
tetrahedra      12
bounding box    0 0 0 to 2 1 1 m
volume          2 m^3
edges           33, 1 to 1.73205 m long, mean 1.18244 m
boundary faces  20
components      1
quality         at least 0.755953, mean 0.755953: 12 (9 V^2)^(1/3) / sum of squared edges, 1 for the regular tetrahedron
  0.0 to 0.1              0  0 %
  0.1 to 0.2              0  0 %
  0.2 to 0.3              0  0 %
  0.3 to 0.4              0  0 %
  0.4 to 0.5              0  0 %
  0.5 to 0.6              0  0 %
  0.6 to 0.7              0  0 %
  0.7 to 0.8             12  100 %
  0.8 to 0.9              0  0 %
  0.9 to 1.0              0  0 %
regions         1
  box                   12 tetrahedra, 2 m^3
sets            7
  xmin                  4 vertices, 2 triangles, 1 m^2
  xmax                  4 vertices, 2 triangles, 1 m^2
  ymin                  6 vertices, 4 triangles, 2 m^2
  ymax                  6 vertices, 4 triangles, 2 m^2
  zmin                  6 vertices, 4 triangles, 2 m^2
  zmax                  6 vertices, 4 triangles, 2 m^2
  box                   12 vertices
   parts  tetrahedra max/avg  vertices max/avg  cut faces  interface vertices    ghosts
       1               1.000             1.000          0               0.00%     0.00%
      40               3.333             3.333         14             100.00%   300.00%
TEXT
tail -n 1 log | grep -Eq '^peak memory +[0-9.]+ MB on the largest rank, [0-9.]+ MB on all$' || fail 'no memory'
sed '$d' log >alone
diff expected alone || fail 'the text of info'
works 3 info beam.msh -parts 1,40
diff alone <(sed '$d' log) || fail 'info on 3 ranks'
for word in '"format": "Gmsh 4.1, ASCII"' '"vertices": 12' '"volume": 2.0' '"number": 33' '"boundary_faces": 20' \
  '"components": 1' '"parts": 40' '"cut_faces": 14' '"interface_vertices": 12' '"ghosts": 36'; do
  grep -qF "$word" beam.json || fail "beam.json has no $word"
done

# An origin; parts that METIS cuts are nearly equal.
works 1 box beam.mesh.msh -size 2,1,1 -cells 8,4,4 -origin -1,0,0.5
works 1 info beam.mesh.msh -parts 2,3,5
grep -q '^bounding box    -1 0 0.5 to 1 1 1.5 m$' log || fail 'origin'
awk '$1 == "parts" { on = 1; next } $1 == "peak" { on = 0 } on { n++; if ($2 > 1.1 || $3 > 1.5 || $4 <= 0) bad = 1 }
  END { exit bad || n != 3 }' log ||
  fail 'quality of the partition'
# Two tets that do not touch, one turned over, and a node of none.
cat >two.mesh <<'MESH'
MeshVersionFormatted 2
Dimension 3
Vertices 9
0 0 0 0
1 0 0 0
0 1 0 0
0 0 1 0
5 0 0 0
6 0 0 0
5 1 0 0
5 0 1 0
9 9 9 0
Tetrahedra 2
1 2 3 4 1
6 5 7 8 2
End
MESH
works 1 info two.mesh -scale 1e-3
for line in 'format          MEDIT, ASCII' 'vertices        8' 'components      2' 'boundary faces  8' \
  'note: 1 tetrahedra had negative volume and were reoriented' 'bounding box    0 0 0 to 0.006 0.001 0.001 m'; do
  grep -qx "$line" log || fail "info two.mesh: no '$line'"
done
# Two tets that share their last vertex, on two ranks: fails if a rank learns too late that its part has joined another.
cat >joined.mesh <<'MESH'
MeshVersionFormatted 2
Dimension 3
Vertices 7
0 0 0 0
1 0 0 0
0 1 0 0
1 1 2 0
0 1 2 0
1 0 2 0
0 0 1 0
Tetrahedra 2
1 2 3 7 1
4 5 6 7 1
End
MESH
for ranks in 1 2 3; do
  works $ranks info joined.mesh
  grep -qx 'components      1' log || fail "components on $ranks ranks"
done
# Fails if a slice counts an edge, a face or a component that another one counts too.
works 1 info "$source/inputs/meshes/lamp.msh"
sed '$d' log >alone
for ranks in 2 3; do
  works $ranks info "$source/inputs/meshes/lamp.msh"
  diff alone <(sed '$d' log) || fail "info of lamp.msh on $ranks ranks"
done

# ---- convert: the same mesh in every file, on any number of ranks; no other file remains ----
works 1 convert beam.mesh.msh binary.msh -binary true
works 3 convert binary.msh text.msh
cmp beam.mesh.msh text.msh || fail 'text, binary and back'
works 1 info beam.mesh.msh
sed -i '/^file\|^format\|^peak/d' log
mv log alone
works 1 info binary.msh
grep -qx 'format          Gmsh 4.1, binary' log || fail 'format of binary.msh'
sed -i '/^file\|^format\|^peak/d' log
diff alone log || fail 'info of the binary file'
works 1 convert two.mesh scaled.msh -scale 2
works 1 info scaled.msh
grep -qx 'bounding box    0 0 0 to 12 2 2 m' log || fail 'convert -scale'
for ranks in 1 3; do
  works $ranks convert "$source/inputs/meshes/lamp.msh" lamp.vtu
  [ "$(head -c 5 lamp.vtu)" = '<?xml' ] && [ "$(tail -1 lamp.vtu)" = '</VTKFile>' ] || fail 'lamp.vtu is not whole'
  grep -aq '<Piece NumberOfPoints="1097" NumberOfCells="3722">' lamp.vtu || fail 'counts of lamp.vtu'
  grep -aq 'Name="region"' lamp.vtu && grep -aq 'Name="vertex"' lamp.vtu || fail 'fields of lamp.vtu'
done
works 1 convert "$source/inputs/meshes/truss_points.csv" points.vtu
grep -aq 'Name="region"' points.vtu || fail 'points.vtu'
works 1 box box.vtu -size 1,1,1 -cells 2,2,2
[ -z "$(find . -name '*.part')" ] || fail 'a .part file was left'
works 1 box "odd name.msh" -size 1,1,1 -cells 1,1,1

# A run reads the output of convert and gives the same bits.
cat >deck.yaml <<'DECK'
mesh:     {file: beam.mesh.msh}
material: {model: corotated, young: 1e6, poisson: 0.3, density: 1000}
gravity:  [0, 0, -9.81]
attach:   {xmin: {stiffness: 1e6}}
time:     {step: 1e-2, steps: 2}
output:   {directory: out, every: 0, state_csv: true}
DECK
"$wring" run deck.yaml >log 2>&1 && mv out/state.csv text.csv || fail 'run of text'
"$wring" run deck.yaml -output_overwrite true -mesh_file binary.msh >log 2>&1 || fail 'run of binary'
cmp text.csv out/state.csv || fail 'states of text and binary'
rm -rf out

# ---- refine: the same file on any number of ranks, and again; sets keep their surfaces ----
works 1 refine beam.msh fine.msh -levels 2
works 3 refine beam.msh fine3.msh -levels 2
cmp fine.msh fine3.msh || fail 'refine on 1 and on 3 ranks'
works 1 refine beam.msh once.msh
works 1 refine once.msh fine_again.msh -binary
works 1 convert fine_again.msh fine_text.msh
cmp fine.msh fine_text.msh || fail 'refine twice and by two levels'
works 1 info fine.msh
for line in 'vertices        225' 'tetrahedra      768' 'volume          2 m^3' \
  '  xmin                  25 vertices, 32 triangles, 1 m^2' \
  'boundary faces  320' '  box                   225 vertices'; do
  grep -qxF "$line" log || fail "info fine.msh: no '$line'"
done
works 1 refine beam.msh fine.vtu

# ---- Gmsh reads the files without a warning, with every node, element and group ----
if command -v gmsh >/dev/null && gmsh --version >/dev/null 2>&1; then
  works 1 convert "$source/inputs/meshes/lamp.msh" lamp.msh
  works 1 convert lamp.msh lamp_binary.msh -binary
  works 1 convert "$source/inputs/meshes/truss_points.csv" points.msh
  for mesh in beam.mesh fine lamp lamp_binary scaled points; do
    gmsh -0 $mesh.msh -format msh41 -o $mesh.gmsh.msh >log 2>&1 || fail "gmsh $mesh.msh"
    ! grep -Eqi '^(warning|error)' log || fail "gmsh complains of $mesh.msh"
    [ $mesh = points ] && continue # gmsh saves elements of groups, where there are any
    works 1 info $mesh.msh
    sed '/^file\|^format\|^peak/d' log >ours
    works 1 info $mesh.gmsh.msh
    sed '/^file\|^format\|^peak/d' log >theirs
    diff ours theirs || fail "what gmsh saves of $mesh.msh"
  done
fi

# ---- refusals ----
usage='expected wring mesh info FILE, wring mesh convert[|]refine FROM TO, wring mesh box TO'
ends_on 4 3 'nowhere/a.msh: cannot be written' convert beam.msh nowhere/a.msh
refused_everywhere "no command given, $usage"
refused "unknown command turn, $usage" turn beam.msh
refused "unknown command refin, did you mean refine, $usage" refin beam.msh fine.msh
refused_everywhere 'too few file names, expected wring mesh info FILE' info
refused 'too few file names, expected wring mesh info FILE' info -parts 2
refused 'too few file names, expected wring mesh convert FROM TO' convert beam.msh
refused 'too few file names' box -size 1,1,1
refused "unexpected argument 'more.msh'" convert beam.msh other.msh more.msh
refused_everywhere 'none.msh: cannot be read: No such file' info none.msh
refused_everywhere 'none.msh: cannot be read: No such file' convert none.msh other.msh
refused 'unknown kind of file, expected a name that ends with .msh' convert beam.msh other.stl
refused 'unknown kind of file' convert beam.msh .msh
refused_everywhere 'writing it would overwrite the input beam.msh' convert beam.msh beam.msh
ln -s beam.msh link.msh
refused 'writing it would overwrite the input link.msh' convert link.msh beam.msh
refused 'writing it would overwrite the input' convert beam.msh link.msh
mkfifo pipe.msh
refused_everywhere 'pipe.msh: is no plain file, expected another name' convert beam.msh pipe.msh
refused 'pipe.msh: is no plain file' box pipe.msh -size 1,1,1 -cells 1,1,1
cp beam.msh target.msh.part
refused 'writing it would overwrite the input target.msh.part' convert target.msh.part target.msh
rm target.msh.part
ends_on 4 1 'nowhere/a.msh: cannot be written' convert beam.msh nowhere/a.msh
ends_on 4 3 'nowhere/a.vtu: cannot be written' convert beam.msh nowhere/a.vtu
refused 'binary applies to .msh files only' convert beam.msh a.vtu -binary true
refused 'binary is "perhaps", expected true or false' convert beam.msh a.msh -binary perhaps
refused 'scale is "0", expected a real in' convert beam.msh a.msh -scale 0
refused 'scale is "0", expected a real in' info beam.msh -scale 0
refused 'partz.*did you mean' info beam.msh -partz 2
refused 'parts is "0", expected' info beam.msh -parts 0
refused 'parts is "2,x", expected' info beam.msh -parts 2,x
refused 'partitioner is "ptscoth", expected one of metis, curve, ptscotch, parmetis' info beam.msh -partitioner ptscoth
for package in ptscotch parmetis; do # works, or names what is missing
  on 3 info beam.msh -parts 2 -partitioner $package || grep -q "partitioner: $package needs a PETSc with P" log ||
    fail "-partitioner $package"
done
works 3 info beam.msh -parts 4 -partitioner curve
grep -q '^ *4 *1.000 *1.000 ' log || fail 'four pieces of the curve'
refused 'expected a name that ends with .json' info beam.msh -json beam.txt
cp beam.msh mesh.json
refused 'writing it would overwrite the input mesh.json' info mesh.json -json mesh.json
ends_on 4 1 'nowhere/a.json: cannot be written' info beam.msh -json nowhere/a.json
ends_on 4 1 'nowhere/map.csv: cannot be written' info beam.msh -map nowhere/map.csv # not after the report
refused_everywhere 'writing it would overwrite the input beam.msh' refine beam.msh beam.msh
refused 'too few file names, expected wring mesh refine FROM TO' refine beam.msh -levels 2
refused 'levels is "0", expected an integer in' refine beam.msh a.msh -levels 0
refused 'unknown kind of file' refine beam.msh a.mesh
refused_everywhere 'only points' refine "$source/inputs/meshes/truss_points.csv" a.msh
refused 'size is missing: expected 3 reals' box a.msh -cells 1,1,1
refused 'cells is missing: expected 3 integers' box a.msh -size 1,1,1
refused 'cells is "-1,1,1", expected 3 integers' box a.msh -size 1,1,1 -cells -1,1,1
refused '1 m along x, where there are no cells, expected 0' box a.msh -size 1,1,1 -cells 0,1,1
refused '0 m along z, where there are cells, expected above 0' box a.msh -size 1,1,0 -cells 1,1,1
refused 'cells: 0,0,0, expected cells along at least one axis' box a.msh -size 0,0,0 -cells 0,0,0
refused 'are too many' box a.msh -size 1,1,1 -cells 2000000000,2000000000,2000000000
refused 'jitter.*0.99 leaves a tetrahedron of zero volume' box a.msh -size 1,1,1 -cells 4,4,4 -jitter 0.99
sed 's/^6 5 7 8 2/6 5 7 99 2/' two.mesh >bad.mesh
refused 'bad.mesh:15: element 2 refers to node 99' info bad.mesh
refused_everywhere 'bad.mesh:15: element 2 refers to node 99' convert bad.mesh a.msh

# ---- order 2: vertices at the middles of edges, numbered behind the corners; files keep them bit by bit ----
works 1 box second.msh -size 2,1,1 -cells 2,1,1 -order 2
works 1 info second.msh -map map.csv -json second.json
line='order           2: 33 more vertices at middles of edges, Jacobian at least 1 of its mean'
grep -qx "$line" log || fail 'info of order 2'
grep -q '"order": 2' second.json && grep -q '"middles": 33' second.json || fail 'second.json'
diff map.csv <(echo node,vertex; for i in {1..45}; do echo "$i,$((i - 1))"; done) || fail 'map of nodes'
works 2 info "$source/inputs/meshes/truss_points.csv" -map points.csv
awk -F, 'NR > 1 && $1 != $2 { bad = 1 } END { exit NR < 2 || bad }' points.csv || fail 'map of points'
works 3 convert second.msh binary2.msh -binary true
works 1 convert binary2.msh text2.msh
cmp second.msh text2.msh || fail 'order 2 is not kept by convert'
works 2 refine second.msh fine2.msh
works 1 info fine2.msh
grep -q '^tetrahedra      96$' log && grep -q '^order           2: ' log || fail 'refine of order 2'
works 1 convert second.msh first.msh -order 1
works 1 info first.msh
grep -q '^vertices        12$' log && ! grep -q '^order' log || fail 'the corners of order 2'
works 1 convert second.msh second.vtu
"$python" - <<'PY' || fail 'second.vtu: quadratic tetrahedra'
import re, struct, zlib
text = open("second.vtu", "rb").read()
start = text.index(b"<AppendedData encoding=\"raw\">") + len(b"<AppendedData encoding=\"raw\">")
start = text.index(b"_", start) + 1
def array(name, form):
    at = start + int(re.search(f'Name="{name}"[^>]*offset="(\\d+)"'.encode(), text).group(1))
    n, block, last = struct.unpack_from("<3Q", text, at)
    size = struct.unpack_from(f"<{n}Q", text, at + 24)
    at, data = at + 24 + 8 * n, b""
    for one in size:
        data += zlib.decompress(text[at : at + one])
        at += one
    return [x for (x,) in struct.iter_unpack(form, data)]
width = "<q" if re.search(rb'type="Int64" Name="connectivity"', text) else "<i"
x, cells = array("Points", "<d"), array("connectivity", width)
assert set(array("types", "<B")) == {24} and array("offsets", width) == list(range(10, 121, 10))
for cell in range(0, len(cells), 10):
    v = cells[cell : cell + 10]
    for k, (a, b) in enumerate(((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))):  # VTK's order
        for c in range(3):
            assert x[3 * v[4 + k] + c] == (x[3 * v[a] + c] + x[3 * v[b] + c]) / 2
PY

# ---- curved: the middle of the edge 01 of the unit tetrahedron moved by d = -0.1 m along y ----
# X + 4 L_0 L_1 d has the volume V (1 + (grad L_0 + grad L_1).d) = 1.1/6 and the Jacobian 6 V (1 + 0.4 L_1). The face
# z = 0 has the area 1/2 (1 + 4/3 0.1), and the edge is a parabola with slopes up to 0.4. Fails if corners alone are
# taken.
cat >curved.msh <<'END'
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
1 1 "edge"
2 2 "floor"
3 3 "body"
$EndPhysicalNames
$Nodes
10
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
5 0.5 -0.1 0
6 0.5 0.5 0
7 0 0.5 0
8 0 0 0.5
9 0 0.5 0.5
10 0.5 0 0.5
$EndNodes
$Elements
3
1 8 2 1 1 1 2 5
2 9 2 2 2 1 2 3 5 6 7
3 11 2 3 3 1 2 3 4 5 6 7 8 9 10
$EndElements
END
for n in 1 3; do
  works $n info curved.msh -json curved.json
  "$python" - <<'PY' || fail "curved elements on $n ranks"
import json, math
m = json.load(open("curved.json"))
floor, edge = ([s for s in m["sets"] if s["name"] == name][0] for name in ("floor", "edge"))
length = math.sqrt(1.16) / 2 + math.asinh(0.4) / 0.8
for found, exact, near in (
    (m["volume"], 1.1 / 6, 1e-14),
    (m["regions"][0]["volume"], 1.1 / 6, 1e-14),
    (m["jacobian_min"], 1 / 1.1, 1e-14),
    (floor["area"], 0.5 * (1 + 0.4 / 3), 1e-14),
    (edge["length"], length, 1e-5),
    (m["edges"]["min"], 1, 1e-14),
):
    assert abs(found - exact) <= near, (found, exact)
PY
done

# Without the tetrahedron, the sheet and the line are curved. Fails if edges of no tetrahedron are straightened.
awk '/^\$Elements/ { print; getline; print 2; next } !/^3 11 /' curved.msh >sheet.msh
refused 'edges of the second-order mesh are curved' refine sheet.msh a.msh

# ---- help ----
"$wring" help mesh >log || fail 'help mesh'
for key in 'wring mesh refine FROM TO -levels' 'wring mesh info FILE -parts' 'wring mesh convert FROM TO -binary' \
  'wring mesh box TO -cells' mesh_box_cells; do
  grep -q "^$key: " log || fail "help mesh does not list $key"
done
"$wring" help >log && grep -q "^wring mesh convert FROM TO  " log && grep -q "^wring mesh box TO  " log || fail help
exit 0
