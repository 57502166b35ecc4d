#define _POSIX_C_SOURCE 200809L // getline
#include "segments.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Places of the text in column `column` of a row, from 0, and its length; NULL if the row has fewer columns. */
static const char *find_column(const char *row, int column, size_t *length)
{
  for (; column > 0 && row; column--) {
    row = strchr(row, ',');
    if (row) row++;
  }
  if (row) *length = strcspn(row, ",\n");
  return row;
}

/* The number of the column `reason` in a header, -1: none. */
static int reason_column(const char *header)
{
  const char *const at = strstr(header, ",reason,");
  int               n  = at ? 1 : -1;
  for (const char *c = header; at && c < at; c++) n += *c == ',';
  return n;
}

/* Counts the reasons of the rows with after < step <= last in steps.csv; the number of rows. */
static PetscInt count_rows(FILE *steps, PetscInt after, PetscInt last, json_t *reasons)
{
  char    *line   = NULL;
  size_t   size   = 0, length;
  PetscInt rows   = 0;
  int      column = getline(&line, &size, steps) > 0 ? reason_column(line) : -1;
  while (column >= 0 && getline(&line, &size, steps) > 0 && strchr(line, '\n')) {
    const PetscInt    step   = (PetscInt)strtoll(line, NULL, 10);
    const char *const reason = find_column(line, column, &length);
    char              name[64];
    if (!reason || step <= after || step > last) continue;
    snprintf(name, sizeof name, "%.*s", (int)length, reason);
    json_object_set_new(reasons, name, json_integer(json_integer_value(json_object_get(reasons, name)) + 1));
    rows++;
  }
  free(line);
  return rows;
}

/* Counts the steps of a part up to step `last`. A table without all of them leaves the part as it is. */
static void count_again(const char *table, PetscInt last, json_t *part)
{
  const PetscInt first   = (PetscInt)json_integer_value(json_object_get(part, "first_step"));
  json_t *const  reasons = json_object();
  FILE *const    steps   = fopen(table, "r");
  if (steps && count_rows(steps, first, last, reasons) == last - first)
    json_object_set(part, "steps_by_reason", reasons);
  if (steps) fclose(steps);
  json_decref(reasons);
}

/* Adds a part of the chain unless this run begins before the first step of that part. */
static void add_segment(json_t *part, PetscInt first, json_t *segments)
{
  if (json_integer_value(json_object_get(part, "first_step")) < first) json_array_append(segments, part);
}

json_t *wring_segments_read(const char *checkpoint, PetscInt first, wring_error *e)
{
  const char *const slash    = strrchr(checkpoint, '/');
  const int         folder   = slash ? (int)(slash + 1 - checkpoint) : 0;
  json_t *const     segments = json_array();
  json_t           *last, *part;
  size_t            i;
  char              path[PETSC_MAX_PATH_LEN + 32];
  if (!checkpoint[0]) return segments;
  snprintf(path, sizeof path, "%.*srun.json", folder, checkpoint);
  last = wring_json_read(path, e);
  if (!last) return segments;
  json_array_foreach(json_object_get(last, "segments"), i, part)
  {
    add_segment(part, first, segments);
  }
  json_object_del(last, "segments");
  add_segment(last, first, segments);
  json_decref(last);
  snprintf(path, sizeof path, "%.*ssteps.csv", folder, checkpoint);
  json_array_foreach(segments, i, part)
  {
    json_t *const next = json_object_get(json_array_get(segments, i + 1), "first_step");
    count_again(path, next ? (PetscInt)json_integer_value(next) : first, part);
  }
  return segments;
}
