# The tests that need a GPU, ranks that are lost, and the sanitizer's tools. Sourced by run.sh.
# shellcheck shell=bash disable=SC2154,SC2034

functional() {
  local xids
  xids=$(dmesg 2>/dev/null | grep -c 'NVRM: Xid')
  lost_ranks
  on_gpu "tests of collectives" --limit 200 --hides ' skipped ' \
    python3 "$bundle/tests/system/nccl_gpu_test.py"
  on_gpu "tests of copies" --limit 60 --hides ' skipped ' \
    python3 "$bundle/tests/system/memcpy_gpu_test.py"
  dmesg >/dev/null 2>&1 || leave_out "Xids" "dmesg may not be read here"
  step "nothing is left" "$here/nothing_left.sh" "$bundle" "$xids"
}

# A rank that is stopped leaves the others' kernels spinning: to them it is a kernel that never
# ends. -n is small, because -T bounds each loop of timed calls.
lost_ranks() {
  local signal
  for signal in STOP KILL; do
    step "one of two ranks gets SIG$signal" --limit 75 \
      python3 "$here/lost_rank.py" "$signal" "$bin/all_reduce_perf" --backend nccl \
      --expect off -b 1M -e 1M -n 50 -N 0 --nprocs 2 --oversubscribe -T 8
  done
}

sanitizer() {
  local tool call
  if ! command -v compute-sanitizer >/dev/null; then
    fail "compute-sanitizer" "it is not on the PATH"
    return
  fi
  call=("$bin/linerate" all_reduce --backend nccl --expect off -b 8 -e 64K -f 32 -n 1)
  for tool in memcheck racecheck initcheck; do
    sanitized on_gpu "$tool" "$bundle/gpu_device"
    sanitized step "$tool" "${call[@]}"
    sanitized step "$tool" "${call[@]}" -R 2 -D 2
  done
}

# sanitized HOW TOOL PROGRAM OPTION...: HOW is step or on_gpu. Errors that CUDA's functions return,
# which memcheck alone reports, are left out: NCCL asks for what a driver may not have.
sanitized() {
  local how=$1 tool=$2 options=()
  shift 2
  if [[ $tool == memcheck ]]; then options=(--report-api-errors no); fi
  "$how" "$tool: ${*##*/}" --hides SKIPPED --limit 60 compute-sanitizer --tool "$tool" \
    "${options[@]}" --error-exitcode 9 "$@"
}
