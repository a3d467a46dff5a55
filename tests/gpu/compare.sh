# Times beside nccl-tests'; compare.py says what is outside. Sourced by run.sh. Each comparison
# takes its seconds, or three rounds of both programs, of which each takes 1 to 3 s. Sizes of a few
# MiB vary most from run to run, so that they get many iterations and a range of their own.
# shellcheck shell=bash disable=SC2154,SC2034

# all_reduce, from 8 B to 4 GiB, and the options that change what is called: some 150 s.
compare() {
  rm -f "$OUT/compare.jsonl"
  against all_reduce 20 --host-time -b 8 -e 8 -n 5000 -w 50 -c 0 -C 1
  against all_reduce 20 -b 4M -e 64M -f 2 -n 1000 -w 20 -c 0
  against all_reduce 20 -b 128M -e 4G -f 2 -n 20 -w 3 -c 0
  against all_reduce 15 -b 8 -e 2M -f 4 -n 2000 -w 50 -c 0
  against all_reduce 12 -b 1M -e 1G -f 4 -n 100 -w 5 -c 0 -R 2 -D 2
  against all_reduce 12 -b 1M -e 1G -f 4 -n 100 -w 5 -c 0 -R 2 -D 1
  against all_reduce 12 -b 1M -e 1G -f 4 -n 100 -w 5 -c 0 -R 2
  against all_reduce 12 -b 4M -e 1G -f 4 -n 50 -w 5 -c 0 -G 5
  against all_reduce 12 -b 4K -e 64M -f 4 -n 200 -w 5 -c 0 -m 8
  against all_reduce 12 -b 4M -e 1G -f 4 -n 100 -w 5 -c 1
}

# The ten others: some 180 s.
tools() {
  local tool
  rm -f "$OUT/tools.jsonl"
  for tool in sendrecv all_gather alltoall reduce_scatter broadcast reduce alltoallv gather \
    scatter hypercube; do
    against "$tool" 12 -b 8 -e 4G -f 2 -n 100 -w 5 -c 0
  done
}

# against TOOL SECONDS [--host-time] OPTION...: the options are those of both programs.
against() {
  local tool=$1 seconds=$2 host_time=()
  shift 2
  if [[ $1 == --host-time ]]; then host_time=("$1") && shift; fi
  step "$tool $*" --limit $((2 * seconds + 10)) python3 "$here/compare.py" "${host_time[@]}" \
    --seconds "$seconds" --jsonl "$OUT/$part.jsonl" "$bundle/nccl-tests/${tool}_perf" \
    "$bin/${tool}_perf" -- "$@"
}
