#include "used.h"
#include "base/exchange.h"

static const PetscInt all_bits = PETSC_MAX_INT;

/* ---- words ------------------------------------------------------------------------------------------------------- */

static int64_t key_of(PetscInt v, PetscInt word)
{
  return (int64_t)word << 40 | (int64_t)v;
}

static PetscInt *first_word(const wring_used *u, PetscInt v, PetscInt word)
{
  return u->first + (size_t)word * (size_t)u->mesh->n_local + v;
}

static PetscInt get_word(const wring_used *u, PetscInt v, PetscInt word)
{
  if (word < USED_WORDS) return *first_word(u, v, word);
  const PetscInt at = wring_map_find(&u->place, key_of(v, word));
  return at < 0 ? 0 : u->more[at];
}

/* The further word of a vertex, zero if it is new. */
static PetscErrorCode find_more(wring_used *u, PetscInt v, PetscInt word, PetscInt **at)
{
  PetscInt found;

  PetscFunctionBegin;
  PetscCall(wring_map_add(&u->place, key_of(v, word), u->n_more, &found));
  if (found == u->room) {
    u->room = 2 * u->room + 64;
    PetscCall(PetscRealloc((size_t)u->room * sizeof *u->more, &u->more));
  }
  if (found == u->n_more) u->more[u->n_more++] = 0;
  *at = u->more + found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode note_change(wring_used *u, PetscInt v, PetscInt word)
{
  PetscFunctionBegin;
  if (u->n_changed == u->changed_room) {
    u->changed_room = 2 * u->changed_room + 64;
    PetscCall(PetscRealloc((size_t)u->changed_room * sizeof *u->changed, &u->changed));
  }
  u->changed[u->n_changed++] = (used_place){.vertex = v, .word = word};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_bits(wring_used *u, PetscInt v, PetscInt word, PetscInt bits)
{
  PetscInt *at = NULL;

  PetscFunctionBegin;
  if (word < USED_WORDS) {
    *first_word(u, v, word) |= bits;
  } else {
    PetscCall(find_more(u, v, word, &at));
    *at |= bits;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_used_take(wring_used *u, int m, const PetscInt *vertex, PetscInt *colour)
{
  PetscInt word = 0, used = all_bits, bit = 0;

  PetscFunctionBegin;
  for (int a = 0; a < m; a++) {
    PetscInt *const full = u->full + vertex[a];
    while (get_word(u, vertex[a], *full) == all_bits) ++*full;
    word = PetscMax(word, *full);
  }
  for (;; word++) {
    used = 0;
    for (int a = 0; a < m; a++) used |= get_word(u, vertex[a], word);
    if (used != all_bits) break;
  }
  while (used >> bit & 1) bit++;
  for (int a = 0; a < m; a++) {
    PetscCall(set_bits(u, vertex[a], word, (PetscInt)1 << bit));
    if (word >= USED_WORDS) PetscCall(note_change(u, vertex[a], word));
  }
  *colour = word * USED_BITS + bit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- other ranks ------------------------------------------------------------------------------------------------- */

/* The bits of a further word on their way to another rank. */
typedef struct {
  PetscInt vertex, word, bits; // the vertex in global numbers
} message;

typedef struct {
  PetscInt  n, room;
  PetscInt *to;
  message  *row;
} outbox;

static PetscErrorCode post(outbox *o, PetscInt to, message row)
{
  PetscFunctionBegin;
  if (o->n == o->room) {
    o->room = 2 * o->room + 64;
    PetscCall(PetscRealloc((size_t)o->room * sizeof *o->to, &o->to));
    PetscCall(PetscRealloc((size_t)o->room * sizeof *o->row, &o->row));
  }
  o->to[o->n]    = to;
  o->row[o->n++] = row;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sends and empties the outbox; adds what arrives to the words here. Owners note it for their sharers. Collective. */
static PetscErrorCode deliver(wring_used *u, outbox *o, PetscBool note)
{
  const wring_mesh *m = u->mesh;
  PetscInt          n, v;
  message          *got;

  PetscFunctionBegin;
  PetscCall(wring_exchange_rows(m->comm, o->n, o->to, sizeof *o->row, o->row, &n, &got));
  for (PetscInt i = 0; i < n; i++) {
    v = got[i].vertex - m->begin;
    if (v < 0 || v >= m->n_owned) {
      PetscCall(PetscFindInt(got[i].vertex, m->n_local - m->n_owned, m->global + m->n_owned, &v));
      v += m->n_owned;
    }
    PetscCall(set_bits(u, v, got[i].word, got[i].bits));
    if (note) PetscCall(note_change(u, v, got[i].word));
  }
  PetscCall(PetscFree(got));
  o->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static message message_of(const wring_used *u, used_place at)
{
  return (message){u->mesh->global[at.vertex], at.word, get_word(u, at.vertex, at.word)};
}

/* Changed words go from ghosts to owners, then from owners to all ranks that have the vertex. */
static PetscErrorCode share_more(wring_used *u)
{
  const wring_mesh  *m = u->mesh;
  const PetscSFNode *owner;
  outbox             o = {0};

  PetscFunctionBegin;
  PetscCall(PetscSFGetGraph(m->halo, NULL, NULL, NULL, &owner));
  for (PetscInt i = 0; i < u->n_changed; i++) {
    const used_place at = u->changed[i];
    if (at.vertex >= m->n_owned) PetscCall(post(&o, owner[at.vertex - m->n_owned].rank, message_of(u, at)));
  }
  PetscCall(deliver(u, &o, PETSC_TRUE));
  for (PetscInt i = 0; i < u->n_changed; i++) {
    const used_place at = u->changed[i];
    if (at.vertex >= m->n_owned) continue;
    for (PetscInt k = u->sharer_start[at.vertex]; k < u->sharer_start[at.vertex + 1]; k++)
      PetscCall(post(&o, u->sharer[k], message_of(u, at)));
  }
  u->n_changed = 0;
  PetscCall(deliver(u, &o, PETSC_FALSE));
  PetscCall(PetscFree(o.to));
  PetscCall(PetscFree(o.row));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Word by word: where a PetscInt has 64 bits, star forests cannot apply an operation to units of several words. */
PetscErrorCode wring_used_share(wring_used *u, PetscInt words)
{
  PetscSF halo = u->mesh->halo;

  PetscFunctionBegin;
  for (PetscInt w = 0; w < PetscMin(words, USED_WORDS); w++) {
    PetscInt *const word = first_word(u, 0, w);
    PetscCall(PetscSFReduceBegin(halo, MPIU_INT, word, word, MPI_BOR));
    PetscCall(PetscSFReduceEnd(halo, MPIU_INT, word, word, MPI_BOR));
    PetscCall(PetscSFBcastBegin(halo, MPIU_INT, word, word, MPI_REPLACE));
    PetscCall(PetscSFBcastEnd(halo, MPIU_INT, word, word, MPI_REPLACE));
  }
  if (words > USED_WORDS) PetscCall(share_more(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type of the number of ranks: PetscMPIInt in newer versions of PETSc, PetscInt in older ones. */
typedef PetscErrorCode (*newer)(PetscSF, PetscMPIInt *, const PetscMPIInt **, const PetscInt **, const PetscInt **);
#define PICK(narrow, wide) _Generic(PetscSFGetLeafRanks, newer : narrow, default : wide)

static PetscErrorCode list_sharers(wring_used *u)
{
  const PetscInt     n_owned = u->mesh->n_owned;
  PetscMPIInt        narrow  = 0;
  PetscInt           wide    = 0;
  const PetscMPIInt *rank;
  const PetscInt    *offset, *root;
  PetscInt          *next;

  PetscFunctionBegin;
  PetscCall(PetscSFGetLeafRanks(u->mesh->halo, PICK(&narrow, &wide), &rank, &offset, &root));
  const PetscInt n = PICK(narrow, wide), all = n ? offset[n] : 0;
  PetscCall(PetscCalloc1((size_t)n_owned + 1, &u->sharer_start));
  PetscCall(PetscMalloc1((size_t)all, &u->sharer));
  PetscCall(PetscMalloc1((size_t)n_owned, &next));
  for (PetscInt i = 0; i < all; i++) u->sharer_start[root[i] + 1]++;
  for (PetscInt v = 0; v < n_owned; v++) {
    u->sharer_start[v + 1] += u->sharer_start[v];
    next[v] = u->sharer_start[v];
  }
  for (PetscInt p = 0; p < n; p++)
    for (PetscInt i = offset[p]; i < offset[p + 1]; i++) u->sharer[next[root[i]]++] = rank[p];
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_used_create(const wring_mesh *m, wring_used *u)
{
  PetscFunctionBegin;
  *u = (wring_used){.mesh = m};
  PetscCall(PetscCalloc1(USED_WORDS * (size_t)m->n_local, &u->first));
  PetscCall(PetscCalloc1((size_t)m->n_local, &u->full));
  PetscCall(list_sharers(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_used_destroy(wring_used *u)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(u->first));
  PetscCall(PetscFree(u->full));
  PetscCall(wring_map_destroy(&u->place));
  PetscCall(PetscFree(u->more));
  PetscCall(PetscFree(u->changed));
  PetscCall(PetscFree(u->sharer_start));
  PetscCall(PetscFree(u->sharer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
