# wring for Ramble, and for Benchpark, whose folder repo/wring gets this file and jobs/spack's package.py:
#     ramble repo add jobs/kits/ramble
#     ramble workspace create -c jobs/kits/ramble/ramble.yaml study
# A figure of merit is of a run whose steps all converged; any other fails.
from ramble.appkit import *


class Wring(ExecutableApplication):
    """An implicit step of a deformable body: unknowns times converged steps a second."""

    name = "wring"
    tags("solid-mechanics", "implicit", "finite-elements", "mpi", "openmp")

    software_spec("wring", pkg_spec="wring", package_manager="spack*")

    # What is a list in a deck cannot be a variable of Ramble that it computes: numbers of cells along x are.
    deck = " -mesh_box_cells {cells},{across},{across} -mesh_box_size {length},1,1 -mesh_refine {refine}"
    deck += " -material_model neohookean -material_young 1e6 -material_poisson 0.3 -material_density 1000"
    deck += " -attach_xmin_hard true -time_step 1e-2 -time_steps {steps} -solver_type {solver} -output_every 0"
    ends = " -output_directory {experiment_run_dir}/out"
    executable("load", "sh -c \"echo 'gravity: [0, 0, -9.81]' >{experiment_run_dir}/deck.yaml\"", use_mpi=False)
    run = "wring run {experiment_run_dir}/deck.yaml" + deck + ends + " -output_overwrite true"
    executable("run", run, use_mpi=True)
    executable("bench", "wring bench -bench_tets {tets}" + ends, use_mpi=True)

    marches = ["strong", "weak"]
    workload("strong", executables=["load", "run"])  # the same mesh on all ranks
    workload("weak", executables=["load", "run"])  # cells and size grow along x with the ranks
    workload("throughput", executables=["bench"])  # every kernel on the ranks of a node

    workload_variable("across", default="48", description="Cells along y and z", workloads=marches)
    workload_variable("cells", default="96", description="Cells along x", workloads=["strong"])
    workload_variable("length", default="2", description="Length of the box [m]", workloads=["strong"])
    workload_variable("cells", default="24*{n_ranks}", description="Cells along x", workloads=["weak"])
    workload_variable("length", default="0.5*{n_ranks}", description="Length of the box [m]", workloads=["weak"])
    workload_variable("refine", default="0", description="Refinements of the mesh", workloads=marches)
    workload_variable("steps", default="5", description="Time steps", workloads=marches)
    workload_variable("solver", default="auto", description="Solver type", workloads=marches)
    workload_variable("tets", default="1000000", description="Tetrahedra of a node", workloads=["throughput"])

    number = r"(?P<value>[0-9.e+-]+)"
    figure_of_merit("FOM", fom_regex=r"^Figure of Merit \(FOM\): " + number, group_name="value", units="1/s")
    merit = r"^merit +(?P<unknowns>[0-9]+) unknowns x (?P<steps>[0-9]+) steps / (?P<march>[0-9.e+-]+) s; set-up "
    merit += r"(?P<setup>[0-9.e+-]+) s before; (?P<iterations>[0-9]+) iterations(, (?P<each>[0-9.e+-]+) s each)?"
    for part, unit in (("unknowns", ""), ("march", "s"), ("setup", "s"), ("iterations", ""), ("each", "s")):
        figure_of_merit(part, fom_regex=merit, group_name=part, units=unit)

    success_criteria("ended", mode="string", match=r"^done(,| at step) .*")
    success_criteria("converged", mode="string", match=r"^Figure of Merit \(FOM\): [1-9].*")
