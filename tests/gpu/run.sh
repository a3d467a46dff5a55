#!/usr/bin/env bash
# Tries linerate on a machine with an NVIDIA GPU, from what prepare.sh made; nothing is installed
# there and no setting is changed. Usage: run.sh smoke|compare|memory|functional|all. Results go to
# the folder OUT (build/gpu-results), the output of each part to OUT/PART.log. Exit code 1 if a step
# fails; without a GPU it is the first one that does.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
declare -A limits_s=([smoke]=180 [compare]=480 [memory]=300 [functional]=540)
order=(smoke compare memory functional)

usage() {
  echo "usage: run.sh smoke|compare|memory|functional|all" >&2
  exit 2
}

# The folder that prepare.sh filled: the one that this file was copied into, or the checkout's.
find_bundle() {
  local folder
  for folder in "$here/../.." "$here/../../build/gpu"; do
    if [[ -x $folder/linerate/bin/linerate && -x $folder/gpu_device ]]; then
      bundle=$(cd "$folder" && pwd)
      return
    fi
  done
  echo "run.sh: build/gpu is not there; make gpu-bundle on the machine that builds." >&2
  exit 2
}

# NCCL of the system, or of PyTorch's wheel where the linker finds none.
find_nccl() {
  local folder
  python3 -c 'import ctypes; ctypes.CDLL("libnccl.so.2")' 2>/dev/null && return
  folder=$(python3 -c 'import nvidia.nccl as n; print(list(n.__path__)[0] + "/lib")' 2>/dev/null)
  [[ -z $folder ]] || export LD_LIBRARY_PATH=$folder:${LD_LIBRARY_PATH:-}
}

# collective NAME [option of step...] -- [option of the tool...]: a run whose results are right.
collective() {
  local name=$1 options=()
  shift
  while [[ $1 != -- ]]; do options+=("$1") && shift; done
  shift
  step "${name}_perf ${*//$OUT\//}" --shows 'Out of bounds values : 0 OK' "${options[@]}" \
    "$bin/${name}_perf" --backend nccl --expect off "$@"
}

# on_gpu NAME [option of step...] COMMAND...: a test, which fails where it finds no GPU, and is not
# skipped.
on_gpu() {
  LINERATE_EXPECT_GPU=1 LINERATE_BIN=$bin step "$@"
}

run_part() {
  begin_part "${limits_s[$1]}"
  find_nccl
  if step "a GPU is here" --limit 30 --shows '^GPU 0' nvidia-smi -L; then
    "$1"
  else
    echo "Nothing else of $1 is tried without a GPU."
  fi
  summary "$1"
}

[[ $# == 1 ]] || usage
case $1 in
  all) parts=("${order[@]}") ;;
  smoke | compare | memory | functional) parts=("$1") ;;
  *) usage ;;
esac
find_bundle
bin=$bundle/linerate/bin
OUT=${OUT:-build/gpu-results}
mkdir -p "$OUT" && OUT=$(cd "$OUT" && pwd) || exit 2
export PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
for file in steps "${order[@]}"; do
  # shellcheck source=/dev/null
  . "$here/$file.sh"
done

failed=()
for part in "${parts[@]}"; do
  (run_part "$part") 2>&1 | tee "$OUT/$part.log"
  ((PIPESTATUS[0] == 0)) || failed+=("$part")
done
if ((${#failed[@]} > 0)); then
  echo "run.sh: ${#parts[@]} parts, ${#failed[@]} failed: ${failed[*]}"
  exit 1
fi
echo "run.sh: ${#parts[@]} parts, 0 failed"
