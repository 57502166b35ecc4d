/*
  A plugin with a member of each family, in one file each; this one has the table.

      cmake --install build --prefix DIR
      cmake -S docs/examples/plugin -B mine -D CMAKE_PREFIX_PATH=DIR && cmake --build mine
      wring help solver_momentum -plugin mine/mine.so
      mpiexec -n 2 wring run inputs/lamp.yaml -plugin mine/mine.so -solver_momentum_beta 0.7
*/
#include <wring/plugin.h>

extern const struct wring_law        wring_law_green;
extern const struct wring_solver_ops wring_solver_momentum;
extern const struct wring_integrator wring_integrator_backward;
extern const struct wring_shape      wring_shape_disc;

const wring_plugin wring_plugin_table = {
  .interface  = WRING_INTERFACE,
  .law        = {&wring_law_green},
  .solver     = {&wring_solver_momentum},
  .integrator = {&wring_integrator_backward},
  .shape      = {&wring_shape_disc},
};
