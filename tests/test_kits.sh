#!/usr/bin/env bash
# jobs/kits: what they run is a command of this wring, and the lines that they look for are in its output. Read with
# stand-ins for Ramble, ReFrame and EasyBuild, which are not packages of Debian. Fails if a kit cannot be read, names a
# key that wring has not, misses a figure of merit or a success in the output, or finds one in a run that failed, or if
# the easyconfig is of another version or lacks a library.
# usage: test_kits.sh BUILD_DIR SOURCE_DIR
. "$(dirname "$0")/lib.sh"
kits=$source/jobs/kits

# The keys of a run, and expressions that must and must not be found, one a line.
"$python" -B - "$kits" >ramble.txt <<'PYTHON' || fail 'the application of Ramble cannot be read'
import sys, types
kit = types.ModuleType("ramble.appkit")
sys.modules.update({"ramble": types.ModuleType("ramble"), "ramble.appkit": kit})
command, variables, workloads, foms, successes = {}, {}, {}, {}, {}
kit.ExecutableApplication = object
kit.tags = kit.software_spec = lambda *a, **k: None
kit.executable = lambda name, line, **k: command.update({name: line})
kit.workload = lambda name, executables: workloads.update({name: executables})
kit.workload_variable = lambda name, default, description, workloads: variables.update(
    {(w, name): default for w in workloads})
kit.figure_of_merit = lambda name, fom_regex, group_name, units: foms.update({name: (fom_regex, group_name)})
kit.success_criteria = lambda name, mode, match: successes.update({name: match})
exec(open(sys.argv[1] + "/ramble/applications/wring/application.py").read())
assert set(workloads) == {"strong", "weak", "throughput"} and {"FOM", "setup", "each"} <= set(foms), foms
assert all(name in command for names in workloads.values() for name in names), workloads
small = {"across": 2, "cells": 4, "tets": 384, "steps": 2, "experiment_run_dir": "."}
for work in workloads:
    of = {name: value for (w, name), value in variables.items() if w == work}
    words = command[workloads[work][-1]].format(**{**of, **small, "length": 2, "n_ranks": 1}).split()
    print(work, *words[1:])
for regex, group in foms.values():
    print("fom", group, regex)
for regex in successes.values():
    print("success", "0", regex)
PYTHON
# has LOG: whether all figures and successes of a kit are in it.
has() {
  "$python" - "$1" "$2" <<'PYTHON'
import re, sys
log = open(sys.argv[1]).read().splitlines()
for line in open(sys.argv[2]):
    kind, group, regex = line.rstrip("\n").split(" ", 2)
    if kind in ("fom", "success"):
        found = [m for m in (re.match(regex, text) for text in log) if m]
        if len(found) != 1 or (kind == "fom" and not float(found[0][group]) >= 0):
            sys.exit(f"{len(found)} lines with {regex}")
PYTHON
}
echo 'gravity: [0, 0, -9.81]' >deck.yaml
for work in strong weak; do
  read -r _ command <<<"$(grep "^$work " ramble.txt)"
  on 1 $command || fail "Ramble's $work"
  has log ramble.txt || fail "Ramble's $work: output"
done
on 1 $command -solver_max_it 1 -solver_accept true && ! has log ramble.txt 2>/dev/null || fail 'a failure is a success'
read -r _ command <<<"$(grep '^throughput ' ramble.txt)"
on 1 $command -bench_budget 1e-3 -bench_materials neohookean || fail "Ramble's throughput"
grep -v 'merit' ramble.txt >bench.txt
has log bench.txt || fail "Ramble's throughput: output"

"$python" -B - "$kits" >reframe.txt <<'PYTHON' || fail 'the test of ReFrame cannot be read'
import sys, types
rfm, sn = types.ModuleType("reframe"), types.ModuleType("reframe.utility.sanity")
sys.modules.update({"reframe": rfm, "reframe.utility": types.ModuleType("reframe.utility"), sn.__name__: sn})
sys.modules["reframe.utility"].sanity = sn
class Base:
    env_vars, stdout = {}, None
rfm.RunOnlyRegressionTest, tests = Base, []
rfm.simple_test = lambda cls: tests.append(cls) or cls
keep = lambda *a: lambda f: f
space = {"variable": lambda kind, value: value, "parameter": lambda values: values[0], "run_before": keep,
         "performance_function": keep, "sanity_function": lambda f: f}
asked = []
sn.extractsingle = lambda regex, out, group, kind: asked.append((regex, group)) or 1
sn.assert_found = lambda regex, out: asked.append((regex, 0))
sn.assert_eq = sn.assert_gt = sn.all = lambda *a: True
exec(open(sys.argv[1] + "/reframe/wring_check.py").read(), space)
assert [test.__name__ for test in tests] == ["wring_bench", "wring_run"], tests
one = tests[1]()
one.cells, one.steps, one.merit = 2, 2, 5.0
one.set_threads(), one.set_keys()
assert one.reference["*"]["fom"][:2] == (5.0, -0.1)
one.converged(), one.fom(), one.march(), one.setup_time(), one.iterations()
print(*one.executable_opts)
for regex, group in asked:
    print("fom" if group in ("march", "setup", "fom", "iterations") else "success", group, regex)
PYTHON
on 1 $(head -n 1 reframe.txt) || fail "ReFrame's run"
has log reframe.txt || fail "ReFrame's run: output"

version=$(sed -n 's/^project(wring VERSION \([0-9.]*\) .*/\1/p' "$source/CMakeLists.txt")
"$python" -B - "$kits"/easybuild/*.eb "$version" <<'PYTHON' || fail 'the easyconfig'
import os, sys
path, version = sys.argv[1:]
known = {"SOURCELOWER_TAR_GZ": "wring.tar.gz", "SYSTEM": {"name": "system"}, "SHLIB_EXT": "so"}
exec(open(path).read(), known)
chain = known["toolchain"]
assert known["version"] == version and chain["name"] == "foss", version
assert os.path.basename(path) == f"wring-{version}-foss-{chain['version']}.eb", path
names = {entry[0] for entry in known["dependencies"]}
assert names == {"PETSc", "METIS", "MUMPS", "SuiteSparse", "HDF5", "Jansson", "libyaml", "zlib", "OpenSSL"}, names
PYTHON
exit 0
