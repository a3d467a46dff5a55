#!/usr/bin/env bash
# Tries linerate on a machine with an NVIDIA GPU, from what prepare.sh made; nothing is installed
# there and no setting is changed. Usage: run.sh PART... or run.sh all, some 10 minutes. Results go
# to the folder OUT (build/gpu-results), the output of each part to OUT/PART.log. Exit code 1 if a
# step fails; without a GPU it is the first one that does.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
declare -A limits_s=([smoke]=150 [functional]=240 [sanitizer]=150 [memory]=150 [compare]=300
  [tools]=300)
order=(smoke functional sanitizer memory compare tools)

usage() {
  echo "usage: run.sh PART... or run.sh all; parts: ${order[*]}" >&2
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

# NCCL of PyTorch's wheel, or of the system where there is no PyTorch.
find_nccl() {
  local folder
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
  local part=$1
  begin_part "${limits_s[$part]}"
  find_nccl
  if step "a GPU is here" --limit 30 --shows '^GPU 0' nvidia-smi -L; then
    "$part"
  else
    echo "Nothing else of $part is tried without a GPU."
  fi
  summary "$part"
}

parts=("$@")
[[ $* != all ]] || parts=("${order[@]}")
((${#parts[@]} > 0)) || usage
for part in "${parts[@]}"; do
  [[ -n ${limits_s[$part]-} ]] || usage
done
find_bundle
bin=$bundle/linerate/bin
OUT=${OUT:-build/gpu-results}
mkdir -p "$OUT" && OUT=$(cd "$OUT" && pwd) || exit 2
export PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
for file in steps smoke functional memory compare; do
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
