# Times beside nccl-tests', from 8 B to 4 GiB; compare.py says what is outside. Sourced by run.sh.
# Each comparison takes its seconds, or three rounds of both programs; together about 440 s. Sizes
# of a few MiB vary most from run to run, so that they get many iterations and ranges of their own.
# shellcheck shell=bash disable=SC2154,SC2034

compare() {
  local tool
  rm -f "$OUT/compare.jsonl"
  against all_reduce 30 -b 8 -e 4G -f 2 -n 100 -w 5 -c 0
  against all_reduce 30 -b 4M -e 64M -f 2 -n 1000 -w 20 -c 0
  against all_reduce 25 -b 8 -e 2M -f 4 -n 2000 -w 50 -c 0
  against all_reduce 30 --host-time -b 8 -e 8 -n 5000 -w 50 -c 0 -C 1
  against all_reduce 15 -b 4M -e 1G -f 4 -n 50 -w 5 -c 0 -G 5
  against all_reduce 15 -b 4K -e 64M -f 4 -n 200 -w 5 -c 0 -m 8
  against all_reduce 15 -b 4M -e 1G -f 4 -n 100 -w 5 -c 1
  against all_reduce 12 -b 1M -e 1G -f 4 -n 100 -w 5 -c 0 -R 2
  against all_reduce 12 -b 1M -e 1G -f 4 -n 100 -w 5 -c 0 -R 2 -D 1
  against all_reduce 12 -b 1M -e 1G -f 4 -n 100 -w 5 -c 0 -R 2 -D 2
  for tool in sendrecv all_gather reduce_scatter broadcast reduce alltoall alltoallv gather \
    scatter hypercube; do
    against "$tool" 12 -b 8 -e 64M -f 2 -n 400 -w 20 -c 0
    against "$tool" 12 -b 128M -e 4G -f 2 -n 20 -w 3 -c 0
  done
}

# against TOOL SECONDS [--host-time] OPTION...: the options are those of both programs.
against() {
  local tool=$1 seconds=$2 host_time=()
  shift 2
  if [[ $1 == --host-time ]]; then host_time=("$1") && shift; fi
  step "$tool $*" --limit $((2 * seconds + 10)) python3 "$here/compare.py" "${host_time[@]}" \
    --seconds "$seconds" --jsonl "$OUT/compare.jsonl" "$bundle/nccl-tests/${tool}_perf" \
    "$bin/${tool}_perf" -- "$@"
}
