#!/usr/bin/env bash
# Installs the Debian or Ubuntu packages that linerate needs and this machine lacks; as another user
# than root, prints the one command that does. Usage: deps.sh [--full|--bench|--bundle] (also Gloo,
# lint, fuzz, Slurm, and what runs the script of a page; or the peers that make bench compares with;
# or what bundle needs).
# Exit code 0: everything is there; 1: it is not.
set -euo pipefail

packages=(
  g++ cmake make ninja-build ccache pkg-config
  libfmt-dev nlohmann-json3-dev libcli11-dev libpugixml-dev libyaml-cpp-dev libhwloc-dev
  libopenmpi-dev openmpi-bin libopenblas-dev libsqlite3-dev zlib1g-dev libgtest-dev libgmock-dev
  python3 python3-matplotlib python3-numpy python3-jinja2
)
full_packages=(
  clang-format debootstrap dpkg-dev file fish git groff iproute2 libgloo-dev munge node-jsdom
  patchelf pyflakes3 python3-prometheus-client python3-venv rpm slurm-wlm zsh
)
# lstopo comes with either of two packages, which exclude each other.
command -v lstopo-no-graphics >/dev/null || full_packages+=(hwloc-nox)
# Open MPI brings its UCX component; MPICH leaves the default mpirun and mpicc to Open MPI.
bench_packages=(libgloo-dev libmpich-dev libucx0 mpich)

installed() {
  # Quick because all packages are asked for at once; unknown names only go to stderr.
  dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p'
}

missing() {
  comm -23 <(printf '%s\n' "$@" | sort -u) <(installed "$@" | sort -u)
}

retry() {
  local attempt
  for attempt in 1 2 3; do
    "$@" && return
    echo "deps: attempt $attempt failed: $*" >&2
    sleep $((attempt * 5))
  done
  return 1
}

# clang 17 is the first that knows all CPU features which our kernels ask for.
clang_version() {
  local version
  for version in 19 18 17; do
    if dpkg-query -W "clang-tidy-$version" "libclang-rt-$version-dev" >/dev/null 2>&1; then
      echo "$version" && return
    fi
  done
  for version in 19 18 17; do
    if [ -n "$(apt-cache madison "libclang-rt-$version-dev" 2>/dev/null)" ]; then
      echo "$version" && return
    fi
  done
  echo "deps: no clang 17 or newer in the package lists (apt-get update fetches them)." >&2
  return 1
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "deps: no apt-get here. CMake says what it does not find; Debian's names for it are:" >&2
  printf '  %s\n' "${packages[*]}" >&2
  exit 0
fi

updated=no
update_lists() {
  [ "$updated" = yes ] || retry apt-get update -qq
  updated=yes
}

if [ "${1-}" = --full ]; then
  if [ "$(id -u)" = 0 ] && ! clang_version >/dev/null 2>&1; then
    update_lists
  fi
  version=$(clang_version)
  packages+=("${full_packages[@]}")
  # llvm has the symbolizer of the sanitizers' reports, by which leaks of libraries are known.
  packages+=("clang-$version" "clang-tidy-$version" "libclang-rt-$version-dev" "llvm-$version")
fi

if [ "${1-}" = --bundle ]; then
  packages+=(patchelf)
fi

if [ "${1-}" = --bench ]; then
  packages+=("${bench_packages[@]}")
fi

mapfile -t absent < <(missing "${packages[@]}")
[ "${#absent[@]}" -gt 0 ] || exit 0

install=(apt-get install --yes --no-install-recommends "${absent[@]}")
if [ "$(id -u)" != 0 ]; then
  echo "deps: ${#absent[@]} packages are missing. Run this, then make again:" >&2
  echo "  sudo apt-get update && sudo ${install[*]}"
  exit 1
fi
echo "deps: installing ${absent[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
update_lists
retry "${install[@]}" >&2
