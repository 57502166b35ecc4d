/*
  Private to src/problem/sanity: the steps of wring_sanity_create.

  Map, in reading order:
    sanity.c        the order; sets that nothing uses
    sanity_sizes.c  bounding box, regions, moduli, times of waves
    sanity_loads.c  loads at both ends of the run, attachments, velocities
    sanity_parts.c  connected parts, and those that nothing holds
    sanity_notes.c  notes on units, keys, supports and steps

  Every number is in wring_sanity; each note is one rule of numbers and keys, and is printed at most once.
*/
#pragma once
#include "problem/problem_impl.h"
#include <wring/sanity.h>

/* Each fills its numbers of s from those before it. Collective. */
PetscErrorCode wring_sanity_measure_sizes(const wring_problem *p, wring_sanity *s);
PetscErrorCode wring_sanity_measure_loads(const wring_problem *p, wring_sanity *s);
PetscErrorCode wring_sanity_find_parts(const wring_problem *p, wring_sanity *s);

/*
  Of all loads but gravity at a time, on all ranks: their sum [3] and the sum of their sizes, N. Without components c of
  vertices with bit c of held [n_owned], which may be NULL. Collective.
*/
PetscErrorCode wring_sanity_sum_acting(const wring_problem *p, double time, const char *held, double sum[4]);
