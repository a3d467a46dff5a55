#!/usr/bin/env bash
# Builds NCCL's graph search and tuning, of one tag, beside the harness of this folder.
# Usage: build.sh NCCL TAG OUT. NCCL is a git directory or a checkout of NVIDIA/nccl; CUDA_HOME
# has CUDA's headers. Nothing of NCCL is kept but the program OUT.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
nccl=$1 tag=$2 out=$(realpath -m "$3")
cuda=${CUDA_HOME:-/usr/local/cuda}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[[ -e $nccl/.git ]] && nccl=$nccl/.git
[[ -f $nccl ]] && nccl=$(git -C "$1" rev-parse --absolute-git-dir)
git --git-dir="$nccl" archive "$tag" src | tar x -C "$work"
mkdir -p "$work/stub/cuda" "$work/obj" "$(dirname "$out")"

IFS=. read -r major minor patch <<<"$(sed -E 's/^v([0-9.]+).*/\1/' <<<"$tag")"
sed -E "s/\\$\{nccl:Major\}/$major/g; s/\\$\{nccl:Minor\}/$minor/g; s/\\$\{nccl:Patch\}/$patch/g
  s/\\$\{nccl:Suffix\}//g; s/\\$\{nccl:Version\}/$((major * 10000 + minor * 100 + patch))/g" \
  "$work/src/nccl.h.in" >"$work/src/include/nccl.h"

# Enough of libcu++'s atomics for a compiler of the host.
cat >"$work/stub/cuda/atomic" <<'ATOMIC'
#pragma once
#include <atomic>
namespace cuda {
enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block };
using std::memory_order, std::memory_order_relaxed, std::memory_order_acquire;
using std::memory_order_release, std::memory_order_seq_cst;
template <class T, thread_scope kScope = thread_scope_system>
struct atomic : std::atomic<T> {
  using std::atomic<T>::atomic;
};
template <class T, thread_scope kScope = thread_scope_system>
struct atomic_ref {
  T& value;
  explicit atomic_ref(T& of) : value(of) {}
  T load(memory_order = memory_order_seq_cst) const { return value; }
  void store(T other, memory_order = memory_order_seq_cst) const { value = other; }
};
}  // namespace cuda
ATOMIC

# CUDA 13 has dropped the names without a version that older NCCL uses: the newest below 13 of each.
typedefs=$work/stub/cudaTypedefs.h
printf '#pragma once\n#include_next <cudaTypedefs.h>\n' >"$typedefs"
if ! grep -q 'define PFN_cuDeviceGet ' "$cuda/include/cudaTypedefs.h"; then
  for name in $(sed -nE 's/.*DECLARE_CUDA_PFN(_EXTERN)?\((cu[A-Za-z0-9]+).*/\2/p' \
    "$work/src/include/cudawrap.h" | sort -u); do
    newest=$(grep -oE "\*PFN_${name}_v[0-9]+\)" "$cuda/include/cudaTypedefs.h" |
      grep -oE '[0-9]+' | awk '$1 < 13000' | sort -n | tail -1)
    [[ -z $newest ]] || echo "using PFN_$name = PFN_${name}_v$newest;" >>"$typedefs"
  done
fi

cd "$work/src"
flags=(-std=c++17 -O1 -w -fpermissive -fPIC -include limits -include algorithm -DNCCL_OS_LINUX
  -DNCCL_VERSION_MINOR="$minor" -I"$work/stub" -Iinclude -Iinclude/plugin -I. -Igraph
  -I"$here/../.." -I"$cuda/include" -I"$cuda/include/cccl")
sources=(graph/{topo,paths,search,tuning,xml,rings,trees,connect}.cc misc/{utils,param}.cc
  "$here"/{harness,settings,nvls,choice,stubs}.cc)
printf '%s\n' "${sources[@]}" | xargs -P 2 -I{} bash -c \
  'source=$1; shift; g++ "$@" -c "$source" -o "$0/obj/$(echo "$source" | tr / _).o"' \
  "$work" {} "${flags[@]}"
g++ -no-pie "$work"/obj/*.o -o "$out" -Wl,--unresolved-symbols=ignore-all -lpthread -ldl
