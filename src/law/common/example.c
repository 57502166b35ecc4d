/* Sets the example of a law as options. */
#include <stdio.h>
#include <wring/law.h>

PetscErrorCode wring_law_set_example(const wring_law *law, const char *prefix, const char *file, wring_options *o)
{
  char key[256];

  PetscFunctionBegin;
  for (const char *const *word = law->example; word && word[0]; word += 2) {
    const wring_option *const option = wring_option_find(law->options, word[0]);
    if (!option || !word[1])
      WRING_REFUSE(wring_options_comm(o), "law '%s': its example has '%s', expected keys of the law, each with a value",
                   law->name, word[0]);
    snprintf(key, sizeof key, "%s%s", prefix, word[0]);
    if (option->type == WRING_PATH)
      PetscCall(wring_options_set_text(o, key, word[1], file, "example"));
    else
      PetscCall(wring_options_set(o, key, word[1], "example"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
