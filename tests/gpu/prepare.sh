#!/usr/bin/env bash
# Fills build/gpu with what a GPU machine without compilers needs for run.sh: the bundle's programs,
# gpu_device, nccl-tests' programs, and the tests. Usage: prepare.sh NCCL_TESTS, a folder of
# nccl-tests' sources or its git directory; they are copied into build, never into the repository.
# CUDA_HOME and NCCL_HOME say where CUDA and NCCL are, NVCC_GENCODE for which GPUs nccl-tests is
# built (sm_90).
set -euo pipefail
sources=${1:?folder of the sources of nccl-tests, or its git directory}
cuda=${CUDA_HOME:-/usr/local/cuda}
nccl=${NCCL_HOME:-$cuda}
here=$(cd "$(dirname "$0")" && pwd)
sources=$(readlink -f "$sources")
cd "$here/../.."
copy=build/nccl-tests
gpu=build/gpu

fail() { echo "prepare.sh: $*" >&2 && exit 1; }

copy_sources() {
  [[ $sources/ != "$(readlink -m "$copy")"/* ]] || fail "$sources is where the copy goes."
  rm -rf "$copy" && mkdir -p "$copy"
  if [[ -f $sources/src/common.cu ]]; then
    cp -r "$sources/." "$copy/"
    rm -rf "$copy/build" "$copy/.git"
  else
    git --git-dir="$sources" archive HEAD 2>/dev/null | tar x -C "$copy" 2>/dev/null || true
  fi
  [[ -f $copy/src/common.cu ]] || fail "$sources holds no sources of nccl-tests."
}

# With DSO=1 the check's kernels are in one library, which makes the programs small.
build_nccl_tests() {
  make -C "$copy" -j"$(nproc)" DSO=1 CUDA_HOME="$cuda" NCCL_HOME="$nccl" \
    NVCC_GENCODE="${NVCC_GENCODE:--gencode=arch=compute_90,code=sm_90}" \
    >build/nccl-tests.log 2>&1 ||
    fail "nccl-tests was not built: $(tail -n 3 build/nccl-tests.log)"
}

copy_nccl_tests() {
  local into=$gpu/nccl-tests file
  mkdir -p "$into"
  cp "$copy"/build/*_perf "$into/"
  cp -L "$copy"/build/verifiable/libverifiable.so.0 "$into/"
  cp -L "$cuda"/lib64/libcudart.so.[0-9][0-9] "$into/"
  for file in "$into"/*_perf; do
    strip "$file"
    patchelf --set-rpath "\$ORIGIN" "$file"
  done
}

[[ -f $cuda/include/cuda_runtime.h ]] || fail "no CUDA toolkit in $cuda; set CUDA_HOME."
copy_sources
make bundle
cmake --build build --target gpu_device
build_nccl_tests
rm -rf "$gpu" && mkdir -p "$gpu/tests"
cp -a build/bundle/libexec/linerate "$gpu/"
strip -o "$gpu/gpu_device" build/bin/gpu_device
patchelf --set-rpath "\$ORIGIN/linerate/lib" "$gpu/gpu_device"
copy_nccl_tests
mkdir -p "$gpu/tests/system" "$gpu/tests/gpu"
cp tests/system/*.py "$gpu/tests/system/"
cp "$here"/*.{sh,py} "$gpu/tests/gpu/"
echo "$gpu: $(du -sh "$gpu" | cut -f1); on the GPU machine: $gpu/tests/gpu/run.sh all"
