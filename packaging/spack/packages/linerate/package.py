# linerate for Spack: docs/install.md says how to use it.
import os

from spack.package import *

try:  # Spack 1.0 and newer, with which this was not tried
    from spack_repo.builtin.build_systems.cmake import CMakePackage

    languages = ("c", "cxx")  # c: CMake asks MPI's wrapper
except ImportError:
    languages = ("cxx",)


class Linerate(CMakePackage):
    """Benchmarks of collective communication, how fast they should be, and what is wrong."""

    # No site offers it for download: an archive in the current folder, or a checkout (dev-build).
    manual_download = True
    url = f"file://{os.getcwd()}/linerate-0.2.0.tar.gz"

    license("Apache-2.0")

    version("0.2.0")

    variant("mpi", default=True, description="The mpi backend")
    variant("gloo", default=False, description="The gloo backend")
    variant("nccl", default=False, description="The nccl backend, for NVIDIA's GPUs")
    variant("reports", default=False, description="Python's packages for linerate report")

    generator("ninja")
    for language in languages:
        depends_on(language, type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json", type="build")
    depends_on("fmt")
    depends_on("hwloc")
    depends_on("openblas")
    depends_on("pugixml")
    depends_on("sqlite")
    depends_on("yaml-cpp")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")
    depends_on("gloo", when="+gloo")
    depends_on("cuda@12:", when="+nccl")
    depends_on("nccl@2.28:", when="+nccl")
    depends_on("py-jinja2", type="run", when="+reports")
    depends_on("py-matplotlib", type="run", when="+reports")

    conflicts("%gcc@:11", msg="linerate is written in C++20: it needs g++ 12 or newer")

    def setup_build_environment(self, env):
        if self.spec.satisfies("+nccl"):
            env.set("CUDA_HOME", self.spec["cuda"].prefix)
            env.set("NCCL_HOME", self.spec["nccl"].prefix)

    def cmake_args(self):
        return [
            self.define("CCACHE", False),  # Spack's config:ccache has it run the true compiler
            self.define("LINERATE_TESTS", False),
            self.define("LINERATE_UNITY", True),
            self.define_from_variant("LINERATE_MPI", "mpi"),
            self.define_from_variant("LINERATE_GLOO", "gloo"),
            self.define_from_variant("LINERATE_NCCL", "nccl"),
        ]

    @run_after("install")
    def install_trainers(self):
        with working_dir(self.build_directory):
            self.spec["cmake"].command("--install", ".", "--component", "trainers")

    def test_version(self):
        """linerate --version tells the recipe's version"""
        said = self.run_installed("linerate", "--version")
        assert f"linerate {self.version}" in said, said

    def test_all_reduce(self):
        """all_reduce_perf on two ranks: no wrong value"""
        said = self.run_installed(
            "all_reduce_perf", "-t", "2", "-b", "8", "-e", "64K", "-f", "8", "-n", "2"
        )
        assert "# Out of bounds values : 0 OK" in said, said

    def run_installed(self, program, *words):
        return which(join_path(self.prefix.bin, program))(*words, output=str.split, error=str.split)
