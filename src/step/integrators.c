/*
  The time integrators, in the order of the help text, and the keys time_... and gravity. A new rule needs its file and
  one line in EACH_RULE: its name and its help text.
*/
#include "step_impl.h"
#include <wring/plugin.h>

// clang-format off
#define EACH_RULE(use) \
  use(implicit_euler, "needs a solver, first order, damps") \
  use(implicit_midpoint, "needs a solver, second order, preserves energy") \
  use(bdf2, "needs a solver, second order, damps fast motion") \
  use(linear_implicit_euler, "one linear solve, first order, damps") \
  use(symplectic_euler, "no solve, small steps, energy does not drift") \
  use(explicit_euler, "no solve, gains energy") \
  use(static, "needs a solver, load steps without inertia over a pseudo-time that ends at 1")
// clang-format on

#define DECLARE(name, text) extern const wring_integrator wring_integrator_##name;
#define ADDRESS(name, text) &wring_integrator_##name,
#define CHOICE(name, text)  "|" #name
#define SUMMARY(name, text) "; " #name " (" text ")"

EACH_RULE(DECLARE)

static const wring_integrator *const integrators[] = {EACH_RULE(ADDRESS)};
static const char                    choices[]     = EACH_RULE(CHOICE);

enum { N_INTEGRATORS = sizeof integrators / sizeof integrators[0] };

const wring_option wring_time_options[] = {
  {"step", WRING_REAL, .unit = "s", .range = "(0,inf)",
   .help = "Size h of a time step; required, but not with the integrator static."},
  {"end", WRING_REAL, .unit = "s", .range = "(0,inf)", .at = WRING_AT(wring_stepper, keys.end),
   .instead = "steps|more_steps", .help = "End time, reached in ceil(end/step) steps; alternative to steps."},
  {"steps", WRING_INT, .range = "[1,inf)", .value = "1", .at = WRING_AT(wring_stepper, keys.steps),
   .instead = "end|more_steps",
   .help    = "Number of steps from time 0, also after a restart; alternative to end. With the integrator static: of "
              "load steps."},
  {"more_steps", WRING_INT, .range = "[1,inf)", .at = WRING_AT(wring_stepper, keys.more_steps), .instead = "steps|end",
   .help = "Number of steps from the initial state, as after initial.restart; alternative to steps and end."},
  {"integrator", WRING_WORD, .choices = &choices[1], .family = WRING_INTEGRATORS, .value = "implicit_euler",
   .at = WRING_AT(wring_stepper, keys.integrator), .help = "Rule of a time step" EACH_RULE(SUMMARY) "."},
  {"limit", WRING_REAL, .unit = "s", .range = "(0,inf)",
   .help = "Wall-clock time after which a run writes a checkpoint and stops."},
  {0},
};

const wring_option wring_load_options[] = {
  {"gravity", WRING_REALS, .count = 3, .unit = "m/s^2", .value = "0,0,0", .at = WRING_AT(wring_stepper, keys.gravity),
   .help = "Acceleration of every vertex."},
  {"gravity_curve", WRING_PATH,
   .help = "CSV `time,value`: factor on gravity over time, linear between rows, constant outside; default: 1, with the "
           "integrator static the pseudo-time."},
  {0},
};

const wring_integrator *wring_integrator_get(int i)
{
  if (i < 0) return NULL;
  return i < N_INTEGRATORS ? integrators[i] : wring_plugins()->integrator[i - N_INTEGRATORS];
}
