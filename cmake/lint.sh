#!/usr/bin/env bash
# Format, clang-tidy, Python and architecture checks: all of them run, then any failure counts.
# Usage: lint.sh [--since COMMIT | file.cc...]: clang-tidy on these only, or on what changed since
# then. Needs build/compile_commands.json.
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

# What is compiled for the sources that changed since a commit, as patterns: the file itself, or the
# unity file that includes it. Of more than 8, which take 3 minutes, 8 that the commit chooses.
changed_units() {
  local source units=()
  while read -r source; do
    if grep -q "\"file\": \"$PWD/$source\"" build/compile_commands.json; then
      units+=("$PWD/$source")
    else
      mapfile -t -O "${#units[@]}" units < <(
        grep -rlF "\"$PWD/$source\"" "$PWD/build/CMakeFiles" --include='unity_*.cxx')
    fi
  done < <(git diff --name-only --diff-filter=d "$1" -- 'src/*.cc' 'collectives/*.cc' 'topo/*.cc' \
    'trainers/*.cc' 'benchmarks/*.cc')
  [ "${#units[@]}" = 0 ] || printf '^%s$\n' "${units[@]}" | sort -u |
    shuf -n 8 --random-source=<(yes "$(git rev-parse HEAD)")
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
  if [ "${1-}" = --since ]; then
    if ! git rev-parse -q --verify "$2^{commit}" >/dev/null; then
      echo "lint: no commit $2 here: clang-tidy is left out."
      return
    fi
    mapfile -t sources < <(changed_units "$2")
    echo "lint: ${#sources[@]} compiled files hold what changed since $2"
    [ "${#sources[@]}" -gt 0 ] || return 0
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
      git ls-files -z {benchmarks,reports,tests,topo}'/*.py' | xargs -0 -r pyflakes3
      return
    fi
  fi
  "$ruff" check --quiet benchmarks reports tests topo
}

shell_syntax() {
  local file
  for file in cmake/*.sh tests/gpu/*.sh .ci/run; do
    bash -n "$file" || return
  done
}

stage format format
stage python python_lint
stage architecture "$python" tests/architecture/check_layers.py
stage shell shell_syntax
stage tidy tidy "$@"

if [ "${#failed[@]}" -gt 0 ]; then
  echo "lint: failed: ${failed[*]}"
  exit 1
fi
echo "lint: clean"
