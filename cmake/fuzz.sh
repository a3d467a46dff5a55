#!/usr/bin/env bash
# Builds the fuzz targets and runs each for a while, as many at once as there are cores; what a
# target says comes when it has ended, and what the broken ones said once more at the end.
# Usage: fuzz.sh SECONDS. FUZZ_SEED other than 0 begins each at that seed, not at a random one.
# What was learnt stays in build-fuzz/corpus; an input that breaks one in build-fuzz/crashes.
set -euo pipefail
export seconds=${1:?seconds per target}
export seed=${FUZZ_SEED:-0}

run_target() {
  set -o pipefail
  local name=${1##*/fuzz_} seeds=() code=0
  mkdir -p "build-fuzz/corpus/$name"
  if [ -d "tests/fuzz/corpus/$name" ]; then seeds=("tests/fuzz/corpus/$name"); fi
  "$1" -max_total_time="$seconds" -seed="$seed" -rss_limit_mb=2048 -timeout=10 \
    -print_final_stats=1 -print_funcs=0 -verbosity=0 \
    -artifact_prefix="build-fuzz/crashes/$name-" \
    "build-fuzz/corpus/$name" "${seeds[@]}" 2>&1 | grep -v ' # Uses: ' > "$logs/$name" || code=$?
  printf 'fuzz: %s for %s s\n%s\n' "$name" "$seconds" "$(cat "$logs/$name")"
  if [ "$code" = 0 ]; then
    rm "$logs/$name"
  else
    echo "fuzz: $name ended with $code" >> "$logs/$name"
  fi
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
logs=$(mktemp -d)
export logs
printf '%s\0' "${programs[@]}" | xargs -0 -P "$(nproc)" -n 1 bash -c 'run_target "$1"' -
broken=("$logs"/*)
for log in "${broken[@]}"; do
  echo "fuzz: ${log##*/} is broken:"
  tail -n 60 "$log"
done
rm -r "$logs"
if [ "${#broken[@]}" != 0 ]; then
  exit 1
fi
echo "fuzz: ${#programs[@]} targets clean"
