# Copies, large buffers and every data type. Sourced by run.sh.
# shellcheck shell=bash disable=SC2154,SC2034

memory() {
  local free_mib
  rm -f "$OUT/memcpy.jsonl"
  step "memcpy_perf, every test of one GPU" --limit 180 --shows 'Out of bounds values : 0 OK' \
    "$bin/memcpy_perf" --jsonl "$OUT/memcpy.jsonl"
  step "share of what the hardware can do" python3 "$here/memory_shares.py" "$OUT/memcpy.jsonl"
  step "free memory" --shows '^[0-9]+$' \
    nvidia-smi --query-gpu=memory.free --format=csv,noheader,nounits -i 0 || return
  free_mib=$(nvidia-smi --query-gpu=memory.free --format=csv,noheader,nounits -i 0)
  if ((free_mib >= 60000)); then
    whole -b 16G -e 16G -d int8 -n 2 -w 1 # 2^34 elements: more than 32 bits count
    whole -b 8G -e 8G -d f8e4m3 -n 2 -w 1
    whole -b 8G -e 8G -d double -n 2 -w 1
  else
    leave_out "buffers of 16 GiB" "$free_mib MiB of GPU memory are free, 60000 are needed"
  fi
  collective all_reduce -- -b 64K -e 64K -d all -o all -n 2
  step "all_reduce_perf -b 1T" --exit 5 --shows 'does not fit' \
    "$bin/all_reduce_perf" --backend nccl -b 1T -e 1T -n 1
  step "all_reduce_perf -b 60G" --exit 0,5 --shows 'does not fit|Reducing maxBytes' \
    "$bin/all_reduce_perf" --backend nccl -b 60G -e 60G -n 1
  step "all_reduce_perf -e 1T" --shows 'Reducing maxBytes' \
    "$bin/all_reduce_perf" --backend nccl --expect off -b 1G -e 1T -f 4096 -n 1
}

# At the size that was asked for, not at one that was reduced to what fits.
whole() {
  collective all_reduce --hides 'Reducing maxBytes' --limit 90 -- "$@"
}
