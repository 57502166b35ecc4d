/*
  Fibre: psi(z) = k/2 (|z| - 1)^2, z = F d, d the unit rest direction of a tet's fibres; k [Pa]. docs/theory.md (3.4),
  (3.45)
*/
#include "law/common/keys.h"
#include "law/common/length.h"

static const wring_option options[] = {
  {"fibre_stiffness", WRING_REAL, .unit = "Pa", .range = "(0,inf)",
   .help = "Stiffness k of the energy density k/2 (|F d| - 1)^2 of fibres along d."},
  {"fibre_direction", WRING_REALS, .count = 3, .instead = "fibre_file|fibre_data",
   .help = "Direction d of the fibres at rest, of any length above 0."},
  {"fibre_file", WRING_PATH, .instead = "fibre_direction|fibre_data",
   .help = "CSV `tet,x,y,z`: direction in each tet, numbered from 0 as in the mesh file; replaces fibre.direction."},
  {"fibre_data", WRING_WORD, .instead = "fibre_direction|fibre_file",
   .help = "Name of the $ElementData in mesh.file (Gmsh) that gives the same directions."},
  {0},
};

static const char *const example[] = {"fibre_stiffness", "1e6", "fibre_direction", "0,0,1", NULL};

static PetscErrorCode set_par(WRING_SELF, const wring_options *o, const char *prefix, const char *fallback, double *par)
{
  PetscFunctionBegin;
  PetscCall(wring_law_get_real(o, prefix, fallback, options, "fibre_stiffness", &par[LENGTH_STIFFNESS]));
  par[LENGTH_REST] = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

const wring_law wring_law_fibre = {
  .name      = "fibre",
  .kind      = WRING_LAW_ON_TOP,
  .options   = options,
  .set_par   = set_par,
  .example   = example,
  .n_row     = 1,
  .row       = wring_length_row,
  .row_fault = wring_length_fault,
  WRING_LENGTH,
};
