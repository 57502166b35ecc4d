# Points or springs of a lattice, for inputs/meshes/{truss,cloth}_*.csv: neighbours along edges and diagonals of cells are joined.
#     awk -v nx=9 -v ny=2 -v nz=2 -v d=0.1 -v k=1e4 -v what=springs -f jobs/studies/lattice.awk >inputs/meshes/truss_springs.csv
# what: points, springs, or masses: of m, and of `heavy` where x is 0 (`corners`: only at the ends of that side).
function number(i, j, l) { return (l * ny + j) * nx + i }
function held(i, j) { return i == 0 && (!corners || j == 0 || j == ny - 1) }
BEGIN {
  if (what == "points") print "vertex,x,y,z"
  if (what == "masses") print "vertex,mass"
  if (what == "springs") print "a,b,length,stiffness"
  for (l = 0; l < nz; l++) for (j = 0; j < ny; j++) for (i = 0; i < nx; i++) {
    if (what == "points") printf "%d,%.10g,%.10g,%.10g\n", number(i, j, l), i * d, j * d, l * d
    if (what == "masses") printf "%d,%.10g\n", number(i, j, l), held(i, j) ? heavy : m
    if (what != "springs") continue
    for (c = 0; c <= 1; c++) for (b = -1; b <= 1; b++) for (a = -1; a <= 1; a++) {
      if (9 * c + 3 * b + a <= 0) continue
      if (i + a < 0 || i + a >= nx || j + b < 0 || j + b >= ny || l + c >= nz) continue
      printf "%d,%d,%.17g,%.10g\n", number(i, j, l), number(i + a, j + b, l + c), d * sqrt(a * a + b * b + c * c), k
    }
  }
}
