/* uselocale is POSIX. */
#define _POSIX_C_SOURCE 200809L
#include "text.h"
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- characters -------------------------------------------------------------------------------------------------- */

static int lower(char c)
{
  return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

int wring_ascii_compare_n(const char *a, const char *b, size_t n)
{
  for (; n > 0; a++, b++, n--)
    if (lower(*a) != lower(*b) || !*a) return lower(*a) - lower(*b);
  return 0;
}

int wring_ascii_compare(const char *a, const char *b)
{
  return wring_ascii_compare_n(a, b, SIZE_MAX);
}

int wring_edit_distance(const char *a, const char *b)
{
  enum { MAX = 128 };
  const int n = (int)strlen(a), m = (int)strlen(b);
  int       row[MAX + 1];
  if (n > MAX || m > MAX) return n > m ? n : m;
  for (int j = 0; j <= m; j++) row[j] = j;
  for (int i = 1; i <= n; i++) {
    int diagonal = row[0];
    row[0]       = i;
    for (int j = 1; j <= m; j++) {
      const int same = diagonal + (wring_ascii_compare_n(a + i - 1, b + j - 1, 1) != 0);
      diagonal       = row[j];
      row[j]         = PetscMin(same, 1 + PetscMin(row[j], row[j - 1]));
    }
  }
  return row[m];
}

PetscBool wring_is_nearer(const char *a, const char *b, int *least)
{
  const int distance = wring_edit_distance(a, b);
  if (distance >= *least) return PETSC_FALSE;
  *least = distance;
  return PETSC_TRUE;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* The number of bytes to read: the size of a regular file; of another one, and at most, one more than the limit. */
static size_t find_room(FILE *f, size_t most)
{
  struct stat     status;
  const PetscBool known = (PetscBool)(!fstat(fileno(f), &status) && S_ISREG(status.st_mode) && status.st_size > 0);
  return known ? PetscMin((size_t)status.st_size, most + 1) : most + 1;
}

/*
  Reads a whole file: text [*size] and a terminating 0, freed by the caller with PetscFree; NULL and an error if it
  cannot be read or has more than `most` bytes ("larger than 4 MiB, which is no <what>"). Serial.
*/
static PetscErrorCode load_text(const char *file, const char *what, size_t most, char **text, PetscInt64 *size,
                                wring_error *e)
{
  FILE *const f = fopen(file, "rb");

  PetscFunctionBegin;
  *size = 0;
  *text = NULL;
  if (!f) {
    wring_error_set(e, "%s: cannot be read: %s", file, strerror(errno));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  const size_t room = find_room(f, most);
  PetscCall(PetscMalloc1(room + 1, text));
  *size = (PetscInt64)fread(*text, 1, room, f);
  if (ferror(f)) wring_error_set(e, "%s: cannot be read: %s", file, strerror(errno));
  if ((size_t)*size > most)
    wring_error_set(e, "%s: larger than %zu MiB, which is too large for a %s", file, most >> 20, what);
  fclose(f);
  if (wring_failed(e))
    PetscCall(PetscFree(*text));
  else
    (*text)[*size] = '\0';
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_text_read(MPI_Comm comm, const char *file, const char *what, int mebibytes, char **text,
                               PetscInt64 *size)
{
  wring_error e = {0};

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(comm);
  *text                  = NULL;
  *size                  = 0;
  if (rank == 0) PetscCall(load_text(file, what, (size_t)mebibytes << 20, text, size, &e));
  PetscCall(wring_error_raise(comm, &e));
  PetscCallMPI(MPI_Bcast(size, 1, MPIU_INT64, 0, comm));
  if (rank != 0) PetscCall(PetscMalloc1(*size + 1, text));
  PetscCallMPI(MPI_Bcast(*text, (PetscMPIInt)(*size + 1), MPI_CHAR, 0, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

const char *wring_text_int(const char *text, int64_t *v)
{
  const char *const first = text + (*text == '-' || *text == '+'), *p = first;
  for (*v = 0; wring_text_is_digit(*p) && *v < INT64_MAX / 10 - 1; p++) *v = 10 * *v + (*p - '0');
  if (*text == '-') *v = -*v;
  return p == first || wring_text_is_digit(*p) ? NULL : p;
}

/*
  Reads digits without sign as an integer and a power of ten; exact: whether all digits fitted. Returns their end, or
  NULL if there are none.
*/
static const char *scan_decimal(const char *p, uint64_t *digits, int *power, PetscBool *exact)
{
  int n = 0, shift = 0, e = 0;
  *digits = 0;
  *exact  = PETSC_TRUE;
  for (PetscBool point = PETSC_FALSE; wring_text_is_digit(*p) || (*p == '.' && !point); p++) {
    if (*p == '.') {
      point = PETSC_TRUE;
      continue;
    }
    if (*digits < UINT64_C(1000000000000000000))
      *digits = 10 * *digits + (uint64_t)(*p - '0');
    else
      *exact = PETSC_FALSE;
    shift -= point;
    n++;
  }
  if (n == 0) return NULL;
  if (*p == 'e' || *p == 'E') {
    const PetscBool negative = (PetscBool)(*++p == '-');
    if (*p == '-' || *p == '+') p++;
    if (!wring_text_is_digit(*p)) return NULL;
    for (; wring_text_is_digit(*p); p++) e = PetscMin(10 * e + (*p - '0'), 100000);
    if (negative) e = -e;
  }
  *power = e + shift;
  return p;
}

/* strtod with a decimal point; glibc allocates nothing for the C locale. */
static double strtod_c(const char *text)
{
  const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), saved = uselocale(c);
  const double   v = strtod(text, NULL);
  uselocale(saved);
  if (c) freelocale(c);
  return v;
}

/*
  Up to 2^53 and 10^22 are exact in double, so that one product or quotient of them is rounded correctly [Clinger 1990];
  strtod handles the others.
*/
static double decimal_value(const char *text, uint64_t digits, int power, PetscBool exact)
{
  static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                               1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (!exact || digits > (UINT64_C(1) << 53) || power < -22 || power > 22) return strtod_c(text);
  return power < 0 ? (double)digits / ten[-power] : (double)digits * ten[power];
}

static const char *scan_name(const char *p, double *v)
{
  static const struct {
    const char *name;
    double      value;
  } known[] = {{"infinity", INFINITY}, {"inf", INFINITY}, {"nan", NAN}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const size_t length = strlen(known[i].name);
    if (wring_ascii_compare_n(p, known[i].name, length)) continue;
    *v = known[i].value;
    return p + length;
  }
  return NULL;
}

const char *wring_text_real(const char *text, double *v)
{
  const char *const first = text + (*text == '-' || *text == '+');
  uint64_t          digits;
  int               power;
  PetscBool         exact;
  const char       *end = scan_decimal(first, &digits, &power, &exact);
  *v                    = 0;
  if (end)
    *v = decimal_value(first, digits, power, exact);
  else
    end = scan_name(first, v);
  if (*text == '-') *v = -*v;
  return end;
}

void wring_text_list(char *list, size_t size, const char *word)
{
  const size_t end = strlen(list);
  snprintf(list + end, size - end, "%s%s", end ? ", " : "", word);
}
