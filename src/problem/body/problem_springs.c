/*
  Springs, from files or along the lines of sets. A spring may join any two vertices: the owner of `a` gets its row, and
  `b` becomes a ghost there.
*/
#include "base/vector3.h"
#include "problem/problem_impl.h"
#include <math.h>

typedef struct {
  const char *file;
  double      stiffness, modulus, damping, density; // N/m, N, N s/m, kg/m; 0: not given
} spring_keys;

const wring_option wring_spring_options[] = {
  {"file", WRING_PATH, .at = WRING_AT(spring_keys, file),
   .help = "CSV `a,b,length,stiffness[,damping]` [m, N/m]: one spring per row; without it NAME is a set with lines."},
  {"stiffness", WRING_REAL, .unit = "N/m", .range = "(0,inf)", .at = WRING_AT(spring_keys, stiffness),
   .instead = "modulus", .help = "Stiffness of each line; give either stiffness or modulus."},
  {"modulus", WRING_REAL, .unit = "N", .range = "(0,inf)", .at = WRING_AT(spring_keys, modulus), .instead = "stiffness",
   .help = "Young's modulus times cross-section; the stiffness of a line is the modulus divided by its length."},
  {"damping", WRING_REAL, .unit = "N s/m", .range = "[0,inf)", .value = "0", .at = WRING_AT(spring_keys, damping),
   .help = "Damping of each line, for xpbd and penalty."},
  {"density", WRING_REAL, .unit = "kg/m", .range = "(0,inf)", .at = WRING_AT(spring_keys, density),
   .help = "Mass per rest length of the lines; without it they have no mass."},
  {0},
};

static void check_rows(const char *file, PetscInt n, const double *row, wring_error *e)
{
  char what[64] = "";
  for (PetscInt i = 0; i < n && !what[0]; i++, row += 5) {
    if (row[0] == row[1])
      snprintf(what, sizeof what, "a and b are both %g, expected two vertices", row[0]);
    else if (row[2] < 0)
      snprintf(what, sizeof what, "length %g, expected at least 0 m", row[2]);
    else if (row[3] <= 0)
      snprintf(what, sizeof what, "stiffness %g, expected above 0 N/m", row[3]);
    else if (row[4] < 0)
      snprintf(what, sizeof what, "damping %g, expected at least 0 N s/m", row[4]);
    if (what[0]) wring_error_set(e, "%s:%" PetscInt64_FMT ": %s", file, wring_csv_line(file, i), what);
  }
}

/* ---- springs of a file ------------------------------------------------------------------------------------------- */

static PetscErrorCode read_file(const wring_problem *p, const char *prefix, const char *file, wring_spring_values *s,
                                wring_piece *line)
{
  static const char *const other[] = {"stiffness", "modulus", "damping", "density"};
  double                  *row;

  PetscFunctionBegin;
  for (int i = 0; i < 4; i++)
    PetscCall(
      wring_options_refuse_both(p->options, prefix, other[i], "file", "each row of the file has its own stiffness"));
  PetscCall(wring_problem_read_rows(p->mesh, file, "a,b,length,stiffness[,damping]", PETSC_FALSE, PETSC_FALSE,
                                    check_rows, &line->n, &row));
  PetscCall(PetscMalloc1(2 * line->n, &line->vertex));
  PetscCall(PetscMalloc1(line->n, &line->size));
  PetscCall(PetscMalloc2(line->n, &s->stiffness, line->n, &s->damping));
  for (PetscInt i = 0; i < line->n; i++) {
    const double *const one = row + 5 * (size_t)i;
    for (int a = 0; a < 2; a++) line->vertex[2 * i + a] = (PetscInt)one[a];
    line->size[i]   = one[2];
    s->stiffness[i] = one[3];
    s->damping[i]   = isnan(one[4]) ? 0 : one[4];
  }
  PetscCall(PetscFree(row));
  PetscCall(wring_mesh_extend_halo(p->mesh, 2 * line->n, line->vertex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- springs along the lines of a set ---------------------------------------------------------------------------- */

/* *set: that of the lines. */
static PetscErrorCode check_lines(const wring_problem *p, const char *prefix, const char *name, const spring_keys *key,
                                  PetscInt *set)
{
  const char *const        origin   = wring_options_family_origin(p->options, prefix);
  static const char *const expected = "a set with lines, or a file";
  PetscInt64               lines;

  PetscFunctionBegin;
  PetscCall(wring_problem_find_set(p, "spring_", name, expected, set));
  PetscCall(wring_mesh_count_elements(p->mesh, *set, 2, &lines));
  if (lines == 0) WRING_REFUSE(p->comm, "%s: spring: '%s' has no lines, expected %s", origin, name, expected);
  if ((key->stiffness > 0) == (key->modulus > 0))
    WRING_REFUSE(p->comm, "%s: spring: '%s' has %s, expected either stiffness or modulus", origin, name,
                 key->modulus > 0 ? "stiffness and modulus" : "neither stiffness nor modulus");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rest lengths need the halo, and the quantities that follow need them. */
static PetscErrorCode take_lines(const wring_problem *p, const char *prefix, const spring_keys *key,
                                 wring_spring_values *s, wring_piece *line)
{
  const wring_mesh *const m     = p->mesh;
  wring_error             error = {""};
  PetscInt                set;

  PetscFunctionBegin;
  PetscCall(check_lines(p, prefix, s->name, key, &set));
  line->density = key->density;
  PetscCall(wring_mesh_list_elements(m, set, 2, &line->n, &line->vertex));
  PetscCall(wring_mesh_extend_halo(p->mesh, 2 * line->n, line->vertex));
  PetscCall(PetscMalloc1(line->n, &line->size));
  PetscCall(PetscMalloc2(line->n, &s->stiffness, line->n, &s->damping));
  for (PetscInt i = 0; i < line->n; i++) {
    const PetscInt *const v = line->vertex + 2 * (size_t)i;
    const PetscInt        a = wring_mesh_local(m, v[0]), b = wring_mesh_local(m, v[1]);
    line->size[i]   = wring_distance3(m->X + 3 * (size_t)a, m->X + 3 * (size_t)b);
    s->stiffness[i] = key->modulus > 0 ? key->modulus / line->size[i] : key->stiffness;
    s->damping[i]   = key->damping;
    if (!(line->size[i] > 0))
      wring_error_set(&error,
                      "%s: spring: the line of vertices %" PetscInt_FMT " and %" PetscInt_FMT
                      " of '%s' has length 0, expected above 0",
                      wring_options_family_origin(p->options, prefix), v[0], v[1], s->name);
  }
  PetscCall(wring_error_raise(p->comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all springs ------------------------------------------------------------------------------------------------- */

PetscErrorCode wring_problem_read_springs(wring_problem *p)
{
  wring_springs *const s = &p->parts->springs;
  char                 prefix[WRING_PREFIX];

  PetscFunctionBegin;
  PetscCall(wring_problem_get_names(p, "spring_", &s->n, &s->name));
  PetscCall(PetscCalloc1(s->n, &s->value));
  PetscCall(PetscCalloc1(s->n, &s->line));
  for (PetscInt i = 0; i < s->n; i++) {
    spring_keys key  = {.file = NULL};
    s->value[i].name = s->name[i];
    s->line[i]       = (wring_piece){.corners = 2, .n_term = 1};
    PetscCall(wring_problem_read_keys(p, "spring_", s->name[i], wring_spring_options, prefix, &key));
    if (key.file)
      PetscCall(read_file(p, prefix, key.file, &s->value[i], &s->line[i]));
    else
      PetscCall(take_lines(p, prefix, &key, &s->value[i], &s->line[i]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode add_springs(wring_problem *p, wring_spring_values *s, wring_piece *line)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < 2 * line->n; i++) line->vertex[i] = wring_mesh_local(p->mesh, line->vertex[i]);
  PetscCall(wring_term_create_springs(p->mesh, s->name, line->n, line->vertex, s->stiffness, line->size, s->damping,
                                      &line->term[0]));
  PetscCall(wring_potential_add_term(p->g, line->term[0]));
  PetscCall(PetscFree2(s->stiffness, s->damping));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_add_springs(wring_problem *p)
{
  wring_springs *const s = &p->parts->springs;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->n; i++) PetscCall(add_springs(p, &s->value[i], &s->line[i]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_problem_destroy_springs(wring_problem *p)
{
  wring_springs *const s = &p->parts->springs;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < s->n; i++) {
    PetscCall(PetscFree(s->line[i].vertex));
    PetscCall(PetscFree(s->line[i].size));
  }
  PetscCall(PetscFree(s->value));
  PetscCall(PetscFree(s->line));
  PetscCall(wring_words_destroy(s->n, &s->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}
