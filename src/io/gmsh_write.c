/*
  Gmsh MSH 4.1, ASCII and binary [gmsh.info/doc/texinfo/gmsh.html, "MSH file format"], such that reading it back gives the
  mesh bit by bit, in its order.

  Nodes are one block in their order, numbered from 1. Tets come first among the elements, numbered from 1, one block for
  each run of a region. Set s is physical group s + 1: the tets of the region of its name, and a point element for each
  vertex that these do not have. Each region and the points of each set are an entity of their own.
*/
#include "file.h"
#include "mesh/order.h"
#include <inttypes.h>
#include <string.h>
#include <wring/io.h>

enum { GMSH_TET = 4, GMSH_POINT = 15 };

typedef struct {
  const wring_mesh_data *d;
  PetscInt              *region_tag;      // [regions.n] of its physical group, 0: none
  PetscInt              *tet, *tet_start; // by region: [n_tet], [regions.n + 1]
  PetscInt *point, *point_start; // by set: [point_start[sets.n + 1]], [sets.n + 2]; last those that no element has
} layout;

/* ---- numbers: separated by blanks in text, as they lie in memory in binary ---------------------------------------- */

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

/* ---- which element belongs to what -------------------------------------------------------------------------------- */

static PetscErrorCode sort_tets(layout *l)
{
  const wring_mesh_data *const d = l->d;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)d->n_tet, &l->tet));
  PetscCall(PetscMalloc1((size_t)d->regions.n + 1, &l->tet_start));
  for (PetscInt e = 0; e < d->n_tet; e++) l->tet[e] = e;
  PetscCall(wring_sort_buckets(d->n_tet, l->tet, d->region, d->regions.n, l->tet_start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Region tag0 is that of tets in no group, unless a set says that there is a group of this name. */
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

static void mark_region(const layout *l, PetscInt r, PetscInt stamp, PetscInt *mark)
{
  for (PetscInt i = l->tet_start[r]; i < l->tet_start[r + 1]; i++)
    for (int a = 0; a < 4; a++) mark[l->d->tet[4 * (size_t)l->tet[i] + (size_t)a]] = stamp;
}

static PetscErrorCode collect_points(layout *l)
{
  const wring_mesh_data *const d = l->d;
  const PetscInt               n = d->sets.n ? d->set_start[d->sets.n] : 0;
  PetscInt                    *mark, filled = 0;
  PetscBool                   *used;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)n + (size_t)d->n_vertex, &l->point));
  PetscCall(PetscMalloc1((size_t)d->sets.n + 2, &l->point_start));
  PetscCall(PetscCalloc2((size_t)d->n_vertex, &mark, (size_t)d->n_vertex, &used));
  for (size_t i = 0; i < 4 * (size_t)d->n_tet; i++) used[d->tet[i]] = PETSC_TRUE;
  for (PetscInt s = 0; s < d->sets.n; s++) {
    const PetscInt region = wring_names_find(&d->regions, d->sets.name[s]);
    if (region >= 0) mark_region(l, region, s + 1, mark);
    l->point_start[s] = filled;
    for (PetscInt i = d->set_start[s]; i < d->set_start[s + 1]; i++) {
      if (mark[d->set_vertex[i]] != s + 1) l->point[filled++] = d->set_vertex[i];
      used[d->set_vertex[i]] = PETSC_TRUE;
    }
  }
  l->point_start[d->sets.n] = filled;
  for (PetscInt v = 0; v < d->n_vertex; v++)
    if (!used[v]) l->point[filled++] = v;
  l->point_start[d->sets.n + 1] = filled;
  PetscCall(PetscFree2(mark, used));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode make_layout(const wring_mesh_data *d, layout *l)
{
  PetscFunctionBegin;
  *l = (layout){.d = d};
  PetscCall(sort_tets(l));
  PetscCall(tag_regions(l));
  PetscCall(collect_points(l));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode destroy_layout(layout *l)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(l->region_tag));
  PetscCall(PetscFree(l->tet));
  PetscCall(PetscFree(l->tet_start));
  PetscCall(PetscFree(l->point));
  PetscCall(PetscFree(l->point_start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool has_tets(const layout *l, PetscInt region)
{
  return (PetscBool)(l->tet_start[region + 1] > l->tet_start[region]);
}

static PetscBool has_points(const layout *l, PetscInt set)
{
  return (PetscBool)(l->point_start[set + 1] > l->point_start[set]);
}

static PetscInt count_volumes(const layout *l)
{
  PetscInt n = 0;
  for (PetscInt r = 0; r < l->d->regions.n; r++) n += has_tets(l, r);
  return n;
}

static PetscInt count_point_entities(const layout *l)
{
  PetscInt n = 0;
  for (PetscInt s = 0; s <= l->d->sets.n; s++) n += has_points(l, s);
  return n;
}

/* ---- sections ----------------------------------------------------------------------------------------------------- */

static void put_format(sink *s)
{
  const PetscInt one = 1;
  fprintf(s->f, "$MeshFormat\n4.1 %d 8\n", s->binary ? 1 : 0);
  if (s->binary) put_ints(s, 1, &one);
  end_section(s, "MeshFormat");
}

static void put_name(sink *s, int dim, PetscInt tag, const char *name)
{
  fprintf(s->f, "%d %" PetscInt_FMT " \"%s\"\n", dim, tag, name);
}

/* Groups have the order of the sets; always text. */
static void put_names(sink *s, const layout *l)
{
  const wring_mesh_data *const d = l->d;
  PetscInt                     n = 0;
  for (PetscInt k = 0; k < d->sets.n; k++) n += has_points(l, k);
  for (PetscInt r = 0; r < d->regions.n; r++) n += has_tets(l, r) && l->region_tag[r];
  fprintf(s->f, "$PhysicalNames\n%" PetscInt_FMT "\n", n);
  for (PetscInt k = 0; k < d->sets.n; k++) {
    const PetscInt r = wring_names_find(&d->regions, d->sets.name[k]);
    if (has_points(l, k)) put_name(s, 0, k + 1, d->sets.name[k]);
    if (r >= 0 && has_tets(l, r)) put_name(s, 3, k + 1, d->sets.name[k]);
  }
  for (PetscInt r = 0; r < d->regions.n; r++)
    if (has_tets(l, r) && l->region_tag[r] > d->sets.n) put_name(s, 3, l->region_tag[r], d->regions.name[r]);
  fprintf(s->f, "$EndPhysicalNames\n");
}

static void put_tags(sink *s, PetscInt tag)
{
  const int64_t n = tag > 0;
  put_longs(s, 1, &n);
  put_ints(s, (int)n, &tag);
}

static void widen(const double *x, double box[2][3])
{
  for (int c = 0; c < 3; c++) {
    box[0][c] = PetscMin(box[0][c], x[c]);
    box[1][c] = PetscMax(box[1][c], x[c]);
  }
}

static void put_volume(sink *s, const layout *l, PetscInt r)
{
  const int64_t  no_surfaces = 0;
  const PetscInt tag         = r + 1;
  double         box[2][3]   = {{PETSC_INFINITY, PETSC_INFINITY, PETSC_INFINITY},
                                {PETSC_NINFINITY, PETSC_NINFINITY, PETSC_NINFINITY}};
  for (PetscInt i = l->tet_start[r]; i < l->tet_start[r + 1]; i++)
    for (int a = 0; a < 4; a++) widen(l->d->X + 3 * (size_t)l->d->tet[4 * (size_t)l->tet[i] + (size_t)a], box);
  put_ints(s, 1, &tag);
  put_reals(s, 6, box[0]);
  put_tags(s, l->region_tag[r]);
  put_longs(s, 1, &no_surfaces);
  end_row(s);
}

static void put_entities(sink *s, const layout *l)
{
  const wring_mesh_data *const d    = l->d;
  const int64_t                n[4] = {count_point_entities(l), 0, 0, count_volumes(l)};
  fprintf(s->f, "$Entities\n");
  put_longs(s, 4, n);
  end_row(s);
  for (PetscInt k = 0; k <= d->sets.n; k++) {
    const PetscInt tag = k + 1;
    if (!has_points(l, k)) continue;
    put_ints(s, 1, &tag);
    put_reals(s, 3, d->X + 3 * (size_t)l->point[l->point_start[k]]);
    put_tags(s, k < d->sets.n ? tag : 0);
    end_row(s);
  }
  for (PetscInt r = 0; r < d->regions.n; r++)
    if (has_tets(l, r)) put_volume(s, l, r);
  end_section(s, "Entities");
}

/* Every node must be said to lie in some entity: here all in the first there is. */
static void put_nodes(sink *s, const layout *l)
{
  const wring_mesh_data *const d       = l->d;
  const int64_t                head[4] = {1, d->n_vertex, 1, d->n_vertex}, n = d->n_vertex;
  PetscInt                     place[3] = {d->n_tet ? 3 : 0, 1, 0}; // dimension, tag, no parameters
  while (d->n_tet ? !has_tets(l, place[1] - 1) : !has_points(l, place[1] - 1)) place[1]++;
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

static void begin_block(sink *s, PetscInt dim, PetscInt tag, PetscInt type, PetscInt n)
{
  const PetscInt head[3] = {dim, tag, type};
  const int64_t  count   = n;
  put_ints(s, 3, head);
  put_longs(s, 1, &count);
  end_row(s);
}

static PetscInt end_of_run(const wring_mesh_data *d, PetscInt e)
{
  const PetscInt first = e;
  while (e < d->n_tet && d->region[e] == d->region[first]) e++;
  return e;
}

static void put_tets(sink *s, const wring_mesh_data *d, PetscInt first, PetscInt end)
{
  begin_block(s, 3, d->region[first] + 1, GMSH_TET, end - first);
  for (PetscInt e = first; e < end; e++) {
    const PetscInt *const v = d->tet + 4 * (size_t)e;
    const int64_t row[5] = {(int64_t)e + 1, (int64_t)v[0] + 1, (int64_t)v[1] + 1, (int64_t)v[2] + 1, (int64_t)v[3] + 1};
    put_longs(s, 5, row);
    end_row(s);
  }
}

static void put_elements(sink *s, const layout *l)
{
  const wring_mesh_data *const d      = l->d;
  const int64_t                n      = (int64_t)d->n_tet + l->point_start[d->sets.n + 1];
  int64_t                      blocks = count_point_entities(l);
  for (PetscInt e = 0; e < d->n_tet; e = end_of_run(d, e)) blocks++;
  const int64_t head[4] = {blocks, n, 1, n};
  fprintf(s->f, "$Elements\n");
  put_longs(s, 4, head);
  end_row(s);
  for (PetscInt e = 0; e < d->n_tet; e = end_of_run(d, e)) put_tets(s, d, e, end_of_run(d, e));
  for (PetscInt k = 0; k <= d->sets.n; k++) {
    if (has_points(l, k)) begin_block(s, 0, k + 1, GMSH_POINT, l->point_start[k + 1] - l->point_start[k]);
    for (PetscInt i = l->point_start[k]; i < l->point_start[k + 1]; i++) {
      const int64_t row[2] = {(int64_t)d->n_tet + i + 1, (int64_t)l->point[i] + 1};
      put_longs(s, 2, row);
      end_row(s);
    }
  }
  end_section(s, "Elements");
}

PetscErrorCode wring_gmsh_write(const char *file, const wring_mesh_data *d, PetscBool binary, wring_error *e)
{
  layout l;
  sink   s = {wring_file_create(file, e), binary};

  PetscFunctionBegin;
  if (!s.f) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(make_layout(d, &l));
  put_format(&s);
  put_names(&s, &l);
  put_entities(&s, &l);
  put_nodes(&s, &l);
  put_elements(&s, &l);
  PetscCall(destroy_layout(&l));
  wring_file_commit(s.f, file, e);
  PetscFunctionReturn(PETSC_SUCCESS);
}
