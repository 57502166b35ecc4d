#define _POSIX_C_SOURCE 200809L // open_memstream
#include "print.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 120 }; // characters

typedef struct {
  int          n, columns;
  const char **cell;  // [n], row by row
  int         *width; // [columns]
} cells;

FILE *wring_table_begin(wring_text_table *t)
{
  t->file = open_memstream(&t->text, &t->size);
  if (!t->file) PETSCABORT(PETSC_COMM_SELF, PETSC_ERR_MEM);
  return t->file;
}

static cells split(char *text)
{
  const size_t room = strlen(text) + 1; // of cells
  cells        c    = {.cell = calloc(room, sizeof *c.cell), .width = calloc(room, sizeof *c.width)};
  if (!c.cell || !c.width) PETSCABORT(PETSC_COMM_SELF, PETSC_ERR_MEM);
  for (char *at = text, *end; *at; at = end + 1) {
    end = at + strcspn(at, "\t\n");
    if (*end == '\n' && !c.columns) c.columns = c.n + 1;
    *end          = '\0';
    c.cell[c.n++] = strcmp(at, "nan") && strcmp(at, "-nan") ? at : "-";
  }
  for (int i = 0; i < c.n; i++) {
    int *const width = &c.width[i % c.columns];
    *width           = PetscMax(*width, (int)strlen(c.cell[i]));
  }
  return c;
}

/* The heads, and columns [first, last). */
static void print_part(const cells *c, int heads, int first, int last)
{
  for (int row = 0; row < c->n; row += c->columns) {
    for (int k = 0; k < last; k = k + 1 == heads ? first : k + 1)
      printf("%s%*s", k ? "  " : "", k < heads ? -c->width[k] : c->width[k], c->cell[row + k]);
    putchar('\n');
  }
}

void wring_table_print(wring_text_table *t, int heads)
{
  int head = 0;
  fclose(t->file);
  const cells c = split(t->text);
  for (int k = 0; k < heads && c.n; k++) head += c.width[k] + 2;
  for (int first = heads, last; first < c.columns; first = last) {
    int used = head + c.width[first] + 2;
    for (last = first + 1; last < c.columns && used + c.width[last] + 2 <= LINE; last++) used += c.width[last] + 2;
    print_part(&c, heads, first, last);
    if (last < c.columns) putchar('\n');
  }
  fflush(stdout);
  free(c.cell);
  free(c.width);
  free(t->text);
}

void wring_print_field(FILE *f, double value, const char *none)
{
  if (isnan(value))
    fprintf(f, ",%s", none);
  else
    fprintf(f, ",%.17g", value);
}
