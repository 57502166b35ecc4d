/*
  The shapes of colliders, in the order in which help lists them, and the keys of every collider. A new shape takes one
  line in EACH_SHAPE.
*/
#include <string.h>
#include <wring/contact.h>
#include <wring/plugin.h>

// clang-format off
#define EACH_SHAPE(use) \
  use(half_space) \
  use(sphere) \
  use(torus) \
  use(capsule) \
  use(cylinder) \
  use(box)
// clang-format on

#define DECLARE(name) extern const wring_shape wring_shape_##name;
#define ADDRESS(name) &wring_shape_##name,
#define CHOICE(name)  "|" #name

EACH_SHAPE(DECLARE)

static const wring_shape *const shapes[]  = {EACH_SHAPE(ADDRESS)};
static const char               choices[] = EACH_SHAPE(CHOICE);

enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

const wring_option wring_collider_options[] = {
  {"shape", WRING_WORD, .choices = &choices[1], .family = WRING_SHAPES,
   .help = "Shape that vertices are kept out of; a half_space is the side of its face opposite to its normal."},
  {"inside", WRING_BOOL, .value = "false", .at = WRING_AT(wring_collider, inside),
   .help = "Whether vertices are kept inside the shape instead; not with half_space."},
  {"method", WRING_WORD, .choices = "penalty|barrier",
   .help = "Way in which the body is kept out: penalty pushes vertices out, barrier never lets surfaces meet; default: "
           "the method of self_contact, otherwise penalty."},
  {"gap", WRING_REAL, .unit = "m", .range = "(0,inf)", .at = WRING_AT(wring_collider, gap),
   .help =
     "Distance below which the surface is repelled by the barrier; default: that of self_contact, otherwise 1e-3 of "
     "the diagonal of the box around the bodies at rest, or a quarter of their least distance from colliders."},
  {"stiffness", WRING_REAL, .unit = "N/m", .range = "(0,inf)",
   .help = "Stiffness k of every vertex in contact: its force is k times its depth; of the penalty."},
  {"friction", WRING_REAL, .range = "[0,inf)", .value = "0", .at = WRING_AT(wring_collider, friction),
   .help = "Coefficient of friction; of the barrier by Coulomb's law, otherwise for solvers that project "
           "contacts, as xpbd does."},
  {"slip_speed", WRING_REAL, .unit = "m/s", .range = "(0,inf)", .at = WRING_AT(wring_collider, slip_speed),
   .help = "As of self_contact, whose value is the default; of the barrier."},
  {"velocity", WRING_REALS, .count = 3, .unit = "m/s", .value = "0,0,0",
   .at = WRING_AT(wring_collider, motion.velocity), .instead = "path", .help = "Velocity of the centre."},
  {"spin", WRING_REALS, .count = 3, .unit = "deg/s", .value = "0,0,0", .at = WRING_AT(wring_collider, motion.spin),
   .instead = "spin_rad",
   .help    = "Angular velocity of the collider in degrees per second, about an axis through its centre or point."},
  {"spin_rad", WRING_REALS, .count = 3, .unit = "rad/s", .instead = "spin",
   .help = "The same in radians per second, in the place of spin."},
  {"path", WRING_PATH, .instead = "velocity",
   .help = "CSV `time,x,y,z` [s, m]: displacement of the collider over time, a smooth curve, instead of velocity."},
  {"until", WRING_REAL, .unit = "s", .range = "[0,inf)", .at = WRING_AT(wring_collider, motion.until),
   .help = "Time at which velocity, spin and path end; default: never."},
  {0},
};

const wring_shape *wring_shape_at(int i)
{
  if (i < 0) return NULL;
  return i < N_SHAPES ? shapes[i] : wring_plugins()->shape[i - N_SHAPES];
}

const wring_shape *wring_shape_find(const char *name)
{
  for (int i = 0; wring_shape_at(i); i++)
    if (strcmp(wring_shape_at(i)->name, name) == 0) return wring_shape_at(i);
  return NULL;
}
