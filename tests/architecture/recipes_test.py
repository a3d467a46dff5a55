"""The recipes of packaging/ keep up with the build, and no image has a key."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
SPACK = PACKAGING / "spack/packages/linerate/package.py"
# What Dependencies.cmake looks for: its names in Spack and in Debian. Threads come with g++.
LIBRARIES = {
    "fmt": ("fmt", "libfmt-dev"),
    "nlohmann_json": ("nlohmann-json", "nlohmann-json3-dev"),
    "CLI11": ("cli11", "libcli11-dev"),
    "hwloc": ("hwloc", "libhwloc-dev"),
    "yaml-cpp": ("yaml-cpp", "libyaml-cpp-dev"),
    "openblas": ("openblas", "libopenblas-dev"),
    "pugixml": ("pugixml", "libpugixml-dev"),
    "ZLIB": ("zlib-api", "zlib1g-dev"),
    "SQLite3": ("sqlite", "libsqlite3-dev"),
    "PkgConfig": ("pkgconfig", "pkg-config"),
}


def build_files() -> str:
    files = [ROOT / "CMakeLists.txt", *sorted((ROOT / "cmake").glob("*.cmake"))]
    return "\n".join(file.read_text() for file in files)


def libraries() -> set[str]:
    text = (ROOT / "cmake/Dependencies.cmake").read_text()
    found = re.findall(r"^(?:find_package|pkg_check_modules)\((\S+) .*REQUIRED", text, re.M)
    return set(found) - {"Threads"}


def easybuild() -> str:
    recipe, = (PACKAGING / "easybuild").glob("*.eb")
    return recipe.read_text()


class Recipes(unittest.TestCase):
    def test_every_option_that_they_set_is_one_of_the_build(self):
        build = build_files()
        known = set(re.findall(r"option\((LINERATE_\w+)|set\((LINERATE_\w+) .*CACHE", build))
        known = {name for pair in known for name in pair if name}
        for path in sorted(file for file in PACKAGING.rglob("*") if file.is_file()):
            named = set(re.findall(r"\bLINERATE_[A-Z]+\b", path.read_text()))
            self.assertLessEqual(named, known, path.name)
        self.assertIn("find_program(CCACHE ", build)  # Spack's recipe sets it

    def test_every_variant_of_spack_sets_the_option_of_its_backend(self):
        text = SPACK.read_text()
        variants = set(re.findall(r'^    variant\("(\w+)"', text, re.M)) - {"reports"}
        set_by = dict(re.findall(r'define_from_variant\("(\w+)", "(\w+)"\)', text))
        backends = set(re.findall(r"option\(LINERATE_(\w+) \"Build the \w+ backend", build_files()))
        self.assertEqual({name.upper() for name in variants}, backends)
        self.assertEqual(set_by, {f"LINERATE_{name.upper()}": name for name in variants})

    def test_every_library_of_the_build_is_named(self):
        self.assertEqual(libraries(), set(LIBRARIES))
        spack = set(re.findall(r'depends_on\("([\w-]+)', SPACK.read_text()))
        self.assertLessEqual({names[0] for names in LIBRARIES.values()}, spack)
        debian = {names[1] for names in LIBRARIES.values()}
        self.assertLessEqual(debian, set(re.findall(r"'([\w-]+)'", easybuild())))

    def test_easybuild_names_debian_packages_that_make_deps_installs(self):
        listed, = re.findall(r"^osdependencies = \[(.*?)^\]", easybuild(), re.M | re.S)
        named = set(re.findall(r"'([\w-]+)'", re.sub(r"'[\w-]+'\)", "", listed)))
        words = set((ROOT / "cmake/deps.sh").read_text().split())
        self.assertEqual(named - words, set())

    def test_the_layer_that_installs_sshd_has_no_host_keys(self):
        steps = re.findall(r"^RUN (?:.*\\\n)*.*", (PACKAGING / "Dockerfile").read_text(), re.M)
        step, = [text for text in steps if "openssh-server" in text]
        self.assertRegex(step, r"rm -rf .*/etc/ssh/ssh_host_\*")


if __name__ == "__main__":
    unittest.main()
