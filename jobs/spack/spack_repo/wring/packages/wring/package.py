# The package of wring for Spack 1.0 and later. In the root folder of wring:
#     spack repo add jobs/spack/spack_repo/wring
#     spack install wring
# takes the branch main of the git checkout that holds this file; `spack dev-build --source-path . wring@main` takes the
# files as they are. maintainers() is left to whoever adds the package to a repository.
import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Wring(CMakePackage):
    """Solvers for deformable bodies on tetrahedral meshes, compared on one energy, on MPI ranks and threads."""

    git = "file://" + str(pathlib.Path(__file__).resolve().parents[6])

    license("BSD-2-Clause", checked_by="the authors")

    version("main", branch="main")

    variant("int64", default=False, description="64-bit indices: for meshes above 2^31 matrix entries")
    variant("shared", default=True, description="libwring as a shared library")
    variant(
        "blas",
        default="openblas",
        values=("openblas", "mkl", "any"),
        multi=False,
        description="BLAS of the factors: OpenBLAS, oneMKL, or the one that Spack is set up for",
    )
    variant("plots", default=False, description="gnuplot, which draws the pictures of compare and converge")

    depends_on("c", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("mpi@3:")
    depends_on("petsc@3.18:+mpi+double~complex+metis+mumps+suite-sparse")
    depends_on("petsc+int64", when="+int64")
    depends_on("petsc~int64", when="~int64")
    depends_on("metis@5:")
    depends_on("mumps+mpi")
    depends_on("suite-sparse")
    depends_on("hdf5+mpi")
    depends_on("libyaml")
    depends_on("jansson")
    depends_on("zlib-api")
    depends_on("openssl")
    depends_on("openblas", when="blas=openblas")
    depends_on("intel-oneapi-mkl", when="blas=mkl")
    depends_on("blas")
    depends_on("gnuplot", type="run", when="+plots")

    def cmake_args(self):
        # Spack's compiler wrapper adds -march of the target.
        return [
            self.define("WRING_ARCH", ""),
            self.define("WRING_TESTS", self.run_tests),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
        ]

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def check_install(self):
        Executable(self.prefix.bin.wring)("version")
