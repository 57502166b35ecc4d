#define _POSIX_C_SOURCE 200809L // isatty
#include "progress.h"
#include "study/common/provenance.h"
#include <string.h>
#include <unistd.h>

static PetscErrorCode print_mesh(const wring_problem *p)
{
  const wring_mesh *const m = p->mesh;
  wring_mesh_info         info;
  PetscInt64              triangles, lines;

  PetscFunctionBegin;
  PetscCall(wring_mesh_get_info(m, &info));
  PetscCall(wring_problem_count(p, &triangles, &lines));
  PetscCall(PetscPrintf(p->comm, "mesh      %" PetscInt_FMT " vertices, %" PetscInt64_FMT " tets, ", m->n_global,
                        m->n_tet_global));
  if (triangles) PetscCall(PetscPrintf(p->comm, "%" PetscInt64_FMT " triangles, ", triangles));
  if (lines) PetscCall(PetscPrintf(p->comm, "%" PetscInt64_FMT " lines, ", lines));
  PetscCall(PetscPrintf(p->comm, "volume %.6g m^3, mass %.6g kg, balance %.2f, ghosts %.1f%%\n", info.volume,
                        p->total_mass, info.balance_vertices, 100 * info.ghosts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode print_model(const wring_problem *p)
{
  wring_term *const *term;
  const int          n = wring_potential_terms(p->g, &term);

  PetscFunctionBegin;
  PetscCall(PetscPrintf(p->comm, "model    "));
  for (int i = 0; i < n; i++) {
    PetscCall(
      PetscPrintf(p->comm, "%s %s (%s)", i ? "," : "", wring_term_law(term[i])->name, wring_term_name(term[i])));
  }
  PetscCall(PetscPrintf(p->comm, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "direct", or what `auto` stands for here, and whose the factor is. */
static PetscErrorCode describe_operator(const wring_problem *p, size_t size, char *text)
{
  const char *const type = wring_operator_choice(p->op, p->mesh->n_global);
  PetscBool         shared;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(text, type, size));
  if (p->size == 1 || strcmp(type, "direct")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_operator_choose_factor(p->op, p->mesh->n_global, &shared));
  PetscCall(PetscStrlcat(text, shared ? " (shared factor)" : " (distributed factor)", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_header_print(wring_problem *p, const char *solver)
{
  const int threads = wring_max_threads();
  char      line[512], type[64];

  PetscFunctionBegin;
  PetscCall(wring_version_line(sizeof line, line));
  PetscCall(PetscPrintf(p->comm, "%s\n", line));
  PetscCall(PetscPrintf(p->comm, "ranks     %d x %d thread%s\n", (int)p->size, threads, threads == 1 ? "" : "s"));
  PetscCall(print_mesh(p));
  PetscCall(print_model(p));
  PetscCall(describe_operator(p, sizeof type, type));
  if (solver) PetscCall(PetscPrintf(p->comm, "solver    %s; operator %s\n", solver, type));
  PetscCall(PetscPrintf(p->comm, "time      %s, h = %.6g s, from step %" PetscInt_FMT " at %.6g s\n",
                        wring_stepper_integrator(p->stepper), wring_stepper_size(p->stepper), p->state.step,
                        p->state.time));
  if (p->restart[0]) PetscCall(PetscPrintf(p->comm, "restart   %s\n", p->restart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void wring_progress_start(const wring_problem *p, PetscInt last, wring_progress *g)
{
  /* Launchers give a rank a pseudo-terminal for standard output, not for standard error. */
  g->terminal = (PetscBool)(isatty(STDOUT_FILENO) && isatty(STDERR_FILENO));
  g->first    = p->state.step;
  g->last     = last;
  g->start    = MPI_Wtime();
  g->said     = -1;
}

/* On a terminal ten times a second; in a log at the first step, each tenth of the run, and every 30 s. */
static PetscBool due(const wring_progress *g, PetscInt step, double now)
{
  if (step == g->last || g->said < 0) return PETSC_TRUE;
  if (g->terminal) return (PetscBool)(now - g->said >= 0.1);
  const PetscInt steps = g->last - g->first, done = step - g->first;
  return (PetscBool)(now - g->said >= 30 || done * 10 / steps != (done - 1) * 10 / steps);
}

void wring_progress_step(const wring_problem *p, wring_progress *g, const wring_outcome *outcome)
{
  const PetscInt step = p->state.step;
  const double   now = MPI_Wtime(), each = (now - g->start) / (double)PetscMax(step - g->first, 1);
  if (p->rank != 0 || !due(g, step, now)) return;
  g->said = now;
  printf("%sstep %" PetscInt_FMT "/%" PetscInt_FMT "  t %.6g s  it %" PetscInt_FMT
         "  g %.6e J  |grad g| %.2e N  %.3g s/step"
         "  %.0f s left%s",
         g->terminal ? "\r" : "", step, g->last, p->state.time, outcome->iterations, outcome->last.value.objective,
         outcome->last.gradient_norm, each, each * (double)(g->last - step), g->terminal ? "\033[K" : "\n");
  fflush(stdout);
}

void wring_progress_finish(const wring_problem *p, const wring_progress *g)
{
  if (p->rank == 0 && g->terminal && g->said >= 0) putchar('\n');
}

PetscErrorCode wring_summary_print(wring_problem *p, const char *ended)
{
  wring_cost cost;

  PetscFunctionBegin;
  PetscCall(wring_cost_measure(p, &cost));
  PetscCall(PetscPrintf(p->comm, "%s at step %" PetscInt_FMT ", %.6g s: %.3g s, %.3g MB on %d rank%s\n", ended,
                        p->state.step, p->state.time, cost.total, cost.peak_memory / 1e6, (int)p->size,
                        p->size == 1 ? "" : "s"));
  for (int i = 0; i < WRING_N_PHASE; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s", wring_phase_name((wring_phase)i));
    for (char *c = strchr(name, '_'); c; c = strchr(c, '_')) *c = ' ';
    PetscCall(PetscPrintf(p->comm, "  %-16s %10.3f s %5.1f%%\n", name, cost.seconds[i],
                          100 * cost.seconds[i] / PetscMax(cost.total, 1e-9)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
