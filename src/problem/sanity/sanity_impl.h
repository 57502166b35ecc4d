/*
  Private to src/problem/sanity: the steps of wring_sanity_create.

  Map, in reading order:
    sanity.c        the order
    sanity_text.c   the list of notes; keys by their beginnings
    sanity_sizes.c  bounding box, regions, moduli, times of waves
    sanity_loads.c  loads at both ends of the run, attachments, velocities
    sanity_parts.c  connected parts, and those that nothing holds
    sanity_names.c  sets that nothing uses
    sanity_units.c  notes on units: sizes, densities, moduli, strains, gravity
    sanity_notes.c  notes on keys, supports and steps

  Every number is in wring_sanity; each note is one rule of numbers and keys, and is added at most once.
*/
#pragma once
#include "problem/problem_impl.h"
#include <wring/sanity.h>

/* Each fills its numbers of s from those before it. Collective. */
PetscErrorCode wring_sanity_measure_sizes(const wring_problem *p, wring_sanity *s);
PetscErrorCode wring_sanity_measure_loads(const wring_problem *p, wring_sanity *s);
PetscErrorCode wring_sanity_find_parts(const wring_problem *p, wring_sanity *s);
PetscErrorCode wring_sanity_find_unused(const wring_problem *p, wring_sanity *s);

/* Notes; not collective, the same on all ranks. */
PetscErrorCode wring_sanity_note_units(const wring_problem *p, wring_sanity *s);
PetscErrorCode wring_sanity_note_keys(const wring_problem *p, wring_sanity *s);

PetscErrorCode wring_sanity_add_note(wring_sanity *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Whether some key of the deck begins with this. Not collective. */
PetscBool wring_sanity_has_family(const wring_problem *p, const char *family);
