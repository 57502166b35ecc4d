/* The members of docs/examples/plugin, linked: programs of family tests have them from their first line on. */
#include <stdlib.h>
#include <wring/plugin.h>
#include <wring/study.h>

__attribute__((constructor)) static void add(void)
{
  const char *builtin[WRING_FAMILIES];
  wring_error e = {""};
  wring_plugins_builtin(builtin);
  wring_plugin_add("mine", &wring_plugin_table, builtin, &e);
  if (wring_failed(&e)) abort();
}
