// Memory that is private to another process: the kernel copies it in one step (cross-memory attach,
// process_vm_readv(2)), where its rules for ptrace(2) let this process do so.
#pragma once

#include "backends/host/streaming.h"
#include "base/clock.h"
#include "comm/bootstrap.h"

#include <sys/types.h>

#include <cstddef>
#include <vector>

namespace linerate::host {

// Where bytes of a rank are.
struct PeerBytes {
  std::byte* address = nullptr;  // valid in the process `pid`
  pid_t pid = 0;                 // 0: this one
  int world_rank = 0;            // whose they are, where they are not here

  bool is_here() const { return pid == 0; }
  PeerBytes after(std::size_t bytes) const { return {address + bytes, pid, world_rank}; }

  friend bool operator==(const PeerBytes&, const PeerBytes&) = default;
};

// Copies `bytes`. `stores` is heeded where they are here: finish() must follow then.
// Both throw PeerFailure, which names the rank, where the process has ended, and SystemError where
// its memory is not there or out of reach. Any thread.
void copy_from(std::byte* to, PeerBytes from, std::size_t bytes, Stores stores = Stores::cached);
void copy_to(PeerBytes to, const std::byte* from, std::size_t bytes,
             Stores stores = Stores::cached);

// Whether a process of this user is no more, or waits for its parent to notice that. Any thread.
bool has_ended(pid_t pid);

// Collective over `bootstrap`, whose rank r is in the process processes[r]. For each rank: the
// process whose memory this one can reach, 0 for its own. Empty on all ranks unless each process
// can read and write each other one's: they try, and may be of other PID namespaces or forbidden
// to. Throws what the bootstrap throws.
std::vector<pid_t> reachable_processes(Bootstrap& bootstrap, const std::vector<int>& processes,
                                       const Deadline& deadline);

}  // namespace linerate::host
