#!/usr/bin/env bash
# Makes a folder that runs where nothing is installed: programs, modules, reports, and the shared
# libraries that they need, but for the C library and MPI, which belong to the host. Usage:
# bundle.sh BUILD FOLDER. BUNDLE_NCCL names a libnccl.so.2 to go with it.
set -euo pipefail
build=${1:?build folder}
bundle=${2:?folder to write}
root=$bundle/libexec/linerate
lib=$root/lib

command -v patchelf >/dev/null || { echo "bundle: no patchelf; run make deps-bundle." >&2; exit 1; }

# What the host must bring: the C library, MPI with what its version chooses, and the libraries of
# InfiniBand, whose drivers fit the host's own.
belongs_to_the_host() {
  case ${1##*/} in
    ld-linux*|libc.so.*|libm.so.*|libpthread.so.*|libdl.so.*|librt.so.*|libmpi.so.*) return 0 ;;
    libopen-rte.so.*|libopen-pal.so.*|libevent*) return 0 ;;
    libibverbs.so.*|librdmacm.so.*|libnl-*) return 0 ;;
  esac
  return 1
}

needed_by() {
  if ldd "$1" | grep 'not found' >&2; then
    echo "bundle: $1 needs what this machine lacks." >&2
    return 1
  fi
  ldd "$1" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p'
}

copy_libraries() {
  local file path needed
  for file in "$root"/bin/linerate "$lib"/liblinerate-*.so; do
    needed=$(needed_by "$file")
    for path in $needed; do
      belongs_to_the_host "$path" || cp -Ln "$path" "$lib/"
    done
  done
}

set_run_paths() {
  local file
  patchelf --set-rpath "\$ORIGIN/../lib" "$root/bin/linerate"
  for file in "$lib"/*.so*; do
    chmod u+w "$file"
    patchelf --set-rpath "\$ORIGIN" "$file"
  done
}

# The newest version of the C library that any file asks for.
c_library_version() {
  readelf -V "$root/bin/linerate" "$lib"/*.so* | grep -o 'GLIBC_[0-9.]*' | sed 's/GLIBC_//' |
    sort -uV | tail -n 1
}

rm -rf "$bundle"
cmake --install "$build" --prefix "$(realpath -m "$root")" >/dev/null
[ -z "${BUNDLE_NCCL-}" ] || cp -L "$BUNDLE_NCCL" "$lib/libnccl.so.2"
copy_libraries
set_run_paths
mkdir -p "$bundle/bin"
version=$(c_library_version)
for program in "$root"/bin/*; do
  sed "s/@GLIBC@/$version/" cmake/bundled.sh.in >"$bundle/bin/${program##*/}"
  chmod +x "$bundle/bin/${program##*/}"
done
echo "$bundle: $(du -sh "$bundle" | cut -f1), for hosts with glibc $version or newer"
