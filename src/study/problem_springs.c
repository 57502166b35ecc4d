/*
  Springs of the deck. A spring may join any two vertices: its row goes to the owner of `a`, and `b` becomes a ghost there.
*/
#include "problem.h"

static void check_rows(const char *file, PetscInt n, int width, const double *row, wring_error *e)
{
  for (PetscInt i = 0; i < n && !e->text[0]; i++, row += width) {
    const PetscInt line = i + 2;
    if (row[0] == row[1]) {
      wring_error_set(e, "%s:%" PetscInt_FMT ": a and b are both %g, expected two vertices", file, line, row[0]);
    } else if (row[2] < 0) {
      wring_error_set(e, "%s:%" PetscInt_FMT ": length %g, expected at least 0 m", file, line, row[2]);
    } else if (row[3] <= 0) {
      wring_error_set(e, "%s:%" PetscInt_FMT ": stiffness %g, expected above 0 N/m", file, line, row[3]);
    } else if (row[4] < 0) {
      wring_error_set(e, "%s:%" PetscInt_FMT ": damping %g, expected at least 0 N s/m", file, line, row[4]);
    }
  }
}

static PetscErrorCode read_springs(wring_problem *p, wring_spring_rows *s)
{
  char      prefix[256], file[PETSC_MAX_PATH_LEN];
  PetscInt *b;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(prefix, sizeof prefix, "spring_%s_", s->name));
  PetscCall(wring_options_get_path(p->options, prefix, wring_spring_options, "file", sizeof file, file));
  PetscCall(wring_problem_read_rows(p, file, "a,b,length,stiffness[,damping]", PETSC_FALSE, PETSC_FALSE, check_rows,
                                    &s->n, &s->width, &s->row));
  PetscCall(PetscMalloc1(s->n, &b));
  for (PetscInt i = 0; i < s->n; i++) b[i] = (PetscInt)s->row[s->width * i + 1];
  PetscCall(wring_mesh_extend_halo(p->mesh, s->n, b));
  PetscCall(PetscFree(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_read_springs(wring_problem *p)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->n_springs, &p->springs));
  for (PetscInt i = 0; i < p->n_springs; i++) {
    p->springs[i].name = p->spring_name[i];
    PetscCall(read_springs(p, &p->springs[i]));
    p->n_pair += p->springs[i].n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The rows become a term; pair [n][2] gets their local vertices. */
static PetscErrorCode add_springs(wring_problem *p, wring_spring_rows *s, PetscInt *pair)
{
  PetscInt   *a, *b;
  double     *stiffness, *length, *damping;
  wring_term *term;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(s->n, &a, s->n, &b, s->n, &stiffness, s->n, &length, s->n, &damping));
  for (PetscInt i = 0; i < s->n; i++) {
    const double *const row = &s->row[s->width * i];
    a[i] = pair[2 * i] = wring_mesh_local(p->mesh, (PetscInt)row[0]);
    b[i] = pair[2 * i + 1] = wring_mesh_local(p->mesh, (PetscInt)row[1]);
    length[i]              = row[2];
    stiffness[i]           = row[3];
    damping[i]             = row[4];
  }
  PetscCall(wring_term_create_damped_springs(p->mesh, s->name, s->n, a, b, stiffness, length, damping, &term));
  PetscCall(wring_potential_add_term(p->g, term));
  PetscCall(PetscFree5(a, b, stiffness, length, damping));
  PetscCall(PetscFree(s->row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_springs(wring_problem *p)
{
  PetscInt done = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * p->n_pair, &p->pair));
  for (PetscInt i = 0; i < p->n_springs; i++) {
    const PetscInt n = p->springs[i].n;
    PetscCall(add_springs(p, &p->springs[i], &p->pair[2 * done]));
    done += n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
