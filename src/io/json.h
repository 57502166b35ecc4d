/* JSON, on one rank. */
#pragma once
#include "file.h"
#include <jansson.h>

/* Writes a complete file, whose path is printed, reals with 17 digits. */
void wring_json_write(const json_t *json, wring_error *e, const char *path, ...) __attribute__((format(printf, 3, 4)));

/* NULL if there is no such file, and NULL with an error if it cannot be read. New reference. */
json_t *wring_json_read(const char *path, wring_error *e);

enum { WRING_JSON_SCHEMA = 1 }; // "schema" of all files: incremented when a key changes its meaning or is removed

/*
  A real, a text or an integer, by its type; null for a real that is not finite, which JSON cannot represent, and for a
  NULL text, of which bytes that are not UTF-8 become '?'. New reference.
*/
#define JSON(value)                                                                                                    \
  _Generic((value), double: wring_json_real, char *: wring_json_text, const char *: wring_json_text, \
           default: json_integer)(value)
json_t *wring_json_real(double value);
json_t *wring_json_text(const char *text);

/* The number of a key, NaN if it has none. */
double wring_json_number(const json_t *object, const char *key);

/* Sets pairs of a key and its value, which it takes, in an object; the last argument is NULL. Returns the object. */
json_t *wring_json_set(json_t *json, ...) __attribute__((sentinel));
#define wring_json_object(...) wring_json_set(json_object(), __VA_ARGS__)

/* Counts of work by name. New reference. */
json_t *wring_work_json(const wring_counts *work);
