#!/usr/bin/env bash
# Runs the tests of a preset; says what failed, what was skipped and why, and how many cases there
# were. Usage: test.sh PRESET BUILD-FOLDER CORES [ctest argument...].
# With MAY_SKIP=FILE a case that is skipped for another reason than those in FILE is a failure.
set -uo pipefail
preset=$1 cases=$2/cases slots=$((3 * $3))  # cmake/Tests.cmake says how many a test takes
shift 3
rm -rf "$cases"
ctest --preset "$preset" -j "$slots" "$@"
code=$?
"${PYTHON:-/usr/bin/python3}" -B tests/runner/summary.py "$cases" \
  ${MAY_SKIP:+--may-skip "$MAY_SKIP"} || code=1
exit "$code"
