/*
  Layer 11, the sanity of a problem: what its numbers amount to before the first step, so that a wrong unit, a forgotten
  key or a wrong mesh is seen. Sizes, masses, moduli and travel times of waves, loads and the strain that they suggest,
  parts that nothing holds, sets that nothing uses; and the notes on what is suspicious. `wring check` prints all of it,
  `run`, `converge` and `compare` the notes. docs/user.md, "What check prints".

  The files of src/problem/sanity are listed in sanity_impl.h. One pass over tetrahedra and elements, no evaluation of
  g; sums over ranks, the same on any number of ranks up to rounding.
*/
#pragma once
#include <wring/problem.h>

/* A region of tetrahedra. Moduli are those of the laws at rest (docs/theory.md 10); 0: no stiffness at rest. */
typedef struct {
  double volume, height; // m^3; m, the least height of a tetrahedron over a face
  double density;        // kg/m^3 of the deck, or of the whole body where masses are given by a file
  double young, wave;    // Pa: least Young's modulus, largest P-wave modulus lambda + 2 mu
  double locking;        // Poisson's ratio of the material where its elements lock if it is near 1/2; else 0
  double speed;          // m/s of a wave, sqrt(wave/density)
} wring_sanity_region;

/* Forces at a time [N]. size: sum of |f| over vertices and of |p S| over triangles, with the weight. */
typedef struct {
  double time, gravity[3], load[3], size;
} wring_sanity_loads;

typedef struct {
  /* sizes and times */
  double               low[3], high[3]; // m, bounding box at rest
  double               length, face;    // m, its longest side; m^2, the product of its two shortest sides
  double               volume;          // m^3 of all regions
  PetscInt             n_region;
  wring_sanity_region *region;      // [n_region] as in the mesh
  double               young, wave; // Pa: least Young's modulus, largest P-wave modulus of regions; 0: none
  double               across_element, across_body; // s, of a wave; 0: none
  double               stable;                      // s, estimated largest stable step of an explicit rule; INFINITY
  double               touching;                    // s, the same while the lightest vertex is in contact

  /* loads */
  wring_sanity_loads start, end;
  double             acting;    // N: largest sum of |f|, without gravity, on vertices that are not held
  double             strain;    // that loads suggest: largest size/(face young); 0: none
  double             held_by;   // N/m: sum of the stiffness of soft attachments; INFINITY if vertices are held
  double             stiffest;  // N/m: largest stiffness of a soft attachment at a vertex
  double             way, turn; // m, degrees: largest displacement and rotation in a step, by velocities of the deck

  /* parts: connected by elements of tetrahedra, surfaces and springs */
  PetscInt   part, free_part;         // how many; those that nothing holds or may stop
  PetscInt   free_vertices;           // of these
  PetscBool  collide;                 // parts that meet, by self-contact
  PetscInt64 coincident;              // if they do not: vertices at the place of one of another part
  double     free_mass;               // kg
  double     free_load[3], free_size; // N on these at the start or the end, without gravity: the sum, and of sizes

  /* names of sets that no key of the deck uses: of the deck, of the mesh; borrowed */
  PetscInt     n_unused, n_spare;
  const char **unused, **spare;

  PetscInt n_note; // printed
} wring_sanity;

/* Reads the problem, whose first step has been prepared (wring_stepper_begin). Collective. */
PetscErrorCode wring_sanity_create(const wring_problem *p, wring_sanity **s);
PetscErrorCode wring_sanity_destroy(wring_sanity **s); // not collective
/* Lines on what is suspicious, on standard error. Collective. */
PetscErrorCode wring_sanity_print_notes(const wring_problem *p, wring_sanity *s);
PetscErrorCode wring_sanity_note(const wring_problem *p); // the three above; collective
