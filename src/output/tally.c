#define _POSIX_C_SOURCE 200809L // getline, strtok_r
#include "tally.h"
#include "base/vector3.h"
#include "io/print.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PetscErrorCode wring_tally_start(wring_problem *p, const wring_solver *solver, wring_tally *t)
{
  const double *x;
  PetscInt64    count[2];

  PetscFunctionBegin;
  t->minimises = (PetscBool)(solver && wring_solver_minimises(solver));
  PetscCall(PetscCalloc1(p->mesh->tets.n, &t->inverted));
  PetscCall(wring_potential_get_local(p->g, p->state.q, &x));
  wring_mark_inverted(p->mesh, x, t->inverted, count);
  PetscCall(VecRestoreArrayRead(p->state.q, &x));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 2, MPIU_INT64, MPI_SUM, p->comm));
  if (count[0])
    PetscCall(wring_note(p->comm,
                         "%" PetscInt64_FMT " of %" PetscInt64_FMT " tetrahedra are inverted (J <= 0) at the start",
                         count[0], p->mesh->tets.n_global));
  t->last.inverted = count[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_tally_destroy(wring_tally *t)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(t->inverted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double wring_tally_merit(const wring_tally *t, PetscInt64 vertices, double seconds)
{
  PetscInt steps = 0;
  for (int i = 0; i < WRING_N_REASON; i++) {
    if (t->steps[i] && !wring_reason_converged((wring_reason)i)) return 0;
    steps += t->steps[i];
  }
  return steps ? 3 * (double)vertices * (double)steps / seconds : 0;
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

void wring_tally_step(const wring_problem *p, const wring_outcome *outcome, const wring_flaws *f, wring_tally *t)
{
  const wring_state *const     s     = &p->state;
  const wring_iteration *const last  = &outcome->last;
  const double                 share = last->reference > 0 ? last->gradient_norm / last->reference : 0;
  t->steps[outcome->reason]++;
  if (t->minimises && !wring_reason_converged(outcome->reason) && (t->worst_step == 0 || share > t->share)) {
    t->worst_step = s->step;
    t->remaining  = last->gradient_norm;
    t->share      = share;
  }
  t->inverted_steps += f->inverted > 0;
  t->lost_steps += f->lost > 0;
  t->most_inverted = PetscMax(t->most_inverted, f->inverted);
  t->most_lost     = PetscMax(t->most_lost, f->lost);
  if (f->depth > t->deepest) t->deepest_step = s->step;
  t->deepest = PetscMax(t->deepest, f->depth);
  if (f->newly > 0)
    wring_say(p->comm,
              "step %" PetscInt_FMT ": %" PetscInt64_FMT " tetrahedr%s inverted (J <= 0), %" PetscInt64_FMT
              " of them newly",
              s->step, f->inverted, f->inverted == 1 ? "on is" : "a are", f->newly);
  if (f->lost > t->last.lost)
    wring_say(p->comm, "step %" PetscInt_FMT ": %" PetscInt64_FMT " %s %s", s->step, f->lost,
              f->lost == 1 ? "vertex is" : "vertices are", f->losing);
  t->last = *f;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* "197 converged, 3 at max_it"; "200 without a solve"; empty without a step. */
static void describe_reasons(const wring_problem *p, const wring_tally *t, size_t size, char *text)
{
  const PetscInt advanced = wring_stepper_minimises(p->stepper) ? 0 : t->steps[WRING_CONVERGED];
  size_t         end      = 0;
  text[0]                 = '\0';
  if (advanced) snprintf(text, size, "%" PetscInt_FMT " without a solve", advanced);
  if (advanced) return;
  for (int i = 0; i < WRING_N_REASON && end < size; i++) {
    if (t->steps[i] == 0) continue;
    const char *const name = wring_reason_name((wring_reason)i);
    end += (size_t)snprintf(text + end, size - end, "%s%" PetscInt_FMT " %s%s", end ? ", " : "", t->steps[i],
                            i == WRING_MAX_IT ? "at " : "", name);
  }
}

static PetscErrorCode print_peak(const wring_problem *p)
{
  wring_peak peak;

  PetscFunctionBegin;
  if (!wring_stepper_is_static(p->stepper) || p->mesh->tets.n_global == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_potential_peak(p->g, p->state.q, -1, &peak));
  if (peak.value > 0)
    wring_print(p->comm, "stress    von Mises at most %.4g Pa, in the tetrahedron at %.4g,%.4g,%.4g m at rest\n",
                peak.value, peak.place[0], peak.place[1], peak.place[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A penalty gives way to every force: how far is seen in relation to the body. */
static PetscErrorCode print_depth(const wring_problem *p, const wring_tally *t)
{
  static const double large = 0.02; // of the diagonal
  wring_mesh_info     info;

  PetscFunctionBegin;
  if (!(t->deepest > 0)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_mesh_get_info(p->mesh, &info));
  const double diagonal = wring_distance3(info.high, info.low);
  wring_print(p->comm, "contacts  vertices at most %.3g m inside another body (step %" PetscInt_FMT ")", t->deepest,
              t->deepest_step);
  if (t->deepest > large * diagonal)
    wring_print(p->comm, ", %.2g %% of the diagonal of the mesh: a larger stiffness of contacts lessens this",
                100 * t->deepest / diagonal);
  wring_print(p->comm, "\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_tally_print(const wring_problem *p, wring_solver_stop stop, const wring_tally *t)
{
  const char *const load = stop == WRING_STOP_FORCE ? "the load" : "that at the start of the step";
  char              text[256];

  PetscFunctionBegin;
  if (t->inverted_steps)
    wring_print(p->comm,
                "inverted  tetrahedra at the end of %" PetscInt_FMT " step%s, at most %" PetscInt64_FMT
                ", now %" PetscInt64_FMT "\n",
                t->inverted_steps, t->inverted_steps == 1 ? "" : "s", t->most_inverted, t->last.inverted);
  if (t->lost_steps)
    wring_print(p->comm,
                "lost      vertices in contacts at the end of %" PetscInt_FMT " step%s, at most %" PetscInt64_FMT
                ", now %" PetscInt64_FMT "\n",
                t->lost_steps, t->lost_steps == 1 ? "" : "s", t->most_lost, t->last.lost);
  PetscCall(print_depth(p, t));
  PetscCall(print_peak(p));
  describe_reasons(p, t, sizeof text, text);
  if (text[0]) wring_print(p->comm, "steps     %s", text);
  if (t->worst_step)
    wring_print(p->comm, ": largest remaining force %.2g N, %.*g %% of %s (step %" PetscInt_FMT ")", t->remaining,
                t->share < 1 ? 2 : 4, 100 * t->share, load, t->worst_step);
  if (text[0]) wring_print(p->comm, "\n");
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_tally_add(const wring_tally *t, json_t *json)
{
  json_t *const reasons = json_object();
  for (int i = 0; i < WRING_N_REASON; i++) {
    if (t->steps[i]) json_object_set_new(reasons, wring_reason_name((wring_reason)i), JSON(t->steps[i]));
  }
  const PetscBool worst = (PetscBool)(t->worst_step > 0);
  wring_json_set(json, "steps_by_reason", reasons, "largest_remaining", worst ? JSON(t->remaining) : json_null(),
                 "largest_remaining_share", worst ? JSON(t->share) : json_null(), "largest_remaining_step",
                 worst ? JSON(t->worst_step) : json_null(), "inverted", JSON(t->last.inverted), "inverted_steps",
                 JSON(t->inverted_steps), "most_inverted", JSON(t->most_inverted), "lost", JSON(t->last.lost),
                 "lost_steps", JSON(t->lost_steps), "most_lost", JSON(t->most_lost), "deepest", JSON(t->deepest),
                 "deepest_step", JSON(t->deepest_step), NULL);
}

/* ---- earlier parts of a chain of restarts ------------------------------------------------------------------------ */

/* The word in a column of a line, which is cut into words; NULL if the line has fewer. */
static const char *word_at(char *line, int column)
{
  char *at, *word = strtok_r(line, ",\n", &at);
  for (; column > 0 && word; column--) word = strtok_r(NULL, ",\n", &at);
  return word;
}

/* Counts the reasons of the rows with after < step <= last in steps.csv; the number of rows. */
static PetscInt count_rows(FILE *steps, PetscInt after, PetscInt last, json_t *reasons)
{
  char       *line   = NULL;
  size_t      size   = 0;
  PetscInt    rows   = 0;
  int         column = 1; // of the reason
  const char *at     = getline(&line, &size, steps) > 0 ? strstr(line, ",reason,") : NULL;
  for (const char *c = line; at && c < at; c++) column += *c == ',';
  while (column > 1 && getline(&line, &size, steps) > 0 && strchr(line, '\n')) {
    const PetscInt    step   = (PetscInt)strtoll(line, NULL, 10);
    const char *const reason = word_at(line, column);
    if (!reason || step <= after || step > last) continue;
    json_object_set_new(reasons, reason, JSON(json_integer_value(json_object_get(reasons, reason)) + 1));
    rows++;
  }
  free(line);
  return rows;
}

/* Counts the steps of a part up to step `last`. A table without all of them leaves the part as it is. */
static void count_again(const char *table, PetscInt last, json_t *part)
{
  const PetscInt first   = (PetscInt)json_integer_value(json_object_get(part, "first_step"));
  json_t *const  reasons = json_object();
  FILE *const    steps   = fopen(table, "r");
  if (steps && count_rows(steps, first, last, reasons) == last - first)
    json_object_set(part, "steps_by_reason", reasons);
  if (steps) fclose(steps);
  json_decref(reasons);
}

/* Adds a part of the chain unless this run begins before the first step of that part. */
static void add_segment(json_t *part, PetscInt first, json_t *segments)
{
  if (json_integer_value(json_object_get(part, "first_step")) < first) json_array_append(segments, part);
}

json_t *wring_segments_read(const char *checkpoint, PetscInt first, wring_error *e)
{
  const char *const slash    = strrchr(checkpoint, '/');
  const int         folder   = slash ? (int)(slash + 1 - checkpoint) : 0;
  json_t *const     segments = json_array();
  json_t           *last, *part;
  size_t            i;
  char              path[PETSC_MAX_PATH_LEN + 32];
  if (!checkpoint[0]) return segments;
  snprintf(path, sizeof path, "%.*srun.json", folder, checkpoint);
  last = wring_json_read(path, e);
  if (!last) return segments;
  json_array_foreach(json_object_get(last, "segments"), i, part)
  {
    add_segment(part, first, segments);
  }
  json_object_del(last, "segments");
  add_segment(last, first, segments);
  json_decref(last);
  snprintf(path, sizeof path, "%.*ssteps.csv", folder, checkpoint);
  json_array_foreach(segments, i, part)
  {
    json_t *const next = json_object_get(json_array_get(segments, i + 1), "first_step");
    count_again(path, next ? (PetscInt)json_integer_value(next) : first, part);
  }
  return segments;
}
