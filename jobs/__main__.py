"""python3 jobs COMMAND [argument]...: everything that computes tables and pictures from runs of wring.

    studies           the experiments of three papers, docs/results.md
    performance       the tables of docs/performance.md
    hard              auto beside named methods on hard problems, docs/hard.md
    large_meshes      convergence on meshes of millions of tetrahedra, docs/large_meshes.md
    contact_tables    methods, cost and IPC of scenes with contact, docs/contact.md
    peers             auto and newton beside FEniCSx on the same energy and mesh
    replay            an iteration on many ranks, from recorded messages, in SimGrid, docs/scaling.md
    bench             `wring bench` over sizes, ranks and threads
    scaling           ranks, threads, nodes, meshes and solvers of one table, under Slurm or here
    paraview          pictures, films and state files of runs, by ParaView
    gallery           the scenes of docs/gallery.md and their pictures
    inputs            the tables of inputs/materials, the lattices of inputs/meshes
    verify            wring against closed forms and published numbers, docs/verification.md
    suite             problems of inputs/suite, small, medium, large or contact
    structure         folders, files, lines and arrows of the sources

python3 jobs COMMAND --help describes a command. WRING=path takes another program than the one that is built in build/;
UNDER="taskset -c 0,1" puts every run under a command. Debian: gnuplot-nox; python3-numpy and python3-vtk9 where a
command needs them.
"""
import importlib.util
import os
import re
import sys


def commands():
    return re.findall(r"^    (\w+)  ", __doc__, re.M)


def main():
    if sys.argv[1:] in (["--help"], ["-h"]):
        print(__doc__)
        return 0
    if len(sys.argv) < 2 or sys.argv[1] not in commands():
        known = ", ".join(commands())
        sys.exit(f"jobs: no command '{sys.argv[1]}', expected one of {known}" if sys.argv[1:] else __doc__)
    sys.dont_write_bytecode = True
    from program import DEBIAN_PYTHON, ROOT, STARTED_IN, Failure

    if sys.argv[1] not in ("paraview", "scaling"):  # whose arguments are files, relative to where the user is
        os.chdir(ROOT)

    try:
        module = importlib.import_module(sys.argv[1])
        return module.main(sys.argv[2:])
    except ModuleNotFoundError as missing:
        if missing.name not in ("numpy", "vtk"):
            raise
        if sys.executable != DEBIAN_PYTHON and os.path.exists(DEBIAN_PYTHON):
            os.chdir(STARTED_IN)
            os.execv(DEBIAN_PYTHON, [DEBIAN_PYTHON, "-B", os.path.dirname(os.path.abspath(__file__)), *sys.argv[1:]])
        if {"-h", "--help"} & set(sys.argv):  # its docstring, without options
            return print(importlib.util.find_spec(sys.argv[1]).loader.get_source(sys.argv[1]).split('"""')[1])
        sys.exit(f"jobs: this python has no module {missing.name} (Debian: python3-numpy, python3-vtk9)")
    except (Failure, OSError) as failure:  # of files and programs that are missing
        sys.exit(f"jobs {sys.argv[1]}: {failure}")


sys.exit(main())
