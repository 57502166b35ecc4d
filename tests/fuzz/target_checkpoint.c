/*
  Checkpoints. First byte even: the rest is a file, with or without a seal. Odd: the rest is the content of the tables
  of a file whose layout, checksums and seal are correct, so that only the reader's own checks remain; missing bytes are
  0.
*/
#include "fuzz.h"
#include "io/file.h"
#include "io/crc.h"
#include "io/sealed.h"
#include <string.h>

typedef struct {
  const unsigned char *next;
  size_t               left;
} bytes;

static unsigned char take(bytes *b)
{
  if (b->left == 0) return 0;
  b->left--;
  return *b->next++;
}

static void fill(wring_type type, PetscInt64 n, bytes *b, void *value)
{
  for (PetscInt64 i = 0; i < n; i++) {
    const signed char a = (signed char)take(b);
    if (type == WRING_UINT8)
      ((unsigned char *)value)[i] = (unsigned char)a;
    else if (type == WRING_INT64)
      ((int64_t *)value)[i] = a == -128 ? INT64_MIN : a;
    else
      ((double *)value)[i] = a == -128 ? NAN : a;
  }
}

/* A table of up to 15 rows; it is omitted if the first byte is 255. */
static void write_table(wring_hdf5 *h, wring_table t, bytes *b)
{
  union {
    int64_t       index[15 * 4];
    double        real[15 * 4];
    unsigned char letter[15 * 4];
  } value;
  const unsigned char rows = take(b);
  if (rows == 255) return;
  fill(t.type, (rows % 16) * t.width, b, &value);
  PetscCallAbort(PETSC_COMM_SELF, wring_hdf5_write(h, t, rows % 16, &value));
}

static void seal(const char *file, wring_error *e)
{
  char     part[WRING_FILE_NAME];
  uint64_t cut[2] = {0, 0};
  uint32_t crc;
  wring_file_part(file, part, e);
  wring_file_get_size(file, &cut[1], e);
  PetscCallAbort(PETSC_COMM_SELF, wring_crc_file(PETSC_COMM_SELF, part, 1, cut, &crc, e));
  wring_seal_append(file, crc, e);
}

static void write_tables(const char *file, bytes *b, wring_error *e)
{
  static const wring_table table[] = {
    {"mesh_rest_position", WRING_FLOAT64, 3, PETSC_FALSE}, {"mesh_region_names", WRING_UINT8, 1, PETSC_FALSE},
    {"mesh_set_names", WRING_UINT8, 1, PETSC_FALSE},       {"mesh_tet", WRING_INT64, 4, PETSC_FALSE},
    {"mesh_region", WRING_INT64, 1, PETSC_FALSE},          {"mesh_set_vertex", WRING_INT64, 1, PETSC_FALSE},
    {"mesh_set_start", WRING_INT64, 1, PETSC_FALSE},
  };
  wring_hdf5 h;

  PetscCallAbort(PETSC_COMM_SELF, wring_file_reserve(PETSC_COMM_SELF, file, 1, e));
  PetscCallAbort(PETSC_COMM_SELF, wring_hdf5_create(&h, PETSC_COMM_SELF, file, e));
  wring_hdf5_put_text(&h, "format", take(b) == 255 ? "another" : "wring checkpoint");
  wring_hdf5_put_integer(&h, "version", 1 + (signed char)take(b) / 64);
  wring_hdf5_put_integer(&h, "step", (signed char)take(b));
  wring_hdf5_put_real(&h, "time", (signed char)take(b));
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) write_table(&h, table[i], b);
  wring_hdf5_close(&h);
  seal(file, e);
  PetscCallAbort(PETSC_COMM_SELF, wring_file_finish_all(PETSC_COMM_SELF, file, e));
}

void fuzz_target(const char *file, const unsigned char *data, size_t size)
{
  wring_error      e = {""};
  bytes            b = {data + 1, size - 1};
  wring_mesh_data *d = NULL;
  PetscInt         step;
  double           time;
  char             found[PETSC_MAX_PATH_LEN];

  if (size == 0) return;
  if (data[0] % 2)
    write_tables(file, &b, &e);
  else
    fuzz_write(file, b.next, b.left);
  if (e.text[0]) __builtin_trap();
  fuzz_quiet_begin();
  PetscErrorCode status = wring_checkpoint_find(PETSC_COMM_SELF, file, sizeof found, found);
  if (!status) status = wring_checkpoint_read_mesh(PETSC_COMM_SELF, found, &d, &step, &time);
  fuzz_quiet_end();
  if ((status == PETSC_SUCCESS) != (d != NULL)) __builtin_trap();
  PetscCallAbort(PETSC_COMM_SELF, wring_mesh_data_destroy(&d));
}
