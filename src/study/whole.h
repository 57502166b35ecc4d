/* Text files that appear whole or not at all. All of it runs on one rank; faults go to a wring_error. */
#pragma once
#include <jansson.h>
#include <stdio.h>
#include <wring/base.h>

/* Opens "<path>.part" for writing; NULL on failure. */
FILE *wring_whole_open(const char *path, wring_error *e);

/* Syncs, closes and renames to path. f may be NULL. */
void wring_whole_close(FILE *f, const char *path, wring_error *e);

void wring_whole_json(const char *path, const json_t *json, wring_error *e);

/* A number, or the text "inf", "-inf", "nan", which JSON has no numbers for. New reference. */
json_t *wring_json_real(double value);
