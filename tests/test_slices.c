/*
  ranks: 1 2 7
  Mesh files read by all ranks: the parts of the ranks are those of the file as one rank reads it, bit for bit, with the
  same places, sources and groups, in every format, for many small blocks, CRLF, blank lines, comments and a last line
  without an end; a damaged file has the same fault, with the same line, as on one rank. The files have several of the
  chunks in which lines are counted, so that parts begin inside lines.
*/
#include "mesh/read/raw.h"
#include "check.h"
#include <stdarg.h>

enum { N_NODE = 24000, N_ELEMENT = 30000 };

static PetscMPIInt rank, ranks;
static char        file[64], node_file[64], ele_file[64];

/* ---- text -------------------------------------------------------------------------------------------------------- */

typedef enum { PLAIN, CRLF, LOOSE, STYLES } text_style; // LOOSE: blank lines, spaces, and no end of the last line

typedef struct {
  char      *text;
  size_t     n, room;
  text_style style;
  PetscBool  comments; // where the format has them
  uint64_t   random;
} writer;

static void put_bytes(writer *w, size_t n, const void *bytes)
{
  if (w->n + n + 1 > w->room) {
    w->room = 2 * (w->n + n + 1);
    w->text = realloc(w->text, w->room);
    CHECK(w->text, "memory");
  }
  memcpy(w->text + w->n, bytes, n);
  w->n += n;
}

static void put(writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(writer *w, const char *format, ...)
{
  char    text[512];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  put_bytes(w, (size_t)n, text);
}

static void end_line(writer *w)
{
  put(w, w->style == CRLF ? "\r\n" : "\n");
  if (w->style != LOOSE) return;
  const double r = test_random(&w->random);
  if (r > 0.8) put(w, " \t\n\n");
  if (r < -0.6) put(w, "   ");
  if (r < -0.8 && w->comments) put(w, "# 1 2 3 4 %g\n", r);
}

static void put_line(writer *w, const char *line)
{
  put(w, "%s", line);
  end_line(w);
}

static void put_row(writer *w, int n, const int64_t *value)
{
  for (int i = 0; i < n; i++) put(w, i ? " %lld" : "%lld", (long long)value[i]);
  end_line(w);
}

static void put_ints(writer *w, int n, const int64_t *value)
{
  for (int i = 0; i < n; i++) put_bytes(w, 4, &(int32_t){(int32_t)value[i]});
}

static void put_point(writer *w)
{
  for (int c = 0; c < 3; c++) put(w, " %.17g", test_random(&w->random));
}

static int64_t pick(writer *w, int64_t n) // 1 to n
{
  return 1 + (int64_t)(0.5 * (test_random(&w->random) + 1) * (double)n) % n;
}

/* Nodes of an element of n. */
static void pick_nodes(writer *w, int n, int64_t *node)
{
  for (int a = 0; a < n; a++) node[a] = 3 * pick(w, N_NODE);
}

/* ---- formats ----------------------------------------------------------------------------------------------------- */

static const int type_of[] = {15, 1, 2, 4}; // by the number of nodes less one

static void put_names(writer *w)
{
  static const char *const names[] = {"$PhysicalNames",   "3", "3 2 \"hard core\"", "2 1 \"skin\"", "3 3 \"soft\"",
                                      "$EndPhysicalNames"};
  for (int i = 0; i < 6; i++) put_line(w, names[i]);
}

static void put_format(writer *w, const char *format, PetscBool binary)
{
  put_line(w, "$MeshFormat");
  put(w, "%s %d 8", format, binary);
  if (binary) {
    put(w, "\n");
    put_bytes(w, 4, &(int32_t){1});
    put(w, "\n");
  } else {
    end_line(w);
  }
  put_line(w, "$EndMeshFormat");
  put_names(w);
}

/* Tetrahedra in the middle and at the end, single ones among other elements; in binary files some share a head. */
static void write_22(writer *w, PetscBool binary)
{
  int64_t value[16];
  put_format(w, "2.2", binary);
  put_line(w, "$Nodes");
  put(w, "%d%s", N_NODE, binary ? "\n" : "");
  if (!binary) end_line(w);
  for (int i = 0; i < N_NODE; i++) {
    const double x[3] = {test_random(&w->random), 1e-3 * i, -i};
    if (binary) put_bytes(w, 4, &(int32_t){3 * (i + 1)});
    if (binary) put_bytes(w, sizeof x, x);
    if (binary) continue;
    put(w, "%d %.16g %g %g", 3 * (i + 1), x[0], x[1], x[2]);
    end_line(w);
  }
  put(w, "%s$EndNodes\n$Elements\n%d\n", binary ? "\n" : "", N_ELEMENT);
  for (int i = 0; i < N_ELEMENT; i++) {
    const int n = i % 1000 < 300 ? (int)pick(w, 4) : 4, n_tag = i % 50 == 0 ? 4 : 2;
    int       length = 0;
    if (binary && i % 1000 != 777) put_ints(w, 3, (int64_t[]){type_of[n - 1], i % 1000 == 776 ? 2 : 1, n_tag});
    value[length++] = 5 * i + 1;
    if (!binary) value[length++] = type_of[n - 1];
    if (!binary) value[length++] = n_tag;
    value[length++] = i < N_ELEMENT / 2 ? i % 3 : i % 3 + i % 7; // new physical tags in the second half
    for (int k = 1; k < n_tag; k++) value[length++] = k;
    pick_nodes(w, n, value + length);
    length += n;
    if (binary)
      put_ints(w, length, value);
    else
      put_row(w, length, value);
  }
  put(w, "%s$EndElements\n", binary ? "\n" : "");
}

/* n longs, or a row of them. */
static void put_longs(writer *w, PetscBool binary, int n, const int64_t *value)
{
  if (binary)
    put_bytes(w, 8 * (size_t)n, value);
  else
    put_row(w, n, value);
}

static void put_entities(writer *w, PetscBool binary)
{
  if (binary)
    put(w, "$Entities\n");
  else
    put_line(w, "$Entities");
  put_longs(w, binary, 4, (int64_t[]){20, 20, 20, 20});
  for (int dim = 0; dim < 4; dim++) {
    for (int64_t e = 1; e <= 20; e++) {
      const int64_t n = dim == 3 ? e % 2 : e % 3;
      if (binary) {
        put_ints(w, 1, &e);
        put_bytes(w, (dim ? 6 : 3) * sizeof(double), (double[6]){0});
        put_bytes(w, 8, &n);
        for (int k = 0; k < n; k++) put_ints(w, 1, (int64_t[]){(e + 3 * k) % 7 + 1});
        if (dim) put_bytes(w, 8, &(int64_t){0});
        continue;
      }
      put(w, dim ? "%d 0 0 0 0 0 0 %d" : "%d 0 0 0 %d", (int)e, (int)n);
      for (int k = 0; k < n; k++) put(w, " %d", (int)((e + 3 * k) % 7 + 1));
      if (dim) put(w, " 0");
      end_line(w);
    }
  }
  put(w, binary ? "\n$EndEntities\n" : "$EndEntities\n");
}

/* Sizes of blocks: many small ones, some empty, a few large ones, small ones again. */
static int block_size(writer *w, int done, int n)
{
  const int size = done > n / 10 && done < n / 2 ? n / 4 : (int)pick(w, 6) - 1;
  return PetscMin(size, n - done);
}

static void put_node_block(writer *w, PetscBool binary, int first, int n)
{
  const int64_t dim = pick(w, 3), parametric = n % 2;
  if (binary) {
    put_ints(w, 3, (int64_t[]){dim, 1, parametric});
    put_bytes(w, 8, &(int64_t){n});
  } else {
    put_row(w, 4, (int64_t[]){dim, 1, parametric, n});
  }
  for (int i = 0; i < n; i++) put_longs(w, binary, 1, (int64_t[]){3 * (first + i + 1)});
  for (int i = 0; i < n; i++) {
    const double x[6] = {test_random(&w->random), first, -i, 7, 8, 9};
    const int    m    = 3 + (int)(parametric ? dim : 0);
    if (binary) put_bytes(w, sizeof *x * (size_t)m, x);
    if (binary) continue;
    for (int c = 0; c < m; c++) put(w, " %.17g", x[c]);
    end_line(w);
  }
}

static int put_blocks(writer *w, PetscBool binary, PetscBool elements)
{
  const int n      = elements ? N_ELEMENT : N_NODE;
  int       blocks = 0;
  for (int done = 0, size; done < n; done += size, blocks++) {
    size = block_size(w, done, n);
    if (!elements) {
      put_node_block(w, binary, done, size);
      continue;
    }
    const int nodes = blocks % 5 ? (int)pick(w, 4) : 4;
    if (binary)
      put_ints(w, 3, (int64_t[]){nodes - 1, pick(w, 20), type_of[nodes - 1]});
    else
      put(w, "%d %d %d %d", nodes - 1, (int)pick(w, 20), type_of[nodes - 1], size);
    if (binary)
      put_bytes(w, 8, &(int64_t){size});
    else
      end_line(w);
    for (int i = 0; i < size; i++) {
      int64_t value[5] = {7 * (done + i) + 2};
      pick_nodes(w, nodes, value + 1);
      put_longs(w, binary, 1 + nodes, value);
    }
  }
  return blocks;
}

/* A section with the number of its blocks at its beginning. */
static void put_section(writer *w, PetscBool binary, PetscBool elements)
{
  writer    rows   = {.style = w->style, .random = 5};
  const int n      = elements ? N_ELEMENT : N_NODE;
  const int blocks = put_blocks(&rows, binary, elements);
  put(w, elements ? "$Elements\n" : "$Nodes\n");
  put_longs(w, binary, 4, (int64_t[]){blocks, n, 1, 9999999});
  put_bytes(w, rows.n, rows.text);
  put(w, binary ? "\n" : "");
  put(w, elements ? "$EndElements\n" : "$EndNodes\n");
  free(rows.text);
}

static void put_data(writer *w, PetscBool binary, const char *name)
{
  put(w, "$ElementData\n1\n\"%s\"\n1\n0\n3\n0\n2\n%d\n", name, N_ELEMENT / 2);
  for (int i = 0; i < N_ELEMENT / 2; i++) {
    const double v[2] = {test_random(&w->random), i};
    if (binary) put_ints(w, 1, (int64_t[]){14 * i + 2});
    if (binary) put_bytes(w, sizeof v, v);
    if (binary) continue;
    put(w, "%d %.17g %g", 14 * i + 2, v[0], v[1]);
    end_line(w);
  }
  put(w, binary ? "\n$EndElementData\n" : "$EndElementData\n");
}

static void write_41(writer *w, PetscBool binary)
{
  put_format(w, "4.1", binary);
  put(w, "$Comments\n 1 2 3\n$Nodes\n$EndComments\n");
  put_entities(w, binary);
  put_section(w, binary, PETSC_FALSE);
  put_section(w, binary, PETSC_TRUE);
  put_data(w, binary, "other");
  put_data(w, binary, "fibre");
}

static void write_medit(writer *w)
{
  static const char *const name[]  = {"Edges", "Triangles", "Tetrahedra", "Triangles", "Edges"};
  static const int         nodes[] = {2, 3, 4, 3, 2};
  int64_t                  value[5];
  w->comments = PETSC_TRUE;
  put_line(w, "MeshVersionFormatted 2");
  put_line(w, "Dimension 3");
  put(w, "Vertices\n# how many\n%d\n", N_NODE);
  for (int i = 0; i < N_NODE; i++) {
    put_point(w);
    put(w, " %d", i);
    end_line(w);
  }
  for (int k = 0; k < 5; k++) {
    put(w, "%s %d\n", name[k], N_ELEMENT / 5);
    for (int i = 0; i < N_ELEMENT / 5; i++) {
      for (int a = 0; a < nodes[k]; a++) value[a] = pick(w, N_NODE);
      value[nodes[k]] = i % (4 + k);
      put_row(w, nodes[k] + 1, value);
    }
  }
  put(w, "Corners 2\n1\n2\nEnd\n");
}

static void write_points(writer *w)
{
  put_line(w, "vertex,x,y,z");
  for (int i = 0; i < N_NODE; i++) {
    put(w, "%d,%.17g,%d,-%d", N_NODE - 1 - i, test_random(&w->random), i, i);
    end_line(w);
  }
}

static void write_nodes(writer *w)
{
  w->comments = PETSC_TRUE;
  put(w, "# points\n%d 3 0 0\n", N_NODE);
  for (int i = 0; i < N_NODE; i++) {
    put(w, "%d", i);
    put_point(w);
    end_line(w);
  }
}

static void write_tets(writer *w)
{
  w->comments = PETSC_TRUE;
  put(w, "%d 4 1\n", N_ELEMENT);
  for (int i = 0; i < N_ELEMENT; i++)
    put_row(w, 6, (int64_t[]){i, i % 100, i % 1000, i % 10000, i % 20000, i < N_ELEMENT - 10 ? i % 3 : i % 8});
}

enum { MSH22, MSH22_BINARY, MSH41, MSH41_BINARY, MEDIT, POINTS, TETGEN, FORMATS };

static PetscBool is_binary(int format)
{
  return (PetscBool)(format == MSH22_BINARY || format == MSH41_BINARY);
}

static void save(const writer *w, const char *name)
{
  size_t n = w->n;
  while (w->style == LOOSE && n > 0 && strchr(" \t\n", w->text[n - 1])) n--;
  test_write_bytes(name, n, w->text);
}

/* The text of the format, of TetGen's tetrahedra, in w; rank 0 writes it to the file. */
static void write_file(int format, text_style style, writer *w)
{
  *w = (writer){.style = style, .random = 1};
  if (format == MSH22 || format == MSH22_BINARY) write_22(w, is_binary(format));
  if (format == MSH41 || format == MSH41_BINARY) write_41(w, is_binary(format));
  if (format == MEDIT) write_medit(w);
  if (format == POINTS) write_points(w);
  if (format == TETGEN) write_tets(w);
  if (rank > 0) return;
  save(w, format == TETGEN ? ele_file : file);
  if (format != TETGEN) return;
  writer nodes = {.style = style, .random = 2};
  write_nodes(&nodes);
  save(&nodes, node_file);
  free(nodes.text);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static PetscErrorCode read_file(MPI_Comm comm, int format, wring_raw *raw, wring_raw_data *data, wring_error *e)
{
  wring_scan s;

  PetscFunctionBegin;
  *raw  = (wring_raw){.data = format == MSH41 || format == MSH41_BINARY ? data : NULL};
  *data = (wring_raw_data){.name = "fibre", .width = 2};
  *e    = (wring_error){""};
  PetscCall(wring_scan_open(comm, format == TETGEN ? ele_file : file, e, &s));
  if (wring_scan_ok(&s)) PetscCall(wring_raw_read(&s, format == TETGEN ? node_file : NULL, raw));
  PetscCall(wring_scan_close(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode release(wring_raw *raw, wring_raw_data *data)
{
  PetscFunctionBegin;
  PetscCall(wring_raw_destroy(raw));
  PetscCall(PetscFree(data->row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where this rank's part begins; the parts must be balanced and complete. */
static PetscErrorCode begin_of(PetscInt n, PetscInt whole, PetscBool balanced, PetscInt *begin)
{
  PetscInt sum, most;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(&n, begin, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  *begin -= n;
  PetscCallMPI(MPI_Allreduce(&n, &sum, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Allreduce(&n, &most, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  CHECK(sum == whole, "%d rows of %d", (int)sum, (int)whole);
  CHECK(!balanced || most <= whole / ranks + 1, "%d of %d rows on a rank", (int)most, (int)whole);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The n entries of a part are those of the whole from `begin` on. */
#define SAME(part, whole, begin, n)                                                                                    \
  CHECK((n) == 0 || !memcmp(part, (whole) + (begin), (size_t)(n) * sizeof *(part)), "rows from %d", (int)(begin))

static void compare_lower(const wring_raw *a, const wring_raw *b, PetscInt begin)
{
  for (PetscInt i = 0; i < a->lower.n; i++) {
    const wring_raw_lower *x = a->lower.element + i, *y = b->lower.element + begin + i;
    CHECK(x->n == y->n && x->line == y->line && x->number == y->number && x->source == y->source, "element %d", (int)i);
    CHECK(!memcmp(x->tag, y->tag, (size_t)x->n * sizeof *x->tag), "nodes of element %d", (int)i);
  }
}

static void compare_groups(const wring_raw *a, const wring_raw *b)
{
  CHECK(a->sources.n == b->sources.n && a->groups.n == b->groups.n && !strcmp(a->format, b->format), "counts");
  if (a->sources.n) SAME(a->sources.start, b->sources.start, 0, a->sources.n + 1);
  if (a->sources.n) SAME(a->sources.group, b->sources.group, 0, a->sources.start[a->sources.n]);
  for (PetscInt g = 0; g < a->groups.n; g++) CHECK(!strcmp(a->groups.name[g], b->groups.name[g]), "group %d", (int)g);
}

/* The attributes of the last tetrahedra are new, and descend once. */
static void check_order(const wring_raw *a)
{
  static const char *const expected[] = {"tag1", "tag2", "tag6", "tag7", "tag3", "tag4", "tag5"};
  CHECK(a->groups.n == 7, "%d groups", (int)a->groups.n);
  for (int g = 0; g < 7; g++) CHECK(!strcmp(a->groups.name[g], expected[g]), "group %d: %s", g, a->groups.name[g]);
}

/* Fails if a rank begins at a wrong row or line, or if sources are numbered by rank and not by the file. */
static PetscErrorCode test_same(int format, text_style style)
{
  wring_raw      a, b;
  wring_raw_data part, whole;
  wring_error    e;
  writer         w;
  PetscInt       begin;

  PetscFunctionBegin;
  write_file(format, style, &w);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(read_file(PETSC_COMM_SELF, format, &b, &whole, &e));
  CHECK(!e.text[0], "%s", e.text);
  PetscCall(read_file(PETSC_COMM_WORLD, format, &a, &part, &e));
  CHECK(!e.text[0], "%s", e.text);
  CHECK(b.nodes.n == N_NODE && (format == POINTS || b.tets.n + b.lower.n == N_ELEMENT), "%d nodes", (int)b.nodes.n);
  PetscCall(begin_of(a.nodes.n, b.nodes.n, PETSC_TRUE, &begin));
  SAME(a.nodes.tag, b.nodes.tag, begin, a.nodes.n);
  SAME(a.nodes.line, b.nodes.line, begin, a.nodes.n);
  SAME(a.nodes.X, b.nodes.X, 3 * begin, 3 * a.nodes.n);
  PetscCall(begin_of(a.tets.n, b.tets.n, (PetscBool)(format != MSH22), &begin));
  SAME(a.tets.tag, b.tets.tag, 4 * begin, 4 * a.tets.n);
  SAME(a.tets.source, b.tets.source, begin, a.tets.n);
  SAME(a.tets.number, b.tets.number, begin, a.tets.n);
  SAME(a.tets.line, b.tets.line, begin, a.tets.n);
  PetscCall(begin_of(a.lower.n, b.lower.n, (PetscBool)(format != MSH22), &begin));
  compare_lower(&a, &b, begin);
  compare_groups(&a, &b);
  if (a.data) {
    CHECK(part.found && whole.found && whole.n == N_ELEMENT / 2, "data");
    PetscCall(begin_of(part.n, whole.n, PETSC_TRUE, &begin));
    SAME(part.row, whole.row, 4 * begin, 4 * part.n); // number, place, two values
  }
  if (format == TETGEN) check_order(&a);
  PetscCall(release(&a, &part));
  PetscCall(release(&b, &whole));
  free(w.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- faults ------------------------------------------------------------------------------------------------------ */

/* The fault of the file on all ranks must be that of one rank, on every rank. */
static PetscErrorCode compare_faults(int format, const char *what, double where, PetscBool must)
{
  wring_raw      raw;
  wring_raw_data data;
  wring_error    e, one;

  PetscFunctionBegin;
  if (rank == 0) {
    PetscCall(read_file(PETSC_COMM_SELF, format, &raw, &data, &one));
    PetscCall(release(&raw, &data));
    CHECK(one.text[0] || !must, "%s at %g in format %d is accepted", what, where, format);
  }
  PetscCallMPI(MPI_Bcast(one.text, sizeof one.text, MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCall(read_file(PETSC_COMM_WORLD, format, &raw, &data, &e));
  CHECK(!strcmp(e.text, one.text), "%s at %g in format %d: '%s', on one rank '%s'", what, where, format, e.text,
        one.text);
  PetscCall(release(&raw, &data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Reads w with its first n bytes only, as it is on all ranks. */
static PetscErrorCode try_text(int format, const writer *w, size_t n, const char *what, PetscBool must)
{
  writer part = *w;

  PetscFunctionBegin;
  part.n = n;
  if (rank == 0) save(&part, format == TETGEN ? ele_file : file);
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(compare_faults(format, what, (double)n, must));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  The file without its end; letters in a text, or bytes that are no finite number, in one place or two. The ranks meet
  the end of a cut file together, some of them where they expect coordinates: the row that comes first is reported.
*/
static PetscErrorCode test_faults(int format)
{
  static const char spoiled[] = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
  const PetscBool   binary    = is_binary(format);
  const char *const damage    = binary ? spoiled : "x y";
  const size_t      length    = strlen(damage);
  char              saved[2][sizeof spoiled];
  writer            w;

  PetscFunctionBegin;
  write_file(format, PLAIN, &w);
  put_bytes(&w, 1, "");
  w.n--;
  const char *const tag = format == MSH41 ? strstr(w.text, "\n16200\n") : NULL; // among those of a large block
  CHECK(tag || format != MSH41, "no such tag");
  if (tag) PetscCall(try_text(format, &w, (size_t)(tag - w.text), "a cut among tags", PETSC_TRUE));
  const int every = ranks == 1 || ranks == 7 ? 3 : 1; // of the places, all of which 2 ranks try
  for (int k = 0; k < 12; k += every) {
    const double where = (k + 0.4) / 12.3;
    char *const  at    = w.text + (size_t)(where * (double)w.n);
    char *const  later = w.text + (size_t)((0.5 + 0.5 * where) * (double)w.n);
    PetscCall(try_text(format, &w, (size_t)(at - w.text), "a cut", (PetscBool)(format != POINTS)));
    memcpy(saved[0], at, length);
    memcpy(saved[1], later, length);
    memcpy(at, damage, length);
    if (k % 2) memcpy(later, damage, length);
    PetscCall(try_text(format, &w, w.n, "damage", PETSC_FALSE));
    memcpy(later, saved[1], length);
    memcpy(at, saved[0], length);
  }
  free(w.text);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  snprintf(file, sizeof file, "test_slices_%d.mesh", ranks);
  snprintf(node_file, sizeof node_file, "test_slices_%d.node", ranks);
  snprintf(ele_file, sizeof ele_file, "test_slices_%d.ele", ranks);
  for (int format = 0; format < FORMATS; format++) {
    for (int style = 0; style < STYLES; style++)
      if (style == PLAIN || !is_binary(format)) PetscCall(test_same(format, (text_style)style));
    PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
    PetscCall(test_faults(format));
  }
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (rank == 0) remove(file), remove(node_file), remove(ele_file);
  PetscCall(PetscFinalize());
  return 0;
}
