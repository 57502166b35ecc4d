# wring for ReFrame: reframe -C config.py -c jobs/kits/reframe/wring_check.py -r
# References are of a system ("system:partition"), with a lower limit of 10 %; without one nothing is compared.
import reframe as rfm
import reframe.utility.sanity as sn

MERIT = r"^merit +\d+ unknowns x \d+ steps / (?P<march>\S+) s; set-up (?P<setup>\S+) s before; (?P<iterations>\d+)"


class wring_base(rfm.RunOnlyRegressionTest):
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "wring"
    threads = variable(int, value=1)
    merit = variable(float, value=0.0)  # unknowns times steps a second of this system, 0: not known

    @run_before("run")
    def set_threads(self):
        self.num_cpus_per_task = self.threads
        self.env_vars.update({"OMP_NUM_THREADS": self.threads, "OMP_PLACES": "cores", "OMP_PROC_BIND": "close"})
        if self.merit:
            self.reference = {"*": {"fom": (self.merit, -0.1, None, "1/s")}}

    @performance_function("1/s")
    def fom(self):
        return sn.extractsingle(r"^Figure of Merit \(FOM\): (?P<fom>\S+)", self.stdout, "fom", float)


@rfm.simple_test
class wring_bench(wring_base):
    """Every kernel on the ranks of a node."""

    ranks = variable(int, value=1)
    tets = variable(int, value=1000000)

    @run_before("run")
    def set_keys(self):
        self.num_tasks = self.ranks
        self.executable_opts = ["bench", "-bench_tets", str(self.tets)]

    @sanity_function
    def converged(self):
        return sn.assert_gt(sn.extractsingle(r"^Figure of Merit \(FOM\): (\S+)", self.stdout, 1, float), 0)


@rfm.simple_test
class wring_run(wring_base):
    """Time steps of a clamped block: all must converge."""

    scale = parameter(["strong", "weak"])
    ranks = parameter([1, 2, 4, 8])
    cells = variable(int, value=24)  # along y and z; twice as many along x, or those of a rank
    steps = variable(int, value=5)
    prerun_cmds = ["echo 'gravity: [0, 0, -9.81]' >deck.yaml"]

    @run_before("run")
    def set_keys(self):
        self.num_tasks = self.ranks
        times = self.num_tasks if self.scale == "weak" else 2
        keys = f"-mesh_box_cells {times * self.cells},{self.cells},{self.cells} -mesh_box_size {times},1,1"
        keys += " -material_model neohookean -material_young 1e6 -material_poisson 0.3 -material_density 1000"
        keys += f" -attach_xmin_hard true -time_step 1e-2 -time_steps {self.steps} -output_every 0"
        self.executable_opts = ["run", "deck.yaml", *keys.split()]

    @sanity_function
    def converged(self):
        all_of_them = sn.extractsingle(r"^steps +(\d+) converged$", self.stdout, 1, int)
        return sn.all([sn.assert_found(r"^done at step ", self.stdout), sn.assert_eq(all_of_them, self.steps)])

    @performance_function("s")
    def march(self):
        return sn.extractsingle(MERIT, self.stdout, "march", float)

    @performance_function("s")
    def setup_time(self):
        return sn.extractsingle(MERIT, self.stdout, "setup", float)

    @performance_function("1")
    def iterations(self):
        return sn.extractsingle(MERIT, self.stdout, "iterations", int)
