#include "used.h"
#include "base/exchange.h"
#include "base/grow.h"
#include "mesh/distribute/halo.h"

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

/* Notes a change of a vertex that other ranks have too. */
static PetscErrorCode note_change(wring_used *u, PetscInt v, PetscInt word)
{
  PetscFunctionBegin;
  if (v < u->mesh->n_owned && u->sharer_start[v] == u->sharer_start[v + 1]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(wring_grow((PetscInt64)u->n_changed + 1, &u->changed_room, sizeof *u->changed, &u->changed));
  u->changed[u->n_changed++] = (used_place){.vertex = v, .word = word};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode set_bits(wring_used *u, PetscInt v, PetscInt word, PetscInt bits)
{
  PetscInt at;

  PetscFunctionBegin;
  if (word < USED_WORDS) {
    *first_word(u, v, word) |= bits;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(wring_map_add(&u->place, key_of(v, word), u->n_more, &at));
  PetscCall(wring_grow((PetscInt64)at + 1, &u->room, sizeof *u->more, &u->more));
  if (at == u->n_more) u->more[u->n_more++] = 0;
  u->more[at] |= bits;
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
    PetscCall(note_change(u, vertex[a], word));
  }
  *colour = word * USED_BITS + bit;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- other ranks ------------------------------------------------------------------------------------------------- */

/* The bits of a word on their way to another rank. */
typedef struct {
  PetscInt vertex, word, bits; // the vertex in global numbers
} message;

/* The ranks to which the words of a vertex go: that of the owner of a ghost, or the sharers of an owned vertex. */
static PetscInt list_receivers(const wring_used *u, PetscInt v, PetscBool to_owners, const PetscInt **rank)
{
  const PetscInt n_owned = u->mesh->n_owned;
  if ((v >= n_owned) != to_owners) return 0;
  *rank = to_owners ? &u->owner[v - n_owned].rank : u->sharer + u->sharer_start[v];
  return to_owners ? 1 : u->sharer_start[v + 1] - u->sharer_start[v];
}

/* Adds what has arrived to the words here. Owners note it for their sharers. */
static PetscErrorCode take_words(wring_used *u, PetscBool to_owners, PetscInt n, const message *got)
{
  PetscInt v;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) {
    PetscCall(wring_mesh_find_local(u->mesh, got[i].vertex, &v));
    PetscCall(set_bits(u, v, got[i].word, got[i].bits));
    if (to_owners) PetscCall(note_change(u, v, got[i].word));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sends changed words from ghosts to owners, or from owners to all ranks that have the vertex. Collective. */
static PetscErrorCode send_words(wring_used *u, PetscBool to_owners)
{
  PetscInt       *to, n = 0, n_got;
  const PetscInt *rank;
  message        *row, *got;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < u->n_changed; i++) n += list_receivers(u, u->changed[i].vertex, to_owners, &rank);
  PetscCall(PetscMalloc2(n, &to, n, &row));
  n = 0;
  for (PetscInt i = 0; i < u->n_changed; i++) {
    const used_place at = u->changed[i];
    for (PetscInt k = list_receivers(u, at.vertex, to_owners, &rank) - 1; k >= 0; k--) {
      row[n]  = (message){u->mesh->number.global[at.vertex], at.word, get_word(u, at.vertex, at.word)};
      to[n++] = rank[k];
    }
  }
  PetscCall(wring_exchange_rows(u->mesh->comm, n, to, sizeof *row, row, &n_got, &got));
  PetscCall(take_words(u, to_owners, n_got, got));
  PetscCall(PetscFree2(to, row));
  PetscCall(PetscFree(got));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_used_share(wring_used *u)
{
  PetscFunctionBegin;
  PetscCall(send_words(u, PETSC_TRUE));
  PetscCall(send_words(u, PETSC_FALSE));
  u->n_changed = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ranks that have each owned vertex as a ghost. */
static PetscErrorCode list_sharers(wring_used *u)
{
  const wring_mesh *m = u->mesh;
  const PetscInt   *degree;
  PetscInt         *mine;

  PetscFunctionBegin;
  const PetscMPIInt rank = wring_comm_rank(m->comm);
  PetscCall(PetscSFComputeDegreeBegin(m->forest.halo, &degree));
  PetscCall(PetscSFComputeDegreeEnd(m->forest.halo, &degree));
  PetscCall(PetscCalloc1((size_t)m->n_owned + 1, &u->sharer_start));
  for (PetscInt v = 0; v < m->n_owned; v++) u->sharer_start[v + 1] = u->sharer_start[v] + degree[v];
  PetscCall(PetscMalloc1((size_t)u->sharer_start[m->n_owned], &u->sharer));
  PetscCall(PetscMalloc1((size_t)m->n_local, &mine));
  for (PetscInt v = 0; v < m->n_local; v++) mine[v] = rank;
  PetscCall(PetscSFGatherBegin(m->forest.halo, MPIU_INT, mine, u->sharer));
  PetscCall(PetscSFGatherEnd(m->forest.halo, MPIU_INT, mine, u->sharer));
  PetscCall(PetscFree(mine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_used_create(const wring_mesh *m, wring_used *u)
{
  PetscFunctionBegin;
  *u = (wring_used){.mesh = m};
  PetscCall(PetscCalloc2(USED_WORDS * (size_t)m->n_local, &u->first, (size_t)m->n_local, &u->full));
  PetscCall(PetscSFGetGraph(m->forest.halo, NULL, NULL, NULL, &u->owner));
  PetscCall(list_sharers(u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode wring_used_destroy(wring_used *u)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(u->first, u->full));
  PetscCall(wring_map_destroy(&u->place));
  PetscCall(PetscFree(u->more));
  PetscCall(PetscFree(u->changed));
  PetscCall(PetscFree(u->sharer_start));
  PetscCall(PetscFree(u->sharer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
