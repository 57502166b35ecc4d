/* Edges between two triangles: z = sum c_a x_a/A, weight A. docs/theory.md (3.60), (3.61) */
#include "term_impl.h"

PetscErrorCode wring_term_create_hinges(const wring_mesh *mesh, const char *name, const wring_law *law,
                                        double stiffness, PetscInt n, const PetscInt *vertex, wring_term **term)
{
  wring_term *t;

  PetscFunctionBegin;
  PetscCheck(law->n_par <= 2, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "'%s': law '%s' of hinges has %d parameters", name,
             law->name, law->n_par);
  PetscCall(wring_term_create_listed(mesh, name, law, 4, 1, n, vertex, PETSC_TRUE, PETSC_TRUE, &t));
  for (PetscInt e = 0; e < n; e++) {
    const PetscInt *v = vertex + 4 * (size_t)t->place[e];
    const double   *X[4];
    double          c[4], area, curvature;
    for (int a = 0; a < 4; a++) X[a] = mesh->X + 3 * (size_t)v[a];
    wring_hinge_rest(X, c, &area, &curvature);
    wring_term_set_coef(t, e, (const double[]){c[0] / area, c[1] / area, c[2] / area});
    wring_term_set_weight(t, e, area);
    wring_term_set_par(t, e, (const double[]){stiffness, curvature}); // the law reads the first n_par
  }
  wring_term_pad(t);
  *term = t;
  PetscFunctionReturn(PETSC_SUCCESS);
}
