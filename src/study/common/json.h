/* JSON output, on one rank. */
#pragma once
#include "io/file.h"
#include <jansson.h>

/* Writes a file whole, reals with 17 digits. */
void wring_json_write(const char *path, const json_t *json, wring_error *e);

/* A number, or the text "inf", "-inf", "nan", which JSON has no numbers for. New reference. */
json_t *wring_json_real(double value);

/* A number, or null where it is not finite. New reference. */
json_t *wring_json_finite(double value);

/* A text; bytes that are no UTF-8, which JSON must be, become '?'. New reference. */
json_t *wring_json_text(const char *text);
