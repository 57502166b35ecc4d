/*
  Bodies: files and boxes that are placed in one scene, "body_NAME_file"; velocities and spins at the start, also of
  sets and regions of one mesh. docs/user.md, Bodies.
*/
#include "mesh/bodies.h"
#include "mesh_source.h"
#include "problem/problem_impl.h"
#include <string.h>

const wring_option wring_place_options[] = {
  {"turn", WRING_REALS, .count = 3, .unit = "deg", .value = "0,0,0", .at = WRING_AT(wring_body, turn),
   .instead = "turn_rad",
   .help    = "Rotation of a body about the origin of its file or box: about this vector, by its length in degrees."},
  {"turn_rad", WRING_REALS, .count = 3, .unit = "rad", .instead = "turn",
   .help = "The same in radians, in the place of turn."},
  {"at", WRING_REALS, .count = 3, .unit = "m", .value = "0,0,0", .at = WRING_AT(wring_body, at),
   .help = "Place of the origin of its file or box, which scale and turn leave where it is."},
  {0},
};

const wring_option wring_body_options[] = {
  {"velocity", WRING_REALS, .count = 3, .unit = "m/s", .value = "0,0,0", .at = WRING_AT(wring_body, velocity),
   .help = "Velocity at the start of an analysis, not of its restarts; of one mesh, NAME is a set or region of it."},
  {"spin", WRING_REALS, .count = 3, .unit = "deg/s", .value = "0,0,0", .at = WRING_AT(wring_body, spin),
   .instead = "spin_rad", .help = "Angular velocity at the start in degrees per second, about the centre of mass."},
  {"spin_rad", WRING_REALS, .count = 3, .unit = "rad/s", .instead = "spin",
   .help = "The same in radians per second, in the place of spin."},
  {0},
};

static void set_prefix(const wring_bodies *b, PetscInt i, char prefix[WRING_PREFIX])
{
  snprintf(prefix, WRING_PREFIX, "%s%s_", b->family, b->name[i]);
}

/* ---- meshes ------------------------------------------------------------------------------------------------------ */

/* Refuses a body whose keys are not those of a placed one, or of a part of one mesh if `placed` is false. */
static PetscErrorCode check_body(const wring_options *o, const char *prefix, const char *name, PetscBool placed)
{
  static const char *const place[] = {"scale", "turn", "turn_rad", "at"};
  const MPI_Comm           comm    = wring_options_comm(o);
  const PetscBool          file    = wring_options_has(o, prefix, "file");
  char                     box[WRING_PREFIX + 8];

  PetscFunctionBegin;
  snprintf(box, sizeof box, "%sbox_", prefix);
  const PetscBool has_box = wring_options_has_family(o, box);
  if (file && has_box)
    WRING_REFUSE(comm, "%s: body '%s': file and box (%s) are both given, expected one of them",
                 wring_options_origin(o, prefix, "file"), name, wring_options_family_origin(o, box));
  if (placed && !file && !has_box)
    WRING_REFUSE(comm, "%s: body '%s': neither file nor box is given, as of other bodies, expected one of them",
                 wring_options_family_origin(o, prefix), name);
  if (placed && strchr(name, '.'))
    WRING_REFUSE(comm, "%s: body '%s': expected a name without '.', which separates it from its sets",
                 wring_options_family_origin(o, prefix), name);
  if (has_box && wring_options_has(o, prefix, "scale"))
    WRING_REFUSE(comm, "%s: %sscale applies to a file only, remove it for a box",
                 wring_options_origin(o, prefix, "scale"), prefix);
  for (size_t k = 0; k < sizeof place / sizeof place[0] && !placed; k++)
    if (wring_options_has(o, prefix, place[k]))
      WRING_REFUSE(comm, "%s: %s%s applies to a body with a file or box of its own",
                   wring_options_origin(o, prefix, place[k]), prefix, place[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bodies_read(const wring_options *o, const char *family, PetscInt n_schema,
                                 const wring_schema *schema, wring_bodies *b)
{
  char prefix[WRING_PREFIX], box[WRING_PREFIX + 8];

  PetscFunctionBegin;
  *b = (wring_bodies){.family = family};
  PetscCall(wring_options_names(o, family, n_schema, schema, 0, NULL, &b->n, &b->name));
  PetscCall(PetscCalloc1((size_t)b->n, &b->body));
  for (PetscInt i = 0; i < b->n; i++) {
    set_prefix(b, i, prefix);
    snprintf(box, sizeof box, "%sbox_", prefix);
    PetscCall(wring_options_read(o, prefix, wring_mesh_source_options, &b->body[i].source));
    PetscCall(wring_options_read(o, prefix, wring_place_options, &b->body[i]));
    PetscCall(wring_options_read(o, prefix, wring_body_options, &b->body[i]));
    if (b->body[i].source.file || wring_options_has_family(o, box)) b->placed = PETSC_TRUE;
  }
  for (PetscInt i = 0; i < b->n; i++) {
    set_prefix(b, i, prefix);
    PetscCall(check_body(o, prefix, b->name[i], b->placed));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bodies_destroy(wring_bodies *b)
{
  PetscFunctionBegin;
  PetscCall(wring_words_destroy(b->n, &b->name));
  PetscCall(PetscFree(b->body));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bodies_mesh(const wring_options *o, const wring_bodies *b, wring_mesh_data **data)
{
  const MPI_Comm    comm  = wring_options_comm(o);
  wring_error       error = {""};
  wring_mesh_data **part;
  char              prefix[WRING_PREFIX + 8];
  double            R[9];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)b->n, &part));
  for (PetscInt i = 0; i < b->n; i++) {
    const wring_body *const body = &b->body[i];
    set_prefix(b, i, prefix);
    if (body->source.file)
      PetscCall(wring_mesh_file_read(comm, body->source.file, body->source.scale, PETSC_FALSE, &part[i]));
    else
      PetscCall(wring_mesh_box_make(o, strcat(prefix, "box_"), &body->source.box, &part[i]));
    wring_rotation(body->turn, 1, R);
    wring_mesh_place(part[i], R, body->at);
  }
  PetscCall(wring_mesh_merge(comm, b->n, (const char *const *)b->name, part, data, &error));
  PetscCall(PetscFree(part));
  PetscCall(wring_error_raise(comm, &error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- velocities -------------------------------------------------------------------------------------------------- */

PetscBool wring_body_has(const char *body, const char *name)
{
  const size_t n = strlen(body);
  return (PetscBool)(!wring_ascii_compare_n(name, body, n) && (!name[n] || name[n] == '.'));
}

/* mark [n_local]: the vertices of the sets and regions of a body; refused if it has none. Collective. */
static PetscErrorCode mark_vertices(const wring_problem *p, const char *name, PetscInt *mark)
{
  const wring_mesh *const m     = p->mesh;
  PetscBool               found = PETSC_FALSE;
  PetscInt                v[10], set;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(mark, m->n_local));
  for (PetscInt s = 0; s < m->set.names.n; s++) {
    if (!wring_body_has(name, m->set.names.name[s])) continue;
    found = PETSC_TRUE;
    for (PetscInt i = 0; i < m->set.count[s]; i++) mark[m->set.vertex[s][i]] = 1;
  }
  for (PetscInt r = 0; r < m->regions.n; r++) found = (PetscBool)(found || wring_body_has(name, m->regions.name[r]));
  for (PetscInt e = 0; e < m->tets.n; e++) {
    if (!wring_body_has(name, m->regions.name[m->tets.region[e]])) continue;
    for (int n = wring_tet_vertices(m, e, v); n-- > 0;) mark[v[n]] = 1;
  }
  PetscCall(wring_mesh_reduce(m, MPIU_INT, MPI_MAX, mark)); // the tets at a vertex may be on another rank
  if (!found) PetscCall(wring_problem_find_set(p, "body_", name, "a set or region of the mesh", &set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mean position of the marked vertices by mass. Collective. */
static PetscErrorCode find_centre(const wring_problem *p, const PetscInt *mark, const double *q, double centre[3])
{
  double sum[4] = {0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < p->mesh->n_owned; i++) {
    if (!mark[i]) continue;
    for (int c = 0; c < 3; c++) sum[c] += p->mass[i] * q[3 * (size_t)i + (size_t)c];
    sum[3] += p->mass[i];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, 4, MPI_DOUBLE, MPI_SUM, p->comm));
  for (int c = 0; c < 3; c++) centre[c] = sum[3] > 0 ? sum[c] / sum[3] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* v = velocity + spin x (q - centre). */
static PetscErrorCode set_motion(const wring_problem *p, const PetscInt *mark, const wring_body *body, const double *q,
                                 double *v)
{
  const double degree = PETSC_PI / 180, w[3] = {degree * body->spin[0], degree * body->spin[1], degree * body->spin[2]};
  double       centre[3] = {0};

  PetscFunctionBegin;
  PetscCall(find_centre(p, mark, q, centre));
  for (PetscInt i = 0; i < p->mesh->n_owned; i++) {
    if (!mark[i]) continue;
    const double *const x = q + 3 * (size_t)i, r[3] = {x[0] - centre[0], x[1] - centre[1], x[2] - centre[2]};
    for (int c = 0; c < 3; c++)
      v[3 * (size_t)i + (size_t)c] =
        body->velocity[c] + w[(c + 1) % 3] * r[(c + 2) % 3] - w[(c + 2) % 3] * r[(c + 1) % 3];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode check_moves(const wring_problem *p, const char *prefix, PetscBool *moves)
{
  static const char *const key[] = {"velocity", "spin", "spin_rad"};

  PetscFunctionBegin;
  *moves = PETSC_FALSE;
  for (int k = 0; k < 3; k++) {
    if (!wring_options_has(p->options, prefix, key[k])) continue;
    *moves = PETSC_TRUE;
    if (wring_stepper_is_static(p->stepper))
      WRING_REFUSE(p->comm, "%s: %s%s does not apply to time_integrator 'static', which has no velocities",
                   wring_options_origin(p->options, prefix, key[k]), prefix, key[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_bodies_set_velocities(const wring_problem *p)
{
  const wring_bodies *const b = &p->parts->bodies;
  const PetscScalar        *q;
  PetscScalar              *v;
  PetscInt                 *mark;
  char                      prefix[WRING_PREFIX];
  PetscBool                 moves;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(p->state.q, &q));
  PetscCall(VecGetArray(p->state.v, &v));
  PetscCall(PetscMalloc1((size_t)p->mesh->n_local, &mark));
  for (PetscInt i = 0; i < b->n; i++) {
    set_prefix(b, i, prefix);
    PetscCall(check_moves(p, prefix, &moves));
    PetscCall(mark_vertices(p, b->name[i], mark));
    if (moves && (p->chained || !p->parts->origin.restart[0])) PetscCall(set_motion(p, mark, &b->body[i], q, v));
  }
  PetscCall(PetscFree(mark));
  PetscCall(VecRestoreArray(p->state.v, &v));
  PetscCall(VecRestoreArrayRead(p->state.q, &q));
  PetscFunctionReturn(PETSC_SUCCESS);
}
