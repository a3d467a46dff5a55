# Is the machine what it should be, and do the first calls work? Sourced by run.sh.
# shellcheck shell=bash disable=SC2154,SC2034

smoke() {
  step "driver and GPU" nvidia-smi
  step "clocks" nvidia-smi -q -d CLOCK,PERFORMANCE
  step "system" bash -c 'uname -a; ldd --version | head -n 1; df -h /dev/shm; nproc'
  nccl_by_itself
  step "what is here" "$bin/linerate" info
  on_gpu "kernels, graphs and events" --hides SKIPPED "$bundle/gpu_device"
  first_calls
  step "memcpy_perf" --shows 'Out of bounds values : 0 OK' \
    "$bin/memcpy_perf" -t h2d_ce,local -b 64M -n 3
  collective all_reduce --shows '^# algo: ' --limit 90 -- -b 1K -e 64K -f 8 -n 2 --nprocs 2 \
    --oversubscribe -T 60 --show-algo
  topology
  step "linerate doctor" --exit 0,1 "$bin/linerate" doctor
  step "linerate doctor snapshot" "$bin/linerate" doctor snapshot -o "$OUT/snapshot.json"
}

# Without linerate: what fails here is a fault of the machine, or of its libraries.
nccl_by_itself() {
  if python3 -c 'import torch' 2>/dev/null; then
    step "NCCL through PyTorch" --limit 90 --shows 'all_reduce is right' \
      python3 "$here/torch_nccl.py"
  else
    leave_out "NCCL through PyTorch" "no PyTorch in python3"
  fi
  step "NCCL through nccl-tests" --shows 'Out of bounds values : 0 OK' \
    "$bundle/nccl-tests/all_reduce_perf" -b 8 -e 64M -f 64
}

first_calls() {
  local log=$OUT/nccl_info.log words
  NCCL_DEBUG=INFO NCCL_DEBUG_FILE=$log collective all_reduce -- -b 8 -e 64M -f 64 \
    --report-init -M 1
  step "NCCL warns of nothing" --exit 1 grep -n 'NCCL WARN' "$log"
  step "linerate doctor log finds nothing" "$bin/linerate" doctor log "$log"
  for words in gemm memory; do
    collective all_reduce --shows "^# Beside $words:" --hides 'not measured' \
      -- -b 1M -e 64M -f 64 --beside "$words"
  done
  for words in '-G 3' '-R 2' '-R 2 -D 1' '-R 2 -D 2'; do
    # shellcheck disable=SC2086
    collective all_reduce -- -b 8 -e 1M -f 8 $words
  done
}

# The machine as linerate sees it and as NCCL does; each must take the other's file. The two differ
# in what NCCL alone adds (ranks, GDR), so that their difference is printed and not judged.
topology() {
  local ours=$OUT/topo_linerate.xml theirs=$OUT/topo_nccl.xml
  step "linerate topo" "$bin/linerate" topo
  step "linerate topo --export-nccl" "$bin/linerate" topo --export-nccl "$ours"
  NCCL_TOPO_DUMP_FILE=$theirs NCCL_GRAPH_DUMP_FILE=$OUT/graph_nccl.xml \
    collective all_reduce -- -b 8 -e 8
  step "difference: NCCL's file, linerate's" --exit 0,1 diff -bu "$theirs" "$ours"
  step "linerate reads NCCL's file" "$bin/linerate" topo --nccl-xml "$theirs"
  NCCL_TOPO_FILE=$ours collective all_reduce -- -b 8 -e 8
}
