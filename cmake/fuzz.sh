#!/usr/bin/env bash
# Builds the fuzz targets and runs each for a while, as many at once as there are cores; what a
# target says comes when it has ended. Usage: fuzz.sh SECONDS.
# What was learnt stays in build-fuzz/corpus; an input that breaks one in build-fuzz/crashes.
set -euo pipefail
export seconds=${1:?seconds per target}

run_target() {
  local name=${1##*/fuzz_} seeds=() text code=0
  mkdir -p "build-fuzz/corpus/$name"
  if [ -d "tests/fuzz/corpus/$name" ]; then seeds=("tests/fuzz/corpus/$name"); fi
  text=$("$1" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
    -print_funcs=0 -verbosity=0 -artifact_prefix="build-fuzz/crashes/$name-" \
    "build-fuzz/corpus/$name" "${seeds[@]}" 2>&1) || code=1
  printf 'fuzz: %s for %s s\n%s\n' "$name" "$seconds" "$text"
  return "$code"
}
export -f run_target

if ! compiler=$(cmake/clang.sh); then
  echo "fuzz: no clang++ 17, 18 or 19 with libFuzzer; run make deps-full." >&2
  exit 1
fi
cmake --preset fuzz -DCMAKE_CXX_COMPILER="$compiler" >/dev/null
cmake --build --preset fuzz --target fuzzers

shopt -s nullglob
programs=(build-fuzz/bin/fuzz_*)
if [ "${#programs[@]}" = 0 ]; then
  echo "fuzz: tests/fuzz holds no target." >&2
  exit 1
fi
mkdir -p build-fuzz/crashes
printf '%s\0' "${programs[@]}" | xargs -0 -P "$(nproc)" -n 1 bash -c 'run_target "$1"' -
echo "fuzz: ${#programs[@]} targets clean"
