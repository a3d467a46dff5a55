#!/usr/bin/env bash
# Format, clang-tidy, Python and architecture checks: all of them run, then any failure counts.
# Usage: lint.sh [file.cc...]: clang-tidy on these only. Needs build/compile_commands.json.
set -uo pipefail
python=${PYTHON:-/usr/bin/python3}
failed=()

stage() {
  local name=$1 start=$SECONDS
  shift
  echo "lint: $name"
  "$@" || failed+=("$name")
  echo "lint: $name took $((SECONDS - start)) s"
}

format() {
  git ls-files -z '*.cc' '*.h' '*.cu' | xargs -0 -r clang-format --dry-run -Werror
}

# Headers are read through the sources that include them, and most sources through the unity files
# that are compiled; tests keep to the compiler's warnings.
tidy() {
  local version sources=("$@")
  version=$(compgen -c run-clang-tidy- | sed 's/.*-//' | sort -n | tail -n 1)
  if [ -z "$version" ]; then
    echo "lint: no run-clang-tidy-17 or newer; run make deps-full." >&2
    return 1
  fi
  [ "${#sources[@]}" -gt 0 ] || sources=(
    "^$PWD/(src|collectives|topo|trainers|benchmarks)/.*\.cc\$" '/Unity/unity_[0-9]+_cxx\.cxx$')
  "run-clang-tidy-$version" -quiet -p build -j "$(nproc)" "${sources[@]}" 2>build/tidy.log |
    grep -v '^\(clang-tidy\|[0-9]* warnings\)'
  return "${PIPESTATUS[0]}"
}

# ruff is not in the distribution: it comes from PyPI, once, or pyflakes stands in.
python_lint() {
  local ruff=build/venv/bin/ruff
  if [ ! -x "$ruff" ]; then
    if ! { "$python" -m venv build/venv && build/venv/bin/pip install -q ruff; } \
      >build/venv.log 2>&1; then
      echo "lint: ruff could not be installed ($(tail -n 1 build/venv.log)); pyflakes instead."
      git ls-files -z '*.py' | xargs -0 -r pyflakes3
      return
    fi
  fi
  "$ruff" check --quiet benchmarks reports tests
}

stage format format
stage python python_lint
stage architecture "$python" tests/architecture/check_layers.py
stage shell bash -n cmake/*.sh .ci/run
stage tidy tidy "$@"

if [ "${#failed[@]}" -gt 0 ]; then
  echo "lint: failed: ${failed[*]}"
  exit 1
fi
echo "lint: clean"
