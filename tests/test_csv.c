/* ranks: 1 3 */
/* Tables of numbers: what is read equals what was written, and every error in a file is reported with its line. */
#define _POSIX_C_SOURCE 200809L
#include "distribute.h"
#include "refused.h"
#include <wring/io.h>
#include <math.h>
#include <unistd.h>

static char file[PETSC_MAX_PATH_LEN];

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct {
  const char *text;
  double      row[8]; // expected
  PetscInt    n;
} good_table;

/* Tables of springs "a,b,length[,damping]" on 5 vertices. */
static const good_table good[] = {
  {"a,b,length\n0,1,2.5\n", {0, 1, 2.5, NAN}, 1},
  {"a,b,length,damping\n0,1,2.5,7\n", {0, 1, 2.5, 7}, 1},
  {"a,b,length\r\n0,1,2.5\r\n4,0,-1e-3\r\n", {0, 1, 2.5, NAN, 4, 0, -1e-3, NAN}, 2},
  {"a,b,length\n0,1,2.5\n4,0,.5", {0, 1, 2.5, NAN, 4, 0, 0.5, NAN}, 2},
  {"a,b,length\n 3 ,\t4, +1E2 \n\n \n", {3, 4, 100, NAN}, 1},
  {"\xef\xbb\xbf"
   "a,b,length\n1.0000e+00,2.,1e-400\n",
   {1, 2, 0, NAN},
   1},
  {"\xef\xbb\xbf# springs.csv\r\n\r\na,b,length\r\n\r\n0,1,2\r\n \t# cut: 0,2,3\r\n2,3,5\r\n#",
   {0, 1, 2, NAN, 2, 3, 5, NAN},
   2},
  {"a,b,length\n", {0}, 0},
  {"a,b,length", {0}, 0},
};

/* Fails if an optional column, a line end, a blank, a comment or a number format is not read correctly. */
static PetscErrorCode test_good_tables(void)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    wring_error e = {""};
    PetscInt    n;
    int         width;
    double     *row;
    test_write_bytes(file, strlen(good[i].text), good[i].text);
    PetscCall(wring_csv_read(file, "a,b,length[,damping]", 5, PETSC_FALSE, PETSC_FALSE, &n, &width, &row, &e));
    CHECK(row && !e.text[0] && n == good[i].n && width == 4, "table %zu: \"%s\"", i, e.text);
    for (PetscInt k = 0; k < 4 * n; k++)
      CHECK(row[k] == good[i].row[k] || (isnan(row[k]) && isnan(good[i].row[k])), "table %zu, value %d: %g", i, (int)k,
            row[k]);
    PetscCall(PetscFree(row));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *text, *expected[2];
} bad_table;

/* Tables "vertex,x[,y]" with each of 3 vertices once. Each error must name its line, the value and what is expected. */
static const bad_table bad[] = {
  {"", {":1: the header is \"\"", "expected \"vertex,x[,y]\""}},
  {"\n#1\n0,1\n", {":3: the header is \"0,1\"", "vertex,x"}},
  {"vertex, x\n0,1\n", {":1: the header is \"vertex, x\"", "vertex,x"}},
  {"Vertex,x\n0,1\n", {":1: the header is \"Vertex,x\"", "vertex,x"}},
  {"vertex,x,y,z\n", {":1: the header is \"vertex,x,y,z\"", "vertex,x"}},
  {"vertex,x,\n", {":1: the header is \"vertex,x,\"", "vertex,x"}},
  {"vertex\n0\n", {":1: the header is \"vertex\"", "vertex,x"}},
  {"0,1\n1,1\n2,1\n", {":1: the header is \"0,1\"", "vertex,x"}},
  {"vertex,x\r0,1\r", {":1: the header is \"vertex,x?0,1\"", "vertex,x"}},
  {"vertex,x\n0\n", {":2: 1 columns, expected 2", "(vertex,x)"}},
  {"vertex,x\n0,1,2\n", {":2: 3 columns, expected 2", "(vertex,x)"}},
  {"vertex,x\n0,1,\n", {":2: 3 columns, expected 2", "(vertex,x)"}},
  {"vertex,x,y\n0,1\n", {":2: 2 columns, expected 3", "(vertex,x,y)"}},
  {"vertex,x\n0;1\n", {":2: 1 columns, expected 2", "(vertex,x)"}},
  {"vertex,x\n0,\n", {":2: x is \"\"", "expected a number"}},
  {"vertex,x\n0,one\n", {":2: x is \"one\"", "expected a number"}},
  {"vertex,x\n0,1.5m\n", {":2: x is \"1.5m\"", "expected a number"}},
  {"vertex,x\n0,1 2\n", {":2: x is \"1 2\"", "expected a number"}},
  {"vertex,x\n0,0x10\n", {":2: x is \"0x10\"", "expected a number"}},
  {"vertex,x\n0,-0X1p3\n", {":2: x is \"-0X1p3\"", "expected a number"}},
  {"vertex,x\n0,nan(1)\n", {":2: x is \"nan(1)\"", "expected a number"}},
  {"vertex,x\n0,--1\n", {":2: x is \"--1\"", "expected a number"}},
  {"vertex,x\n0,1\n1,nan\n", {":3: x is \"nan\"", "expected a finite number"}},
  {"vertex,x\n0,1\n1,-inf\n", {":3: x is \"-inf\"", "expected a finite number"}},
  {"vertex,x\n0,1\n1,1e999\n", {":3: x is \"1e999\"", "expected a finite number"}},
  {"vertex,x\n0.5,1\n", {":2: vertex is \"0.5\"", "an integer from 0 to 2"}},
  {"vertex,x\n3,1\n", {":2: vertex is \"3\"", "an integer from 0 to 2"}},
  {"vertex,x\n-1,1\n", {":2: vertex is \"-1\"", "an integer from 0 to 2"}},
  {"vertex,x\n1e300,1\n", {":2: vertex is \"1e300\"", "an integer from 0 to 2"}},
  {"vertex,x\nnan,1\n", {":2: vertex is \"nan\"", "an integer from 0 to 2"}},
  {"vertex,x\nv0,1\n", {":2: vertex is \"v0\"", "expected a number"}},
  {"vertex,x\r\n0,1\r\n0,1\r\n", {":3: vertex 0 is given twice", "line 2"}},
  {"vertex,x\n\n0,1\n # 1,1\n1,one\n", {":5: x is \"one\"", "expected a number"}},
  {"vertex,x\n0,1 # one\n", {":2: x is \"1 # one\"", "expected a number"}},
  {"vertex,x\n0,1\n2,1\n", {"the file ends without vertex 1 (1 missing)", "from 0 to 2"}},
  {"vertex,x\n", {"the file ends without vertex 0 (3 missing)", "from 0 to 2"}},
};

/* Fails if an error is accepted, misnamed or reported at another line, or if rows are returned all the same. */
static PetscErrorCode test_bad_tables(void)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    wring_error e = {""};
    PetscInt    n;
    int         width;
    double     *row;
    test_write_bytes(file, strlen(bad[i].text), bad[i].text);
    PetscCall(wring_csv_read(file, "vertex,x[,y]", 3, PETSC_TRUE, PETSC_TRUE, &n, &width, &row, &e));
    CHECK(!row && n == 0, "table %zu was read", i);
    CHECK(strstr(e.text, bad[i].expected[0]) && strstr(e.text, bad[i].expected[1]), "table %zu: \"%s\"", i, e.text);
    CHECK(!strncmp(e.text, file, strlen(file)) && e.text[strlen(file)] == ':', "table %zu: \"%s\"", i, e.text);
    CHECK(!strpbrk(e.text, "\r\n"), "table %zu: \"%s\"", i, e.text);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes that are not text: a zero after a row, a line without end, and 2000 random mutations of a table. */
static PetscErrorCode test_garbage(void)
{
  static const char table[] = "vertex,x\n0,1\n1,-2.5e-3\n2,3\n";
  static char       line[10000];
  uint64_t          state = 1;
  char              text[sizeof table];

  PetscFunctionBegin;
  memset(line, '1', sizeof line);
  memcpy(line, "vertex,x\n0,", 11);
  for (int i = 0; i < 2002; i++) {
    wring_error e = {""};
    PetscInt    n;
    int         width;
    double     *row;
    memcpy(text, table, sizeof table);
    for (int k = 0; i > 0 && k < 3; k++) {
      const size_t at = (size_t)(fabs(test_random(&state)) * (sizeof table - 1));
      text[at]        = (char)(127 * test_random(&state));
    }
    if (i == 2001)
      test_write_bytes(file, sizeof line, line);
    else
      test_write_bytes(file, sizeof table - (i > 0), text); // the first includes the final zero byte
    PetscCall(wring_csv_read(file, "vertex,x", 3, PETSC_TRUE, PETSC_TRUE, &n, &width, &row, &e));
    CHECK((row == NULL) == (e.text[0] != '\0'), "garbage %d: \"%s\"", i, e.text);
    CHECK(!strpbrk(e.text, "\r\n"), "garbage %d: \"%s\"", i, e.text);
    CHECK(row == NULL || (i > 0 && i < 2001 && n == 3), "garbage %d was read", i);
    PetscCall(PetscFree(row));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode test_no_file(void)
{
  static const char *const path[] = {"no/such/file.csv", "/", ""};

  PetscFunctionBegin;
  for (int i = 0; i < 3; i++) {
    wring_error e = {""};
    PetscInt    n;
    int         width;
    double     *row;
    PetscCall(wring_csv_read(path[i], "vertex,x", 3, PETSC_TRUE, PETSC_TRUE, &n, &width, &row, &e));
    CHECK(!row && strstr(e.text, "cannot be read"), "\"%s\"", e.text);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static double value_of(PetscInt original, int component)
{
  return component ? (double)original / 3 : -1e-200 * exp((double)original);
}

/* Any number of ranks writes the same file: all vertices in order, each value to the last bit. */
static PetscErrorCode test_write(PetscMPIInt rank)
{
  const wring_box box = {.size = {3, 1, 1}, .cells = {7, 2, 2}};
  wring_mesh     *m;
  double         *value, *row;
  wring_error     e = {""};
  PetscInt        n;
  int             width;

  PetscFunctionBegin;
  PetscCall(test_distribute_box(PETSC_COMM_WORLD, &box, &m));
  PetscCall(PetscMalloc1(2 * m->n_owned, &value));
  for (PetscInt i = 0; i < 2 * m->n_owned; i++) value[i] = value_of(m->number.original[i / 2], i % 2);
  PetscCall(wring_csv_write_vertices(file, m, "p,q", 2, value));
  CHECK_NOT_WRITTEN(wring_csv_write_vertices("no/such/folder/x.csv", m, "p,q", 2, value), "no/such/folder/x.csv",
                    "cannot be written");
  if (rank == 0) {
    PetscCall(wring_csv_read(file, "vertex,p,q", m->number.n_global, PETSC_TRUE, PETSC_TRUE, &n, &width, &row, &e));
    CHECK(row && n == m->number.n_global, "\"%s\"", e.text);
    for (PetscInt i = 0; i < n; i++) {
      CHECK(row[3 * i] == (double)i, "row %d is of vertex %g", (int)i, row[3 * i]);
      for (int k = 0; k < 2; k++) CHECK(row[3 * i + 1 + k] == value_of(i, k), "%g", row[3 * i + 1 + k]);
    }
    PetscCall(PetscFree(row));
  }
  PetscCall(PetscFree(value));
  PetscCall(wring_mesh_destroy(&m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char folder[] = "/tmp/wring_csv_XXXXXX";
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  const PetscMPIInt rank = wring_comm_rank(PETSC_COMM_WORLD);
  CHECK(rank > 0 || mkdtemp(folder), "%s cannot be made", folder);
  PetscCallMPI(MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, PETSC_COMM_WORLD));
  snprintf(file, sizeof file, "%s/table.csv", folder);
  if (rank == 0) {
    PetscCall(test_good_tables());
    PetscCall(test_bad_tables());
    PetscCall(test_garbage());
    PetscCall(test_no_file());
  }
  PetscCall(test_write(rank));
  if (rank == 0) CHECK(!unlink(file) && !rmdir(folder), "%s is not empty", folder);
  PetscCall(PetscFinalize());
  return 0;
}
