/* Private to the library: numbers, lists and characters of text, in any locale. */
#pragma once
#include <wring/base.h>

/*
  Reads the number at the beginning of a text (terminated by 0) and returns its end, or NULL if there is none. The
  decimal point does not depend on the locale; no hexadecimal numbers. Reals may be inf, infinity or nan, and overflow
  to inf; they are rounded correctly. Integers have at most 18 digits.
*/
const char *wring_text_real(const char *text, double *v);
const char *wring_text_int(const char *text, int64_t *v);

/* Appends a word to a list "a, b" of this size, as far as there is room. */
void wring_text_list(char *list, size_t size, const char *word);

/* isspace, isdigit, isalpha and iscntrl of the C locale, in any. */
static inline PetscBool wring_text_is_space(char c)
{
  return (PetscBool)(c == ' ' || (c >= '\t' && c <= '\r'));
}
static inline PetscBool wring_text_is_digit(char c)
{
  return (PetscBool)(c >= '0' && c <= '9');
}
static inline PetscBool wring_text_is_letter(char c)
{
  return (PetscBool)((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
}
static inline PetscBool wring_text_is_control(char c)
{
  return (PetscBool)((unsigned char)c < ' ' || c == 127);
}
