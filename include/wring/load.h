/*
  Layer 9, loads: external forces that depend on time, pressure on surfaces, which also depends on positions, and drag.
  Forces change the target of a step; drag changes its masses. docs/theory.md (6.7)-(6.9)
*/
#pragma once
#include <wring/curve.h>
#include <wring/mesh.h>

typedef struct wring_loads wring_loads;

/* The factor of a load as a function of time: 1, or a curve with one value; 0 after `until`. */
typedef struct {
  wring_time_curve *curve; // copied; NULL: 1
  double            until; // s; INFINITY: no end
} wring_load_time;

/*
  mesh is borrowed and must outlive the loads; mass [n_owned] kg, without drag, and weight [n_owned] kg, what gravity
  acts on in statics, are copied. Not collective.
*/
PetscErrorCode wring_loads_create(const wring_mesh *mesh, const double *mass, const double *weight, wring_loads **l);
PetscErrorCode wring_loads_destroy(wring_loads **l);

/*
  All ranks add the same loads in the same order, each with its own vertices or none. Everything is copied. Not
  collective.
*/
PetscErrorCode wring_loads_set_gravity_time(wring_loads *l, const wring_load_time *time);
/* Forces [n][3] N on owned vertices [n], whatever their positions are. */
PetscErrorCode wring_loads_add_forces(wring_loads *l, const wring_load_time *time, PetscInt n, const PetscInt *vertex,
                                      const double *force);
/* Pa on triangles [n][WRING_FACE] of local vertices, as of wring_mesh_surface, against their normals. */
PetscErrorCode wring_loads_add_pressure(wring_loads *l, const wring_load_time *time, double pressure, PetscInt n,
                                        const PetscInt *triangle);
/* The force -d v on owned vertices, d [n_owned] kg/s. */
PetscErrorCode wring_loads_set_drag(wring_loads *l, const wring_load_time *time, const double *drag);

const double *wring_loads_weight(const wring_loads *l); // borrowed; not collective

double wring_loads_gravity_factor(const wring_loads *l, double time); // not collective

PetscBool wring_loads_has_drag(const wring_loads *l); // the same on all ranks; not collective
/* The drag [n_owned] and its *factor at a time, NULL and 0 if there is none. Not collective. */
const double *wring_loads_drag(const wring_loads *l, double time, double *factor);

/*
  f [n_owned][3] N += all forces except gravity and drag, at this time and, for pressure, at the positions q, a vector
  whose ghosts are updated here. Collective.
*/
PetscErrorCode wring_loads_add_to(const wring_loads *l, double time, Vec q, double *f);
/* The same as accelerations, a [n_owned][3] += M^{-1} f. */
PetscErrorCode wring_loads_accelerate(const wring_loads *l, double time, Vec q, double *a);
PetscBool      wring_loads_follow(const wring_loads *l); // some force depends on positions; not collective

/* Sums at a time over all loads except gravity and drag; pressure at the rest positions. */
typedef struct {
  double force[3], force_size;       // N: sum f and sum |f| over the forces on vertices
  double pressure[3], pressure_size; // N: sum -p S and sum |p S| over triangles, S area times normal
} wring_load_totals;

/* The totals of all ranks. Collective. */
PetscErrorCode wring_loads_total(const wring_loads *l, double time, wring_load_totals *t);

/*
  -sum f . (x - X) [J] over this rank's forces at a time, x [n_owned][3] m; without gravity, and without pressure, which
  has no potential. Not collective.
*/
double wring_loads_potential(const wring_loads *l, double time, const double *x);

/* Whether there are loads without a potential, pressure or drag: the same on all ranks. Not collective. */
PetscBool wring_loads_has_work(const wring_loads *l);

/*
  The work [J] of a step of h s from q to x on all ranks, docs/theory.md (6.17): of pressure at this time and the
  positions q, or x if at_x; and of drag at the mean velocity (x - q)/h, none if h is INFINITY. Ghosts are updated.
  Collective.
*/
PetscErrorCode wring_loads_work(const wring_loads *l, double time, double h, Vec q, Vec x, PetscBool at_x,
                                double *work);
