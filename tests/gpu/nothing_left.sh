#!/usr/bin/env bash
# Whether runs that are over left anything: a process, memory of the GPU, an error of the driver.
# Usage: nothing_left.sh FOLDER XIDS: no process may run a program of FOLDER, and the kernel's log
# may hold no more Xids than XIDS. Exit code 1 if anything is left.
set -uo pipefail
folder=$(readlink -f "${1:?folder of the programs}")
xids_before=${2:?number of Xids}
most_mib=64 # what the driver holds by itself; a process with a context holds several hundred
left=0

processes() {
  local link
  for link in /proc/[0-9]*/exe; do
    [[ $(readlink "$link" 2>/dev/null) != "$folder"/* ]] || echo "${link//[^0-9]/}"
  done
}

used_mib() { nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits -i 0; }

# Memory of a process that was killed is freed a little later.
for _ in {1..10}; do
  mib=$(used_mib)
  [[ -z $(processes) && $mib =~ ^[0-9]+$ ]] && ((mib <= most_mib)) && break
  sleep 1
done

echo "processes of $folder: $(processes | xargs)"
[[ -z $(processes) ]] || left=1
echo "memory used on GPU 0: $mib MiB, at most $most_mib expected"
[[ $mib =~ ^[0-9]+$ ]] && ((mib <= most_mib)) || left=1

# Xid 45 is the removal of a channel whose process was killed, which lost_rank.py does.
if dmesg >/dev/null 2>&1; then
  xids=$(dmesg | grep 'NVRM: Xid' | tail -n +$((xids_before + 1)) | grep -v '): 45,')
  echo "Xids: ${xids:-none}"
  [[ -z $xids ]] || left=1
else
  echo "Xids: dmesg may not be read here"
fi
exit "$left"
