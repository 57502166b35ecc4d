/* The deck keys that belong to no lower layer, and the union of all keys. */
#pragma once
#include <wring/options.h>

extern const wring_option wring_material_options[];        // behind "material_" and "region_*_": model, density, ...
extern const wring_option wring_mass_options[];            // behind "mass_"
extern const wring_option wring_spring_options[];          // behind "spring_*_"
extern const wring_option wring_membrane_options[];        // behind "membrane_*_"
extern const wring_option wring_bending_options[];         // behind "bending_*_"
extern const wring_option wring_attach_options[];          // behind "attach_*_"
extern const wring_option wring_body_force_options[];      // behind "body_force_*_"
extern const wring_option wring_pressure_options[];        // behind "pressure_*_"
extern const wring_option wring_point_load_options[];      // behind "point_load_*_"
extern const wring_option wring_drag_options[];            // behind "drag_"
extern const wring_option wring_initial_options[];         // behind "initial_"
extern const wring_option wring_output_options[];          // behind "output_"
extern const wring_option wring_checkpoint_options[];      // behind "checkpoint_"
extern const wring_option wring_variant_options[];         // behind "variant_*_": type; the method's keys follow
extern const wring_option wring_compare_options[];         // behind "compare_"
extern const wring_option wring_parameter_sweep_options[]; // behind "compare_sweep_*": values of a key
extern const wring_option wring_evaluate_options[];        // behind "evaluate_"
extern const wring_option wring_bench_options[];           // behind "bench_", of `wring bench`

/* Every key of every layer. */
typedef struct {
  PetscInt      n, capacity;
  wring_schema *entry; // [n]; prefixes and owners belong to the catalogue
} wring_catalogue;

PetscErrorCode wring_catalogue_create(wring_catalogue **c);
PetscErrorCode wring_catalogue_destroy(wring_catalogue **c);

/* Every variant has a type and only keys of that type. Refused with the type's keys. Collective. */
PetscErrorCode wring_variants_check(const wring_options *o, const wring_catalogue *c);

/* Every key behind "compare_sweep_" is one of the catalogue that takes one value, and takes each of its values. Collective. */
PetscErrorCode wring_parameter_sweep_check(const wring_options *o, const wring_catalogue *c);
