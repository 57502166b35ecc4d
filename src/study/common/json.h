/* JSON, on one rank. */
#pragma once
#include "io/file.h"
#include <jansson.h>
#include <wring/solver.h>

/* Writes a complete file, whose path is printed, reals with 17 digits. */
void wring_json_write(const json_t *json, wring_error *e, const char *path, ...) __attribute__((format(printf, 3, 4)));

/* NULL if there is no such file, and NULL with an error if it cannot be read. New reference. */
json_t *wring_json_read(const char *path, wring_error *e);

enum { WRING_JSON_SCHEMA = 1 }; // "schema" of all files: incremented when a key changes its meaning or is removed

/* A number, or null if it is not finite, which JSON cannot represent: new reference. And back, NaN: no number. */
json_t *wring_json_real(double value);
double  wring_json_number(const json_t *object, const char *key);

/* Sets pairs of a key and its value, which it takes, in an object; the last argument is NULL. Returns the object. */
json_t *wring_json_set(json_t *json, ...) __attribute__((sentinel));

/* Counts of work by name. New reference. */
json_t *wring_work_json(const wring_counts *work);

/* A text; bytes that are not UTF-8, as JSON requires, become '?'. New reference. */
json_t *wring_json_text(const char *text);

/* What the solver has chosen in its solves so far: [{"solve", "iteration", "uses"}, ...]. New reference. */
json_t *wring_json_choices(const wring_solver *s);
