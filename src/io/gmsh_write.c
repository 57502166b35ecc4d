/*
  Gmsh MSH 4.1, ASCII and binary [gmsh.info/doc/texinfo/gmsh.html, "MSH file format"], such that reading the file gives
  the same mesh bit for bit, in the same order.

  Nodes are one block in their order, numbered from 1. Tets come first among the elements, numbered from 1, one block
  for each run of a region. Set s is physical group s + 1: the tets of the region of its name, its triangles and lines,
  and a point element for each vertex that is not in these. Each region is an entity, and so are the elements of one
  dimension of a set. A mesh of order 2 has second-order elements, but lines of a set that are no edges.
*/
#include "file.h"
#include "base/sort.h"
#include <inttypes.h>
#include <string.h>
#include <wring/io.h>

/* By dimension and order: points, lines, triangles, tets. Gmsh's second-order tets have the edges 23 13 last. */
static const PetscInt gmsh_type[4][2] = {{15, 15}, {1, 8}, {2, 9}, {4, 11}};
static const int      mid_column[6]   = {0, 1, 2, 3, 5, 4};

/*
  Entity k of dimension dim has the elements list[dim][start[dim][k]] ... [start[dim][k + 1] - 1]: vertices, rows of
  set_element, tets. Below dimension 3 it belongs to set k; point entity sets.n has the vertices that are in no element.
*/
typedef struct {
  const wring_mesh_data *d;
  PetscInt              *region_tag; // [regions.n] of its physical group, 0: none
  PetscInt              *list[4], *start[4];
} layout;

/* ---- numbers: separated by blanks in text, as in memory in binary ------------------------------------------------ */

typedef struct {
  FILE     *f;
  PetscBool binary;
} sink;

static void put_ints(sink *s, int n, const PetscInt *value)
{
  for (int i = 0; i < n; i++) {
    const int32_t v = (int32_t)value[i];
    if (s->binary)
      fwrite(&v, sizeof v, 1, s->f);
    else
      fprintf(s->f, "%" PRId32 " ", v);
  }
}

static void put_longs(sink *s, int n, const int64_t *value)
{
  if (s->binary) fwrite(value, sizeof *value, (size_t)n, s->f);
  for (int i = 0; i < n && !s->binary; i++) fprintf(s->f, "%" PRId64 " ", value[i]);
}

static void put_reals(sink *s, int n, const double *value)
{
  if (s->binary) fwrite(value, sizeof *value, (size_t)n, s->f);
  for (int i = 0; i < n && !s->binary; i++) fprintf(s->f, "%.17g ", value[i]);
}

static void end_row(sink *s)
{
  if (!s->binary) fputc('\n', s->f);
}

static void end_section(sink *s, const char *name)
{
  fprintf(s->f, "%s$End%s\n", s->binary ? "\n" : "", name);
}

/* ---- elements of entities ---------------------------------------------------------------------------------------- */

static PetscErrorCode sort_tets(layout *l)
{
  const wring_mesh_data *const d = l->d;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)d->n_tet, &l->list[3]));
  PetscCall(PetscMalloc1((size_t)d->regions.n + 1, &l->start[3]));
  for (PetscInt e = 0; e < d->n_tet; e++) l->list[3][e] = e;
  PetscCall(wring_sort_buckets(d->n_tet, l->list[3], d->region, d->regions.n, l->start[3]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines of all sets, then triangles of all sets, in one list. */
static PetscErrorCode sort_set_elements(layout *l)
{
  const wring_mesh_data *const d = l->d;
  PetscInt                    *bucket;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)d->n_set_element, &l->list[1]));
  PetscCall(PetscMalloc1((size_t)d->n_set_element, &bucket));
  PetscCall(PetscMalloc1(2 * (size_t)d->sets.n + 1, &l->start[1]));
  for (PetscInt i = 0; i < d->n_set_element; i++) {
    const PetscInt *const row = d->set_element + 4 * (size_t)i;
    bucket[i]                 = row[0] + (row[3] < 0 ? 0 : d->sets.n);
    l->list[1][i]             = i;
  }
  PetscCall(wring_sort_buckets(d->n_set_element, l->list[1], bucket, 2 * d->sets.n, l->start[1]));
  l->list[2]  = l->list[1];
  l->start[2] = l->start[1] + d->sets.n;
  PetscCall(PetscFree(bucket));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Region tag0 holds tets in no group, unless a set shows that there is a group of this name. */
static PetscErrorCode tag_regions(layout *l)
{
  const wring_mesh_data *const d = l->d;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1((size_t)d->regions.n, &l->region_tag));
  for (PetscInt r = 0; r < d->regions.n; r++) {
    const PetscInt set = wring_names_find(&d->sets, d->regions.name[r]);
    if (set >= 0)
      l->region_tag[r] = set + 1;
    else if (strcmp(d->regions.name[r], "tag0"))
      l->region_tag[r] = d->sets.n + r + 1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an element: a vertex, a row of set_element or a tet. */
static int order_of(const wring_mesh_data *d, int dim, PetscInt e)
{
  if (dim == 0) return 1;
  if (dim == 3) return d->mid ? 2 : 1;
  return d->set_mid && d->set_mid[3 * (size_t)e] >= 0 ? 2 : 1;
}

static int count_vertices(const wring_mesh_data *d, int dim, PetscInt e)
{
  return order_of(d, dim, e) == 1 ? dim + 1 : (dim + 1) * (dim + 2) / 2;
}

/* Corners, then those at the middles of edges. */
static PetscInt vertex_of(const wring_mesh_data *d, int dim, PetscInt e, int a)
{
  const size_t at = (size_t)e;
  if (dim == 0) return e;
  if (dim == 3) return a < 4 ? d->tet[4 * at + (size_t)a] : d->mid[6 * at + (size_t)mid_column[a - 4]];
  return a <= dim ? d->set_element[4 * at + 1 + (size_t)a] : d->set_mid[3 * at + (size_t)(a - dim - 1)];
}

/* mark [n_vertex] = stamp at the vertices of entity k. */
static void mark_entity(const layout *l, int dim, PetscInt k, PetscInt stamp, PetscInt *mark)
{
  for (PetscInt i = l->start[dim][k]; i < l->start[dim][k + 1]; i++) {
    const PetscInt e = l->list[dim][i];
    for (int a = 0; a < count_vertices(l->d, dim, e); a++) mark[vertex_of(l->d, dim, e, a)] = stamp;
  }
}

static PetscErrorCode collect_points(layout *l)
{
  const wring_mesh_data *const d = l->d;
  const PetscInt               n = d->sets.n ? d->set_start[d->sets.n] : 0;
  PetscInt                    *mark, filled = 0;
  PetscBool                   *used;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n + (size_t)d->n_vertex, &l->list[0]));
  PetscCall(PetscMalloc1((size_t)d->sets.n + 2, &l->start[0]));
  PetscCall(PetscCalloc2((size_t)d->n_vertex, &mark, (size_t)d->n_vertex, &used));
  for (size_t i = 0; i < 4 * (size_t)d->n_tet; i++) used[d->tet[i]] = PETSC_TRUE;
  for (size_t i = 0; d->mid && i < 6 * (size_t)d->n_tet; i++) used[d->mid[i]] = PETSC_TRUE;
  for (PetscInt s = 0; s < d->sets.n; s++) {
    const PetscInt region = wring_names_find(&d->regions, d->sets.name[s]);
    for (int dim = 1; dim < 3; dim++) mark_entity(l, dim, s, s + 1, mark);
    if (region >= 0) mark_entity(l, 3, region, s + 1, mark);
    l->start[0][s] = filled;
    for (PetscInt i = d->set_start[s]; i < d->set_start[s + 1]; i++) {
      if (mark[d->set_vertex[i]] != s + 1) l->list[0][filled++] = d->set_vertex[i];
      used[d->set_vertex[i]] = PETSC_TRUE;
    }
  }
  l->start[0][d->sets.n] = filled;
  for (PetscInt v = 0; v < d->n_vertex; v++)
    if (!used[v]) l->list[0][filled++] = v;
  l->start[0][d->sets.n + 1] = filled;
  PetscCall(PetscFree2(mark, used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt count_candidates(const layout *l, int dim)
{
  return dim == 3 ? l->d->regions.n : l->d->sets.n + (dim == 0);
}

static PetscInt count_elements(const layout *l, int dim, PetscInt k)
{
  return l->start[dim][k + 1] - l->start[dim][k];
}

static PetscInt count_entities(const layout *l, int dim)
{
  PetscInt n = 0;
  for (PetscInt k = 0; k < count_candidates(l, dim); k++) n += count_elements(l, dim, k) > 0;
  return n;
}

/* The tag of the physical group of an entity, 0 if it has none. */
static PetscInt group_of(const layout *l, int dim, PetscInt k)
{
  if (dim == 3) return l->region_tag[k];
  return k < l->d->sets.n ? k + 1 : 0;
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

static void put_name(sink *s, const layout *l, int dim, PetscInt k, const char *name)
{
  if (count_elements(l, dim, k)) fprintf(s->f, "%d %" PetscInt_FMT " \"%s\"\n", dim, group_of(l, dim, k), name);
}

static PetscInt count_names(const layout *l)
{
  PetscInt n = 0;
  for (int dim = 0; dim < 4; dim++)
    for (PetscInt k = 0; k < count_candidates(l, dim); k++) n += count_elements(l, dim, k) && group_of(l, dim, k);
  return n;
}

/* Groups are in the order of the sets; this section is always text. */
static void put_names(sink *s, const layout *l)
{
  const wring_mesh_data *const d = l->d;
  fprintf(s->f, "$PhysicalNames\n%" PetscInt_FMT "\n", count_names(l));
  for (PetscInt k = 0; k < d->sets.n; k++) {
    const PetscInt r = wring_names_find(&d->regions, d->sets.name[k]);
    for (int dim = 0; dim < 3; dim++) put_name(s, l, dim, k, d->sets.name[k]);
    if (r >= 0) put_name(s, l, 3, r, d->sets.name[k]);
  }
  for (PetscInt r = 0; r < d->regions.n; r++)
    if (l->region_tag[r] > d->sets.n) put_name(s, l, 3, r, d->regions.name[r]);
  fprintf(s->f, "$EndPhysicalNames\n");
}

/* Tag, a point or a bounding box, physical tags, no bounding entities. */
static void put_entity(sink *s, const layout *l, int dim, PetscInt k)
{
  const PetscInt tag = k + 1, group = group_of(l, dim, k);
  const int64_t  n = group > 0, no_boundary = 0;
  double         box[2][3] = {{PETSC_INFINITY, PETSC_INFINITY, PETSC_INFINITY},
                              {PETSC_NINFINITY, PETSC_NINFINITY, PETSC_NINFINITY}};
  for (PetscInt j = l->start[dim][k]; j < l->start[dim][k + 1]; j++) {
    const PetscInt e = l->list[dim][j];
    for (int i = 0; i < 3 * count_vertices(l->d, dim, e); i++) {
      const double x = l->d->X[3 * (size_t)vertex_of(l->d, dim, e, i / 3) + (size_t)(i % 3)];
      box[0][i % 3]  = PetscMin(box[0][i % 3], x);
      box[1][i % 3]  = PetscMax(box[1][i % 3], x);
    }
  }
  put_ints(s, 1, &tag);
  put_reals(s, dim ? 6 : 3, box[0]);
  put_longs(s, 1, &n);
  put_ints(s, (int)n, &group);
  if (dim) put_longs(s, 1, &no_boundary);
  end_row(s);
}

static void put_entities(sink *s, const layout *l)
{
  int64_t n[4];
  for (int dim = 0; dim < 4; dim++) n[dim] = count_entities(l, dim);
  fprintf(s->f, "$Entities\n");
  put_longs(s, 4, n);
  end_row(s);
  for (int dim = 0; dim < 4; dim++)
    for (PetscInt k = 0; k < count_candidates(l, dim); k++)
      if (count_elements(l, dim, k)) put_entity(s, l, dim, k);
  end_section(s, "Entities");
}

/* Every node must belong to an entity: all belong to the first one of the highest dimension. */
static void put_nodes(sink *s, const layout *l)
{
  const wring_mesh_data *const d       = l->d;
  const int64_t                head[4] = {1, d->n_vertex, 1, d->n_vertex}, n = d->n_vertex;
  PetscInt                     place[3] = {3, 1, 0}; // dimension, tag, no parameters
  while (!count_entities(l, (int)place[0])) place[0]--;
  while (!count_elements(l, (int)place[0], place[1] - 1)) place[1]++;
  fprintf(s->f, "$Nodes\n");
  put_longs(s, 4, head);
  end_row(s);
  put_ints(s, 3, place);
  put_longs(s, 1, &n);
  end_row(s);
  for (int64_t v = 1; v <= n; v++) {
    put_longs(s, 1, &v);
    end_row(s);
  }
  for (PetscInt v = 0; v < d->n_vertex; v++) {
    put_reals(s, 3, d->X + 3 * (size_t)v);
    end_row(s);
  }
  end_section(s, "Nodes");
}

static void begin_block(sink *s, int dim, PetscInt tag, int order, PetscInt n)
{
  const PetscInt head[3] = {dim, tag, gmsh_type[dim][order - 1]};
  const int64_t  count   = n;
  put_ints(s, 3, head);
  put_longs(s, 1, &count);
  end_row(s);
}

/* Tets are written in their order, others by entity: element i, and its entity k, from that of the one before it. */
static PetscInt element_of(const layout *l, int dim, PetscInt i, PetscInt *k)
{
  if (dim == 3) *k = l->d->region[i];
  if (dim == 3) return i;
  while (i >= l->start[dim][*k + 1]) ++*k;
  return l->list[dim][i];
}

/* Elements of one entity and order that follow each other are one block. */
static PetscInt end_of_block(const layout *l, int dim, PetscInt i, PetscInt k)
{
  const PetscInt end   = l->start[dim][count_candidates(l, dim)];
  PetscInt       now   = k;
  const int      order = order_of(l->d, dim, element_of(l, dim, i, &now));
  while (i < end && order_of(l->d, dim, element_of(l, dim, i, &now)) == order && now == k) i++;
  return i;
}

static int64_t count_blocks(const layout *l, int dim)
{
  int64_t        n   = 0;
  PetscInt       k   = 0;
  const PetscInt end = l->start[dim][count_candidates(l, dim)];
  for (PetscInt i = l->start[dim][0]; i < end; i = end_of_block(l, dim, i, k), n++) element_of(l, dim, i, &k);
  return n;
}

/* Writes the elements of a dimension, numbered from *number. */
static void put_elements_of(sink *s, const layout *l, int dim, int64_t *number)
{
  const wring_mesh_data *const d     = l->d;
  PetscInt                     block = l->start[dim][0], k = 0; // where the next block begins
  for (PetscInt i = block; i < l->start[dim][count_candidates(l, dim)]; i++) {
    int64_t        row[11] = {(*number)++};
    const PetscInt e       = element_of(l, dim, i, &k);
    const int      n       = count_vertices(d, dim, e);
    if (i == block) {
      block = end_of_block(l, dim, i, k);
      begin_block(s, dim, k + 1, order_of(d, dim, e), block - i);
    }
    for (int a = 0; a < n; a++) row[a + 1] = (int64_t)vertex_of(d, dim, e, a) + 1;
    put_longs(s, n + 1, row);
    end_row(s);
  }
}

static void put_elements(sink *s, const layout *l)
{
  static const int order[4] = {3, 0, 1, 2}; // of dimensions
  const int64_t    n        = (int64_t)l->d->n_tet + l->d->n_set_element + l->start[0][l->d->sets.n + 1];
  int64_t          head[4] = {0, n, 1, n}, number = 1;
  for (int dim = 0; dim < 4; dim++) head[0] += count_blocks(l, dim);
  fprintf(s->f, "$Elements\n");
  put_longs(s, 4, head);
  end_row(s);
  for (int i = 0; i < 4; i++) put_elements_of(s, l, order[i], &number);
  end_section(s, "Elements");
}

PetscErrorCode wring_gmsh_write(const char *file, const wring_mesh_data *d, PetscBool binary, wring_error *e)
{
  layout l = {.d = d};
  sink   s = {wring_file_create(file, e), binary};

  PetscFunctionBegin;
  if (!s.f) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(sort_tets(&l));
  PetscCall(sort_set_elements(&l));
  PetscCall(tag_regions(&l));
  PetscCall(collect_points(&l));
  fprintf(s.f, "$MeshFormat\n4.1 %d 8\n", binary ? 1 : 0);
  if (binary) put_ints(&s, 1, (const PetscInt[]){1});
  end_section(&s, "MeshFormat");
  put_names(&s, &l);
  put_entities(&s, &l);
  put_nodes(&s, &l);
  put_elements(&s, &l);
  PetscCall(PetscFree(l.region_tag));
  for (int dim = 0; dim < 4; dim += dim == 1 ? 2 : 1) { // 2 is a part of 1
    PetscCall(PetscFree(l.list[dim]));
    PetscCall(PetscFree(l.start[dim]));
  }
  wring_file_commit(s.f, file, e);
  PetscFunctionReturn(PETSC_SUCCESS);
}
